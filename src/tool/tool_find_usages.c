// SPDX-License-Identifier: MIT
// find_usages: every use of a symbol, by file and kind.
#include <stdio.h>

#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    TEXT_MAX = 160, // bytes of a line
    AROUND_MAX = 1000,
    MEMBER_BYTES = 24, // of a new list: its name and brackets
    NOTE_BYTES = 300,  // of truncated, next_offset and hint
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
    ken_tool__set_others(o, u->others, u->n_others);
    set_unresolved(o, u);
    set_others(o, u);
    size_t used = ken_json_dump_size(o) + NOTE_BYTES + shape->n_tail_bytes;
    ken_str name = u->n_defs ? u->defs[0].name : shape->name;
    size_t n = put_files(u, name, shape->max_bytes > used ? shape->max_bytes - used : 0, files);
    ken_json_set(o, "files", files);
    if (shape->offset + n < u->n_total) {
        ken_json_set_bool(o, "truncated", true);
        ken_json_set_u64(o, "next_offset", shape->offset + n);
        ken_json_set_str(
            o, "hint",
            KEN_STR("there are more; go on with offset, or narrow with role, file_hint "
                    "or include_context false"));
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

static ken_status read_roles(const json_t *args, uint32_t *roles, ken_err *err)
{
    ken_str rest = { NULL, 0 }, word;
    ken_status st = ken_json_read_str(args, "args", "role", &rest, err);
    while (!st && ken_str_split_next(&rest, ',', &word)) {
        word = ken_str_trim(word);
        if (word.len)
            st = parse_role(word, roles, err);
    }
    return st;
}

static ken_status read_opts(const json_t *args, ken_usages_opts *o, ken_err *err)
{
    uint64_t limit = 0, offset = 0, context = 0;
    ken_status st = ken_json_read_str(args, "args", "symbol_name", &o->name, err);
    if (!st)
        st = ken_json_read_str(args, "args", "file_hint", &o->file_hint, err);
    if (!st)
        st = ken_json_read_bool(args, "args", "include_context", &o->wants_text, err);
    if (!st)
        st = ken_json_read_bool(args, "args", "tests_only", &o->wants_tests_only, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "limit", &limit, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "offset", &offset, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "context_lines", &context, err);
    if (!st)
        st = read_roles(args, &o->roles, err);
    o->limit = (uint32_t)limit;
    o->offset = (uint32_t)(offset > UINT32_MAX ? UINT32_MAX : offset);
    o->context_lines = (uint32_t)context;
    return st;
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

ken_status ken_tool__find_usages(const ken_tool_env *env, const json_t *args, json_t **out,
                                 ken_err *err)
{
    question q = { .env = env, .opts = { .wants_text = true } };
    ken_tool__scope scope;
    ken_status st = read_opts(args, &q.opts, err);
    if (!st)
        st = ken_tool__ask(env, args, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *tail = json_object();
    ken_tool__set_scope(tail, &scope);
    ken_tool__usages_shape shape = { .name = q.opts.name,
                                     .offset = q.opts.offset,
                                     .max_bytes = env->ctx->max_bytes,
                                     .n_tail_bytes = ken_json_dump_size(tail) };
    *out = ken_tool__usages_json(&q.found, &shape);
    json_object_update(*out, tail);
    json_decref(tail);
    ken_tool__close(env, &scope);
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

static void put_definitions(const json_t *list, ken_buf *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *d = json_array_get(list, i);
        ken_buf_printf(out, KEN_STR_FMT " " KEN_STR_FMT " " KEN_STR_FMT ":%lld-%lld\n",
                       KEN_STR_ARG(ken_tool__member(d, "kind")),
                       KEN_STR_ARG(ken_tool__member(d, "name")),
                       KEN_STR_ARG(ken_tool__member(d, "file_path")),
                       ken_tool__number(d, "start_line"), ken_tool__number(d, "end_line"));
    }
}

static void put_group(const json_t *list, const char *group, ken_buf *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *u = json_array_get(list, i);
        ken_str in = ken_tool__member(u, "in"), text = ken_tool__member(u, "text");
        ken_buf_printf(out, "  %lld %.*s", ken_tool__number(u, "line"), (int)strlen(group) - 1,
                       group);
        if (in.len)
            ken_buf_printf(out, " in " KEN_STR_FMT, KEN_STR_ARG(in));
        ken_tool__put_class(u, out);
        if (text.len)
            ken_buf_printf(out, "  " KEN_STR_FMT, KEN_STR_ARG(text));
        ken_buf_putc(out, '\n');
    }
}

static void put_places(const json_t *list, const char *what, ken_buf *out)
{
    const json_t *places = json_object_get(list, "places");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *p = json_array_get(places, i);
        ken_buf_printf(out, "%s: " KEN_STR_FMT "  " KEN_STR_FMT "\n", what,
                       KEN_STR_ARG(ken_tool__member(p, "at")),
                       KEN_STR_ARG(ken_tool__member(p, "text")));
    }
}

void ken_tool__find_usages_text(const json_t *result, ken_buf *out)
{
    const json_t *files = json_object_get(result, "files");
    put_definitions(json_object_get(result, "definitions"), out);
    ken_buf_printf(out, KEN_STR_FMT "\n", KEN_STR_ARG(ken_tool__member(result, "summary")));
    for (size_t f = 0; f < json_array_size(files); f++) {
        const json_t *file = json_array_get(files, f);
        ken_buf_printf(out, KEN_STR_FMT "%s%s\n", KEN_STR_ARG(ken_tool__member(file, "file_path")),
                       json_is_true(json_object_get(file, "is_test")) ? " (test)" : "",
                       json_is_true(json_object_get(file, "is_generated")) ? " (generated)" : "");
        for (int r = 0; r < KEN_REF_ROLE_COUNT; r++)
            put_group(json_object_get(file, groups[r]), groups[r], out);
    }
    put_places(json_object_get(result, "unresolved"), "unresolved", out);
    put_places(json_object_get(result, "in_text"), "in the text", out);
    ken_tool__put_tail(result, out);
}
