// SPDX-License-Identifier: MIT
// Java, Kotlin and Scala: an import is a package and a name in it, and the three share packages.
//
// What a file declares is the truth, but asking every file of a large tree is dear. So a sample
// says whether folders follow packages; where they do, the files of `com.foo` are those of the
// folders that end with com/foo, one file of each asked. Elsewhere all files are asked, once.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "graph/languages/java_priv.h"

enum {
    SAMPLE = 128,
};

typedef struct jvm_package {
    const uint32_t *files;
    uint32_t n_files;
    bool is_guess; // folders only, no file said its package
} jvm_package;

typedef struct jvm_state {
    ken_map *packages; // name -> index into known, when folders follow packages
    jvm_package *known;
    uint32_t n_known, cap_known;
    bool has_sample, is_regular;
} jvm_state;

static bool is_of_family(const ken_modules *m, uint32_t file)
{
    return ken_lang_at(m->tree->langs[file])->family == KEN_LANG_JAVA;
}

static ken_str package_of(const ken_modules *m, uint32_t file)
{
    return m->tree->package ? m->tree->package(m->tree->ctx, file) : KEN_STR("");
}

// ---- packages ----------------------------------------------------------------------------------
static bool follows_folder(ken_modules *m, uint32_t file)
{
    ken_str package = package_of(m, file);
    return !package.len || ken_modules__path_ends(ken_modules__dir(m, file),
                                                  ken_modules__slashes(m, package, KEN_STR(".")));
}

static bool is_regular(ken_modules *m)
{
    uint32_t n = 0, n_other = 0;
    for (uint32_t i = 0; i < m->tree->n_files; i++)
        n += is_of_family(m, i);
    uint32_t step = n / SAMPLE + 1, at = 0;
    for (uint32_t i = 0; i < m->tree->n_files; i++) {
        if (!is_of_family(m, i) || at++ % step)
            continue;
        n_other += !follows_folder(m, i);
    }
    return !n_other;
}

static jvm_state *state_of(ken_modules *m)
{
    jvm_state *s = m->state[KEN_LANG_JAVA];
    if (s)
        return s;
    s = m->state[KEN_LANG_JAVA] = KEN_ARENA_NEW(&m->arena, jvm_state);
    s->packages = ken_modules__map(m);
    return s;
}

// True when the folder holds the package: its first file says so, or says nothing.
static bool holds(const ken_modules *m, const module_folder *f, ken_str package, bool *out_is_said)
{
    for (uint32_t i = 0; i < f->n_files; i++) {
        if (!is_of_family(m, f->files[i]))
            continue;
        ken_str said = package_of(m, f->files[i]);
        *out_is_said = said.len > 0;
        return ken_str_eq(said, package) ||
               (!said.len && ken_str_find_char(package, '.') != SIZE_MAX);
    }
    return false;
}

typedef struct jvm_gather {
    ken_str package;
    uint32_t *files;
    uint32_t n_files;
    bool is_said;
} jvm_gather;

static void gather(ken_modules *m, void *ctx, uint32_t folder)
{
    jvm_gather *g = ctx;
    const module_folder *f = &m->folders[folder];
    bool is_said = false;
    if (!holds(m, f, g->package, &is_said))
        return;
    g->is_said |= is_said;
    for (uint32_t i = 0; i < f->n_files; i++)
        if (is_of_family(m, f->files[i]))
            g->files[g->n_files++] = f->files[i];
}

// Files of a package by its folders.
static jvm_package by_folders(ken_modules *m, ken_str package)
{
    ken_arena_mark mark = ken_arena_get_mark(&m->scratch);
    ken_str tail = ken_modules__slashes(m, package, KEN_STR("."));
    jvm_gather g = { .package = package };
    uint32_t n = ken_modules__each_folder(m, tail, NULL, NULL);
    if (n) {
        g.files = KEN_ARENA_ARRAY(&m->scratch, uint32_t, n);
        ken_modules__each_folder(m, tail, gather, &g);
    }
    jvm_package p = { .n_files = g.n_files, .is_guess = !g.is_said };
    uint32_t *files = ken_arena_copy(&m->arena, g.files, g.n_files, sizeof *files);
    p.files = files;
    ken_arena_rewind(&m->scratch, mark);
    return p;
}

static void remember(ken_modules *m, jvm_state *s, jvm_package p)
{
    if (s->n_known == s->cap_known) {
        s->cap_known = s->cap_known ? s->cap_known * 2 : 64;
        jvm_package *more = KEN_ARENA_ARRAY(&m->arena, jvm_package, s->cap_known);
        if (s->n_known)
            memcpy(more, s->known, s->n_known * sizeof *more);
        s->known = more;
    }
    s->known[s->n_known++] = p;
}

static jvm_package files_of(ken_modules *m, jvm_state *s, ken_str package)
{
    jvm_package p = { 0 };
    if (!s->has_sample)
        s->is_regular = is_regular(m);
    s->has_sample = true;
    if (!s->is_regular) {
        p.files = ken_modules__package(m, KEN_LANG_JAVA, package, &p.n_files);
        return p;
    }
    bool is_new;
    uint64_t at = *ken_map_put(s->packages, package, s->n_known, &is_new);
    if (is_new)
        remember(m, s, by_folders(m, package));
    return s->known[at];
}

// ---- classes -----------------------------------------------------------------------------------
typedef struct jvm_class {
    ken_str package, tail; // com.foo, com/foo/Bar.kt
    uint32_t *files;       // NULL: only count
    uint32_t n_files;
    bool is_said; // by a file
} jvm_class;

// True when the file may be of the package; Scala says `package a` and `package b` in two lines.
static bool fits(ken_str said, ken_str package)
{
    if (!said.len)
        return ken_str_find_char(package, '.') != SIZE_MAX;
    return ken_str_starts(package, said) &&
           (said.len == package.len || package.ptr[said.len] == '.');
}

static void add_class(ken_modules *m, void *ctx, uint32_t file)
{
    jvm_class *c = ctx;
    if (!ken_modules__path_ends(m->tree->paths[file], c->tail))
        return;
    ken_str said = package_of(m, file);
    if (!fits(said, c->package))
        return;
    if (c->files)
        c->files[c->n_files] = file;
    c->n_files++;
    c->is_said |= said.len > 0;
}

static void each_class(ken_modules *m, jvm_class *c, ken_str path)
{
    static const char *const extensions[] = { "java", "kt", "scala" };
    c->n_files = 0;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        c->tail =
            ken_arena_printf(&m->scratch, KEN_STR_FMT ".%s", KEN_STR_ARG(path), extensions[i]);
        ken_modules__each(m, ken_path_base(c->tail), add_class, c);
    }
}

// Where the first part in capitals begins, SIZE_MAX when there is none behind a package.
static size_t class_start(ken_str text)
{
    for (size_t i = 1; i + 1 < text.len; i++)
        if (text.ptr[i] == '.' && ken_is_upper(text.ptr[i + 1]))
            return i + 1;
    return SIZE_MAX;
}

// The files that are named after the class, in folders named after its package.
static bool take_class(ken_modules *m, ken_str text, ken_module *out)
{
    size_t start = class_start(text);
    if (start == SIZE_MAX)
        return false;
    ken_str rest = ken_str_sub(text, start, text.len);
    ken_str class = ken_str_sub(rest, 0, ken_str_find_char(rest, '.'));
    ken_str path = ken_modules__slashes(m, ken_str_sub(text, 0, start + class.len), KEN_STR("."));
    jvm_class c = { .package = ken_str_sub(text, 0, start - 1) };
    each_class(m, &c, path);
    if (!c.n_files)
        return false;
    c.files = KEN_ARENA_ARRAY(&m->arena, uint32_t, c.n_files);
    each_class(m, &c, path);
    ken_modules__many(out, c.files, c.n_files, "the file of a class");
    out->is_guess = !c.is_said;
    out->rest = rest;
    return true;
}

// ---- imports -----------------------------------------------------------------------------------
// A class is in the file of its name, where there is one; beside it may be one for each platform.
static void narrow(ken_modules *m, ken_module *out)
{
    ken_str name = ken_str_sub(out->rest, 0, ken_str_find_char(out->rest, '.'));
    if (!name.len || !ken_is_upper(name.ptr[0]))
        return;
    uint32_t *files = KEN_ARENA_ARRAY(&m->scratch, uint32_t, out->n_files), n = 0;
    for (uint32_t i = 0; i < out->n_files; i++)
        if (ken_str_eq(ken_path_stem(m->tree->paths[out->files[i]]), name))
            files[n++] = out->files[i];
    if (n == 1) {
        out->files = &m->self[files[0]];
    } else if (n) {
        uint32_t *kept = ken_arena_copy(&m->arena, files, n, sizeof *kept);
        out->files = kept;
    }
    out->n_files = n ? n : out->n_files;
}

// `gen.Made` behind a package is a package of its own that no file declares.
static bool is_package_below(ken_str rest)
{
    return ken_str_find_char(rest, '.') != SIZE_MAX && !ken_is_upper(rest.ptr[0]);
}

// The longest front of the text that is a package; false when none is.
static bool take_package(ken_modules *m, jvm_state *s, ken_str text, ken_module *out)
{
    for (size_t end = text.len; end;) {
        jvm_package p = files_of(m, s, ken_str_sub(text, 0, end));
        if (p.n_files && is_package_below(ken_str_sub(text, end + 1, text.len)))
            return false;
        if (p.n_files) {
            ken_modules__many(out, p.files, p.n_files, "the files of a package");
            out->is_guess = p.is_guess;
            out->rest = ken_str_sub(text, end + 1, text.len);
            narrow(m, out);
            return true;
        }
        size_t dot = ken_str_rfind_char(ken_str_sub(text, 0, end), '.');
        end = dot == SIZE_MAX ? 0 : dot;
    }
    return false;
}

// Scala's imports begin in any of the packages around.
static bool take_relative(ken_modules *m, jvm_state *s, ken_str package, ken_str text,
                          ken_module *out)
{
    while (package.len) {
        ken_str whole = ken_arena_printf(&m->scratch, KEN_STR_FMT "." KEN_STR_FMT,
                                         KEN_STR_ARG(package), KEN_STR_ARG(text));
        ken_str first = ken_str_sub(text, 0, ken_str_find_char(text, '.'));
        ken_str start = ken_str_sub(whole, 0, package.len + 1 + first.len);
        if (files_of(m, s, start).n_files && take_package(m, s, whole, out))
            return true;
        size_t dot = ken_str_rfind_char(package, '.');
        package = ken_str_sub(package, 0, dot == SIZE_MAX ? 0 : dot);
    }
    return false;
}

static ken_str first_parts(ken_str text, int n)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '.' && !--n)
            return ken_str_sub(text, 0, i);
    return text;
}

void ken_graph__java_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    jvm_state *s = state_of(m);
    ken_str text = ken_modules__dotted(m, ask), own = package_of(m, ask->file);
    while (ken_str_ends(text, KEN_STR(".*")) || ken_str_ends(text, KEN_STR("._")))
        text.len -= 2;
    if (m->tree->langs[ask->file] == KEN_LANG_SCALA) {
        bool is_from_root = ken_str_starts(text, KEN_STR("_root_."));
        text = is_from_root ? ken_str_sub(text, strlen("_root_."), text.len) : text;
        if (!is_from_root && take_relative(m, s, own, text, out))
            return;
    }
    if (take_class(m, text, out) || take_package(m, s, text, out))
        return;
    if (own.len && ken_str_eq(first_parts(text, 2), first_parts(own, 2)))
        ken_modules__unknown(out, "no file declares that package");
    else
        ken_modules__external(out, "a package that is not in the tree");
}

void ken_graph__java_around(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str own = package_of(m, ask->file);
    jvm_package p = own.len ? files_of(m, state_of(m), own) : (jvm_package){ 0 };
    for (uint32_t i = 0; i < p.n_files; i++) {
        if (p.files[i] != ask->file)
            continue;
        ken_modules__many(out, p.files, p.n_files, "the files of its package");
        return;
    }
    ken_modules__one(m, out, ask->file, "the file itself");
}

// java.lang
static const char builtins[] =
    "AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException "
    "ArrayStoreException AssertionError AutoCloseable Boolean Byte CharSequence Character "
    "Class ClassCastException ClassLoader ClassNotFoundException CloneNotSupportedException "
    "Cloneable Comparable Deprecated Double Enum Error Exception Float FunctionalInterface "
    "IllegalAccessException IllegalArgumentException IllegalMonitorStateException "
    "IllegalStateException IndexOutOfBoundsException InheritableThreadLocal "
    "InstantiationException Integer InternalError InterruptedException Iterable LinkageError "
    "Long Math Module NegativeArraySizeException NoClassDefFoundError NoSuchFieldException "
    "NoSuchMethodException NullPointerException Number NumberFormatException Object "
    "OutOfMemoryError Override Package Process ProcessBuilder Readable Record "
    "ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs "
    "SecurityException Short StackOverflowError StackTraceElement StrictMath String "
    "StringBuffer StringBuilder StringIndexOutOfBoundsException SuppressWarnings System "
    "Thread ThreadGroup ThreadLocal Throwable UnsupportedOperationException "
    "VirtualMachineError Void ";

const graph_driver ken_graph__driver_java = {
    .resolve = ken_graph__java_resolve,
    .around = ken_graph__java_around,
    .builtins = builtins,
};
