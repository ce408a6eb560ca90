// SPDX-License-Identifier: MIT
// ken search
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "query/query_intent.h"

enum {
    WORDS_MAX = 32,
    DIGEST_LINES = 4,
    LINE_COLUMNS = 160,
    PLACES_SHOWN = 5,
    SYMBOLS_SHOWN = 8,
};

// What to highlight: the words of the query, or all of it as it stands.
typedef struct terms {
    ken_str words[WORDS_MAX];
    size_t n;
} terms;

// Words of a question that say nothing about the code.
static bool is_filler(ken_str word)
{
    static const char words[] =
        "and|are|can|does|for|from|has|have|how|into|its|that|the|then|this|was|"
        "what|when|where|which|who|why|with|you";
    return ken_cli__is_word_of(words, word);
}

static terms terms_of(ken_str query, ken_search_mode mode)
{
    terms t = { .n = 0 };
    if (mode == KEN_SEARCH_TEXT || mode == KEN_SEARCH_REGEX) {
        t.words[t.n++] = query;
        return t;
    }
    for (size_t i = 0; i < query.len && t.n < WORDS_MAX;) {
        size_t from = i;
        while (i < query.len && (ken_is_word(query.ptr[i]) || (query.ptr[i] & 0x80)))
            i++;
        ken_str word = ken_str_sub(query, from, i);
        if (word.len >= 3 && !is_filler(word))
            t.words[t.n++] = word;
        i += i == from;
    }
    return t;
}

static bool holds_fold(ken_str line, ken_str word)
{
    for (size_t i = 0; i + word.len <= line.len; i++)
        if (ken_str_eq_fold(ken_str_sub(line, i, i + word.len), word))
            return true;
    return false;
}

static unsigned count_terms(const terms *t, ken_str line)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += holds_fold(line, t->words[i]);
    return n;
}

// ---- one result ----

static void print_line(const cli *x, uint32_t number, ken_str line, const terms *t)
{
    ken_cli__print("  ");
    ken_cli__paint(x, CLI_LINE, "%5" PRIu32, number + 1);
    ken_cli__print("  ");
    ken_cli__print_line(x, line, t->words, t->n, LINE_COLUMNS);
    ken_cli__print("\n");
}

static void print_lines(const cli *x, uint32_t first, ken_str text, const terms *t)
{
    ken_str line;
    while (ken_str_line_next(&text, &line))
        print_line(x, first++, line, t);
}

static uint32_t count_lines(ken_str text)
{
    ken_str line;
    uint32_t n = 0;
    while (ken_str_line_next(&text, &line))
        n++;
    return n;
}

typedef struct digest_line {
    uint32_t number;
    unsigned score;
    ken_str text;
} digest_line;

// Keeps the order of lines; the lowest score goes, of equal ones the last.
static void replace_worst(digest_line *best, digest_line with)
{
    size_t worst = 0;
    for (size_t i = 1; i < DIGEST_LINES; i++)
        if (best[i].score <= best[worst].score)
            worst = i;
    if (with.score <= best[worst].score)
        return;
    memmove(&best[worst], &best[worst + 1], (DIGEST_LINES - worst - 1) * sizeof *best);
    best[DIGEST_LINES - 1] = with;
}

// The lines that say most: the first with text, and those with most words of the query, in order.
static void print_digest(const cli *x, const ken_hit *h, const terms *t)
{
    digest_line best[DIGEST_LINES] = { 0 };
    size_t n = 0;
    ken_str text = h->content, line;
    for (uint32_t number = h->first_line; ken_str_line_next(&text, &line); number++) {
        if (!ken_str_trim(line).len)
            continue;
        digest_line d = { number, n ? count_terms(t, line) : UINT32_MAX, line };
        if (n < DIGEST_LINES)
            best[n++] = d;
        else
            replace_worst(best, d);
    }
    for (size_t i = 0; i < n; i++)
        print_line(x, best[i].number, best[i].text, t);
}

static void print_whole(const cli *x, const ken_hit *h, const terms *t)
{
    uint32_t n_before = count_lines(h->context_before);
    print_lines(x, h->first_line - n_before, h->context_before, t);
    print_lines(x, h->first_line, h->content, t);
    print_lines(x, h->last_line + 1, h->context_after, t);
}

static void print_places(const cli *x, const ken_hit *h, const terms *t)
{
    for (size_t i = 0; i < h->n_places && i < PLACES_SHOWN; i++) {
        const ken_place *p = &h->places[i];
        if (p->text.len) {
            print_line(x, p->first_line, p->text, t);
            continue;
        }
        ken_cli__paint(x, CLI_DIM, "   also  %" PRIu32 "-%" PRIu32 "%s", p->first_line + 1,
                       p->last_line + 1, p->symbol.len ? "  " : "");
        ken_cli__paint_text(x, CLI_DIM, p->symbol);
        ken_cli__print("\n");
    }
    if (h->n_places > PLACES_SHOWN)
        ken_cli__paint(x, CLI_DIM, "   and %zu more here\n", h->n_places - PLACES_SHOWN);
}

static ken_str short_name(ken_str qualified)
{
    size_t dot = ken_str_rfind_char(qualified, '.');
    return dot == SIZE_MAX ? qualified : ken_str_sub(qualified, dot + 1, qualified.len);
}

// The other definitions of the chunk.
static void print_symbols(const cli *x, const ken_hit *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n_symbols; i++) {
        const ken_hit_symbol *s = &h->symbols[i];
        if (ken_str_eq(s->name, h->symbol))
            continue;
        if (n == SYMBOLS_SHOWN) {
            ken_cli__paint(x, CLI_DIM, ", and %zu more", h->n_symbols - i);
            break;
        }
        ken_cli__paint(x, CLI_DIM, n++ ? ", " : "   with  ");
        ken_cli__paint_text(x, CLI_DIM, short_name(s->name));
    }
    ken_cli__print(n ? "\n" : "");
}

static void print_terms(const cli *x, const ken_hit *h)
{
    double sum = 0;
    for (size_t i = 0; i < h->n_terms; i++) {
        const ken_score_term *s = &h->terms[i];
        ken_cli__paint(x, CLI_NOTE, "    %+9.4f", s->points);
        ken_cli__print("  %-24s %.4f x %.4f\n", s->name, s->value, s->weight);
        sum += s->points;
    }
    ken_cli__paint(x, CLI_NOTE, "    %9.4f", h->score);
    ken_cli__print("  score");
    if (sum - h->score > 0.0005 || h->score - sum > 0.0005)
        ken_cli__print("  (terms sum to %.4f)", sum);
    ken_cli__print("\n");
}

static void print_head(const cli *x, const ken_hit *h)
{
    ken_cli__paint_text(x, CLI_PATH, h->path);
    ken_cli__print(":");
    ken_cli__paint(x, CLI_LINE, "%" PRIu32 "-%" PRIu32, h->first_line + 1, h->last_line + 1);
    if (h->symbol.len) {
        ken_cli__print("  %s ", h->kind ? ken_symbol_kind_word(h->kind) : "");
        ken_cli__paint_text(x, CLI_NAME, h->symbol);
    } else {
        ken_cli__print("  %s", ken_chunk_type_word(h->chunk_type));
    }
    ken_cli__paint(x, CLI_DIM, "  %.2f%s", h->similarity, h->is_refreshed ? "  changed since" : "");
    ken_cli__print("\n");
}

static void print_result(const cli *x, const ken_search_result *r, const terms *t, bool is_whole)
{
    for (size_t i = 0; i < r->n_hits; i++) {
        const ken_hit *h = &r->hits[i];
        ken_cli__print(i ? "\n" : "");
        print_head(x, h);
        if (h->n_terms)
            print_terms(x, h);
        if (is_whole)
            print_whole(x, h, t);
        else
            print_digest(x, h, t);
        print_symbols(x, h);
        print_places(x, h, t);
    }
    if (!r->n_hits)
        ken_cli__note(x, "nothing found");
    else if (r->n_total > r->n_hits)
        ken_cli__note(x, "%zu of %zu files; -k and --offset show more", r->n_hits, r->n_total);
    if (r->n_removed)
        ken_cli__note(x, "%zu results left out, their files are gone; to update: ken index",
                      r->n_removed);
    if (r->note.len)
        ken_cli__note(x, KEN_STR_FMT, KEN_STR_ARG(r->note));
    if (r->n_hits && r->fits_nothing)
        ken_cli__note(x, "nothing fits this question (confidence %.2f); this is what is nearest",
                      r->confidence);
    else if (r->has_confidence && x->is_verbose)
        ken_cli__note(x, "confidence %.2f", r->confidence);
    if (x->is_verbose)
        ken_cli__note(x, "strategy: %s", r->strategy);
}

// ---- options ----

ken_status ken_cli__parse_mode(const char *word, ken_search_mode *out)
{
    static const char *const words[] = { "hybrid", "lexical", "semantic", "symbol",
                                         "text",   "regex",   "similar" };
    if (word && !strcmp(word, "auto")) // its name when there was nothing to mix
        word = words[0];
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) {
            *out = (ken_search_mode)i;
            return KEN_OK;
        }
    return word ? KEN_EINVAL : KEN_OK;
}

// --kind names a kind of symbol, else a type of chunk.
static ken_status parse_kind(const char *word, ken_search_opts *o, ken_err *err)
{
    const char *names[(size_t)KEN_SYMBOL_KIND_COUNT + (size_t)KEN_CHUNK_TYPE_COUNT];
    size_t n = 0;
    if (!word)
        return KEN_OK;
    o->kind = ken_symbol_kind_parse(ken_str_c(word));
    if (!o->kind)
        o->chunk_type = ken_chunk_type_parse(ken_str_c(word));
    if (o->kind || o->chunk_type)
        return KEN_OK;
    for (size_t i = 1; i < KEN_SYMBOL_KIND_COUNT; i++)
        names[n++] = ken_symbol_kind_word((ken_symbol_kind)i);
    for (size_t i = 1; i < KEN_CHUNK_TYPE_COUNT; i++)
        names[n++] = ken_chunk_type_word((ken_chunk_type)i);
    const char *near = ken_config_nearest(ken_str_c(word), names, n);
    return KEN_FAIL(err, KEN_EINVAL,
                    "'--kind' cannot be '%.60s'%s%s%s; try function, class, method", word,
                    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ken_str arg_str(const cli *x, const char *name)
{
    const char *value = ken_cli__args_get(&x->args, name);
    return value ? ken_str_c(value) : KEN_STR("");
}

static ken_status parse_file_filters(const cli_args *a, ken_search_opts *o, ken_err *err)
{
    const char *since = ken_cli__args_get(a, "since");
    ken_status st = ken_cli__args_u64(a, "min-size", 0, UINT32_MAX, 0, &o->min_bytes, err);
    if (!st)
        st = ken_cli__args_u64(a, "max-size", 0, UINT32_MAX, 0, &o->max_bytes, err);
    if (!st && since && !ken_clock_parse(ken_str_c(since), ken_clock_wall_ms(), &o->since_ms))
        st = KEN_FAIL(err, KEN_EINVAL,
                      "'--since' cannot be '%.60s'; try 2026-01-31, 2026-01-31T10:00:00Z or 7d",
                      since);
    return st;
}

static ken_status parse_opts(cli *x, ken_search_opts *o, ken_err *err)
{
    uint64_t limit = 0, offset = 0, context = 0;
    const cli_args *a = &x->args;
    ken_status st = ken_cli__args_u64(a, "limit", 1, 50, 0, &limit, err);
    if (!st)
        st = ken_cli__args_u64(a, "offset", 0, 100000, 0, &offset, err);
    if (!st)
        st = ken_cli__args_u64(a, "context", 0, 100, 0, &context, err);
    if (!st)
        st = ken_cli__args_double(a, "threshold", 0, 1, 0, &o->threshold, err);
    if (!st)
        st = parse_kind(ken_cli__args_get(a, "kind"), o, err);
    if (!st)
        st = ken_cli__parse_mode(ken_cli__args_get(a, "mode"), &o->mode);
    if (!st)
        st = parse_file_filters(a, o, err);
    if (ken_cli__args_has(a, "like"))
        o->mode = KEN_SEARCH_SIMILAR;
    o->limit = (uint32_t)limit;
    o->offset = (uint32_t)offset;
    o->context_lines = (uint32_t)context;
    o->file_type = arg_str(x, "type");
    o->directory = arg_str(x, "dir");
    o->glob = arg_str(x, "glob");
    o->language = arg_str(x, "lang");
    o->is_case_sensitive = ken_cli__args_has(a, "case");
    o->wants_explain = ken_cli__args_has(a, "explain");
    o->wants_content = true;
    return st;
}

// What the project's settings and the PATH add.
static ken_status complete_opts(cli *x, const cli_place *place, ken_search_opts *o, ken_err *err)
{
    ken_config *settings = NULL;
    ken_status st = ken_app_load_settings(x->app, &place->project, &settings, err);
    if (st)
        return st;
    if (!o->limit)
        o->limit = (uint32_t)ken_config_u64(settings, KEN_CFG_SEARCH_LIMIT);
    ken_config_free(settings);
    if (place->below.len && o->directory.len)
        return KEN_FAIL(err, KEN_EINVAL, "say the folder as PATH or as --dir, not both");
    if (place->below.len)
        o->directory = place->below;
    return KEN_OK;
}

static void set_given(const cli *x, json_t *args, const char *option, const char *key)
{
    const char *value = ken_cli__args_get(&x->args, option);
    if (value)
        ken_json_set_str(args, key, ken_str_c(value));
}

// As search_code.
static ken_status search_json(cli *x, const cli_place *place, ken_str query,
                              const ken_search_opts *o, ken_err *err)
{
    static const char *const types[] = { "hybrid", "lexical", "semantic", "symbol",
                                         "text",   "regex",   "similar" };
    json_t *args = json_object();
    ken_json_set_str(args, "query", query);
    if (o->mode || ken_cli__args_has(&x->args, "mode"))
        ken_json_set_str(args, "search_type", ken_str_c(types[o->mode]));
    ken_json_set_u64(args, "limit", o->limit);
    ken_json_set_u64(args, "offset", o->offset);
    if (ken_cli__args_has(&x->args, "context"))
        ken_json_set_u64(args, "context_lines", o->context_lines);
    if (o->directory.len)
        ken_json_set_str(args, "directory", o->directory);
    set_given(x, args, "type", "file_type");
    set_given(x, args, "glob", "file_filter");
    set_given(x, args, "lang", "language");
    set_given(x, args, "since", "since");
    if (o->min_bytes)
        ken_json_set_u64(args, "min_size", o->min_bytes);
    if (o->max_bytes)
        ken_json_set_u64(args, "max_size", o->max_bytes);
    if (o->kind)
        ken_json_set_str(args, "kind", ken_str_c(ken_symbol_kind_word(o->kind)));
    if (o->chunk_type) {
        json_t *list = json_array();
        ken_json_append(list, ken_json_str(ken_str_c(ken_chunk_type_word(o->chunk_type))));
        ken_json_set(args, "chunk_type", list);
    }
    if (o->threshold > 0)
        ken_json_set_real(args, "similarity_threshold", o->threshold);
    ken_json_set_bool(args, "case_sensitive", o->is_case_sensitive);
    ken_json_set_bool(args, "explain", o->wants_explain);
    return ken_cli__print_tool(x, "search_code", &place->project, args, err);
}

// The command that answers such a question better.
static void note_intent(const cli *x, ken_str query)
{
    ken_intent it;
    ken_query_intent(query, &it);
    ken_str s = it.subject;
    if (it.kind == KEN_INTENT_ARCHITECTURAL)
        ken_cli__note(x, "the whole at a glance: ken arch");
    if (!s.len)
        return;
    if (it.kind == KEN_INTENT_FIND_USAGE)
        ken_cli__note(x, "every use: ken refs " KEN_STR_FMT, KEN_STR_ARG(s));
    else if (it.kind == KEN_INTENT_TRACE_FLOW)
        ken_cli__note(x, "as a tree: ken trace " KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(s),
                      it.to.len ? " --to " : "", KEN_STR_ARG(it.to));
    else if (it.kind == KEN_INTENT_FIND_DEFINITION)
        ken_cli__note(x, "its code: ken def " KEN_STR_FMT, KEN_STR_ARG(s));
}

static ken_status search_text(cli *x, ken_snapshot *s, ken_str query, const ken_search_opts *opts,
                              ken_err *err)
{
    ken_search_result result = { 0 };
    ken_status st = ken_search(s, query, opts, x->cancel, &x->arena, &result, err);
    st = ken_cli__check_answer(s, st, err);
    if (st)
        return st;
    ken_search_opts filters = *opts;
    if (opts->mode <= KEN_SEARCH_SYMBOL &&
        ken_query_parse(query, opts, &x->arena, &query, &filters, NULL))
        query = KEN_STR(""); // it was searched for, so this does not happen
    terms t = terms_of(query, opts->mode);
    print_result(x, &result, &t, ken_cli__args_has(&x->args, "context"));
    if (opts->mode == KEN_SEARCH_AUTO && filters.mode == KEN_SEARCH_AUTO)
        note_intent(x, query);
    return KEN_OK;
}

ken_status ken_cli__run_search(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_snapshot *s = NULL;
    ken_search_opts opts = { 0 };
    ken_str query = ken_str_c(x->args.words[0]);
    ken_status st = parse_opts(x, &opts, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    if (!st)
        st = complete_opts(x, &place, &opts, err);
    if (!st)
        st = ken_cli__open_place(x, &place, !ken_cli__args_has(&x->args, "no-index"), &s, err);
    if (!st && !x->is_json)
        st = search_text(x, s, query, &opts, err);
    ken_cli__close_place(x, &place, s);
    if (!st && x->is_json)
        st = search_json(x, &place, query, &opts, err);
    return st;
}
