// SPDX-License-Identifier: MIT
// Files that were left out for what is in them: binary, generated, not UTF-8, empty, or because they
// could not be read. They have no row, so their stamps are kept in one value of the store; while these
// agree the file is not read again. Stored form: for each file, in the order of paths, the bytes shared with the path before,
// the rest, size, mtime, ctime, inode, reason.
#include <stdio.h>

#include "index/index_priv.h"

static const char late_key[] = "index.late_skips";
static const char list_key[] = "index.skips_key";

ken_status ken_index__load_skips_key(ken_store *store, ken_arena *arena, uint64_t *out,
                                     ken_err *err)
{
    ken_str value = { NULL, 0 };
    *out = 0;
    ken_status st = ken_store_load_value(store, ken_str_c(list_key), arena, &value, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    if (st || !ken_str_parse_u64(value, out))
        *out = 0; // the key of no list
    return KEN_OK;
}

ken_status ken_index__put_skips_key(ken_store *store, uint64_t key, ken_err *err)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)key);
    return ken_store_put_value(store, ken_str_c(list_key), ken_str_c(text), err);
}

ken_status ken_index__load_late(ken_store *store, ken_arena *arena, index_late **out, size_t *out_n,
                                ken_err *err)
{
    ken_str value = { NULL, 0 };
    *out_n = 0;
    ken_status st = ken_store_load_value(store, ken_str_c(late_key), arena, &value, err);
    if (st == KEN_ENOTFOUND)
        return KEN_OK;
    if (st)
        return st;
    const uint8_t *at = (const uint8_t *)value.ptr, *end = at + value.len;
    *out = KEN_ARENA_ARRAY(arena, index_late, value.len / 7 + 1);
    ken_str before = { "", 0 };
    while (at < end) {
        uint64_t v[7];
        for (int i = 0; i < 2; i++)
            if (!ken_varint_get(&at, end, &v[i]))
                return KEN_OK; // cut short: the files are read again
        if (v[0] > before.len || v[1] > (size_t)(end - at))
            return KEN_OK;
        ken_str path = ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT, (int)v[0], before.ptr,
                                        (int)v[1], (const char *)at);
        at += v[1];
        for (int i = 2; i < 7; i++)
            if (!ken_varint_get(&at, end, &v[i]))
                return KEN_OK;
        if (v[6] >= KEN_SKIP_COUNT)
            return KEN_OK;
        ken_fs_stamp stamp = {
            .size = v[2], .mtime_ns = (int64_t)v[3], .ctime_ns = (int64_t)v[4], .inode = v[5]
        };
        (*out)[(*out_n)++] = (index_late){ path, stamp, (ken_skip_reason)v[6] };
        before = path;
    }
    return KEN_OK;
}

ken_status ken_index__put_late(ken_store *store, const index_late *items, size_t n, ken_err *err)
{
    ken_buf b = KEN_BUF_INIT((size_t)16 << 20);
    ken_str before = { "", 0 };
    for (size_t i = 0; i < n; i++) {
        ken_str path = items[i].path;
        size_t shared = 0;
        while (shared < path.len && shared < before.len && path.ptr[shared] == before.ptr[shared])
            shared++;
        ken_buf_put_varint(&b, shared);
        ken_buf_put_varint(&b, path.len - shared);
        ken_buf_put(&b, path.ptr + shared, path.len - shared);
        ken_buf_put_varint(&b, items[i].stamp.size);
        ken_buf_put_varint(&b, (uint64_t)items[i].stamp.mtime_ns);
        ken_buf_put_varint(&b, (uint64_t)items[i].stamp.ctime_ns);
        ken_buf_put_varint(&b, items[i].stamp.inode);
        ken_buf_put_varint(&b, items[i].reason);
        before = path;
    }
    ken_str value = b.is_over ? KEN_STR("") : ken_buf_str(&b); // then they are read every time
    ken_str kept = { NULL, 0 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_load_value(store, ken_str_c(late_key), &arena, &kept, err);
    if (st == KEN_ENOTFOUND || (!st && !ken_str_eq(kept, value)))
        st = ken_store_put_value(store, ken_str_c(late_key), value, err);
    ken_arena_release(&arena);
    ken_buf_release(&b);
    return st;
}
