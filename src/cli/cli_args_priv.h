// SPDX-License-Identifier: MIT
// cli_args_priv.h -- a small option parser that goes by tables.
//
// Forms: --name value, --name=value, -k value, -kvalue, -abc for flags, "--" before what may start
// with a dash. Options may stand anywhere. A lone "-" is an argument. Unknown names are an error
// that names the nearest known one.
//
// Ownership: everything is borrowed from argv and the tables, arrays live in the arena.
#ifndef KEN_CLI_CLI_ARGS_PRIV_H
#define KEN_CLI_CLI_ARGS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

typedef enum cli_opt_type {
    CLI_FLAG = 1, // takes nothing
    CLI_VALUE,    // takes a value; the last one counts
    CLI_LIST,     // takes a value; may be given several times
    CLI_MAYBE,    // takes a value only as --name=value, or when the next argument is one of `words`
} cli_opt_type;

typedef struct cli_opt {
    const char *name; // without dashes
    char letter;      // 0 = none
    cli_opt_type type;
    const char *value; // what help calls its value: "N"
    const char *text;  // one line of help
    const char *words; // allowed words, separated by '|'; NULL = any text
} cli_opt;

typedef struct cli_table {
    const cli_opt *opts;
    size_t n_opts;
} cli_table;

typedef struct cli_given {
    const cli_opt *opt;
    const char *value; // NULL for flags
} cli_given;

typedef struct cli_args {
    cli_table tables[2]; // the command's own, and the global ones
    cli_given *given;
    size_t n_given;
    const char **words; // what is not an option
    size_t n_words;
} cli_args;

// Parses argv[0 … argc-1]. `stops_at_word`: ends before the first argument that is no option;
// `*out_used` (may be NULL) is the number of arguments that were looked at.
ken_status ken_cli__args_parse(int argc, char **argv, cli_table own, cli_table global,
                               bool stops_at_word, ken_arena *arena, cli_args *out, int *out_used,
                               ken_err *err) KEN_MUST_USE;

// The option of that name, or of that letter, in the tables; NULL when there is none.
const cli_opt *ken_cli__find_opt(const cli_args *a, ken_str name);
const cli_opt *ken_cli__find_letter(const cli_args *a, char letter);

// The names below must be in the tables.
bool ken_cli__args_has(const cli_args *a, const char *name);
const char *ken_cli__args_get(const cli_args *a, const char *name); // NULL when it was not given
size_t ken_cli__args_list(const cli_args *a, const char *name, ken_arena *arena, const char ***out);
// Whole number within [min, max]; `fallback` when it was not given.
ken_status ken_cli__args_u64(const cli_args *a, const char *name, uint64_t min, uint64_t max,
                             uint64_t fallback, uint64_t *out, ken_err *err) KEN_MUST_USE;
// True when `word` is one of "a|b|c".
bool ken_cli__is_word_of(const char *words, ken_str word);
// KEN_EINVAL: `what` ("--mode") cannot be `value`, with the nearest of the words, or all.
ken_status ken_cli__fail_word(const char *what, const char *words, const char *value,
                              ken_arena *arena, ken_err *err) KEN_MUST_USE;

#endif
