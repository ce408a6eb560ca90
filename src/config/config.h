// SPDX-License-Identifier: MIT
// config.h -- settings: every value, and where it came from.
//
// Flags > environment > <project>/.ken.yaml > $XDG_CONFIG_HOME/ken/config.yaml > defaults. Every
// key is one row of config_keys.h: name, type, default, range, environment name, text. Unknown keys
// are an error that names the nearest known one. A project's .ken.yaml comes with a repository and
// is not trusted: it is small, has no aliases and no ${VAR}, and may not set the rows marked OWNER.
//
// Ownership: a ken_config owns its texts. Threads: immutable once loaded, so shared freely.
// Errors: KEN_EINVAL for what is wrong in a setting, KEN_ELIMIT for a file that is too large.
#ifndef KEN_CONFIG_CONFIG_H
#define KEN_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "config/config_keys.h"

typedef enum ken_config_key {
#define X(id, name, type, def, min, max, words, env, trust, text) KEN_CFG_##id,
    KEN_CONFIG_KEYS(X)
#undef X
    KEN_CFG_COUNT
} ken_config_key;

typedef enum ken_config_type {
    KEN_CONFIG_UNKNOWN = 0,
    KEN_CONFIG_BOOL,
    KEN_CONFIG_COUNT,
    KEN_CONFIG_SIZE, // bytes
    KEN_CONFIG_TEXT,
    KEN_CONFIG_WORD, // one of a few
    KEN_CONFIG_LIST,
    KEN_CONFIG_SECRET, // a text that is never shown
} ken_config_type;

typedef enum ken_config_source {
    KEN_CONFIG_DEFAULT = 0,
    KEN_CONFIG_USER_FILE,
    KEN_CONFIG_PROJECT_FILE,
    KEN_CONFIG_ENV,
    KEN_CONFIG_FLAG,
} ken_config_source;

typedef struct ken_config ken_config;

// A flag for a list is one element of it; give it several times for more.
typedef struct ken_config_flag {
    const char *name; // key name, "indexing.max_file_size"
    const char *value;
    const char *shown; // what the person typed, for errors: "--max-file-size"; NULL = name
} ken_config_flag;

typedef struct ken_config_load_opts {
    const char *project_root; // folder whose .ken.yaml counts; NULL = none
    const ken_config_flag *flags;
    size_t n_flags;
} ken_config_load_opts;

// `opts` may be NULL. Errors name file, line, column, key and rule.
ken_status ken_config_load(const ken_config_load_opts *opts, ken_config **out, ken_err *err)
    KEN_MUST_USE;
// The settings of one project: as `base` was loaded, with that project's .ken.yaml.
ken_status ken_config_load_project(const ken_config *base, const char *project_root,
                                   ken_config **out, ken_err *err) KEN_MUST_USE;
void ken_config_free(ken_config *c);

uint64_t ken_config_u64(const ken_config *c, ken_config_key key); // also sizes ("1MiB") in bytes
bool ken_config_bool(const ken_config *c, ken_config_key key);
ken_str ken_config_str(const ken_config *c, ken_config_key key);
// A list is comma-separated in the environment (commas within {a,b} aside), a sequence in YAML.
size_t ken_config_list(const ken_config *c, ken_config_key key, const ken_str **out);

// "indexing.jobs". An unknown one is KEN_EINVAL, with the nearest.
ken_status ken_config_find_key(const char *name, ken_config_key *out, ken_err *err) KEN_MUST_USE;
const char *ken_config_key_name(ken_config_key key);
const char *ken_config_key_text(ken_config_key key);
const char *ken_config_key_env(ken_config_key key); // comma-separated names
ken_config_type ken_config_key_type(ken_config_key key);

typedef struct ken_config_rule {
    const char *fallback; // the value without any setting, as a text
    uint64_t min, max;    // of COUNT and SIZE, inclusive
    const char *words;    // of WORD: the first of each group counts, "text|json=js"
    bool is_for_owner;    // a project's file may not set it
} ken_config_rule;

ken_config_rule ken_config_key_rule(ken_config_key key);
// "a whole number from 0 to 256"
ken_str ken_config_key_accepts(ken_config_key key, ken_arena *arena);
const char *ken_config_type_word(ken_config_type type);       // "count"
const char *ken_config_source_word(ken_config_source source); // "user_file"
ken_config_source ken_config_source_of(const ken_config *c, ken_config_key key);
// "default", "environment KEN_JOBS", "/home/u/.config/ken/config.yaml:12", …
ken_str ken_config_where(const ken_config *c, ken_config_key key);
// The value as text, for `ken config show`; "(set)" for a secret.
ken_str ken_config_format(const ken_config *c, ken_config_key key, ken_arena *arena);

// A setting that was given and has no effect, with why.
typedef struct ken_config_note {
    ken_str name;  // "database.host", "DATABASE_URL"
    ken_str value; // as text; "(set)" for a secret
    ken_str where;
    ken_str text;
} ken_config_note;

// Borrowed from `c`.
size_t ken_config_notes(const ken_config *c, const ken_config_note **out);

// ---- folders ----
// data.dir, else $XDG_DATA_HOME/ken, else ~/.local/share/ken. Absolute; not made.
ken_str ken_config_data_dir(const ken_config *c);
// log.file, absolute; empty = stderr. A relative one lies in the data folder.
ken_str ken_config_log_file(const ken_config *c);
// The user's settings file, whether it exists or not.
ken_str ken_config_user_file(const ken_config *c);
// The same whether settings can be loaded or not: KEN_ENOTFOUND without a home folder.
ken_status ken_config_find_user_file(ken_arena *arena, ken_str *out, ken_err *err) KEN_MUST_USE;
// The settings file of the project at `root`.
ken_str ken_config_project_path(ken_arena *arena, ken_str root);
// $XDG_CACHE_HOME/ken, else ~/.cache/ken.
ken_status ken_config_cache_dir(ken_arena *arena, ken_str *out, ken_err *err) KEN_MUST_USE;
// The person's home folder; empty when there is none.
ken_str ken_config_home(ken_arena *arena);

// ---- helpers that the surface shares ----
// The only reader of the environment. NULL when unset or empty.
const char *ken_config_env(const char *name);
// "1MiB", "512k", "10MB", "1048576"; KiB, MiB, GiB and K, M, G are powers of 1024.
bool ken_config_parse_size(ken_str text, uint64_t *out_bytes);
// The name nearest to `word` when it is near enough to be meant, else NULL.
const char *ken_config_nearest(ken_str word, const char *const *names, size_t n_names);

#endif
