// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store_hook_priv.h"

static ken_store_hook *hook_of(ken_store_backend *b)
{
    return (ken_store_hook *)(void *)b;
}

typedef struct passage {
    ken_store_hook *h;
    const ken_store_ops *ops; // of the inner backend
    ken_store_backend *b;     // the inner backend
    ken_store_call call;
    int64_t start_ns;
    ken_status st; // set = the call is not made
    ken_err *err;
} passage;

static passage enter(ken_store_backend *b, ken_store_call call, ken_err *err)
{
    ken_store_hook *h = hook_of(b);
    passage p = { .h = h, .ops = h->inner->ops, .b = h->inner, .call = call, .err = err };
    if (h->before)
        p.st = h->before(h->ctx, &call, err);
    p.start_ns = ken_clock_mono_ns();
    return p;
}

static ken_status leave(const passage *p, ken_status st)
{
    if (p->st)
        return p->st;
    return p->h->after(p->h->ctx, &p->call, st, ken_clock_mono_ns() - p->start_ns, p->err);
}

static ken_store_call call_of(const char *name, int64_t number)
{
    return (ken_store_call){ .name = name, .number = number };
}

static ken_store_call call_text(const char *name, ken_str text, int64_t number)
{
    return (ken_store_call){ .name = name, .text = text, .number = number };
}

// ---- connection and transactions -------------------------------------------------------------

static void hook_close(ken_store_backend *b)
{
    ken_store_hook *h = hook_of(b);
    h->inner->ops->conn->close(h->inner);
    if (h->free_ctx)
        h->free_ctx(h->ctx);
    ken_free(h);
}

static void hook_rollback(ken_store_backend *b)
{
    ken_store_hook *h = hook_of(b);
    h->inner->ops->conn->rollback(h->inner);
}

static ken_status hook_begin_read(ken_store_backend *b, ken_err *err)
{
    passage p = enter(b, call_of("begin_read", 0), err);
    return leave(&p, p.st ? p.st : p.ops->conn->begin_read(p.b, err));
}

static ken_status hook_begin_write(ken_store_backend *b, ken_err *err)
{
    passage p = enter(b, call_of("begin_write", 0), err);
    return leave(&p, p.st ? p.st : p.ops->conn->begin_write(p.b, err));
}

static ken_status hook_commit(ken_store_backend *b, bool is_durable, ken_err *err)
{
    passage p = enter(b, call_of("commit", is_durable), err);
    return leave(&p, p.st ? p.st : p.ops->conn->commit(p.b, is_durable, err));
}

static ken_status hook_checkpoint(ken_store_backend *b, ken_err *err)
{
    passage p = enter(b, call_of("checkpoint", 0), err);
    return leave(&p, p.st ? p.st : p.ops->conn->checkpoint(p.b, err));
}

static ken_status hook_get_size(ken_store_backend *b, uint64_t *out_bytes, ken_err *err)
{
    passage p = enter(b, call_of("get_size", 0), err);
    return leave(&p, p.st ? p.st : p.ops->conn->get_size(p.b, out_bytes, err));
}

static ken_status hook_verify(ken_store_backend *b, ken_err *err)
{
    passage p = enter(b, call_of("verify", 0), err);
    return leave(&p, p.st ? p.st : p.ops->conn->verify(p.b, err));
}

// ---- contents ----------------------------------------------------------------------------------

static ken_status hook_find_content(ken_store_backend *b, const ken_content_key *key,
                                    ken_content_info *out, ken_err *err)
{
    passage p = enter(b, call_of("find_content", key->lang), err);
    return leave(&p, p.st ? p.st : p.ops->content->find(p.b, key, out, err));
}

static ken_status hook_add_content(ken_store_backend *b, const ken_content_key *key,
                                   const ken_content_info *info, const ken_packed *packed,
                                   int64_t *out_id, ken_err *err)
{
    passage p = enter(b, call_of("add_content", (int64_t)info->n_bytes), err);
    return leave(&p, p.st ? p.st : p.ops->content->add(p.b, key, info, packed, out_id, err));
}

static ken_status hook_load_packed(ken_store_backend *b, int64_t id, ken_arena *arena, ken_str *out,
                                   ken_err *err)
{
    passage p = enter(b, call_of("load_packed", id), err);
    return leave(&p, p.st ? p.st : p.ops->content->load_packed(p.b, id, arena, out, err));
}

static ken_status hook_load_packed_refs(ken_store_backend *b, int64_t id, ken_arena *arena,
                                        ken_str *out, ken_err *err)
{
    passage p = enter(b, call_of("load_packed_refs", id), err);
    return leave(&p, p.st ? p.st : p.ops->content->load_packed_refs(p.b, id, arena, out, err));
}

static ken_status hook_load_info(ken_store_backend *b, int64_t id, ken_content_info *out,
                                 ken_err *err)
{
    passage p = enter(b, call_of("load_info", id), err);
    return leave(&p, p.st ? p.st : p.ops->content->load_info(p.b, id, out, err));
}

static ken_status hook_load_sha(ken_store_backend *b, int64_t id, ken_sha256 *out, ken_err *err)
{
    passage p = enter(b, call_of("load_sha", id), err);
    return leave(&p, p.st ? p.st : p.ops->content->load_sha(p.b, id, out, err));
}

static ken_status hook_collect(ken_store_backend *b, uint64_t *out_removed, ken_err *err)
{
    passage p = enter(b, call_of("collect", 0), err);
    return leave(&p, p.st ? p.st : p.ops->content->collect(p.b, out_removed, err));
}

static ken_status hook_collect_one(ken_store_backend *b, int64_t id, ken_err *err)
{
    passage p = enter(b, call_of("collect_one", id), err);
    return leave(&p, p.st ? p.st : p.ops->content->collect_one(p.b, id, err));
}

// ---- files and skips ---------------------------------------------------------------------------

static ken_status hook_load_files(ken_store_backend *b, ken_arena *arena, ken_file_row **out,
                                  size_t *out_n, ken_content_info **out_contents, ken_err *err)
{
    passage p = enter(b, call_of("load_files", out_contents != NULL), err);
    return leave(&p, p.st ? p.st : p.ops->file->load(p.b, arena, out, out_n, out_contents, err));
}

static ken_status hook_put_file(ken_store_backend *b, const ken_file_row *row, ken_err *err)
{
    passage p = enter(b, call_text("put_file", row->path, row->id), err);
    return leave(&p, p.st ? p.st : p.ops->file->put(p.b, row, err));
}

static ken_status hook_remove_file(ken_store_backend *b, int64_t id, ken_err *err)
{
    passage p = enter(b, call_of("remove_file", id), err);
    return leave(&p, p.st ? p.st : p.ops->file->remove(p.b, id, err));
}

static ken_status hook_replace_skips(ken_store_backend *b, const ken_skip_row *rows, size_t n,
                                     ken_err *err)
{
    passage p = enter(b, call_of("replace_skips", (int64_t)n), err);
    return leave(&p, p.st ? p.st : p.ops->file->replace_skips(p.b, rows, n, err));
}

static ken_status hook_load_skips(ken_store_backend *b, ken_skip_reason reason, size_t limit,
                                  ken_arena *arena, ken_skip_row **out, size_t *out_n, ken_err *err)
{
    passage p =
        enter(b, call_text("load_skips", ken_str_c(ken_skip_word(reason)), (int64_t)limit), err);
    return leave(&p,
                 p.st ? p.st : p.ops->file->load_skips(p.b, reason, limit, arena, out, out_n, err));
}

// ---- segments ----------------------------------------------------------------------------------

static ken_status hook_open_segment(ken_store_backend *b, ken_segment_kind kind, int64_t *out_id,
                                    ken_err *err)
{
    passage p = enter(b, call_of("open_segment", kind), err);
    return leave(&p, p.st ? p.st : p.ops->segment->open(p.b, kind, out_id, err));
}

static ken_status hook_put_block(ken_store_backend *b, int64_t id, uint32_t block, ken_str bytes,
                                 ken_err *err)
{
    passage p = enter(b, call_of("put_block", (int64_t)bytes.len), err);
    return leave(&p, p.st ? p.st : p.ops->segment->put_block(p.b, id, block, bytes, err));
}

static ken_status hook_end_segment(ken_store_backend *b, int64_t id, uint64_t n_bytes,
                                   uint32_t n_contents, ken_err *err)
{
    passage p = enter(b, call_of("end_segment", (int64_t)n_bytes), err);
    return leave(&p, p.st ? p.st : p.ops->segment->end(p.b, id, n_bytes, n_contents, err));
}

static ken_status hook_remove_segment(ken_store_backend *b, int64_t id, ken_err *err)
{
    passage p = enter(b, call_of("remove_segment", id), err);
    return leave(&p, p.st ? p.st : p.ops->segment->remove(p.b, id, err));
}

static ken_status hook_list_segments(ken_store_backend *b, ken_segment_kind kind, ken_arena *arena,
                                     ken_segment_info **out, size_t *out_n, ken_err *err)
{
    passage p = enter(b, call_of("list_segments", 0), err);
    return leave(&p, p.st ? p.st : p.ops->segment->list(p.b, kind, arena, out, out_n, err));
}

static ken_status hook_read_block(ken_store_backend *b, int64_t segment, uint32_t block, void *into,
                                  size_t *out_n, ken_err *err)
{
    passage p = enter(b, call_of("read_block", segment << 24 | block), err);
    return leave(&p,
                 p.st ? p.st : p.ops->segment->read_block(p.b, segment, block, into, out_n, err));
}

// ---- the generation, and values by name --------------------------------------------------------

static ken_status hook_load_generation(ken_store_backend *b, ken_arena *arena, ken_generation *out,
                                       ken_err *err)
{
    passage p = enter(b, call_of("load_generation", 0), err);
    return leave(&p, p.st ? p.st : p.ops->meta->load_generation(p.b, arena, out, err));
}

static ken_status hook_put_generation(ken_store_backend *b, const ken_generation *g, ken_err *err)
{
    passage p = enter(b, call_of("put_generation", (int64_t)g->number), err);
    return leave(&p, p.st ? p.st : p.ops->meta->put_generation(p.b, g, err));
}

static ken_status hook_get_generation(ken_store_backend *b, uint64_t *out, ken_err *err)
{
    passage p = enter(b, call_of("get_generation", 0), err);
    return leave(&p, p.st ? p.st : p.ops->meta->get_generation(p.b, out, err));
}

static ken_status hook_load_value(ken_store_backend *b, ken_str key, ken_arena *arena, ken_str *out,
                                  ken_err *err)
{
    passage p = enter(b, call_text("load_value", key, 0), err);
    return leave(&p, p.st ? p.st : p.ops->meta->load_value(p.b, key, arena, out, err));
}

static ken_status hook_put_value(ken_store_backend *b, ken_str key, ken_str value, ken_err *err)
{
    passage p = enter(b, call_text("put_value", key, (int64_t)value.len), err);
    return leave(&p, p.st ? p.st : p.ops->meta->put_value(p.b, key, value, err));
}

// ---- checkpoints -------------------------------------------------------------------------------

static ken_status hook_load_checkpoint(ken_store_backend *b, ken_uuid uuid, ken_arena *arena,
                                       ken_checkpoint_row *out, ken_err *err)
{
    passage p = enter(b, call_of("load_checkpoint", 0), err);
    return leave(&p, p.st ? p.st : p.ops->checkpoint->load(p.b, uuid, arena, out, err));
}

static ken_status hook_next_checkpoint(ken_store_backend *b, int64_t after_id, ken_arena *arena,
                                       ken_checkpoint_row *out, ken_err *err)
{
    passage p = enter(b, call_of("next_checkpoint", after_id), err);
    return leave(&p, p.st ? p.st : p.ops->checkpoint->next(p.b, after_id, arena, out, err));
}

static ken_status hook_list_checkpoints(ken_store_backend *b, uint64_t since_rev, size_t limit,
                                        bool with_texts, ken_arena *arena, ken_checkpoint_row **out,
                                        size_t *out_n, ken_err *err)
{
    passage p = enter(b, call_of("list_checkpoints", (int64_t)since_rev), err);
    return leave(&p, p.st ? p.st
                          : p.ops->checkpoint->list(p.b, since_rev, limit, with_texts, arena, out,
                                                    out_n, err));
}

static ken_status hook_put_checkpoint(ken_store_backend *b, ken_checkpoint_row *row, ken_err *err)
{
    passage p = enter(b, call_text("put_checkpoint", row->summary, row->id), err);
    return leave(&p, p.st ? p.st : p.ops->checkpoint->put(p.b, row, err));
}

static ken_status hook_remove_checkpoint(ken_store_backend *b, int64_t id, ken_err *err)
{
    passage p = enter(b, call_of("remove_checkpoint", id), err);
    return leave(&p, p.st ? p.st : p.ops->checkpoint->remove(p.b, id, err));
}

static ken_status hook_load_checkpoint_state(ken_store_backend *b, ken_checkpoint_state *out,
                                             ken_err *err)
{
    passage p = enter(b, call_of("load_checkpoint_state", 0), err);
    return leave(&p, p.st ? p.st : p.ops->checkpoint->load_state(p.b, out, err));
}

// ---- documents of rules ------------------------------------------------------------------------

static ken_status hook_replace_rules(ken_store_backend *b, const ken_rule_document_row *rows,
                                     size_t n, ken_err *err)
{
    passage p = enter(b, call_of("replace_rules", (int64_t)n), err);
    return leave(&p, p.st ? p.st : p.ops->rule->replace(p.b, rows, n, err));
}

static ken_status hook_load_rules(ken_store_backend *b, ken_arena *arena,
                                  ken_rule_document_row **out, size_t *out_n, ken_err *err)
{
    passage p = enter(b, call_of("load_rules", 0), err);
    return leave(&p, p.st ? p.st : p.ops->rule->load(p.b, arena, out, out_n, err));
}

static const ken_store_conn_ops hook_conn_ops = {
    .close = hook_close,
    .rollback = hook_rollback,
    .begin_read = hook_begin_read,
    .begin_write = hook_begin_write,
    .commit = hook_commit,
    .checkpoint = hook_checkpoint,
    .get_size = hook_get_size,
    .verify = hook_verify,
};

static const ken_store_content_ops hook_content_ops = {
    .find = hook_find_content,
    .add = hook_add_content,
    .load_packed = hook_load_packed,
    .load_packed_refs = hook_load_packed_refs,
    .load_info = hook_load_info,
    .load_sha = hook_load_sha,
    .collect = hook_collect,
    .collect_one = hook_collect_one,
};

static const ken_store_file_ops hook_file_ops = {
    .load = hook_load_files,
    .put = hook_put_file,
    .remove = hook_remove_file,
    .replace_skips = hook_replace_skips,
    .load_skips = hook_load_skips,
};

static const ken_store_segment_ops hook_segment_ops = {
    .open = hook_open_segment,
    .put_block = hook_put_block,
    .end = hook_end_segment,
    .remove = hook_remove_segment,
    .list = hook_list_segments,
    .read_block = hook_read_block,
};

static const ken_store_meta_ops hook_meta_ops = {
    .load_generation = hook_load_generation,
    .put_generation = hook_put_generation,
    .get_generation = hook_get_generation,
    .load_value = hook_load_value,
    .put_value = hook_put_value,
};

static const ken_store_checkpoint_ops hook_checkpoint_ops = {
    .load = hook_load_checkpoint,
    .next = hook_next_checkpoint,
    .list = hook_list_checkpoints,
    .put = hook_put_checkpoint,
    .remove = hook_remove_checkpoint,
    .load_state = hook_load_checkpoint_state,
};

static const ken_store_rule_ops hook_rule_ops = {
    .replace = hook_replace_rules,
    .load = hook_load_rules,
};

static const ken_store_ops hook_ops = {
    .name = "hook",
    .conn = &hook_conn_ops,
    .content = &hook_content_ops,
    .file = &hook_file_ops,
    .segment = &hook_segment_ops,
    .meta = &hook_meta_ops,
    .checkpoint = &hook_checkpoint_ops,
    .rule = &hook_rule_ops,
};

void ken_store__hook(ken_store *s, const ken_store_hook *h)
{
    ken_store_hook *copy = ken_zalloc(sizeof *copy);
    *copy = *h;
    copy->base.ops = &hook_ops;
    copy->inner = ken_store__backend(s);
    ken_store__set_backend(s, &copy->base);
}
