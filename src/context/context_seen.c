// SPDX-License-Identifier: MIT
// The handle of what was sent: "k1" and five characters a piece, 30 bits of the hash of its path
// and lines. A changed piece has another hash, so it is sent again; that a piece never sent has the
// mark of one that was happens once in some 50,000 packs with full handles.
#include "base/hash.h"
#include "context/context_priv.h"

enum {
    MARK_CHARS = 5,
    MARK_BITS = 6 * MARK_CHARS
};

#define HEAD   KEN_STR("k1")
#define DIGITS KEN_STR("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

uint32_t ken_context__seen_mark(ken_str path, ken_str text)
{
    uint64_t hash = ken_hash64(text.ptr, text.len) + 31 * ken_hash64(path.ptr, path.len);
    return (uint32_t)(hash >> (64 - MARK_BITS));
}

static ken_status bad_handle(ken_err *err)
{
    return KEN_FAIL(err, KEN_EINVAL, "seen: must be empty or the text that an earlier answer gave");
}

ken_status ken_context__seen_parse(ken_str handle, context_seen *out, ken_err *err)
{
    if (!handle.len) {
        out->n = 0;
        return KEN_OK;
    }
    if (!ken_str_starts(handle, HEAD) || (handle.len - HEAD.len) % MARK_CHARS != 0 ||
        (handle.len - HEAD.len) / MARK_CHARS > CONTEXT_SEEN_MAX)
        return bad_handle(err);
    context_seen seen = { .n = 0 };
    for (size_t at = HEAD.len; at < handle.len; at += MARK_CHARS) {
        uint32_t mark = 0;
        for (size_t i = 0; i < MARK_CHARS; i++) {
            size_t digit = ken_str_find_char(DIGITS, handle.ptr[at + i]);
            if (digit == SIZE_MAX)
                return bad_handle(err);
            mark = mark << 6 | (uint32_t)digit;
        }
        seen.marks[seen.n++] = mark;
    }
    *out = seen;
    return KEN_OK;
}

bool ken_context__seen_has(const context_seen *seen, uint32_t mark)
{
    for (size_t i = 0; i < seen->n; i++)
        if (seen->marks[i] == mark)
            return true;
    return false;
}

void ken_context__seen_add(context_seen *seen, uint32_t mark)
{
    if (seen->n < sizeof seen->marks / sizeof *seen->marks && !ken_context__seen_has(seen, mark))
        seen->marks[seen->n++] = mark;
}

ken_str ken_context__seen_format(const context_seen *seen, ken_arena *arena)
{
    if (!seen->n)
        return KEN_STR("");
    size_t from = seen->n > CONTEXT_SEEN_MAX ? seen->n - CONTEXT_SEEN_MAX : 0;
    size_t len = HEAD.len + (seen->n - from) * MARK_CHARS;
    char *out = ken_arena_alloc(arena, len + 1), *p = out;
    memcpy(p, HEAD.ptr, HEAD.len);
    p += HEAD.len;
    for (size_t i = from; i < seen->n; i++)
        for (int shift = MARK_BITS - 6; shift >= 0; shift -= 6)
            *p++ = DIGITS.ptr[seen->marks[i] >> shift & 63];
    *p = '\0';
    return ken_str_n(out, len);
}
