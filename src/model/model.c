// SPDX-License-Identifier: MIT
#include "base/sorted.h"
#include "model/facts.h"
#include "model/model_record.h"
#include "model/refs.h"
#include "model/skip.h"
#include "model/symbol.h"

static const char *const skip_words[] = {
#define X(name, word, text) word,
    KEN_SKIP_TABLE(X)
#undef X
};

static const char *const skip_texts[] = {
#define X(name, word, text) text,
    KEN_SKIP_TABLE(X)
#undef X
};

static const char *const symbol_words[] = {
#define X(name, word) word,
    KEN_SYMBOL_KIND_TABLE(X)
#undef X
};

static const char *const chunk_words[] = {
#define X(name, word) word,
    KEN_CHUNK_TYPE_TABLE(X)
#undef X
};

static const char *const role_words[] = {
#define X(name, word) word,
    KEN_REF_ROLE_TABLE(X)
#undef X
};

static const char *const visibility_words[] = { "", "public", "protected", "internal", "private" };

const char *ken_skip_word(ken_skip_reason r)
{
    return (unsigned)r < KEN_SKIP_COUNT ? skip_words[r] : "unknown";
}

const char *ken_skip_text(ken_skip_reason r)
{
    return (unsigned)r < KEN_SKIP_COUNT ? skip_texts[r] : "unknown";
}

const char *ken_symbol_kind_word(ken_symbol_kind k)
{
    return (unsigned)k < KEN_SYMBOL_KIND_COUNT ? symbol_words[k] : "unknown";
}

ken_symbol_kind ken_symbol_kind_parse(ken_str word)
{
    for (unsigned k = 1; k < KEN_SYMBOL_KIND_COUNT; k++)
        if (ken_str_eq_c(word, symbol_words[k]))
            return (ken_symbol_kind)k;
    return KEN_SYMBOL_UNKNOWN;
}

const char *ken_visibility_word(ken_visibility v)
{
    return (unsigned)v < KEN_VISIBILITY_COUNT ? visibility_words[v] : "";
}

const char *ken_chunk_type_word(ken_chunk_type t)
{
    return (unsigned)t < KEN_CHUNK_TYPE_COUNT ? chunk_words[t] : "unknown";
}

ken_chunk_type ken_chunk_type_parse(ken_str word)
{
    for (unsigned t = 1; t < KEN_CHUNK_TYPE_COUNT; t++)
        if (ken_str_eq_c(word, chunk_words[t]))
            return (ken_chunk_type)t;
    return KEN_CHUNK_UNKNOWN;
}

uint32_t ken_line_of(const uint32_t *line_starts, uint32_t n_lines, uint32_t byte)
{
    size_t behind = n_lines;
    if (byte < UINT32_MAX)
        behind = ken_first_u32(line_starts, n_lines, sizeof *line_starts, byte + 1);
    return behind ? (uint32_t)behind - 1 : 0;
}

uint32_t ken_line_starts(ken_str text, uint32_t *out, uint32_t max)
{
    uint32_t n = 0;
    const char *at = text.ptr, *end = text.ptr + text.len;
    while (at < end) {
        if (n < max)
            out[n] = (uint32_t)(at - text.ptr);
        n++;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            break;
        at = line_end + 1;
    }
    return n;
}

// ---- models ----

static const char *const model_status_words[] = {
#define X(name, word) word,
    KEN_MODEL_STATUS_TABLE(X)
#undef X
};

const char *ken_model_status_word(ken_model_status s)
{
    return (unsigned)s < KEN_MODEL_STATUS_COUNT ? model_status_words[s] : model_status_words[0];
}

ken_model_status ken_model_status_of(ken_str word)
{
    for (unsigned i = 1; i < KEN_MODEL_STATUS_COUNT; i++)
        if (ken_str_eq_c(word, model_status_words[i]))
            return (ken_model_status)i;
    return KEN_MODEL_NONE;
}

const char *ken_ref_role_word(ken_ref_role r)
{
    return (unsigned)r < KEN_REF_ROLE_COUNT ? role_words[r] : "unknown";
}

int32_t ken_facts_symbol_at(const ken_facts *f, uint32_t byte)
{
    size_t n = KEN_FIRST_BEHIND_U32(ken_symbol, span.start, f->symbols, f->n_symbols, byte);
    int32_t at = (int32_t)n - 1;
    while (at >= 0 && f->symbols[at].span.end <= byte)
        at = f->symbols[at].parent;
    return at;
}
