// SPDX-License-Identifier: MIT
// How large the index was, by generation: for who looks at it over time. One value of a tree, written in the transaction
// of its generation: a form, a number of rows, and the rows, oldest first, each as differences (zigzag, varint) to the one
// before: its numbers, then the languages that have other counts. So a row takes some 20 bytes. When there are as many
// as are kept, every second one of the older half goes: what is long ago stays, sparsely.
//
// Languages are counted on from the row of the generation before, by the files that a run has gained and lost. When that
// row is not there (an index of an older version, one that was taken over), the files are read once.
#include "base/alloc.h"
#include "index/index_priv.h"

enum {
    FORM = 1,
    KEPT = 128,
    COUNTED_MOST = 100000, // files that are read for their languages
    VALUE_MAX = 1 << 20,
};

typedef enum row_number {
    ROW_GENERATION,
    ROW_TIME,
    ROW_FILES,
    ROW_CHUNKS,
    ROW_SYMBOLS,
    ROW_LINES,
    ROW_BYTES,
    ROW_SEGMENTS,
    ROW_STORE,
    ROW_NUMBERS
} row_number;

typedef struct size_row {
    uint64_t n[ROW_NUMBERS];
    index_langs langs;
} size_row;

typedef struct size_list {
    size_row *rows; // room for KEPT
    size_t n;
} size_list;

// ---- languages ----------------------------------------------------------------------------------

void ken_index__count_lang(index_langs *l, const ken_content_info *info)
{
    unsigned lang = info->lang < KEN_LANG_COUNT ? info->lang : KEN_LANG_UNKNOWN;
    l->n_files[lang]++;
    l->n_bytes[lang] += info->n_bytes;
}

static ken_status count_all(ken_store *store, index_langs *out, ken_err *err)
{
    ken_arena a;
    ken_file_row *rows = NULL;
    ken_content_info *infos = NULL;
    size_t n = 0;
    ken_arena_init(&a, 0);
    ken_status st = ken_store_load_files(store, &a, &rows, &n, &infos, err);
    *out = (index_langs){ .is_known = !st };
    for (size_t i = 0; i < n && !st; i++)
        ken_index__count_lang(out, &infos[i]);
    ken_arena_release(&a);
    return st;
}

// False: more is lost than there was, so the counts were of something else.
static bool add_langs(index_langs *sum, const index_langs *gained, const index_langs *lost)
{
    bool is_good = sum->is_known;
    for (size_t i = 0; i < KEN_LANG_COUNT && is_good; i++) {
        uint64_t files = sum->n_files[i] + gained->n_files[i];
        uint64_t bytes = sum->n_bytes[i] + gained->n_bytes[i];
        is_good = lost->n_files[i] <= files && lost->n_bytes[i] <= bytes;
        sum->n_files[i] = files - lost->n_files[i];
        sum->n_bytes[i] = bytes - lost->n_bytes[i];
    }
    return is_good;
}

static bool is_row_of(const size_row *row, const ken_generation *g)
{
    const uint64_t *n = row->n;
    return n[ROW_FILES] == g->n_files && n[ROW_CHUNKS] == g->n_chunks &&
           n[ROW_SYMBOLS] == g->n_symbols && n[ROW_LINES] == g->n_lines &&
           n[ROW_BYTES] == g->n_bytes;
}

static ken_status find_langs(ken_store *store, const size_list *list, const index_sizing *s,
                             index_langs *out, ken_err *err)
{
    static const index_langs none = { .is_known = true };
    const size_row *last = list->n ? &list->rows[list->n - 1] : NULL;
    *out = (index_langs){ .is_known = false };
    if (!s->before->n_files)
        *out = none;
    else if (last && is_row_of(last, s->before))
        *out = last->langs;
    if (add_langs(out, s->gained ? s->gained : &none, s->lost ? s->lost : &none))
        return KEN_OK;
    *out = (index_langs){ .is_known = false };
    return s->made->n_files <= COUNTED_MOST ? count_all(store, out, err) : KEN_OK;
}

// ---- the value ----------------------------------------------------------------------------------

static void put_difference(ken_buf *out, uint64_t before, uint64_t now)
{
    ken_buf_put_varint(out, ken_zigzag((int64_t)(now - before)));
}

static bool get_difference(const uint8_t **at, const uint8_t *end, uint64_t before, uint64_t *out)
{
    uint64_t z = 0;
    if (!ken_varint_get(at, end, &z))
        return false;
    *out = before + (uint64_t)ken_unzigzag(z);
    return true;
}

static bool is_other(const index_langs *a, const index_langs *b, size_t lang)
{
    return a->n_files[lang] != b->n_files[lang] || a->n_bytes[lang] != b->n_bytes[lang];
}

// Those of a row without languages are all zero.
static void put_langs(ken_buf *out, const index_langs *before, const index_langs *now)
{
    uint64_t n = 0;
    for (size_t i = 0; i < KEN_LANG_COUNT; i++)
        n += is_other(before, now, i);
    ken_buf_put_varint(out, n << 1 | now->is_known);
    for (size_t i = 0; i < KEN_LANG_COUNT; i++) {
        if (!is_other(before, now, i))
            continue;
        ken_buf_put_varint(out, i);
        put_difference(out, before->n_files[i], now->n_files[i]);
        put_difference(out, before->n_bytes[i], now->n_bytes[i]);
    }
}

static bool get_langs(const uint8_t **at, const uint8_t *end, const index_langs *before,
                      index_langs *out)
{
    uint64_t head = 0, lang = 0;
    *out = *before;
    if (!ken_varint_get(at, end, &head) || head >> 1 > KEN_LANG_COUNT)
        return false;
    out->is_known = head & 1;
    for (uint64_t i = 0; i < head >> 1; i++)
        if (!ken_varint_get(at, end, &lang) || lang >= KEN_LANG_COUNT ||
            !get_difference(at, end, before->n_files[lang], &out->n_files[lang]) ||
            !get_difference(at, end, before->n_bytes[lang], &out->n_bytes[lang]))
            return false;
    return true;
}

static ken_status put_list(ken_store *store, const size_list *list, ken_err *err)
{
    static const size_row zero;
    ken_buf value = KEN_BUF_INIT(VALUE_MAX);
    ken_buf_put_varint(&value, FORM);
    ken_buf_put_varint(&value, list->n);
    for (size_t i = 0; i < list->n; i++) {
        const size_row *row = &list->rows[i], *before = i ? row - 1 : &zero;
        for (size_t k = 0; k < ROW_NUMBERS; k++)
            put_difference(&value, before->n[k], row->n[k]);
        put_langs(&value, &before->langs, &row->langs);
    }
    ken_status st = ken_store_put_value(store, KEN_STR(KEN_INDEX_SIZES), ken_buf_str(&value), err);
    ken_buf_release(&value);
    return st;
}

static bool get_row(const uint8_t **at, const uint8_t *end, const size_row *before, size_row *out)
{
    for (size_t k = 0; k < ROW_NUMBERS; k++)
        if (!get_difference(at, end, before->n[k], &out->n[k]))
            return false;
    return get_langs(at, end, &before->langs, &out->langs);
}

// What cannot be read (another version's, damaged) is as if there was none: it is no more than a record.
static ken_status load_list(ken_store *store, ken_arena *arena, size_list *out, ken_err *err)
{
    static const size_row zero;
    ken_str value = { "", 0 };
    uint64_t form = 0, n = 0;
    ken_status st = ken_store_load_value(store, KEN_STR(KEN_INDEX_SIZES), arena, &value, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    const uint8_t *at = (const uint8_t *)value.ptr, *end = at + value.len;
    *out = (size_list){ .rows = KEN_ARENA_ARRAY(arena, size_row, KEPT) };
    bool is_good = ken_varint_get(&at, end, &form) && form == FORM &&
                   ken_varint_get(&at, end, &n) && n <= KEPT;
    for (uint64_t i = 0; i < n && is_good; i++)
        is_good = get_row(&at, end, i ? &out->rows[i - 1] : &zero, &out->rows[i]);
    out->n = is_good && at == end ? (size_t)n : 0;
    return KEN_OK;
}

// ---- a new row ----------------------------------------------------------------------------------

static void thin(size_list *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        if (i >= KEPT / 2 || i % 2 == 0)
            list->rows[n++] = list->rows[i];
    list->n = n;
}

static ken_status put_row(ken_store *store, const index_sizing *s, ken_arena *arena, ken_err *err)
{
    const ken_generation *g = s->made;
    size_row row = { .n = { g->number, (uint64_t)g->at_ms, g->n_files, g->n_chunks, g->n_symbols,
                            g->n_lines, g->n_bytes } };
    size_list list;
    uint64_t n_segments = 0;
    ken_status st = load_list(store, arena, &list, err);
    if (!st)
        st = ken_store_sum_segments(store, arena, &n_segments, &row.n[ROW_SEGMENTS], err);
    if (!st && !ken_store_place(store).database) // one adds up all its rows for that
        st = ken_store_get_size(store, &row.n[ROW_STORE], err);
    if (!st)
        st = find_langs(store, &list, s, &row.langs, err);
    if (st)
        return st;
    const size_row *last = list.n ? &list.rows[list.n - 1] : NULL;
    if (last && last->n[ROW_TIME] == row.n[ROW_TIME] && is_row_of(last, g))
        list.n--; // the same files have other vectors
    if (list.n == KEPT)
        thin(&list);
    list.rows[list.n++] = row;
    return put_list(store, &list, err);
}

ken_status ken_index__put_sizes(ken_store *store, const index_sizing *s, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = put_row(store, s, &a, err);
    ken_arena_release(&a);
    return st;
}

// ---- reading ------------------------------------------------------------------------------------

static void copy_langs(const index_langs *l, ken_arena *arena, ken_index_sizes *out)
{
    ken_index_lang_size *list = KEN_ARENA_ARRAY(arena, ken_index_lang_size, KEN_LANG_COUNT);
    size_t n = 0;
    for (unsigned i = 0; i < KEN_LANG_COUNT && l->is_known; i++) {
        if (!l->n_files[i])
            continue;
        size_t at = n++;
        for (; at && list[at - 1].n_files < l->n_files[i]; at--)
            list[at] = list[at - 1];
        list[at] = (ken_index_lang_size){ .language = ken_lang_name((ken_lang_id)i),
                                          .n_files = l->n_files[i],
                                          .n_bytes = l->n_bytes[i] };
    }
    out->langs = list;
    out->n_langs = n;
}

ken_status ken_index_load_sizes(ken_store *store, ken_arena *arena, ken_index_sizes **out,
                                size_t *out_n, ken_err *err)
{
    size_list list;
    ken_status st = load_list(store, arena, &list, err);
    if (st)
        return st;
    *out = KEN_ARENA_ARRAY(arena, ken_index_sizes, list.n + 1);
    *out_n = list.n;
    for (size_t i = 0; i < list.n; i++) {
        const uint64_t *n = list.rows[i].n;
        (*out)[i] = (ken_index_sizes){ .generation = n[ROW_GENERATION],
                                       .at_ms = (int64_t)n[ROW_TIME],
                                       .n_files = n[ROW_FILES],
                                       .n_chunks = n[ROW_CHUNKS],
                                       .n_symbols = n[ROW_SYMBOLS],
                                       .n_lines = n[ROW_LINES],
                                       .n_bytes = n[ROW_BYTES],
                                       .segment_bytes = n[ROW_SEGMENTS],
                                       .store_bytes = n[ROW_STORE] };
        copy_langs(&list.rows[i].langs, arena, &(*out)[i]);
    }
    return KEN_OK;
}
