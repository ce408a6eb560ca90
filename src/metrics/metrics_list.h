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
    X(HTTP_REFUSED, COUNTER, "ken_http_refused", "reason", 32,                                     \
      "requests refused before their work: throttled, unauthorized, origin, too_large …")          \
    X(MCP_SESSIONS, GAUGE, "ken_mcp_sessions", "", 0, "sessions of clients that are open")         \
    X(MCP_QUEUE, GAUGE, "ken_mcp_queue_length", "", 0, "calls that wait for a worker")             \
    X(MCP_WAIT_SECONDS, TIMER, "ken_mcp_queue_seconds", "", 0, "time that a call waited for a worker") \
    X(JOBS, GAUGE, "ken_jobs", "kind,state", 64, "jobs that wait or run")                          \
    X(JOB_RUNS, COUNTER, "ken_job_runs", "kind,status", 64, "jobs that ended")                     \
    X(JOB_SECONDS, TIMER, "ken_job_seconds", "kind", 16, "time that a job ran")                    \
    X(JOB_WAIT_SECONDS, TIMER, "ken_job_wait_seconds", "kind", 16, "time that a job waited")       \
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
