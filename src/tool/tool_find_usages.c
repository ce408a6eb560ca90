// SPDX-License-Identifier: MIT
// find_usages: every use of a symbol, by file and kind.
#include <stdio.h>

#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    TEXT_MAX = 160, // bytes of a line
    AROUND_MAX = 1000,
    MEMBER_BYTES = 24,  // of a new list: its name and brackets
    NOTE_BYTES = 300,   // of truncated, next_offset and hint
    TEXT_TOKENS = 1200, // of an answer as text, unless more is asked for
};

// What the uses of a role are called together.
static const char *const groups[KEN_REF_ROLE_COUNT] = {
    [KEN_REF_READ] = "reads",     [KEN_REF_WRITE] = "writes",
    [KEN_REF_CALL] = "calls",     [KEN_REF_NEW] = "constructions",
    [KEN_REF_TYPE] = "types",     [KEN_REF_INHERIT] = "subtypes",
    [KEN_REF_IMPORT] = "imports", [KEN_REF_DECORATE] = "decorations",
};

// ---- JSON --------------------------------------------------------------------------------------

static json_t *usage_json(const ken_usage *u, ken_str name)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "line", u->line + 1);
    if (u->within.len)
        ken_json_set_str(o, "in", u->within);
    if (u->name.len && !ken_str_eq(u->name, name))
        ken_json_set_str(o, "as", u->name);
    ken_tool__set_class(o, u->class, u->evidence);
    if (u->before.len)
        ken_json_set_str(o, "before", ken_tool__clip_lines(u->before, AROUND_MAX, true));
    if (u->text.len)
        ken_json_set_str(o, "text", ken_utf8_clip(ken_str_trim(u->text), TEXT_MAX));
    if (u->after.len)
        ken_json_set_str(o, "after", ken_tool__clip_lines(u->after, AROUND_MAX, false));
    return o;
}

static json_t *file_json(const ken_usage_file *f)
{
    json_t *o = json_object();
    ken_json_set_str(o, "file_path", f->path);
    if (f->is_test)
        ken_json_set_bool(o, "is_test", true);
    if (f->is_generated)
        ken_json_set_bool(o, "is_generated", true);
    return o;
}

// Puts a usage into its file, under its role, when there is room; takes the room away.
static bool put_usage(json_t *file, const ken_usage *u, ken_str name, size_t *room)
{
    const char *group = groups[u->role];
    json_t *list = json_object_get(file, group), *o = usage_json(u, name);
    size_t bytes = ken_json_dump_size(o) + (list ? 1 : MEMBER_BYTES);
    if (bytes > *room) {
        json_decref(o);
        return false;
    }
    *room -= bytes;
    if (!list) {
        list = json_array();
        ken_json_set(file, group, list);
    }
    ken_json_append(list, o);
    return true;
}

// Files with their usages, as far as there is room. Returns how many usages were put.
static size_t put_files(const ken_usages *u, ken_str name, size_t room, json_t *files)
{
    size_t n = 0;
    for (size_t f = 0; f < u->n_files; f++) {
        json_t *file = file_json(&u->files[f]);
        size_t bytes = ken_json_dump_size(file) + 1, n_put = 0;
        room = room > bytes ? room - bytes : 0;
        while (n_put < u->files[f].n && put_usage(file, &u->files[f].usages[n_put], name, &room))
            n_put++;
        if (n_put)
            ken_json_append(files, file);
        else
            json_decref(file);
        n += n_put;
        if (n_put < u->files[f].n)
            break;
    }
    return n;
}

static json_t *by_kind_json(const ken_usages *u)
{
    json_t *o = json_object();
    for (int r = 0; r < KEN_REF_ROLE_COUNT; r++)
        if (u->n_by_role[r])
            ken_json_set_u64(o, groups[r], u->n_by_role[r]);
    if (u->n_test_usages)
        ken_json_set_u64(o, "tests", u->n_test_usages);
    return o;
}

// "9 usages of parse: 7 calls, 2 imports; 3 in tests; 2 more places use this name and could not be
// resolved". Of a part only: "2 of 9 usages of parse; all of them: 7 calls, …"
static void put_counts(ken_buf *text, const ken_usages *u, ken_str name)
{
    size_t n_all = 0;
    for (int r = 0; r < KEN_REF_ROLE_COUNT; r++)
        n_all += u->n_by_role[r];
    const char *between = ": ";
    if (n_all > u->n_total) {
        ken_buf_printf(text, "%zu of ", u->n_total);
        between = "; all of them: ";
    }
    ken_buf_printf(text, "%zu usage%s of " KEN_STR_FMT, n_all, n_all == 1 ? "" : "s",
                   KEN_STR_ARG(ken_utf8_clip(name, 100)));
    for (int r = 0; r < KEN_REF_ROLE_COUNT; r++) {
        if (!u->n_by_role[r])
            continue;
        size_t n = u->n_by_role[r], len = strlen(groups[r]);
        ken_buf_printf(text, "%s%zu %.*s", between, n, (int)(n == 1 ? len - 1 : len), groups[r]);
        between = ", ";
    }
}

// Where nothing calls it: what else has its name. "; 12 other places use this name: 7 lead to other
// definitions, 5 out of the tree"
static void put_others(ken_buf *text, const ken_usages *u)
{
    size_t n = u->n_elsewhere + u->n_outside;
    const ken_said_in_text *in = &u->in_text;
    if (n)
        ken_buf_printf(text, "; %zu other place%s this name:", n, n == 1 ? " uses" : "s use");
    if (u->n_elsewhere)
        ken_buf_printf(text, " %zu lead%s to other definitions%s", u->n_elsewhere,
                       u->n_elsewhere == 1 ? "s" : "", u->n_outside ? "," : "");
    if (u->n_outside)
        ken_buf_printf(text, " %zu lead%s out of the tree", u->n_outside,
                       u->n_outside == 1 ? "s" : "");
    if (in->n_lines)
        ken_buf_printf(text, "; %s%zu line%s of %zu file%s the word where no reference is known",
                       in->is_cut ? "at least " : "", in->n_lines, in->n_lines == 1 ? "" : "s",
                       in->n_files, in->n_files == 1 ? " has" : "s have");
    else if (in->is_cut)
        ken_buf_printf(text, "; not every file that may have the word was read");
    if (in->n_left_out)
        ken_buf_printf(text, " (%zu of the files %s left out of the index)", in->n_left_out,
                       in->n_left_out == 1 ? "is" : "are");
}

static void set_summary(json_t *o, const ken_usages *u, ken_str name)
{
    ken_buf text = KEN_BUF_INIT(0);
    if (u->undefined.len)
        ken_buf_printf(&text, KEN_STR_FMT "; ", KEN_STR_ARG(u->undefined));
    put_counts(&text, u, name);
    if (u->n_test_usages)
        ken_buf_printf(&text, "; %zu in tests", u->n_test_usages);
    if (u->n_unresolved)
        ken_buf_printf(&text, "; %zu %splace%s this name and could not be resolved",
                       u->n_unresolved, u->n_total ? "more " : "",
                       u->n_unresolved == 1 ? " uses" : "s use");
    put_others(&text, u);
    if (u->n_defs)
        ken_tool__put_missed(&text, u->missed_scope, u->defs[0].qualified);
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

static void set_unresolved(json_t *o, const ken_usages *u)
{
    if (!u->n_unresolved)
        return;
    json_t *unresolved = json_object(), *places = json_array();
    for (size_t f = 0; f < u->n_unresolved_files; f++) {
        for (size_t i = 0; i < u->unresolved[f].n; i++) {
            const ken_usage *use = &u->unresolved[f].usages[i];
            json_t *place = json_object();
            ken_tool__set_at(place, "at", u->unresolved[f].path, use->line);
            if (use->within.len)
                ken_json_set_str(place, "in", use->within);
            if (use->text.len)
                ken_json_set_str(place, "text", ken_utf8_clip(ken_str_trim(use->text), TEXT_MAX));
            ken_json_append(places, place);
        }
    }
    ken_json_set_u64(unresolved, "total", u->n_unresolved);
    ken_json_set(unresolved, "places", places);
    ken_json_set(o, "unresolved", unresolved);
}

static void set_others(json_t *o, const ken_usages *u)
{
    const ken_said_in_text *in = &u->in_text;
    if (u->n_elsewhere)
        ken_json_set_u64(o, "elsewhere", u->n_elsewhere);
    if (u->n_outside)
        ken_json_set_u64(o, "outside", u->n_outside);
    if (!in->n_lines && !in->is_cut)
        return;
    json_t *said = json_object(), *places = json_array();
    for (size_t i = 0; i < in->n_places; i++) {
        json_t *place = json_object();
        ken_tool__set_at(place, "at", in->places[i].path, in->places[i].line);
        if (in->places[i].text.len)
            ken_json_set_str(place, "text",
                             ken_utf8_clip(ken_str_trim(in->places[i].text), TEXT_MAX));
        if (in->places[i].is_left_out)
            ken_json_set_bool(place, "left_out", true);
        ken_json_append(places, place);
    }
    ken_json_set_u64(said, "lines", in->n_lines);
    ken_json_set_u64(said, "files", in->n_files);
    if (in->is_cut)
        ken_json_set_bool(said, "is_part", true);
    ken_json_set(said, "places", places);
    ken_json_set(o, "in_text", said);
}

json_t *ken_tool__usages_json(const ken_usages *u, const ken_tool__usages_shape *shape)
{
    json_t *o = json_object(), *defs = json_array(), *files = json_array();
    for (size_t i = 0; i < u->n_defs; i++)
        ken_json_append(defs, ken_tool__node_json(&u->defs[i]));
    // Asked for by its place, it is told by its name.
    bool is_named = !u->n_defs || ken_str_ends(shape->name, ken_utf8_clip(u->defs[0].name, 60));
    set_summary(o, u, is_named ? shape->name : u->defs[0].qualified);
    ken_json_set(o, "definitions", defs);
    ken_json_set_u64(o, "total", u->n_total);
    ken_json_set(o, "by_kind", by_kind_json(u));
    ken_tool__set_others(o, u->n_defs ? &u->defs[0] : NULL, u->others, u->n_others, &u->chosen);
    set_unresolved(o, u);
    set_others(o, u);
    size_t used = ken_json_dump_size(o) + NOTE_BYTES + shape->n_tail_bytes;
    ken_str name = u->n_defs ? u->defs[0].name : shape->name;
    size_t n = put_files(u, name, shape->max_bytes > used ? shape->max_bytes - used : 0, files);
    ken_json_set(o, "files", files);
    if (shape->offset + n < u->n_total) {
        ken_json_set_bool(o, "truncated", true);
        ken_json_set_u64(o, "next_offset", shape->offset + n);
        ken_json_set_str(o, "hint",
                         KEN_STR("there are more; go on with {offset}, or narrow with {role} or "
                                 "{file_hint}"));
    }
    return o;
}

// ---- asking ------------------------------------------------------------------------------------

static ken_status parse_role(ken_str word, uint32_t *roles, ken_err *err)
{
    for (int r = 0; r < KEN_REF_ROLE_COUNT; r++)
        if (ken_str_eq_fold(word, ken_str_c(ken_ref_role_word((ken_ref_role)r))) ||
            ken_str_eq_fold(word, ken_str_c(groups[r]))) {
            *roles |= 1U << r;
            return KEN_OK;
        }
    return KEN_FAIL(err, KEN_EINVAL,
                    "args.role: '" KEN_STR_FMT "' is none of call, new, read, write, type, "
                    "inherit, import, decorate",
                    KEN_STR_ARG(ken_utf8_clip(word, 60)));
}

static ken_status read_roles(ken_str words, uint32_t *roles, ken_err *err)
{
    ken_str word;
    ken_status st = KEN_OK;
    while (!st && ken_str_split_next(&words, ',', &word)) {
        word = ken_str_trim(word);
        if (word.len)
            st = parse_role(word, roles, err);
    }
    return st;
}

static ken_status read_opts(const ken_args_find_usages *a, ken_usages_opts *o, ken_err *err)
{
    *o = (ken_usages_opts){
        .name = a->symbol_name,
        .file_hint = a->file_hint,
        .wants_text = a->include_context,
        .tests = ken_tool__tests_of(a->tests),
        .limit = (uint32_t)a->limit,
        .offset = (uint32_t)(a->offset > UINT32_MAX ? UINT32_MAX : a->offset),
        .context_lines = (uint32_t)a->context_lines,
    };
    return read_roles(a->role, &o->roles, err);
}

typedef struct question {
    const ken_tool_env *env;
    ken_usages_opts opts;
    ken_usages found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_find_usages(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found, err);
}

ken_status ken_tool__find_usages(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_find_usages *a = args;
    question q = { .env = env };
    ken_tool__scope scope;
    ken_status st = read_opts(a, &q.opts, err);
    if (!st)
        st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *tail = json_object();
    ken_tool__set_scope(tail, &scope);
    ken_tool__usages_shape shape = { .name = q.opts.name,
                                     .offset = q.opts.offset,
                                     .max_bytes = a->has_limit
                                                      ? env->ctx->max_bytes
                                                      : ken_tool__answer_bytes(env, 0, TEXT_TOKENS),
                                     .n_tail_bytes = ken_tool__size(tail) };
    *out = ken_tool__usages_json(&q.found, &shape);
    json_object_update(*out, tail);
    json_decref(tail);
    ken_tool__close(env, &scope);
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

static void put_around(ken_str text, long long first, ken_paint *out)
{
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        ken_paint_printf(out, KEN_STYLE_DIM, "  %lld ", first++);
        ken_paint_line(out, line, NULL, 0, 0);
        ken_paint_puts(out, "\n");
    }
}

// "  120 in retry: return backoff(n);" The role is told where it is no call.
static void put_usage_line(const json_t *u, ken_ref_role role, size_t n, const ken_str *name,
                           ken_paint *out)
{
    ken_str in = ken_tool__member(u, "in"), text = ken_tool__member(u, "text"),
            before = ken_tool__member(u, "before");
    long long line = ken_tool__number(u, "line");
    put_around(before, line - (long long)ken_tool__count_lines(before), out);
    ken_paint_printf(out, KEN_STYLE_LINE, "  %lld", line);
    if (role != KEN_REF_CALL)
        ken_paint_printf(out, KEN_STYLE_DIM, " %s", ken_ref_role_word(role));
    if (n > 1)
        ken_paint_printf(out, KEN_STYLE_DIM, " x%zu", n);
    if (in.len)
        ken_paint_printf(out, KEN_STYLE_DIM, " in " KEN_STR_FMT, KEN_STR_ARG(in));
    ken_tool__put_class(u, out);
    if (text.len) {
        ken_paint_puts(out, ": ");
        ken_paint_line(out, text, name, name->len ? 1 : 0, 0);
    }
    ken_paint_puts(out, "\n");
    put_around(ken_tool__member(u, "after"), line + 1, out);
}

static void put_file(const json_t *file, const ken_str *name, ken_paint *out)
{
    ken_paint_path(out, ken_tool__member(file, "file_path"));
    if (json_is_true(json_object_get(file, "is_test")))
        ken_paint_puts(out, " (test)");
    if (json_is_true(json_object_get(file, "is_generated")))
        ken_paint_puts(out, " (generated)");
    ken_paint_puts(out, "\n");
    for (int r = 0; r < KEN_REF_ROLE_COUNT; r++) {
        const json_t *list = json_object_get(file, groups[r]);
        for (size_t i = 0, n = 1; i < json_array_size(list); i += n) {
            const json_t *u = json_array_get(list, i);
            for (n = 1; json_equal(u, json_array_get(list, i + n)); n++)
                continue; // once more in the same line
            put_usage_line(u, (ken_ref_role)r, n, name, out);
        }
    }
}

static void put_places(const json_t *list, const char *what, ken_paint *out)
{
    const json_t *places = json_object_get(list, "places");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *p = json_array_get(places, i);
        ken_paint_printf(out, KEN_STYLE_NOTE, "%s: ", what);
        ken_paint_at(out, ken_tool__member(p, "at"));
        ken_paint_puts(out, " ");
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(p, "text"));
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__find_usages_text(const json_t *answer, ken_paint *out)
{
    const json_t *files = json_object_get(answer, "files"),
                 *defs = json_object_get(answer, "definitions");
    ken_str name = ken_tool__member(json_array_get(defs, 0), "name");
    size_t dot = ken_str_rfind_char(name, '.');
    if (dot != SIZE_MAX)
        name = ken_str_sub(name, dot + 1, name.len);
    for (size_t i = 0; i < json_array_size(defs); i++)
        ken_tool__put_definition(json_array_get(defs, i), "name", out);
    ken_tool__put_summary(answer, out);
    for (size_t i = 0; i < json_array_size(files); i++)
        put_file(json_array_get(files, i), &name, out);
    put_places(json_object_get(answer, "unresolved"), "unresolved", out);
    put_places(json_object_get(answer, "in_text"), "in the text", out);
    ken_tool__put_tail(answer, out);
}
