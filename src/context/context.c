// SPDX-License-Identifier: MIT
// A question's context: what is about it, and in which order it is worth its tokens.
//
//   1. definitions of the name that is asked about and of the names that the question says, and what
//      those call
//   2. the best finds, what those call, the types they use, who calls them
//   3. further finds that are not far behind the best, documents, tests
//   4. what they import
//
// One list of pieces with priorities; what fits is for the pack to say.
#include "context/context.h"

#include "base/alloc.h"
#include "base/quota.h"
#include "context/context_gather_priv.h"
#include "query/query_graph.h"
#include "query/query_intent.h"

enum {
    HITS = 15,
    DOCS = 2,            // documents that are looked for when no find is one
    BEST_HITS = 5,       // finds that go before everything that hangs on them
    SUBJECTS = 3,        // definitions of a name that is asked about
    NAMES = 4,           // that the question says
    EXPLAINED = 3,       // pieces whose callers and callees are looked up
    EXPLAINED_NAMED = 5, // when the question says names
    OF_EACH = 6,         // callers, callees and types of one of them
    TESTS = 2            // of one of them
};

// Priorities: first of a group, then by rank. Groups are further apart than ranks go.
enum {
    FIRST_SUBJECT = 0,
    FIRST_NAMED = 10,
    FIRST_OF_NAMED = 35, // what named functions call
    FIRST_BEST = 100,
    FIRST_ASKED = 200, // callers or callees, when they are what is asked for
    FIRST_CALLEE = 300,
    FIRST_TYPE = 400,
    FIRST_CALLER = 500,
    FIRST_FURTHER = 700,
    FIRST_DOC = 800,
    FIRST_TEST = 900,
    FIRST_IMPORT = 1000
};

// A find that is not among the best has at least this share of the best one's similarity.
static const double near_best = 0.5;

typedef struct building {
    context_gather g;
    const ken_cancel *cancel;
    ken_str question;
    ken_intent intent;
    size_t n_named; // pieces that the question names
    ken_context_answer *out;
} building;

// ---- what is about the question ----------------------------------------------------------------

// The definitions of a name, only exact ones but for the first of a name that is asked about.
static ken_status add_name(building *b, ken_str name, uint32_t priority, bool is_subject,
                           ken_err *err)
{
    ken_definition_result found;
    ken_status st = ken_find_definition(
        b->g.s, &(ken_definition_opts){ .name = name, .limit = SUBJECTS }, b->g.arena, &found, err);
    for (size_t i = 0; !st && i < found.n_defs; i++) {
        const ken_definition *d = &found.defs[i];
        if (!d->is_exact && (i > 0 || !is_subject))
            break;
        (void)ken_context__add_definition(&b->g,
                                          &(context_name){ d->path, d->qualified, d->first_line },
                                          KEN_CONTEXT_DEFINITION, priority + (uint32_t)i);
    }
    return st;
}

static ken_status add_subject(building *b, ken_err *err)
{
    ken_str question = b->question, name;
    ken_status st = KEN_OK;
    uint32_t n_names = 0;
    if (b->intent.subject.len)
        st = add_name(b, b->intent.subject, FIRST_SUBJECT, true, err);
    for (size_t at = 0; !st && n_names < NAMES && ken_context__next_name(question, &at, &name);)
        if (!ken_str_eq(name, b->intent.subject))
            st = add_name(b, name, FIRST_NAMED + n_names++ * SUBJECTS, false, err);
    b->n_named = b->g.n_pieces;
    return st;
}

static bool is_document(const ken_hit *h)
{
    return h->chunk_type == KEN_CHUNK_SECTION || h->chunk_type == KEN_CHUNK_LINES;
}

// Code ranks before prose; what a document says of the question is worth reading all the same.
static ken_status add_documents(building *b, ken_search_opts o, ken_err *err)
{
    if (o.chunk_types || o.kind)
        return KEN_OK; // something else is asked for
    ken_search_result found;
    o.chunk_types = 1U << KEN_CHUNK_SECTION;
    o.limit = DOCS;
    ken_status st = ken_search(b->g.s, b->question, &o, b->cancel, b->g.arena, &found, err);
    for (size_t i = 0; !st && i < found.n_hits; i++)
        ken_context__add_hit(&b->g, &found.hits[i], KEN_CONTEXT_DOC, FIRST_DOC + (uint32_t)i);
    return st;
}

static ken_status add_hits(building *b, const ken_search_opts *given, ken_err *err)
{
    bool has_document = false;
    ken_search_opts o = given ? *given : (ken_search_opts){ 0 };
    o.limit = HITS;
    o.offset = 0;
    o.wants_content = o.wants_explain = false;
    ken_search_result found;
    ken_status st = ken_search(b->g.s, b->question, &o, b->cancel, b->g.arena, &found, err);
    if (st)
        return st;
    b->out->strategy = found.strategy;
    b->out->note = found.note;
    for (size_t i = 0; i < found.n_hits; i++) {
        const ken_hit *h = &found.hits[i];
        uint32_t rank = (uint32_t)i;
        if (i >= BEST_HITS && h->similarity < near_best * found.hits[0].similarity)
            continue;
        has_document = has_document || h->chunk_type == KEN_CHUNK_SECTION;
        if (is_document(h))
            ken_context__add_hit(&b->g, h, KEN_CONTEXT_DOC, FIRST_DOC + rank);
        else
            ken_context__add_hit(&b->g, h,
                                 h->symbol.len ? KEN_CONTEXT_DEFINITION : KEN_CONTEXT_MATCH,
                                 (rank < BEST_HITS ? FIRST_BEST : FIRST_FURTHER) + rank);
    }
    return has_document ? KEN_OK : add_documents(b, o, err);
}

// ---- what hangs on it --------------------------------------------------------------------------

// Up to `max` definitions of a list of edges, as the graph ordered them. Those of tests go last.
static void add_edges(building *b, const ken_edge_note *edges, size_t n, ken_context_kind kind,
                      uint32_t priority, size_t max)
{
    for (size_t i = 0; i < n && max > 0; i++) {
        const ken_graph_node *node = &edges[i].node;
        bool is_word = node->kind == KEN_SYMBOL_MACRO && node->last_line < node->first_line + 2;
        if (node->id.file == UINT32_MAX || is_word)
            continue; // outside of the tree; a macro that says no more than its name
        bool is_test = node->is_test || kind == KEN_CONTEXT_TEST;
        const context_name name = { node->path, node->qualified, node->first_line };
        max -= ken_context__add_definition(&b->g, &name, is_test ? KEN_CONTEXT_TEST : kind,
                                           (is_test ? FIRST_TEST : priority) + (uint32_t)i);
    }
}

// False when the graph cannot say anything of it, or it is a test, which is about something else.
static bool add_neighbours(building *b, size_t piece, uint32_t rank)
{
    ken_explanation x;
    ken_str path = b->g.files[b->g.pieces[piece].file].path;
    context_lines own = b->g.own[piece];
    if (ken_explain(b->g.s, path, own.first, own.last, b->cancel, b->g.arena, &x, NULL) ||
        x.symbol.is_test)
        return false;
    bool wants_users = b->intent.kind == KEN_INTENT_FIND_USAGE;
    bool wants_used = b->intent.kind == KEN_INTENT_TRACE_FLOW;
    uint32_t step = rank * 2 * OF_EACH; // those of the best piece first
    add_edges(b, x.callees, x.n_callees, KEN_CONTEXT_CALLEE,
              (piece < b->n_named ? FIRST_OF_NAMED
               : wants_used       ? FIRST_ASKED
                                  : FIRST_CALLEE) +
                  step,
              OF_EACH);
    add_edges(b, x.types, x.n_types, KEN_CONTEXT_TYPE, FIRST_TYPE + step, OF_EACH);
    add_edges(b, x.callers, x.n_callers, KEN_CONTEXT_CALLER,
              (wants_users ? FIRST_ASKED : FIRST_CALLER) + step,
              wants_users ? 2 * OF_EACH : OF_EACH);
    add_edges(b, x.tests, x.n_tests, KEN_CONTEXT_TEST, FIRST_TEST + step, TESTS);
    b->out->n_unresolved += x.n_unresolved;
    return true;
}

// The best pieces so far, once each; they were added in the order of their priority.
static ken_status add_around(building *b, ken_err *err)
{
    size_t n = b->g.n_pieces;
    uint32_t n_explained = 0, most = b->n_named ? EXPLAINED_NAMED : EXPLAINED;
    for (size_t i = 0; i < n && n_explained < most; i++) {
        const ken_context_piece p = b->g.pieces[i];
        if (p.kind != KEN_CONTEXT_DEFINITION)
            continue;
        bool is_known = false;
        for (size_t j = 0; j < i; j++)
            is_known = is_known ||
                       (b->g.pieces[j].file == p.file && b->g.pieces[j].first_line == p.first_line);
        if (is_known || !add_neighbours(b, i, n_explained))
            continue;
        ken_context__add_imports(&b->g, i, FIRST_IMPORT + n_explained);
        n_explained++;
        ken_status st = ken_cancel_check(b->cancel, err);
        if (st || ken_quota_is_settled())
            return st;
    }
    return ken_cancel_check(b->cancel, err);
}

// ---- the whole ---------------------------------------------------------------------------------

static ken_status check_budget(const ken_context_opts *o, uint32_t *out, ken_err *err)
{
    *out = o->max_tokens ? o->max_tokens : KEN_CONTEXT_TOKENS;
    if (*out < KEN_CONTEXT_TOKENS_MIN || *out > KEN_CONTEXT_TOKENS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_tokens: expected %d to %d, got %u",
                        KEN_CONTEXT_TOKENS_MIN, KEN_CONTEXT_TOKENS_MAX, *out);
    return KEN_OK;
}

ken_status ken_build_context(ken_snapshot *s, ken_str question, const ken_context_opts *opts,
                             const ken_cancel *cancel, ken_arena *arena, ken_context_answer *out,
                             ken_err *err)
{
    ken_context_pack_opts pack = { .seen = opts->seen,
                                   .is_priority_order = opts->is_priority_order };
    ken_context_answer answer = { .note = KEN_STR("") };
    building *b = KEN_ARENA_NEW(arena, building);
    ken_quota_offer_part();
    b->g.s = s;
    b->g.arena = arena;
    b->cancel = cancel;
    b->question = question;
    b->out = &answer;
    ken_query_intent(question, &b->intent);
    ken_status st = check_budget(opts, &pack.max_tokens, err);
    if (!st)
        st = add_subject(b, err);
    if (!st)
        st = add_hits(b, opts->search, err);
    if (!st && !ken_quota_is_settled())
        st = add_around(b, err);
    if (b->g.n_pieces && ken_quota_settle(st, err)) // the pieces so far are worth showing
        st = KEN_OK;
    if (st)
        return st;
    const ken_context_input in = { b->g.files, b->g.n_files, b->g.pieces, b->g.n_pieces };
    st = ken_context_pack(&in, &pack, arena, &answer.context, err);
    if (!st)
        *out = answer;
    return st;
}
