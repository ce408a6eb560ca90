// SPDX-License-Identifier: MIT
// forbid_import and layers: edges between files, and packages that files import.
//
// Edges between files are known of the whole tree, so they are judged by number first, and only
// files with a bad one are looked into for the line and the text.
#include "rulebook/rulebook_verify_priv.h"

enum {
    NO_LAYER = 255,
    LAYERS_MAX = 255,
    ONCE = 1 << KEN_CHECK_FORBID_IMPORT | 1 << KEN_CHECK_LAYERS
};

typedef struct import_rule {
    verify_rule *r;
    uint8_t *targets;      // forbid_import, by file: must not be imported
    uint8_t *layer;        // layers, by file
    ken_str_list packages; // of `to`: what is no file of the tree
    uint8_t *is_bad;       // by file: has a violation
} import_rule;

typedef struct import_check {
    verifier *v;
    import_rule *rules;
    size_t n;
} import_check;

static bool is_bad_edge(const import_rule *i, uint32_t from, uint32_t to)
{
    if (!i->r->covers[from])
        return false;
    if (i->targets)
        return i->targets[to];
    return i->layer[from] != NO_LAYER && i->layer[to] != NO_LAYER && i->layer[to] > i->layer[from];
}

static bool is_any_bad(void *ctx, uint32_t from, uint32_t to)
{
    const import_check *c = ctx;
    for (size_t i = 0; i < c->n; i++)
        if (is_bad_edge(&c->rules[i], from, to))
            return true;
    return false;
}

// ---- preparing ----------------------------------------------------------------------------------

static void find_targets(verifier *v, import_rule *i)
{
    const ken_str_list *to = &i->r->check->to;
    i->targets = ken_arena_zalloc(v->arena, v->n_files + 1);
    i->packages.items = KEN_ARENA_ARRAY(v->arena, ken_str, to->n + 1);
    for (size_t k = 0; k < to->n; k++) {
        ken_str_list one = { &to->items[k], 1 };
        bool has_files = false;
        for (size_t f = 0; f < v->n_files; f++) {
            if (!ken_globs_match(&one, v->files[f].path))
                continue;
            has_files = true;
            i->targets[f] = 1;
        }
        if (!has_files)
            i->packages.items[i->packages.n++] = to->items[k];
    }
}

static void find_layers(verifier *v, import_rule *i)
{
    const ken_str_list *layers = &i->r->check->layers;
    i->layer = ken_arena_alloc(v->arena, v->n_files + 1);
    memset(i->layer, NO_LAYER, v->n_files);
    for (size_t k = 0; k < layers->n && k < LAYERS_MAX; k++) {
        ken_str_list one = { &layers->items[k], 1 };
        bool has_files = false;
        for (size_t f = 0; f < v->n_files; f++) {
            if (!ken_globs_match(&one, v->files[f].path))
                continue;
            has_files = true;
            if (i->layer[f] == NO_LAYER)
                i->layer[f] = (uint8_t)k;
        }
        if (!has_files)
            ken_rulebook__verify_note(v, i->r, "layer '" KEN_STR_FMT "' has no file",
                                      KEN_STR_ARG(one.items[0]));
    }
    i->r->outcome->n_files = 0;
    for (size_t f = 0; f < v->n_files; f++) // files of no layer are not looked at
        i->r->covers[f] &= i->layer[f] != NO_LAYER;
    for (size_t f = 0; f < v->n_files; f++)
        i->r->outcome->n_files += i->r->covers[f] & v->is_reported[f];
}

static void prepare(import_check *c)
{
    verifier *v = c->v;
    c->rules = KEN_ARENA_ARRAY(v->arena, import_rule, v->n + 1);
    for (size_t k = 0; k < v->n; k++) {
        verify_rule *r = &v->rules[k];
        if (!(ONCE >> r->check->kind & 1))
            continue;
        import_rule *i = &c->rules[c->n++];
        i->r = r;
        i->is_bad = ken_arena_zalloc(v->arena, v->n_files + 1);
        if (r->check->kind == KEN_CHECK_LAYERS)
            find_layers(v, i);
        else
            find_targets(v, i);
    }
}

// ---- judging ------------------------------------------------------------------------------------

static ken_str from_of(const ken_rule_check *check, ken_str path)
{
    for (size_t k = 0; k < check->in.n; k++)
        if (ken_globs_match(&(ken_str_list){ &check->in.items[k], 1 }, path))
            return check->in.items[k];
    return KEN_STR("this file");
}

static ken_str message_of(import_check *c, const import_rule *i, const ken_import_fact *f,
                          uint32_t to)
{
    const ken_rule_check *check = i->r->check;
    const char *how = f->is_guess && to != UINT32_MAX ? " (the nearest file of that name)" : "";
    ken_str what = to == UINT32_MAX ? f->module : c->v->files[to].path;
    if (!i->layer)
        return ken_arena_printf(c->v->arena,
                                "imports '" KEN_STR_FMT "'%s, which '" KEN_STR_FMT "' must not",
                                KEN_STR_ARG(what), how, KEN_STR_ARG(from_of(check, f->path)));
    ken_str mine = check->layers.items[i->layer[f->file]],
            other = check->layers.items[i->layer[to]];
    return ken_arena_printf(c->v->arena,
                            "imports '" KEN_STR_FMT "'%s of layer '" KEN_STR_FMT
                            "'; layer '" KEN_STR_FMT "' may import only itself and those before it",
                            KEN_STR_ARG(what), how, KEN_STR_ARG(other), KEN_STR_ARG(mine));
}

static void add(import_check *c, import_rule *i, const ken_import_fact *f, uint32_t to)
{
    ken_violation x = { .path = f->path,
                        .first_line = f->at.line,
                        .last_line = f->at.line,
                        .column = f->at.column,
                        .message = message_of(c, i, f, to) };
    i->is_bad[f->file] = 1;
    ken_rulebook__verify_add(c->v, i->r, &x);
}

static void judge_edges(import_check *c, import_rule *i, const ken_imports *list)
{
    for (size_t k = 0; k < list->n; k++) {
        const ken_import_fact *f = &list->items[k];
        if (f->is_type_only && !i->r->check->counts_types)
            continue;
        for (uint32_t t = 0; t < f->n_files; t++)
            if (is_bad_edge(i, f->file, f->numbers[t])) {
                add(c, i, f, f->numbers[t]);
                break;
            }
    }
}

static bool names_package(const import_rule *i, const ken_import_fact *f, ken_arena *scratch)
{
    ken_str module = f->module;
    if (ken_str_starts(module, KEN_STR("node:")))
        module = ken_str_sub(module, 5, module.len);
    ken_str whole = ken_arena_printf(scratch, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(module),
                                     KEN_STR_ARG(f->name));
    for (size_t k = 0; k < i->packages.n; k++)
        if (ken_is_of_package(module, i->packages.items[k]) ||
            (f->name.len && ken_is_of_package(whole, i->packages.items[k])))
            return true;
    return false;
}

static void judge_packages(import_check *c, import_rule *i, const ken_imports *list)
{
    for (size_t k = 0; k < list->n; k++) {
        const ken_import_fact *f = &list->items[k];
        if (f->n_files || !i->r->covers[f->file] ||
            (f->is_type_only && !i->r->check->counts_types) || !names_package(i, f, c->v->arena))
            continue;
        add(c, i, f, UINT32_MAX);
    }
}

static ken_status list_packages(import_check *c, ken_imports *out, ken_err *err)
{
    verifier *v = c->v;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->rules[i].packages.n;
    *out = (ken_imports){ .n = 0 };
    ken_imports_query q = { .scope = ken_rulebook__verify_scope(v, 1u << KEN_CHECK_FORBID_IMPORT),
                            .to.items = KEN_ARENA_ARRAY(v->arena, ken_str, n + 1),
                            .wants_places = true };
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->rules[i].packages.n; k++)
            q.to.items[q.to.n++] = c->rules[i].packages.items[k];
    if (!n || !q.scope.only.n)
        return KEN_OK;
    return ken_list_imports(v->s, &q, v->cancel, v->arena, out, err);
}

// What is not known of a rule's files: imports that lead nowhere.
static ken_status count_unknown(import_check *c, import_rule *i, ken_err *err)
{
    verifier *v = c->v;
    ken_imports list;
    ken_imports_query q = { .keeps = is_any_bad, .ctx = &(import_check){ .v = v } };
    q.scope.only.items = KEN_ARENA_ARRAY(v->arena, ken_str, v->n_files + 1);
    for (size_t f = 0; f < v->n_files; f++)
        if (i->r->covers[f] & v->is_reported[f])
            q.scope.only.items[q.scope.only.n++] = v->files[f].path;
    if (!q.scope.only.n)
        return KEN_OK;
    ken_status st = ken_list_imports(v->s, &q, v->cancel, v->arena, &list, err);
    if (!st)
        i->r->outcome->n_undecided += list.n_unknown;
    return st;
}

// Examples are wanted where something is wrong; any file that obeys will do.
static void add_goods(import_check *c, const import_rule *i)
{
    for (size_t f = 0; i->r->outcome->n_found && f < c->v->n_files; f++)
        if (i->r->covers[f] && !i->is_bad[f])
            ken_rulebook__verify_add_good(c->v, i->r, c->v->files[f].path, 0, KEN_STR(""));
}

ken_status ken_rulebook__verify_imports(verifier *v, ken_err *err)
{
    import_check c = { .v = v };
    ken_imports edges, packages;
    if (!ken_rulebook__verify_has(v, KEN_CHECK_FORBID_IMPORT) &&
        !ken_rulebook__verify_has(v, KEN_CHECK_LAYERS))
        return KEN_OK;
    prepare(&c);
    ken_imports_query q = { .scope = ken_rulebook__verify_scope(v, ONCE),
                            .keeps = is_any_bad,
                            .ctx = &c,
                            .wants_places = true };
    if (!q.scope.only.n)
        return KEN_OK;
    ken_status st = ken_list_imports(v->s, &q, v->cancel, v->arena, &edges, err);
    if (!st)
        st = list_packages(&c, &packages, err);
    for (size_t i = 0; !st && i < c.n; i++) {
        judge_edges(&c, &c.rules[i], &edges);
        judge_packages(&c, &c.rules[i], &packages);
        add_goods(&c, &c.rules[i]);
        c.rules[i].r->outcome->n_seen = c.rules[i].r->outcome->n_files;
        st = count_unknown(&c, &c.rules[i], err);
    }
    return st;
}
