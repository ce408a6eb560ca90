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
    ken_handler_fact *handlers; // of what is not aside
    size_t n_handlers;
    uint32_t n_handlers_aside;
    ken_str_list aside_handlers; // files of these, tests aside
    ken_str_list depends;        // types of which ken_survey__depends said that handlers take them
    KEN_VEC(ken_finding) found;
} survey;

// ---- survey.c ----------------------------------------------------------------------------------
survey_file *ken_survey__file_of(const survey *v, ken_str path); // NULL = not in the index
bool ken_survey__has_folder(ken_str path, const char *const *names, size_t n); // one of its folders
bool ken_survey__is_under(ken_str path, ken_str folder);  // "." and "" hold everything
bool ken_survey__is_aside(const survey *v, ken_str path); // or not in the index
// What files of one role have in common at the end of their names: ".service.ts" of
// "user.service.ts", "Controller.java", "_job.rb"; empty for a name of one word.
ken_str ken_survey__ending(ken_str path);
// The last word of a type's name: "Controller" of "UserController"; empty when there is one word.
ken_str ken_survey__last_word(ken_str name);

// ---- tallies -----------------------------------------------------------------------------------
// Cases counted for and against something.
typedef struct survey_tally {
    uint32_t n_for, n_all;
    ken_survey_place yes[KEN_SURVEY_PLACES], no[KEN_SURVEY_PLACES];
    uint32_t n_yes, n_no;
    ken_str against[KEN_SURVEY_EXCEPT]; // files of cases against it, each once
    uint32_t n_against;
    bool is_over; // there are more of them
} survey_tally;

// Shares that the lower end of the interval must reach: nearly always; mostly, for what has natural
// exceptions (a login needs no session).
#define SURVEY_ALWAYS 0.7
#define SURVEY_MOSTLY 0.6

void ken_survey__count(survey_tally *t, bool agrees, ken_survey_place at);
ken_survey_place ken_survey__whole(ken_str path);
double ken_survey__share(const survey_tally *t);  // lower end of the interval of n_for / n_all
bool ken_survey__is_habit(const survey_tally *t); // it reaches SURVEY_ALWAYS
// Whether chance puts all of n files into a group that holds `share` of them less than once in 500
// times.
bool ken_survey__is_no_chance(double share, uint32_t n);
// The files against it as globs to except; false when there are more than are known.
bool ken_survey__except(survey *v, const survey_tally *t, ken_str_list *out);
// "MUST" when all agree, else "SHOULD".
const char *ken_survey__must(const survey_tally *t);
// A new finding with the counts and places of `t`; `id` is made a slug, and unlike the others.
// Borrowed until the next. `value`, 0 to 100: how much knowing it changes what is written; it is
// multiplied by the share.
ken_finding *ken_survey__add(survey *v, ken_survey_topic topic, double value, ken_str id,
                             const survey_tally *t);

ken_str_list ken_survey__list1(ken_arena *arena, ken_str item);
// Globs of what is below a folder, whose name stands for itself even when it is "[id]": of
// everything, and of files with one of some endings ("ts,tsx"; the folder may be empty).
ken_str ken_survey__glob_below(ken_arena *arena, ken_str folder);
ken_str ken_survey__glob_ending(ken_arena *arena, ken_str folder, const char *exts);

// ---- texts counted -----------------------------------------------------------------------------
typedef struct survey_word {
    ken_str text;
    uint32_t n;
} survey_word;

typedef struct survey_words {
    ken_map at;
    KEN_VEC(survey_word) items;
} survey_words;

void ken_survey__words_init(survey_words *w);
void ken_survey__words_release(survey_words *w);
void ken_survey__words_add(survey_words *w, ken_str text, ken_arena *arena);
void ken_survey__words_sort(survey_words *w); // most frequent first, then by text

// ---- the parts ---------------------------------------------------------------------------------
ken_status ken_survey__detect(survey *v, ken_err *err) KEN_MUST_USE;
ken_status ken_survey__depends(survey *v, ken_err *err) KEN_MUST_USE;
ken_status ken_survey__handlers(survey *v, ken_err *err) KEN_MUST_USE;
ken_status ken_survey__types(survey *v, ken_err *err) KEN_MUST_USE;
ken_status ken_survey__helpers(survey *v, ken_err *err) KEN_MUST_USE;
void ken_survey__roles(survey *v);
void ken_survey__components(survey *v);
void ken_survey__modules(survey *v);
void ken_survey__naming(survey *v);
void ken_survey__tests(survey *v);
ken_status ken_survey__errors(survey *v, ken_err *err) KEN_MUST_USE;

#endif
