// SPDX-License-Identifier: MIT
// config.h -- settings: every value, and where it came from.
//
// Flags > environment > <project>/.ken.yaml > $XDG_CONFIG_HOME/ken/config.yaml > defaults. Every key
// is one row of config_keys.h: name, type, default, range, environment name, text. Unknown keys are an
// error that names the nearest known one.
//
// Ownership: a ken_config owns its texts. Threads: immutable once loaded, so shared freely.
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
#define X(id, name, type, def, min, max, env, text) KEN_CFG_##id,
    KEN_CONFIG_KEYS(X)
#undef X
        KEN_CFG_COUNT
} ken_config_key;

typedef enum ken_config_source {
    KEN_CONFIG_DEFAULT = 0,
    KEN_CONFIG_USER_FILE,
    KEN_CONFIG_PROJECT_FILE,
    KEN_CONFIG_ENV,
    KEN_CONFIG_FLAG,
} ken_config_source;

typedef struct ken_config ken_config;

typedef struct ken_config_flag {
    const char *name; // key name, "indexing.max_file_size"
    const char *value;
} ken_config_flag;

typedef struct ken_config_load_opts {
    const char *project_root; // folder whose .ken.yaml counts; NULL = none
    const ken_config_flag *flags;
    size_t n_flags;
} ken_config_load_opts;

// Errors name file, line, column, key and rule.
ken_status ken_config_load(const ken_config_load_opts *opts, ken_config **out,
                           ken_err *err) KEN_MUST_USE;
void ken_config_free(ken_config *c);

uint64_t ken_config_u64(const ken_config *c, ken_config_key key);  // also sizes ("1MiB") in bytes
bool ken_config_bool(const ken_config *c, ken_config_key key);
ken_str ken_config_str(const ken_config *c, ken_config_key key);
// A list is comma-separated in the environment, a sequence in YAML.
size_t ken_config_list(const ken_config *c, ken_config_key key, const ken_str **out);

const char *ken_config_key_name(ken_config_key key);
const char *ken_config_key_text(ken_config_key key);
ken_config_source ken_config_source_of(const ken_config *c, ken_config_key key);
// "default", "environment KEN_JOBS", "/home/u/.config/ken/config.yaml:12", …
ken_str ken_config_where(const ken_config *c, ken_config_key key);
// The value as text, for `ken config show`.
ken_str ken_config_format(const ken_config *c, ken_config_key key, ken_arena *arena);

// Folders: $KEN_DATA_DIR, else $XDG_DATA_HOME/ken, else ~/.local/share/ken.
ken_str ken_config_data_dir(const ken_config *c);

#endif
