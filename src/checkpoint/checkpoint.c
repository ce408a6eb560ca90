// SPDX-License-Identifier: MIT
// Saving, loading, removing. A write is one transaction of the index, which waits for that of a run
// and takes no lock of its own.
#include "checkpoint/checkpoint.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "checkpoint/checkpoint_priv.h"
#include "json/json.h"
#include "token/token_count.h"

enum {
    DIRTY_JSON_BYTES = 1 << 20
};

ken_checkpoints *ken_checkpoints_new(const ken_checkpoints_opts *opts)
{
    ken_checkpoints *c = ken_zalloc(sizeof *c);
    c->opts = *opts;
    ken_checkpoint__memory_init(&c->memory);
    return c;
}

void ken_checkpoints_free(ken_checkpoints *c)
{
    if (!c)
        return;
    ken_checkpoint__memory_release(&c->memory);
    ken_checkpoint__files_release(&c->files);
    ken_free(c);
}

ken_checkpoint ken_checkpoint__of_row(const ken_checkpoint_row *row)
{
    return (ken_checkpoint){
        .id = row->uuid,
        .summary = row->summary,
        .description = row->description,
        .context = row->context,
        .tags = row->tags,
        .n_tags = row->n_tags,
        .token_count = row->token_count,
        .created_at_ms = row->created_at_ms,
        .updated_at_ms = row->updated_at_ms,
        .git_branch = row->git_branch,
        .git_commit = row->git_commit,
        .git_dirty = row->git_dirty,
    };
}

static ken_status refuse_unknown(ken_checkpoints *c, ken_uuid id, ken_err *err)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    if (ken_checkpoint__find_file(&c->files, c->opts.snap, id))
        return KEN_FAIL(err, KEN_EINVAL,
                        "checkpoint_id: '%s' is an indexed file, which is not stored: it changes "
                        "and goes with the file; to leave it out, exclude it from the index",
                        text);
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "checkpoint_id: there is no checkpoint '%s' in this project; "
                    "checkpoint_list shows those there are",
                    text);
}

// ---- saving ------------------------------------------------------------------------------------

static ken_str paths_json(const ken_work_state *s, ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(DIRTY_JSON_BYTES);
    size_t whole = 1;
    ken_buf_putc(&b, '[');
    for (size_t i = 0; i < s->n_dirty && !b.is_over; i++) {
        if (i)
            ken_buf_putc(&b, ',');
        ken_json_put_quoted(&b, s->dirty[i]);
        if (!b.is_over)
            whole = b.len;
    }
    ken_str kept = ken_arena_printf(arena, "%.*s]", (int)whole, b.ptr);
    ken_buf_release(&b);
    return kept;
}

static ken_status add_work_state(ken_checkpoints *c, const ken_cancel *cancel, ken_arena *arena,
                                 ken_checkpoint_row *row, ken_err *err)
{
    ken_work_state now;
    ken_status st =
        ken_history_state(c->opts.root, KEN_CHECKPOINT_DIRTY_MAX, cancel, arena, &now, err);
    if (st)
        return st;
    row->git_branch = now.branch;
    row->git_commit = now.commit;
    row->git_dirty = paths_json(&now, arena);
    return KEN_OK;
}

// Compact: what is stored does not depend on how it was written down.
static ken_str normal_context(ken_str text, ken_arena *arena)
{
    json_t *value = NULL;
    ken_buf b = KEN_BUF_INIT(8 * KEN_CHECKPOINT_CONTEXT_BYTES);
    if (!ken_json_parse(text, &value, NULL))
        ken_json_dump(value, &b);
    json_decref(value);
    ken_str kept = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return kept;
}

static void apply_draft(const ken_checkpoint_draft *d, ken_arena *arena, ken_checkpoint_row *row)
{
    if (d->summary.ptr)
        row->summary = d->summary;
    if (d->description.ptr)
        row->description = d->description;
    if (d->context.ptr)
        row->context = normal_context(d->context, arena);
    row->token_count = ken_count_tokens(row->summary) + ken_count_tokens(row->description);
    if (!ken_str_eq(row->context, KEN_STR("{}")))
        row->token_count += ken_count_tokens(row->context);
    // Grows with every change, whatever the clock does: it tells one state from the next.
    row->updated_at_ms = d->now_ms > row->updated_at_ms ? d->now_ms : row->updated_at_ms + 1;
    if (!row->created_at_ms)
        row->created_at_ms = row->updated_at_ms;
}

static ken_status refuse_changed(const ken_checkpoint_row *row, int64_t wanted_ms, ken_err *err)
{
    char is[KEN_TIME_MS_TEXT], was[KEN_TIME_MS_TEXT];
    ken_clock_format_ms(row->updated_at_ms, is);
    ken_clock_format_ms(wanted_ms, was);
    return KEN_FAIL(
        err, KEN_EEXIST,
        "if_updated_at: the checkpoint was changed since %s; its updated_at is %s: load "
        "it with checkpoint_get, then save again",
        was, is);
}

// In the write transaction: the row as it is, or a new one.
static ken_status find_present(ken_store *w, const ken_checkpoint_draft *d, ken_arena *arena,
                               ken_checkpoint_row *row, ken_err *err)
{
    if (!d->is_update) {
        *row = (ken_checkpoint_row){ .uuid = ken_uuid_random(),
                                     .description = KEN_STR(""),
                                     .context = KEN_STR("{}") };
        return KEN_OK;
    }
    ken_status st = ken_store_load_checkpoint(w, d->id, arena, row, err);
    if (!st && d->if_updated_at_ms && d->if_updated_at_ms != row->updated_at_ms)
        return refuse_changed(row, d->if_updated_at_ms, err);
    return st;
}

typedef struct saving {
    const ken_checkpoint_draft *draft;
    ken_checkpoint_row made; // tags, and the state of git
    ken_arena *arena;
    ken_checkpoint_row row; // as it is kept
} saving;

static ken_status write_draft(ken_store *w, void *ctx, ken_err *err)
{
    saving *s = ctx;
    const ken_checkpoint_draft *d = s->draft;
    ken_status st = find_present(w, d, s->arena, &s->row, err);
    if (st)
        return st;
    if (d->tags || !d->is_update) {
        s->row.tags = s->made.tags;
        s->row.n_tags = s->made.n_tags;
    }
    s->row.git_branch = s->made.git_branch;
    s->row.git_commit = s->made.git_commit;
    s->row.git_dirty = s->made.git_dirty;
    apply_draft(d, s->arena, &s->row);
    return ken_store_put_checkpoint(w, &s->row, err);
}

// What a draft has for itself, before anything is locked.
static ken_status prepare(ken_checkpoints *c, const ken_checkpoint_draft *d,
                          const ken_cancel *cancel, ken_arena *arena, ken_checkpoint_row *made,
                          ken_err *err)
{
    ken_status st = ken_checkpoint__check_draft(d, err);
    if (!st)
        st = ken_checkpoint__check_tags("tags", d->tags, d->n_tags, arena, &made->tags,
                                        &made->n_tags, err);
    for (size_t i = 0; !st && i < made->n_tags; i++)
        if (ken_str_eq(made->tags[i], KEN_STR("indexed")))
            st = KEN_FAIL(err, KEN_EINVAL,
                          "tags: 'indexed' is for the files of the index, not for notes");
    return st ? st : add_work_state(c, cancel, arena, made, err);
}

ken_status ken_checkpoints_save(ken_checkpoints *c, const ken_checkpoint_draft *draft,
                                const ken_cancel *cancel, ken_arena *arena, ken_checkpoint *out,
                                ken_err *err)
{
    ken_store *w = NULL;
    saving s = { .draft = draft, .arena = arena };
    ken_status st = prepare(c, draft, cancel, arena, &s.made, err);
    if (!st)
        st = c->opts.open_writer(c->opts.writer_ctx, &w, err);
    if (st)
        return st;
    st = ken_store_write(w, write_draft, &s, err);
    if (st)
        return st == KEN_ENOTFOUND ? refuse_unknown(c, draft->id, err) : st;
    ken_checkpoint__memory_put(&c->memory, &s.row);
    *out = ken_checkpoint__of_row(&s.row);
    return KEN_OK;
}

// ---- removing ----------------------------------------------------------------------------------

typedef struct removing {
    ken_uuid id;
    ken_arena *arena;
    ken_checkpoint_row row;
    ken_checkpoint_state after;
} removing;

static ken_status remove_row(ken_store *w, void *ctx, ken_err *err)
{
    removing *r = ctx;
    ken_status st = ken_store_load_checkpoint(w, r->id, r->arena, &r->row, err);
    if (!st)
        st = ken_store_remove_checkpoint(w, r->row.id, err);
    return st ? st : ken_store_load_checkpoint_state(w, &r->after, err);
}

ken_status ken_checkpoints_remove(ken_checkpoints *c, ken_uuid id, ken_arena *arena, ken_err *err)
{
    ken_store *w = NULL;
    removing r = { .id = id, .arena = arena };
    ken_status st = c->opts.open_writer(c->opts.writer_ctx, &w, err);
    if (st)
        return st;
    st = ken_store_write(w, remove_row, &r, err);
    if (st)
        return st == KEN_ENOTFOUND ? refuse_unknown(c, id, err) : st;
    ken_checkpoint__memory_remove(&c->memory, r.row.id, r.after.rev);
    return KEN_OK;
}

// ---- loading -----------------------------------------------------------------------------------

ken_status ken_checkpoints_load(ken_checkpoints *c, ken_uuid id, ken_arena *arena,
                                ken_checkpoint *out, ken_err *err)
{
    ken_checkpoint_row row;
    ken_status st = ken_store_load_checkpoint(c->opts.store, id, arena, &row, err);
    if (!st)
        *out = ken_checkpoint__of_row(&row);
    if (st != KEN_ENOTFOUND)
        return st;
    const ken_file_row *file = ken_checkpoint__find_file(&c->files, c->opts.snap, id);
    return file ? ken_checkpoint__load_file(c->opts.snap, file, arena, out, err)
                : refuse_unknown(c, id, err);
}

ken_status ken_checkpoint__load_rows(ken_checkpoints *c, const ken_uuid *ids, size_t n,
                                     size_t n_description, ken_arena *arena, ken_checkpoint *out,
                                     size_t *out_n, ken_err *err)
{
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        ken_checkpoint_row row;
        ken_status st = ken_store_load_checkpoint(c->opts.store, ids[i], arena, &row, err);
        if (st == KEN_ENOTFOUND)
            continue;
        if (st)
            return st;
        row.description = ken_utf8_clip(row.description, n_description);
        out[n_found++] = ken_checkpoint__of_row(&row);
    }
    *out_n = n_found;
    return KEN_OK;
}
