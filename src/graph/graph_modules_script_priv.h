// SPDX-License-Identifier: MIT
// graph_modules_script_priv.h -- what the scripting languages share: files by stem and extensions,
// manifests in JSON, patterns with a star.
#ifndef KEN_GRAPH_GRAPH_MODULES_SCRIPT_PRIV_H
#define KEN_GRAPH_GRAPH_MODULES_SCRIPT_PRIV_H

#include "graph/graph_modules_priv.h"
#include "json/json.h"

// The file `path` + one of `endings` (up to a NULL), the first that is there; "" is the path as it
// is. MODULE_NONE when none is, or when `path` has no pointer.
uint32_t ken_modules__ending(const ken_modules *m, ken_str path, const char *const *endings);
// The same for `folder`/`path` in `dir` or a folder above it, the nearest first; `folders` are
// tried in order in each, up to a NULL; "" is the folder itself.
uint32_t ken_modules__above(ken_modules *m, ken_str dir, const char *const *folders, ken_str path,
                            const char *const *endings);
// True when the tree has files below that folder, in any depth.
bool ken_modules__has_below(ken_modules *m, ken_str folder);
// Folders that both paths lie in, counted from the root.
uint32_t ken_modules__shared(ken_str a, ken_str b);
// "FooBar" as "foo_bar", "HTTPServer" as "http_server": how Rails and Elixir name files.
// `separator` between names becomes '/'. In the scratch arena.
ken_str ken_modules__underscore(ken_modules *m, ken_str name, ken_str separator);
// `a` + `sep` + `b` in the scratch arena, or the one that is not empty.
ken_str ken_modules__concat(ken_modules *m, ken_str a, const char *sep, ken_str b);
// A path or URL without what follows '?' or '#'.
ken_str ken_modules__without_query(ken_str text);
// True for "https://x", "node:fs", "data:…": a scheme and a colon. Letters of drives are none.
bool ken_modules__has_scheme(ken_str text);
// For a state that is in the arena: the one of that language, made when it is asked for first.
void *ken_modules__state(ken_modules *m, uint32_t lang, size_t n_bytes, bool *out_is_new);

// A manifest as JSON, in which comments, commas before a closing bracket and a byte order mark are
// passed over. NULL when it is none; else the caller's to json_decref.
json_t *ken_modules__json(ken_modules *m, uint32_t file);
ken_str ken_modules__dup_text(ken_modules *m, const json_t *value); // of a string, in the arena

// ---- texts with one '*' ------------------------------------------------------------------------
typedef struct module_pattern {
    ken_str prefix, suffix;
    bool has_star;
    const ken_str *targets; // in order of preference; a '*' stands for what the star matched
    uint32_t n_targets;
} module_pattern;

typedef struct module_patterns {
    module_pattern *ptr;
    uint32_t n;
} module_patterns;

module_pattern ken_modules__pattern(ken_str text);
// The pattern that is the text itself, else the one with the longest prefix; NULL when none fits.
const module_pattern *ken_modules__match(const module_patterns *p, ken_str text, ken_str *out_star);
// The target with the first '*' replaced, in the scratch arena.
ken_str ken_modules__fill(ken_modules *m, ken_str target, ken_str star);

#endif
