// SPDX-License-Identifier: MIT
// survey_priv.h -- what the files of this folder share.
#ifndef KEN_SURVEY_SURVEY_PRIV_H
#define KEN_SURVEY_SURVEY_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "query/query_facts.h"
#include "survey/survey.h"

typedef struct survey_file {
    ken_str path; // the snapshot's
    ken_str ext;
    uint8_t test_custom; // number in survey_tests.c, from 1; 0 = not called as a test
    bool is_test;
    bool is_code;  // it defines something, or imports
    bool is_aside; // a test, an example, documentation: not what the code base is about
} survey_file;

typedef struct survey {
    ken_snapshot *s;
    const ken_survey_opts *o;
    ken_arena *arena;
    ken_survey *out;
    survey_file *files; // by path
    size_t n_files;
    ken_str_list vendored; // globs of other people's code, which has no say
    ken_definitions defs;  // callables and types
    ken_imports imports;
    ken_route *routes; // of what is not aside
    size_t n_routes;
    KEN_VEC(ken_finding) found;
} survey;

// ---- survey.c ----------------------------------------------------------------------------------
survey_file *survey_file_of(const survey *v, ken_str path);               // NULL = not in the index
bool survey_has_folder(ken_str path, const char *const *names, size_t n); // one of its folders
bool survey_is_under(ken_str path, ken_str folder); // "." and "" hold everything

// ---- tallies -----------------------------------------------------------------------------------
// Cases counted for and against something.
typedef struct survey_tally {
    uint32_t n_for, n_all;
    ken_survey_place yes[KEN_SURVEY_PLACES], no[KEN_SURVEY_PLACES];
    uint32_t n_yes, n_no;
} survey_tally;

void survey_count(survey_tally *t, bool agrees, ken_survey_place at);
ken_survey_place survey_whole(ken_str path);
// Enough of them, and nearly all agree.
bool survey_is_habit(const survey_tally *t);
// "MUST" when all agree, else "SHOULD".
const char *survey_must(const survey_tally *t);
// A new finding with the counts and places of `t`; `id` is made a slug, and unlike the others.
// Borrowed until the next.
ken_finding *survey_add(survey *v, ken_survey_topic topic, ken_str id, const survey_tally *t);

ken_str_list survey_list1(ken_arena *arena, ken_str item);
// Globs of what is below a folder, whose name stands for itself even when it is "[id]": of
// everything, and of files with one of some endings ("ts,tsx"; the folder may be empty).
ken_str survey_glob_below(ken_arena *arena, ken_str folder);
ken_str survey_glob_ending(ken_arena *arena, ken_str folder, const char *exts);

// ---- texts counted -----------------------------------------------------------------------------
typedef struct survey_word {
    ken_str text;
    uint32_t n;
} survey_word;

typedef struct survey_words {
    ken_map at;
    KEN_VEC(survey_word) items;
} survey_words;

void survey_words_init(survey_words *w);
void survey_words_release(survey_words *w);
void survey_words_add(survey_words *w, ken_str text, ken_arena *arena);
void survey_words_sort(survey_words *w); // most frequent first, then by text

// ---- the parts ---------------------------------------------------------------------------------
ken_status survey_detect(survey *v, ken_err *err) KEN_MUST_USE;
ken_status survey_api(survey *v, ken_err *err) KEN_MUST_USE;
void survey_components(survey *v);
void survey_modules(survey *v);
void survey_naming(survey *v);
void survey_tests(survey *v);
ken_status survey_errors(survey *v, ken_err *err) KEN_MUST_USE;
ken_status survey_style(survey *v, ken_err *err) KEN_MUST_USE;

#endif
