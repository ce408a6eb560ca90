// SPDX-License-Identifier: MIT
// ken tests-for, ken dead, ken hotspots, ken routes: lists of the graph, as tables or as JSON.
#include <inttypes.h>

#include "base/fs.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "query/query_graph.h"

enum {
    LIST_DEFAULT = 20,
    LIST_MAX = 1000
};

// What the four have in common: a place, its snapshot, a table for people or a list for programs.
typedef struct list {
    cli_place place;
    ken_snapshot *snap;
    uint64_t limit;
    json_t *items;
    cli_text_table table;
    json_t *more; // of the JSON, under `more_key`; NULL = nothing
    const char *more_key;
} list;

static ken_status list_open(cli *x, const char *heads, list *l, ken_err *err)
{
    ken_status st = ken_cli__args_u64(&x->args, "limit", 1, LIST_MAX, LIST_DEFAULT, &l->limit, err);
    if (!st)
        st = ken_cli__open_place(x, &l->place, !ken_cli__args_has(&x->args, "no-index"), &l->snap,
                                 err);
    if (st)
        return st;
    l->items = json_array();
    l->table = ken_cli__table_new(&x->arena, heads);
    return KEN_OK;
}

static void list_show(cli *x, list *l, const char *key, size_t total, const char *nothing)
{
    size_t n = json_array_size(l->items);
    if (x->is_json) {
        json_t *top = json_object();
        ken_cli__json_set_project(top, &l->place.project);
        ken_json_set(top, key, json_incref(l->items));
        ken_json_set_u64(top, "total", total);
        if (l->more)
            ken_json_set(top, l->more_key, json_incref(l->more));
        ken_cli__print_json(top);
        return;
    }
    if (n)
        ken_cli__table_print(x, &l->table);
    else
        ken_cli__note(x, "%s", nothing);
    if (total > n)
        ken_cli__note(x, "%zu of %zu; -k shows more", n, total);
}

static void list_close(cli *x, list *l)
{
    json_decref(l->items);
    ken_cli__close_place(x, &l->place, l->snap);
}

static ken_str at_of(cli *x, ken_str path, uint32_t line)
{
    return ken_arena_printf(&x->arena, KEN_STR_FMT ":%" PRIu32, KEN_STR_ARG(path), line + 1);
}

static ken_str name_of(const ken_graph_node *n)
{
    if (!n->name.len)
        return KEN_STR("(top of the file)");
    return n->qualified.len ? n->qualified : n->name;
}

static json_t *node_json(const ken_graph_node *n)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", name_of(n));
    ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(n->kind)));
    ken_json_set_str(o, "file_path", n->path);
    ken_json_set_u64(o, "start_line", n->first_line + 1u);
    ken_json_set_u64(o, "end_line", n->last_line + 1u);
    return o;
}

// ---- ken tests-for ----

static void add_test(cli *x, list *l, const ken_dependent *d)
{
    json_t *o = node_json(&d->node);
    ken_json_set_u64(o, "distance", d->distance);
    ken_json_set_str(o, "resolution", ken_str_c(ken_edge_class_word(d->class)));
    ken_json_append(l->items, o);
    ken_cli__table_add(&l->table, name_of(&d->node));
    ken_cli__table_add(&l->table, at_of(x, d->node.path, d->node.first_line));
    ken_cli__table_add(&l->table, ken_cli__format_count(&x->arena, d->distance));
    ken_cli__table_add(&l->table, ken_str_c(ken_edge_class_word(d->class)));
}

ken_status ken_cli__run_tests_for(cli *x, ken_err *err)
{
    list l = { 0 };
    const char *word = x->args.words[0];
    bool is_file = ken_fs_exists(word) || strchr(word, '/');
    ken_dependent *tests = NULL;
    size_t n = 0, total = 0;
    ken_status st = is_file ? ken_cli__find_file(x, word, &l.place, err)
                            : ken_cli__find_place(x, NULL, &l.place, err);
    if (!st)
        st = list_open(x, "TEST|AT|>DISTANCE|RESOLUTION", &l, err);
    if (!st)
        st = ken_tests_for(l.snap, is_file ? l.place.below : ken_str_c(word), (size_t)l.limit,
                           x->cancel, &x->arena, &tests, &n, &total, err);
    st = ken_cli__check_answer(l.snap, st, err);
    for (size_t i = 0; i < n && !st; i++)
        add_test(x, &l, &tests[i]);
    if (!st)
        list_show(x, &l, "tests", total, "no test was found that reaches it");
    list_close(x, &l);
    return st;
}

// ---- ken dead ----

static void add_dead(cli *x, list *l, const ken_dead *d)
{
    json_t *o = node_json(&d->node);
    ken_json_set_str(o, "class", ken_str_c(ken_dead_class_word(d->class)));
    ken_json_set_u64(o, "unresolved", d->n_unresolved);
    ken_json_set_str(o, "why", d->why);
    ken_json_append(l->items, o);
    ken_cli__table_add(&l->table, name_of(&d->node));
    ken_cli__table_add(&l->table, ken_str_c(ken_symbol_kind_word(d->node.kind)));
    ken_cli__table_add(&l->table, at_of(x, d->node.path, d->node.first_line));
    ken_cli__table_add(&l->table, d->why);
}

// "not listed: 12 exported (code outside of the tree may use it), …; --all lists them"
static void note_classes(cli *x, const ken_dead_result *found)
{
    ken_str text = KEN_STR("");
    for (int c = KEN_DEAD_UNUSED + 1; c < KEN_DEAD_CLASS_COUNT; c++)
        if (found->n_by_class[c])
            text = ken_arena_printf(&x->arena, KEN_STR_FMT "%s%zu %s (%s)", KEN_STR_ARG(text),
                                    text.len ? ", " : "", found->n_by_class[c],
                                    ken_dead_class_word((ken_dead_class)c),
                                    ken_dead_class_text((ken_dead_class)c));
    if (text.len)
        ken_cli__note(x, "not listed, for they may be alive: " KEN_STR_FMT "; --all lists them",
                      KEN_STR_ARG(text));
}

static json_t *classes_json(const ken_dead_result *found)
{
    json_t *o = json_object();
    for (int c = 0; c < KEN_DEAD_CLASS_COUNT; c++)
        ken_json_set_u64(o, ken_dead_class_word((ken_dead_class)c), found->n_by_class[c]);
    return o;
}

ken_status ken_cli__run_dead(cli *x, ken_err *err)
{
    list l = { 0 };
    ken_dead_result found = { 0 };
    ken_dead_opts o = { .wants_all = ken_cli__args_has(&x->args, "all") };
    ken_status st =
        ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &l.place, err);
    if (!st)
        st = list_open(x, "NAME|KIND|AT|WHY", &l, err);
    o.folder = l.place.below;
    o.limit = (uint32_t)l.limit;
    if (!st)
        st = ken_find_dead(l.snap, &o, x->cancel, &x->arena, &found, err);
    st = ken_cli__check_answer(l.snap, st, err);
    for (size_t i = 0; i < found.n && !st; i++)
        add_dead(x, &l, &found.items[i]);
    l.more = classes_json(&found);
    l.more_key = "classes";
    if (!st)
        list_show(x, &l, "dead", found.n_total, "nothing is known to be unused");
    if (!st && !o.wants_all && !x->is_json)
        note_classes(x, &found);
    json_decref(l.more);
    list_close(x, &l);
    return st;
}

// ---- ken hotspots ----

static void add_hotspot(cli *x, list *l, const ken_key_symbol *k)
{
    json_t *o = node_json(&k->node);
    ken_json_set_u64(o, "complexity", k->node.complexity);
    ken_json_set_u64(o, "commits", k->n_commits);
    ken_json_set_real(o, "score", k->score);
    ken_json_append(l->items, o);
    ken_cli__table_add(&l->table, name_of(&k->node));
    ken_cli__table_add(&l->table, at_of(x, k->node.path, k->node.first_line));
    ken_cli__table_add(&l->table, ken_cli__format_count(&x->arena, k->node.complexity));
    ken_cli__table_add(&l->table, ken_cli__format_count(&x->arena, k->n_commits));
}

ken_status ken_cli__run_hotspots(cli *x, ken_err *err)
{
    list l = { 0 };
    ken_key_symbol *hot = NULL;
    size_t n = 0;
    ken_status st =
        ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &l.place, err);
    if (!st)
        st = list_open(x, "NAME|AT|>COMPLEXITY|>COMMITS", &l, err);
    if (!st)
        st = ken_find_hotspots(l.snap, l.place.below, (size_t)l.limit, x->cancel, &x->arena, &hot,
                               &n, err);
    st = ken_cli__check_answer(l.snap, st, err);
    for (size_t i = 0; i < n && !st; i++)
        add_hotspot(x, &l, &hot[i]);
    if (!st)
        list_show(x, &l, "hotspots", n, "no complex code that changes often");
    list_close(x, &l);
    return st;
}

// ---- ken routes ----

static void add_route(cli *x, list *l, const ken_route *r)
{
    json_t *o = json_object();
    ken_json_set_str(o, "framework", r->framework);
    ken_json_set_bool(o, "is_event", r->is_event);
    ken_json_set_str(o, "method", r->method);
    ken_json_set_str(o, "path", r->path);
    ken_json_set_str(o, "handler", r->handler);
    ken_json_set_str(o, "file_path", r->file);
    ken_json_set_u64(o, "line", r->line + 1u);
    ken_json_append(l->items, o);
    ken_cli__table_add(&l->table, r->method);
    ken_cli__table_add(&l->table, r->path);
    ken_cli__table_add(&l->table, r->handler);
    ken_cli__table_add(&l->table, at_of(x, r->file, r->line));
    ken_cli__table_add(&l->table, r->framework);
}

ken_status ken_cli__run_routes(cli *x, ken_err *err)
{
    list l = { 0 };
    ken_route *routes = NULL;
    size_t n = 0;
    ken_str filter = x->args.n_words ? ken_str_c(x->args.words[0]) : KEN_STR("");
    ken_status st = ken_cli__find_place(x, NULL, &l.place, err);
    if (!st)
        st = list_open(x, "METHOD|PATH|HANDLER|AT|FRAMEWORK", &l, err);
    if (!st)
        st = ken_find_routes(l.snap, filter, x->cancel, &x->arena, &routes, &n, err);
    st = ken_cli__check_answer(l.snap, st, err);
    for (size_t i = 0; i < n && i < l.limit && !st; i++)
        add_route(x, &l, &routes[i]);
    if (!st)
        list_show(x, &l, "routes", n, "no routes or events were found");
    list_close(x, &l);
    return st;
}
