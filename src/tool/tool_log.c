// SPDX-License-Identifier: MIT
// One record in the log for each search, and at level debug one for each of its results: what was asked,
// what came of it, and where the time went.
#include "base/clock.h"
#include "obs/log.h"
#include "tool/tool_priv.h"

enum {
    HITS_LOGGED = 10
};

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

void ken_tool__log_search(const ken_tool__scope *scope, ken_str query, const ken_search_result *r)
{
    char id[KEN_UUID_TEXT];
    if (!ken_log_is_on(KEN_LOG_INFO))
        return;
    ken_uuid_format(scope->project.id, id);
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("project_id", ken_str_c(id)),
        KEN_LOG_F_TEXT("project", scope->project.name),
        KEN_LOG_F_COUNT("generation", scope->stats.generation),
        KEN_LOG_F_TEXT("query", query),
        KEN_LOG_F_TEXT("strategy", ken_str_c(r->strategy ? r->strategy : "")),
        KEN_LOG_F_COUNT("results_count", r->n_hits),
        KEN_LOG_F_COUNT("total", r->n_total),
        KEN_LOG_F_REAL("confidence", r->confidence),
        KEN_LOG_F_MS("total_time_ms", ken_clock_mono_ns() - scope->began_ns),
        KEN_LOG_F_MS("index_time_ms", scope->opening_ns),
        KEN_LOG_F_MS("embedding_time_ms", r->embedding_ns),
        KEN_LOG_F_MS("search_time_ms", r->ranking_ns),
        KEN_LOG_F_MS("context_time_ms", r->quoting_ns),
        KEN_LOG_F_TEXT("note", r->note),
    };
    ken_log_record(KEN_LOG_INFO, "search", "search completed", fields,
                   sizeof fields / sizeof *fields);
    if (ken_log_is_on(KEN_LOG_DEBUG))
        log_hits(r);
}
