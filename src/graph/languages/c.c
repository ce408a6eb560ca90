// SPDX-License-Identifier: MIT
// C and C++: what `#include "x.h"` and `<x.h>` name.
//
// In this order: beside the file (quotes only); an include directory that compile_commands.json,
// a CMakeLists.txt or a Makefile names; a folder above the file, its include/ or its src/; and, for
// quotes only, the one nearest path that ends so. Instead of trying every directory, files of that
// name are looked at: what stands before the included text in their path must be such a directory.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "manifest/manifest_text.h"

enum {
    DIRS_MAX = 4096,       // include directories that are kept
    PATH_BYTES_MAX = 4096, // of a path in a compilation database
};

// ---- include directories -----------------------------------------------------------------------
typedef struct c_state {
    ken_map *dirs;     // path of an include directory -> 1
    ken_map *projects; // path of a CMakeLists.txt's folder -> 1 when it has a project()
} c_state;

// A manifest that is being read.
typedef struct c_manifest {
    c_state *state;
    ken_str dir;      // where it lies
    ken_str root;     // absolute path of the tree, as a compilation database tells it; or empty
    ken_str from;     // absolute directory of the current command
    ken_str project;  // CMake: folder of the project around
    ken_str topmost;  // CMake: folder of the outermost project
    bool is_expected; // the last word was -I alone
} c_manifest;

static void add_dir(ken_modules *m, c_state *s, ken_str dir, ken_str path)
{
    ken_str whole = ken_modules__join(m, dir, path);
    if (!whole.ptr || s->dirs->len >= DIRS_MAX)
        return;
    module_range below = ken_modules__below(m, whole);
    if (below.from < below.to)
        ken_map_put(s->dirs, whole, 1, NULL);
}

// An absolute path becomes one of the tree, or is dropped.
static void add_flag_dir(ken_modules *m, c_manifest *at, ken_str path)
{
    if (!path.len)
        return;
    if (path.ptr[0] != '/' && !at->from.len) {
        add_dir(m, at->state, at->dir, path);
        return;
    }
    ken_str whole = ken_path_normalise(&m->scratch, ken_path_join(&m->scratch, at->from, path));
    ken_str inside =
        whole.ptr && at->root.len ? ken_path_relative(at->root, whole) : (ken_str){ 0 };
    if (inside.ptr)
        add_dir(m, at->state, KEN_STR(""), inside);
}

// One word of a compiler's command line.
static void take_flag(ken_modules *m, c_manifest *at, ken_str word)
{
    static const char *const flags[] = { "-I", "-isystem", "-iquote", "-idirafter" };
    if (at->is_expected) {
        at->is_expected = false;
        add_flag_dir(m, at, word);
        return;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        ken_str flag = ken_str_c(flags[i]);
        if (!ken_str_starts(word, flag))
            continue;
        at->is_expected = word.len == flag.len;
        add_flag_dir(m, at, ken_str_sub(word, flag.len, word.len));
        return;
    }
}

static void take_flags(ken_modules *m, c_manifest *at, ken_str line)
{
    ken_str word;
    at->is_expected = false;
    while (ken_manifest_word_next(&line, "\"'\\", &word))
        take_flag(m, at, word);
    at->is_expected = false;
}

// ---- compile_commands.json ---------------------------------------------------------------------
// The next JSON string with its escapes; false at the end.
static bool json_text_next(ken_str *rest, ken_str *out)
{
    size_t open = ken_str_find_char(*rest, '"');
    if (open == SIZE_MAX)
        return false;
    size_t i = open + 1;
    for (; i < rest->len && rest->ptr[i] != '"'; i++)
        i += rest->ptr[i] == '\\';
    *out = ken_str_sub(*rest, open + 1, i);
    *rest = ken_str_sub(*rest, i + 1, rest->len);
    return true;
}

static bool is_key(ken_str rest)
{
    ken_str t = ken_str_trim(ken_str_sub(rest, 0, 16));
    return t.len && t.ptr[0] == ':';
}

// The database names files by absolute paths; what stands before the path of a file of the tree is
// where the tree was.
static void find_root(ken_modules *m, c_manifest *at, ken_str file)
{
    if (at->root.len || !file.len || file.ptr[0] != '/' || file.len > PATH_BYTES_MAX)
        return;
    ken_str rest = ken_str_sub(file, 1, file.len), part;
    while (ken_modules__file(m, rest) == MODULE_NONE)
        if (!ken_str_split_next(&rest, '/', &part) || !rest.len)
            return;
    size_t n = file.len - rest.len;
    at->root = ken_str_sub(file, 0, n > 1 ? n - 1 : n);
}

static void scan_commands(ken_modules *m, c_manifest *at, ken_str text, bool is_first)
{
    ken_str key = KEN_STR(""), value;
    while (json_text_next(&text, &value)) {
        if (is_key(text)) {
            key = value;
            at->is_expected = false;
        } else if (is_first) {
            if (ken_str_eq_c(key, "file"))
                find_root(m, at, value);
        } else if (ken_str_eq_c(key, "directory")) {
            at->from = value;
        } else if (ken_str_eq_c(key, "command")) {
            take_flags(m, at, value);
        } else if (ken_str_eq_c(key, "arguments")) {
            take_flag(m, at, value);
        }
    }
}

static void read_commands(ken_modules *m, void *ctx, uint32_t file)
{
    c_manifest at = { .state = ctx, .dir = ken_modules__dir(m, file) };
    ken_str text = ken_modules__read(m, file);
    scan_commands(m, &at, text, true);
    scan_commands(m, &at, text, false);
}

// ---- CMakeLists.txt ----------------------------------------------------------------------------
// `word` with the variables that stand for folders of the source, which are all that is known.
static void add_cmake_dir(ken_modules *m, const c_manifest *at, ken_str word)
{
    static const struct {
        const char *name;
        int which; // 0 here, 1 the project, 2 the outermost
    } vars[] = {
        { "${CMAKE_CURRENT_SOURCE_DIR}", 0 },
        { "${CMAKE_CURRENT_LIST_DIR}", 0 },
        { "${PROJECT_SOURCE_DIR}", 1 },
        { "${CMAKE_SOURCE_DIR}", 2 },
    };
    ken_str base = at->dir;
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++) {
        if (!ken_str_starts(word, ken_str_c(vars[i].name)))
            continue;
        base = vars[i].which == 0 ? at->dir : vars[i].which == 1 ? at->project : at->topmost;
        word = ken_str_sub(word, strlen(vars[i].name), word.len);
        word = ken_str_starts(word, KEN_STR("/")) ? ken_str_sub(word, 1, word.len) : word;
        break;
    }
    size_t other = ken_str_find_char(word, '$');
    if (other == 0 && ken_str_ends(word, KEN_STR("_SOURCE_DIR}"))) // ${<project>_SOURCE_DIR}
        add_dir(m, at->state, at->project, KEN_STR(""));
    else if (other == 0 && ken_manifest_behind(word, "_SOURCE_DIR}/").ptr)
        add_dir(m, at->state, at->project, ken_manifest_behind(word, "_SOURCE_DIR}/"));
    else if (other == SIZE_MAX)
        add_dir(m, at->state, base, word);
}

static bool is_cmake_keyword(ken_str word)
{
    static const char *const words[] = { "PUBLIC", "PRIVATE", "INTERFACE",
                                         "SYSTEM", "BEFORE",  "AFTER" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(word, words[i]))
            return true;
    return false;
}

// The arguments of one include_directories or target_include_directories.
static void take_cmake_args(ken_modules *m, const c_manifest *at, ken_str args, bool has_target)
{
    ken_str word;
    if (has_target)
        (void)ken_manifest_word_next(&args, "\"", &word);
    while (ken_manifest_word_next(&args, "\";", &word)) {
        ken_str build = ken_manifest_behind(word, "$<BUILD_INTERFACE:");
        if (build.ptr)
            word = ken_str_sub(build, 0, build.len - ken_str_ends(build, KEN_STR(">")));
        if (!is_cmake_keyword(word) && !ken_str_starts(word, KEN_STR("$<")))
            add_cmake_dir(m, at, word);
    }
}

static bool has_project(ken_modules *m, const c_state *s, uint32_t file)
{
    bool is_new;
    uint64_t *known = ken_map_put(s->projects, ken_modules__dir(m, file), 0, &is_new);
    if (is_new) {
        ken_str text = ken_modules__read(m, file);
        *known =
            ken_manifest_behind(text, "project(").ptr || ken_manifest_behind(text, "project (").ptr;
    }
    return *known != 0;
}

// CMake's PROJECT_SOURCE_DIR and CMAKE_SOURCE_DIR of a file in `dir`.
static void find_projects(ken_modules *m, c_manifest *at)
{
    bool is_found = false;
    at->project = at->topmost = at->dir;
    for (ken_str dir = at->dir;; dir = ken_path_dir(dir)) {
        uint32_t file = ken_modules__at(m, dir, KEN_STR("CMakeLists.txt"));
        if (file != MODULE_NONE) {
            at->topmost = dir;
            if (!is_found && has_project(m, at->state, file)) {
                at->project = dir;
                is_found = true;
            }
        }
        if (!dir.len)
            return;
    }
}

static void read_cmake(ken_modules *m, void *ctx, uint32_t file)
{
    c_manifest at = { .state = ctx, .dir = ken_modules__dir(m, file) };
    ken_str text = ken_modules__read(m, file);
    bool has_projects = false;
    for (;;) {
        size_t found = ken_str_find(text, KEN_STR("include_directories"));
        if (found == SIZE_MAX)
            return;
        bool has_target = ken_str_ends(ken_str_sub(text, 0, found), KEN_STR("target_"));
        text = ken_str_sub(text, found + strlen("include_directories"), text.len);
        size_t open = ken_str_find_char(text, '('), close = ken_str_find_char(text, ')');
        if (open == SIZE_MAX || close == SIZE_MAX || open > close)
            continue;
        if (!has_projects)
            find_projects(m, &at);
        has_projects = true;
        take_cmake_args(m, &at, ken_str_sub(text, open + 1, close), has_target);
    }
}

// ---- Makefiles ---------------------------------------------------------------------------------
static void read_make(ken_modules *m, void *ctx, uint32_t file)
{
    c_manifest at = { .state = ctx, .dir = ken_modules__dir(m, file) };
    ken_str text = ken_modules__read(m, file), line;
    while (ken_str_line_next(&text, &line))
        if (ken_str_find(line, KEN_STR("-I")) != SIZE_MAX)
            take_flags(m, &at, line);
}

static c_state *state_of(ken_modules *m)
{
    static const char *const make[] = { "Makefile", "makefile", "GNUmakefile", "Makefile.am" };
    c_state *s = m->state[KEN_LANG_C];
    if (s)
        return s;
    s = m->state[KEN_LANG_C] = KEN_ARENA_NEW(&m->arena, c_state);
    s->dirs = ken_modules__map(m);
    s->projects = ken_modules__map(m);
    ken_modules__each(m, KEN_STR("compile_commands.json"), read_commands, s);
    ken_modules__each(m, KEN_STR("CMakeLists.txt"), read_cmake, s);
    for (size_t i = 0; i < sizeof make / sizeof *make; i++)
        ken_modules__each(m, ken_str_c(make[i]), read_make, s);
    return s;
}

// ---- includes ----------------------------------------------------------------------------------
typedef enum c_tier {
    C_TIER_NONE = 0,
    C_TIER_END,        // the path ends so
    C_TIER_CONVENTION, // a folder above the file, its include/ or src/
    C_TIER_DIR,        // an include directory that a manifest names
} c_tier;

// Headers of the C standard, which a file of the tree hides only when it is named by a rule.
static bool is_standard(ken_str text)
{
    static const char *const names[] = {
        "assert.h",   "complex.h", "ctype.h",  "errno.h",       "fenv.h",     "float.h",
        "inttypes.h", "iso646.h",  "limits.h", "locale.h",      "math.h",     "setjmp.h",
        "signal.h",   "stdarg.h",  "stdint.h", "stdatomic.h",   "stdbool.h",  "stddef.h",
        "stdio.h",    "stdlib.h",  "string.h", "stdnoreturn.h", "stdalign.h", "tgmath.h",
        "threads.h",  "time.h",    "uchar.h",  "wchar.h",       "wctype.h",   "unistd.h",
        "pthread.h",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(text, names[i]))
            return true;
    return ken_str_starts(text, KEN_STR("sys/")) || ken_str_find_char(text, '.') == SIZE_MAX;
}

// How `dir`, in which the text is a file, is known to one who includes from `here`.
static c_tier tier_of(const c_state *s, ken_str dir, ken_str here)
{
    if (ken_map_find(s->dirs, dir))
        return C_TIER_DIR;
    ken_str last = ken_path_base(dir);
    bool is_root = ken_str_eq_c(last, "include") || ken_str_eq_c(last, "src");
    ken_str above = is_root ? ken_path_dir(dir) : dir;
    return !above.len || ken_path_is_under(above, here) ? C_TIER_CONVENTION : C_TIER_END;
}

typedef struct c_search {
    const c_state *state;
    uint32_t from;
    ken_str tail, here;
    c_tier best;
    uint32_t file, n_shared;
} c_search;

static void consider(ken_modules *m, void *ctx, uint32_t file)
{
    c_search *s = ctx;
    ken_str path = m->tree->paths[file], dir = KEN_STR("");
    if (file == s->from || !ken_modules__path_ends(path, s->tail))
        return;
    if (path.len > s->tail.len)
        dir = ken_str_sub(path, 0, path.len - s->tail.len - 1);
    c_tier tier = tier_of(s->state, dir, s->here);
    uint32_t n_shared = ken_modules__shared_folders(m->tree->paths[s->from], path);
    if (tier > s->best || (tier == s->best && n_shared > s->n_shared)) {
        s->best = tier;
        s->file = file;
        s->n_shared = n_shared;
    } else if (tier == s->best && n_shared == s->n_shared) {
        s->file = MODULE_MANY;
    }
}

static void answer_of(ken_modules *m, const c_search *s, bool is_system, ken_module *out)
{
    bool is_std = is_standard(s->tail);
    c_tier least = is_std ? C_TIER_DIR : is_system ? C_TIER_CONVENTION : C_TIER_END;
    if (s->best < least && (is_system || is_std)) {
        ken_modules__external(out, "in no include directory of the tree");
        out->is_guess = s->best == C_TIER_END && !is_std;
    } else if (s->best == C_TIER_NONE) {
        ken_modules__unknown(out, "no file of that name");
    } else if (s->file == MODULE_MANY) {
        ken_modules__unknown(out, "several files fit equally well");
    } else if (s->best == C_TIER_END) {
        ken_modules__guess(m, out, s->file, "the nearest path that ends so");
    } else {
        ken_modules__one(m, out, s->file,
                         s->best == C_TIER_DIR ? "an include directory of the build"
                                               : "a folder above, its include/ or src/");
    }
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str text = ask->module, here = ken_modules__dir(m, ask->file);
    bool is_system = (ask->flags & KEN_BIND_SYSTEM) != 0 || ken_str_starts(text, KEN_STR("<"));
    if (ken_str_starts(text, KEN_STR("<")) && ken_str_ends(text, KEN_STR(">")))
        text = ken_str_sub(text, 1, text.len - 1);
    uint32_t beside = is_system ? MODULE_NONE : ken_modules__at(m, here, text);
    if (beside != MODULE_NONE) {
        ken_modules__one(m, out, beside, "beside the file");
        return;
    }
    // `../x.h` of an include directory is found by its end, as all else.
    while (ken_str_starts(text, KEN_STR("../")) || ken_str_starts(text, KEN_STR("./")))
        text = ken_str_sub(text, ken_str_find_char(text, '/') + 1, text.len);
    c_search s = { .state = state_of(m), .from = ask->file, .here = here };
    s.tail = ken_modules__join(m, KEN_STR(""), text);
    if (!s.tail.len) {
        ken_modules__external(out, "outside the tree");
        return;
    }
    ken_modules__each(m, ken_path_base(s.tail), consider, &s);
    answer_of(m, &s, is_system, out);
    out->is_guess |= out->kind == KEN_MODULE_FILES && text.ptr != ask->module.ptr && !is_system;
}

const graph_driver ken_graph__driver_c = {
    .resolve = resolve,
};
