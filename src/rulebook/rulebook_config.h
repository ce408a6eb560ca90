// SPDX-License-Identifier: MIT
// rulebook_config.h -- .rag/config.json, the file beside a project that says how its rules are
// asked.
//
// Keys that are not known are kept as they are. Nothing is kept open: the folder may vanish at any
// time, which reads as "absent" and fails a write with KEN_ENOTFOUND.
//
// Ownership: what is read lives in the arena passed; json_t are the caller's references. Threads:
// stateless. Errors: KEN_EINVAL names the file, line and column of what is not JSON, or the key.
#ifndef KEN_RULEBOOK_RULEBOOK_CONFIG_H
#define KEN_RULEBOOK_RULEBOOK_CONFIG_H

#include "json/json.h"
#include "rules/rules.h"

typedef struct ken_rulebook_config {
    bool has_folder;                     // .rag is there
    bool has_file;                       // .rag/config.json is there
    ken_str frontend_path, backend_path; // relative to the root; empty = none
    ken_str last_indexed_at;
    bool is_frontend_given, is_backend_given; // by a person; else found
    uint32_t default_results, max_results;
    ken_str_list include_extensions; // with their dots
    ken_str_list exclude_dirs;       // names of folders, anywhere
    bool has_default_extensions;     // then other languages of programs are meant, too
    uint32_t chunk_size;             // tokens that an example has at most
    uint32_t chunk_overlap;          // kept; definitions make the borders, so nothing overlaps
    ken_rules_weight *weights;       // the defaults unless the file says otherwise
    size_t n_weights;
} ken_rulebook_config;

// Absent folder or file: the defaults. KEN_EINVAL leaves the defaults in *out as well.
ken_status ken_rulebook_read_config(ken_str root, ken_arena *arena, ken_rulebook_config *out,
                                    ken_err *err) KEN_MUST_USE;

// Sets the members of `changes` in the file, which is made with all defaults when it is absent, in
// one step: it is never half written. The folder must be there.
ken_status ken_rulebook_write_config(ken_str root, const json_t *changes, ken_err *err)
    KEN_MUST_USE;

// "<root>/.rag/collections"
ken_str ken_rulebook_collections_path(ken_str root, ken_arena *arena);

#endif
