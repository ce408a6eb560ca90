// SPDX-License-Identifier: MIT
// ken eval -- how well search finds what people say it should find.
//
// Each dataset's root, or with --whole its whole checkout, is indexed on its own, incrementally, in
// a data folder that is kept apart from the person's. Every query is asked verbatim with the product's defaults, twice: the first
// answer is measured, the second is timed. Figures are means over a dataset's queries, then over
// datasets; by category they are means over all queries.
#include <inttypes.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cli/cli_eval_priv.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    DATASET_BYTES_MAX = 16 * 1024 * 1024,
    EVAL_RANKS = 10,
    CATEGORIES_MAX = 16,
    FAILURE_RESULTS = 5,
};
static const double failure_below = 0.5;

typedef struct figures {
    double ndcg, mrr, recall; // sums until the mean is taken
    size_t n;
} figures;

typedef struct dataset {
    ken_str name, root, path;
    const json_t *queries;
    figures sum;
    KEN_VEC(double) ms; // latencies
    uint64_t n_files;
    int64_t index_ms;
} dataset;

typedef struct eval {
    cli *x;
    ken_app *app;
    ken_search_opts opts;
    const char *category; // NULL = all
    bool wants_failures, wants_tokens, is_forced;
    bool is_whole;           // index the checkout, not only the dataset's root
    KEN_VEC(json_t *) files; // own the texts of the datasets
    KEN_VEC(dataset) sets;
    KEN_VEC(double) ms, tokens; // tokens: of each query, with --tokens
    struct {
        ken_str name;
        figures sum;
    } categories[CATEGORIES_MAX];
    size_t n_categories;
} eval;

// Adds the means (or the figures of one query) in `more`, as one.
static void add_figures(figures *f, figures more)
{
    f->ndcg += more.ndcg;
    f->mrr += more.mrr;
    f->recall += more.recall;
    f->n++;
}

static figures mean_of(figures f)
{
    double n = f.n ? (double)f.n : 1;
    return (figures){ f.ndcg / n, f.mrr / n, f.recall / n, f.n };
}

static figures *category_of(eval *e, ken_str name)
{
    for (size_t i = 0; i < e->n_categories; i++)
        if (ken_str_eq(e->categories[i].name, name))
            return &e->categories[i].sum;
    if (e->n_categories == CATEGORIES_MAX)
        return &e->categories[CATEGORIES_MAX - 1].sum;
    e->categories[e->n_categories].name = name;
    return &e->categories[e->n_categories++].sum;
}

// ---- datasets ----

static ken_status load_dataset(eval *e, const char *path, ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(DATASET_BYTES_MAX + 2);
    json_t *json = NULL;
    dataset d = { .path = ken_str_c(path) };
    ken_status st = ken_fs_read_own(path, DATASET_BYTES_MAX, &text, err);
    if (!st)
        st = ken_json_parse(ken_buf_str(&text), &json, err);
    ken_buf_release(&text);
    if (!st && !json_is_object(json))
        st = KEN_FAIL(err, KEN_EINVAL, "a dataset is a JSON object");
    if (!st)
        st = ken_json_read_str(json, "dataset", "name", &d.name, err);
    if (!st)
        st = ken_json_read_str(json, "dataset", "root", &d.root, err);
    d.queries = json_object_get(json, "queries");
    if (!st && !json_is_array(d.queries))
        st = KEN_FAIL(err, KEN_EINVAL, "dataset.queries is missing");
    if (!d.name.len)
        d.name = ken_path_stem(ken_str_c(path));
    if (json)
        ken_vec_push(&e->files, json);
    if (st)
        return ken_err_wrap(err, "dataset '%s'", path);
    ken_vec_push(&e->sets, d);
    return KEN_OK;
}

// ---- one query ----

enum {
    TARGETS_MAX = 256
};

typedef struct question {
    ken_str text, category;
    cli_target targets[TARGETS_MAX];
    size_t n_targets, n_relevant; // the relevant ones come first
    cli_ranked ranked[EVAL_RANKS];
    size_t n_ranked;
} question;

// The texts of `query[key]`, below the folder `dir`, added as targets.
static ken_status add_targets(eval *e, const json_t *query, const char *key, ken_str dir,
                              question *q, ken_err *err)
{
    const json_t *list = json_object_get(query, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_string(item))
            return KEN_FAIL(err, KEN_EINVAL, "an element of '%s' is no text", key);
        if (q->n_targets == TARGETS_MAX)
            return KEN_FAIL(err, KEN_EINVAL, "a query has more than %d targets", TARGETS_MAX);
        cli_target t = ken_cli__target_parse(ken_json_text(item));
        if (dir.len)
            t.path = ken_path_join(&e->x->arena, dir, t.path);
        q->targets[q->n_targets++] = t;
    }
    return KEN_OK;
}

// Targets are paths below the dataset's root: with --whole they are told from the checkout.
static ken_status read_question(eval *e, const dataset *d, const json_t *json, question *q,
                                ken_err *err)
{
    ken_str dir = e->is_whole ? d->root : KEN_STR("");
    *q = (question){ .category = KEN_STR("none") };
    ken_status st = ken_json_read_str(json, "query", "query", &q->text, err);
    if (!st)
        st = ken_json_read_str(json, "query", "category", &q->category, err);
    if (!st)
        st = add_targets(e, json, "relevant", dir, q, err);
    q->n_relevant = q->n_targets;
    if (!st)
        st = add_targets(e, json, "secondary", dir, q, err);
    if (!st && !q->n_targets)
        st = KEN_FAIL(err, KEN_EINVAL, "query '" KEN_STR_FMT "' has no targets",
                      KEN_STR_ARG(q->text));
    return st;
}

static ken_status ask(eval *e, ken_snapshot *s, question *q, ken_arena *arena, double *out_ms,
                      ken_err *err)
{
    ken_search_result r = { 0 };
    int64_t before = ken_clock_mono_ns();
    ken_status st = ken_search(s, q->text, &e->opts, e->x->cancel, arena, &r, err);
    *out_ms = (double)(ken_clock_mono_ns() - before) / 1e6;
    if (st)
        return ken_err_wrap(err, "query '" KEN_STR_FMT "'", KEN_STR_ARG(q->text));
    q->n_ranked = 0;
    for (size_t i = 0; i < r.n_hits && i < EVAL_RANKS; i++)
        q->ranked[q->n_ranked++] =
            (cli_ranked){ r.hits[i].path, r.hits[i].first_line + 1u, r.hits[i].last_line + 1u };
    return KEN_OK;
}

static figures measure(const question *q)
{
    return (figures){
        .ndcg = ken_cli__ndcg(q->targets, q->n_targets, q->ranked, q->n_ranked, EVAL_RANKS),
        .mrr = ken_cli__reciprocal_rank(q->targets, q->n_relevant, q->ranked, q->n_ranked),
        .recall = ken_cli__recall(q->targets, q->n_relevant, q->ranked, q->n_ranked),
    };
}

static void print_failure(const cli *x, const dataset *d, const question *q, double ndcg)
{
    ken_cli__paint(x, KEN_STYLE_BAD, "%.3f", ndcg);
    ken_cli__print("  " KEN_STR_FMT "  " KEN_STR_FMT "  ", KEN_STR_ARG(d->name),
                   KEN_STR_ARG(q->category));
    ken_cli__paint_text(x, KEN_STYLE_BOLD, q->text);
    ken_cli__print("\n");
    for (size_t i = 0; i < q->n_targets; i++) {
        const cli_target *t = &q->targets[i];
        size_t rank = ken_cli__target_rank(t, q->ranked, q->n_ranked);
        ken_cli__print("  wanted  ");
        if (rank)
            ken_cli__paint(x, KEN_STYLE_GOOD, "%2zu  ", rank);
        else
            ken_cli__paint(x, KEN_STYLE_BAD, " -  ");
        ken_cli__print_text(t->path);
        if (t->has_span)
            ken_cli__print(":%" PRIu64 "-%" PRIu64, t->first_line, t->last_line);
        ken_cli__print("\n");
    }
    for (size_t i = 0; i < q->n_ranked && i < FAILURE_RESULTS; i++) {
        ken_cli__print("  got     %2zu  ", i + 1);
        ken_cli__print_text(q->ranked[i].path);
        ken_cli__print(":%" PRIu64 "-%" PRIu64 "\n", q->ranked[i].first_line,
                       q->ranked[i].last_line);
    }
}

static ken_status run_question(eval *e, dataset *d, ken_snapshot *s, question *q, ken_err *err)
{
    double ms = 0;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = ask(e, s, q, &arena, &ms, err);
    if (!st) {
        figures f = measure(q);
        add_figures(&d->sum, f);
        add_figures(category_of(e, q->category), f);
        if (e->wants_failures && f.ndcg < failure_below && !e->x->is_json)
            print_failure(e->x, d, q, f.ndcg);
        st = ask(e, s, q, &arena, &ms, err);
    }
    if (!st) {
        ken_vec_push(&d->ms, ms);
        ken_vec_push(&e->ms, ms);
    }
    ken_arena_release(&arena);
    return st;
}

// ---- one dataset ----

static ken_status index_dataset(eval *e, dataset *d, ken_project_info *project, ken_err *err)
{
    ken_config *settings = NULL;
    ken_index_report report = { 0 };
    const char *root = ken_cli__args_get(&e->x->args, "root");
    const char *roots = ken_cli__args_get(&e->x->args, "roots");
    ken_str dir = root ? ken_str_c(root) : ken_path_join(&e->x->arena, ken_str_c(roots), d->name);
    if (!e->is_whole)
        dir = ken_path_join(&e->x->arena, dir, d->root);
    ken_status st = ken_app_add_project(e->app, dir, KEN_STR(""), &e->x->arena, project, err);
    if (!st)
        st = ken_app_load_settings(e->app, project, &settings, err);
    if (!st) {
        ken_index_opts opts = ken_app_index_opts(settings);
        opts.is_forced = e->is_forced;
        st = ken_cli__index(e->x, project, opts, &report, err);
    }
    ken_config_free(settings);
    d->n_files = report.n_files;
    d->index_ms = report.duration_ms;
    return st;
}

static bool is_asked(const eval *e, const question *q)
{
    return !e->category || ken_str_eq_c(q->category, e->category);
}

// Each question once more, as a client asks it. No snapshot is held: a call may bring the index up to date.
static ken_status count_tokens(eval *e, dataset *d, const ken_project_info *project, question *q,
                               ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < json_array_size(d->queries) && !st && e->wants_tokens; i++) {
        uint32_t n = 0;
        st = read_question(e, d, json_array_get(d->queries, i), q, err);
        if (st || !is_asked(e, q))
            continue;
        st = ken_cli__eval_tokens(e->app, project, q->text, q->targets, q->n_targets, &n, err);
        if (!st)
            ken_vec_push(&e->tokens, n);
    }
    return st;
}

static ken_status run_dataset(eval *e, dataset *d, ken_err *err)
{
    ken_project_info project;
    ken_snapshot *s = NULL;
    question *q = ken_zalloc(sizeof *q);
    ken_status st = index_dataset(e, d, &project, err);
    if (!st)
        st = ken_app_borrow(e->app, &project, &s, err);
    for (size_t i = 0; i < json_array_size(d->queries) && !st; i++) {
        st = read_question(e, d, json_array_get(d->queries, i), q, err);
        if (st || !is_asked(e, q))
            continue;
        st = run_question(e, d, s, q, err);
    }
    st = ken_cli__check_answer(s, st, err);
    if (s)
        ken_app_give_back(e->app, &project, s);
    if (!st)
        st = count_tokens(e, d, &project, q, err);
    ken_free(q);
    if (st)
        return ken_err_wrap(err, KEN_STR_FMT, KEN_STR_ARG(d->name));
    return KEN_OK;
}

// ---- the report ----

static figures overall(const eval *e)
{
    figures all = { 0 };
    for (size_t i = 0; i < e->sets.len; i++) {
        figures f = mean_of(e->sets.ptr[i].sum);
        if (f.n)
            add_figures(&all, f);
    }
    return mean_of(all);
}

static void set_figures(json_t *o, figures f, size_t n_queries)
{
    ken_json_set_real(o, "ndcg_at_10", f.ndcg);
    ken_json_set_real(o, "mrr", f.mrr);
    ken_json_set_real(o, "recall_at_10", f.recall);
    ken_json_set_u64(o, "queries", n_queries);
}

static void set_latency(json_t *o, double *ms, size_t n)
{
    json_t *l = json_object();
    ken_json_set_real(l, "p50", ken_cli__percentile(ms, n, 50));
    ken_json_set_real(l, "p95", ken_cli__percentile(ms, n, 95));
    ken_json_set_real(l, "p99", ken_cli__percentile(ms, n, 99));
    ken_json_set(o, "latency_ms", l);
}

static void print_json(eval *e)
{
    json_t *top = json_object(), *by = json_object(), *list = json_array();
    set_figures(top, overall(e), e->ms.len);
    set_latency(top, e->ms.ptr, e->ms.len);
    for (size_t i = 0; i < e->n_categories; i++) {
        json_t *o = json_object();
        figures f = mean_of(e->categories[i].sum);
        set_figures(o, f, f.n);
        ken_json_set(by, ken_arena_dup(&e->x->arena, e->categories[i].name).ptr, o);
    }
    ken_json_set(top, "by_category", by);
    for (size_t i = 0; i < e->sets.len; i++) {
        dataset *d = &e->sets.ptr[i];
        json_t *o = json_object();
        ken_json_set_str(o, "name", d->name);
        set_figures(o, mean_of(d->sum), d->sum.n);
        set_latency(o, d->ms.ptr, d->ms.len);
        ken_json_set_u64(o, "files", d->n_files);
        ken_json_set_u64(o, "index_ms", (uint64_t)d->index_ms);
        ken_json_append(list, o);
    }
    ken_json_set(top, "datasets", list);
    ken_cli__print_json(top);
}

static void add_row(eval *e, ken_table *t, ken_str name, figures f, size_t n_queries, double *ms,
                    size_t n_ms)
{
    ken_arena *a = &e->x->arena;
    ken_table_add(t, name);
    ken_table_add(t, ken_figure_count(a, n_queries));
    ken_table_add(t, ken_arena_printf(a, "%.4f", f.ndcg));
    ken_table_add(t, ken_arena_printf(a, "%.4f", f.mrr));
    ken_table_add(t, ken_arena_printf(a, "%.4f", f.recall));
    static const double percents[] = { 50, 95, 99 };
    for (size_t i = 0; i < 3; i++)
        ken_table_add(t,
                      n_ms ? ken_arena_printf(a, "%.2f", ken_cli__percentile(ms, n_ms, percents[i]))
                           : KEN_STR(""));
}

static void print_tables(eval *e)
{
    ken_table t;
    ken_table_init(&t, &e->x->arena,
                   "dataset|>queries|>ndcg@10|>mrr|>recall@10|>p50 ms|>p95 ms|>p99 ms");
    if (e->wants_failures)
        ken_cli__print("\n");
    for (size_t i = 0; i < e->sets.len; i++) {
        dataset *d = &e->sets.ptr[i];
        add_row(e, &t, d->name, mean_of(d->sum), d->sum.n, d->ms.ptr, d->ms.len);
    }
    for (size_t i = 0; i < e->n_categories; i++) {
        figures f = mean_of(e->categories[i].sum);
        add_row(
            e, &t,
            ken_arena_printf(&e->x->arena, "  " KEN_STR_FMT, KEN_STR_ARG(e->categories[i].name)), f,
            f.n, NULL, 0);
    }
    add_row(e, &t, KEN_STR("all"), overall(e), e->ms.len, e->ms.ptr, e->ms.len);
    ken_cli__print_table(e->x, &t);
}

// ---- the command ----

// The person's settings, but a data folder of its own under the cache folder.
static ken_status open_app(eval *e, ken_config **config, ken_err *err)
{
    cli *x = e->x;
    ken_config_flag flag = { "data.dir", NULL, "data.dir" };
    size_t n = 0;
    if (!ken_cli__args_has(&x->args, "own-data")) {
        ken_str cache;
        ken_status st = ken_config_cache_dir(&x->arena, &cache, err);
        if (st)
            return st;
        flag.value = ken_path_join(&x->arena, cache, KEN_STR("eval")).ptr;
        n = 1;
    }
    ken_status st = ken_config_load(&(ken_config_load_opts){ NULL, &flag, n }, config, err);
    return st ? st : ken_app_open(*config, &e->app, err);
}

static ken_status run_all(eval *e, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < e->x->args.n_words && !st; i++)
        st = load_dataset(e, e->x->args.words[i], err);
    for (size_t i = 0; i < e->sets.len && !st; i++)
        st = run_dataset(e, &e->sets.ptr[i], err);
    if (st)
        return st;
    if (e->x->is_json)
        print_json(e);
    else
        print_tables(e);
    if (e->wants_tokens && !e->x->is_json)
        ken_cli__print_tokens(e->tokens.ptr, e->tokens.len);
    return KEN_OK;
}

// "best-chunk" for the feature "best chunk".
static int feature_called(ken_str word)
{
    for (int f = 0; f < KEN_RANK_COUNT; f++) {
        ken_str text = ken_str_c(ken_rank_text((ken_rank_feature)f));
        bool is_same = text.len == word.len;
        for (size_t i = 0; i < word.len && is_same; i++)
            is_same = word.ptr[i] == (text.ptr[i] == ' ' ? '-' : text.ptr[i]);
        if (is_same)
            return f;
    }
    return -1;
}

static ken_status parse_without(const char *list, uint32_t *out, ken_err *err)
{
    ken_str rest = ken_str_c(list ? list : "");
    while (rest.len) {
        size_t comma = ken_str_find_char(rest, ',');
        ken_str word = ken_str_sub(rest, 0, comma == SIZE_MAX ? rest.len : comma);
        int feature = feature_called(word);
        if (feature < 0)
            return KEN_FAIL(err, KEN_EINVAL,
                            "'--without' does not know '" KEN_STR_FMT
                            "'; --explain shows the signals, spaces become '-'",
                            KEN_STR_ARG(ken_utf8_clip(word, 60)));
        *out |= 1U << feature;
        rest = comma == SIZE_MAX ? KEN_STR("") : ken_str_sub(rest, comma + 1, rest.len);
    }
    return KEN_OK;
}

static ken_status parse_mode(const char *word, ken_search_mode *out)
{
    static const char *const words[] = { "hybrid", "lexical", "semantic", "symbol",
                                         "text",   "regex",   "similar" };
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) {
            *out = (ken_search_mode)i;
            return KEN_OK;
        }
    return word ? KEN_EINVAL : KEN_OK;
}

static ken_status run_eval(cli *x, ken_err *err)
{
    const cli_args *a = &x->args;
    ken_config *config = NULL;
    eval e = {
        .x = x,
        .opts = { .wants_content = true },
        .category = ken_cli__args_get(a, "category"),
        .wants_failures = ken_cli__args_has(a, "failures"),
        .wants_tokens = ken_cli__args_has(a, "tokens"),
        .is_forced = ken_cli__args_has(a, "force"),
        .is_whole = ken_cli__args_has(a, "whole"),
    };
    if (ken_cli__args_has(a, "root") == ken_cli__args_has(a, "roots"))
        return KEN_FAIL(err, KEN_EINVAL, "say where the checkouts are: --root DIR or --roots DIR");
    ken_status st = parse_mode(ken_cli__args_get(a, "mode"), &e.opts.mode);
    if (!st)
        st = parse_without(ken_cli__args_get(a, "without"), &e.opts.without, err);
    if (!st)
        st = open_app(&e, &config, err);
    // The project commands work on x->app.
    x->app = e.app;
    if (!st)
        st = run_all(&e, err);
    for (size_t i = 0; i < e.sets.len; i++)
        ken_vec_release(&e.sets.ptr[i].ms);
    for (size_t i = 0; i < e.files.len; i++)
        json_decref(e.files.ptr[i]);
    ken_vec_release(&e.files);
    ken_vec_release(&e.sets);
    ken_vec_release(&e.ms);
    ken_vec_release(&e.tokens);
    ken_app_close(e.app);
    ken_config_free(config);
    x->app = NULL;
    return st;
}

#define MODES "hybrid|lexical|semantic|symbol|text|regex|similar"

static const cli_opt eval_opts[] = {
    { "root", 0, CLI_VALUE, "DIR", "the one checkout that the datasets ask about", NULL },
    { "roots", 0, CLI_VALUE, "DIR", "a folder with one checkout per dataset, by name", NULL },
    { "whole", 0, CLI_FLAG, NULL, "index the whole checkouts, not only the datasets' roots", NULL },
    { "mode", 'm', CLI_VALUE, "MODE", "how to search (default hybrid)", MODES },
    { "without", 0, CLI_VALUE, "LIST", "signals that count nothing: meaning,best-chunk,comments",
      NULL },
    { "tokens", 0, CLI_FLAG, NULL, "count the tokens of an answer until the first right file",
      NULL },
    { "failures", 0, CLI_FLAG, NULL, "print the queries below 0.5 and what ranked instead", NULL },
    { "category", 0, CLI_VALUE, "NAME", "only the queries of this category", NULL },
    { "force", 'f', CLI_FLAG, NULL, "index everything again", NULL },
    { "own-data", 0, CLI_FLAG, NULL, "use the normal data folder, not one of its own", NULL },
};

const cli_command ken_cli__eval_command = {
    "eval",
    "DATASET.json... --root DIR | --roots DIR",
    "measure how well search finds things",
    "A dataset is {\"name\", \"root\", \"queries\": [{\"query\", \"category\", \"relevant\": [path],\n"
    "\"secondary\": [path]}]}; a path may end in :first-last. NDCG@10, the reciprocal rank of the\n"
    "first relevant place and the latency of a search are printed.",
    OPTS(eval_opts),
    1,
    1000,
    false,
    false,
    run_eval,
    NULL,
    0,
    NULL
};
