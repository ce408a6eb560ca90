// SPDX-License-Identifier: MIT
// model_record.h -- what is known of an embedding model: a row of the catalog, and the snapshot of
// it that a project keeps.
//
// Texts are borrowed; an absent one is empty, an unknown number 0. Columns, JSON members and struct
// members have the same names.
#ifndef KEN_MODEL_MODEL_RECORD_H
#define KEN_MODEL_MODEL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// name, word
#define KEN_MODEL_STATUS_TABLE(X) \
    X(NONE, "none")               \
    X(PENDING, "pending")         \
    X(DOWNLOADING, "downloading") \
    X(READY, "ready")             \
    X(MISSING, "missing")         \
    X(ERROR, "error")

typedef enum ken_model_status {
#define X(name, word) KEN_MODEL_##name,
    KEN_MODEL_STATUS_TABLE(X)
#undef X
    KEN_MODEL_STATUS_COUNT
} ken_model_status;

const char *ken_model_status_word(ken_model_status s); // borrowed static text
ken_model_status ken_model_status_of(ken_str word);    // NONE when unknown

//   id                a name without '/'; the folder of its files
//   provider          builtin, onnx, ollama, openai or tei
//   languages         of people, "en" or "many"
//   code_quality      how well it knows code: low, medium, good
//   source            https:, http: or file: URI of model.onnx; tokenizer_source likewise
//   pooling           mean or cls
//   sha256            of the model, hexadecimal; empty = not known before the first download
//   license           of the model, an SPDX name where there is one; "proprietary"; empty = not known
#define KEN_MODEL_TEXTS(X) \
    X(id)                  \
    X(label)               \
    X(provider)            \
    X(languages)           \
    X(code_quality)        \
    X(source)              \
    X(tokenizer_source)    \
    X(pooling)             \
    X(document_prefix)     \
    X(query_prefix)        \
    X(sha256)              \
    X(license)

//   ram_bytes, latency_ms   estimates: of memory while it works, of one text on one core
#define KEN_MODEL_NUMBERS(X) \
    X(dims)                  \
    X(max_tokens)            \
    X(size_bytes)            \
    X(ram_bytes)             \
    X(latency_ms)

typedef struct ken_model_record {
#define X(name) ken_str name;
    KEN_MODEL_TEXTS(X)
#undef X
#define X(name) uint64_t name;
    KEN_MODEL_NUMBERS(X)
#undef X
    ken_model_status status;
    bool is_preloaded;
    // Found out, not stored in the catalog:
    ken_str path, tokenizer_path; // absolute; empty when the model has no files of ours
    ken_str url;                  // where texts are sent; empty for models that run here
} ken_model_record;

#endif
