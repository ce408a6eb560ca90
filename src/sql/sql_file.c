// SPDX-License-Identifier: MIT
// What one file has: its stored facts and references, and its text on the disk. Loaded when a column asks
// for it, and kept until the cursor goes to another file.
#include "base/sorted.h"
#include "sql/sql_priv.h"

const ken_file_row *ken_sql__row(const sql_cursor *c)
{
    return &c->door->rows[c->file];
}

void ken_sql__enter_file(sql_cursor *c)
{
    if (c->loaded_file == c->file)
        return;
    ken_arena_reset(&c->arena);
    c->loaded_file = c->file;
    c->has_facts = c->has_refs = c->has_info = c->has_view = c->has_failed_view = false;
    c->line_starts = NULL;
}

ken_status ken_sql__need_facts(sql_cursor *c, ken_err *err)
{
    if (c->has_facts)
        return KEN_OK;
    ken_status st =
        ken_store_load_facts(c->door->store, ken_sql__row(c)->content, &c->arena, &c->facts, err);
    c->has_facts = !st;
    return st;
}

ken_status ken_sql__need_refs(sql_cursor *c, ken_err *err)
{
    if (c->has_refs)
        return KEN_OK;
    ken_status st = ken_sql__need_facts(c, err);
    if (!st)
        st = ken_store_load_refs(c->door->store, ken_sql__row(c)->content, &c->facts, &c->arena,
                                 &c->refs, err);
    c->has_refs = !st;
    return st;
}

ken_status ken_sql__need_info(sql_cursor *c, ken_err *err)
{
    if (c->has_info)
        return KEN_OK;
    ken_status st = ken_store_load_info(c->door->store, ken_sql__row(c)->content, &c->info, err);
    c->has_info = !st;
    return st;
}

const ken_file_view *ken_sql__need_view(sql_cursor *c)
{
    ken_err e = { 0 };
    if (!c->has_view && !c->has_failed_view) {
        // What refuses is kept by the snapshot, which tells it with the answer.
        c->has_view =
            !ken_view_file(c->door->snap, ken_sql__row(c)->path, &c->arena, &c->view, &e) &&
            !c->view.is_refreshed;
        c->has_failed_view = !c->has_view;
    }
    return c->has_view ? &c->view : NULL;
}

int64_t ken_sql__item_id(const sql_cursor *c, uint32_t item)
{
    return ken_sql__row(c)->id << SQL_ITEM_BITS | item;
}

int64_t ken_sql__chunk_at(const ken_facts *f, uint32_t byte)
{
    size_t n = KEN_FIRST_BEHIND_U32(ken_chunk, span.start, f->chunks, f->n_chunks, byte);
    return n && f->chunks[n - 1].span.end > byte ? (int64_t)n - 1 : -1;
}
