// SPDX-License-Identifier: MIT
// What people may write: every message names the field, the rule and the value.
#include <stdlib.h>

#include "base/utf8.h"
#include "checkpoint/checkpoint_priv.h"
#include "json/json.h"

enum {
    SHOWN_BYTES = 60
};

static ken_status refuse_length(const char *field, ken_str text, size_t n, size_t bound,
                                ken_err *err)
{
    ken_str shown = ken_utf8_clip(text, SHOWN_BYTES);
    return KEN_FAIL(err, KEN_EINVAL, "%s: %zu characters are %s %zu: '" KEN_STR_FMT "%s'", field, n,
                    n < bound ? "under" : "over", bound, KEN_STR_ARG(shown),
                    shown.len < text.len ? "…" : "");
}

// Characters are code points, however many of them make what is seen as one.
static ken_status check_text(const char *field, ken_str text, size_t min, size_t max, ken_err *err)
{
    size_t n = 0;
    for (ken_str rest = text; rest.len; n++) {
        uint32_t code = 0;
        size_t len = ken_utf8_next(rest, &code);
        if (!len || !code)
            return KEN_FAIL(err, KEN_EINVAL, "%s: byte %zu is %s, and a text has none", field,
                            (size_t)(rest.ptr - text.ptr), len ? "NUL" : "no UTF-8");
        rest = ken_str_sub(rest, len, rest.len);
    }
    if (n < min || n > max)
        return refuse_length(field, text, n, n < min ? min : max, err);
    return KEN_OK;
}

// ---- tags --------------------------------------------------------------------------------------

static ken_status check_tag(const char *field, ken_str tag, ken_err *err)
{
    ken_status st = check_text(field, tag, 1, KEN_CHECKPOINT_TAG_MAX, err);
    if (!st && tag.ptr[0] == '!')
        st = KEN_FAIL(err, KEN_EINVAL, "%s: a tag does not begin with '!': '" KEN_STR_FMT "'",
                      field, KEN_STR_ARG(ken_utf8_clip(tag, SHOWN_BYTES)));
    return st;
}

static int tag_order(const void *a, const void *b)
{
    return ken_str_cmp(*(const ken_str *)a, *(const ken_str *)b);
}

static bool is_among(const ken_str *tags, size_t n, ken_str tag)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq(tags[i], tag))
            return true;
    return false;
}

ken_status ken_checkpoint__check_tags(const char *field, const ken_str *in, size_t n_in,
                                      ken_arena *arena, const ken_str **out, size_t *out_n,
                                      ken_err *err)
{
    ken_str *tags = KEN_ARENA_ARRAY(arena, ken_str, KEN_CHECKPOINT_TAGS);
    size_t n = 0;
    for (size_t i = 0; i < n_in; i++) {
        ken_str rest = in[i], part;
        while (ken_str_split_next(&rest, ',', &part)) {
            part = ken_str_trim(part);
            if (!part.len && n_in == 1 && !ken_str_trim(in[i]).len)
                continue; // "" is no tags
            ken_status st = check_tag(field, part, err);
            if (st)
                return st;
            if (is_among(tags, n, part))
                continue;
            if (n == KEN_CHECKPOINT_TAGS)
                return KEN_FAIL(err, KEN_EINVAL,
                                "%s: at most %d tags; '" KEN_STR_FMT "' is one more", field,
                                KEN_CHECKPOINT_TAGS, KEN_STR_ARG(ken_utf8_clip(part, SHOWN_BYTES)));
            tags[n++] = part;
        }
    }
    if (n)
        qsort(tags, n, sizeof *tags, tag_order);
    *out = tags;
    *out_n = n;
    return KEN_OK;
}

ken_status ken_checkpoint__check_filter(const ken_checkpoint_filter *in, ken_arena *arena,
                                        ken_checkpoint_filter *out, ken_err *err)
{
    KEN_VEC(ken_str) all = { 0 }, none = { 0 };
    for (size_t i = 0; i < in->n_none; i++)
        ken_vec_push(&none, in->none[i]);
    for (size_t i = 0; i < in->n_all; i++) {
        ken_str rest = in->all[i], part;
        while (ken_str_split_next(&rest, ',', &part)) {
            part = ken_str_trim(part);
            if (part.len > 1 && part.ptr[0] == '!') // "!" alone is no tag, and refused as one
                ken_vec_push(&none, ken_str_sub(part, 1, part.len));
            else
                ken_vec_push(&all, part);
        }
    }
    ken_checkpoint_filter f = { 0 };
    ken_status st =
        ken_checkpoint__check_tags("tags", all.ptr, all.len, arena, &f.all, &f.n_all, err);
    if (!st)
        st = ken_checkpoint__check_tags("any_tags", in->any, in->n_any, arena, &f.any, &f.n_any,
                                        err);
    if (!st)
        st = ken_checkpoint__check_tags("not_tags", none.ptr, none.len, arena, &f.none, &f.n_none,
                                        err);
    if (!st)
        *out = f;
    ken_vec_release(&all);
    ken_vec_release(&none);
    return st;
}

// ---- drafts ------------------------------------------------------------------------------------

static ken_status check_context(ken_str text, ken_err *err)
{
    json_t *value = NULL;
    ken_err tried = { 0 };
    if (text.len > KEN_CHECKPOINT_CONTEXT_BYTES)
        return KEN_FAIL(err, KEN_EINVAL, "context: %zu bytes are over %d: '" KEN_STR_FMT "…'",
                        text.len, KEN_CHECKPOINT_CONTEXT_BYTES,
                        KEN_STR_ARG(ken_utf8_clip(text, SHOWN_BYTES)));
    bool is_object = !ken_json_parse(text, &value, &tried) && json_is_object(value);
    json_decref(value);
    if (!is_object)
        return KEN_FAIL(
            err, KEN_EINVAL, "context: expected a JSON object, got '" KEN_STR_FMT "'%s%s",
            KEN_STR_ARG(ken_utf8_clip(text, SHOWN_BYTES)), tried.msg[0] ? ": " : "", tried.msg);
    return KEN_OK;
}

ken_status ken_checkpoint__check_draft(const ken_checkpoint_draft *d, ken_err *err)
{
    ken_status st = KEN_OK;
    if (d->summary.ptr || !d->is_update)
        st = check_text("summary", d->summary, 1, KEN_CHECKPOINT_SUMMARY_MAX, err);
    if (!st)
        st = check_text("description", d->description, 0, KEN_CHECKPOINT_DESCRIPTION_MAX, err);
    if (!st && d->context.ptr)
        st = check_context(d->context, err);
    if (!st && d->if_updated_at_ms && !d->is_update)
        st = KEN_FAIL(err, KEN_EINVAL, "if_updated_at: needs checkpoint_id");
    return st;
}
