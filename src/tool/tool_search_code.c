// SPDX-License-Identifier: MIT
// search_code: one engine over one project, or over several ("*", "a,b").
#include <stdio.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "token/token_count.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_wide_priv.h"

enum {
    CONTENT_MAX = 12 * 1024, // bytes of one result's code
    CONTEXT_MAX = 4 * 1024,  // bytes of its context on either side
    PLACES_MAX = 5,          // of one result of a listing
    FIRST_MIN = 240,         // bytes of the first result's code, however little room there is
    CUT_BYTES = 300,         // for the names of members and the hint of an answer that was cut
    // As text: all results on a line each, then the code of the best of them.
    TEXT_TOKENS = 1500, // of an answer, unless more is asked for
    TEXT_RESULTS = 50,  // on lines
    CODE_RESULTS = 3,   // with code, at most
    PLACES_RESULTS = 8, // with further places of their file
    CODE_LEAST = 300,   // bytes of a further result's code; with less room it is not shown
    BYTES_PER_TOKEN = 3,
};

typedef struct search_request {
    ken_str query, project;
    ken_search_opts opts;
    ken_str intent;     // as the caller says; empty: as the question does
    bool wants_intent;  // how to search was not said
    uint32_t limit;     // results that are wanted; a listing has further ones
    bool is_list;       // the answer is text: results on a line each, and code of the best
    bool wants_history; // who changed the lines of a result last
    size_t max_bytes;   // of a listing
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

static ken_status read_types(const json_t *list, ken_search_opts *opts, ken_err *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_str word = ken_json_text(json_array_get(list, i));
        ken_chunk_type t = ken_chunk_type_parse(word);
        if (t == KEN_CHUNK_UNKNOWN)
            return KEN_FAIL(err, KEN_EINVAL,
                            "args.chunk_type: '" KEN_STR_FMT "' is none of "
                            "function, class, module, block, comment, section, lines",
                            KEN_STR_ARG(ken_utf8_clip(word, 60)));
        opts->chunk_types |= 1U << t;
    }
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

static ken_status read_time(const char *name, ken_str text, int64_t *out, ken_err *err)
{
    if (!text.len || ken_clock_parse(text, ken_clock_wall_ms(), out))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "args.%s: expected 2026-01-31, 2026-01-31T10:00:00Z or an age like 7d, "
                    "got '" KEN_STR_FMT "'",
                    name, KEN_STR_ARG(ken_utf8_clip(text, 60)));
}

static ken_status read_filters(const ken_args_search_code *a, search_request *req, ken_err *err)
{
    ken_search_opts *o = &req->opts;
    o->file_type = a->file_type;
    o->directory = clean_directory(a->directory);
    o->glob = a->file_filter;
    o->language = a->language;
    o->min_bytes = a->min_size;
    o->max_bytes = a->max_size;
    o->kind = ken_symbol_kind_parse(a->kind);
    if (ken_str_starts(o->file_type, KEN_STR(".")))
        return KEN_FAIL(err, KEN_EINVAL, "args.file_type: should not include leading dot");
    ken_status st = read_time("since", a->since, &o->since_ms, err);
    if (!st)
        st = read_time("until", a->until, &o->until_ms, err);
    if (st)
        return st;
    if (o->until_ms && o->until_ms < o->since_ms)
        return KEN_FAIL(err, KEN_EINVAL, "args.until: '" KEN_STR_FMT "' is before since",
                        KEN_STR_ARG(ken_utf8_clip(a->until, 60)));
    if (a->kind.len && o->kind == KEN_SYMBOL_UNKNOWN)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.kind: '" KEN_STR_FMT "' is no kind of symbol; try "
                        "function, method, class, struct, interface, enum, type, variable, "
                        "constant, field",
                        KEN_STR_ARG(ken_utf8_clip(a->kind, 60)));
    return read_types(a->chunk_type, o, err);
}

static ken_status read_request(const ken_tool_env *env, const ken_args_search_code *a,
                               search_request *req, ken_err *err)
{
    const ken_config *settings = ken_app_config(env->app);
    bool is_list = env->is_text && !a->has_context_lines;
    *req = (search_request){
        .query = a->query,
        .project = a->project,
        .intent = a->intent,
        .limit = a->has_limit ? (uint32_t)a->limit
                              : (uint32_t)ken_config_u64(settings, KEN_CFG_SEARCH_LIMIT),
        .is_list = is_list,
        .wants_history = a->history,
        .max_bytes =
            (a->max_tokens ? (size_t)a->max_tokens : (size_t)TEXT_TOKENS) * BYTES_PER_TOKEN,
        .opts = { .mode = parse_mode(a->search_type),
                  .offset = (uint32_t)(a->offset > 1000000 ? 1000000 : a->offset),
                  .context_lines = a->has_context_lines
                                       ? (uint32_t)a->context_lines
                                       : (uint32_t)ken_config_u64(settings, KEN_CFG_CONTEXT_LINES),
                  .threshold = a->similarity_threshold,
                  .is_case_sensitive = a->case_sensitive,
                  .wants_explain = a->explain,
                  .wants_content = true },
    };
    // A listing shows no context, and has further results behind those that were asked for.
    req->opts.limit = req->limit;
    if (is_list)
        req->opts.context_lines = 0;
    if (is_list && !a->has_limit)
        req->opts.limit = TEXT_RESULTS;
    req->wants_intent =
        a->intent.len ? !ken_str_eq(a->intent, KEN_STR("none")) : !a->has_search_type;
    return read_filters(a, req, err);
}

// ---- results -----------------------------------------------------------------------------------

static void set_places(json_t *result, const ken_hit *h, size_t max)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n_places && i < max; i++) {
        const ken_place *p = &h->places[i];
        json_t *o = json_object();
        ken_json_set_u64(o, "start_line", p->first_line + 1);
        ken_json_set_u64(o, "end_line", p->last_line + 1);
        if (p->symbol.len)
            ken_json_set_str(o, "symbol_name", p->symbol);
        if (p->text.len) {
            json_t *marks = json_array();
            for (size_t m = 0; m < 2 * p->n_marks; m++)
                ken_json_append(marks, json_integer(p->marks[m]));
            ken_json_set_str(o, "text", p->text);
            ken_json_set(o, "marks", marks);
        }
        ken_json_append(list, o);
    }
    ken_json_set(result, "places", list);
    if (h->n_places > max)
        ken_json_set_u64(result, "places_total", h->n_places);
}

static json_t *symbols_json(const ken_hit *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n_symbols; i++) {
        const ken_hit_symbol *s = &h->symbols[i];
        ken_json_append(list, ken_tool__symbol_json(s->name, s->kind, s->first_line, s->last_line));
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

// A result of a listing, on one line.
static json_t *line_json(const ken_hit *h)
{
    json_t *o = json_object();
    ken_json_set_str(o, "file_path", h->path);
    ken_json_set_u64(o, "start_line", h->first_line + 1);
    ken_json_set_u64(o, "end_line", h->last_line + 1);
    ken_json_set_str(o, "symbol_name", h->symbol);
    if (h->kind != KEN_SYMBOL_UNKNOWN)
        ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(h->kind)));
    else
        ken_json_set_str(o, "kind", ken_str_c(ken_chunk_type_word(h->chunk_type)));
    if (h->is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    if (h->n_places)
        set_places(o, h, PLACES_MAX);
    if (h->n_terms)
        ken_json_set_real(o, "score", h->score);
    if (h->n_terms)
        ken_json_set(o, "explain", terms_json(h));
    return o;
}

// What a text takes of the room of a listing: its bytes, or more where it has many tokens for its size.
static size_t cost_of(ken_str text)
{
    size_t by_tokens = (size_t)ken_count_tokens(text) * BYTES_PER_TOKEN;
    return by_tokens > text.len ? by_tokens : text.len;
}

// Of the line of a result in a listing, nearly.
static size_t line_cost(const ken_hit *h, bool has_places)
{
    size_t cost = cost_of(h->path) + cost_of(h->symbol) + 24;
    for (size_t i = 0; i < h->n_places && i < PLACES_MAX; i++) {
        const ken_place *p = &h->places[i];
        if (p->text.len)
            cost += cost_of(p->text) + 9;
        if (has_places || p->text.len)
            cost += cost_of(p->symbol) + 9;
    }
    return cost;
}

// As many lines of the code as there is room for.
static ken_str clip_code(ken_str code, size_t room)
{
    ken_str lines = ken_tool__clip_lines(code, room, false);
    size_t cost = cost_of(lines);
    return cost > room ? ken_tool__clip_lines(code, room * room / cost, false) : lines;
}

// Lines for all results, code for the best of them, within the size of a listing. Results that match
// by lines (`places` with text) show these instead of code.
static json_t *listing_json(const search_request *req, const ken_search_result *r)
{
    json_t *list = json_array();
    size_t used = 0;
    if (!r->n_hits)
        return list;
    KEN_ASSERT(r->hits);
    for (size_t i = 0; i < r->n_hits; i++) {
        used += line_cost(&r->hits[i], i < PLACES_RESULTS);
        if (i >= req->limit && used > req->max_bytes / 2)
            break;
        ken_json_append(list, line_json(&r->hits[i]));
    }
    for (size_t i = 0; i < json_array_size(list) && i < CODE_RESULTS; i++) {
        const ken_hit *h = &r->hits[i];
        size_t room = req->max_bytes > used ? req->max_bytes - used : 0;
        bool has_lines = h->n_places && h->places[0].text.len;
        if (has_lines || (i && room < CODE_LEAST))
            break;
        ken_str code = clip_code(h->content, room > FIRST_MIN ? room : FIRST_MIN);
        json_t *o = json_array_get(list, i);
        ken_json_set_str(o, "content", code);
        if (code.len < h->content.len)
            ken_json_set_bool(o, "content_truncated", true);
        used += cost_of(code) + code.len / 6; // line numbers
    }
    return list;
}

static json_t *hit_json(const ken_hit *h, const ken_tool__scope *scope, const ken_tool__link *link)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(h->chunk_id, id);
    // What changed after the commit that was indexed is not in that commit.
    ken_str commit = h->is_refreshed ? (ken_str){ "", 0 } : scope->head.git_head;
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
    commit = ken_tool__commit_of(link, commit, h->path);
    ken_json_set(o, "commit_hash", commit.len ? ken_json_str(commit) : NULL);
    ken_json_set(o, "url", ken_tool__url(link, commit, h->path, h->first_line, h->last_line));
    if (h->content.len > CONTENT_MAX)
        ken_json_set_bool(o, "content_truncated", true);
    if (h->is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    if (h->n_symbols)
        ken_json_set(o, "symbols", symbols_json(h));
    if (h->n_places)
        set_places(o, h, SIZE_MAX);
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

static ken_status search_project(const ken_tool_env *env, const search_request *req,
                                 const ken_tool__scope *scope, ken_search_result *r, ken_err *err)
{
    ken_search_opts opts = req->opts;
    ken_str root = scope->project.root;
    if (ken_str_starts(opts.directory, KEN_STR("/"))) {
        const ken_roots more = ken_app_roots(&scope->project, env->arena);
        ken_str below = ken_path_relative(root, opts.directory);
        opts.directory = below.ptr ? below : ken_roots_relative(&more, opts.directory, env->arena);
        if (!opts.directory.ptr)
            return KEN_FAIL(err, KEN_EINVAL,
                            "args.directory lies outside of the project's root '" KEN_STR_FMT "'",
                            KEN_STR_ARG(ken_utf8_clip(root, 200)));
    }
    ken_status st =
        ken_search(scope->snap, req->query, &opts, env->ctx->cancel, env->arena, r, err);
    if (!st)
        ken_tool__note_search(env, scope, req->query, r);
    return st;
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
                       o->chunk_types || o->kind || o->threshold > 0 || o->since_ms ||
                       o->until_ms || o->min_bytes || o->max_bytes;
    ken_json_set_str(out, "hint",
                     is_filtered ? KEN_STR("nothing matched; leave out some of the filters")
                     : o->mode == KEN_SEARCH_AUTO
                         ? KEN_STR("nothing matched; try other words, or {search_type} text for "
                                   "what stands in the files")
                         : KEN_STR("nothing matched; try {search_type} hybrid"));
}

#define NARROW_HINT                                                                             \
    "the answer was cut to fit; ask with a smaller {limit}, {context_lines} 0, {directory} or " \
    "{file_filter}, or go on with {offset}"

// What stands around the results gives way before any of them, that of the last ones first.
static void shed_context(json_t *out, size_t max)
{
    const json_t *results = json_object_get(out, "results");
    size_t total = ken_tool__size(out);
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
    size_t total = ken_tool__size(out);
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
    size_t kept = req->is_list ? n : fit(out, max);
    add_advice(out, req, is_more || kept < n);
    return out;
}

void ken_tool__add_totals(json_t *out, const ken_search_result *r)
{
    ken_json_set_u64(out, "total", r->n_total);
    if (r->is_at_least)
        ken_json_set_bool(out, "total_is_at_least", true);
    if (!r->has_confidence)
        return;
    ken_json_set_real(out, "confidence", (double)(int)(r->confidence * 100 + 0.5) / 100);
    if (r->n_hits && r->fits_nothing)
        ken_json_set_str(out, "hint",
                         KEN_STR("nothing fits this question: the results are what is nearest, and "
                                 "answers like it rarely hold what was asked for; ask in other "
                                 "words, or take it that the code has no such thing"));
}

static json_t *results_json(const ken_tool_env *env, const search_request *req,
                            const ken_tool__scope *scope, const ken_search_result *r)
{
    if (req->is_list)
        return listing_json(req, r);
    json_t *results = json_array();
    ken_tool__link link =
        ken_tool__find_link(ken_app_config(env->app), env->arena, &scope->project);
    for (size_t i = 0; i < r->n_hits; i++)
        ken_json_append(results, hit_json(&r->hits[i], scope, &link));
    return results;
}

// Of as many results as were asked for: git is asked about each of them.
static ken_status add_history(const ken_tool_env *env, const search_request *req,
                              const ken_tool__scope *scope, const ken_search_result *r,
                              json_t *results, ken_err *err)
{
    ken_status st = KEN_OK;
    size_t n = req->wants_history ? json_array_size(results) : 0;
    for (size_t i = 0; !st && i < n && i < req->limit; i++)
        st = ken_tool__set_history(env, scope, r->hits[i].path, r->hits[i].first_line,
                                   r->hits[i].last_line, json_array_get(results, i), err);
    return st;
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
    json_t *results = st ? NULL : results_json(env, req, &scope, &r);
    if (!st)
        st = add_history(env, req, &scope, &r, results, err);
    if (st) {
        json_decref(results);
    } else {
        json_t *o = json_object();
        const char *lookup = req->wants_intent
                                 ? ken_tool__add_intent(env, scope.snap, req->query, req->intent, o)
                                 : "";
        ken_json_set(o, "results", results);
        if (env->is_text) {
            ken_json_set_str(o, "query", req->query);
            ken_json_set_bool(o, "is_listing", req->is_list);
        }
        ken_json_set_str(o, "strategy", ken_arena_printf(env->arena, "%s%s", lookup, r.strategy));
        ken_json_set(o, "project", ken_tool__project_json(&scope.project));
        ken_str path = ken_snapshot_find_path(scope.snap, req->query, env->arena);
        if (path.len)
            ken_json_set_str(o, "named_file", path);
        json_t *index = ken_tool__index_json(&scope), *stale = stale_json(&r);
        if (stale)
            ken_json_set(index, "stale", stale);
        ken_json_set(o, "index", index);
        if (r.note.len)
            ken_json_set_str(o, "note", r.note);
        ken_tool__add_totals(o, &r);
        *out = finish(env, req, o,
                      r.is_truncated || json_array_size(json_object_get(o, "results")) < r.n_hits);
    }
    ken_tool__close(env, &scope);
    return st;
}

// ---- several projects --------------------------------------------------------------------------

static uint32_t most_member(const ken_search_result *r)
{
    uint32_t most = 0;
    for (size_t i = 0; i < r->n_hits; i++)
        most = r->hits[i].member > most ? r->hits[i].member : most;
    return most;
}

// Read of the project's files: once for all its hits.
static const ken_tool__link *link_of(const ken_tool_env *env, const ken_tool__scope *scope)
{
    ken_tool__link *link = KEN_ARENA_NEW(env->arena, ken_tool__link);
    *link = ken_tool__find_link(ken_app_config(env->app), env->arena, &scope->project);
    return link;
}

static json_t *several_json(const ken_tool_env *env, const search_request *req, ken_tool__wide *w,
                            const ken_search_result *r)
{
    json_t *results = req->is_list ? listing_json(req, r) : json_array();
    const ken_tool__link **links =
        KEN_ARENA_ARRAY(env->arena, const ken_tool__link *, most_member(r) + (size_t)1);
    for (size_t i = 0; i < r->n_hits; i++) {
        uint32_t member = r->hits[i].member;
        const ken_tool__scope *scope = ken_tool__head_of(w, member);
        if (!req->is_list && !links[member])
            links[member] = link_of(env, scope);
        if (!req->is_list)
            ken_json_append(results, hit_json(&r->hits[i], scope, links[member]));
        if (i < json_array_size(results))
            ken_json_set_str(json_array_get(results, i), "project", scope->project.name);
    }
    return results;
}

static ken_status add_histories(const ken_tool_env *env, const search_request *req,
                                ken_tool__wide *w, const ken_search_result *r, json_t *results,
                                ken_err *err)
{
    ken_status st = KEN_OK;
    size_t n = req->wants_history ? json_array_size(results) : 0;
    for (size_t i = 0; !st && i < n && i < req->limit; i++) {
        const ken_hit *h = &r->hits[i];
        const ken_tool__scope *scope = ken_tool__scope_of(w, h->member);
        if (scope)
            st = ken_tool__set_history(env, scope, h->path, h->first_line, h->last_line,
                                       json_array_get(results, i), err);
    }
    return st;
}

static ken_status search_several(const ken_tool_env *env, const search_request *req,
                                 ken_tool__wide *w, json_t **out, ken_err *err)
{
    ken_search_result r = { 0 };
    ken_status st = ken_tool__search_several(w, req->query, &req->opts, &r, err);
    json_t *results = st ? NULL : several_json(env, req, w, &r);
    if (!st)
        st = add_histories(env, req, w, &r, results, err);
    if (st) {
        json_decref(results);
        return st;
    }
    json_t *o = json_object(), *stale = stale_json(&r);
    ken_json_set(o, "results", results);
    if (env->is_text) {
        ken_json_set_str(o, "query", req->query);
        ken_json_set_bool(o, "is_listing", req->is_list);
    }
    ken_json_set_str(o, "strategy", ken_str_c(r.strategy ? r.strategy : ""));
    if (stale)
        ken_json_set(o, "stale", stale);
    if (r.note.len)
        ken_json_set_str(o, "note", r.note);
    ken_tool__add_totals(o, &r);
    ken_tool__tell_several(w, o);
    bool is_cut = json_array_size(results) < r.n_hits;
    *out = finish(env, req, o, r.is_truncated || is_cut);
    return KEN_OK;
}

ken_status ken_tool__search_code(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    search_request req;
    ken_tool__wide *w = NULL;
    ken_status st = read_request(env, args, &req, err);
    if (!st)
        st = ken_tool__find_several(env, req.project, &w, err);
    if (st)
        return st;
    if (!w)
        return search_one(env, &req, out, err);
    st = search_several(env, &req, w, out, err);
    ken_tool__close_several(w);
    return st;
}

// ---- text --------------------------------------------------------------------------------------

static void put_terms(const json_t *hit, ken_paint *out)
{
    const json_t *terms = json_object_get(hit, "explain");
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *t = json_array_get(terms, i);
        ken_paint_printf(out, KEN_STYLE_NOTE, "    %+9.4f",
                         json_number_value(json_object_get(t, "points")));
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  %-24s %.4f x %.4f\n",
                         json_string_value(json_object_get(t, "name")),
                         json_number_value(json_object_get(t, "value")),
                         json_number_value(json_object_get(t, "weight")));
    }
    if (json_array_size(terms))
        ken_paint_printf(out, KEN_STYLE_NOTE, "    %9.4f  score\n",
                         json_number_value(json_object_get(hit, "score")));
}

// "  also 120 find_best_app, 200 locate_app": further good places of the file.
static void put_further_places(const json_t *hit, ken_paint *out)
{
    const json_t *places = json_object_get(hit, "places");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *p = json_array_get(places, i);
        ken_str symbol = ken_tool__member(p, "symbol_name");
        if (ken_tool__member(p, "text").len || !symbol.len)
            continue;
        ken_paint_puts(out, n++ ? ", " : "  also ");
        ken_paint_printf(out, KEN_STYLE_LINE, "%lld ", ken_tool__number(p, "start_line"));
        ken_paint_str(out, KEN_STYLE_NAME, symbol);
    }
    ken_paint_puts(out, n ? "\n" : "");
}

// The line without the blanks around it; what matched is painted.
static void put_marked(ken_str text, const json_t *marks, ken_paint *out)
{
    ken_str shown = ken_str_trim(text);
    size_t first = (size_t)(shown.ptr - text.ptr), at = 0, n_chars = 0, n = json_array_size(marks);
    for (size_t i = 0; i <= n; i++) {
        size_t from = at > first ? at : first, until = SIZE_MAX;
        if (i < n)
            until = (size_t)json_integer_value(json_array_get(marks, i));
        for (; at < first + shown.len && n_chars < until; n_chars++) {
            uint32_t code;
            size_t len = ken_utf8_next(ken_str_sub(text, at, text.len), &code);
            at += len ? len : 1;
        }
        if (at > from)
            ken_paint_str(out, i % 2 ? KEN_STYLE_MATCH : KEN_STYLE_PLAIN,
                          ken_str_sub(text, from, at));
    }
}

// "  141 in Parser.parse: while (next())" for each line that matched and does not stand in lines
// [first, last], which are shown as code.
static void put_matched_lines(const json_t *hit, long long first, long long last, ken_paint *out)
{
    const json_t *places = json_object_get(hit, "places");
    size_t n_shown = json_array_size(places);
    for (size_t i = 0; i < n_shown; i++) {
        const json_t *p = json_array_get(places, i);
        ken_str text = ken_tool__member(p, "text"), in = ken_tool__member(p, "symbol_name");
        long long line = ken_tool__number(p, "start_line");
        if (!ken_str_trim(text).len || (line >= first && line <= last))
            continue;
        ken_paint_printf(out, KEN_STYLE_LINE, "  %lld", line);
        if (in.len)
            ken_paint_printf(out, KEN_STYLE_DIM, " in " KEN_STR_FMT, KEN_STR_ARG(in));
        ken_paint_puts(out, ": ");
        put_marked(text, json_object_get(p, "marks"), out);
        ken_paint_puts(out, "\n");
    }
    long long total = ken_tool__number(hit, "places_total"), n_more = total - (long long)n_shown;
    if (n_more > 0)
        ken_paint_printf(out, KEN_STYLE_DIM, "  and %s%lld more line%s\n",
                         total == KEN_LINES_MAX ? "at least " : "", n_more, n_more == 1 ? "" : "s");
}

static bool is_matched_lines(const json_t *hit)
{
    return ken_tool__member(json_array_get(json_object_get(hit, "places"), 0), "text").len > 0;
}

// "path:3-9 method Parser.parse"; above matched lines, which may stand in several definitions, "path".
static void put_line(const json_t *hit, bool is_file, ken_paint *out)
{
    ken_str project = ken_tool__member(hit, "project");
    if (project.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "[" KEN_STR_FMT "] ", KEN_STR_ARG(project));
    if (is_file) {
        ken_paint_path(out, ken_tool__member(hit, "file_path"));
        ken_paint_puts(out, "\n");
    } else {
        ken_tool__put_definition(hit, "symbol_name", out);
    }
}

static void put_code(const json_t *hit, const ken_str *words, size_t n_words, ken_paint *out)
{
    ken_str before = ken_tool__member(hit, "context_before"),
            code = ken_tool__member(hit, "content"), after = ken_tool__member(hit, "context_after");
    long long first = ken_tool__number(hit, "start_line"), last = ken_tool__number(hit, "end_line");
    ken_paint_code(out, before, (size_t)first - ken_tool__count_lines(before), NULL, 0);
    ken_paint_code(out, code, (size_t)first, words, n_words);
    if (json_is_true(json_object_get(hit, "content_truncated")))
        ken_paint_printf(out, KEN_STYLE_DIM, "... to line %lld\n", last);
    else
        ken_paint_code(out, after, (size_t)last + 1, NULL, 0);
}

enum {
    WORDS_MAX = 16
};

// What is painted in the code: the words of the question.
static size_t split_words(ken_str query, ken_str *out)
{
    size_t n = 0;
    ken_str word;
    while (n < WORDS_MAX && ken_str_split_next(&query, ' ', &word))
        if (word.len > 2)
            out[n++] = word;
    return n;
}

static void put_whole(const json_t *hits, const ken_str *words, size_t n_words, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(hits); i++) {
        const json_t *hit = json_array_get(hits, i);
        ken_paint_puts(out, i ? "\n" : "");
        put_line(hit, false, out);
        ken_tool__history_text(hit, out);
        put_terms(hit, out);
        put_code(hit, words, n_words, out);
        put_matched_lines(hit, ken_tool__number(hit, "start_line"),
                          ken_tool__number(hit, "end_line"), out);
    }
}

static void put_listing(const json_t *hits, const ken_str *words, size_t n_words, ken_paint *out)
{
    size_t n_code = 0;
    if (json_array_size(hits) == 1 && json_object_get(json_array_get(hits, 0), "content")) {
        put_whole(hits, words, n_words, out);
        return;
    }
    for (size_t i = 0; i < json_array_size(hits); i++) {
        const json_t *hit = json_array_get(hits, i);
        put_line(hit, is_matched_lines(hit), out);
        ken_tool__history_text(hit, out);
        put_terms(hit, out);
        put_matched_lines(hit, 1, 0, out);
        if (i < PLACES_RESULTS)
            put_further_places(hit, out);
        n_code += json_object_get(hit, "content") != NULL;
    }
    for (size_t i = 0; i < n_code; i++) {
        const json_t *hit = json_array_get(hits, i);
        ken_paint_puts(out, "\n");
        put_line(hit, false, out);
        put_code(hit, words, n_words, out);
    }
}

// "3 of at least 41 results, hybrid, confidence 0.84; files: 1 changed since indexing, 2 gone"
void ken_tool__account_text(const json_t *answer, ken_paint *out)
{
    size_t n = json_array_size(json_object_get(answer, "results"));
    const json_t *index = json_object_get(answer, "index"),
                 *stale = json_object_get(index ? index : answer, "stale"),
                 *confidence = json_object_get(answer, "confidence");
    long long n_changed = ken_tool__number(stale, "changed_files"),
              n_gone = ken_tool__number(stale, "removed_files"),
              n_total = ken_tool__number(answer, "total");
    ken_str strategy = ken_tool__member(answer, "strategy");
    bool is_part = n_total > (long long)n;
    const char *least =
        json_is_true(json_object_get(answer, "total_is_at_least")) ? "at least " : "";
    bool is_next_known = n_total == ken_tool__number(answer, "next_offset") + 1;
    if (n && is_part && *least && is_next_known) // nothing was counted but that one more is there
        ken_paint_printf(out, KEN_STYLE_DIM, "%zu result%s, and there are more", n,
                         n == 1 ? "" : "s");
    else if (n && is_part)
        ken_paint_printf(out, KEN_STYLE_DIM, "%zu of %s%lld results", n, least, n_total);
    else if (n)
        ken_paint_printf(out, KEN_STYLE_DIM, "%zu result%s", n, n == 1 ? "" : "s");
    if (n && strategy.len)
        ken_paint_printf(out, KEN_STYLE_DIM, ", " KEN_STR_FMT, KEN_STR_ARG(strategy));
    if (n && confidence)
        ken_paint_printf(out, KEN_STYLE_DIM, ", confidence %.2f", json_number_value(confidence));
    if (n_changed + n_gone)
        ken_paint_printf(out, KEN_STYLE_DIM, "%s%lld changed since indexing, %lld gone",
                         n ? "; files: " : "files: ", n_changed, n_gone);
    ken_paint_puts(out, n || n_changed + n_gone ? "\n" : "");
}

void ken_tool__search_code_text(const json_t *answer, ken_paint *out)
{
    const json_t *hits = json_object_get(answer, "results");
    ken_str words[WORDS_MAX];
    size_t n_words = split_words(ken_tool__member(answer, "query"), words);
    ken_str hint = ken_tool__member(answer, "hint");
    if (hint.len && json_array_size(hits)) // that nothing fits must not stand at the end
        ken_paint_printf(out, KEN_STYLE_NOTE, KEN_STR_FMT "\n", KEN_STR_ARG(hint));
    ken_tool__intent_text(answer, out);
    ken_str named = ken_tool__member(answer, "named_file");
    if (named.len)
        ken_paint_note(out, "'" KEN_STR_FMT "' is a file; outline lists what it defines",
                       KEN_STR_ARG(named));
    if (json_is_true(json_object_get(answer, "is_listing")))
        put_listing(hits, words, n_words, out);
    else
        put_whole(hits, words, n_words, out);
    if (!json_array_size(hits)) {
        ken_paint_puts(out, "nothing found\n");
        if (hint.len)
            ken_paint_note(out, KEN_STR_FMT, KEN_STR_ARG(hint));
    }
    ken_tool__next_text(answer, out);
    ken_str note = ken_tool__member(answer, "note");
    if (note.len)
        ken_paint_note(out, KEN_STR_FMT, KEN_STR_ARG(note));
    ken_tool__several_text(answer, out);
    ken_tool__account_text(answer, out);
    if (json_object_get(answer, "next_offset"))
        ken_paint_note(out, "more: {offset} %lld", ken_tool__number(answer, "next_offset"));
}
