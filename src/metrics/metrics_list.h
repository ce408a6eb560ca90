// SPDX-License-Identifier: MIT
// metrics_list.h -- every metric, one row each: what the program counts, the documents list and a
// scrape shows.
//
// Columns: id, kind, "name", "labels", most label sets, text.
//   kind    COUNTER, GAUGE, or TIMER: a histogram of seconds
//   name    without the suffix _total of a counter, which the writers add
//   labels  comma-separated, at most KEN_METRIC_LABELS; "" = none
//   most    label sets beyond so many are counted as one, whose labels are all "other"
#ifndef KEN_METRICS_METRICS_LIST_H
#define KEN_METRICS_METRICS_LIST_H

// clang-format off
#define KEN_METRICS(X)                                                                             \
    X(BUILD, GAUGE, "ken_build_info", "version", 1, "1, with the version that runs")               \
    X(TOOL_CALLS, COUNTER, "ken_tool_calls", "tool,status", 512,                                   \
      "calls of operations that ended, by the status that clients see (OK, EINVAL, ETIMEOUT …)")   \
    X(TOOL_SECONDS, TIMER, "ken_tool_call_seconds", "tool", 96, "time that a call took")           \
    X(TOOL_PHASE_SECONDS, TIMER, "ken_tool_phase_seconds", "phase", 16,                            \
      "time of a call by phase: catch_up (comparing the index with the folder and bringing it up " \
      "to date), open, and of a search words, embed, vectors, rank, show")                         \
    X(TOOL_BYTES, COUNTER, "ken_tool_answer_bytes", "tool", 96, "bytes of answers that are text")  \
    X(TOOL_RUNNING, GAUGE, "ken_tool_calls_in_flight", "", 0, "calls that run now")                \
    X(INDEX_RUNS, COUNTER, "ken_index_runs", "status", 32, "runs that bring an index up to date")  \
    X(INDEX_RUNNING, GAUGE, "ken_index_runs_in_flight", "", 0, "such runs that go on now")         \
    X(INDEX_SECONDS, TIMER, "ken_index_run_seconds", "", 0, "time that a run took")                \
    X(INDEX_STAGE_SECONDS, TIMER, "ken_index_stage_seconds", "stage", 8,                           \
      "time of a run by stage: scan, parse (reading included), commit")                            \
    X(INDEX_FILES, COUNTER, "ken_index_files", "change", 8,                                        \
      "files that runs found added, modified, removed or renamed")                                 \
    X(INDEX_PARSED, COUNTER, "ken_index_parsed_files", "", 0, "contents that were parsed")         \
    X(INDEX_BYTES, COUNTER, "ken_index_parsed_bytes", "", 0, "bytes of contents that were parsed") \
    X(INDEX_ISSUES, COUNTER, "ken_index_issues", "", 0, "files that could not be read or parsed whole") \
    X(INDEX_OPEN, GAUGE, "ken_index_open", "", 0, "projects whose index is open")                  \
    X(WATCH_PROJECTS, GAUGE, "ken_watch_projects", "how", 4,                                       \
      "projects that are followed without questions (watch.enabled): kernel (it tells of changes), polled") \
    X(WATCH_ENTRIES, GAUGE, "ken_watch_entries", "", 0, "folders and files that are watched for them") \
    X(WATCH_UPDATES, COUNTER, "ken_watch_updates", "status", 32,                                   \
      "times that one of them was brought up to date; EBUSY, ECANCELLED: somebody else did, or goes on with it") \
    X(STORE_TRANSACTIONS, COUNTER, "ken_store_transactions", "kind,status", 64,                    \
      "transactions that ended; EBUSY: another process held the lock for too long")                \
    X(STORE_WAIT_SECONDS, TIMER, "ken_store_lock_seconds", "", 0,                                  \
      "time until a writing transaction had its lock")                                             \
    X(STORE_COMMIT_SECONDS, TIMER, "ken_store_commit_seconds", "", 0,                              \
      "time that a writing transaction took to commit, the disk included")                         \
    X(STORE_BYTES, GAUGE, "ken_store_bytes", "file", 8,                                            \
      "size of the databases of open indexes, of their write-ahead logs, and of the catalog")      \
    X(REPLICA_STATE, GAUGE, "ken_replica", "what", 8,                                              \
      "the replica of the database, as it was last looked at: down, behind, other (it does not "     \
      "follow the primary); 1 = it is")                                                            \
    X(REPLICA_READS, GAUGE, "ken_replica_reads", "how", 8,                                         \
      "reads that went to it: answered; older (than what was seen: the primary answered)")         \
    X(CACHE_HITS, COUNTER, "ken_cache_hits", "cache", 16,                                          \
      "look-ups that found what they needed: index (open indexes), question (vectors of "          \
      "questions), graph (files, counted by the next question)")                                                                                \
    X(CACHE_MISSES, COUNTER, "ken_cache_misses", "cache", 16, "look-ups that had to load or ask; graph: files that the graph needed")  \
    X(CACHE_EVICTIONS, COUNTER, "ken_cache_evictions", "cache", 16, "entries that made room for others") \
    X(CACHE_ENTRIES, GAUGE, "ken_cache_entries", "cache", 16, "entries that are held")             \
    X(CACHE_BYTES, GAUGE, "ken_cache_bytes", "cache", 16, "memory of what is held")                \
    X(EMBED_REQUESTS, COUNTER, "ken_embed_requests", "provider,status", 96,                        \
      "requests for vectors, by what came of them after all tries")                                \
    X(EMBED_SECONDS, TIMER, "ken_embed_request_seconds", "provider", 16,                           \
      "time of such a request, all tries included")                                                \
    X(EMBED_RETRIES, COUNTER, "ken_embed_retries", "provider", 16, "tries after the first")        \
    X(EMBED_TEXTS, COUNTER, "ken_embed_texts", "provider", 16, "texts that got a vector")          \
    X(EMBED_TOKENS, COUNTER, "ken_embed_tokens", "provider", 16, "tokens, where the provider counts them") \
    X(HTTP_REQUESTS, COUNTER, "ken_http_requests", "route,method,status", 512,                     \
      "HTTP requests that were answered")                                                          \
    X(HTTP_SECONDS, TIMER, "ken_http_request_seconds", "route", 64,                                \
      "time from a whole request to the end of its answer; of streams, while they are open")       \
    X(HTTP_IN_FLIGHT, GAUGE, "ken_http_requests_in_flight", "", 0,                                 \
      "HTTP requests begun and not ended, streams included")                                       \
    X(HTTP_REQUEST_BYTES, COUNTER, "ken_http_request_bytes", "route", 64,                          \
      "bytes of bodies that came")                                                                 \
    X(HTTP_RESPONSE_BYTES, COUNTER, "ken_http_response_bytes", "route", 64,                        \
      "bytes of bodies that were sent, before compression")                                        \
    X(HTTP_CONNECTIONS, GAUGE, "ken_http_connections", "", 0, "open connections")                  \
    X(HTTP_CUT, COUNTER, "ken_http_connections_cut", "", 0,                                        \
      "connections closed for being slow, or for a stream that nobody read")                       \
    X(HTTP_STARVED, COUNTER, "ken_http_connections_starved", "", 0,                                \
      "times that connections had to wait because all file descriptors were used")                 \
    X(HTTP_REFUSED, COUNTER, "ken_http_refused", "reason", 32,                                     \
      "requests refused before their work: throttled, unauthorized, origin")          \
    X(MCP_SESSIONS, GAUGE, "ken_mcp_sessions", "", 0, "sessions of clients that are open")         \
    X(MCP_QUEUE, GAUGE, "ken_mcp_queue_length", "", 0, "calls that wait for a worker")             \
    X(MCP_WAIT_SECONDS, TIMER, "ken_mcp_queue_seconds", "", 0, "time that a call waited for a worker") \
    X(JOBS, GAUGE, "ken_jobs", "kind,state", 64, "jobs that wait or run")                          \
    X(JOB_RUNS, COUNTER, "ken_job_runs", "kind,status", 64, "jobs that ended")                     \
    X(JOB_SECONDS, TIMER, "ken_job_seconds", "kind", 16, "time that a job ran")                    \
    X(JOB_WAIT_SECONDS, TIMER, "ken_job_wait_seconds", "kind", 16, "time that a job waited")       \
    X(OTEL_SENT, COUNTER, "ken_otel_sent", "signal", 4, "spans and points that a collector took")  \
    X(OTEL_DROPPED, COUNTER, "ken_otel_dropped", "signal,reason", 16,                              \
      "spans and points that were dropped: queue_full, failed, rejected")                          \
    X(PROCESS_CPU, COUNTER, "process_cpu_seconds", "", 0, "processor time, user and system, in seconds") \
    X(PROCESS_RSS, GAUGE, "process_resident_memory_bytes", "", 0, "memory that is resident, in bytes") \
    X(PROCESS_VIRTUAL, GAUGE, "process_virtual_memory_bytes", "", 0, "address space, in bytes")    \
    X(PROCESS_FDS, GAUGE, "process_open_fds", "", 0, "open file descriptors")                      \
    X(PROCESS_MAX_FDS, GAUGE, "process_max_fds", "", 0, "file descriptors that may be open")       \
    X(PROCESS_THREADS, GAUGE, "process_threads", "", 0, "threads")                                 \
    X(PROCESS_START, GAUGE, "process_start_time_seconds", "", 0,                                   \
      "when the process began to serve, in seconds since the epoch")
// clang-format on

#endif
