// SPDX-License-Identifier: MIT
// Puts the extracted facts, postings and vectors into the store and the builders, in batches. A committed
// batch is invisible until a file of a generation has its contents.
#include <string.h>

#include "base/alloc.h"
#include "index/index_run_priv.h"

enum {
    BATCH_CONTENTS = 4000, // at most so many in one transaction
    MAX_IN_RUN = 24,       // segments of a kind, before some are joined while a run goes on
};

void ken_index__count(index_counts *c, const ken_content_info *info)
{
    c->n_files++;
    c->n_chunks += info->n_chunks;
    c->n_symbols += info->n_symbols;
    c->n_bytes += info->n_bytes;
    c->n_lines += info->n_lines;
    ken_index__count_lang(&c->langs, info);
}

ken_status ken_index__end_batch(index_run *r, ken_err *err)
{
    if (!r->is_in_batch)
        return KEN_OK;
    ken_status st = ken_index__flush_words(r->store, r->builder, r->n_jobs, err);
    if (!st)
        st = ken_index__flush_mentions(r->store, r->mentions, err);
    if (!st)
        st = ken_index__flush_vectors(r->store, r->vectors, err);
    static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_MENTIONS,
                                              KEN_SEGMENT_VECTORS };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !st; k++)
        st = ken_index__join(r->store, kinds[k], MAX_IN_RUN, &(index_alive){ 0 }, err);
    if (!st && r->partial.is_on)
        st = ken_index__put_partial(r, err);
    if (!st)
        st = ken_store_commit(r->store, err);
    else
        ken_store_rollback(r->store);
    r->is_in_batch = false;
    r->n_in_batch = 0;
    return st;
}

// The same content twice in one run. A forced one takes none that was there before it, and so asks for none that it
// has not added itself.
static bool was_added(index_run *r, const ken_content_key *key, ken_content_info *out)
{
    ken_content_info found;
    if (r->opts->is_forced && !ken_hash_set_has(&r->added, ken_sha256_short(&key->sha)))
        return false;
    if (ken_store_find_content(r->store, key, &found, NULL))
        return false;
    if (r->opts->is_forced && (!r->first_added || found.id < r->first_added))
        return false;
    *out = found;
    return true;
}

// Before the first content of a forced run, in the same transaction.
static ken_status count_forced(index_run *r, ken_err *err)
{
    if (!r->opts->is_forced || r->first_added)
        return KEN_OK;
    return ken_index__put_forced(r->store, ++r->n_forced, err);
}

static ken_status begin_batch(index_run *r, ken_err *err)
{
    ken_status st = ken_store_begin_write(r->store, err);
    r->is_in_batch = !st;
    return st ? st : count_forced(r, err);
}

static ken_status keep_content(index_run *r, index_slot *s, ken_content_info *out, ken_err *err)
{
    ken_status st = r->is_in_batch ? KEN_OK : begin_batch(r, err);
    if (st)
        return st;
    if (was_added(r, &s->key, out))
        return KEN_OK;
    int64_t id;
    const ken_packed packed = {
        .facts = ken_buf_str(&s->packed),
        .refs = ken_buf_str(&s->packed_refs),
        .plain_refs = &s->refs,
        .text = ken_buf_str(&s->text),
        .language = ken_str_c(ken_lang_name((ken_lang_id)s->key.lang)),
    };
    st = ken_store_add_content(r->store, &s->key, &s->facts, &packed, &id, err);
    if (st)
        return st;
    if (!r->first_added)
        r->first_added = id;
    if (r->opts->is_forced)
        ken_hash_set_put(&r->added, ken_sha256_short(&s->key.sha));
    *out = (ken_content_info){ .id = id,
                               .n_bytes = s->facts.n_bytes,
                               .n_lines = s->facts.n_lines,
                               .n_chunks = (uint32_t)s->facts.n_chunks,
                               .n_symbols = (uint32_t)s->facts.n_symbols,
                               .lang = s->key.lang };
    ken_lex_builder_add(r->builder, id, &s->doc, s->facts.symbols, s->facts.n_symbols);
    ken_mention_builder_add(r->mentions, id, s->mentions.ptr, s->mentions.len);
    if (s->has_vectors)
        ken_vector_builder_add(r->vectors, id, s->vectors.values.ptr, s->vectors.scales.ptr,
                               (uint32_t)s->vectors.scales.len);
    r->report->n_parsed++;
    r->report->bytes_parsed += s->facts.n_bytes;
    r->n_in_batch++;
    return KEN_OK;
}

uint64_t ken_index__builder_bytes(const index_run *r)
{
    return ken_lex_builder_bytes(r->builder) + ken_mention_builder_bytes(r->mentions) +
           ken_vector_builder_bytes(r->vectors);
}

static ken_status end_full_batch(index_run *r, ken_err *err)
{
    const uint64_t held = ken_index__builder_bytes(r);
    bool is_full =
        held > r->memory.builders || (held > r->memory.builders / 4 && ken_index__is_pressed(r));
    if (!is_full && r->n_in_batch < BATCH_CONTENTS)
        return KEN_OK;
    ken_status st = ken_index__end_batch(r, err);
    if (is_full)
        ken_alloc_trim();
    return st;
}

static ken_status keep_skip(index_run *r, const index_slot *s, index_planned *p, ken_err *err)
{
    ken_status st = p->content ? ken_index__count_lost(r, p->content, err) : KEN_OK;
    if (st)
        return st;
    r->late_skip[s->file] = s->skip;
    if (s->skip == KEN_SKIP_UNREADABLE)
        ken_index__add_issue(r, r->scan.files[s->file].path,
                             s->err.msg[0] ? s->err.msg : ken_skip_text(KEN_SKIP_UNREADABLE));
    r->has_changed = r->has_changed || p->row_id || s->skip != p->skip_before;
    p->content = 0;
    return KEN_OK;
}

// A file that had another content. A forced run, or one after a raised feature number, learns the same bytes again
// as a new one: whether it has other bytes is known when the contents before were asked for.
static ken_status keep_changed(index_run *r, const index_slot *s, index_planned *p, ken_err *err)
{
    if (p->row_id)
        return ken_index__compare_past(r, s, p->content, err);
    p->changed_at_ms = r->now_ms;
    return p->content ? ken_index__count_lost(r, p->content, err) : KEN_OK;
}

static ken_status keep_file(index_run *r, index_slot *s, index_planned *p, ken_err *err)
{
    ken_content_info info = s->known;
    ken_status st = info.id ? KEN_OK : keep_content(r, s, &info, err);
    const int64_t content = info.id;
    const bool is_other = p->content != content;
    if (!st && is_other)
        st = keep_changed(r, s, p, err);
    if (st)
        return st;
    if (is_other || !r->trusts_old)
        ken_index__count(&r->gained, &info);
    p->is_changed = is_other || !ken_fs_stamp_eq(p->stamp, s->stamp);
    r->has_changed = r->has_changed || p->is_changed;
    if (!is_other && p->row_id)
        r->report->n_unchanged++;
    p->content = content;
    p->stamp = s->stamp;
    return KEN_OK;
}

ken_status ken_index__keep(index_run *r, index_slot *s, ken_err *err)
{
    index_planned *p = &r->plan[s->file];
    ken_status st = ken_cancel_check(r->cancel, err);
    if (st)
        return st;
    if (s->failure) {
        if (err)
            *err = s->err;
        return s->failure;
    }
    st = s->skip ? keep_skip(r, s, p, err) : keep_file(r, s, p, err);
    if (!st && r->n_in_batch)
        st = end_full_batch(r, err);
    return st ? st : ken_index__commit_if_due(r, s->file, err);
}
