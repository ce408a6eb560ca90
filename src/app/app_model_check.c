// SPDX-License-Identifier: MIT
// What a record of a model may say. Every refusal names the field, the rule and the value.
#include <inttypes.h>

#include "app/app_model_priv.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "vector/vector.h"

enum {
    LINE_MAX_BYTES = 200,
    PREFIX_MAX_BYTES = 1000,
    TOKENS_MIN = 8,
    TOKENS_MAX = 1000 * 1000,
    LATENCY_MAX_MS = 60 * 60 * 1000,
    VALUE_SHOWN = 60,
};

#define SIZE_MAX_BYTES (UINT64_C(1) << 44)

static ken_status check_text(const char *field, ken_str text, size_t max_bytes, bool may_have_lines,
                             ken_err *err)
{
    if (text.len > max_bytes)
        return KEN_FAIL(err, KEN_EINVAL, "%s: must have at most %zu bytes, not %zu", field,
                        max_bytes, text.len);
    if (ken_utf8_is_printable(text, may_have_lines ? "\n\t" : ""))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL, "%s: must be UTF-8 without control characters%s", field,
                    may_have_lines ? " other than line ends and tabs" : "");
}

static ken_status check_number(const char *field, uint64_t value, uint64_t min, uint64_t max,
                               ken_err *err)
{
    if (!value || (value >= min && value <= max))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "%s: must be %" PRIu64 " to %" PRIu64
                    ", or 0 where it is not known, not %" PRIu64,
                    field, min, max, value);
}

static ken_status check_quality(ken_str word, ken_err *err)
{
    if (!word.len || ken_str_eq_c(word, "low") || ken_str_eq_c(word, "medium") ||
        ken_str_eq_c(word, "good"))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "code_quality: must be low, medium or good, not '" KEN_STR_FMT "'",
                    KEN_STR_ARG(ken_utf8_clip(word, VALUE_SHOWN)));
}

ken_status ken_app__check_described(const ken_model_record *m, ken_err *err)
{
    const struct {
        const char *field;
        ken_str text;
        size_t max_bytes;
        bool may_have_lines;
    } texts[] = {
        { "label", m->label, LINE_MAX_BYTES, false },
        { "languages", m->languages, LINE_MAX_BYTES, false },
        { "license", m->license, LINE_MAX_BYTES, false },
        { "document_prefix", m->document_prefix, PREFIX_MAX_BYTES, true },
        { "query_prefix", m->query_prefix, PREFIX_MAX_BYTES, true },
    };
    const struct {
        const char *field;
        uint64_t value, min, max;
    } numbers[] = {
        { "dims", m->dims, 1, KEN_VECTOR_MAX_DIMS },
        { "max_tokens", m->max_tokens, TOKENS_MIN, TOKENS_MAX },
        { "size_bytes", m->size_bytes, 1, SIZE_MAX_BYTES },
        { "ram_bytes", m->ram_bytes, 1, SIZE_MAX_BYTES },
        { "latency_ms", m->latency_ms, 1, LATENCY_MAX_MS },
    };
    ken_status st = check_quality(m->code_quality, err);
    for (size_t i = 0; !st && i < sizeof texts / sizeof *texts; i++)
        st = check_text(texts[i].field, texts[i].text, texts[i].max_bytes, texts[i].may_have_lines,
                        err);
    for (size_t i = 0; !st && i < sizeof numbers / sizeof *numbers; i++)
        st = check_number(numbers[i].field, numbers[i].value, numbers[i].min, numbers[i].max, err);
    return st;
}

ken_status ken_app__check_model(const ken_model_record *m, ken_err *err)
{
    uint8_t hash[32];
    ken_embed_pooling pooling;
    ken_status st = ken_app__check_source("source", m->source, err);
    if (!st)
        st = ken_app__check_source("tokenizer_source", m->tokenizer_source, err);
    if (!st && m->sha256.len && !ken_hex_parse(m->sha256, hash, sizeof hash))
        st = KEN_FAIL(err, KEN_EINVAL,
                      "sha256: a SHA-256 has 64 hexadecimal digits, not '" KEN_STR_FMT "'",
                      KEN_STR_ARG(ken_utf8_clip(m->sha256, 80)));
    return st ? st : ken_app__parse_pooling(m->pooling, &pooling, err);
}

ken_status ken_app__parse_pooling(ken_str word, ken_embed_pooling *out, ken_err *err)
{
    if (word.len && !ken_str_eq_c(word, "mean") && !ken_str_eq_c(word, "cls"))
        return KEN_FAIL(err, KEN_EINVAL, "pooling: must be mean or cls, not '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(word, VALUE_SHOWN)));
    *out = ken_str_eq_c(word, "cls") ? KEN_EMBED_POOL_CLS
           : word.len                ? KEN_EMBED_POOL_MEAN
                                     : KEN_EMBED_POOL_AUTO;
    return KEN_OK;
}

// ---- licences ----------------------------------------------------------------------------------

// Models of servers, which have no row in the catalog. A tag behind the name says nothing of it.
ken_str ken_app__license_of(ken_str provider, ken_str name)
{
    static const struct {
        const char *provider, *name, *license;
    } known[] = {
        { "ollama", "nomic-embed-text", "Apache-2.0" },
        { "openai", "text-embedding-3-small", "proprietary" },
        { "tei", "BAAI/bge-small-en-v1.5", "MIT" },
        { "tei", "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0" },
        { "tei", "sentence-transformers/all-mpnet-base-v2", "Apache-2.0" },
        { "tei", "nomic-ai/nomic-embed-text-v1.5", "Apache-2.0" },
    };
    ken_str bare = ken_str_sub(name, 0, ken_str_find_char(name, ':'));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ken_str_eq_c(provider, known[i].provider) && ken_str_eq_c(bare, known[i].name))
            return ken_str_c(known[i].license);
    return KEN_STR("");
}
