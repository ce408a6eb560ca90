// SPDX-License-Identifier: MIT
// lang.h -- languages as data: which language a file is in, its grammar, its node table, its
// parser.
//
// A language is one row of lang_table.h, a grammar, a node table and a reference table (tables/*,
// see README.md). Ownership: languages and their rules are static, made on first use. Threads: all
// functions are safe from any thread, but a ken_parser belongs to one.
#ifndef KEN_LANG_LANG_H
#define KEN_LANG_LANG_H

#include <stdbool.h>
#include <stdint.h>

#include <tree_sitter/api.h>

#include "base/cancel.h"
#include "base/err.h"
#include "base/str.h"
#include "lang/lang_table.h"

typedef enum ken_lang_id {
#define X(id, ...) KEN_LANG_##id,
    KEN_LANG_TABLE(X)
#undef X
    KEN_LANG_COUNT,
    KEN_LANG_UNKNOWN = 0, // what nothing else fits: the first row
} ken_lang_id;

// Its row; that of KEN_LANG_UNKNOWN for what is no id.
const ken_language *ken_lang_at(uint16_t lang);

// By file name and extension, then by the #! line of `text`, then, for .h files, by a look at it
// for what only C++ says. `text` is the file, of which the beginning counts; it may be empty.
// KEN_LANG_UNKNOWN when nothing fits.
ken_lang_id ken_lang_of(ken_str path, ken_str text);
// True when the extension or name is known for program text (no content needed).
bool ken_lang_is_code_path(ken_str path);

const char *ken_lang_name(ken_lang_id lang);
ken_lang_id ken_lang_by_name(
    ken_str name); // KEN_LANG_COUNT when unknown; knows aliases ("js", "c++")
ken_lang_role ken_lang_role_of(ken_lang_id lang);
// Borrowed, NULL when the language has none or its grammar is not in this build.
const TSLanguage *ken_lang_grammar(ken_lang_id lang);
// True when a grammar is named for the language but missing in this build.
bool ken_lang_misses_grammar(ken_lang_id lang);

// ---- node tables -------------------------------------------------------------------------------
typedef struct ken_rules ken_rules; // see lang_rules.h

// Borrowed, compiled on first use; NULL without grammar or table.
const ken_rules *ken_lang_rules(ken_lang_id lang);

// ---- parsing -----------------------------------------------------------------------------------
typedef struct ken_parser ken_parser;

typedef struct ken_parse_opts {
    const ken_cancel *cancel;
    int64_t budget_ns;     // 0 = none; KEN_ETIMEOUT when it is used up
    const TSRange *ranges; // parse only these (embedded languages); NULL = everything
    uint32_t n_ranges;
} ken_parse_opts;

ken_parser *ken_parser_new(void) KEN_MUST_USE;
void ken_parser_free(ken_parser *p);
// Memory that it keeps from one file for the next, instead of some MiB.
void ken_parser_limit(ken_parser *p, size_t keep_bytes);
// The tree is borrowed from the parser and dies with the next ken_parser_reset.
// KEN_EUNSUPPORTED without grammar, KEN_ELIMIT for text that the grammar is not safe with,
// KEN_ETIMEOUT, KEN_ECANCELLED.
ken_status ken_parser_parse(ken_parser *p, ken_lang_id lang, ken_str text,
                            const ken_parse_opts *opts, TSTree **out, ken_err *err) KEN_MUST_USE;
// Where names of macros stand that the last whole text was parsed without, in order; no node shows
// them. Borrowed until the next one is parsed.
const uint32_t *ken_parser_left_out(const ken_parser *p, uint32_t *out_n);
void ken_parser_reset(ken_parser *p); // forgets the trees of the last file

#endif
