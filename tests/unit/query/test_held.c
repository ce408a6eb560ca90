// SPDX-License-Identifier: MIT
// What is held of a tree between questions: how much makes no difference to answers, and what has
// changed on disk is not answered from it.
#include "base/quota.h"
#include "query/query_graph.h"
#include "sample_lab.h"

// All that is said of a definition, as text.
static void put_usages(ken_snapshot *s, ken_str name, ken_buf *out)
{
    ken_usages u;
    ken_usages_opts o = { .name = name, .limit = 1000, .wants_text = true };
    kt_ok_err(ken_find_usages(s, &o, NULL, &l.arena, &u, &l.err), &l.err);
    ken_buf_printf(out, KEN_STR_FMT ": %zu, %zu unresolved, %zu in tests\n", KEN_STR_ARG(name),
                   u.n_total, u.n_unresolved, u.n_test_usages);
    for (size_t f = 0; f < u.n_files; f++) {
        for (size_t i = 0; i < u.files[f].n; i++) {
            const ken_usage *use = &u.files[f].usages[i];
            ken_buf_printf(out, "  " KEN_STR_FMT ":%u:%u %d %d " KEN_STR_FMT " " KEN_STR_FMT "\n",
                           KEN_STR_ARG(u.files[f].path), use->line, use->column, (int)use->role,
                           (int)use->class, KEN_STR_ARG(use->within), KEN_STR_ARG(use->evidence));
        }
    }
}

static void put_impact(ken_snapshot *s, ken_str name, ken_buf *out)
{
    ken_impact m;
    ken_impact_opts o = { .symbol = name, .limit = 200 };
    kt_ok_err(ken_query_impact(s, &o, NULL, &l.arena, &m, &l.err), &l.err);
    ken_buf_printf(out, "  impact %zu %zu %zu, %zu tests, %zu files\n", m.n_by_distance[1],
                   m.n_by_distance[2], m.n_by_distance[3], m.n_tests_total, m.n_files_total);
    for (size_t i = 0; i < m.n_dependents; i++)
        ken_buf_printf(out, "    %u " KEN_STR_FMT ":" KEN_STR_FMT " %u\n", m.dependents[i].distance,
                       KEN_STR_ARG(m.dependents[i].node.path),
                       KEN_STR_ARG(m.dependents[i].node.qualified), m.dependents[i].n_sites);
}

static void put_trace(ken_snapshot *s, ken_str name, ken_buf *out)
{
    ken_trace t;
    ken_trace_opts o = { .entry = name, .direction = KEN_TRACE_CALLERS };
    kt_ok_err(ken_trace_execution(s, &o, NULL, &l.arena, &t, &l.err), &l.err);
    for (size_t i = 1; i < t.n_steps; i++)
        ken_buf_printf(out, "    from " KEN_STR_FMT " %u\n", KEN_STR_ARG(t.steps[i].node.qualified),
                       t.steps[i].site_line);
}

static void put_all(ken_snapshot *s, ken_buf *out)
{
    const ken_file_row *rows;
    size_t n = ken_snapshot_list_files(s, &rows);
    for (size_t f = 0; f < n; f++) {
        ken_file_view view;
        kt_ok_err(ken_view_file(s, rows[f].path, &l.arena, &view, &l.err), &l.err);
        for (uint32_t i = 0; i < view.facts->n_symbols; i++) {
            ken_str name = view.facts->symbols[i].name;
            if (!name.len || !(ken_symbol_is_callable(view.facts->symbols[i].kind) ||
                               ken_symbol_is_type(view.facts->symbols[i].kind)))
                continue;
            put_usages(s, name, out);
            put_impact(s, name, out);
            put_trace(s, name, out);
        }
    }
}

KEN_TEST(answers_are_the_same_however_little_is_held)
{
    ken_buf with_all = KEN_BUF_INIT(0), with_none = KEN_BUF_INIT(0), again = KEN_BUF_INIT(0);
    sample_make();
    lab_write(&l, "held/lib.ts",
              "export function call() {}\nexport default function () { call(); }\n");
    lab_write(
        &l, "held/index.ts",
        "export { call as callIt } from './lib';\nexport { callIt as third } from './index';\n");
    lab_write(&l, "held/use.ts",
              "import { callIt } from './index';\nimport whole from './lib';\n"
              "export function run() { callIt(); whole(); }\n");
    sample_index();
    put_all(snap, &with_all);
    put_all(snap, &again); // from what is held
    ken_snapshot *little = lab_open(&l);
    ken_snapshot_limit_graph(little, 1, NULL);
    put_all(little, &with_none);
    kt_true(with_all.len > 5000);
    kt_has_str(with_all.ptr, "held/use.ts:2:");
    kt_eq_text(ken_buf_str(&again), with_all.ptr);
    kt_eq_text(ken_buf_str(&with_none), with_all.ptr);
    lab_close(little);
    ken_buf_release(&with_all);
    ken_buf_release(&with_none);
    ken_buf_release(&again);
    sample_end();
}

KEN_TEST(x4_what_is_held_is_a_share_of_the_bound)
{
    ken_buf alone = KEN_BUF_INIT(0), shared = KEN_BUF_INIT(0);
    atomic_uint n_sharers = 1;
    sample_make();
    sample_index();
    ken_snapshot_limit_graph(snap, (size_t)64 << 20, &n_sharers);
    put_all(snap, &alone);
    size_t all = ken_snapshot_graph_bytes(snap);
    ken_snapshot_limit_graph(snap, 2 * all, &n_sharers);
    lab_again(&l, snap);
    kt_eq_u(ken_snapshot_graph_bytes(snap), all); // it fits
    n_sharers = 16;
    put_all(snap, &shared);
    lab_again(&l, snap);
    size_t part = ken_snapshot_graph_bytes(snap);
    kt_true(part < all / 2);
    kt_eq_text(ken_buf_str(&shared), alone.ptr);
    ken_buf_release(&alone);
    ken_buf_release(&shared);
    sample_end();
}

// Names are not let go of before the question has ended, so that they count as what it took.
KEN_TEST(x4_names_that_a_question_meets_are_its_cost)
{
    enum {
        N_FILES = 20,
        N_NAMES = 4000,
        NAME_BYTES = 60,
        LIMIT_BYTES = 16 << 20 // stops at 12 MiB: 9 is all else, 7 are names
    };
    ken_buf b = KEN_BUF_INIT(0);
    ken_quota quota;
    ken_usages u;
    ken_usages_opts o = { .name = KEN_STR("hot"), .limit = 50 };
    lab_start(&l);
    lab_write(&l, "lib.py", "def hot():\n    return 1\n");
    for (int f = 0; f < N_FILES; f++) {
        char path[40];
        snprintf(path, sizeof path, "use%d.py", f);
        ken_buf_clear(&b);
        ken_buf_printf(&b, "from lib import hot\n\n\ndef run(a):\n    hot()\n");
        for (int i = 0; i < N_NAMES; i++)
            ken_buf_printf(&b, "    a(a_%0*d)\n", NAME_BYTES, f * N_NAMES + i);
        lab_write(&l, path, b.ptr);
    }
    ken_buf_release(&b);
    lab_run(&l);
    snap = lab_open(&l);
    ken_quota_begin(&quota, &(ken_quota_limits){ .bytes = LIMIT_BYTES }, NULL);
    ken_status st = ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err);
    kt_true(st == KEN_ELIMIT || quota.stopped == KEN_QUOTA_MEMORY);
    ken_quota_end(&quota);
    lab_again(&l, snap);
    ken_quota_begin(&quota, &(ken_quota_limits){ 0 }, NULL);
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, 2 * N_FILES); // each file imports it, too
    ken_quota_end(&quota);
    sample_end();
}

static void usages_are(const char *name, size_t n, uint32_t first_line)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(name), .wants_text = true };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, n);
    if (n)
        kt_eq_u(u.files[0].usages[0].line, first_line);
}

KEN_TEST(a_file_that_changed_is_not_answered_from_what_was_held)
{
    lab_start(&l);
    lab_write(&l, "lib.py", "def one():\n    return 1\n");
    lab_write(&l, "use.py", "from lib import one\n\n\ndef run():\n    return one()\n");
    lab_write(&l, "other.py", "from lib import one\n");
    lab_run(&l);
    snap = lab_open(&l);
    usages_are("one", 3, 0);
    usages_are("one", 3, 0);
    lab_write(&l, "use.py",
              "# moved\nfrom lib import one\n\n\ndef run():\n    return one() + one()\n");
    usages_are("one", 4, 1);
    lab_remove(&l, "use.py");
    usages_are("one", 1, 0);
    sample_end();
}

// Files are let go of between questions, what names mean is not.
KEN_TEST(a_file_that_changed_is_not_answered_from_half_of_what_was_held)
{
    lab_start(&l);
    lab_write(&l, "lib.py", "def one():\n    return 1\n");
    lab_write(&l, "use.py",
              "from lib import one\n\n\ndef run():\n    return one() + one() + one()\n");
    lab_write(&l, "other.py", "from lib import one\n");
    lab_run(&l);
    snap = lab_open(&l);
    ken_snapshot_limit_graph(snap, 1, NULL);
    usages_are("one", 5, 0);
    lab_write(&l, "use.py", "# moved\nfrom lib import one\n");
    usages_are("one", 2, 0);
    usages_are("one", 2, 0);
    lab_write(&l, "use.py", "# again\nfrom lib import one\none()\n");
    usages_are("one", 3, 1);
    sample_end();
}
