// SPDX-License-Identifier: MIT
// A history as bytes: commits with numbers of files, and each path, author and id once. 5,000
// commits take a few hundred kilobytes, of which the paths are half.
//
//   version, flags, head, reason
//   authors:  n, then per author the key (8 bytes), name
//   files:    n, then per path the bytes shared with the one before, the rest
//   commits:  n, then per commit seconds before the one above it (zigzag), author,
//             files * 4 + wide * 2 + detail, [id, subject], steps from file to file
//
// Numbers are varints, texts have their length before them. Unpacking trusts nothing: a count is
// believed only as far as the bytes could hold it.
#include "base/bytes.h"
#include "base/utf8.h"
#include "history/history_priv.h"

enum {
    VERSION = 2,
    F_SHALLOW = 1,
    MAX_PATH_BYTES = 64 << 20, // of all paths: shared parts cost no bytes
};

static void put_text(ken_buf *out, ken_str s)
{
    ken_buf_put_varint(out, s.len);
    ken_buf_put_str(out, s);
}

static void put_paths(const ken_history *h, ken_buf *out)
{
    ken_str last = KEN_STR("");
    ken_buf_put_varint(out, h->n_files);
    for (uint32_t i = 0; i < h->n_files; i++) {
        ken_str p = h->paths[i];
        size_t n = 0;
        while (n < p.len && n < last.len && p.ptr[n] == last.ptr[n])
            n++;
        ken_buf_put_varint(out, n);
        put_text(out, ken_str_sub(p, n, p.len));
        last = p;
    }
}

static void put_entry(const ken_history *h, const history_entry *e, int64_t before_s, ken_buf *out)
{
    bool has_detail = e->detail >= 0;
    ken_buf_put_varint(out, ken_zigzag(before_s - e->time_s));
    ken_buf_put_varint(out, e->author);
    ken_buf_put_varint(out, (uint64_t)e->n << 2 | (uint64_t)e->is_wide << 1 | has_detail);
    if (has_detail) {
        uint8_t id[HISTORY_MAX_ID / 2];
        ken_str hex = h->details[e->detail].id;
        (void)ken_hex_parse(hex, id, hex.len / 2);
        put_text(out, ken_str_n((const char *)id, hex.len / 2));
        put_text(out, h->details[e->detail].subject);
    }
    uint32_t last = 0;
    for (uint32_t k = 0; k < e->n; k++) {
        ken_buf_put_varint(out, h->touched[e->first + k] - last);
        last = h->touched[e->first + k];
    }
}

void ken_history_pack(const ken_history *h, ken_buf *out)
{
    ken_buf_putc(out, VERSION);
    ken_buf_putc(out, h->is_shallow ? F_SHALLOW : 0);
    put_text(out, h->head);
    put_text(out, h->reason);
    ken_buf_put_varint(out, h->n_authors);
    for (uint32_t i = 0; i < h->n_authors; i++) {
        uint8_t key[8];
        ken_put64(key, h->authors[i].key);
        ken_buf_put(out, key, sizeof key);
        put_text(out, h->authors[i].name);
    }
    put_paths(h, out);
    ken_buf_put_varint(out, h->n_entries);
    int64_t before_s = 0;
    for (uint32_t i = 0; i < h->n_entries; i++) {
        put_entry(h, &h->entries[i], before_s, out);
        before_s = h->entries[i].time_s;
    }
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *at, *end;
    ken_history *h;
    bool is_bad;
    KEN_VEC(uint32_t) touched;
    KEN_VEC(history_detail) details;
} reader;

static uint64_t get(reader *r, uint64_t max)
{
    uint64_t v = 0;
    if (!r->is_bad && (!ken_varint_get(&r->at, r->end, &v) || v > max))
        r->is_bad = true;
    return r->is_bad ? 0 : v;
}

// A number of things of which each takes at least `each` bytes.
static uint32_t get_count(reader *r, size_t each)
{
    return (uint32_t)get(r, (uint64_t)(r->end - r->at) / each);
}

// Borrowed from the bytes.
static ken_str get_text(reader *r, size_t max)
{
    uint64_t n = get(r, max);
    if (r->is_bad || n > (uint64_t)(r->end - r->at)) {
        r->is_bad = true;
        return KEN_STR("");
    }
    ken_str s = ken_str_n((const char *)r->at, (size_t)n);
    r->at += n;
    return s;
}

// Words are as ken_history__words leaves them.
static ken_str get_words(reader *r, size_t max)
{
    ken_str s = get_text(r, max);
    r->is_bad |= !ken_utf8_is_printable(s, "");
    return ken_arena_dup(&r->h->arena, s);
}

static void read_head(reader *r)
{
    ken_history *h = r->h;
    r->is_bad = r->end - r->at < 2 || r->at[0] != VERSION || r->at[1] > F_SHALLOW;
    if (r->is_bad)
        return;
    h->is_shallow = r->at[1] & F_SHALLOW;
    r->at += 2;
    h->head = get_words(r, HISTORY_MAX_ID);
    h->reason = get_words(r, HISTORY_MAX_REASON);
    r->is_bad |= h->head.len && !ken_is_object_id(h->head);
}

static void read_authors(reader *r)
{
    ken_history *h = r->h;
    h->n_authors = get_count(r, 9);
    h->authors = KEN_ARENA_ARRAY(&h->arena, history_author, (size_t)h->n_authors + 1);
    for (uint32_t i = 0; i < h->n_authors && !r->is_bad; i++) {
        r->is_bad = r->end - r->at < 8;
        if (r->is_bad)
            return;
        h->authors[i].key = ken_get64(r->at);
        r->at += 8;
        h->authors[i].name = get_words(r, HISTORY_MAX_NAME);
    }
}

static void read_paths(reader *r)
{
    ken_history *h = r->h;
    ken_str last = KEN_STR("");
    size_t n_bytes = 0;
    h->n_files = get_count(r, 2);
    h->paths = KEN_ARENA_ARRAY(&h->arena, ken_str, (size_t)h->n_files + 1);
    for (uint32_t i = 0; i < h->n_files && !r->is_bad; i++) {
        size_t n = (size_t)get(r, last.len);
        ken_str rest = get_text(r, HISTORY_MAX_PATH - n);
        n_bytes += n + rest.len;
        r->is_bad |= n_bytes > MAX_PATH_BYTES;
        if (r->is_bad)
            return;
        char *path = ken_arena_alloc(&h->arena, n + rest.len + 1);
        memcpy(path, last.ptr, n);
        memcpy(path + n, rest.ptr, rest.len);
        h->paths[i] = ken_str_n(path, n + rest.len);
        r->is_bad = ken_str_cmp(last, h->paths[i]) >= 0 || !ken_history__is_path(h->paths[i]);
        last = h->paths[i];
    }
}

static int32_t read_detail(reader *r)
{
    char hex[HISTORY_MAX_ID + 1];
    ken_str id = get_text(r, HISTORY_MAX_ID / 2);
    history_detail d = { .subject = get_words(r, HISTORY_MAX_SUBJECT) };
    ken_hex_into((const uint8_t *)id.ptr, id.len, hex);
    d.id = ken_arena_dup(&r->h->arena, ken_str_n(hex, 2 * id.len));
    r->is_bad |= !ken_is_object_id(d.id);
    ken_vec_push(&r->details, d);
    return (int32_t)(r->details.len - 1);
}

static void read_entry(reader *r, history_entry *e, int64_t before_s)
{
    int64_t back = ken_unzigzag(get(r, UINT64_MAX));
    e->time_s = (int64_t)((uint64_t)before_s - (uint64_t)back);
    r->is_bad |= e->time_s < 0 || e->time_s > HISTORY_MAX_TIME_S || !r->h->n_authors;
    e->author = (uint32_t)get(r, r->h->n_authors ? r->h->n_authors - 1 : 0);
    uint64_t bits = get(r, ((uint64_t)(r->end - r->at) << 2) + 3);
    e->n = (uint32_t)(bits >> 2);
    e->is_wide = bits & 2;
    e->detail = bits & 1 ? read_detail(r) : -1;
    e->first = (uint32_t)r->touched.len;
    uint64_t file = 0;
    for (uint32_t k = 0; k < e->n && !r->is_bad; k++) {
        uint64_t more = get(r, UINT32_MAX);
        file += more;
        r->is_bad |= file >= r->h->n_files || (k && !more);
        ken_vec_push(&r->touched, (uint32_t)file);
    }
}

static void read_entries(reader *r)
{
    ken_history *h = r->h;
    h->n_entries = get_count(r, 3);
    h->entries = KEN_ARENA_ARRAY(&h->arena, history_entry, (size_t)h->n_entries + 1);
    int64_t before_s = 0;
    for (uint32_t i = 0; i < h->n_entries && !r->is_bad; i++) {
        read_entry(r, &h->entries[i], before_s);
        before_s = h->entries[i].time_s;
    }
    r->is_bad |= r->at != r->end;
    h->n_touched = (uint32_t)r->touched.len;
    h->touched = ken_arena_copy(&h->arena, r->touched.ptr, r->touched.len, sizeof *h->touched);
    h->details = ken_arena_copy(&h->arena, r->details.ptr, r->details.len, sizeof *h->details);
    ken_vec_release(&r->touched);
    ken_vec_release(&r->details);
}

ken_status ken_history_unpack(ken_str packed, ken_history **out, ken_err *err)
{
    reader r = { .at = (const uint8_t *)packed.ptr, .h = ken_history__new() };
    r.end = r.at ? r.at + packed.len : r.at;
    read_head(&r);
    read_authors(&r);
    read_paths(&r);
    read_entries(&r);
    if (r.is_bad) {
        ken_history_free(r.h);
        return KEN_FAIL(err, KEN_ECORRUPT, "history: %zu bytes that are none", packed.len);
    }
    ken_history__derive(r.h);
    *out = r.h;
    return KEN_OK;
}
