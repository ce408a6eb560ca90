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

static void count(index_counts *c, const ken_content_info *info)
{
    c->n_files++;
    c->n_chunks += info->n_chunks;
    c->n_symbols += info->n_symbols;
    c->n_bytes += info->n_bytes;
    c->n_lines += info->n_lines;
}

// Subtracts the content that a file had before; a run that trusts no old row counts from zero.
ken_status ken_index__count_lost(index_run *r, int64_t content, ken_err *err)
{
    ken_content_info info;
    if (!r->trusts_old)
        return KEN_OK;
    ken_status st = ken_store_load_info(r->store, content, &info, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_ECORRUPT,
                        "the index has no content %lld, which a file has: run ken index --force",
                        (long long)content);
    if (!st)
        count(&r->lost, &info);
    return st;
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

// The same content twice in one run. A forced one takes none that was there before it.
static bool was_added(index_run *r, const ken_content_key *key, ken_content_info *out)
{
    ken_content_info found;
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
    *out = (ken_content_info){ .id = id,
                               .n_bytes = s->facts.n_bytes,
                               .n_lines = s->facts.n_lines,
                               .n_chunks = (uint32_t)s->facts.n_chunks,
                               .n_symbols = (uint32_t)s->facts.n_symbols };
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

// Whether the content of the file's row was extracted from the bytes in the slot. A forced run,
// or one after a raised feature number, learns the same bytes again as a new content.
static ken_status compare_bytes(index_run *r, const index_planned *p, const index_slot *s,
                                int64_t content, bool *out_is_same, ken_err *err)
{
    *out_is_same = p->row_id && p->content == content;
    if (!p->row_id || *out_is_same)
        return KEN_OK;
    ken_sha256 before;
    ken_status st = ken_store_load_sha(r->store, p->content, &before, err);
    if (!st)
        *out_is_same = memcmp(&before, &s->key.sha, sizeof before) == 0;
    return st == KEN_ENOTFOUND ? KEN_OK : st;
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

static ken_status keep_file(index_run *r, index_slot *s, index_planned *p, ken_err *err)
{
    ken_content_info info = s->known;
    bool is_same = false;
    ken_status st = info.id ? KEN_OK : keep_content(r, s, &info, err);
    const int64_t content = info.id;
    if (!st)
        st = compare_bytes(r, p, s, content, &is_same, err);
    if (!st && p->content && p->content != content)
        st = ken_index__count_lost(r, p->content, err);
    if (st)
        return st;
    if (p->content != content || !r->trusts_old)
        count(&r->gained, &info);
    p->is_changed = p->content != content || !ken_fs_stamp_eq(p->stamp, s->stamp);
    r->has_changed = r->has_changed || p->is_changed;
    p->is_modified = p->row_id && !is_same;
    if (!is_same)
        p->changed_at_ms = r->now_ms;
    if (p->row_id)
        ++*(is_same ? &r->report->n_unchanged : &r->report->n_modified);
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
