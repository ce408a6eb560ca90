// SPDX-License-Identifier: MIT
// Whether the rule that a planned change must obey is among the first: bench_rules SETS CHECKOUTS
//
// SETS is bench/rules. For each of its sets the repository of that name in CHECKOUTS is copied, its
// document laid into the copy, and the copy indexed; then every change is checked as an agent would
// check it. bench/rules/README.md says what counts and which half is held out.
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "bench.h"
#include "rulebook/rulebook.h"
#include "tree.h"

static const char help[] =
    "bench_rules [--only NAME] [--json] SETS CHECKOUTS\n"
    "  how far up the rules of a planned change are, for the half to tune with and the half held out;\n"
    "  --only NAME: one set, with the place of each change of the first half";

static const char *const names[] = { "redis", "aiohttp", "trpc" };

enum {
    N_SETS = sizeof names / sizeof *names,
    SET_MAX_BYTES = 1 << 20,
    N_FIRST = 3, // results that count
};

typedef enum half {
    TUNE,
    HELD,
    N_HALVES
} half;

static const char *const half_names[] = { "tune", "held out" };
static const size_t depths[] = { 1, 3, 5, 10 };

enum {
    N_DEPTHS = sizeof depths / sizeof *depths
};

typedef struct tally {
    size_t n, n_within[N_DEPTHS], n_all; // n_all: with all its rules among the first three
    double reciprocals;
} tally;

typedef struct set {
    const char *name;
    json_t *json;
    bench_tree tree;
    ken_rulebook *book;
    tally of[N_HALVES];
} set;

static ken_err err;

static json_t *read_json(const char *path)
{
    ken_buf text = KEN_BUF_INIT(SET_MAX_BYTES);
    json_t *out = NULL;
    bench_check(ken_fs_read_own(path, SET_MAX_BYTES, &text, &err), &err);
    bench_check(ken_json_parse(ken_buf_str(&text), &out, &err), &err);
    ken_buf_release(&text);
    return out;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        bench_die("a set has no '%s'", key);
    return text;
}

// A copy of the repository with the set's document in it, indexed.
static void open_set(const bench_args *a, const char *dir, set *s, ken_arena *arena)
{
    const char *from = ken_arena_printf(arena, "%s/%s", a->paths[0], s->name).ptr;
    const char *root = ken_arena_printf(arena, "%s/%s", dir, s->name).ptr;
    s->json = read_json(ken_arena_printf(arena, "%s/set.json", from).ptr);
    bench_copy_tree(ken_arena_printf(arena, "%s/%s", a->paths[1], s->name).ptr, root, true);
    const char *document = text_of(s->json, "document");
    ken_buf text = KEN_BUF_INIT(SET_MAX_BYTES);
    const char *at = ken_arena_printf(arena, "%s/%s", from, document).ptr;
    bench_check(ken_fs_read_own(at, SET_MAX_BYTES - 1, &text, &err), &err);
    ken_buf_putc(&text, '\0');
    const char *to = ken_arena_printf(arena, "%s/%s", root, document).ptr;
    (void)unlink(to); // the repository may have one of its own
    bench_append(to, text.ptr);
    ken_buf_release(&text);
    const char *db = ken_arena_printf(arena, "%s/%s.db", dir, s->name).ptr;
    bench_tree_open(root, db, bench_jobs(a), arena, &s->tree);
    ken_rulebook_new(s->tree.store, s->tree.snapshot, ken_str_c(root), &s->book);
}

static void close_set(set *s)
{
    ken_rulebook_free(s->book);
    bench_tree_close(&s->tree);
    json_decref(s->json);
}

// The set's name for a rule that was found; "" for one of another document.
static const char *id_of(const set *s, const ken_rule *rule)
{
    size_t i;
    json_t *r;
    if (!ken_str_eq(rule->path, ken_str_c(text_of(s->json, "document"))))
        return "";
    json_array_foreach(json_object_get(s->json, "rules"), i, r)
    {
        const json_t *lines = json_object_get(r, "lines");
        json_int_t line = (json_int_t)rule->first_line + 1;
        if (line >= json_integer_value(json_array_get(lines, 0)) &&
            line <= json_integer_value(json_array_get(lines, 1)))
            return text_of(r, "id");
    }
    return "";
}

// The place of a rule among those found, from 1; one beyond the last when it is not among them.
static size_t place_of(const set *s, const char *id, const ken_rulebook_advice *found)
{
    for (size_t i = 0; i < found->n_constraints; i++)
        if (strcmp(id_of(s, found->constraints[i].rule), id) == 0)
            return i + 1;
    return KEN_RULEBOOK_RESULTS_MAX + 1;
}

static size_t count_places(const set *s, const json_t *change, const ken_rulebook_advice *found,
                           tally *t)
{
    size_t i, best = KEN_RULEBOOK_RESULTS_MAX + 1, worst = 0;
    json_t *id;
    json_array_foreach(json_object_get(change, "rules"), i, id)
    {
        size_t place = place_of(s, json_string_value(id), found);
        best = place < best ? place : best;
        worst = place > worst ? place : worst;
    }
    t->n++;
    for (size_t d = 0; d < N_DEPTHS; d++)
        t->n_within[d] += best <= depths[d];
    t->n_all += worst <= N_FIRST;
    t->reciprocals += best > KEN_RULEBOOK_RESULTS_MAX ? 0 : 1 / (double)best;
    return best;
}

static void print_change(const set *s, const json_t *change, size_t place,
                         const ken_rulebook_advice *found)
{
    printf("%4zu  %s\n      first: ", place, text_of(change, "change"));
    for (size_t i = 0; i < found->n_constraints && i < N_FIRST; i++)
        printf(" %s", id_of(s, found->constraints[i].rule));
    printf("\n");
}

static void check_changes(set *s, bool wants_places, bench_samples *times)
{
    size_t i;
    json_t *change;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    json_array_foreach(json_object_get(s->json, "changes"), i, change)
    {
        ken_rulebook_advice found;
        half h = json_integer_value(json_object_get(change, "n")) % 2 ? HELD : TUNE;
        int64_t start = ken_clock_mono_ns();
        bench_check(ken_rulebook_check(s->book, ken_str_c(text_of(change, "change")),
                                       KEN_RULEBOOK_RESULTS_MAX, NULL, &arena, &found, &err),
                    &err);
        ken_vec_push(times, bench_ms(ken_clock_mono_ns() - start));
        size_t place = count_places(s, change, &found, &s->of[h]);
        if (wants_places && h == TUNE)
            print_change(s, change, place, &found);
        ken_arena_reset(&arena);
    }
    ken_arena_release(&arena);
}

static void add(tally *to, const tally *t)
{
    to->n += t->n;
    to->n_all += t->n_all;
    to->reciprocals += t->reciprocals;
    for (size_t d = 0; d < N_DEPTHS; d++)
        to->n_within[d] += t->n_within[d];
}

static double share(size_t n, size_t of)
{
    return of ? (double)n / (double)of : 0;
}

static void report(const char *name, half h, const tally *t, bool is_json, json_t *rows)
{
    double mrr = t->n ? t->reciprocals / (double)t->n : 0;
    if (!is_json) {
        printf("%-8s %-8s %3zu changes ", name, half_names[h], t->n);
        for (size_t d = 0; d < N_DEPTHS; d++)
            printf("  @%zu %.2f", depths[d], share(t->n_within[d], t->n));
        printf("  all@3 %.2f  MRR %.3f\n", share(t->n_all, t->n), mrr);
        return;
    }
    json_t *row = json_object();
    ken_json_set_str(row, "set", ken_str_c(name));
    ken_json_set_str(row, "half", ken_str_c(half_names[h]));
    ken_json_set_u64(row, "changes", t->n);
    for (size_t d = 0; d < N_DEPTHS; d++) {
        char key[32];
        (void)snprintf(key, sizeof key, "recall_%zu", depths[d]);
        ken_json_set_real(row, key, share(t->n_within[d], t->n));
    }
    ken_json_set_real(row, "all_3", share(t->n_all, t->n));
    ken_json_set_real(row, "mrr", mrr);
    ken_json_append(rows, row);
}

BENCH_MAIN(rules)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    if (a.n_paths != 2)
        bench_die("expected the sets and the checkouts");
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *dir = bench_temp(&a, &arena);
    json_t *rows = json_array();
    tally all[N_HALVES] = { 0 };
    bench_samples times = { 0 };
    for (size_t i = 0; i < N_SETS; i++) {
        set s = { .name = names[i] };
        if (a.only && strcmp(a.only, s.name) != 0)
            continue;
        open_set(&a, dir, &s, &arena);
        check_changes(&s, a.only && !a.is_json, &times);
        for (half h = TUNE; h < N_HALVES; h++) {
            report(s.name, h, &s.of[h], a.is_json, rows);
            add(&all[h], &s.of[h]);
        }
        close_set(&s);
    }
    for (half h = TUNE; h < N_HALVES; h++)
        report("all", h, &all[h], a.is_json, rows);
    if (a.is_json) {
        json_t *top = bench_report("rules", NULL);
        ken_json_set(top, "sets", rows);
        ken_json_set(top, "check", bench_quantiles(&times));
        bench_print(top);
    } else {
        json_decref(rows);
        printf("a check: p50 %.1f ms, p95 %.1f ms\n", bench_median(&times),
               bench_quantile(&times, 0.95));
    }
    ken_vec_release(&times);
    ken_arena_release(&arena);
    return 0;
}
