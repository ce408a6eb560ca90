// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "app/wide.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "query/query_wide.h"
#include "store/database.h"
#include "tool/tool_wide_priv.h"

enum {
    LISTED_MAX = 1000, // names in a list
    TOLD_MAX = 20,     // projects that an answer names, of those that are left out
    REASON_MAX = 240,
    N_LANES = 4,     // connections of one question
    ALL_ASKED = 256, // projects of a database: opening more for one question takes seconds
    PICKED = 128,    // that are asked of more
};

typedef struct wide_project {
    ken_tool__scope scope; // its `snap` while it is open
    ken_err refused;       // before anything was asked
    ken_str name;          // as it is told; of an unknown one what was asked for
    ken_str unread;        // what the answer may lack of it; in the call's arena
    char behind[240];      // what bringing it up to date could not do
} wide_project;

struct ken_tool__wide {
    const ken_tool_env *env;
    wide_project *projects;
    size_t n;
    size_t n_from;     // 0 = all are asked; else they were picked from so many
    ken_picked picked; // with that
    bool has_filters;  // which were no part of the picking
    bool may_index;
    pthread_t thread;       // of the question
    ken_database *database; // that all are in; NULL = they are files
    ken_database_reading *lanes[N_LANES];
    ken_wide_host host;
    ken_wide *wide;
};

// ---- which ---------------------------------------------------------------------------------------

static void add(ken_tool__wide *w, const ken_project_info *p)
{
    w->projects[w->n++] = (wide_project){ .scope = { .project = *p }, .name = p->name };
}

static bool has(const ken_tool__wide *w, ken_uuid id)
{
    for (size_t i = 0; i < w->n; i++)
        if (!w->projects[i].refused.status && ken_uuid_eq(w->projects[i].scope.project.id, id))
            return true;
    return false;
}

static void refuse(ken_tool__wide *w, ken_str name, const ken_err *why)
{
    w->projects[w->n++] = (wide_project){ .name = ken_utf8_clip(name, 80), .refused = *why };
}

// Not those that are archived: nobody asked for them by name.
static ken_status list_all(ken_tool__wide *w, ken_err *err)
{
    ken_project_info *all = NULL;
    size_t n = 0;
    ken_status st = ken_app_list_projects(w->env->app, w->env->arena, &all, &n, err);
    if (st)
        return st;
    w->projects = KEN_ARENA_ARRAY(w->env->arena, wide_project, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!all[i].is_archived)
            add(w, &all[i]);
    return KEN_OK;
}

static ken_status list_named(ken_tool__wide *w, ken_str list, ken_err *err)
{
    ken_str rest = list, one;
    size_t n = 1;
    for (size_t i = 0; i < list.len; i++)
        n += list.ptr[i] == ',';
    if (n > LISTED_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "args.project: %zu names, over the limit of %d", n,
                        LISTED_MAX);
    w->projects = KEN_ARENA_ARRAY(w->env->arena, wide_project, n + 1);
    while (ken_str_split_next(&rest, ',', &one)) {
        ken_project_info p = { .name = { NULL, 0 } };
        ken_err why = { 0 };
        one = ken_str_trim(one);
        if (!one.len)
            return KEN_FAIL(
                err, KEN_EINVAL,
                "args.project: a list is names with commas between them, got '" KEN_STR_FMT "'",
                KEN_STR_ARG(ken_utf8_clip(list, 200)));
        if (ken_str_eq(one, KEN_STR("*")))
            return KEN_FAIL(err, KEN_EINVAL, "args.project: '*' means all, and stands alone");
        if (ken_tool__find_project(w->env, one, &p, &why))
            refuse(w, one, &why);
        else if (!has(w, p.id))
            add(w, &p);
    }
    return KEN_OK;
}

// A name may have a comma in it.
static bool is_one(const ken_tool_env *env, ken_str ref)
{
    ken_project_info p;
    return ken_str_find_char(ref, ',') == SIZE_MAX ||
           (!env->ctx->project.len &&
            !ken_app_find_project(env->app, ref, env->ctx->cwd, env->arena, &p, NULL));
}

// ---- the host of the question ---------------------------------------------------------------------

// One that was never completely indexed has what a run that was begun has so far: that is not waited for.
static void catch_up(void *arg, size_t i)
{
    ken_tool__wide *w = arg;
    wide_project *x = &w->projects[i];
    const ken_project_info *p = &x->scope.project;
    const ken_app_asking how = { .may_index = w->may_index, .cancel = w->env->ctx->cancel };
    ken_str behind = KEN_STR("");
    ken_arena arena;
    ken_arena_init(&arena, 1024);
    if (!x->refused.status && !p->root_exists && !p->database)
        (void)KEN_FAIL(&x->refused, KEN_ENOTFOUND, "its folder '" KEN_STR_FMT "' is gone",
                       KEN_STR_ARG(ken_utf8_clip(p->root, 160)));
    if (!x->refused.status && p->indexed_at_ms) {
        ken_err why = { 0 };
        ken_status st = ken_app_catch_up(w->env->app, p, &how, &arena, &behind, &why);
        st = ken_app_end_answer(w->env->app, st, &why); // damage is this project's alone
        if (st)
            x->refused = why;
    }
    snprintf(x->behind, sizeof x->behind, KEN_STR_FMT,
             KEN_STR_ARG(ken_utf8_clip(behind, sizeof x->behind - 1)));
    ken_arena_release(&arena);
}

// All in one state of their database, on few connections.
static void begin_reading(ken_tool__wide *w)
{
    for (size_t i = 0; i < w->n && !w->database; i++)
        w->database = w->projects[i].scope.project.database;
    for (size_t i = 0; w->database && i < N_LANES; i++)
        w->lanes[i] = ken_database_begin_reading(w->database);
}

static ken_status open_project(void *ctx, size_t i, ken_snapshot **out, ken_err *err)
{
    ken_tool__wide *w = ctx;
    wide_project *x = &w->projects[i];
    const ken_project_info *p = &x->scope.project;
    ken_err why = x->refused;
    ken_database_reading *in =
        p->database && p->database == w->database ? w->lanes[i % N_LANES] : NULL;
    ken_status st = why.status ? why.status : ken_app_borrow_in(w->env->app, p, in, out, &why);
    if (st == KEN_ENOTFOUND && !x->refused.status)
        return KEN_FAIL(err, st, "it is not indexed yet; index_repository does that");
    if (st) {
        *err = why;
        return st;
    }
    if (x->behind[0])
        ken_snapshot_set_behind(*out, ken_str_c(x->behind));
    ken_app_hand_over(w->env->app, *out, w->thread);
    x->scope.head = ken_snapshot_get_head(*out);
    x->scope.snap = *out;
    return KEN_OK;
}

static void close_project(void *ctx, size_t i, ken_snapshot *s)
{
    ken_tool__wide *w = ctx;
    wide_project *x = &w->projects[i];
    ken_str unread = ken_snapshot_unread(s);
    ken_err why = { 0 };
    if (ken_snapshot_check(s, &why) && !w->env->missed->failure.status)
        w->env->missed->failure = why;
    if (unread.len && !x->unread.len)
        x->unread = ken_arena_dup(w->env->arena, ken_utf8_clip(unread, REASON_MAX));
    x->scope.head.git_head = ken_arena_dup(w->env->arena, x->scope.head.git_head);
    x->scope.head.git_branch = ken_arena_dup(w->env->arena, x->scope.head.git_branch);
    x->scope.snap = NULL;
    ken_app_give_back(w->env->app, &x->scope.project, s);
    if (ken_wide_failure(w->wide, i)->status == KEN_ECORRUPT)
        ken_app_forget(w->env->app, &x->scope.project);
}

static void each(void *ctx, size_t n, ken_wide_job *job, void *arg)
{
    ken_tool__wide *w = ctx;
    ken_app_each(w->env->app, n, job, arg);
}

ken_status ken_tool__find_several(const ken_tool_env *env, ken_str ref, ken_tool__wide **out,
                                  ken_err *err)
{
    bool is_all = ken_str_eq(ref, KEN_STR("*"));
    *out = NULL;
    if (!is_all && is_one(env, ref))
        return KEN_OK;
    if (is_all && env->ctx->project.len)
        return KEN_FAIL(err, KEN_EPERM, "this endpoint serves one project; leave the project out");
    if (json_object_get(env->given, "at"))
        return KEN_FAIL(err, KEN_EINVAL, "args.at: a commit is one project's; name that project");
    ken_tool__wide *w = KEN_ARENA_NEW(env->arena, ken_tool__wide);
    w->env = env;
    w->thread = pthread_self();
    w->may_index =
        !env->ctx->is_read_only && ken_config_bool(ken_app_config(env->app), KEN_CFG_AUTO_INDEX);
    ken_status st = is_all ? list_all(w, err) : list_named(w, ref, err);
    if (st)
        return st;
    *out = w;
    return KEN_OK;
}

void ken_tool__close_several(ken_tool__wide *w)
{
    if (!w)
        return;
    ken_wide_free(w->wide);
    for (size_t i = 0; i < N_LANES; i++)
        ken_database_end_reading(w->lanes[i]);
}

// ---- of very many, those that have words of the question ------------------------------------------

// How many of `n` are asked.
static size_t most_asked(const ken_tool__wide *w)
{
    const ken_config *config = ken_app_config(w->env->app);
    size_t most = (size_t)ken_config_u64(config, KEN_CFG_SEARCH_PROJECTS);
    if (most)
        return most;
    most = ken_app_open_at_once(w->env->app);
    return w->n > (most < ALL_ASKED ? most : ALL_ASKED) ? PICKED : w->n;
}

// Takes the projects out that are not asked. Those that are files stay, and those that could not be found.
static ken_status pick(ken_tool__wide *w, ken_str query, const ken_search_opts *opts, ken_err *err)
{
    ken_arena *a = w->env->arena;
    const size_t most = most_asked(w);
    ken_pick_question q;
    ken_database *database = NULL;
    if (w->n <= most)
        return KEN_OK;
    const ken_project_info **list = KEN_ARENA_ARRAY(a, const ken_project_info *, w->n);
    bool *is_kept = KEN_ARENA_ARRAY(a, bool, w->n);
    size_t *at = KEN_ARENA_ARRAY(a, size_t, w->n), n = 0, n_kept = 0;
    for (size_t i = 0; i < w->n; i++) {
        const ken_project_info *p = &w->projects[i].scope.project;
        is_kept[i] = w->projects[i].refused.status || !p->database;
        database = is_kept[i] || database ? database : p->database;
        is_kept[i] = is_kept[i] || p->database != database;
        if (!is_kept[i]) {
            at[n] = i;
            list[n++] = p;
        }
    }
    ken_status st = n > most ? ken_pick_read(query, opts, a, &q, err) : KEN_OK;
    if (st || n <= most || !(q.n || q.n_dims))
        return st;
    st = ken_app_pick(w->env->app, list, n, &q, most, !w->env->ctx->is_read_only, a, &w->picked,
                      err);
    if (st || w->picked.is_all)
        return st;
    for (size_t i = 0; i < w->picked.n; i++)
        is_kept[at[w->picked.at[i]]] = true;
    for (size_t i = 0; i < w->n; i++)
        if (is_kept[i])
            w->projects[n_kept++] = w->projects[i];
    w->n_from = w->n;
    w->has_filters = q.has_filters;
    w->n = n_kept;
    return KEN_OK;
}

// ---- asking --------------------------------------------------------------------------------------

static ken_status fail_all(const ken_tool__wide *w, ken_err *err)
{
    if (!w->n)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no project is indexed yet; call index_repository with the path of a "
                        "folder");
    const ken_err *why = ken_wide_failure(w->wide, 0);
    return KEN_FAIL(err, why->status,
                    "none of the %zu projects could be searched; the first, '" KEN_STR_FMT
                    "': %.300s",
                    w->n, KEN_STR_ARG(w->projects[0].name), why->msg);
}

// What brings indexes up to date is no cost of the question.
static ken_status bring_up(ken_tool__wide *w, ken_err *err)
{
    ken_quota *paused = ken_quota_pause();
    ken_app_each(w->env->app, w->n, catch_up, w);
    ken_quota_resume(paused);
    ken_status st = ken_cancel_check(w->env->ctx->cancel, err);
    if (!st)
        begin_reading(w);
    return st;
}

ken_status ken_tool__search_several(ken_tool__wide *w, ken_str query, const ken_search_opts *opts,
                                    ken_search_result *out, ken_err *err)
{
    uint32_t limit = opts->limit ? opts->limit : 10;
    if (opts->offset + limit > KEN_SEARCH_MAX)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.offset: over all projects %u results at most can be passed "
                        "over; name one project",
                        KEN_SEARCH_MAX - limit);
    if (ken_str_starts(opts->directory, KEN_STR("/")))
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.directory: an absolute path lies in one project; name that project, "
                        "or a folder below the roots");
    int64_t began = ken_clock_mono_ns();
    ken_status st = pick(w, query, opts, err);
    if (st)
        return st;
    w->host = (ken_wide_host){ .n = w->n,
                               .max_open = ken_app_open_at_once(w->env->app),
                               .open = open_project,
                               .close = close_project,
                               .each = each,
                               .ctx = w };
    w->wide = ken_wide_new(&w->host);
    st = bring_up(w, err);
    int64_t caught_up = ken_clock_mono_ns();
    ken_tool__note_time(w->env, KEN_TOOL__CATCH_UP, began, caught_up - began);
    if (!st)
        st = ken_wide_search(w->wide, query, opts, w->env->ctx->cancel, w->env->arena, out, err);
    if (st)
        return st;
    size_t n_failed = 0;
    for (size_t i = 0; i < w->n; i++)
        n_failed += ken_wide_failure(w->wide, i)->status != KEN_OK;
    if (n_failed == w->n && (w->n || !w->n_from))
        return fail_all(w, err);
    const ken_tool__scope all = { .project = { .name = KEN_STR("*") },
                                  .began_ns = began,
                                  .opening_ns = caught_up - began };
    if (out->times.began_ns)
        ken_tool__note_time(w->env, KEN_TOOL__OPEN, caught_up, out->times.began_ns - caught_up);
    ken_tool__note_search(w->env, &all, query, out);
    return KEN_OK;
}

const ken_tool__scope *ken_tool__scope_of(ken_tool__wide *w, uint32_t member)
{
    return ken_wide_reopen(w->wide, member) ? &w->projects[member].scope : NULL;
}

const ken_tool__scope *ken_tool__head_of(const ken_tool__wide *w, uint32_t member)
{
    return &w->projects[member].scope;
}

// ---- telling -------------------------------------------------------------------------------------

static void tell_one(json_t *list, ken_str name, ken_str reason)
{
    json_t *o = json_object();
    ken_json_set_str(o, "project", name);
    ken_json_set_str(o, "reason", ken_utf8_clip(reason, REASON_MAX));
    ken_json_append(list, o);
}

static void set_told(json_t *out, const char *key, const char *total_key, json_t *list, size_t n)
{
    if (n)
        ken_json_set(out, key, list);
    else
        json_decref(list);
    if (n > TOLD_MAX)
        ken_json_set_u64(out, total_key, n);
}

static json_t *picked_json(const ken_tool__wide *w)
{
    const ken_picked *p = &w->picked;
    json_t *o = json_object();
    ken_json_set_u64(o, "from", w->n_from);
    ken_json_set_u64(o, "matching", p->n_with);
    ken_json_set_str(o, "by",
                     !p->by_vectors ? KEN_STR("words")
                     : p->by_words  ? KEN_STR("words and vectors")
                                    : KEN_STR("vectors"));
    if (p->n_untold)
        ken_json_set_u64(o, "unknown", p->n_untold);
    if (w->has_filters)
        ken_json_set(o, "filtered_later", json_true());
    return o;
}

void ken_tool__tell_several(ken_tool__wide *w, json_t *out)
{
    json_t *left = json_array(), *behind = json_array();
    size_t n_left = 0, n_behind = 0;
    for (size_t i = 0; i < w->n; i++) {
        const wide_project *x = &w->projects[i];
        const ken_err *why = ken_wide_failure(w->wide, i);
        ken_str unread = x->scope.snap ? ken_snapshot_unread(x->scope.snap) : x->unread;
        if (why->status && n_left++ < TOLD_MAX)
            tell_one(left, x->name, ken_str_c(why->msg));
        if (!why->status && unread.len && n_behind++ < TOLD_MAX)
            tell_one(behind, x->name, unread);
    }
    ken_json_set_u64(out, "projects_searched", w->n - n_left);
    if (w->n_from)
        ken_json_set(out, "projects_picked", picked_json(w));
    set_told(out, "projects_left_out", "projects_left_out_total", left, n_left);
    set_told(out, "projects_incomplete", "projects_incomplete_total", behind, n_behind);
}

static void put_told(const json_t *answer, const char *key, const char *total_key, const char *text,
                     ken_paint *out)
{
    const json_t *list = json_object_get(answer, key);
    size_t n = json_array_size(list);
    long long total = ken_tool__number(answer, total_key);
    for (size_t i = 0; i < n; i++) {
        const json_t *o = json_array_get(list, i);
        ken_paint_note(out, "%s '" KEN_STR_FMT "': " KEN_STR_FMT, text,
                       KEN_STR_ARG(ken_tool__member(o, "project")),
                       KEN_STR_ARG(ken_tool__member(o, "reason")));
    }
    if (total > (long long)n)
        ken_paint_note(out, "and %lld more project%s", total - (long long)n,
                       total - (long long)n == 1 ? "" : "s");
}

static void put_picked(const json_t *answer, ken_paint *out)
{
    const json_t *picked = json_object_get(answer, "projects_picked");
    const ken_str by = ken_tool__member(picked, "by");
    long long n = ken_tool__number(answer, "projects_searched");
    long long from = ken_tool__number(picked, "from");
    long long unknown = ken_tool__number(picked, "unknown");
    bool has_all = ken_tool__number(picked, "matching") + unknown <= n;
    const char *filtered =
        json_is_true(json_object_get(picked, "filtered_later")) ? " (its filters came later)" : "";
    if (!picked)
        return;
    if (has_all && ken_str_eq(by, KEN_STR("words")))
        ken_paint_note(out,
                       "searched %lld of %lld projects: no other has a word of the question in its "
                       "indexed code",
                       n, from);
    else
        ken_paint_note(out,
                       "searched %lld of %lld projects: those whose " KEN_STR_FMT
                       " fit the question best%s; name projects to search others",
                       n, from, KEN_STR_ARG(by), filtered);
    if (unknown)
        ken_paint_note(out, "of %lld project%s it is not known yet which words %s", unknown,
                       unknown == 1 ? "" : "s", unknown == 1 ? "it has" : "they have");
}

void ken_tool__several_text(const json_t *answer, ken_paint *out)
{
    put_picked(answer, out);
    put_told(answer, "projects_left_out", "projects_left_out_total", "left out", out);
    put_told(answer, "projects_incomplete", "projects_incomplete_total", "incomplete", out);
}
