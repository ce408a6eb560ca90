// SPDX-License-Identifier: MIT
// config_priv.h -- what config.c, config_load.c and config_paths.c share.
#ifndef KEN_CONFIG_CONFIG_PRIV_H
#define KEN_CONFIG_CONFIG_PRIV_H

#include "base/vec.h"
#include "config/config.h"

enum {
    CONFIG_FILE_MAX = 64 * 1024, // bytes of a settings file
    CONFIG_VALUE_MAX = 4096,     // bytes of one value
    CONFIG_LIST_MAX = 1000,      // elements of one list
    CONFIG_NAMES_MAX = KEN_CFG_COUNT + 64,
};

typedef struct config_value {
    ken_config_source source;
    ken_str where;
    uint64_t number; // COUNT, SIZE, BOOL; the word's index for WORD
    ken_str text;
    ken_str *items; // LIST
    size_t n_items;
} config_value;

struct ken_config {
    ken_arena arena; // everything below lives here
    config_value values[KEN_CFG_COUNT];
    ken_config_flag *flags; // copies, to load a project's settings later
    size_t n_flags;
    ken_str data_dir, user_file, log_file;
    KEN_VEC(ken_config_note) notes;
};

typedef struct config_row {
    const char *name;
    ken_config_type type;
    const char *def;
    uint64_t min, max;
    const char *words;
    const char *env;
    bool is_for_owner; // not for a project's .ken.yaml
    const char *text;
} config_row;

extern const config_row ken_config__rows[KEN_CFG_COUNT];

// A value that is about to be set, and what to call its place in an error ("/x/config.yaml:3:5").
typedef struct config_input {
    ken_config_source source;
    const char *at;       // for errors
    const char *where;    // for `config show`
    const ken_str *items; // one, or the elements of a list
    size_t n_items;
} config_input;

// ---- config_names.c: names that are no keys of ours ----

typedef enum config_form {
    CONFIG_FORM_SAME = 0,
    CONFIG_FORM_KIB,
    CONFIG_FORM_MIB,
    CONFIG_FORM_GLOB,
} config_form;

typedef struct config_other_name {
    const char *name;
    ken_config_key key;
    config_form form;
} config_other_name;

typedef struct config_unused_name {
    const char *name;
    const char *env; // comma-separated
    bool is_secret;
    const char *text;
} config_unused_name;

// NULL when there is none of that name.
const config_other_name *ken_config__find_other(ken_str name);
const config_unused_name *ken_config__find_unused(ken_str name);
// All names, ours and others', for "did you mean"; `out` has room for CONFIG_NAMES_MAX.
size_t ken_config__list_names(const char **out);
// Brings values of a second name into the form of the key's own.
void ken_config__convert(ken_arena *a, config_form form, ken_str *items, size_t n);
// Keeps what was given for a name that nothing uses.
void ken_config__note_unused(ken_config *c, const config_unused_name *name, const ken_str *items,
                             size_t n, ken_str where);
// Keeps that a secret was not given: its variable is not set.
void ken_config__note_unset(ken_config *c, const char *key, ken_str variable, ken_str where);
// Adds what the environment and the keys themselves say without effect, when all is loaded.
void ken_config__add_notes(ken_config *c);

// ---- config_forms.c ----
// What an element of that key must be, when `s` is not that; NULL when it may be.
const char *ken_config__find_broken_form(ken_config_key key, ken_str s);

// Checks type, range and form, and sets.
ken_status ken_config__set(ken_config *c, ken_config_key key, const config_input *in, ken_err *err);
// The same from a text: the elements of a list are separated by commas.
ken_status ken_config__set_text(ken_config *c, ken_config_key key, ken_str s, config_input in,
                                ken_err *err);
// Cuts at commas that stand outside of braces; returns how many, at most `max`.
size_t ken_config__split_list(ken_str s, ken_str *items, size_t max);
// Reads one settings file; an absent one is fine.
ken_status ken_config__read_file(ken_config *c, const char *path, ken_config_source source,
                                 ken_err *err);
// The same for its text; `path` is what errors call it.
ken_status ken_config__read_text(ken_config *c, ken_str text, const char *path,
                                 ken_config_source source, ken_err *err);
// Fills a zeroed config with the defaults.
ken_status ken_config__apply_defaults(ken_config *c, ken_err *err);
// Sets data_dir and user_file.
ken_status ken_config__find_user_file(ken_config *c, ken_err *err);
ken_status ken_config__find_data_dir(ken_config *c, ken_err *err);
void ken_config__find_log_file(ken_config *c); // after the data folder

#endif
