// SPDX-License-Identifier: MIT
// embed.h -- text to vectors: one interface over the built-in model, ONNX models and servers.
//
// A vector has unit length, so that a dot product is a cosine. Vectors of different models must not
// be compared: ken_embed_info.key distinguishes models. Opening an embedder sends nothing; the first
// text leaves the machine with the first call of ken_embedder_embed or _probe, and only when
// ken_embed_info.is_remote is set.
//
// Ownership: the texts of ken_embed_opts are copied; what an info points to lives as long as the
// embedder. Threads: an open embedder may be used by any number of threads at the same time.
// Errors: KEN_EINVAL for wrong options and for vectors of another length than agreed,
// KEN_EUNSUPPORTED when a library that a provider needs is not there, KEN_ENOTFOUND for a model
// that is not there, KEN_EPERM for a refused key, KEN_EIO / KEN_ETIMEOUT / KEN_EBUSY for a server
// that does not answer in spite of retries, KEN_ECORRUPT for an answer that makes no sense,
// KEN_ECANCELLED. Messages say what to do.
#ifndef KEN_EMBED_EMBED_H
#define KEN_EMBED_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/str.h"

typedef struct ken_embedder ken_embedder;

// name, sends texts to a server, default URL, default model; ken_embedder__<name>_open opens it
#define KEN_EMBED_PROVIDER_TABLE(X)                                     \
    X(builtin, false, "", "")                                           \
    X(onnx, false, "", "")                                              \
    X(ollama, true, "http://localhost:11434", "nomic-embed-text")       \
    X(openai, true, "https://api.openai.com", "text-embedding-3-small") \
    X(tei, true, "http://localhost:8080", "BAAI/bge-small-en-v1.5")

// Models may want to know which side a text stands on: they put different words before it.
typedef enum ken_embed_kind {
    KEN_EMBED_NONE = 0,
    KEN_EMBED_DOCUMENT, // what is found
    KEN_EMBED_QUERY,    // what is asked
} ken_embed_kind;

// How an ONNX model's vectors of tokens become one.
typedef enum ken_embed_pooling {
    KEN_EMBED_POOL_AUTO = 0, // as the model is known to want it, else the mean
    KEN_EMBED_POOL_MEAN,
    KEN_EMBED_POOL_CLS, // the vector of the first token
} ken_embed_pooling;

// What an ONNX model runs on.
typedef enum ken_embed_device {
    KEN_EMBED_CPU = 0,
    KEN_EMBED_CUDA,        // KEN_EUNSUPPORTED with the runtime's reason when it has none
    KEN_EMBED_DEVICE_AUTO, // CUDA when the runtime has it, else the processor
} ken_embed_device;

enum {
    KEN_EMBED_DIMS_MAX = 8192,
    KEN_EMBED_BATCH = 50,
    KEN_EMBED_BATCH_MAX = 2048,
    KEN_EMBED_CONCURRENCY = 2,
    KEN_EMBED_CONCURRENCY_MAX = 32,
    KEN_EMBED_TIMEOUT_MS = 30 * 1000,
    KEN_EMBED_TRIES = 4, // the first one, and after 1, 2 and 4 seconds
    KEN_EMBED_TEXT_MAX = 1024 * 1024,
};

// How long pauses really take; tests bring their own. Returns early when cancelled.
typedef void ken_embed_sleep_fn(void *ctx, int64_t ms, const ken_cancel *cancel);

// All-zero but for `provider` is the default of that provider.
typedef struct ken_embed_opts {
    const char *provider; // a word of the table above
    const char *model;    // its name; NULL or "" = the provider's default
    const char *version;  // of the model, for the record; NULL = not known
    size_t dims;          // what vectors must have; 0 = whatever the model gives
    size_t max_tokens;    // of a text, the rest is cut off; 0 = as the model is known to take
    // Put before texts. NULL = what the model is known to want, "" = nothing.
    const char *document_prefix, *query_prefix;
    size_t batch_size;  // texts of one request; 0 = KEN_EMBED_BATCH
    size_t concurrency; // requests at once, to servers only; 0 = KEN_EMBED_CONCURRENCY

    // Of ollama, openai and tei:
    const char *url;     // NULL or "" = the provider's default; a path before /v1 or /api is kept
    const char *api_key; // sent as a Bearer token; NULL or "" = none
    int64_t timeout_ms;  // of one request; 0 = KEN_EMBED_TIMEOUT_MS
    unsigned n_tries;    // of a request that may do better later; 0 = KEN_EMBED_TRIES
    ken_embed_sleep_fn *sleep; // NULL = really
    void *sleep_ctx;

    // Of onnx:
    const char *model_path;     // model.onnx
    const char *tokenizer_path; // vocab.txt or tokenizer.json; NULL = beside the model
    const char *runtime_path;   // libonnxruntime.so, or its folder; NULL = the usual places
    ken_embed_pooling pooling;
    size_t n_threads; // of one run; 0 = one per core
    ken_embed_device device;
} ken_embed_opts;

typedef struct ken_embed_info {
    const char *provider;
    const char *model;
    const char *version; // "" = not known
    const char *key;     // provider, model, version, pooling and prefixes in one line
    size_t dims;         // 0 = not known before ken_embedder_probe
    size_t max_tokens;   // 0 = not known
    bool is_remote;      // texts are sent to `url`
    const char *url;     // "" unless is_remote; without secrets
} ken_embed_info;

ken_status ken_embedder_open(const ken_embed_opts *opts, ken_embedder **out, ken_err *err)
    KEN_MUST_USE;
void ken_embedder_close(ken_embedder *e);

// A copy, for dims may become known while others look.
ken_embed_info ken_embedder_info(const ken_embedder *e);

// Makes the dimensions known: asks for the vector of one short text when they are not.
ken_status ken_embedder_probe(ken_embedder *e, const ken_cancel *cancel, size_t *out_dims,
                              ken_err *err) KEN_MUST_USE;

// One vector per text into `out`, n rows of dims floats, of unit length (all zero for a text
// for which the model has no vector). The dimensions must be known. Cuts into batches; an error
// stops all of them and leaves `out` undefined.
ken_status ken_embedder_embed(ken_embedder *e, ken_embed_kind kind, const ken_str *texts, size_t n,
                              float *out, const ken_cancel *cancel, ken_err *err) KEN_MUST_USE;

enum {
    KEN_EMBED_NAME_MAX = 63
};
// A name for this model's vectors, made of its key and dimensions, which must be
// known: "all-MiniLM-L6-v2 384 0123456789abcdef".
void ken_embedder_name(const ken_embedder *e, char out[KEN_EMBED_NAME_MAX + 1]);

// Whether ONNX Runtime can be loaded; the first `path` that is asked for counts (NULL or "" = the usual
// places). KEN_EUNSUPPORTED says where it was looked for and what to do.
ken_status ken_embed_check_runtime(const char *path, ken_err *err) KEN_MUST_USE;

// Whether a provider of that name exists; whether it sends texts away.
bool ken_embed_is_provider(ken_str word);
bool ken_embed_is_remote(ken_str word);

#endif
