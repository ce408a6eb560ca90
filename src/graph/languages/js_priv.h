// SPDX-License-Identifier: MIT
// js_priv.h -- JavaScript's and TypeScript's modules in three parts: files and specifiers (js.c),
// tsconfig.json (js_config.c), package.json and workspaces (js_package.c); elements of JSX (jsx.c);
// and what pages have of it (web.c).
#ifndef KEN_GRAPH_LANGUAGES_JS_PRIV_H
#define KEN_GRAPH_LANGUAGES_JS_PRIV_H

#include "graph/graph_driver_priv.h"
#include "graph/graph_modules_script_priv.h"

// What tsconfig.json or jsconfig.json says about names. Paths begin at the root of the tree.
typedef struct js_config {
    ken_str base; // baseUrl
    bool has_base;
    module_patterns paths;
} js_config;

typedef struct js_package {
    ken_str dir, text; // of its package.json
    ken_str name;
    bool is_member;         // of a workspace
    bool is_read;           // what follows is known
    const ken_str *entries; // what the package itself names: source, main, module, types, …
    uint32_t n_entries;
    module_patterns exports; // "." and "./sub"; targets as written
    module_patterns imports; // "#name"
    bool has_exports;
    ken_str *local; // names of dependencies that are folders or of the workspace
    uint32_t n_local;
} js_package;

typedef struct js_state {
    const js_config **config_of; // folder -> its config, NULL = not asked yet
    ken_map *raws;               // path of a config -> what it says itself; NULL = none was read
    js_package *packages;        // by name, then by folder
    uint32_t n_packages;
    js_package **package_in; // folder -> the package whose manifest is there; NULL = not loaded
} js_state;

js_state *ken_modules__js_state(ken_modules *m);
// The nearest configuration of a folder; an empty one when there is none.
const js_config *ken_modules__js_config(ken_modules *m, ken_str dir);
// The package that a folder belongs to, or NULL.
js_package *ken_modules__js_package_of(ken_modules *m, ken_str dir);
// The package of that name which a file in `dir` would get; NULL when none of the tree.
js_package *ken_modules__js_package(ken_modules *m, ken_str dir, ken_str name);
void ken_modules__js_package_read(ken_modules *m, js_package *p);
// The file for a place inside a package: "." or "./sub". `*out_is_guess` when no rule named it.
uint32_t ken_modules__js_inside(ken_modules *m, js_package *p, ken_str place, bool *out_is_guess);
// The file for what a "#name" of the package stands for.
uint32_t ken_modules__js_private(ken_modules *m, js_package *p, ken_str name);
// "@scope/name/sub" into "@scope/name" and "./sub" (scratch), or ".".
void ken_modules__js_split(ken_modules *m, ken_str text, ken_str *out_name, ken_str *out_place);

// The source file that `path` names: itself, with an extension, or a folder's index.
uint32_t ken_modules__js_file(ken_modules *m, ken_str path);

module_resolve ken_graph__js_resolve;
extern const char ken_graph__js_builtins[]; // ECMAScript's global object
extern const graph_holders ken_graph__js_holders;
// Elements of JSX that are no components.
const graph_value *ken_graph__jsx_element(ken_graph *g, graph_unit *u, ken_str name);

#endif
