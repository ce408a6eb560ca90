// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/figure.h"
#include "base/table.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    NAME_MAX_BYTES = 160,
    SIGNATURE_MAX_BYTES = 240,
    OTHERS_MAX = 8,
    BYTES_PER_TOKEN = 3, // of such JSON, by ken_count_tokens 3.2 to 4.1
    FIT_NOTE_BYTES = 64, // for the member names of what is added
    LISTS_MAX = 16,
};

// ---- asking ------------------------------------------------------------------------------------

ken_status ken_tool__ask(const ken_tool_env *env, ken_str project, ken_tool__ask_fn *ask, void *ctx,
                         ken_tool__scope *out, ken_err *err)
{
    ken_tool__scope scope;
    ken_status st = ken_tool__open(env, project, &scope, err);
    if (st)
        return st;
    st = ask(scope.snap, ctx, err);
    if (st) {
        ken_tool__close(env, &scope);
        return st;
    }
    *out = scope;
    return KEN_OK;
}

size_t ken_tool__answer_bytes(const ken_tool_env *env, size_t n_json, size_t n_text)
{
    size_t max = env->ctx->max_bytes;
    size_t bytes = (env->is_text ? 2 * n_text : n_json) * BYTES_PER_TOKEN;
    bool is_open = max == SIZE_MAX && !env->is_text; // JSON of the command line has no limit
    bool has_own = env->is_text && json_object_get(env->given, "max_tokens");
    return !bytes || is_open || has_own || bytes > max ? max : bytes;
}

// ---- JSON --------------------------------------------------------------------------------------

void ken_tool__set_at(json_t *o, const char *key, ken_str path, uint32_t line)
{
    ken_buf at = KEN_BUF_INIT(0);
    ken_buf_put_str(&at, path);
    ken_buf_printf(&at, ":%u", line + 1);
    ken_json_set_str(o, key, ken_buf_str(&at));
    ken_buf_release(&at);
}

bool ken_tool__is_external(const ken_graph_node *n)
{
    return n->id.file == UINT32_MAX;
}

static ken_str shown_name(const ken_graph_node *n)
{
    return ken_utf8_clip(n->qualified.len ? n->qualified : n->name, NAME_MAX_BYTES);
}

json_t *ken_tool__place_json(const ken_graph_node *n)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", shown_name(n));
    if (ken_tool__is_external(n))
        return o;
    if (n->kind != KEN_SYMBOL_UNKNOWN)
        ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(n->kind)));
    ken_tool__set_at(o, "at", n->path, n->first_line);
    return o;
}

json_t *ken_tool__node_json(const ken_graph_node *n)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", shown_name(n));
    ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(n->kind)));
    ken_json_set_str(o, "file_path", n->path);
    ken_json_set_u64(o, "start_line", n->first_line + 1);
    ken_json_set_u64(o, "end_line", n->last_line + 1);
    if (n->signature.len)
        ken_json_set_str(o, "signature", ken_utf8_clip(n->signature, SIGNATURE_MAX_BYTES));
    if (n->is_generated)
        ken_json_set_bool(o, "is_generated", true);
    return o;
}

void ken_tool__put_missed(ken_buf *text, ken_str scope, ken_str qualified)
{
    if (scope.len)
        ken_buf_printf(text, "; nothing of that name is in '" KEN_STR_FMT "', this is " KEN_STR_FMT,
                       KEN_STR_ARG(ken_utf8_clip(scope, 60)),
                       KEN_STR_ARG(ken_utf8_clip(qualified, 100)));
}

void ken_tool__set_others(json_t *o, const ken_graph_node *meant, const ken_graph_node *others,
                          size_t n, const ken_graph_chosen *chosen)
{
    if (!n)
        return;
    json_t *list = json_array();
    size_t n_all = chosen->n_others_total > n ? chosen->n_others_total : n, elsewhere = 0;
    for (size_t i = 0; i < n && i < OTHERS_MAX; i++)
        ken_json_append(list, ken_tool__place_json(&others[i]));
    ken_json_set(o, "other_definitions", list);
    if (n_all > json_array_size(list))
        ken_json_set_u64(o, "other_definitions_total", n_all);
    while (elsewhere < n && meant && ken_str_eq(others[elsewhere].path, meant->path))
        elsewhere++; // its path would choose what was chosen
    ken_buf hint = KEN_BUF_INIT(0);
    if (chosen->is_most_used)
        ken_buf_printf(&hint, "this is the most used of %zu definitions of this name; choose one",
                       n_all + 1);
    else
        ken_buf_printf(&hint, "%zu other definition%s this name; choose one", n_all,
                       n_all == 1 ? " has" : "s have");
    if (elsewhere < n)
        ken_buf_printf(&hint, " with {file_hint}, such as '" KEN_STR_FMT "', or",
                       KEN_STR_ARG(others[elsewhere].path));
    ken_buf_puts(&hint, " with a qualified name");
    ken_json_set_str(o, "hint", ken_buf_str(&hint));
    ken_buf_release(&hint);
}

ken_str ken_tool__shallow_text(const ken_tool_env *env, ken_snapshot *s)
{
    ken_history *h;
    if (ken_snapshot_history(s, true, env->ctx->cancel, &h, NULL))
        return KEN_STR("");
    ken_history_info info = ken_history_get_info(h);
    if (!info.is_shallow)
        return KEN_STR("");
    return ken_arena_printf(env->arena, "commits are counted too low, for this is " KEN_STR_FMT,
                            KEN_STR_ARG(info.reason));
}

void ken_tool__set_class(json_t *o, ken_edge_class class, ken_str evidence)
{
    ken_json_set_str(o, "resolution", ken_str_c(ken_edge_class_word(class)));
    if (evidence.len)
        ken_json_set_str(o, "evidence", ken_utf8_clip(evidence, NAME_MAX_BYTES));
}

void ken_tool__set_scope(json_t *o, const ken_tool__scope *scope)
{
    ken_json_set(o, "project", ken_tool__project_json(&scope->project));
    ken_json_set(o, "index", ken_tool__index_json(scope));
}

json_t *ken_tool__symbol_json(ken_str qualified, ken_symbol_kind kind, uint32_t first_line,
                              uint32_t last_line)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", qualified);
    ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(kind)));
    ken_json_set_u64(o, "start_line", first_line + 1u);
    ken_json_set_u64(o, "end_line", last_line + 1u);
    return o;
}

json_t *ken_tool__strings_json(const ken_str *items, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(items[i]));
    return list;
}

json_t *ken_tool__route_json(const ken_route *r)
{
    json_t *o = json_object();
    ken_json_set_str(o, r->is_event ? "event" : "method", r->method);
    ken_json_set_str(o, "path", ken_utf8_clip(r->path, NAME_MAX_BYTES));
    if (r->handler.len)
        ken_json_set_str(o, "handler", ken_utf8_clip(r->handler, NAME_MAX_BYTES));
    ken_tool__set_at(o, "at", r->file, r->line);
    ken_json_set_str(o, "framework", r->framework);
    return o;
}

// ---- staying within a size ----------------------------------------------------------------------

typedef struct fit_list {
    json_t *items;
    size_t bytes;
} fit_list;

// The longest list of those with more than `least` items; NULL when there is none.
static fit_list *longest(fit_list *lists, size_t n, size_t least)
{
    fit_list *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (json_array_size(lists[i].items) > least && (!best || lists[i].bytes > best->bytes))
            best = &lists[i];
    return best;
}

void ken_tool__fit_lists(json_t *result, const char *const *lists, size_t n_lists, size_t max_bytes,
                         const char *hint)
{
    fit_list open[LISTS_MAX];
    size_t n = 0, total = ken_tool__size(result);
    if (total <= max_bytes)
        return;
    for (size_t i = 0; i < n_lists && n < LISTS_MAX; i++) {
        json_t *items = json_object_get(result, lists[i]);
        if (items)
            open[n++] = (fit_list){ items, ken_json_dump_size(items) };
    }
    total += strlen(hint) + FIT_NOTE_BYTES;
    // Of every list a little first, then whatever must go.
    for (size_t least = 3; total > max_bytes;) {
        fit_list *l = longest(open, n, least);
        if (!l && !least)
            break;
        if (!l) {
            least = 0;
            continue;
        }
        size_t last = json_array_size(l->items) - 1;
        size_t bytes = ken_json_dump_size(json_array_get(l->items, last)) + 1;
        json_array_remove(l->items, last);
        l->bytes -= bytes;
        total -= bytes;
    }
    ken_json_set_bool(result, "truncated", true);
    if (!json_object_get(result, "hint"))
        ken_json_set_str(result, "hint", ken_str_c(hint));
}

void ken_tool__fit_in_order(json_t *result, const ken_tool__fit_step *steps, size_t n_steps,
                            size_t max_bytes, size_t slack, const char *hint)
{
    size_t total = ken_tool__size(result);
    if (total + slack <= max_bytes)
        return;
    total += strlen(hint) + FIT_NOTE_BYTES + slack;
    for (size_t i = 0; i < n_steps; i++) {
        json_t *items = json_object_get(result, steps[i].list);
        while (total > max_bytes && json_array_size(items) > steps[i].least) {
            size_t last = json_array_size(items) - 1;
            total -= ken_json_dump_size(json_array_get(items, last)) + 1;
            json_array_remove(items, last);
        }
    }
    ken_json_set_bool(result, "truncated", true);
    ken_json_set_str(result, "hint", ken_str_c(hint));
}

void ken_tool__set_page(json_t *o, const char *list, const char *total_key, uint64_t offset)
{
    uint64_t next = offset + json_array_size(json_object_get(o, list));
    if (offset)
        ken_json_set_u64(o, "offset", offset);
    if (next == offset || next >= (uint64_t)ken_tool__number(o, total_key))
        return;
    ken_json_set_bool(o, "truncated", true);
    ken_json_set_u64(o, "next_offset", next);
}

ken_tests ken_tool__tests_of(ken_str word)
{
    return ken_str_eq(word, KEN_STR("only"))      ? KEN_TESTS_ONLY
           : ken_str_eq(word, KEN_STR("exclude")) ? KEN_TESTS_EXCLUDE
                                                  : KEN_TESTS_INCLUDE;
}

// ---- text --------------------------------------------------------------------------------------

ken_str ken_tool__member(const json_t *o, const char *key)
{
    return ken_json_text(json_object_get(o, key));
}

long long ken_tool__number(const json_t *o, const char *key)
{
    return (long long)json_integer_value(json_object_get(o, key));
}

size_t ken_tool__count_lines(ken_str text)
{
    ken_str line;
    size_t n = 0;
    while (ken_str_line_next(&text, &line))
        n++;
    return n;
}

static ken_str cell_of(const json_t *o, ken_str member, const ken_paint *out, ken_arena *arena)
{
    if (ken_str_eq(member, KEN_STR("@"))) {
        long long line = ken_tool__number(o, "start_line");
        ken_buf text = KEN_BUF_INIT(0);
        ken_paint plain = { .out = &text, .here = out->here, .root = out->root };
        ken_paint_path(&plain, ken_tool__member(o, "file_path"));
        ken_buf_printf(&text, ":%lld", line ? line : ken_tool__number(o, "line"));
        ken_str cell = ken_arena_dup(arena, ken_buf_str(&text));
        ken_buf_release(&text);
        return cell;
    }
    bool is_count = ken_str_starts(member, KEN_STR("#"));
    const char *key = ken_arena_dup(arena, ken_str_sub(member, is_count, member.len)).ptr;
    return is_count ? ken_figure_count(arena, (uint64_t)ken_tool__number(o, key))
                    : ken_tool__member(o, key);
}

void ken_tool__put_table(const json_t *list, const char *heads, const char *members, ken_paint *out)
{
    ken_arena arena;
    ken_table t;
    ken_arena_init(&arena, 0);
    ken_table_init(&t, &arena, heads);
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_str rest = ken_str_c(members), member;
        while (ken_str_split_next(&rest, '|', &member))
            ken_table_add(&t, cell_of(json_array_get(list, i), member, out, &arena));
    }
    if (json_array_size(list))
        ken_table_paint(&t, out);
    ken_arena_release(&arena);
}

void ken_tool__put_row(ken_paint *out, const char *name, ken_str value)
{
    if (!value.len)
        return;
    ken_paint_printf(out, KEN_STYLE_DIM, "  %-11s", name);
    ken_paint_str(out, KEN_STYLE_PLAIN, value);
    ken_paint_puts(out, "\n");
}

ken_str ken_tool__parsing_text(uint64_t n_gaps, uint64_t n_by_lines, ken_arena *arena)
{
    ken_str gaps = ken_figure_n(arena, n_gaps, "file"),
            lines = ken_figure_n(arena, n_by_lines, "file");
    if (!n_by_lines)
        return ken_arena_printf(arena, KEN_STR_FMT " parsed with gaps", KEN_STR_ARG(gaps));
    if (!n_gaps)
        return ken_arena_printf(arena, KEN_STR_FMT " cut by lines", KEN_STR_ARG(lines));
    return ken_arena_printf(arena, KEN_STR_FMT " parsed with gaps, " KEN_STR_FMT " cut by lines",
                            KEN_STR_ARG(gaps), KEN_STR_ARG(lines));
}

// Other things of the name that was asked for come first: the answer is of one of them.
void ken_tool__put_summary(const json_t *answer, ken_paint *out)
{
    const json_t *others = json_object_get(answer, "other_definitions");
    ken_paint_str(out, KEN_STYLE_BOLD, ken_tool__member(answer, "summary"));
    ken_paint_puts(out, "\n");
    for (size_t i = 0; i < json_array_size(others); i++) {
        const json_t *o = json_array_get(others, i);
        ken_paint_puts(out, i ? ", " : "also defined: ");
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(o, "name"));
        ken_paint_puts(out, " ");
        ken_paint_at(out, ken_tool__member(o, "at"));
    }
    long long n_more = ken_tool__number(answer, "other_definitions_total");
    n_more -= n_more ? (long long)json_array_size(others) : 0;
    if (n_more > 0)
        ken_paint_printf(out, KEN_STYLE_PLAIN, " and %lld more", n_more);
    ken_paint_puts(out, json_array_size(others) ? "\n" : "");
}

void ken_tool__put_head(const json_t *list, const char *head, ken_paint *out)
{
    if (json_array_size(list))
        ken_paint_printf(out, KEN_STYLE_BOLD, "%s:\n", head);
}

void ken_tool__put_texts(const json_t *list, const char *head, const char *between,
                         const char *tail, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_paint_puts(out, i ? between : head);
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_json_text(json_array_get(list, i)));
    }
    if (json_array_size(list))
        ken_paint_puts(out, tail);
}

void ken_tool__put_paths(const json_t *list, const char *head, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        ken_paint_puts(out, i ? ", " : head);
        ken_paint_path(out,
                       json_is_string(p) ? ken_json_text(p) : ken_tool__member(p, "file_path"));
    }
    if (json_array_size(list))
        ken_paint_puts(out, "\n");
}

void ken_tool__put_definition(const json_t *d, const char *name_key, ken_paint *out)
{
    long long first = ken_tool__number(d, "start_line"), last = ken_tool__number(d, "end_line");
    ken_paint_path(out, ken_tool__member(d, "file_path"));
    ken_paint_puts(out, ":");
    ken_paint_printf(out, KEN_STYLE_LINE, "%lld", first);
    if (last > first)
        ken_paint_printf(out, KEN_STYLE_LINE, "-%lld", last);
    ken_paint_puts(out, " ");
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(d, "kind"));
    ken_str name = ken_tool__member(d, name_key);
    ken_paint_puts(out, name.len ? " " : "");
    ken_paint_str(out, KEN_STYLE_NAME, name);
    if (json_is_true(json_object_get(d, "is_generated")))
        ken_paint_puts(out, " (generated)");
    ken_paint_puts(out, "\n");
}

static void put_notes(const json_t *answer, ken_paint *out)
{
    static const char *const texts[] = { "note", "hint" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ken_str text = ken_tool__member(answer, texts[i]);
        if (!text.len)
            continue;
        ken_paint_note(out, KEN_STR_FMT, KEN_STR_ARG(text));
    }
}

void ken_tool__put_tail(const json_t *answer, ken_paint *out)
{
    const json_t *next = json_object_get(answer, "next_offset");
    put_notes(answer, out);
    if (next)
        ken_paint_note(out, "more: {offset} %lld", (long long)json_integer_value(next));
}

void ken_tool__put_page_tail(const json_t *answer, const char *list, const char *total_key,
                             ken_paint *out)
{
    long long n = (long long)json_array_size(json_object_get(answer, list)),
              total = ken_tool__number(answer, total_key),
              offset = ken_tool__number(answer, "offset");
    put_notes(answer, out);
    if (!n && offset)
        ken_paint_note(out, "nothing is left at {offset} %lld: there are %lld", offset, total);
    else if (offset + n < total)
        ken_paint_note(out, "showing %lld-%lld of %lld, next: {offset} %lld", offset + 1,
                       offset + n, total, offset + n);
    else if (offset)
        ken_paint_note(out, "showing %lld-%lld of %lld", offset + 1, offset + n, total);
}

void ken_tool__put_class(const json_t *o, ken_paint *out)
{
    ken_str class = ken_tool__member(o, "resolution"), why = ken_tool__member(o, "evidence");
    bool is_certain = ken_str_eq(class, KEN_STR("exact")) || ken_str_eq(class, KEN_STR("scoped")) ||
                      ken_str_eq(class, KEN_STR("imported"));
    if (!class.len || is_certain)
        return;
    ken_paint_printf(out, KEN_STYLE_DIM, " [" KEN_STR_FMT "%s" KEN_STR_FMT "]", KEN_STR_ARG(class),
                     why.len ? ": " : "", KEN_STR_ARG(why));
}

void ken_tool__put_routes(const json_t *list, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        ken_str method = ken_tool__member(r, "method");
        ken_paint_puts(out, "route: ");
        ken_paint_str(out, KEN_STYLE_PLAIN, method.len ? method : ken_tool__member(r, "event"));
        ken_paint_puts(out, " ");
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(r, "path"));
        ken_paint_puts(out, " ");
        ken_paint_at(out, ken_tool__member(r, "at"));
        ken_paint_puts(out, "\n");
    }
}
