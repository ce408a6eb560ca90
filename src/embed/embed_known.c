// SPDX-License-Identifier: MIT
// The figures are those of the models' own cards.
#include "embed/embed_known_priv.h"

static const embed_known rows[] = {
    { "all-minilm", "", "", 256, KEN_EMBED_POOL_MEAN, 384 },
    { "all-mpnet-base", "", "", 384, KEN_EMBED_POOL_MEAN, 768 },
    { "bge-m3", "", "", 8192, KEN_EMBED_POOL_CLS, 1024 },
    { "bge-", "", "Represent this sentence for searching relevant passages: ", 512,
      KEN_EMBED_POOL_CLS, 0 },
    { "e5-", "passage: ", "query: ", 512, KEN_EMBED_POOL_MEAN, 0 },
    { "mxbai-embed", "", "Represent this sentence for searching relevant passages: ", 512,
      KEN_EMBED_POOL_CLS, 0 },
    { "nomic-embed-text", "search_document: ", "search_query: ", 8192, KEN_EMBED_POOL_MEAN, 768 },
    { "text-embedding-3-", "", "", 8191, KEN_EMBED_POOL_MEAN, 0 },
    { "text-embedding-ada-002", "", "", 8191, KEN_EMBED_POOL_MEAN, 1536 },
};

const embed_known *ken_embed__known(const char *model)
{
    static const embed_known any = { NULL, "", "", 0, KEN_EMBED_POOL_MEAN, 0 };
    ken_str name = ken_str_c(model);
    size_t slash = ken_str_rfind_char(name, '/');
    if (slash != SIZE_MAX)
        name = ken_str_sub(name, slash + 1, name.len);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_str row = ken_str_c(rows[i].name);
        if (ken_str_eq_fold(ken_str_sub(name, 0, row.len), row))
            return &rows[i];
    }
    return &any;
}
