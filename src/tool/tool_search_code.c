// SPDX-License-Identifier: MIT
// search_code: one engine over one project, or over all of them ("*").
#include <stdio.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/tool_priv.h"

enum {
    LIMIT_MAX = 50,
    CONTENT_MAX = 12 * 1024, // bytes of one result's code
    CONTEXT_MAX = 4 * 1024,  // bytes of its context on either side
    PLACES_MAX = 5,          // of one result
    FIRST_MIN = 240,         // bytes of the first result's code, however little room there is
    CUT_BYTES = 300,         // for the names of members and the hint of an answer that was cut
};

typedef struct search_request {
    ken_str query, project;
    ken_search_opts opts;
    bool types[KEN_CHUNK_TYPE_COUNT]; // wanted; only read when n_types > 1
    size_t n_types;
    ken_str intent;    // as the caller says; empty: as the question does
    bool wants_intent; // how to search was not said
} search_request;

// ---- arguments ---------------------------------------------------------------------------------

static ken_search_mode parse_mode(ken_str word)
{
    if (ken_str_eq_c(word, "lexical"))
        return KEN_SEARCH_LEXICAL;
    if (ken_str_eq_c(word, "similar"))
        return KEN_SEARCH_SIMILAR;
    if (ken_str_eq_c(word, "semantic"))
        return KEN_SEARCH_SEMANTIC;
    if (ken_str_eq_c(word, "symbol"))
        return KEN_SEARCH_SYMBOL;
    if (ken_str_eq_c(word, "text"))
        return KEN_SEARCH_TEXT;
    if (ken_str_eq_c(word, "regex"))
        return KEN_SEARCH_REGEX;
    return KEN_SEARCH_AUTO;
}

static ken_status read_types(const json_t *list, search_request *req, ken_err *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_str word = ken_json_text(json_array_get(list, i));
        ken_chunk_type t = ken_chunk_type_parse(word);
        if (t == KEN_CHUNK_UNKNOWN)
            return KEN_FAIL(err, KEN_EINVAL,
                            "args.chunk_type: '" KEN_STR_FMT "' is none of "
                            "function, class, module, block, comment, section, lines",
                            KEN_STR_ARG(ken_utf8_clip(word, 60)));
        req->n_types += !req->types[t];
        req->types[t] = true;
        req->opts.chunk_type = t;
    }
    if (req->n_types > 1)
        req->opts.chunk_type = KEN_CHUNK_UNKNOWN;
    return KEN_OK;
}

// "src", "./src/", "src/%" and "/abs/root/src" alike.
static ken_str clean_directory(ken_str dir)
{
    if (!dir.ptr)
        return dir;
    if (ken_str_ends(dir, KEN_STR("/%")))
        dir = ken_str_sub(dir, 0, dir.len - 2);
    while (ken_str_starts(dir, KEN_STR("./")))
        dir = ken_str_sub(dir, 2, dir.len);
    while (dir.len > 1 && ken_str_ends(dir, KEN_STR("/")))
        dir = ken_str_sub(dir, 0, dir.len - 1);
    return ken_str_eq(dir, KEN_STR(".")) ? ken_str_sub(dir, 0, 0) : dir;
}

static ken_status read_filters(const json_t *args, search_request *req, ken_err *err)
{
    ken_search_opts *o = &req->opts;
    ken_str kind = { "", 0 }, since = { "", 0 };
    ken_status st = ken_json_read_str(args, "args", "file_type", &o->file_type, err);
    if (!st && ken_str_starts(o->file_type, KEN_STR(".")))
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.file_type: file_type should not include leading dot");
    if (!st)
        st = ken_json_read_str(args, "args", "directory", &o->directory, err);
    if (!st)
        st = ken_json_read_str(args, "args", "file_filter", &o->glob, err);
    if (!st)
        st = ken_json_read_str(args, "args", "language", &o->language, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "min_size", &o->min_bytes, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "max_size", &o->max_bytes, err);
    if (!st)
        st = ken_json_read_str(args, "args", "since", &since, err);
    if (!st && since.len && !ken_clock_parse(since, ken_clock_wall_ms(), &o->since_ms))
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.since: expected 2026-01-31, 2026-01-31T10:00:00Z or an age like 7d, "
                        "got '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(since, 60)));
    if (!st)
        st = ken_json_read_str(args, "args", "kind", &kind, err);
    if (!st)
        st = read_types(json_object_get(args, "chunk_type"), req, err);
    if (st)
        return st;
    o->directory = clean_directory(o->directory);
    o->kind = ken_symbol_kind_parse(kind);
    if (kind.len && o->kind == KEN_SYMBOL_UNKNOWN)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.kind: '" KEN_STR_FMT "' is no kind of symbol; try "
                        "function, method, class, struct, interface, enum, type, variable, "
                        "constant, field",
                        KEN_STR_ARG(ken_utf8_clip(kind, 60)));
    return KEN_OK;
}

static ken_status read_request(const ken_tool_env *env, const json_t *args, search_request *req,
                               ken_err *err)
{
    const ken_config *settings = ken_app_config(env->app);
    ken_str mode = { "", 0 };
    uint64_t limit = ken_config_u64(settings, KEN_CFG_SEARCH_LIMIT), offset = 0;
    uint64_t context = ken_config_u64(settings, KEN_CFG_CONTEXT_LINES);
    *req = (search_request){ .opts = { .wants_content = true } };
    ken_status st = ken_json_read_str(args, "args", "query", &req->query, err);
    if (!st)
        st = ken_json_read_str(args, "args", "project", &req->project, err);
    if (!st)
        st = ken_json_read_str(args, "args", "search_type", &mode, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "limit", &limit, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "offset", &offset, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "context_lines", &context, err);
    if (!st)
        st = ken_json_read_double(args, "args", "similarity_threshold", &req->opts.threshold, err);
    if (!st)
        st = ken_json_read_bool(args, "args", "case_sensitive", &req->opts.is_case_sensitive, err);
    if (!st)
        st = ken_json_read_bool(args, "args", "explain", &req->opts.wants_explain, err);
    if (!st)
        st = ken_json_read_str(args, "args", "intent", &req->intent, err);
    if (!st)
        st = read_filters(args, req, err);
    if (st)
        return st;
    req->wants_intent = req->intent.len ? !ken_str_eq(req->intent, KEN_STR("none")) : !mode.len;
    if (ken_str_eq_c(ken_json_text(json_object_get(args, "format")), "text"))
        context = 0; // a listing does not show it
    req->opts.mode = parse_mode(mode);
    req->opts.limit = (uint32_t)limit;
    req->opts.offset = (uint32_t)(offset > 1000000 ? 1000000 : offset);
    req->opts.context_lines = (uint32_t)context;
    return KEN_OK;
}

// ---- results -----------------------------------------------------------------------------------

static json_t *places_json(const ken_hit *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n_places && i < PLACES_MAX; i++) {
        const ken_place *p = &h->places[i];
        json_t *o = json_object();
        ken_json_set_u64(o, "start_line", p->first_line + 1);
        ken_json_set_u64(o, "end_line", p->last_line + 1);
        if (p->symbol.len)
            ken_json_set_str(o, "symbol_name", p->symbol);
        if (p->text.len)
            ken_json_set_str(o, "text", ken_utf8_clip(p->text, 300));
        ken_json_append(list, o);
    }
    return list;
}

static json_t *symbols_json(const ken_hit *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n_symbols; i++) {
        const ken_hit_symbol *s = &h->symbols[i];
        json_t *o = json_object();
        ken_json_set_str(o, "name", s->name);
        ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(s->kind)));
        ken_json_set_u64(o, "start_line", s->first_line + 1);
        ken_json_set_u64(o, "end_line", s->last_line + 1);
        ken_json_append(list, o);
    }
    return list;
}

static json_t *terms_json(const ken_hit *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n_terms; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "name", ken_str_c(h->terms[i].name));
        ken_json_set_real(o, "value", h->terms[i].value);
        ken_json_set_real(o, "weight", h->terms[i].weight);
        ken_json_set_real(o, "points", h->terms[i].points);
        ken_json_append(list, o);
    }
    return list;
}

static json_t *hit_json(const ken_hit *h, const ken_tool__scope *scope, const ken_tool__link *link)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(h->chunk_id, id);
    // What changed after the commit that was indexed is not in that commit.
    ken_str commit = h->is_refreshed ? (ken_str){ "", 0 } : scope->stats.git_head;
    json_t *o = json_object();
    ken_json_set_str(o, "chunk_id", ken_str_c(id));
    ken_json_set_str(o, "file_path", h->path);
    ken_json_set_u64(o, "start_line", h->first_line + 1);
    ken_json_set_u64(o, "end_line", h->last_line + 1);
    ken_json_set_str(o, "symbol_name", h->symbol);
    ken_json_set_str(o, "chunk_type", ken_str_c(ken_chunk_type_word(h->chunk_type)));
    if (h->kind != KEN_SYMBOL_UNKNOWN)
        ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(h->kind)));
    ken_json_set_str(o, "language", h->language);
    ken_json_set_real(o, "similarity_score", h->similarity);
    ken_json_set_real(o, "score", h->score);
    ken_json_set_str(o, "content", ken_tool__clip_lines(h->content, CONTENT_MAX, false));
    ken_json_set_str(o, "context_before",
                     ken_tool__clip_lines(h->context_before, CONTEXT_MAX, true));
    ken_json_set_str(o, "context_after",
                     ken_tool__clip_lines(h->context_after, CONTEXT_MAX, false));
    ken_json_set(o, "commit_hash", commit.len ? ken_json_str(commit) : NULL);
    ken_json_set(o, "url", ken_tool__url(link, commit, h->path, h->first_line, h->last_line));
    if (h->content.len > CONTENT_MAX)
        ken_json_set_bool(o, "content_truncated", true);
    if (h->is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    if (h->n_symbols)
        ken_json_set(o, "symbols", symbols_json(h));
    if (h->n_places)
        ken_json_set(o, "places", places_json(h));
    if (h->n_terms)
        ken_json_set(o, "explain", terms_json(h));
    return o;
}

static json_t *stale_json(const ken_search_result *r)
{
    size_t n_refreshed = 0;
    for (size_t i = 0; i < r->n_hits; i++)
        n_refreshed += r->hits[i].is_refreshed;
    if (!n_refreshed && !r->n_removed)
        return NULL;
    json_t *o = json_object();
    ken_json_set_u64(o, "changed_files", n_refreshed);
    ken_json_set_u64(o, "removed_files", r->n_removed);
    return o;
}

// More than one chunk type: the engine filters by one, the rest is done here.
static void keep_types(const search_request *req, ken_search_result *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n_hits; i++) {
        if (req->types[r->hits[i].chunk_type])
            r->hits[kept++] = r->hits[i];
    }
    r->n_hits = kept;
}

static ken_status search_project(const ken_tool_env *env, const search_request *req,
                                 const ken_tool__scope *scope, ken_search_result *r, ken_err *err)
{
    ken_search_opts opts = req->opts;
    ken_str root = scope->project.root;
    if (ken_str_starts(opts.directory, KEN_STR("/"))) {
        opts.directory = ken_path_relative(root, opts.directory);
        if (!opts.directory.ptr)
            return KEN_FAIL(err, KEN_EINVAL,
                            "args.directory lies outside of the project's root '" KEN_STR_FMT "'",
                            KEN_STR_ARG(ken_utf8_clip(root, 200)));
    }
    if (req->n_types > 1)
        opts.limit = LIMIT_MAX;
    ken_status st =
        ken_search(scope->snap, req->query, &opts, env->ctx->cancel, env->arena, r, err);
    if (st || req->n_types < 2)
        return st;
    keep_types(req, r);
    if (r->n_hits > req->opts.limit) {
        r->n_hits = req->opts.limit;
        r->is_truncated = true;
    }
    r->n_total = r->n_hits;
    return KEN_OK;
}

// What to do next, when there is something to say.
static void add_advice(json_t *out, const search_request *req, bool is_more)
{
    size_t n = json_array_size(json_object_get(out, "results"));
    if (is_more && !json_object_get(out, "next_offset")) {
        ken_json_set_bool(out, "truncated", true);
        ken_json_set_u64(out, "next_offset", req->opts.offset + n);
    }
    if (n || json_object_get(out, "hint"))
        return;
    const ken_search_opts *o = &req->opts;
    bool is_filtered = o->file_type.len || o->directory.len || o->glob.len || o->language.len ||
                       req->n_types || o->kind || o->threshold > 0;
    ken_json_set_str(out, "hint",
                     is_filtered ? KEN_STR("nothing matched; leave out some of the filters")
                     : o->mode == KEN_SEARCH_AUTO
                         ? KEN_STR("nothing matched; try other words, or search_type text for "
                                   "what stands in the files")
                         : KEN_STR("nothing matched; try search_type hybrid"));
}

#define NARROW_HINT                                                                       \
    "the answer was cut to fit; ask with a smaller limit, context_lines 0, directory or " \
    "file_filter, or go on with next_offset"

// What stands around the results gives way before any of them, that of the last ones first.
static void shed_context(json_t *out, size_t max)
{
    const json_t *results = json_object_get(out, "results");
    size_t total = ken_json_dump_size(out);
    for (size_t i = json_array_size(results); i-- > 0 && total > max;) {
        json_t *hit = json_array_get(results, i);
        size_t was = ken_json_dump_size(hit);
        ken_json_set_str(hit, "context_before", KEN_STR(""));
        ken_json_set_str(hit, "context_after", KEN_STR(""));
        total -= was - ken_json_dump_size(hit);
    }
}

// The first result stays whatever the room: its code is cut at a line, `max` bytes with all that is no
// result.
static void cut_first(json_t *out, size_t max)
{
    const json_t *results = json_object_get(out, "results");
    size_t total = ken_json_dump_size(out);
    for (size_t i = 1; i < json_array_size(results); i++)
        total -= ken_json_dump_size(json_array_get(results, i)) + 1;
    if (!json_array_size(results) || total <= max)
        return;
    json_t *first = json_array_get(results, 0);
    ken_str content = ken_json_text(json_object_get(first, "content"));
    size_t cut = total - max + CUT_BYTES,
           room = content.len > cut + FIRST_MIN ? content.len - cut : FIRST_MIN;
    if (room >= content.len)
        return;
    json_t *clipped = ken_json_str(ken_tool__clip_lines(content, room, false));
    ken_json_set(first, "content", clipped);
    ken_json_set_bool(first, "content_truncated", true);
}

static size_t fit(json_t *out, size_t max)
{
    shed_context(out, max);
    cut_first(out, max);
    json_t *results = json_object_get(out, "results"),
           *first = json_incref(json_array_get(results, 0));
    size_t kept = ken_tool__fit(out, "results", max, NARROW_HINT);
    if (first && !kept)
        ken_json_append(results, json_incref(first));
    kept += first && !kept;
    json_decref(first);
    return kept;
}

static json_t *finish(const ken_tool_env *env, const search_request *req, json_t *out, bool is_more)
{
    // Room for what add_advice may add.
    size_t max = env->ctx->max_bytes > 512 ? env->ctx->max_bytes - 100 : env->ctx->max_bytes;
    size_t n = json_array_size(json_object_get(out, "results"));
    size_t kept = fit(out, max);
    add_advice(out, req, is_more || kept < n);
    return out;
}

void ken_tool__add_confidence(json_t *out, const ken_search_result *r)
{
    if (!r->has_confidence)
        return;
    ken_json_set_real(out, "confidence", (double)(int)(r->confidence * 100 + 0.5) / 100);
    if (r->n_hits && r->fits_nothing)
        ken_json_set_str(out, "hint",
                         KEN_STR("nothing fits this question: the results are what is nearest, and "
                                 "answers like it rarely hold what was asked for; ask in other "
                                 "words, or take it that the code has no such thing"));
}

static ken_status search_one(const ken_tool_env *env, const search_request *req, json_t **out,
                             ken_err *err)
{
    ken_tool__scope scope;
    ken_search_result r = { 0 };
    ken_status st = ken_tool__open(env, req->project, &scope, err);
    if (st)
        return st;
    st = search_project(env, req, &scope, &r, err);
    if (!st) {
        ken_tool__link link = ken_tool__find_link(env->arena, scope.project.root);
        json_t *results = json_array(), *o = json_object();
        const char *lookup = req->wants_intent
                                 ? ken_tool__add_intent(env, scope.snap, req->query, req->intent, o)
                                 : "";
        for (size_t i = 0; i < r.n_hits; i++)
            ken_json_append(results, hit_json(&r.hits[i], &scope, &link));
        ken_json_set(o, "results", results);
        ken_json_set_u64(o, "total", r.n_total);
        ken_json_set_str(o, "strategy", ken_arena_printf(env->arena, "%s%s", lookup, r.strategy));
        ken_json_set(o, "project", ken_tool__project_json(&scope.project));
        json_t *index = ken_tool__index_json(&scope), *stale = stale_json(&r);
        if (stale)
            ken_json_set(index, "stale", stale);
        ken_json_set(o, "index", index);
        if (r.note.len)
            ken_json_set_str(o, "note", r.note);
        ken_tool__add_confidence(o, &r);
        *out = finish(env, req, o, r.is_truncated);
    }
    ken_tool__close(env, &scope);
    return st;
}

// ---- all projects ------------------------------------------------------------------------------

typedef struct found {
    json_t *json; // owned
    double similarity;
    size_t order; // of arrival, to keep equal ones stable
} found;

typedef struct found_list {
    found items[LIMIT_MAX];
    size_t n;
} found_list;

// Keeps the best `limit`, in order; takes `f.json`.
static void add_found(found_list *l, found f, size_t limit)
{
    size_t at = l->n;
    while (at > 0 && l->items[at - 1].similarity < f.similarity)
        at--;
    if (at >= limit) {
        json_decref(f.json);
        return;
    }
    if (l->n == limit)
        json_decref(l->items[--l->n].json);
    memmove(&l->items[at + 1], &l->items[at], (l->n - at) * sizeof *l->items);
    l->items[at] = f;
    l->n++;
}

static ken_status add_project_hits(const ken_tool_env *env, const search_request *req,
                                   const ken_project_info *project, found_list *list,
                                   size_t *n_total, ken_err *err)
{
    ken_tool__scope scope;
    ken_search_result r = { 0 };
    ken_status st = ken_tool__open_project(env, project, &scope, err);
    if (st)
        return st;
    st = search_project(env, req, &scope, &r, err);
    if (!st) {
        ken_tool__link link = ken_tool__find_link(env->arena, project->root);
        *n_total += r.n_total;
        for (size_t i = 0; i < r.n_hits; i++) {
            json_t *o = hit_json(&r.hits[i], &scope, &link);
            ken_json_set_str(o, "project", project->name);
            add_found(list, (found){ o, r.hits[i].similarity, i }, req->opts.limit);
        }
    }
    ken_tool__close(env, &scope);
    return st;
}

static ken_status search_all(const ken_tool_env *env, const search_request *req, json_t **out,
                             ken_err *err)
{
    ken_project_info *projects = NULL;
    size_t n = 0, n_total = 0, n_searched = 0;
    if (env->ctx->project.len)
        return KEN_FAIL(err, KEN_EPERM, "this endpoint serves one project; leave the project out");
    if (req->opts.offset)
        return KEN_FAIL(err, KEN_EINVAL, "args.offset: paging needs one project, not '*'");
    ken_status st = ken_app_list_projects(env->app, env->arena, &projects, &n, err);
    if (st)
        return st;
    found_list *list = KEN_ARENA_NEW(env->arena, found_list);
    json_t *results = json_array(), *skipped = json_array();
    for (size_t i = 0; i < n && !st; i++) {
        // Only what is indexed: nobody asked for each of these by name.
        if (!projects[i].indexed_at_ms || !projects[i].root_exists) {
            ken_json_append(skipped, ken_json_str(projects[i].name));
            continue;
        }
        st = add_project_hits(env, req, &projects[i], list, &n_total, err);
        n_searched++;
    }
    for (size_t i = 0; i < list->n; i++)
        ken_json_append(results, list->items[i].json);
    if (st) {
        json_decref(results);
        json_decref(skipped);
        return st;
    }
    json_t *o = json_object();
    ken_json_set(o, "results", results);
    ken_json_set_u64(o, "total", n_total);
    ken_json_set_str(o, "strategy", KEN_STR("all projects"));
    ken_json_set_u64(o, "projects_searched", n_searched);
    if (json_array_size(skipped))
        ken_json_set(o, "projects_not_indexed", skipped);
    else
        json_decref(skipped);
    *out = finish(env, req, o, n_total > list->n);
    return KEN_OK;
}

ken_status ken_tool__search_code(const ken_tool_env *env, const json_t *args, json_t **out,
                                 ken_err *err)
{
    search_request req;
    ken_status st = read_request(env, args, &req, err);
    if (st)
        return st;
    if (ken_str_eq(req.project, KEN_STR("*")))
        return search_all(env, &req, out, err);
    return search_one(env, &req, out, err);
}

// ---- text --------------------------------------------------------------------------------------

static ken_str member(const json_t *o, const char *key)
{
    return ken_json_text(json_object_get(o, key));
}

static long long number(const json_t *o, const char *key)
{
    return (long long)json_integer_value(json_object_get(o, key));
}

static void put_hit(const json_t *hit, ken_buf *out)
{
    ken_str symbol = member(hit, "symbol_name"), project = member(hit, "project");
    if (project.len)
        ken_buf_printf(out, "[" KEN_STR_FMT "] ", KEN_STR_ARG(project));
    ken_buf_put_str(out, member(hit, "file_path"));
    ken_buf_printf(out, ":%lld-%lld", number(hit, "start_line"), number(hit, "end_line"));
    if (symbol.len)
        ken_buf_printf(out, "  " KEN_STR_FMT, KEN_STR_ARG(symbol));
    ken_buf_putc(out, '\n');
    ken_str content = member(hit, "content");
    ken_buf_put_str(out, content);
    if (!ken_str_ends(content, KEN_STR("\n")))
        ken_buf_putc(out, '\n');
    const json_t *places = json_object_get(hit, "places");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *p = json_array_get(places, i);
        ken_str text = member(p, "text");
        ken_buf_printf(out, "%s:%lld", i ? " " : "  also ", number(p, "start_line"));
        if (text.len)
            ken_buf_printf(out, " " KEN_STR_FMT "\n", KEN_STR_ARG(text));
        else if (member(p, "symbol_name").len)
            ken_buf_printf(out, " " KEN_STR_FMT, KEN_STR_ARG(member(p, "symbol_name")));
    }
    ken_buf_puts(out, json_array_size(places) ? "\n\n" : "\n");
}

void ken_tool__search_code_text(const json_t *result, ken_buf *out)
{
    const json_t *hits = json_object_get(result, "results");
    ken_buf_printf(out, "%zu of %lld (" KEN_STR_FMT ")\n\n", json_array_size(hits),
                   number(result, "total"), KEN_STR_ARG(member(result, "strategy")));
    ken_tool__intent_text(result, out);
    for (size_t i = 0; i < json_array_size(hits); i++)
        put_hit(json_array_get(hits, i), out);
    if (json_is_true(json_object_get(result, "truncated")))
        ken_buf_puts(out, "There is more; narrow with directory or file_filter, or use offset.\n");
    if (member(result, "hint").len)
        ken_buf_printf(out, KEN_STR_FMT "\n", KEN_STR_ARG(member(result, "hint")));
}
