// SPDX-License-Identifier: MIT
// A ranked question to several snapshots, in steps; after each of them something is known of all:
//   open    the snapshot is pinned, its vectors are loaded   → average lengths, the largest program, the model
//   read    posting lists, names and vectors are looked at   → how many files have each word, define each name
//   rank    all files are scored but for their chunks        → the best files of all snapshots
//   score   the chunks of those are scored                   → the order
// Each step is done for all snapshots at once. A snapshot that was closed in between, because more may not be
// open, does the steps before again: then it is at the same generation, or is left out.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/best.h"
#include "base/clock.h"
#include "query/query_intent.h"
#include "query/query_wide.h"
#include "query/search/ranked_priv.h"

typedef enum wide_step {
    STEP_NONE = 0,
    STEP_OPEN,
    STEP_READ,
    STEP_RANK,
    STEP_SCORE,
    STEP_ASK, // not ranked: the whole question
} wide_step;

typedef struct wide_member {
    ken_snapshot *s; // NULL = not open
    wide_step step;  // that was done since it was opened
    uint64_t generation;
    ken_err failure;
    ken_arena arena;
    query_search x;
    query_wide found;
    query_candidate *best; // after STEP_RANK
    size_t n_best;
    uint32_t *chosen; // of them, those that are among the best of all
    size_t n_chosen;
    query_ranked_file *ranked;            // after STEP_SCORE
    ken_search_result asked;              // after STEP_ASK
    int64_t named_file;                   // that is the definition asked for; -1 = none
    char model[KEN_VECTOR_MODEL_MAX + 1]; // of its vectors, and how many
    uint32_t n_rows, n_dims;
} wide_member;

struct ken_wide {
    const ken_wide_host *host; // borrowed, outlives us
    wide_member *members;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_search_opts o;
    ken_str query; // with its filters, for STEP_ASK
    ken_lex_query q;
    query_search x; // what the question is, for whatever snapshot
    ken_lex_totals all;
    uint32_t most_lines;
    uint32_t n_defining[KEN_QUERY_NAMES];
    char model[KEN_VECTOR_MODEL_MAX + 1]; // whose vectors are compared
    uint32_t n_dims;                      // of them; 0 = no vectors are
    ken_quota_limits limits;              // of a job that opens
};

ken_wide *ken_wide_new(const ken_wide_host *host)
{
    ken_wide *w = ken_zalloc(sizeof *w);
    w->host = host;
    w->members = ken_zalloc(ken_mul_size(host->n + 1, sizeof *w->members));
    for (size_t i = 0; i < host->n; i++)
        ken_arena_init(&w->members[i].arena, 0);
    return w;
}

static void close_member(ken_wide *w, size_t i)
{
    wide_member *m = &w->members[i];
    if (m->s)
        w->host->close(w->host->ctx, i, m->s);
    m->s = NULL;
    m->step = STEP_NONE;
}

void ken_wide_free(ken_wide *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->host->n; i++) {
        wide_member *m = &w->members[i];
        close_member(w, i);
        ken_vec_release(&m->found.defining);
        ken_arena_release(&m->arena);
    }
    ken_free(w->members);
    ken_free(w);
}

const ken_err *ken_wide_failure(const ken_wide *w, size_t i)
{
    return &w->members[i].failure;
}

// ---- what all have together --------------------------------------------------------------------

static bool is_same_whole(const ken_lex_totals *a, const ken_lex_totals *b)
{
    bool is_same = a->n_files == b->n_files && a->n_chunks == b->n_chunks;
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        is_same = is_same && a->sum_len[f] == b->sum_len[f];
    return is_same;
}

// The snapshot's corpus and sizes as all together have them. They are kept: most questions are put to the same.
static void widen(ken_wide *w, ken_snapshot *s)
{
    query_widened *v = &s->widened;
    if (v->size && is_same_whole(&v->whole, &w->all) && v->most_lines == w->most_lines)
        return;
    ken_account *counted = ken_quota_exempt();
    ken_query__forget_widened(s);
    ken_arena_init(&v->arena, 0);
    v->whole = w->all;
    v->most_lines = w->most_lines;
    ken_lex_corpus_widen(&s->corpus, &w->all, &v->arena, &v->corpus);
    v->size = ken_query__sizes(s, w->most_lines, &v->arena);
    ken_quota_count(counted);
}

// ---- the steps of one snapshot ------------------------------------------------------------------

static bool is_ranked(const ken_search_opts *o)
{
    return o->mode == KEN_SEARCH_AUTO || o->mode == KEN_SEARCH_LEXICAL ||
           o->mode == KEN_SEARCH_SEMANTIC;
}

static ken_status open_member(ken_wide *w, size_t i, ken_err *err)
{
    wide_member *m = &w->members[i];
    ken_account *counted = ken_quota_exempt(); // it stays with the index, for other questions
    ken_status st = w->host->open(w->host->ctx, i, &m->s, err);
    ken_quota_count(counted);
    if (st)
        return st;
    uint64_t now = ken_snapshot_generation(m->s);
    if (m->generation && m->generation != now)
        return KEN_FAIL(err, KEN_EBUSY, "its index was changed while it was asked; ask again");
    m->generation = now;
    bool needs_vectors = is_ranked(&w->o) && w->o.mode != KEN_SEARCH_LEXICAL;
    return needs_vectors ? ken_query__load_vectors(m->s, err) : KEN_OK;
}

static bool has_vectors(const ken_wide *w, const ken_snapshot *s)
{
    return w->n_dims && s->vectors.matrix.n_rows && s->vectors.matrix.n_dims == w->n_dims &&
           strcmp(s->model, w->model) == 0;
}

static ken_status read_member(ken_wide *w, wide_member *m, ken_err *err)
{
    ken_snapshot *s = m->s;
    widen(w, s);
    uint32_t number = m->x.number;
    m->x = w->x;
    m->x.number = number;
    m->x.s = s;
    m->x.corpus = &s->widened.corpus;
    m->x.size = s->widened.size;
    m->x.wide = &m->found;
    m->x.arena = &m->arena;
    if (s->is_about_tests)
        m->x.waived &= ~(uint32_t)KEN_WAIVED_HALF_TEST;
    ken_vec_clear(&m->found.defining);
    ken_status st = ken_lex_read_files(m->x.corpus, m->x.q, s->paths, w->cancel, &s->scores, err);
    if (!st)
        st = ken_query__find_definitions(&m->x, err);
    if (!st)
        st = ken_query__find_named(&m->x, err);
    if (!st && has_vectors(w, s))
        ken_query__find_near(&m->x);
    return st;
}

static ken_status rank_member(ken_wide *w, wide_member *m, ken_err *err)
{
    ken_lex_fold_files(m->x.q, m->s->paths, &w->all, &m->s->scores);
    ken_query__settle_definitions(&m->x, w->n_defining);
    if (m->named_file >= 0)
        ken_query__set_named(&m->x, (uint32_t)m->named_file);
    ken_query__touch_near(&m->x);
    m->best = KEN_ARENA_ARRAY(&m->arena, query_candidate, QUERY_CHOSEN);
    m->n_best = ken_query__choose(&m->x, m->best);
    return ken_quota_check(err);
}

static ken_status score_member(wide_member *m, ken_err *err)
{
    m->ranked = KEN_ARENA_ARRAY(&m->arena, query_ranked_file, m->n_chosen + 1);
    return ken_query__rank_chosen(&m->x, m->chosen, m->n_chosen, m->ranked, err);
}

// Its hits outlive its snapshot.
static ken_status ask_member(ken_wide *w, wide_member *m, ken_err *err)
{
    ken_status st = ken_search(m->s, w->query, &w->o, w->cancel, &m->arena, &m->asked, err);
    for (size_t i = 0; !st && i < m->asked.n_hits; i++)
        m->asked.hits[i].path = ken_arena_dup(&m->arena, m->asked.hits[i].path);
    return st;
}

static ken_status do_step(ken_wide *w, size_t i, wide_step step, ken_err *err)
{
    wide_member *m = &w->members[i];
    switch (step) {
    case STEP_OPEN:
        return open_member(w, i, err);
    case STEP_READ:
        return read_member(w, m, err);
    case STEP_RANK:
        return rank_member(w, m, err);
    case STEP_SCORE:
        return score_member(m, err);
    case STEP_ASK:
        return ask_member(w, m, err);
    case STEP_NONE:
    default:
        return KEN_OK;
    }
}

static wide_step step_after(wide_step done, wide_step goal)
{
    return done == STEP_OPEN && goal == STEP_ASK ? STEP_ASK : done + 1;
}

// Brings the snapshot to where it has done `goal`. A failure is its own.
static void bring(ken_wide *w, size_t i, wide_step goal)
{
    wide_member *m = &w->members[i];
    ken_status st = m->failure.status;
    while (!st && m->step < goal) {
        wide_step next = step_after(m->step, goal);
        st = do_step(w, i, next, &m->failure);
        if (!st)
            m->step = next;
    }
    if (st && !m->failure.status)
        m->failure.status = st;
}

// A damaged page is remembered by the thread that met it.
static void take_damage(ken_err *failure)
{
    ken_arena arena;
    ken_str path;
    ken_arena_init(&arena, 1024);
    if (!failure->status)
        failure->status = ken_store_find_damage(&arena, &path, failure);
    ken_store_forget_damage();
    ken_arena_release(&arena);
}

typedef struct wide_jobs {
    ken_wide *w;
    const size_t *members;
    wide_step goal;
    ken_quota_jobs quota;
} wide_jobs;

// On a thread that may have no question of its own: what it may take is that of the question, of which all jobs take;
// but opening is no cost of a question.
static void run_job(void *arg, size_t k)
{
    wide_jobs *jobs = arg;
    ken_quota quota;
    if (jobs->goal == STEP_OPEN)
        ken_quota_begin(&quota, &jobs->w->limits, jobs->w->cancel);
    else
        ken_quota_begin_job(&quota, &jobs->quota);
    bring(jobs->w, jobs->members[k], jobs->goal);
    take_damage(&jobs->w->members[jobs->members[k]].failure);
    ken_quota_end(&quota);
}

// ---- one step of all ----------------------------------------------------------------------------

typedef void wide_gather(ken_wide *w, size_t i);

static void run_jobs(ken_wide *w, const size_t *members, size_t n, wide_step goal)
{
    wide_jobs jobs = { .w = w, .members = members, .goal = goal };
    const ken_quota *q = ken_quota_now();
    w->limits = q ? q->limits : (ken_quota_limits){ 0 };
    if (goal == STEP_OPEN) {
        ken_quota *paused = ken_quota_pause();
        w->host->each(w->host->ctx, n, run_job, &jobs);
        ken_quota_resume(paused);
        return;
    }
    ken_quota_open_jobs(&jobs.quota, w->cancel);
    w->host->each(w->host->ctx, n, run_job, &jobs);
    ken_quota_close_jobs(&jobs.quota);
}

// It has no part in the answer: others may have its memory.
static void leave_out(ken_wide *w, size_t i)
{
    wide_member *m = &w->members[i];
    close_member(w, i);
    ken_vec_release(&m->found.defining);
    ken_arena_release(&m->arena);
    ken_arena_init(&m->arena, 0);
}

// Whether the step has anything to do there.
static bool has_part(const wide_member *m, wide_step goal)
{
    return !m->failure.status && (goal != STEP_SCORE || m->n_chosen);
}

// Does a step for all, as many at once as may be open; `gather` takes what is known of each, in order.
static ken_status do_all(ken_wide *w, wide_step goal, wide_gather *gather, ken_err *err)
{
    size_t n = w->host->n, most = w->host->max_open;
    size_t *at = KEN_ARENA_ARRAY(w->arena, size_t, n + 1), n_at = 0;
    for (size_t i = 0; i < n; i++)
        if (has_part(&w->members[i], goal))
            at[n_at++] = i;
        else if (n > most)
            close_member(w, i);
    for (size_t from = 0; from < n_at; from += most) {
        size_t k = n_at - from < most ? n_at - from : most;
        for (size_t i = 0; from && i < from; i++)
            close_member(w, at[i]);
        for (size_t i = from + k; i < n_at; i++)
            close_member(w, at[i]);
        run_jobs(w, at + from, k, goal);
        for (size_t i = from; i < from + k; i++) {
            if (w->members[at[i]].failure.status)
                leave_out(w, at[i]);
            else if (gather)
                gather(w, at[i]);
        }
        ken_status st = ken_cancel_check(w->cancel, err);
        if (st)
            return st;
    }
    return KEN_OK;
}

static void gather_corpus(ken_wide *w, size_t i)
{
    const ken_snapshot *s = w->members[i].s;
    ken_lex_totals_add_corpus(&w->all, &s->corpus);
    w->most_lines = s->most_lines > w->most_lines ? s->most_lines : w->most_lines;
}

static void gather_terms(ken_wide *w, size_t i)
{
    wide_member *m = &w->members[i];
    ken_lex_totals_add_terms(&w->all, &w->q, &m->s->scores);
    for (size_t k = 0; k < m->found.defining.len; k++)
        w->n_defining[m->found.defining.ptr[k].name]++;
}

// One file of all snapshots, as in one.
static void settle_named(ken_wide *w)
{
    query_named all = { 0 };
    for (size_t i = 0; i < w->host->n; i++) {
        const query_named *n = &w->members[i].found.named;
        w->members[i].named_file = -1;
        if (w->members[i].failure.status)
            continue;
        all.n_main += n->n_main;
        all.n_aside += n->n_aside;
        all.has_variants = all.has_variants || n->has_variants;
    }
    for (size_t i = 0; i < w->host->n; i++) {
        wide_member *m = &w->members[i];
        query_named mine = all;
        mine.main = m->found.named.main;
        mine.aside = m->found.named.aside;
        bool has_it = all.n_main ? m->found.named.n_main : m->found.named.n_aside;
        if (has_it && !m->failure.status)
            m->named_file = ken_query__named_file(&mine);
    }
}

// ---- meaning ------------------------------------------------------------------------------------

typedef struct wide_model {
    char name[KEN_VECTOR_MODEL_MAX + 1];
    uint32_t n_dims;
    uint64_t n_rows;
} wide_model;

static void gather_opened(ken_wide *w, size_t i)
{
    wide_member *m = &w->members[i];
    const ken_vector_matrix *v = &m->s->vectors.matrix;
    gather_corpus(w, i);
    memcpy(m->model, m->s->model, sizeof m->model);
    m->n_rows = v->n_rows;
    m->n_dims = v->n_rows ? v->n_dims : 0;
}

static bool is_same_model(const wide_member *a, const wide_member *b)
{
    return a->n_dims == b->n_dims && strcmp(a->model, b->model) == 0;
}

static const char *model_text(const wide_member *m)
{
    return m->model[0] ? m->model : "the built-in model";
}

// The snapshot whose model most vectors are of; NULL when there are none. `out_other`: one of another model.
static wide_member *find_model(ken_wide *w, wide_member **out_other)
{
    wide_member *best = NULL;
    uint64_t most = 0;
    *out_other = NULL;
    for (size_t i = 0; i < w->host->n; i++) {
        wide_member *m = &w->members[i];
        uint64_t n = 0;
        for (size_t k = 0; k < w->host->n; k++)
            n += is_same_model(m, &w->members[k]) ? w->members[k].n_rows : 0;
        if (m->n_rows && n > most) {
            best = m;
            most = n;
        }
    }
    for (size_t i = 0; best && i < w->host->n && !*out_other; i++)
        if (w->members[i].n_rows && !is_same_model(best, &w->members[i]))
            *out_other = &w->members[i];
    return best;
}

// By meaning alone only what one model has read can be compared.
static void leave_out_others(ken_wide *w, const wide_member *best)
{
    for (size_t i = 0; i < w->host->n; i++) {
        wide_member *m = &w->members[i];
        if (!m->n_rows || is_same_model(best, m) || m->failure.status)
            continue;
        (void)KEN_FAIL(&m->failure, KEN_EUNSUPPORTED,
                       "its vectors are of %s, the question's of %s: search it alone",
                       model_text(m), model_text(best));
        close_member(w, i);
    }
}

// The question's vector, once for all. Snapshots with vectors of different models are ranked by words.
static ken_status embed(ken_wide *w, ken_str text, ken_err *err)
{
    wide_member *other = NULL, *best = find_model(w, &other);
    bool is_alone = w->o.mode == KEN_SEARCH_SEMANTIC, has = false;
    if (w->o.mode == KEN_SEARCH_LEXICAL || !best)
        return KEN_OK;
    if (other && is_alone)
        leave_out_others(w, best);
    if (other && !is_alone) {
        w->x.note = ken_arena_printf(w->arena,
                                     "ranked by words alone: the projects have vectors of "
                                     "different models, %s and %s",
                                     model_text(best), model_text(other));
        return KEN_OK;
    }
    bring(w, (size_t)(best - w->members), STEP_OPEN);
    if (!best->s)
        return KEN_OK;
    ken_err e = { 0 };
    int64_t began = ken_clock_mono_ns();
    ken_status st = ken_query__embed(best->s, text, w->cancel, &has, &w->x.meaning, &e);
    w->x.times.embedding_ns = ken_clock_mono_ns() - began;
    if (has)
        w->n_dims = best->n_dims;
    if (has)
        memcpy(w->model, best->model, sizeof w->model);
    if (st && st != KEN_ECANCELLED && !is_alone) {
        w->x.note = ken_arena_printf(w->arena, "ranked by words alone: %s", e.msg);
        return KEN_OK;
    }
    if (st && err)
        *err = e;
    return st;
}

// ---- the best of all ----------------------------------------------------------------------------

static bool is_worse(const void *pa, const void *pb)
{
    const query_candidate *a = pa, *b = pb;
    return a->score != b->score ? a->score < b->score
           : a->at != b->at     ? a->at > b->at
                                : a->file > b->file;
}

// Those that have their chunks scored, each with its snapshot.
static void choose(ken_wide *w)
{
    query_candidate heap[QUERY_CHOSEN];
    size_t n = 0;
    for (size_t i = 0; i < w->host->n; i++) {
        wide_member *m = &w->members[i];
        m->chosen = KEN_ARENA_ARRAY(w->arena, uint32_t, QUERY_CHOSEN);
        for (size_t k = 0; !m->failure.status && k < m->n_best; k++) {
            query_candidate c = { m->best[k].score, m->best[k].file, (uint32_t)i };
            if (n < QUERY_CHOSEN || is_worse(&heap[0], &c))
                ken_best_offer(heap, &n, QUERY_CHOSEN, sizeof c, is_worse, &c);
        }
    }
    for (size_t i = 0; i < n; i++) {
        wide_member *m = &w->members[heap[i].at];
        m->chosen[m->n_chosen++] = heap[i].file;
    }
}

static int by_score(const void *a, const void *b)
{
    const query_ranked_file *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->of->number != y->of->number)
        return x->of->number < y->of->number ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static void order(ken_wide *w, query_ranking *out)
{
    out->files = KEN_ARENA_ARRAY(w->arena, query_ranked_file, QUERY_CHOSEN + 1);
    for (size_t i = 0; i < w->host->n; i++) {
        const wide_member *m = &w->members[i];
        for (size_t k = 0; !m->failure.status && k < m->n_chosen; k++)
            out->files[out->n_files++] = m->ranked[k];
    }
    if (out->n_files)
        qsort(out->files, out->n_files, sizeof *out->files, by_score);
}

static void make_room(ken_wide *w, size_t wanted)
{
    size_t n_open = 0;
    for (size_t i = 0; i < w->host->n; i++)
        n_open += i != wanted && w->members[i].s;
    for (size_t i = 0; i < w->host->n && n_open >= w->host->max_open; i++) {
        if (i == wanted || !w->members[i].s)
            continue;
        close_member(w, i);
        n_open--;
    }
}

// Before one of its files is opened: room is made for a snapshot that is not open any more.
static bool bring_again(void *ctx, query_search *of)
{
    ken_wide *w = ctx;
    wide_member *m = &w->members[of->number];
    if (m->step == STEP_SCORE)
        return true;
    make_room(w, of->number);
    bring(w, of->number, STEP_SCORE);
    return !m->failure.status;
}

ken_snapshot *ken_wide_reopen(ken_wide *w, size_t i)
{
    wide_member *m = &w->members[i];
    if (!m->s && !m->failure.status) {
        make_room(w, i);
        bring(w, i, STEP_OPEN);
    }
    return m->failure.status ? NULL : m->s;
}

static ken_status rank(ken_wide *w, ken_str text, query_ranking *out, ken_err *err)
{
    ken_search_times *t = &w->x.times;
    t->began_ns = ken_clock_mono_ns();
    ken_status st = embed(w, text, err);
    if (!st)
        st = do_all(w, STEP_READ, gather_terms, err);
    if (st)
        return st;
    settle_named(w);
    t->words_ns = ken_clock_mono_ns() - t->began_ns - t->embedding_ns;
    st = do_all(w, STEP_RANK, NULL, err);
    if (st)
        return st;
    choose(w);
    st = do_all(w, STEP_SCORE, NULL, err);
    if (!st)
        order(w, out);
    t->ranking_ns = ken_clock_mono_ns() - t->began_ns - t->words_ns - t->embedding_ns;
    return st;
}

static ken_status ask_ranked(ken_wide *w, ken_str text, ken_search_result *out, ken_err *err)
{
    query_ranking r = { .o = &w->o, .arena = w->arena, .bring = bring_again, .ctx = w };
    ken_status st = rank(w, text, &r, err);
    if (st)
        return st;
    int64_t ranked = ken_clock_mono_ns();
    *out = (ken_search_result){ .hits = KEN_ARENA_ARRAY(w->arena, ken_hit, ken_query__limit(&w->o)),
                                .strategy = ken_query__strategy(&w->o),
                                .note = w->x.note,
                                .times = w->x.times };
    if (w->o.mode == KEN_SEARCH_AUTO && w->n_dims && !w->model[0])
        ken_query__set_confidence(&r, out);
    st = ken_query__show(&r, out, err);
    out->times.quoting_ns = ken_clock_mono_ns() - ranked;
    return st;
}

// ---- what is not ranked -------------------------------------------------------------------------

// Equally like: in the order of the snapshots, and each one's in its own.
static void insert(ken_hit *hits, size_t *n, size_t most, const ken_hit *h)
{
    size_t at = *n;
    while (at && hits[at - 1].similarity < h->similarity)
        at--;
    if (at == most)
        return;
    *n -= *n == most;
    memmove(&hits[at + 1], &hits[at], (*n - at) * sizeof *hits);
    hits[at] = *h;
    ++*n;
}

static ken_status ask_each(ken_wide *w, ken_search_result *out, ken_err *err)
{
    uint32_t offset = w->o.offset, limit = ken_query__limit(&w->o);
    size_t most = (size_t)offset + limit, n = 0, n_offered = 0;
    w->o.offset = 0;
    w->o.limit = (uint32_t)most;
    ken_status st = do_all(w, STEP_ASK, NULL, err);
    if (st)
        return st;
    ken_hit *hits = KEN_ARENA_ARRAY(w->arena, ken_hit, most + 1);
    *out = (ken_search_result){ .hits = hits };
    for (size_t i = 0; i < w->host->n; i++) {
        const ken_search_result *r = &w->members[i].asked;
        if (w->members[i].failure.status)
            continue;
        for (size_t k = 0; k < r->n_hits; k++) {
            r->hits[k].member = (uint32_t)i;
            insert(hits, &n, most, &r->hits[k]);
        }
        n_offered += r->n_hits;
        out->n_total += r->n_total;
        out->n_removed += r->n_removed;
        out->is_at_least = out->is_at_least || r->is_at_least;
        out->is_truncated = out->is_truncated || r->is_truncated;
        out->strategy = r->strategy;
    }
    out->is_truncated = out->is_truncated || n_offered > n;
    out->hits += n < offset ? n : offset;
    out->n_hits = n < offset ? 0 : n - offset;
    w->o.offset = offset;
    return KEN_OK;
}

static ken_status ask_as_text(ken_wide *w, ken_search_result *out, ken_err *err)
{
    w->query = w->o.phrases.texts[0];
    w->o.mode = KEN_SEARCH_TEXT;
    return ask_each(w, out, err);
}

static ken_status ask(ken_wide *w, ken_str query, ken_search_result *out, ken_err *err)
{
    w->x.o = &w->o;
    w->x.q = &w->q;
    ken_str text = query;
    if (is_ranked(&w->o))
        text = ken_query__read_question(&w->x, query, &w->q);
    bool has_words = w->o.mode == KEN_SEARCH_SEMANTIC || w->q.n_terms;
    if (w->o.mode == KEN_SEARCH_SEMANTIC)
        w->q = (ken_lex_query){ 0 };
    if (!is_ranked(&w->o) || !has_words)
        return ask_each(w, out, err);
    ken_status st = ask_ranked(w, text, out, err);
    bool is_quoted = w->o.phrases.n && !w->o.offset && w->o.mode == KEN_SEARCH_AUTO;
    return !st && !out->n_hits && is_quoted ? ask_as_text(w, out, err) : st;
}

ken_status ken_wide_search(ken_wide *w, ken_str query, const ken_search_opts *opts,
                           const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                           ken_err *err)
{
    w->cancel = cancel;
    w->arena = arena;
    ken_status st = ken_query__read_search(&query, opts, arena, &w->o, err);
    if (st)
        return st;
    if (w->o.mode == KEN_SEARCH_SIMILAR)
        return KEN_FAIL(err, KEN_EINVAL,
                        "search_type: what is similar is found in one project; name it");
    w->query = query;
    w->o.is_verbatim = true; // the filters among the words were taken out
    for (size_t i = 0; i < w->host->n; i++)
        w->members[i].x.number = (uint32_t)i;
    st = do_all(w, STEP_OPEN, gather_opened, err);
    return st ? st : ask(w, query, out, err);
}
