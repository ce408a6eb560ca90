// SPDX-License-Identifier: MIT
// embed_remote_priv.h -- what providers behind HTTP share: requests, retries, errors, rows.
#ifndef KEN_EMBED_EMBED_REMOTE_PRIV_H
#define KEN_EMBED_EMBED_REMOTE_PRIV_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/buf.h"
#include "embed/embed_ops.h"
#include "httpc/httpc.h"
#include "json/json.h"

enum {
    EMBED_BODY_MAX = 64 * 1024 * 1024,
    EMBED_RETRY_AFTER_MAX_S = 60,
};

// Begins each provider's own struct. Unchanged once opened, but for the atomic members.
typedef struct embed_remote {
    ken_embedder_backend base;
    ken_httpc *http;
    const char *model;
    const char *url;          // without a '/' at its end
    const char *key;          // "" = none
    const char *auth;         // "Bearer …", NULL = none
    const char *refused_hint; // what to do when nobody listens there
    size_t dims, max_tokens, concurrency, max_batch;
    int64_t timeout_ms;
    unsigned n_tries;
    ken_embed_sleep_fn *sleep;
    void *sleep_ctx;
    bool is_run_by_another;       // ollama: its models run in processes of their own
    atomic_bool is_without_batch; // ollama: knows only the older route
    atomic_size_t token_limit;    // limit of a text, from a refusal; 0 = nothing was refused
    ken_arena arena;              // the texts above
} embed_remote;

// One exchange that ended with an answer: 2xx, or a 4xx that repeating would not change.
typedef struct embed_answer {
    int status;
    json_t *json; // NULL when it is none
    ken_buf body;
} embed_answer;

// Checks the options and fills a new embed_remote; free it with ken_embed__remote_close.
ken_status ken_embed__remote_open(const ken_embed_opts *o, const ken_embedder_ops *ops,
                                  embed_remote **out, ken_err *err) KEN_MUST_USE;
// The slots `close` and `describe` of all of them.
void ken_embed__remote_close(ken_embedder_backend *b);
void ken_embed__remote_describe(const ken_embedder_backend *b, ken_embed_self *out);

// POSTs JSON to url/path. Connections that fail, 429 and 5xx are tried again, after the time of
// Retry-After or after 1, 2 and 4 seconds. KEN_ELIMIT when the server refuses a text as too long.
// Release the answer after success.
ken_status ken_embed__post(embed_remote *r, const char *path, const ken_buf *body,
                           const ken_cancel *cancel, embed_answer *out, ken_err *err) KEN_MUST_USE;
void ken_embed__answer_release(embed_answer *a);
// The error for an answer that is not 2xx, or not JSON: the server's message, and what to do.
ken_status ken_embed__refusal(const embed_remote *r, const embed_answer *a, ken_err *err);
// The server's reason; empty when it gives none. Borrowed from the answer.
ken_str ken_embed__reason(const embed_answer *a);

// `text` as a JSON string, cut to what max_tokens may mean at most in bytes. An empty one, which
// servers refuse, becomes a space.
void ken_embed__put_text(const embed_remote *r, ken_buf *body, ken_str text,
                         size_t bytes_per_token);
// ["a","b"] of all texts of a batch.
void ken_embed__put_texts(const embed_remote *r, ken_buf *body, const ken_embed_batch *batch,
                          size_t bytes_per_token);
// Row `i` of the batch from an array of numbers.
ken_status ken_embed__take_row(const embed_remote *r, const ken_embed_batch *batch, size_t i,
                               const json_t *row, ken_err *err) KEN_MUST_USE;
// That `rows` is an array with a row for each text.
ken_status ken_embed__check_rows(const embed_remote *r, const ken_embed_batch *batch,
                                 const json_t *rows, ken_err *err) KEN_MUST_USE;

#endif
