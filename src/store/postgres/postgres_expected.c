// SPDX-License-Identifier: MIT
// Contents that a reader is about to load, fetched several at a time: alone, each is a round trip.
#include <stdlib.h>

#include "store/postgres/postgres_index_priv.h"

enum {
    AT_ONCE = 32 // contents; some have a megabyte
};

static void forget(ken_pg_hint *h)
{
    ken_vec_release(&h->contents);
    ken_arena_release(&h->arena);
    *h = (ken_pg_hint){ 0 };
    ken_arena_init(&h->arena, 0);
}

void ken_store__pg_forget_expected(ken_pg_index *x)
{
    for (size_t i = 0; i < KEN_PG_HINTS; i++)
        if (x->expected.hints[i].used_at)
            forget(&x->expected.hints[i]);
}

// The one that was used longest ago makes room.
ken_status ken_store__pg_expect_contents(ken_store_backend *b, const int64_t *contents, size_t n,
                                         unsigned what, ken_err *err)
{
    (void)err;
    ken_pg_index *x = ken_pg_index_of(b);
    ken_pg_expected *e = &x->expected;
    ken_pg_hint *h = &e->hints[0];
    if (x->p.tx != KEN_PG_TX_READ || n < 2)
        return KEN_OK;
    for (size_t i = 1; i < KEN_PG_HINTS; i++)
        if (e->hints[i].used_at < h->used_at)
            h = &e->hints[i];
    forget(h);
    h->what = what;
    h->used_at = ++e->n_uses;
    for (size_t i = 0; i < n; i++)
        if (!i || contents[i] != contents[i - 1])
            ken_vec_push(&h->contents, contents[i]);
    return KEN_OK;
}

static ken_status read_row(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    ken_pg_expected_row r = { .content = ken_store__pg_i64(row, 0),
                              .facts = ken_store__pg_keep(row, 1, arena) };
    if (!ken_store__pg_is_null(row, 2))
        r.refs = ken_store__pg_keep(row, 2, arena);
    if (!ken_store__pg_is_null(row, 3))
        r.text = ken_store__pg_keep(row, 3, arena);
    *(ken_pg_expected_row *)out = r;
    return KEN_OK;
}

static int by_content(const void *a, const void *b)
{
    const ken_pg_expected_row *x = a, *y = b;
    return (x->content > y->content) - (x->content < y->content);
}

static const ken_pg_expected_row *find(const ken_pg_hint *h, int64_t content)
{
    const ken_pg_expected_row key = { .content = content };
    return h->n_rows ? bsearch(&key, h->rows, h->n_rows, sizeof key, by_content) : NULL;
}

// The contents from `at` on; what fails is said by whoever loads one of them alone.
static void fetch(ken_pg_index *x, ken_pg_hint *h, size_t at)
{
    size_t n = h->contents.len - at < AT_ONCE ? h->contents.len - at : AT_ONCE;
    ken_arena_reset(&h->arena);
    h->rows = NULL;
    h->n_rows = 0;
    h->next = at + n;
    if (PG_ROWS(&x->p,
                PG_QUERY(CONTENT_EXPECTED, PG_INT(x->id), PG_INTS(h->contents.ptr + at, n),
                         PG_BOOL(h->what & KEN_EXPECT_REFS), PG_BOOL(h->what & KEN_EXPECT_TEXT)),
                read_row, &h->arena, &h->rows, &h->n_rows, NULL))
        forget(h);
}

static const ken_pg_expected_row *take(ken_pg_index *x, ken_pg_hint *h, int64_t content)
{
    const ken_pg_expected_row *found = find(h, content);
    for (size_t i = h->next; !found && i < h->contents.len; i++)
        if (h->contents.ptr[i] == content) {
            fetch(x, h, i);
            return find(h, content);
        }
    return found;
}

const ken_pg_expected_row *ken_store__pg_take_expected(ken_pg_index *x, int64_t content,
                                                       unsigned what)
{
    ken_pg_expected *e = &x->expected;
    if (x->p.tx != KEN_PG_TX_READ)
        return NULL;
    for (size_t i = 0; i < KEN_PG_HINTS; i++) {
        ken_pg_hint *h = &e->hints[i];
        const ken_pg_expected_row *r =
            h->used_at && (h->what & what) == what ? take(x, h, content) : NULL;
        if (r) {
            h->used_at = ++e->n_uses;
            return r;
        }
    }
    return NULL;
}
