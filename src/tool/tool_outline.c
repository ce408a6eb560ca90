// SPDX-License-Identifier: MIT
// outline: the tree of symbols of one file.
//
// A node's id is "<path>#<qualified name>", with "~2", "~3" … for the second, third … of one name
// in file order: readable, stable while the file is edited, and resolved without any state.
#include "base/alloc.h"
#include "base/map.h"
#include "base/utf8.h"
#include "lang/lang.h"
#include "lang/lang_prose.h"
#include "lang/lang_table.h"
#include "query/query_facts.h"
#include "tool/tool_graph_priv.h"

enum {
    SIGNATURE_MAX = 300,
    ENTRY_RESERVE = 600,
    PROSE_MAX = 5000, // code blocks and links of a file
    PROSE_TEXT_MAX = 200,
    IMPORTS_SHOWN = 100 // of a file, and of those that import it
};

typedef struct outline {
    const ken_tool_env *env;
    const ken_file_view *view;
    ken_str *names; // one per symbol: the end of its id
    json_t **nodes; // one per symbol; NULL = left out
    // Of Markdown, when they are asked for: code blocks and links by the heading above them, one list per
    // symbol and one for what stands before the first; NULL = none.
    json_t **code, **links;
    uint32_t max_depth;
    uint32_t offset;        // symbols that were shown before
    size_t bytes;           // of what was made so far
    uint32_t n_shown, next; // next: the first symbol for which there was no room
} outline;

ken_str ken_tool__node_name(ken_arena *arena, ken_map *seen, const ken_facts *facts,
                            uint32_t symbol)
{
    ken_str name = ken_view_qualified(arena, facts, symbol);
    uint64_t *n = ken_map_put(seen, name, 0, NULL);
    if (++*n == 1)
        return name;
    return ken_arena_printf(arena, KEN_STR_FMT "~%llu", KEN_STR_ARG(name), (unsigned long long)*n);
}

static json_t *node_json(outline *o, uint32_t i)
{
    const ken_symbol *s = &o->view->facts->symbols[i];
    ken_arena *a = o->env->arena;
    ken_str signature = ken_view_line(a, o->view->text, s->signature);
    json_t *node = json_object();
    ken_json_set_str(node, "id",
                     ken_arena_printf(a, KEN_STR_FMT "#" KEN_STR_FMT, KEN_STR_ARG(o->view->path),
                                      KEN_STR_ARG(o->names[i])));
    ken_json_set_str(node, "name", s->name);
    ken_json_set_str(node, "kind", ken_str_c(ken_symbol_kind_word(s->kind)));
    ken_json_set_u64(node, "start_line", s->first_line + 1);
    ken_json_set_u64(node, "end_line", s->last_line + 1);
    if (signature.len)
        ken_json_set_str(node, "signature", ken_utf8_clip(signature, SIGNATURE_MAX));
    if (s->visibility != KEN_VISIBILITY_UNKNOWN)
        ken_json_set_str(node, "visibility", ken_str_c(ken_visibility_word(s->visibility)));
    return node;
}

// ---- code blocks and links -----------------------------------------------------------------------

static json_t *prose_json(const ken_prose_item *item)
{
    json_t *o = json_object();
    bool is_code = item->kind == KEN_PROSE_CODE;
    ken_json_set_str(o, is_code ? "language" : "text", ken_utf8_clip(item->text, PROSE_TEXT_MAX));
    if (!is_code)
        ken_json_set_str(o, "target", ken_utf8_clip(item->target, SIGNATURE_MAX));
    ken_json_set_u64(o, is_code ? "start_line" : "line", item->first_line + 1u);
    if (is_code)
        ken_json_set_u64(o, "end_line", item->last_line + 1u);
    return o;
}

// The innermost heading above a byte; the number of symbols when there is none. Sections follow each other
// and what they hold, so the last that began and has not ended is the innermost.
static uint32_t heading_of(const ken_facts *f, uint32_t byte)
{
    uint32_t found = f->n_symbols;
    for (uint32_t i = 0; i < f->n_symbols && f->symbols[i].span.start <= byte; i++)
        if (f->symbols[i].span.end > byte)
            found = i;
    return found;
}

static void read_prose(outline *o)
{
    const ken_facts *f = o->view->facts;
    ken_prose prose;
    ken_prose_item item;
    o->code = KEN_ARENA_ARRAY(o->env->arena, json_t *, f->n_symbols + 1u);
    o->links = KEN_ARENA_ARRAY(o->env->arena, json_t *, f->n_symbols + 1u);
    for (uint32_t i = 0; i <= f->n_symbols; i++)
        o->code[i] = o->links[i] = NULL;
    ken_prose_init(&prose, o->view->text);
    for (size_t n = 0; n < PROSE_MAX && ken_prose_next(&prose, &item); n++) {
        json_t **list =
            (item.kind == KEN_PROSE_CODE ? o->code : o->links) + heading_of(f, item.byte);
        if (!*list)
            *list = json_array();
        ken_json_append(*list, prose_json(&item));
    }
}

// Moves the lists of a heading to `node`.
static void take_prose(outline *o, uint32_t heading, json_t *node)
{
    if (!o->code)
        return;
    if (o->code[heading])
        ken_json_set(node, "code_blocks", o->code[heading]);
    if (o->links[heading])
        ken_json_set(node, "links", o->links[heading]);
    o->code[heading] = o->links[heading] = NULL;
}

static void drop_prose(outline *o)
{
    for (uint32_t i = 0; o->code && i <= o->view->facts->n_symbols; i++) {
        json_decref(o->code[i]);
        json_decref(o->links[i]);
    }
}

// Hangs symbol `i`, the `place`-th of the file, into the tree while there is room; its parent, if any, came
// before it, perhaps in an answer before this one.
static void add_symbol(outline *o, uint32_t i, uint32_t place, json_t *roots)
{
    const ken_symbol *s = &o->view->facts->symbols[i];
    if (place < o->offset || s->depth >= o->max_depth || o->next)
        return;
    json_t *node = node_json(o, i);
    take_prose(o, i, node);
    json_t *parent = s->parent >= 0 ? o->nodes[s->parent] : NULL;
    size_t bytes = ken_json_dump_size(node) + sizeof "\"children\":[],";
    if (o->n_shown && o->bytes + bytes + ENTRY_RESERVE > o->env->ctx->max_bytes) {
        o->next = place;
        json_decref(node);
        return;
    }
    o->bytes += bytes;
    o->n_shown++;
    o->nodes[i] = node;
    json_t *list = parent ? json_object_get(parent, "children") : roots;
    if (!list) {
        list = json_array();
        ken_json_set(parent, "children", list);
    }
    ken_json_append(list, node);
}

static int compare_places(const void *a, const void *b, void *symbols)
{
    const ken_symbol *all = symbols;
    const uint32_t *x = a, *y = b;
    if (all[*x].span.start != all[*y].span.start)
        return all[*x].span.start < all[*y].span.start ? -1 : 1;
    return *x < *y ? -1 : 1;
}

// The symbols as they stand in the file: those of an embedded language come behind all others in the facts. A
// parent stays before its children.
static uint32_t *in_order(const ken_facts *f, ken_arena *arena)
{
    uint32_t *order = KEN_ARENA_ARRAY(arena, uint32_t, f->n_symbols + 1u);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        order[i] = i;
    qsort_r(order, f->n_symbols, sizeof *order, compare_places, f->symbols);
    return order;
}

static ken_str *name_all(const ken_facts *f, ken_arena *arena)
{
    ken_map seen; // how often each qualified name has come
    ken_str *names = KEN_ARENA_ARRAY(arena, ken_str, f->n_symbols + 1u);
    ken_map_init(&seen);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        names[i] = ken_tool__node_name(arena, &seen, f, i);
    ken_map_release(&seen);
    return names;
}

static json_t *outline_json(const ken_tool_env *env, const ken_tool__scope *scope,
                            const ken_file_view *view, const ken_args_outline *a)
{
    uint64_t depth = a->depth, offset = a->offset;
    const ken_facts *f = view->facts;
    outline o = { .env = env,
                  .view = view,
                  .max_depth = depth ? (uint32_t)depth : UINT32_MAX,
                  .offset = offset < f->n_symbols ? (uint32_t)offset : f->n_symbols };
    o.nodes = KEN_ARENA_ARRAY(env->arena, json_t *, f->n_symbols ? f->n_symbols : 1);
    o.names = name_all(f, env->arena);
    json_t *roots = json_array(), *out = json_object();
    if (a->links && ken_lang_at(f->lang)->has_prose)
        read_prose(&o);
    const uint32_t *order = in_order(f, env->arena);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        add_symbol(&o, order[i], i, roots);
    ken_json_set_str(out, "file_path", view->path);
    ken_json_set_str(out, "language", view->language);
    ken_json_set_u64(out, "lines", f->n_lines);
    ken_json_set(out, "symbols", roots);
    take_prose(&o, f->n_symbols, out);
    drop_prose(&o);
    ken_json_set_u64(out, "total", f->n_symbols);
    ken_json_set(out, "project", ken_tool__project_json(&scope->project));
    if (view->is_refreshed)
        ken_json_set_bool(out, "changed_since_index", true);
    if (f->n_error_bytes)
        ken_json_set_u64(out, "bytes_in_syntax_errors", f->n_error_bytes);
    if (o.next) {
        ken_json_set_bool(out, "truncated", true);
        ken_json_set_u64(out, "shown", o.n_shown);
        ken_json_set_u64(out, "next_offset", o.next);
        ken_json_set_str(out, "hint",
                         KEN_STR("the outline was cut to fit; go on with {offset}, or ask with "
                                 "{depth} 1 or 2"));
    } else if (!f->n_symbols) {
        ken_json_set_str(out, "hint",
                         KEN_STR("no symbols: not a language with a grammar, or a "
                                 "file without definitions"));
    }
    return out;
}

// ---- imports -----------------------------------------------------------------------------------

static json_t *import_json(const ken_import_fact *f)
{
    json_t *o = json_object();
    ken_json_set_str(o, "module", f->module);
    if (f->target == KEN_IMPORT_FILES)
        ken_json_set(o, "files", ken_tool__strings_json(f->files, f->n_files));
    else
        ken_json_set_str(o, "leads",
                         f->target == KEN_IMPORT_PACKAGE ? KEN_STR("outside") : KEN_STR("unknown"));
    if (f->is_guess)
        ken_json_set_bool(o, "by_convention", true);
    if (f->is_type_only)
        ken_json_set_bool(o, "type_only", true);
    ken_json_set_u64(o, "line", f->at.line + 1u);
    return o;
}

static json_t *importer_json(const ken_import_fact *f)
{
    json_t *o = json_object();
    ken_tool__set_at(o, "at", f->path, f->at.line);
    ken_json_set_str(o, "module", f->module);
    return o;
}

static void set_imports(json_t *out, const char *key, const char *total, const ken_imports *list,
                        json_t *(*make)(const ken_import_fact *))
{
    json_t *items = json_array();
    for (size_t i = 0; i < list->n && i < IMPORTS_SHOWN; i++)
        ken_json_append(items, make(&list->items[i]));
    ken_json_set(out, key, items);
    ken_json_set_u64(out, total, list->n);
    if (list->n > IMPORTS_SHOWN)
        ken_json_set_bool(out, "truncated", true);
}

// What the file imports, and which files import it, by the language's own rules.
static ken_status imports_json(const ken_tool_env *env, const ken_tool__scope *scope,
                               const ken_file_view *view, json_t **out, ken_err *err)
{
    static const char *const lists[] = { "imported_by", "imports" };
    ken_str path = view->path;
    ken_imports_query own = { .scope = { .only = { &path, 1 } }, .wants_places = true },
                      others = { .to = { &path, 1 }, .wants_places = true };
    ken_imports imports, importers;
    ken_status st =
        ken_list_imports(scope->snap, &own, env->ctx->cancel, env->arena, &imports, err);
    if (!st)
        st = ken_list_imports(scope->snap, &others, env->ctx->cancel, env->arena, &importers, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set_str(o, "file_path", path);
    ken_json_set_str(o, "language", view->language);
    ken_json_set_u64(o, "lines", view->facts->n_lines);
    set_imports(o, "imports", "imports_total", &imports, import_json);
    set_imports(o, "imported_by", "imported_by_total", &importers, importer_json);
    ken_json_set(o, "project", ken_tool__project_json(&scope->project));
    ken_tool__fit_lists(o, lists, sizeof lists / sizeof *lists, env->ctx->max_bytes,
                        "lists were cut to fit; the totals count all");
    *out = o;
    return KEN_OK;
}

ken_status ken_tool__outline(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    const ken_args_outline *a = args;
    ken_tool__scope scope;
    ken_file_view view;
    ken_status st = ken_tool__open(env, a->project, &scope, err);
    if (st)
        return st;
    st = ken_view_file(scope.snap, a->file_path, env->arena, &view, err);
    if (!st && a->imports)
        st = imports_json(env, &scope, &view, out, err);
    else if (!st)
        *out = outline_json(env, &scope, &view, a);
    ken_tool__close(env, &scope);
    return st;
}

// ---- text --------------------------------------------------------------------------------------

// "  12-14 code c", "  20 the guide -> docs/guide.md"
static void put_prose(const json_t *node, int depth, ken_paint *out)
{
    const json_t *code = json_object_get(node, "code_blocks"),
                 *links = json_object_get(node, "links");
    for (size_t i = 0; i < json_array_size(code); i++) {
        const json_t *c = json_array_get(code, i);
        ken_str language = ken_tool__member(c, "language");
        ken_paint_printf(out, KEN_STYLE_LINE, "%*s%lld-%lld ", 2 * depth, "",
                         ken_tool__number(c, "start_line"), ken_tool__number(c, "end_line"));
        ken_paint_puts(out, language.len ? "code " : "code");
        ken_paint_str(out, KEN_STYLE_NAME, language);
        ken_paint_puts(out, "\n");
    }
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *l = json_array_get(links, i);
        ken_paint_printf(out, KEN_STYLE_LINE, "%*s%lld ", 2 * depth, "",
                         ken_tool__number(l, "line"));
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(l, "text"));
        ken_paint_puts(out, " -> ");
        ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(l, "target"));
        ken_paint_puts(out, "\n");
    }
}

static void put_nodes(const json_t *list, int depth, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *n = json_array_get(list, i);
        ken_str what = ken_tool__member(n, "signature"), name = ken_tool__member(n, "name");
        for (int d = 0; d < depth; d++)
            ken_paint_puts(out, "  ");
        ken_paint_printf(out, KEN_STYLE_LINE, "%lld-%lld ", ken_tool__number(n, "start_line"),
                         ken_tool__number(n, "end_line"));
        if (!what.len) {
            ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(n, "kind"));
            ken_paint_puts(out, " ");
        }
        ken_paint_line(out, what.len ? what : name, &name, 1, 0);
        ken_paint_puts(out, "\n");
        put_prose(n, depth + 1, out);
        put_nodes(json_object_get(n, "children"), depth + 1, out); // as deep as the file nests
    }
}

// "  3 .ctx -> src/flask/ctx.py"
static void put_imports(const json_t *answer, ken_paint *out)
{
    const json_t *imports = json_object_get(answer, "imports"),
                 *importers = json_object_get(answer, "imported_by");
    if (!imports)
        return;
    ken_paint_printf(out, KEN_STYLE_BOLD, "imports %lld modules:\n",
                     ken_tool__number(answer, "imports_total"));
    for (size_t i = 0; i < json_array_size(imports); i++) {
        const json_t *m = json_array_get(imports, i);
        ken_paint_printf(out, KEN_STYLE_LINE, "  %lld ", ken_tool__number(m, "line"));
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(m, "module"));
        ken_paint_puts(out, " -> ");
        ken_tool__put_texts(json_object_get(m, "files"), "", ", ", "", out);
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(m, "leads"));
        ken_paint_puts(out, "\n");
    }
    ken_paint_printf(out, KEN_STYLE_BOLD, "imported at %lld place%s:\n",
                     ken_tool__number(answer, "imported_by_total"),
                     ken_tool__number(answer, "imported_by_total") == 1 ? "" : "s");
    for (size_t i = 0; i < json_array_size(importers); i++) {
        const json_t *m = json_array_get(importers, i);
        ken_paint_puts(out, "  ");
        ken_paint_at(out, ken_tool__member(m, "at"));
        ken_paint_puts(out, " as ");
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(m, "module"));
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__outline_text(const json_t *answer, ken_paint *out)
{
    ken_paint_path(out, ken_tool__member(answer, "file_path"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, " (" KEN_STR_FMT ", %lld line%s)\n",
                     KEN_STR_ARG(ken_tool__member(answer, "language")),
                     ken_tool__number(answer, "lines"),
                     ken_tool__number(answer, "lines") == 1 ? "" : "s");
    put_prose(answer, 0, out);
    put_nodes(json_object_get(answer, "symbols"), 0, out);
    if (json_object_get(answer, "bytes_in_syntax_errors"))
        ken_paint_printf(out, KEN_STYLE_NOTE,
                         "%lld bytes stand in syntax errors; definitions in them may be missing\n",
                         ken_tool__number(answer, "bytes_in_syntax_errors"));
    put_imports(answer, out);
    ken_tool__put_tail(answer, out);
}
