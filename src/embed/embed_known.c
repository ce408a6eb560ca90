// SPDX-License-Identifier: MIT
// The figures are those of the models' own cards.
#include "embed/embed_known_priv.h"

static const embed_known rows[] = {
    { "all-minilm", "", "", 256, KEN_EMBED_POOL_MEAN },
    { "all-mpnet-base", "", "", 384, KEN_EMBED_POOL_MEAN },
    { "bge-m3", "", "", 8192, KEN_EMBED_POOL_CLS },
    { "bge-", "", "Represent this sentence for searching relevant passages: ", 512,
      KEN_EMBED_POOL_CLS },
    { "e5-", "passage: ", "query: ", 512, KEN_EMBED_POOL_MEAN },
    { "mxbai-embed", "", "Represent this sentence for searching relevant passages: ", 512,
      KEN_EMBED_POOL_CLS },
    { "nomic-embed-text", "search_document: ", "search_query: ", 8192, KEN_EMBED_POOL_MEAN },
    { "text-embedding-3-", "", "", 8191, KEN_EMBED_POOL_MEAN },
    { "text-embedding-ada-002", "", "", 8191, KEN_EMBED_POOL_MEAN },
};

const embed_known *ken_embed__known(const char *model)
{
    static const embed_known any = { NULL, "", "", 0, KEN_EMBED_POOL_MEAN };
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
