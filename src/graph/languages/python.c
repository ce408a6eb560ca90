// SPDX-License-Identifier: MIT
// What Python's modules name.
//
// Leading dots count folders up from the file's own. Everything else is looked for below roots, as
// the interpreter looks along sys.path: where the file's own package begins, the folders that the
// nearest manifest names, the folders above with their src, lib and python, and at last wherever
// the tree has a package of that name. A name of the standard library stays there unless a package
// of the tree takes it over. Packages may be without __init__.py: then only what is in them is a
// file.
#include "base/path.h"
#include "base/sorted.h"
#include "graph/graph_driver_priv.h"
#include "graph/graph_modules_script_priv.h"

enum {
    ROOTS_MAX = 48,        // that one folder looks into
    ROOTS_SAID_MAX = 16,   // by the manifests of one folder
    SEGMENTS_MAX = 64,     // of one module
    MANIFEST_LINES = 20000 // that are looked at
};

typedef struct py_roots {
    const ken_str *ptr;
    uint32_t n;
} py_roots;

typedef struct py_top { // a package that lies in none
    ken_str name, root;
} py_top;

typedef struct py_state {
    py_roots **roots_of; // folder -> where its files look
    py_roots **said_by;  // folder -> what its manifests name
    py_top *tops;        // by name, then by root
    uint32_t n_tops;
} py_state;

static const char *const module_endings[] = { ".py", ".pyi", ".pyx", ".pxd", ".pyw", NULL };

static const char stdlib[] =
    " __future__ __main__ _thread abc aifc argparse array ast asynchat asyncio asyncore atexit "
    "audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd "
    "code codecs codeop collections colorsys compileall concurrent configparser contextlib "
    "contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis "
    "distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput "
    "fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib "
    "heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress itertools json keyword "
    "lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap "
    "modulefinder msilib msvcrt multiprocessing netrc nis nntplib ntpath numbers operator optparse "
    "os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib "
    "posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re "
    "readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil "
    "signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string "
    "stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib "
    "tempfile termios test textwrap threading time timeit tkinter token tokenize tomllib trace "
    "traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv "
    "warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile "
    "zipimport zlib zoneinfo ";

static const char *const manifests[] = { "pyproject.toml", "setup.cfg", "setup.py" };

static bool is_stdlib(ken_str name)
{
    char word[40];
    if (!name.len || name.len + 3 > sizeof word)
        return false;
    word[0] = ' ';
    memcpy(word + 1, name.ptr, name.len);
    word[name.len + 1] = ' ';
    return ken_str_find(ken_str_n(stdlib, sizeof stdlib - 1), ken_str_n(word, name.len + 2)) !=
           SIZE_MAX;
}

// ---- files -------------------------------------------------------------------------------------
static uint32_t init_of(ken_modules *m, ken_str folder)
{
    static const char *const init[] = { ".py", ".pyi", NULL };
    if (ken_modules__folder(m, folder) == MODULE_NONE)
        return MODULE_NONE;
    return ken_modules__ending(m, ken_path_join(&m->scratch, folder, KEN_STR("__init__")), init);
}

// A package comes before a module of the same name.
static uint32_t module_at(ken_modules *m, ken_str path)
{
    uint32_t file = path.ptr && path.len ? init_of(m, path) : MODULE_NONE;
    return file != MODULE_NONE ? file : ken_modules__ending(m, path, module_endings);
}

// ---- roots that manifests name -----------------------------------------------------------------
typedef struct root_list {
    ken_str ptr[ROOTS_MAX];
    uint32_t n, max;
} root_list;

static void add_root(root_list *l, ken_str path)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (ken_str_eq(l->ptr[i], path))
            return;
    if (l->n < l->max)
        l->ptr[l->n++] = path;
}

static bool is_path_byte(char c)
{
    return ken_is_word(c) || c == '.' || c == '/' || c == '-';
}

// Every word that is a folder: the setting speaks of folders, the rest of it does not exist.
static void add_words(ken_modules *m, root_list *l, ken_str dir, ken_str text)
{
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        while (i < text.len && is_path_byte(text.ptr[i]))
            i++;
        ken_str word = ken_str_sub(text, from, i++);
        ken_str path = word.len ? ken_modules__join(m, dir, word) : (ken_str){ 0 };
        if (!path.ptr || ken_str_eq(path, dir) || !ken_modules__has_below(m, path))
            continue;
        add_root(l, init_of(m, path) == MODULE_NONE ? path : ken_path_dir(path));
    }
}

// The part of a line of pyproject.toml, setup.cfg or setup.py that names folders with packages.
static ken_str said_in(ken_str line)
{
    static const char *const keys[] = { "package_dir", "package-dir", "packages",      "where",
                                        "pythonpath",  "sources",     "python-source", "extraPaths",
                                        "mypy_path",   "from =",      "from=" };
    ken_str t = ken_str_trim(line);
    if (t.len && (t.ptr[0] == '#' || t.ptr[0] == '['))
        return KEN_STR("");
    if (t.len && t.ptr[0] == '=') // setup.cfg: package_dir over several lines
        return t;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t at = ken_str_find(t, ken_str_c(keys[i]));
        if (at != SIZE_MAX)
            return ken_str_sub(t, at + strlen(keys[i]), t.len);
    }
    return KEN_STR("");
}

static void read_said(ken_modules *m, root_list *l, ken_str dir)
{
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++) {
        uint32_t file = ken_modules__at(m, dir, ken_str_c(manifests[i]));
        ken_str text = file == MODULE_NONE ? KEN_STR("") : ken_modules__peek(m, file), line;
        uint32_t left = MANIFEST_LINES;
        while (left-- && ken_str_line_next(&text, &line))
            add_words(m, l, dir, said_in(ken_str_sub(line, 0, 1000)));
    }
}

static py_roots *keep_roots(ken_modules *m, const root_list *l)
{
    py_roots *r = KEN_ARENA_NEW(&m->arena, py_roots);
    ken_str *copy = KEN_ARENA_ARRAY(&m->arena, ken_str, (size_t)l->n + 1);
    for (uint32_t i = 0; i < l->n; i++)
        copy[i] = ken_arena_dup(&m->arena, l->ptr[i]);
    *r = (py_roots){ copy, l->n };
    return r;
}

// ---- the roots of a folder ---------------------------------------------------------------------
static ken_str package_root(ken_modules *m, ken_str dir)
{
    while (dir.len && init_of(m, dir) != MODULE_NONE)
        dir = ken_path_dir(dir);
    return dir;
}

static bool has_manifest(ken_modules *m, ken_str dir)
{
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++)
        if (ken_modules__at(m, dir, ken_str_c(manifests[i])) != MODULE_NONE)
            return true;
    return false;
}

// What the nearest manifests say, which are read once.
static void add_said(ken_modules *m, py_state *s, root_list *l, ken_str dir)
{
    while (dir.len && !has_manifest(m, dir))
        dir = ken_path_dir(dir);
    uint32_t folder = ken_modules__folder(m, dir);
    if (folder == MODULE_NONE)
        return;
    if (!s->said_by[folder]) {
        root_list said = { .max = ROOTS_SAID_MAX };
        read_said(m, &said, dir);
        s->said_by[folder] = keep_roots(m, &said);
    }
    for (uint32_t i = 0; i < s->said_by[folder]->n; i++)
        add_root(l, s->said_by[folder]->ptr[i]);
}

static void add_above(ken_modules *m, root_list *l, ken_str dir)
{
    static const char *const below[] = { "src", "lib", "python" };
    for (;; dir = ken_path_dir(dir)) {
        add_root(l, dir);
        for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
            ken_str path = ken_path_join(&m->scratch, dir, ken_str_c(below[i]));
            if (ken_modules__has_below(m, path) && init_of(m, path) == MODULE_NONE)
                add_root(l, path);
        }
        if (!dir.len)
            return;
    }
}

static py_roots *roots_new(ken_modules *m, py_state *s, ken_str dir)
{
    root_list l = { .max = ROOTS_MAX };
    ken_str root = package_root(m, dir);
    add_root(&l, root);
    add_said(m, s, &l, dir);
    add_above(m, &l, root);
    return keep_roots(m, &l);
}

static int top_cmp(const void *pa, const void *pb)
{
    const py_top *a = pa, *b = pb;
    int c = ken_str_cmp(a->name, b->name);
    return c ? c : ken_str_cmp(a->root, b->root);
}

static py_state *state_of(ken_modules *m)
{
    bool is_new;
    py_state *s = ken_modules__state(m, KEN_LANG_PYTHON, sizeof *s, &is_new);
    if (!is_new)
        return s;
    s->roots_of = KEN_ARENA_ARRAY(&m->arena, py_roots *, (size_t)m->n_folders + 1);
    s->said_by = KEN_ARENA_ARRAY(&m->arena, py_roots *, (size_t)m->n_folders + 1);
    s->tops = KEN_ARENA_ARRAY(&m->arena, py_top, (size_t)m->n_folders + 1);
    for (uint32_t i = 0; i < m->n_folders; i++) {
        ken_str path = m->folders[i].path, root = ken_path_dir(path);
        if (path.len && init_of(m, path) != MODULE_NONE && init_of(m, root) == MODULE_NONE)
            s->tops[s->n_tops++] = (py_top){ ken_path_base(path), root };
    }
    if (s->n_tops)
        qsort(s->tops, s->n_tops, sizeof *s->tops, top_cmp);
    return s;
}

static const py_roots *roots_of(ken_modules *m, uint32_t file)
{
    py_state *s = state_of(m);
    py_roots **slot = &s->roots_of[m->folder_of[file]];
    if (!*slot)
        *slot = roots_new(m, s, ken_modules__dir(m, file));
    return *slot;
}

// ---- absolute modules --------------------------------------------------------------------------
typedef struct py_module {
    ken_str path;  // with slashes
    ken_str first; // segment
    bool is_stdlib;
    bool wants_all; // a prefix with names left is no answer
} py_module;

typedef struct py_found {
    uint32_t file;
    size_t n_bytes; // of the module's path that the file stands for
    bool is_guess;
} py_found;

// Something of the standard library is overridden by packages, not by any file of that name.
static bool is_allowed(ken_modules *m, ken_str root, const py_module *q)
{
    return !q->is_stdlib || init_of(m, ken_path_join(&m->scratch, root, q->first)) != MODULE_NONE;
}

// The longest part of the module that is a file below `root`.
static void look_below(ken_modules *m, ken_str root, const py_module *q, py_found *best)
{
    if (!is_allowed(m, root, q))
        return;
    ken_str path = q->path;
    for (uint32_t i = 0; i < SEGMENTS_MAX && path.len > best->n_bytes; i++) {
        uint32_t file = module_at(m, ken_path_join(&m->scratch, root, path));
        if (file != MODULE_NONE) {
            *best = (py_found){ file, path.len, false };
            return;
        }
        if (q->wants_all)
            return;
        path = ken_path_dir(path);
    }
}

// Packages of that name anywhere in the tree; of several the nearest, when there is one.
static void look_elsewhere(ken_modules *m, uint32_t from, const py_module *q, py_found *best)
{
    const py_state *s = state_of(m);
    uint32_t at = (uint32_t)KEN_FIRST_STR(py_top, name, s->tops, s->n_tops, q->first);
    uint32_t n_shared = 0, n = 0;
    for (; at < s->n_tops && ken_str_eq(s->tops[at].name, q->first); at++) {
        py_found f = { MODULE_NONE, 0, false };
        look_below(m, s->tops[at].root, q, &f);
        if (f.file == MODULE_NONE)
            continue;
        uint32_t shared = ken_modules__shared(m->tree->paths[from], m->tree->paths[f.file]);
        if (!n++ || f.n_bytes > best->n_bytes || shared > n_shared) {
            *best = f;
            n_shared = shared;
        } else if (f.n_bytes == best->n_bytes && shared == n_shared) {
            best->file = MODULE_MANY;
        }
    }
    best->is_guess = n > 1;
}

// Packages without __init__.py in another project of the tree: by the end of the path, which says
// enough when it has two parts.
static void look_for_tail(ken_modules *m, uint32_t from, const py_module *q, py_found *best)
{
    if (q->is_stdlib || ken_str_find_char(q->path, '/') == SIZE_MAX)
        return;
    uint32_t folder = ken_modules__nearest_folder(m, from, q->path);
    uint32_t file = folder < MODULE_MANY ? init_of(m, m->folders[folder].path) : MODULE_NONE;
    if (file == MODULE_NONE)
        file = ken_modules__nearest(m, from, q->path, KEN_LANG_PYTHON);
    if (file < MODULE_MANY)
        *best = (py_found){ file, q->path.len, true };
}

static bool is_known_folder(ken_modules *m, const py_roots *roots, const py_module *q)
{
    for (uint32_t i = 0; i < roots->n; i++)
        if (ken_modules__has_below(m, ken_path_join(&m->scratch, roots->ptr[i], q->path)))
            return true;
    return false;
}

static void answer(ken_modules *m, const py_module *q, const py_found *f, ken_str text,
                   ken_module *out)
{
    ken_modules__one(m, out, f->file, "a module below a root");
    out->is_guess = f->is_guess;
    if (f->n_bytes < q->path.len)
        out->rest = ken_str_sub(text, f->n_bytes + 1, text.len);
}

static void absolute(ken_modules *m, uint32_t file, ken_str text, bool wants_all, ken_module *out)
{
    py_module q = { .path = ken_modules__slashes(m, text, KEN_STR(".")), .wants_all = wants_all };
    q.first = ken_str_sub(q.path, 0, ken_str_find_char(q.path, '/'));
    q.is_stdlib = is_stdlib(q.first);
    const py_roots *roots = roots_of(m, file);
    py_found best = { MODULE_NONE, 0, false };
    for (uint32_t i = 0; i < roots->n && best.n_bytes < q.path.len; i++)
        look_below(m, roots->ptr[i], &q, &best);
    if (best.file == MODULE_NONE)
        look_elsewhere(m, file, &q, &best);
    if (best.file == MODULE_NONE && !is_known_folder(m, roots, &q))
        look_for_tail(m, file, &q, &best);
    if (best.file == MODULE_MANY)
        ken_modules__unknown(out, "several packages fit equally well");
    else if (best.file != MODULE_NONE)
        answer(m, &q, &best, text, out);
    else if (!q.is_stdlib && is_known_folder(m, roots, &q))
        *out = (ken_module){ .kind = KEN_MODULE_FILES, .why = "a folder without __init__.py" };
    else
        ken_modules__external(out, q.is_stdlib ? "the standard library" : "no module of the tree");
}

// ---- relative modules --------------------------------------------------------------------------
static void relative(ken_modules *m, uint32_t file, ken_str text, ken_module *out)
{
    ken_str dir = ken_modules__dir(m, file);
    size_t dots = 1;
    for (; dots < text.len && text.ptr[dots] == '.'; dots++) {
        if (!dir.len) {
            ken_modules__external(out, "outside the tree");
            return;
        }
        dir = ken_path_dir(dir);
    }
    ken_str path = ken_modules__slashes(m, ken_str_sub(text, dots, text.len), KEN_STR("."));
    path = ken_path_join(&m->scratch, dir, path);
    uint32_t found = path.len ? module_at(m, path) : init_of(m, path);
    if (found == MODULE_NONE)
        ken_modules__unknown(out, "no module there");
    else
        ken_modules__one(m, out, found, "a relative module");
}

static bool is_dotted_name(ken_str t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!ken_is_word(t.ptr[i]) && t.ptr[i] != '.' && !((unsigned char)t.ptr[i] & 0x80))
            return false;
    return t.len && (t.ptr[t.len - 1] != '.' || t.ptr[0] == '.');
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    bool ends_in_dot = ask->module.len && ask->module.ptr[ask->module.len - 1] == '.';
    ken_str text = ken_modules__concat(m, ask->module, ends_in_dot ? "" : ".", ask->name);
    if (!is_dotted_name(text))
        ken_modules__unknown(out, "no name of a module");
    else if (text.ptr[0] == '.')
        relative(m, ask->file, text, out);
    else
        absolute(m, ask->file, text, ask->name.len > 0, out);
    if (!ask->name.len || out->kind != KEN_MODULE_EXTERNAL)
        return;
    absolute(m, ask->file, ask->module, false, out); // whose name it is
    if (out->kind == KEN_MODULE_FILES) {
        *out = (ken_module){ 0 };
        ken_modules__unknown(out, "no module of that name");
    }
}

// ---- the driver --------------------------------------------------------------------------------

// builtins, without what begins with an underscore
static const char builtins[] =
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup "
    "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError "
    "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError "
    "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception "
    "ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning "
    "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError "
    "InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError "
    "ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError "
    "OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError "
    "RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning "
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit "
    "TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError "
    "UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning "
    "ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint "
    "bytearray bytes callable chr classmethod compile complex copyright credits delattr dict "
    "dir divmod enumerate eval exec exit filter float format frozenset getattr globals "
    "hasattr hash help hex id input int isinstance issubclass iter len license list locals "
    "map max memoryview min next object oct open ord pow print property quit range repr "
    "reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip ";

static const graph_holders holders = {
    .holders =
        (const char *const[]){ "list", "List", "dict", "Dict", "set", "Set", "deque", "Deque",
                               "defaultdict", "OrderedDict", "Mapping", "MutableMapping", "Queue",
                               "Future", "Task", "ContextVar", NULL },
    .same = (const char *const[]){ "copy", "values", NULL },
    .item = (const char *const[]){ "get", "pop", "popleft", "setdefault", "get_nowait", "result",
                                   NULL },
};

static bool is_called(ken_graph *g, graph_unit *u, uint32_t bind, ken_str name)
{
    (void)g;
    return ken_str_eq(u->text.refs->binds[bind].module, name);
}

const graph_driver ken_graph__driver_python = {
    .resolve = resolve,
    .builtins = builtins,
    .holders = &holders,
    .is_called = is_called,
};
