// SPDX-License-Identifier: MIT
// Tags and texts of all checkpoints of a project, in memory.
//
// Marks stand in the order of revisions, so the newest is the last; one that is written again moves
// there and leaves an empty place, and empty places go when they are half of all. What other
// processes wrote is what has a larger revision; what they removed shows in the number that is
// left, and then everything is loaded again.
#include "base/alloc.h"
#include "checkpoint/checkpoint_priv.h"

#define NO_PLACE SIZE_MAX

enum {
    BATCH = 256,
    COMPACT_FROM = 1024,
    PLACES_MAX = 1 << 24,
    BODY_BYTES = KEN_RECALL_TEXT_MAX + 4096,
};

void ken_checkpoint__memory_init(checkpoint_memory *m)
{
    *m = (checkpoint_memory){ 0 };
    ken_map_init(&m->numbers);
}

void ken_checkpoint__memory_release(checkpoint_memory *m)
{
    ken_vec_release(&m->marks);
    ken_vec_release(&m->masks);
    ken_vec_release(&m->tags);
    ken_map_release(&m->numbers);
    ken_vec_release(&m->places);
    ken_recall_free(m->recall);
}

static void clear(checkpoint_memory *m)
{
    ken_checkpoint__memory_release(m);
    ken_checkpoint__memory_init(m);
}

// Ids count up from 1, so they are places of an array; one that is far beyond, which no index that
// grew by itself has, is looked for.
static size_t find_place(const checkpoint_memory *m, int64_t id)
{
    if (id < PLACES_MAX)
        return id > 0 && (uint64_t)id < m->places.len ? (size_t)m->places.ptr[id] - 1 : NO_PLACE;
    for (size_t i = 0; i < m->marks.len; i++)
        if (m->marks.ptr[i].id == id)
            return i;
    return NO_PLACE;
}

const checkpoint_mark *ken_checkpoint__memory_find(const checkpoint_memory *m, int64_t id)
{
    size_t place = find_place(m, id);
    return place == NO_PLACE ? NULL : &m->marks.ptr[place];
}

static void set_place(checkpoint_memory *m, int64_t id, size_t place)
{
    if (id <= 0 || id >= PLACES_MAX)
        return;
    while (m->places.len <= (uint64_t)id)
        ken_vec_push(&m->places, 0);
    m->places.ptr[id] = (uint32_t)place + 1;
}

static void drop_mark(checkpoint_memory *m, int64_t id)
{
    size_t place = find_place(m, id);
    if (place == NO_PLACE)
        return;
    m->marks.ptr[place].id = 0;
    if (id < PLACES_MAX)
        m->places.ptr[id] = 0; // which is NO_PLACE
    m->n--;
}

// Moves what is left together.
static void compact(checkpoint_memory *m)
{
    if (m->marks.len < COMPACT_FROM || m->n > m->marks.len / 2)
        return;
    size_t kept = 0;
    uint32_t n_tags = 0;
    for (size_t i = 0; i < m->marks.len; i++) {
        checkpoint_mark mark = m->marks.ptr[i];
        if (!mark.id)
            continue;
        memmove(m->tags.ptr + n_tags, m->tags.ptr + mark.first_tag, mark.n_tags * sizeof(uint32_t));
        mark.first_tag = n_tags;
        n_tags += mark.n_tags;
        set_place(m, mark.id, kept);
        m->masks.ptr[kept] = m->masks.ptr[i];
        m->marks.ptr[kept++] = mark;
    }
    m->marks.len = kept;
    m->masks.len = kept;
    m->tags.len = n_tags;
}

static uint32_t number_of(checkpoint_memory *m, ken_str tag)
{
    return (uint32_t)*ken_map_put(&m->numbers, tag, m->numbers.len, NULL);
}

static void add_mark(checkpoint_memory *m, const ken_checkpoint_row *row)
{
    drop_mark(m, row->id);
    checkpoint_mark mark = { row->id, row->uuid, (uint32_t)m->tags.len, (uint32_t)row->n_tags };
    uint64_t mask = 0;
    for (size_t i = 0; i < row->n_tags; i++) {
        uint32_t number = number_of(m, row->tags[i]);
        ken_vec_push(&m->tags, number);
        mask |= number < CHECKPOINT_MASK_TAGS ? UINT64_C(1) << number : 0;
    }
    set_place(m, row->id, m->marks.len);
    ken_vec_push(&m->marks, mark);
    ken_vec_push(&m->masks, mask);
    m->n++;
    compact(m);
}

// Description, context and tags are one body.
static void add_text(checkpoint_memory *m, const ken_checkpoint_row *row)
{
    ken_buf body = KEN_BUF_INIT(BODY_BYTES);
    ken_buf_put_str(&body, ken_str_sub(row->description, 0, KEN_RECALL_TEXT_MAX / 2));
    for (size_t i = 0; i < row->n_tags; i++) {
        ken_buf_putc(&body, '\n');
        ken_buf_put_str(&body, row->tags[i]);
    }
    ken_buf_putc(&body, '\n');
    if (row->context.len > 2) // not "{}"
        ken_buf_put_str(&body, ken_str_sub(row->context, 0, KEN_RECALL_TEXT_MAX / 2));
    ken_recall_put(m->recall, row->id, row->summary, ken_buf_str(&body));
    for (size_t i = 0; i < row->n_tags; i++)
        ken_recall_mark(m->recall, row->id, number_of(m, row->tags[i]));
    ken_buf_release(&body);
}

// All rows above a revision, batch by batch.
static ken_status load_since(checkpoint_memory *m, ken_store *store, uint64_t rev, bool with_texts,
                             bool with_marks, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = KEN_OK;
    for (size_t n = BATCH; !st && n == BATCH;) {
        ken_checkpoint_row *rows = NULL;
        ken_arena_reset(&arena);
        st = ken_store_list_checkpoints(store, rev, BATCH, with_texts, &arena, &rows, &n, err);
        for (size_t i = 0; !st && i < n; i++) {
            if (with_marks)
                add_mark(m, &rows[i]);
            if (with_texts)
                add_text(m, &rows[i]);
            rev = rows[i].rev;
        }
    }
    ken_arena_release(&arena);
    return st;
}

static ken_status load_all(checkpoint_memory *m, ken_store *store, ken_err *err)
{
    bool has_texts = m->recall;
    clear(m);
    if (has_texts)
        m->recall = ken_recall_new();
    return load_since(m, store, 0, has_texts, true, err);
}

static ken_status sync_marks(checkpoint_memory *m, ken_store *store, ken_err *err)
{
    ken_checkpoint_state state = { 0 };
    ken_status st = ken_store_load_checkpoint_state(store, &state, err);
    if (st || (m->is_loaded && m->rev == state.rev))
        return st;
    st =
        m->is_loaded ? load_since(m, store, m->rev, m->recall, true, err) : load_all(m, store, err);
    if (!st && m->n != state.n)
        st = load_all(m, store, err); // somebody removed some
    m->is_loaded = !st;
    m->rev = state.rev;
    return st;
}

ken_status ken_checkpoint__memory_sync(checkpoint_memory *m, ken_store *store, bool wants_texts,
                                       ken_err *err)
{
    ken_status st = sync_marks(m, store, err);
    if (st || !wants_texts || m->recall)
        return st;
    m->recall = ken_recall_new();
    st = load_since(m, store, 0, true, false, err);
    m->is_loaded = !st;
    return st;
}

void ken_checkpoint__memory_put(checkpoint_memory *m, const ken_checkpoint_row *row)
{
    if (!m->is_loaded || row->rev != m->rev + 1)
        return;
    add_mark(m, row);
    if (m->recall)
        add_text(m, row);
    m->rev = row->rev;
}

void ken_checkpoint__memory_remove(checkpoint_memory *m, int64_t id, uint64_t rev)
{
    if (!m->is_loaded || rev != m->rev + 1)
        return;
    drop_mark(m, id);
    if (m->recall)
        ken_recall_remove(m->recall, id);
    m->rev = rev;
}

// ---- filters -----------------------------------------------------------------------------------

// Tags that nothing has are left out; returns how many are known.
static size_t number_tags(const checkpoint_memory *m, const ken_str *tags, size_t n,
                          checkpoint_tags *out)
{
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *number = ken_map_find(&m->numbers, tags[i]);
        if (!number)
            continue;
        n_known++;
        if (*number < CHECKPOINT_MASK_TAGS)
            out->mask |= UINT64_C(1) << *number;
        else
            out->rare[out->n_rare++] = (uint32_t)*number;
    }
    return n_known;
}

checkpoint_sieve ken_checkpoint__sieve_of(const checkpoint_memory *m,
                                          const ken_checkpoint_filter *f)
{
    checkpoint_sieve s = { .memory = m, .has_any = f->n_any > 0 };
    s.is_closed = number_tags(m, f->all, f->n_all, &s.all) < f->n_all;
    s.is_closed |= !number_tags(m, f->any, f->n_any, &s.any) && s.has_any;
    (void)number_tags(m, f->none, f->n_none, &s.none);
    return s;
}

// How many of the rare tags a mark has.
static size_t count_rare(const checkpoint_memory *m, size_t mark, const checkpoint_tags *t)
{
    const checkpoint_mark *k = &m->marks.ptr[mark];
    size_t n = 0;
    for (size_t i = 0; i < t->n_rare; i++)
        for (uint32_t j = 0; j < k->n_tags; j++)
            n += m->tags.ptr[k->first_tag + j] == t->rare[i];
    return n;
}

bool ken_checkpoint__sieve_passes(const checkpoint_sieve *s, size_t mark)
{
    uint64_t mask = s->memory->masks.ptr[mark];
    if (s->is_closed || (mask & s->all.mask) != s->all.mask || (mask & s->none.mask))
        return false;
    if (s->all.n_rare && count_rare(s->memory, mark, &s->all) < s->all.n_rare)
        return false;
    if (s->none.n_rare && count_rare(s->memory, mark, &s->none))
        return false;
    return !s->has_any || (mask & s->any.mask) || count_rare(s->memory, mark, &s->any);
}

// A tag that nothing has is a facet that no text has.
static const uint32_t *facets_of(const checkpoint_memory *m, const ken_str *tags, size_t n,
                                 ken_arena *arena)
{
    uint32_t *facets = KEN_ARENA_ARRAY(arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *number = ken_map_find(&m->numbers, tags[i]);
        facets[i] = number ? (uint32_t)*number : UINT32_MAX;
    }
    return facets;
}

ken_recall_filter ken_checkpoint__recall_filter(const checkpoint_memory *m,
                                                const ken_checkpoint_filter *f, ken_arena *arena)
{
    return (ken_recall_filter){ .all = facets_of(m, f->all, f->n_all, arena),
                                .any = facets_of(m, f->any, f->n_any, arena),
                                .none = facets_of(m, f->none, f->n_none, arena),
                                .n_all = f->n_all,
                                .n_any = f->n_any,
                                .n_none = f->n_none };
}
