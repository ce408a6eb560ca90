// SPDX-License-Identifier: MIT
// embed_ops.h -- what a provider of vectors must do, slot by slot.
//
// A provider is a struct that begins with a ken_embedder_backend, one const ken_embedder_ops and an
// open function; its row is in KEN_EMBED_PROVIDER_TABLE (embed.h). Callers never see it: embed.c checks arguments, puts
// prefixes before texts, cuts them into batches, and afterwards checks that every number is finite
// and brings vectors to unit length. Decorators (embed_debug.h) are backends around a backend.
//
// Every slot is required.
#ifndef KEN_EMBED_EMBED_OPS_H
#define KEN_EMBED_EMBED_OPS_H

#include "embed/embed.h"

typedef struct ken_embedder_ops ken_embedder_ops;

typedef struct ken_embedder_backend {
    const ken_embedder_ops *ops;
} ken_embedder_backend;

// A provider's description of itself. Texts are borrowed from it, or static.
typedef struct ken_embed_self {
    const char *model;   // never NULL
    const char *version; // "" = not known
    size_t dims;         // 0 = known after the first answer
    size_t max_tokens;   // 0 = not known; it cuts texts itself
    bool is_remote;
    const char *url;        // "" unless is_remote
    const char *key_detail; // what else makes vectors differ ("cls"); ""
    size_t max_concurrency; // calls of `embed` at the same time that are of use, at least 1
    size_t max_batch;       // texts of one call; 0 = any number
} ken_embed_self;

// One call's texts, at least one of them; prefixes are there already, none is over
// KEN_EMBED_TEXT_MAX bytes, and all are valid UTF-8 without NUL.
typedef struct ken_embed_batch {
    ken_embed_kind kind;
    const ken_str *texts;
    size_t n;
    size_t dims;      // what each vector must have; 0 = not known: n is 1
    float *out;       // n x dims; when dims is 0, room for KEN_EMBED_DIMS_MAX
    size_t *out_dims; // to be set when dims is 0
    const ken_cancel *cancel;
} ken_embed_batch;

struct ken_embedder_ops {
    const char *name; // "ollama"
    // Frees everything, `b` included.
    void (*close)(ken_embedder_backend *b);
    // Cannot fail, sends nothing, always returns the same.
    void (*describe)(const ken_embedder_backend *b, ken_embed_self *out);
    // Fills `out`; vectors may have any length. Called by several threads at the same time. Cuts
    // off what is over max_tokens. Looks at `cancel`. KEN_EINVAL for vectors that have not `dims`,
    // KEN_ELIMIT when a text, or all together, is more than the model takes: asked again with less.
    ken_status (*embed)(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err);
};

// Opens of the providers. `opts` is complete: the texts are not NULL, numbers are not 0 where a
// default exists. They send nothing.
typedef ken_status ken_embedder_open_fn(const ken_embed_opts *opts, ken_embedder_backend **out,
                                        ken_err *err);
#define X(name, is_remote, url, model) ken_embedder_open_fn ken_embedder__##name##_open;
KEN_EMBED_PROVIDER_TABLE(X)
#undef X

// The embedder around a backend, which it then owns. KEN_EINTERNAL when a slot is missing: the
// backend is the caller's still. Of `opts` only batch_size, concurrency and the prefixes are used.
ken_status ken_embedder__wrap(ken_embedder_backend *b, const ken_embed_opts *opts,
                              ken_embedder **out, ken_err *err) KEN_MUST_USE;
// Puts `outer`, a decorator around the present backend, in its place.
ken_embedder_backend *ken_embedder__backend(ken_embedder *e);
void ken_embedder__set_backend(ken_embedder *e, ken_embedder_backend *outer);

#endif
