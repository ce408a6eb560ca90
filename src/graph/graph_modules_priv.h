// SPDX-License-Identifier: MIT
// graph_modules_priv.h -- what the languages share: the layout of the tree, manifests, answers.
//
// A language's rules are `resolve` and `around` of its driver (graph_driver_priv.h). What it needs of
// manifests it reads at its first question and keeps in `state[lang]`, in the arena of the modules.
#ifndef KEN_GRAPH_GRAPH_MODULES_PRIV_H
#define KEN_GRAPH_GRAPH_MODULES_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "graph/graph_modules.h"
#include "lang/lang.h"
#include "model/refs.h"

#define MODULE_NONE UINT32_MAX       // no file, no folder
#define MODULE_MANY (UINT32_MAX - 1) // several fit equally

// A folder with files of its own.
typedef struct module_folder {
    ken_str path;          // borrowed from the tree; empty = the root
    const uint32_t *files; // by path, without those of folders below
    uint32_t n_files;
    uint32_t next; // with the same hash of the last segment
} module_folder;

typedef struct module_range { // files [from, to)
    uint32_t from, to;
} module_range;

struct ken_modules {
    const ken_tree *tree; // borrowed, outlives us
    ken_arena arena;      // everything that stays
    ken_arena scratch;    // of one question

    // The layout (graph_modules_tree.c).
    module_folder *folders;
    uint32_t n_folders;
    uint32_t *folder_of;             // file -> folder
    uint32_t *self;                  // file -> itself: answers of one file point here
    uint32_t *by_stem, *next_stem;   // hash of a file's stem -> files
    uint32_t *by_last;               // hash of a folder's last segment -> folders
    uint32_t file_mask, folder_mask; // of the two hash tables
    ken_map *folder_ids;

    // Declared packages of each language, made when asked for.
    struct module_packages *packages[KEN_LANG_COUNT];
    void *state[KEN_LANG_COUNT]; // of the languages, in `arena`
    struct module_map *maps;     // all maps of the above

    ken_map known; // question -> index into answers
    KEN_VEC(ken_module) answers;
    size_t manifest_bytes; // read so far
};

// A map that lives as long as the modules.
ken_map *ken_modules__map(ken_modules *m);

// ---- the layout --------------------------------------------------------------------------------
void ken_modules__layout(ken_modules *m);

uint32_t ken_modules__file(const ken_modules *m, ken_str path); // or MODULE_NONE
uint32_t ken_modules__folder(const ken_modules *m, ken_str path);
ken_str ken_modules__dir(const ken_modules *m, uint32_t file); // the folder's path
// All files below a folder, in any depth.
module_range ken_modules__below(ken_modules *m, ken_str folder);
// Texts one behind the other, in the scratch arena, NUL-terminated.
ken_str ken_modules__cat(ken_modules *m, const ken_str *parts, size_t n_parts);
// `dir`/`path`, normalised, in the scratch arena; ptr NULL when it leaves the tree. An absolute
// path does.
ken_str ken_modules__join(ken_modules *m, ken_str dir, ken_str path);
// Whether both paths, of files or folders, are of one root of the project. What a path leads to from a
// folder is never in another root, wherever that lies: the names of roots are no folders.
bool ken_modules__share_root(const ken_modules *m, ken_str a, ken_str b);
// A path of the tree, normalised.
ken_str ken_modules__clean(ken_modules *m, ken_str path);
// The file `dir`/`path`.
uint32_t ken_modules__at(ken_modules *m, ken_str dir, ken_str path);
// Calls `visit` (may be NULL) for every file of that base name, by path; how many there are.
typedef void module_visit(ken_modules *m, void *ctx, uint32_t id);
size_t ken_modules__each(ken_modules *m, ken_str base, module_visit *visit, void *ctx);

// The file whose path ends with the segments of `tail` and is nearest to `from`: it shares the
// longest chain of folders. MODULE_MANY when two are equally near. With a language the tail is
// without extension, and the file of that language; with KEN_LANG_COUNT it is the end of the path.
uint32_t ken_modules__nearest(ken_modules *m, uint32_t from, ken_str tail, uint32_t lang);
// The same for folders.
uint32_t ken_modules__nearest_folder(ken_modules *m, uint32_t from, ken_str tail);

// Calls `visit` (may be NULL) for every folder whose path ends so; how many files they hold.
uint32_t ken_modules__each_folder(ken_modules *m, ken_str tail, module_visit *visit, void *ctx);
// True when the last segments of the path are those of `tail`.
bool ken_modules__path_ends(ken_str path, ken_str tail);
// Folders that two paths, of files or folders, share from the root on.
uint32_t ken_modules__shared_folders(ken_str a, ken_str b);

// The files of a language that declare that package; n = 0 when none. A family is
// one.
const uint32_t *ken_modules__package(ken_modules *m, uint32_t lang, ken_str package,
                                     uint32_t *out_n);

// ---- manifests ---------------------------------------------------------------------------------
// The text of a file, in the arena. Empty when it is too large, or when too much was read.
ken_str ken_modules__read(ken_modules *m, uint32_t file);
// The same for a look at a source: in the scratch arena.
ken_str ken_modules__peek(ken_modules *m, uint32_t file);

// ---- answers -----------------------------------------------------------------------------------
void ken_modules__one(ken_modules *m, ken_module *out, uint32_t file, const char *why);
void ken_modules__many(ken_module *out, const uint32_t *files, uint32_t n, const char *why);
void ken_modules__external(ken_module *out, const char *why);
void ken_modules__unknown(ken_module *out, const char *why);
// What `nearest` found: a guess, or unknown.
void ken_modules__guess(ken_modules *m, ken_module *out, uint32_t file, const char *why);
// Module and name of a question with a dot between, in the scratch arena.
ken_str ken_modules__dotted(ken_modules *m, const ken_module_ask *ask);
// Parts of a dotted text and the like joined as a path, in the scratch arena.
ken_str ken_modules__slashes(ken_modules *m, ken_str text, ken_str separator);

// ---- drivers -----------------------------------------------------------------------------------
typedef void module_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out);

#endif
