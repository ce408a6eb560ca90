// SPDX-License-Identifier: MIT
// Globs of the command line and of queries. {a,b} is written out into plain patterns first.
#include "base/path.h"
#include "scan/scan_priv.h"

// ---- {a,b} ------------------------------------------------------------------------------------
typedef void glob_fn(void *ctx, ken_str flat);

typedef struct glob_expansion {
    glob_fn *fn;
    void *ctx;
    size_t n_left; // alternatives that may still come
} glob_expansion;

// Offset of the character that closes or parts the group which `at` is in, or SIZE_MAX.
static size_t group_next(ken_str p, size_t at, bool wants_commas)
{
    size_t depth = 0;
    for (; at < p.len; at++) {
        char c = p.ptr[at];
        if (c == '\\') {
            at++;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && depth-- == 0) {
            return at;
        } else if (c == ',' && !depth && wants_commas) {
            return at;
        }
    }
    return SIZE_MAX;
}

// Offset of the first '{' that opens a closed group, or SIZE_MAX.
static size_t group_open(ken_str p)
{
    for (size_t i = 0; i < p.len; i++) {
        if (p.ptr[i] == '\\')
            i++;
        else if (p.ptr[i] == '{' && group_next(p, i + 1, false) != SIZE_MAX)
            return i;
    }
    return SIZE_MAX;
}

// NULL, or why this pattern is not even written out.
static const char *fault_before_expansion(ken_str p)
{
    if (p.len > SCAN_MAX_GLOB)
        return "is too long";
    size_t n_groups = 0;
    for (size_t i = 0; i < p.len; i++) {
        if (!p.ptr[i])
            return "holds a NUL byte";
        n_groups += p.ptr[i] == '{';
    }
    return n_groups > SCAN_MAX_GROUPS ? "has too many alternatives" : NULL;
}

// Each level of recursion removes one '{', so its depth is at most SCAN_MAX_GROUPS, and the number
// of calls is bounded by n_left.
static void expand(glob_expansion *x, ken_str p)
{
    size_t open = group_open(p);
    if (open == SIZE_MAX) {
        if (x->n_left) {
            x->n_left--;
            x->fn(x->ctx, p);
        }
        return;
    }
    size_t close = group_next(p, open + 1, false);
    for (size_t from = open + 1; from <= close && x->n_left;) {
        size_t to = group_next(p, from, true);
        char flat[SCAN_MAX_GLOB];
        size_t n = open;
        memcpy(flat, p.ptr, open);
        memcpy(flat + n, p.ptr + from, to - from);
        n += to - from;
        memcpy(flat + n, p.ptr + close + 1, p.len - close - 1);
        n += p.len - close - 1;
        expand(x, ken_str_n(flat, n));
        from = to + 1;
    }
}

// ---- one pattern ------------------------------------------------------------------------------
static scan_glob glob_of(ken_str flat)
{
    scan_glob g = { .pattern = flat };
    while (ken_str_starts(g.pattern, KEN_STR("./")))
        g.pattern = ken_str_sub(g.pattern, 2, g.pattern.len);
    bool is_anchored = ken_str_starts(g.pattern, KEN_STR("/"));
    if (is_anchored)
        g.pattern = ken_str_sub(g.pattern, 1, g.pattern.len);
    if (ken_str_ends(g.pattern, KEN_STR("/"))) {
        g.is_below_folder = true;
        g.pattern.len--;
    }
    g.is_base_name = !is_anchored && ken_str_find_char(g.pattern, '/') == SIZE_MAX;
    return g;
}

static bool glob_matches(const scan_glob *g, ken_str path)
{
    if (g->is_base_name)
        return ken_scan__wild_name(g->pattern, ken_path_base(path));
    return ken_scan__wild_path(g->pattern, path);
}

// The path itself (never when the glob wants what is below a folder), or any folder above it.
static bool glob_matches_below(const scan_glob *g, ken_str path, bool counts_folders)
{
    if (!g->is_below_folder && glob_matches(g, path))
        return true;
    if (!g->is_below_folder && !counts_folders)
        return false;
    for (size_t i = path.len; i-- > 1;)
        if (path.ptr[i] == '/' && glob_matches(g, ken_str_sub(path, 0, i)))
            return true;
    return false;
}

typedef struct glob_question {
    ken_str path;
    bool is_match;
} glob_question;

static void ask(void *ctx, ken_str flat)
{
    glob_question *q = ctx;
    if (q->is_match || ken_scan__wild_fault(flat))
        return;
    scan_glob g = glob_of(flat);
    q->is_match = g.pattern.len && glob_matches_below(&g, q->path, false);
}

bool ken_glob_match(ken_str pattern, ken_str path)
{
    if (fault_before_expansion(pattern))
        return false;
    glob_question q = { .path = path };
    expand(&(glob_expansion){ ask, &q, SCAN_MAX_ALTERNATIVES }, pattern);
    return q.is_match;
}

// ---- checks -----------------------------------------------------------------------------------
typedef struct glob_check {
    const char *fault;
    size_t n;
} glob_check;

static void check(void *ctx, ken_str flat)
{
    glob_check *c = ctx;
    c->n++;
    if (!c->fault)
        c->fault = ken_scan__wild_fault(flat);
    if (!c->fault && !glob_of(flat).pattern.len)
        c->fault = "is empty";
}

ken_status ken_glob_check(ken_str pattern, ken_err *err)
{
    glob_check c = { .fault = fault_before_expansion(pattern) };
    if (!c.fault)
        expand(&(glob_expansion){ check, &c, SCAN_MAX_ALTERNATIVES + 1 }, pattern);
    if (c.n > SCAN_MAX_ALTERNATIVES)
        c.fault = "has too many alternatives";
    if (c.fault)
        return KEN_FAIL(err, KEN_EINVAL, "glob '%.*s' %s (invalid pattern)",
                        pattern.len < 80 ? (int)pattern.len : 80, pattern.ptr, c.fault);
    return KEN_OK;
}

// ---- many globs, many paths -------------------------------------------------------------------
typedef struct glob_list {
    ken_arena *arena;
    KEN_VEC(scan_glob) globs;
} glob_list;

static void add_glob(void *ctx, ken_str flat)
{
    glob_list *l = ctx;
    ken_vec_push(&l->globs, glob_of(ken_arena_dup(l->arena, flat)));
}

ken_status ken_scan__globs(ken_arena *a, const ken_str *patterns, size_t n, scan_globs *out,
                           ken_err *err)
{
    glob_list l = { .arena = a };
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n && !st; i++) {
        st = ken_glob_check(patterns[i], err);
        if (!st)
            expand(&(glob_expansion){ add_glob, &l, SCAN_MAX_ALTERNATIVES }, patterns[i]);
    }
    if (!st) {
        scan_glob *copy = ken_arena_copy(a, l.globs.ptr, l.globs.len, sizeof *copy);
        *out = (scan_globs){ copy, l.globs.len };
    }
    ken_vec_release(&l.globs);
    return st;
}

// No path that is listed has a line's end in its name.
static const scan_glob fits_nothing = { .pattern = { "*\n", 2 }, .is_base_name = true };

static scan_glob glob_below(const scan_glob *g, ken_str mark)
{
    ken_str rest = g->pattern, first;
    if (g->is_base_name && !ken_glob_match(g->pattern, mark))
        return *g;
    if (g->is_base_name) // the root itself, with all that is in it
        return (scan_glob){ .pattern = { "**", 2 } };
    if (!ken_str_split_next(&rest, '/', &first) || ken_str_eq(first, KEN_STR("**")))
        return *g;
    if (!ken_glob_match(first, mark))
        return fits_nothing;
    return (scan_glob){ .pattern = rest.len ? rest : KEN_STR("**"),
                        .is_below_folder = rest.len && g->is_below_folder };
}

void ken_scan__globs_below(ken_arena *a, ken_str mark, scan_globs *globs)
{
    scan_glob *below = KEN_ARENA_ARRAY(a, scan_glob, globs->len + 1);
    for (size_t i = 0; i < globs->len; i++)
        below[i] = glob_below(&globs->ptr[i], mark);
    globs->ptr = below;
}

bool ken_scan__globs_match(scan_globs globs, ken_str path)
{
    for (size_t i = 0; i < globs.len; i++)
        if (glob_matches_below(&globs.ptr[i], path, true))
            return true;
    return false;
}

bool ken_scan__globs_match_folder(scan_globs globs, ken_str folder)
{
    for (size_t i = 0; i < globs.len; i++)
        if (glob_matches(&globs.ptr[i], folder))
            return true;
    return false;
}

bool ken_scan__globs_name(scan_globs globs, ken_str name)
{
    for (size_t i = 0; i < globs.len; i++) {
        ken_str rest = globs.ptr[i].pattern, part;
        while (ken_str_split_next(&rest, '/', &part))
            if (ken_str_eq(part, name))
                return true;
    }
    return false;
}

// What a glob spells out from its beginning: the whole, or the folders before the first wildcard.
static ken_str literal_head(const scan_glob *g)
{
    size_t n = 0;
    while (n < g->pattern.len && !memchr("*?[\\", g->pattern.ptr[n], 4))
        n++;
    if (n == g->pattern.len)
        return g->pattern;
    size_t slash = ken_str_rfind_char(ken_str_n(g->pattern.ptr, n), '/');
    return ken_str_n(g->pattern.ptr, slash == SIZE_MAX ? 0 : slash);
}

bool ken_scan__globs_spell_any(scan_globs globs)
{
    for (size_t i = 0; i < globs.len; i++)
        if (literal_head(&globs.ptr[i]).len)
            return true;
    return false;
}

scan_spelt ken_scan__globs_spell(scan_globs globs, ken_str path)
{
    scan_spelt best = SCAN_SPELT_NOT;
    for (size_t i = 0; i < globs.len; i++) {
        ken_str head = literal_head(&globs.ptr[i]);
        if (!head.len)
            continue;
        if (ken_str_eq(head, globs.ptr[i].is_base_name ? ken_path_base(path) : path))
            return SCAN_SPELT_ITSELF;
        if (!globs.ptr[i].is_base_name && ken_path_is_under(path, head))
            best = SCAN_SPELT_BELOW;
    }
    return best;
}

// ---- globs that may be plain paths --------------------------------------------------------------

static bool has_wildcard(ken_str glob)
{
    for (size_t i = 0; i < glob.len; i++)
        if (memchr("*?[{\\", glob.ptr[i], 5))
            return true;
    return false;
}

static ken_str without_ends(ken_str glob)
{
    if (ken_str_starts(glob, KEN_STR("./")))
        glob = ken_str_sub(glob, 2, glob.len);
    while (glob.len > 1 && ken_str_ends(glob, KEN_STR("/")))
        glob.len--;
    return glob;
}

bool ken_glob_means(ken_str glob, ken_str path)
{
    glob = without_ends(glob);
    if (ken_str_eq(glob, KEN_STR(".")) || ken_path_is_under(glob, path))
        return true; // a folder may be called "[id]"
    return has_wildcard(glob) && ken_glob_match(glob, path);
}
