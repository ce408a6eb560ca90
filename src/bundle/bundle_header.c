// SPDX-License-Identifier: MIT
// The readable part of a bundle: `head -2 FILE` shows it.
#include <inttypes.h>

#include "bundle/bundle_priv.h"
#include "json/json.h"

enum {
    LEN_DIGITS = 8,
    SUM_DIGITS = 16,
};

// ---- writing -------------------------------------------------------------------------------------

static json_t *header_json(const ken_bundle_info *i)
{
    char sha[65];
    json_t *o = json_object();
    ken_hex_into(i->sha.bytes, sizeof i->sha.bytes, sha);
    ken_json_set_u64(o, "format", KEN_BUNDLE_FORMAT);
    ken_json_set_str(o, "kind", i->kind);
    ken_json_set_str(o, "ken", i->program);
    ken_json_set_u64(o, "schema", i->schema);
    ken_json_set_u64(o, "feature", i->feature);
    ken_json_set_str(o, "project", i->project);
    ken_json_set_str(o, "commit", i->commit);
    ken_json_set_str(o, "branch", i->branch);
    ken_json_set_str(o, "remote", i->remote);
    ken_json_set_str(o, "model", i->model);
    ken_json_set_u64(o, "made_ms", (uint64_t)i->made_at_ms);
    ken_json_set_u64(o, "files", i->n_files);
    ken_json_set_u64(o, "contents", i->n_contents);
    ken_json_set_u64(o, "chunks", i->n_chunks);
    ken_json_set_u64(o, "symbols", i->n_symbols);
    ken_json_set_u64(o, "checkpoints", i->n_checkpoints);
    ken_json_set_u64(o, "source_bytes", i->n_source_bytes);
    ken_json_set_u64(o, "bytes", i->n_bytes);
    ken_json_set_str(o, "sha256", ken_str_c(sha));
    return o;
}

void ken_bundle__put_header(const ken_bundle_info *info, ken_buf *out)
{
    ken_buf text = KEN_BUF_INIT(KEN_BUNDLE_HEADER_MAX);
    json_t *o = header_json(info);
    ken_json_dump(o, &text);
    json_decref(o);
    ken_buf_printf(out, BUNDLE_MAGIC "%d %08zu %016" PRIx64 "\n", KEN_BUNDLE_FORMAT, text.len,
                   ken_hash_str(ken_buf_str(&text)));
    ken_buf_put_str(out, ken_buf_str(&text));
    ken_buf_putc(out, '\n');
    out->is_over = out->is_over || text.is_over;
    ken_buf_release(&text);
}

// ---- reading -------------------------------------------------------------------------------------

static ken_status no_bundle(ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT,
                    "it is no bundle of ken's (export one with: ken export FILE)");
}

ken_status ken_bundle__read_line(ken_str line, bundle_line *out, ken_err *err)
{
    ken_str magic = KEN_STR(BUNDLE_MAGIC), rest, format = { "", 0 }, len = format;
    uint64_t number = 0;
    if (!ken_str_starts(line, magic))
        return no_bundle(err);
    rest = ken_str_sub(line, magic.len, line.len);
    if (!ken_str_split_next(&rest, ' ', &format) || !ken_str_parse_u64(format, &number) || !number)
        return no_bundle(err);
    if (number > KEN_BUNDLE_FORMAT)
        return KEN_FAIL(err, KEN_EVERSION,
                        "it has format %" PRIu64 " and this ken knows up to %d: update ken", number,
                        KEN_BUNDLE_FORMAT);
    if (!ken_str_split_next(&rest, ' ', &len) || !ken_str_split_next(&rest, ' ', &out->sum) ||
        rest.len || len.len != LEN_DIGITS || out->sum.len != SUM_DIGITS ||
        !ken_str_parse_u64(len, &out->len) || !out->len || out->len > KEN_BUNDLE_HEADER_MAX)
        return no_bundle(err);
    return KEN_OK;
}

typedef struct text_field {
    const char *key;
    ken_str *out;
} text_field;

typedef struct number_field {
    const char *key;
    uint64_t *out, max;
} number_field;

static ken_status read_texts(const json_t *o, ken_arena *arena, ken_bundle_info *i, ken_str *sha,
                             ken_err *err)
{
    const text_field fields[] = {
        { "kind", &i->kind },     { "ken", &i->program },   { "project", &i->project },
        { "commit", &i->commit }, { "branch", &i->branch }, { "remote", &i->remote },
        { "model", &i->model },   { "sha256", sha },
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        ken_str text = { "", 0 };
        ken_status st = ken_json_read_str(o, "header", fields[f].key, &text, err);
        if (st)
            return st;
        if (text.len > KEN_BUNDLE_TEXT_MAX)
            return KEN_FAIL(err, KEN_ELIMIT, "header.%s has %zu bytes, the most is %d",
                            fields[f].key, text.len, KEN_BUNDLE_TEXT_MAX);
        *fields[f].out = ken_arena_dup(arena, text);
    }
    return KEN_OK;
}

static ken_status read_numbers(const json_t *o, ken_bundle_info *i, ken_err *err)
{
    uint64_t made = 0;
    const uint64_t any = INT64_MAX;
    const number_field fields[] = {
        { "schema", &i->schema, INT32_MAX },
        { "feature", &i->feature, UINT32_MAX },
        { "made_ms", &made, any },
        { "files", &i->n_files, any },
        { "contents", &i->n_contents, any },
        { "chunks", &i->n_chunks, any },
        { "symbols", &i->n_symbols, any },
        { "checkpoints", &i->n_checkpoints, any },
        { "source_bytes", &i->n_source_bytes, any },
        { "bytes", &i->n_bytes, KEN_BUNDLE_PAYLOAD_MAX },
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        ken_status st = ken_json_read_u64(o, "header", fields[f].key, fields[f].out, err);
        if (st)
            return st;
        if (*fields[f].out > fields[f].max)
            return KEN_FAIL(err, KEN_ELIMIT, "header.%s is %" PRIu64 ", the most is %" PRIu64,
                            fields[f].key, *fields[f].out, fields[f].max);
    }
    i->made_at_ms = (int64_t)made;
    return KEN_OK;
}

ken_status ken_bundle__read_header(ken_str header, ken_arena *arena, ken_bundle_info *out,
                                   ken_err *err)
{
    json_t *o = NULL;
    ken_str sha = { "", 0 };
    ken_bundle_info info = { .kind = { "", 0 } };
    ken_status st = ken_json_parse(header, &o, err);
    if (!st && !json_is_object(o))
        st = KEN_FAIL(err, KEN_ECORRUPT, "its header is no JSON object");
    if (!st)
        st = read_texts(o, arena, &info, &sha, err);
    if (!st)
        st = read_numbers(o, &info, err);
    if (!st && !ken_hex_parse(sha, info.sha.bytes, sizeof info.sha.bytes))
        st = KEN_FAIL(err, KEN_ECORRUPT, "header.sha256 is no SHA-256");
    if (!st && !info.n_bytes)
        st = KEN_FAIL(err, KEN_ECORRUPT, "header.bytes is 0");
    json_decref(o);
    if (!st)
        *out = info;
    return st == KEN_EINVAL ? KEN_ECORRUPT : st; // a file that is not as it should be
}
