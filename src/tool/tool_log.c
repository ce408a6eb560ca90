// SPDX-License-Identifier: MIT
// What is written down of a call. In the log one record for each call and one for each search, and at
// level debug one for each of its results: who asked, what came of it, and where the time went. The same
// in the metrics, and as a span with its phases in the trace.
#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "metrics/metrics.h"
#include "obs/log.h"
#include "tool/tool_priv.h"

enum {
    HITS_LOGGED = 10
};

static const char *const phase_words[] = {
#define X(name, word) word,
    KEN_TOOL__PHASE_TABLE(X)
#undef X
};

bool ken_tool__is_noted(const ken_tool_ctx *ctx)
{
    return ken_metrics_is_on() || ken_log_is_on(KEN_LOG_INFO) || ken_otel_is_tracing() ||
           ctx->trace;
}

void ken_tool__note_project(const ken_tool_env *env, const ken_project_info *project)
{
    ken_tool__notes *n = env->notes;
    ken_tool_about *about = env->ctx->out_about;
    if (about) {
        ken_uuid_format(project->id, about->project_id);
        snprintf(about->project, sizeof about->project, KEN_STR_FMT,
                 KEN_STR_ARG(ken_utf8_clip(project->name, sizeof about->project - 1)));
    }
    if (!n)
        return;
    ken_str name = ken_utf8_clip(project->name, KEN_TOOL__NAME_MAX);
    ken_uuid_format(project->id, n->project_id);
    snprintf(n->project, sizeof n->project, KEN_STR_FMT, KEN_STR_ARG(name));
}

void ken_tool__note_time(const ken_tool_env *env, ken_tool__phase phase, int64_t began_ns,
                         int64_t ns)
{
    if (!env->notes)
        return;
    ken_tool__time *t = &env->notes->times[phase];
    if (!t->began_ns)
        t->began_ns = began_ns;
    t->ns += ns;
}

// Its stages follow each other.
static void note_stages(const ken_tool_env *env, const ken_search_times *t)
{
    int64_t at = t->began_ns;
    if (!at)
        return;
    ken_tool__note_time(env, KEN_TOOL__WORDS, at, t->words_ns);
    at += t->words_ns;
    if (t->embedding_ns)
        ken_tool__note_time(env, KEN_TOOL__EMBED, at, t->embedding_ns);
    at += t->embedding_ns;
    ken_tool__note_time(env, KEN_TOOL__VECTORS, at, t->vectors_ns);
    at += t->vectors_ns;
    ken_tool__note_time(env, KEN_TOOL__RANK, at, t->ranking_ns);
    at += t->ranking_ns;
    ken_tool__note_time(env, KEN_TOOL__SHOW, at, t->quoting_ns);
}

// ---- searches ----------------------------------------------------------------------------------

static void log_hits(const ken_search_result *r)
{
    for (size_t i = 0; i < r->n_hits && i < HITS_LOGGED; i++) {
        const ken_hit *h = &r->hits[i];
        const ken_log_field fields[] = {
            KEN_LOG_F_COUNT("rank", i + 1),
            KEN_LOG_F_TEXT("file_path", h->path),
            KEN_LOG_F_COUNT("start_line", h->first_line + 1),
            KEN_LOG_F_COUNT("end_line", h->last_line + 1),
            KEN_LOG_F_TEXT("symbol_name", h->symbol),
            KEN_LOG_F_REAL("score", h->score),
            KEN_LOG_F_REAL("similarity_score", h->similarity),
        };
        ken_log_record(KEN_LOG_DEBUG, "search", "search result", fields,
                       sizeof fields / sizeof *fields);
    }
}

static void log_search(const ken_tool_ctx *ctx, const ken_tool__scope *scope, ken_str query,
                       const ken_search_result *r)
{
    char id[KEN_UUID_TEXT];
    const ken_search_times *t = &r->times;
    ken_uuid_format(scope->project.id, id);
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("request_id", ctx->request_id),
        KEN_LOG_F_TEXT("project_id", ken_str_c(id)),
        KEN_LOG_F_TEXT("project", scope->project.name),
        KEN_LOG_F_COUNT("generation", scope->head.generation),
        KEN_LOG_F_TEXT("query", query),
        KEN_LOG_F_TEXT("strategy", ken_str_c(r->strategy ? r->strategy : "")),
        KEN_LOG_F_COUNT("results_count", r->n_hits),
        KEN_LOG_F_COUNT("total", r->n_total),
        KEN_LOG_F_REAL("confidence", r->confidence),
        KEN_LOG_F_MS("total_time_ms", ken_clock_mono_ns() - scope->began_ns),
        KEN_LOG_F_MS("index_time_ms", scope->opening_ns),
        KEN_LOG_F_MS("embedding_time_ms", t->embedding_ns),
        KEN_LOG_F_MS("search_time_ms", t->words_ns + t->vectors_ns + t->ranking_ns),
        KEN_LOG_F_MS("context_time_ms", t->quoting_ns),
        KEN_LOG_F_TEXT("note", r->note),
    };
    ken_log_record(KEN_LOG_INFO, "search", "search completed", fields,
                   sizeof fields / sizeof *fields);
    if (ken_log_is_on(KEN_LOG_DEBUG))
        log_hits(r);
}

void ken_tool__note_search(const ken_tool_env *env, const ken_tool__scope *scope, ken_str query,
                           const ken_search_result *r)
{
    note_stages(env, &r->times);
    if (ken_log_is_on(KEN_LOG_INFO))
        log_search(env->ctx, scope, query, r);
}

// ---- calls -------------------------------------------------------------------------------------

enum {
    CALL_FIELDS = 9 // without those of phases
};

typedef struct call_record {
    ken_log_field fields[CALL_FIELDS + KEN_TOOL__PHASES];
    size_t n;
} call_record;

static void add_text(call_record *r, const char *name, ken_str text)
{
    if (text.len)
        r->fields[r->n++] = KEN_LOG_F_TEXT(name, text);
}

static void log_call(const ken_tool__notes *n, const char *tool, const ken_tool_ctx *ctx,
                     int64_t ns, ken_status st, const ken_err *err)
{
    static const char *const names[] = {
#define X(name, word) word "_time_ms",
        KEN_TOOL__PHASE_TABLE(X)
#undef X
    };
    call_record r = { .n = 0 };
    add_text(&r, "request_id", ctx->request_id);
    add_text(&r, "client", ctx->client);
    add_text(&r, "tool", ken_str_c(tool));
    add_text(&r, "project_id", ken_str_c(n->project_id));
    add_text(&r, "project", ken_str_c(n->project));
    add_text(&r, "status", ken_str_c(ken_status_name(st)));
    char trace[2 * sizeof n->span.self.trace + 1];
    if (n->span.is_recorded) {
        ken_hex_into(n->span.self.trace, sizeof n->span.self.trace, trace);
        add_text(&r, "trace_id", ken_str_c(trace));
    }
    r.fields[r.n++] = KEN_LOG_F_MS("total_time_ms", ns);
    for (int i = 0; i < KEN_TOOL__PHASES; i++) {
        if (n->times[i].began_ns)
            r.fields[r.n++] = KEN_LOG_F_MS(names[i], n->times[i].ns);
    }
    if (st)
        add_text(&r, "error", ken_str_c(err->msg));
    ken_log_record(KEN_LOG_INFO, "tool", "tool call", r.fields, r.n);
}

static void count_call(const ken_tool__notes *n, const char *tool, const json_t *result, int64_t ns,
                       ken_status st)
{
    ken_metrics_add(KEN_METRIC_TOOL_CALLS, 1, KEN_LABELS(tool, ken_status_name(st)));
    ken_metrics_time(KEN_METRIC_TOOL_SECONDS, ns, KEN_LABELS(tool));
    if (json_is_string(result))
        ken_metrics_add(KEN_METRIC_TOOL_BYTES, (int64_t)json_string_length(result),
                        KEN_LABELS(tool));
    for (int i = 0; i < KEN_TOOL__PHASES; i++) {
        if (n->times[i].began_ns)
            ken_metrics_time(KEN_METRIC_TOOL_PHASE_SECONDS, n->times[i].ns,
                             KEN_LABELS(phase_words[i]));
    }
}

// Names that OpenTelemetry's conventions have, and ours for what they do not.
static void end_span(ken_tool__notes *n, const char *tool, const ken_tool_ctx *ctx, ken_status st)
{
    const char *error = st ? ken_status_name(st) : NULL;
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("gen_ai.operation.name", KEN_STR("execute_tool")),
        KEN_LOG_F_TEXT("gen_ai.tool.name", ken_str_c(tool)),
        KEN_LOG_F_TEXT("error.type", ken_str_c(error)),
        KEN_LOG_F_TEXT("ken.project.id", ken_str_c(n->project_id)),
        KEN_LOG_F_TEXT("ken.project.name", ken_str_c(n->project)),
        KEN_LOG_F_TEXT("ken.client", ctx->client),
        KEN_LOG_F_TEXT("ken.request.id", ctx->request_id),
    };
    for (int i = 0; i < KEN_TOOL__PHASES; i++) {
        if (n->times[i].began_ns)
            ken_otel_add_part(&n->span, phase_words[i], n->times[i].began_ns, n->times[i].ns);
    }
    ken_otel_end(&n->span, ken_str_c(tool), fields, sizeof fields / sizeof *fields, error);
}

void ken_tool__note_end(ken_tool__notes *notes, const char *tool, const ken_tool_ctx *ctx,
                        const json_t *result, ken_status st, const ken_err *err)
{
    int64_t ns = ken_clock_mono_ns() - notes->began_ns;
    if (!tool)
        tool = "unknown";
    end_span(notes, tool, ctx, st);
    if (ken_metrics_is_on())
        count_call(notes, tool, result, ns, st);
    if (ken_log_is_on(KEN_LOG_INFO))
        log_call(notes, tool, ctx, ns, st, err);
}
