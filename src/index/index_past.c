// SPDX-License-Identifier: MIT
// index_past.c -- the contents that files had before. What the run must know of them is asked for many at once: each
// question may be a round trip to a database.
#include <string.h>

#include "index/index_run_priv.h"

enum {
    PAST_MOST = 512, // of one question
    NO_FILE = -1,
};

static ken_status fail_absent(int64_t content, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT,
                    "the index has no content %lld, which a file has: run ken index --force",
                    (long long)content);
}

static void settle_file(index_run *r, const index_past *past, const ken_content_mark *mark)
{
    index_planned *p = &r->plan[past->file];
    bool is_same = mark->info.id && !memcmp(&mark->sha, &past->sha, sizeof past->sha);
    p->is_modified = !is_same;
    if (!is_same)
        p->changed_at_ms = r->now_ms;
    ++*(is_same ? &r->report->n_unchanged : &r->report->n_modified);
}

ken_status ken_index__settle_past(index_run *r, ken_err *err)
{
    int64_t ids[PAST_MOST];
    ken_content_mark marks[PAST_MOST];
    size_t n = r->past.len;
    for (size_t i = 0; i < n; i++)
        ids[i] = r->past.ptr[i].content;
    ken_status st = n ? ken_store_load_marks(r->store, ids, n, marks, err) : KEN_OK;
    for (size_t i = 0; i < n && !st; i++) {
        const index_past *past = &r->past.ptr[i];
        if (past->file != NO_FILE)
            settle_file(r, past, &marks[i]);
        if (past->is_lost && !marks[i].info.id)
            st = fail_absent(past->content, err);
        else if (past->is_lost)
            ken_index__count(&r->lost, &marks[i].info);
    }
    ken_vec_clear(&r->past);
    return st;
}

static ken_status gather(index_run *r, const index_past *past, ken_err *err)
{
    ken_vec_push(&r->past, *past);
    return r->past.len < PAST_MOST ? KEN_OK : ken_index__settle_past(r, err);
}

ken_status ken_index__count_lost(index_run *r, int64_t content, ken_err *err)
{
    const index_past past = { .content = content, .file = NO_FILE, .is_lost = true };
    return r->trusts_old ? gather(r, &past, err) : KEN_OK;
}

ken_status ken_index__compare_past(index_run *r, const index_slot *s, int64_t content, ken_err *err)
{
    const index_past past = {
        .content = content, .file = (int64_t)s->file, .sha = s->key.sha, .is_lost = r->trusts_old
    };
    return gather(r, &past, err);
}
