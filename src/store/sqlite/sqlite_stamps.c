// SPDX-License-Identifier: MIT
// The times and inodes that the files of a list have in one tree. A tree of a hundred thousand files has as many, which
// no other has: so they are packed, about three bytes a file after a checkout.
//
//   varint        number of files
//   three columns of differences to the file before, by id: id, mtime, inode; and one of ctime to mtime
//   all of it compressed where that helps: a byte (0 plain, 1 zstd), a varint (bytes when plain), the bytes
//
// The size is not kept: a file of the list is in the tree as long as its content is the same.
#include <string.h>

#include "base/alloc.h"
#include "base/sorted.h"
#include "store/sqlite/sqlite_based_priv.h"

enum {
    COLUMNS = 4,
    STAMPED_MAX = 1 << 24, // files of a tree
    PACKED_MAX_BYTES = COLUMNS * 10 * STAMPED_MAX
};

static uint64_t fold(int64_t v)
{
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unfold(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t column_of(const sq_stamped *s, int column)
{
    switch (column) {
    case 0:
        return s->id;
    case 1:
        return s->mtime_ns;
    case 2:
        return (int64_t)s->inode;
    default:
        return minus(s->ctime_ns, s->mtime_ns);
    }
}

static void put_columns(const sq_stamped *list, size_t n, ken_buf *out)
{
    ken_buf_put_varint(out, n);
    for (int c = 0; c < COLUMNS; c++) {
        int64_t before = 0;
        for (size_t i = 0; i < n; i++) {
            int64_t v = column_of(&list[i], c);
            ken_buf_put_varint(out, fold(minus(v, before)));
            before = c + 1 < COLUMNS ? v : 0;
        }
    }
}

void ken_store__sq_pack_stamps(ken_zip *zip, const sq_stamped *list, size_t n, ken_buf *out)
{
    ken_buf plain = KEN_BUF_INIT(PACKED_MAX_BYTES), squeezed = KEN_BUF_INIT(PACKED_MAX_BYTES);
    put_columns(list, n, &plain);
    bool is_zipped = ken_zip_squeeze(zip, ken_buf_str(&plain), &squeezed);
    ken_str kept = ken_buf_str(is_zipped ? &squeezed : &plain);
    ken_buf_putc(out, is_zipped ? 1 : 0);
    ken_buf_put_varint(out, plain.len);
    ken_buf_put(out, kept.ptr, kept.len);
    ken_buf_release(&squeezed);
    ken_buf_release(&plain);
}

static bool take_columns(const uint8_t *at, const uint8_t *end, sq_stamped_vec *out)
{
    uint64_t n = 0, v = 0;
    if (!ken_varint_get(&at, end, &n) || n > STAMPED_MAX || n > (uint64_t)(end - at))
        return false;
    for (uint64_t i = 0; i < n; i++)
        ken_vec_push(out, (sq_stamped){ 0 });
    for (int c = 0; c < COLUMNS; c++) {
        int64_t before = 0;
        for (size_t i = 0; i < n; i++) {
            sq_stamped *s = &out->ptr[i];
            if (!ken_varint_get(&at, end, &v))
                return false;
            int64_t value = plus(before, unfold(v));
            if (c == 0)
                s->id = value;
            else if (c == 1)
                s->mtime_ns = value;
            else if (c == 2)
                s->inode = (uint64_t)value;
            else
                s->ctime_ns = plus(s->mtime_ns, value);
            before = c + 1 < COLUMNS ? value : 0;
        }
    }
    for (size_t i = 1; i < n; i++)
        if (out->ptr[i - 1].id >= out->ptr[i].id)
            return false;
    return at == end;
}

bool ken_store__sq_unpack_stamps(ken_zip *zip, ken_str packed, sq_stamped_vec *out)
{
    const uint8_t *at = (const uint8_t *)packed.ptr, *end = at + packed.len;
    uint64_t n_plain = 0;
    ken_vec_clear(out);
    if (!packed.len || *at > 1)
        return false;
    bool is_zipped = *at++ != 0, is_good;
    if (!ken_varint_get(&at, end, &n_plain) || n_plain > PACKED_MAX_BYTES)
        return false;
    size_t n = (size_t)(end - at);
    if (!is_zipped)
        return n == n_plain && take_columns(at, end, out);
    if (n_plain / KEN_ZIP_MAX_RATIO > n)
        return false;
    uint8_t *plain = ken_alloc((size_t)n_plain + 1);
    is_good = ken_zip_take(zip, ken_str_n((const char *)at, n), plain, (size_t)n_plain) &&
              take_columns(plain, plain + n_plain, out);
    ken_free(plain);
    return is_good;
}

sq_stamped *ken_store__sq_find_stamped(const sq_stamped_vec *v, int64_t id)
{
    size_t lo = KEN_FIRST_I64(sq_stamped, id, v->ptr, v->len, id);
    return lo < v->len && v->ptr[lo].id == id ? &v->ptr[lo] : NULL;
}
