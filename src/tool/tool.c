// SPDX-License-Identifier: MIT
#include "tool/tool.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/path.h"
#include "json/json.h"
#include "metrics/metrics.h"
#include "store/store.h"
#include "tool/tool_priv.h"

typedef struct tool_entry {
    ken_tool_def def;
    json_t *listing;      // owned; NULL in the set of direct calls
    const json_t *schema; // in listing
} tool_entry;

struct ken_toolset {
    tool_entry *entries;
    size_t n;
};

// ---- building a set ----------------------------------------------------------------------------

// `is_full`: with the parameters that agents are not offered.
static ken_status read_entry(const ken_tool_def *def, bool is_full, tool_entry *out, ken_err *err)
{
    json_t *listing = NULL;
    const char *text = is_full && def->spec->full ? def->spec->full : def->spec->listing;
    ken_status st = ken_json_parse(ken_str_c(text), &listing, err);
    if (st)
        return ken_err_wrap(err, "specification of '%.60s'", def->spec->name);
    const json_t *schema = ken_json_get_object(listing, "inputSchema");
    st = ken_json_check_schema(schema, def->spec->name, err);
    if (st) {
        json_decref(listing);
        return st;
    }
    *out = (tool_entry){ *def, listing, schema };
    return KEN_OK;
}

static void release_entry(tool_entry *e)
{
    json_decref(e->listing);
}

static ken_str entry_set(const tool_entry *e)
{
    return ken_str_c(e->def.spec->set);
}

static bool is_wanted(const ken_toolset_opts *o, const tool_entry *e)
{
    if (o->is_read_only && !e->def.spec->is_read_only)
        return false;
    if (!*e->def.spec->set) // not offered to agents
        return false;
    if (!o->n_sets)
        return true;
    for (size_t i = 0; i < o->n_sets; i++) {
        if (ken_str_eq(o->sets[i], KEN_STR("all")) || ken_str_eq(o->sets[i], entry_set(e)))
            return true;
    }
    return false;
}

// Every name in opts->sets must be a set of some tool.
static ken_status check_sets(const ken_toolset_opts *o, const ken_toolset *all, ken_err *err)
{
    for (size_t i = 0; i < o->n_sets; i++) {
        ken_buf known = KEN_BUF_INIT(200);
        bool is_known = ken_str_eq(o->sets[i], KEN_STR("all"));
        for (size_t k = 0, last = SIZE_MAX; k < all->n && !is_known; k++) {
            ken_str set = entry_set(&all->entries[k]);
            if (!set.len) // not offered to agents
                continue;
            is_known = ken_str_eq(o->sets[i], set);
            if (last == SIZE_MAX || !ken_str_eq(set, entry_set(&all->entries[last])))
                ken_buf_printf(&known, "%s" KEN_STR_FMT, last == SIZE_MAX ? "" : ", ",
                               KEN_STR_ARG(set));
            last = k;
        }
        ken_status st = KEN_OK;
        if (!is_known)
            st = KEN_FAIL(err, KEN_EINVAL, "toolset '" KEN_STR_FMT "' is none of all, %s",
                          KEN_STR_ARG(ken_str_sub(o->sets[i], 0, 60)), known.ptr ? known.ptr : "");
        ken_buf_release(&known);
        if (st)
            return st;
    }
    return KEN_OK;
}

ken_status ken_toolset_new(const ken_toolset_opts *opts, ken_toolset **out, ken_err *err)
{
    ken_status st = KEN_OK;
    const ken_tool_def *defs = opts->defs ? opts->defs : ken_tool__builtin;
    size_t n = opts->defs ? opts->n_defs : ken_tool__n_builtin;
    ken_toolset *t = ken_zalloc(sizeof *t);
    t->entries = ken_zalloc(ken_mul_size(n ? n : 1, sizeof *t->entries));
    for (; !st && t->n < n; t->n++) {
        st = read_entry(&defs[t->n], false, &t->entries[t->n], err);
        if (st)
            goto out;
    }
    st = check_sets(opts, t, err);
    if (st)
        goto out;
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (is_wanted(opts, &t->entries[i]))
            t->entries[kept++] = t->entries[i];
        else
            release_entry(&t->entries[i]);
    }
    t->n = kept;
    *out = t;
    t = NULL;
out:
    ken_toolset_free(t);
    return st;
}

void ken_toolset_free(ken_toolset *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        release_entry(&t->entries[i]);
    ken_free(t->entries);
    ken_free(t);
}

// ---- looking at a set --------------------------------------------------------------------------

static const tool_entry *find_entry(const ken_toolset *t, ken_str name)
{
    for (size_t i = 0; i < t->n; i++) {
        if (ken_str_eq_c(name, t->entries[i].def.spec->name))
            return &t->entries[i];
    }
    return NULL;
}

size_t ken_toolset_count(const ken_toolset *t)
{
    return t->n;
}

const char *ken_toolset_name(const ken_toolset *t, size_t i)
{
    return i < t->n ? t->entries[i].def.spec->name : NULL;
}

const char *ken_toolset_listing(const ken_toolset *t, size_t i)
{
    return i < t->n ? t->entries[i].def.spec->listing : NULL;
}

bool ken_toolset_has(const ken_toolset *t, ken_str name)
{
    return find_entry(t, name) != NULL;
}

const char *ken_toolset_nearest(const ken_toolset *t, ken_str name)
{
    json_t *names = json_object();
    const char *near = NULL;
    for (size_t i = 0; i < t->n; i++)
        ken_json_set_bool(names, t->entries[i].def.spec->name, true);
    const char *key = ken_json_nearest_key(names, name);
    for (size_t i = 0; key && i < t->n; i++) {
        if (!strcmp(key, t->entries[i].def.spec->name))
            near = t->entries[i].def.spec->name;
    }
    json_decref(names);
    return near;
}

uint64_t ken_toolset_timeout_ms(const ken_toolset *t, ken_str name)
{
    const tool_entry *e = find_entry(t, name);
    return e ? e->def.spec->timeout_ms : 0;
}

void ken_toolset_list(const ken_toolset *t, ken_buf *out)
{
    ken_buf_putc(out, '[');
    for (size_t i = 0; i < t->n; i++) {
        ken_buf_puts(out, i ? "," : "");
        ken_buf_puts(out, t->entries[i].def.spec->listing);
    }
    ken_buf_putc(out, ']');
}

const ken_tool_spec *ken_tool_spec_at(size_t i)
{
    return i < ken_tool__n_builtin ? ken_tool__builtin[i].spec : NULL;
}

const ken_tool_spec *ken_tool_spec_find(ken_str name)
{
    for (size_t i = 0; i < ken_tool__n_builtin; i++)
        if (ken_str_eq_c(name, ken_tool__builtin[i].spec->name))
            return ken_tool__builtin[i].spec;
    return NULL;
}

static ken_toolset *builtin_set;
static pthread_once_t builtin_once = PTHREAD_ONCE_INIT;

// Of calls that name no set. Their schemas are not parsed here: a process that makes one call needs one.
static void make_builtin_set(void)
{
    builtin_set = ken_zalloc(sizeof *builtin_set);
    builtin_set->entries = ken_zalloc(ken_tool__n_builtin * sizeof *builtin_set->entries);
    for (; builtin_set->n < ken_tool__n_builtin; builtin_set->n++)
        builtin_set->entries[builtin_set->n].def = ken_tool__builtin[builtin_set->n];
}

static ken_status prepare_args(const tool_entry *e, const json_t *args, json_t **out, ken_err *err)
{
    tool_entry own = *e;
    ken_status st = e->schema ? KEN_OK : read_entry(&e->def, true, &own, err);
    if (st)
        return st;
    st = ken_tool__prepare_args(own.def.spec, own.schema, args, out, err);
    if (!e->schema)
        release_entry(&own);
    return st;
}

// ---- calling -----------------------------------------------------------------------------------

static void put_part(const json_t *result, ken_buf *out)
{
    ken_str hint = ken_json_text(json_object_get(result, "budget_hint"));
    if (!hint.len)
        return;
    if (out->len && out->ptr[out->len - 1] != '\n')
        ken_buf_putc(out, '\n');
    ken_buf_put_str(out, hint);
    ken_buf_putc(out, '\n');
}

// Where the reader stands, against the root that the paths of the answer begin at.
static void set_place(ken_paint *p, ken_str here, const json_t *result)
{
    ken_str root = ken_json_text(json_object_get(json_object_get(result, "project"), "root"));
    if (!root.len)
        root = ken_json_text(json_object_get(result, "projectRoot"));
    if (!here.len || !root.len)
        return;
    p->here = ken_path_relative(root, here);
    if (p->here.ptr)
        return;
    ken_str below = ken_path_relative(here, root); // a project in a folder of where they stand
    p->root = below.len ? below : root;
}

// The further roots of the answer's project.
static ken_roots roots_of(const json_t *result, ken_arena *arena)
{
    ken_roots r = { .fd = -1 };
    const char *name;
    json_t *path, *roots = json_object_get(json_object_get(result, "project"), "roots");
    r.more = KEN_ARENA_ARRAY(arena, ken_root, json_object_size(roots) + 1);
    json_object_foreach(roots, name, path) r.more[r.n++] =
        (ken_root){ .name = ken_str_c(name + 1), .path = ken_json_text(path), .fd = -1 };
    return r;
}

// Where the files are whose paths begin with a mark, for who does not see them as they open.
static void put_roots(const ken_paint *p, const ken_roots *roots, ken_buf *out)
{
    for (size_t i = 0; i < roots->n && !p->roots; i++)
        ken_buf_printf(out, "%s@" KEN_STR_FMT " = " KEN_STR_FMT "%s",
                       i ? ", " : "roots: ", KEN_STR_ARG(roots->more[i].name),
                       KEN_STR_ARG(roots->more[i].path), i + 1 == roots->n ? "\n" : "");
}

// What a person types for a parameter: "--limit", or the word of the command line.
static const char *typed_name(const ken_tool_command *c, const char *param, ken_arena *arena)
{
    for (size_t i = 0; i < c->n_options; i++)
        if (c->options[i].param && !strcmp(c->options[i].param, param))
            return ken_arena_printf(arena, "--%s", c->options[i].name).ptr;
    for (size_t i = 0; i < c->n_words; i++)
        if (c->words[i].param && !strcmp(c->words[i].param, param))
            return c->words[i].name;
    return param;
}

// In texts of ours the names of parameters and of other tools stand in braces.
static void set_names(ken_paint *p, const ken_tool_spec *spec, bool is_command, ken_arena *arena)
{
    size_t n = 0, n_tools = 0;
    while (ken_tool_spec_at(n_tools))
        n_tools++;
    ken_paint_name *names = KEN_ARENA_ARRAY(arena, ken_paint_name, spec->n_args + n_tools);
    for (size_t i = 0; i < spec->n_args; i++) {
        const char *name = spec->args[i].name;
        bool is_typed = is_command && spec->command;
        names[n++] =
            (ken_paint_name){ name, is_typed ? typed_name(spec->command, name, arena) : name };
    }
    for (size_t i = 0; i < n_tools; i++) {
        const ken_tool_spec *tool = ken_tool_spec_at(i);
        bool is_typed = is_command && tool->command;
        names[n++] = (ken_paint_name){
            tool->name,
            is_typed ? ken_arena_printf(arena, "'ken %s'", tool->command->name).ptr : tool->name
        };
    }
    p->names = names;
    p->n_names = n;
}

// The same in the texts of an answer that stays JSON, which names parameters as it takes them.
static void name_params(const tool_entry *e, json_t *result, ken_arena *arena)
{
    static const char *const keys[] = { "hint", "note" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ken_str text = ken_json_text(json_object_get(result, keys[i]));
        ken_buf named = KEN_BUF_INIT(0);
        ken_paint paint = { .out = &named };
        if (ken_str_find_char(text, '{') == SIZE_MAX)
            continue;
        set_names(&paint, e->def.spec, false, arena);
        ken_paint_named(&paint, text);
        ken_json_set_str(result, keys[i], ken_buf_str(&named));
        ken_buf_release(&named);
    }
}

// Whether the list is paged by its items: then what was taken from its end is where to go on.
static bool is_paged(const ken_tool_spec *spec)
{
    bool has_offset = false;
    for (size_t i = 0; i < spec->n_args; i++)
        has_offset = has_offset || !strcmp(spec->args[i].name, "offset");
    return has_offset && spec->list && strcmp(spec->list, "files") != 0;
}

static void set_rest(const tool_entry *e, const json_t *given, size_t n, json_t *result)
{
    json_int_t offset = json_integer_value(json_object_get(given, "offset"));
    ken_json_set_bool(result, "truncated", true);
    if (is_paged(e->def.spec))
        ken_json_set_u64(result, "next_offset", (uint64_t)offset + n);
}

#define CUT_NOTE "(cut to fit; ask for less, or for more max_tokens)\n"

enum {
    CUT_BYTES = sizeof CUT_NOTE + 40 // of what stands behind a text that was cut
};

// Text that nothing can be taken from is cut at a line, and says so; where to go on stays.
static json_t *clipped_text(ken_str text, const json_t *result, size_t max_bytes)
{
    const json_t *next = json_object_get(result, "next_offset");
    if (text.len <= max_bytes)
        return ken_json_str(text);
    size_t room = max_bytes > CUT_BYTES ? max_bytes - CUT_BYTES : max_bytes;
    ken_buf out = KEN_BUF_INIT(0);
    ken_buf_put_str(&out, ken_tool__clip_lines(text, room, false));
    ken_buf_puts(&out, CUT_NOTE);
    if (next)
        ken_buf_printf(&out, "more: offset %lld\n", (long long)json_integer_value(next));
    json_t *json = ken_json_str(ken_buf_str(&out));
    ken_buf_release(&out);
    return json;
}

// Shortens a text by taking items away from the end of the answer's list until it fits.
static json_t *text_result(const tool_entry *e, const ken_tool_env *env, json_t *result,
                           size_t max_bytes)
{
    const ken_tool_ctx *ctx = env->ctx;
    ken_buf text = KEN_BUF_INIT(0);
    ken_paint paint = { .out = &text, .has_color = ctx->has_color };
    const char *member = e->def.spec->list;
    set_place(&paint, ctx->here, result);
    const ken_roots roots = roots_of(result, env->arena);
    paint.roots = roots.n && ctx->here.len ? &roots : NULL;
    set_names(&paint, e->def.spec, ctx->is_command, env->arena);
    for (;;) {
        ken_buf_clear(&text);
        e->def.to_text(result, &paint);
        put_part(result, &text);
        put_roots(&paint, &roots, &text);
        size_t n = member ? json_array_size(json_object_get(result, member)) : 0;
        if (text.len <= max_bytes || n <= 1)
            break;
        size_t goal = n * max_bytes / text.len;
        json_t *list = json_object_get(result, member);
        for (goal = goal < n ? goal : n - 1; n > (goal ? goal : 1); n--)
            json_array_remove(list, n - 1);
        set_rest(e, env->given, n, result);
    }
    json_t *out = clipped_text(ken_buf_str(&text), result, max_bytes);
    ken_buf_release(&text);
    return out;
}

// An answer that may lack something says so, in either form.
static json_t *add_unread(const char *unread, json_t *result)
{
    if (!unread[0])
        return result;
    if (json_is_object(result)) {
        ken_json_set_str(result, "incomplete", ken_str_c(unread));
        return result;
    }
    if (!json_is_string(result))
        return result;
    ken_buf text = KEN_BUF_INIT(0);
    ken_buf_put_str(&text, ken_json_text(result));
    ken_buf_printf(&text, "incomplete: %s\n", unread);
    json_decref(result);
    result = ken_json_str(ken_buf_str(&text));
    ken_buf_release(&text);
    return result;
}

// An answer about a commit says which: the name moves on, the commit does not.
static json_t *add_commit(const ken_tool_missed *m, json_t *result)
{
    if (!m->commit[0])
        return result;
    if (json_is_object(result)) {
        json_t *at = json_object();
        ken_json_set_str(at, "name", ken_str_c(m->at));
        ken_json_set_str(at, "commit", ken_str_c(m->commit));
        ken_json_set(result, "at", at);
        return result;
    }
    if (!json_is_string(result))
        return result;
    ken_buf text = KEN_BUF_INIT(0);
    ken_buf_put_str(&text, ken_json_text(result));
    ken_buf_printf(&text, "at %s (commit %.12s)\n", m->at, m->commit);
    json_decref(result);
    result = ken_json_str(ken_buf_str(&text));
    ken_buf_release(&text);
    return result;
}

static ken_status add_unread_to_err(const char *unread, ken_status st, ken_err *err)
{
    if (unread[0])
        (void)ken_err_wrap(err, "the answer is incomplete (%s)", unread);
    return st;
}

// Without what could not be read there is no answer. What a tool has written stays written, so that
// one says what its answer lacks.
static ken_status judge_reading(const tool_entry *e, ken_tool_missed *missed, ken_status st,
                                ken_err *err)
{
    const ken_err *why = &missed->failure;
    if (!why->status || (st && st != KEN_ENOTFOUND))
        return st;
    if (!st && !e->def.spec->is_read_only) {
        snprintf(missed->unread, sizeof missed->unread, "%.700s", why->msg);
        return KEN_OK;
    }
    if (err)
        *err = *why;
    return why->status;
}

// An answer in part says so, and by which limit.
static void mark_part(const ken_quota *quota, json_t *result)
{
    char text[KEN_QUOTA_TEXT];
    const char *word = ken_quota_word(quota);
    if (!word)
        return;
    ken_quota_text(quota, text, sizeof text);
    ken_json_set_bool(result, "truncated", true);
    ken_json_set_str(result, "budget", ken_str_c(word));
    ken_json_set_str(result, "budget_hint", ken_str_c(text));
}

static bool wants_text(const tool_entry *e, const ken_tool_ctx *ctx, const json_t *given)
{
    ken_str format = ken_json_text(json_object_get(given, "format"));
    if (!e->def.to_text)
        return false;
    return format.len ? ken_str_eq(format, KEN_STR("text")) : ctx->is_text;
}

// What an answer may have: as the call says, in tokens or bytes, else as the tool says.
static size_t answer_bytes(const tool_entry *e, size_t max_bytes, const json_t *given)
{
    uint64_t tokens = (uint64_t)json_integer_value(json_object_get(given, "max_tokens"));
    // A tool with a size of its own counts tokens itself.
    if (e->def.spec->max_bytes)
        return max_bytes == KEN_TOOL_BYTES_MAX ? (size_t)e->def.spec->max_bytes : max_bytes;
    return tokens && tokens < max_bytes / 4 ? (size_t)tokens * 4 : max_bytes;
}

static ken_status run_entry(const tool_entry *e, const ken_tool_env *env, json_t **out,
                            ken_err *err)
{
    ken_tool_ctx ctx = *env->ctx;
    ken_tool_env inner = *env;
    size_t max_bytes = answer_bytes(e, ctx.max_bytes, env->given);
    inner.ctx = &ctx;
    inner.is_text = wants_text(e, &ctx, env->given);
    // The text of a list is far shorter than the JSON it is made from.
    bool is_list = inner.is_text && e->def.spec->list && max_bytes < SIZE_MAX / 4;
    ctx.max_bytes = is_list ? 3 * max_bytes : max_bytes;
    json_t *result = NULL;
    void *args = ken_arena_alloc(env->arena, e->def.spec->args_size + 1);
    ken_tool__read_args(e->def.spec, env->given, args);
    ken_status st = e->def.run(&inner, args, &result, err);
    st = judge_reading(e, env->missed, st, err);
    st = ken_quota_verdict(st, err);
    if (st) {
        json_decref(result);
        return add_unread_to_err(env->missed->unread, st, err);
    }
    const ken_quota *quota = e->def.spec->is_job ? NULL : ken_quota_now();
    if (quota && json_is_object(result))
        mark_part(quota, result);
    if (inner.is_text) {
        json_t *text = text_result(e, env, result, max_bytes);
        json_decref(result);
        result = text;
    } else {
        name_params(e, result, env->arena);
    }
    *out = add_unread(env->missed->unread, add_commit(env->missed, result));
    return KEN_OK;
}

static ken_status call_entry(const tool_entry *e, const ken_tool_ctx *ctx, ken_app *app,
                             const json_t *given, ken_tool__notes *notes, json_t **out,
                             ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_tool_missed missed = { .unread = "" };
    const ken_tool_env env = {
        .app = app, .ctx = ctx, .arena = &arena, .missed = &missed, .given = given, .notes = notes
    };
    ken_err tried = { 0 };
    json_t *result = NULL;
    ken_store_forget_damage();
    ken_status st = ken_app_end_answer(app, run_entry(e, &env, &result, &tried), &tried);
    if (!st) {
        *out = result;
    } else {
        json_decref(result);
        if (err)
            *err = tried;
    }
    ken_arena_release(&arena);
    return st;
}

static void begin_question(ken_quota *quota, const ken_app *app, const ken_cancel *cancel)
{
    ken_quota_limits limits = { 0 };
    if (app)
        limits = ken_app_question_limits(app);
    ken_quota_begin(quota, &limits, cancel);
}

ken_status ken_tool_check(const char *name, const json_t *args, ken_err *err)
{
    json_t *ready = NULL;
    pthread_once(&builtin_once, make_builtin_set);
    const tool_entry *e = find_entry(builtin_set, ken_str_c(name));
    if (!e)
        return KEN_FAIL(err, KEN_ENOTFOUND, "unknown tool '%.60s'", name);
    ken_status st = prepare_args(e, args, &ready, err);
    json_decref(ready);
    return st;
}

static ken_status fail_unknown(const ken_toolset *tools, const char *name, ken_err *err)
{
    const char *near = ken_toolset_nearest(tools, ken_str_c(name));
    return KEN_FAIL(err, KEN_ENOTFOUND, "unknown tool '%.60s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// `notes`: NULL = nobody wants to know.
static ken_status call_found(ken_app *app, const tool_entry *e, const json_t *args,
                             const ken_tool_ctx *ctx, ken_tool__notes *notes, json_t **out,
                             ken_err *err)
{
    if (ctx->is_read_only && !e->def.spec->is_read_only)
        return KEN_FAIL(err, KEN_EPERM, "'%s' changes things and this server is read-only",
                        e->def.spec->name);
    json_t *ready = NULL;
    ken_quota quota;
    bool has_own = !e->def.spec->is_job && !ken_quota_now(); // else it is part of a question
    if (has_own)
        begin_question(&quota, app, ctx->cancel);
    ken_status st = prepare_args(e, args, &ready, err);
    if (!st)
        st = call_entry(e, ctx, app, ready, notes, out, err);
    json_decref(ready);
    if (has_own)
        ken_quota_end(&quota);
    return st;
}

static ken_status call_noted(ken_app *app, const tool_entry *e, const char *name,
                             const json_t *args, const ken_tool_ctx *ctx, json_t **out,
                             ken_err *err)
{
    ken_tool__notes notes = { .began_ns = ken_clock_mono_ns() };
    ken_err why = { 0 };
    ken_otel_begin(&notes.span, KEN_OTEL_SERVER, ctx->trace);
    ken_metrics_add(KEN_METRIC_TOOL_RUNNING, 1, NULL);
    ken_status st =
        e ? call_found(app, e, args, ctx, &notes, out, &why) : fail_unknown(ctx->tools, name, &why);
    ken_metrics_add(KEN_METRIC_TOOL_RUNNING, -1, NULL);
    ken_tool__note_end(&notes, e ? e->def.spec->name : NULL, ctx, st ? NULL : *out, st, &why);
    if (st && err)
        *err = why;
    return st;
}

ken_status ken_tool_call(ken_app *app, const char *name, const json_t *args,
                         const ken_tool_ctx *ctx, json_t **out, ken_err *err)
{
    static const ken_tool_ctx no_ctx;
    ken_tool_ctx full = ctx ? *ctx : no_ctx;
    if (!full.max_bytes)
        full.max_bytes = KEN_TOOL_BYTES_MAX;
    if (!full.tools) {
        pthread_once(&builtin_once, make_builtin_set);
        full.tools = builtin_set;
    }
    const tool_entry *e = find_entry(full.tools, ken_str_c(name));
    if (ken_tool__is_noted(&full))
        return call_noted(app, e, name, args, &full, out, err);
    return e ? call_found(app, e, args, &full, NULL, out, err)
             : fail_unknown(full.tools, name, err);
}

// What to do about a failure when its own message says only what happened.
static const char *advice(ken_status st)
{
    switch ((int)st) {
    case KEN_EBUSY:
        return "Try again in a moment.";
    case KEN_ETIMEOUT:
        return "What was done is kept: call again to go on, or ask for less.";
    case KEN_ECORRUPT:
        return "Rebuild it: index_repository with force_reindex true.";
    case KEN_EVERSION:
        return "Update ken, or index into another data folder.";
    case KEN_ENOSPC:
        return "Free some space and try again.";
    case KEN_ENOMEM:
        return "Ask for less, or give the server more memory.";
    default:
        return NULL;
    }
}

void ken_tool_error_text(const ken_err *err, ken_buf *out)
{
    const char *msg = err->msg[0] ? err->msg : ken_status_text(err->status);
    const char *next = advice(err->status);
    ken_buf_printf(out, "Error: %s", msg);
    if (next)
        ken_buf_printf(out, "%s %s", ken_str_ends(ken_str_c(msg), KEN_STR(".")) ? "" : ".", next);
}
