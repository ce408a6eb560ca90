// SPDX-License-Identifier: MIT
// Every tool that reads, stopped at any of its checks, and on files that are made to cost much: it
// answers, says that it shows a part, or says why not; it takes no more memory than it may, and
// leaves nothing behind.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/quota.h"
#include "tool_lab.h"

typedef struct question {
    const char *tool, *args;
} question;

typedef struct outcome {
    ken_status status;
    ken_err err;
    json_t *result;
    ken_quota quota; // as it was at the end
} outcome;

// `cancel_at` 0 = never.
static void ask(lab *l, const question *q, ken_quota_limits limits, uint64_t cancel_at, outcome *o)
{
    json_t *args = NULL;
    *o = (outcome){ .status = KEN_OK };
    kt_ok(ken_json_parse(ken_str_c(q->args), &args, &o->err));
    ken_quota_begin(&o->quota, &limits, NULL);
    o->quota.cancel_at = cancel_at;
    o->status = ken_tool_call(l->app, q->tool, args, &l->ctx, &o->result, &o->err);
    ken_quota_end(&o->quota);
    json_decref(args);
    kt_eq_u(o->status == KEN_OK, o->result != NULL);
}

static bool is_part(const outcome *o)
{
    return json_object_get(o->result, "budget") != NULL;
}

// ---- any check ---------------------------------------------------------------------------------

static const question questions[] = {
    { "search_code", "{\"query\":\"where are parcels delivered\"}" },
    { "search_code", "{\"query\":\"handleTrackParcel\",\"search_type\":\"symbol\"}" },
    { "search_code", "{\"query\":\"parcel\",\"search_type\":\"text\"}" },
    { "search_code", "{\"query\":\"p[a-z]+l\",\"search_type\":\"regex\"}" },
    { "search_code", "{\"query\":\"who calls RetryPolicy\"}" },
    { "get_definition", "{\"symbol_name\":\"handleTrackParcel\"}" },
    { "get_definition", "{\"symbol_name\":\"handleTrackParcle\"}" },
    { "find_usages", "{\"symbol_name\":\"RetryPolicy\"}" },
    { "trace_execution", "{\"entry_point\":\"newRouter\"}" },
    { "trace_execution", "{\"entry_point\":\"RetryPolicy\",\"direction\":\"callers\"}" },
    { "query_impact", "{\"symbol\":\"RetryPolicy\"}" },
    { "get_architecture", "{}" },
    { "explain_code", "{\"file_path\":\"worker/mailer.py\",\"line_start\":1,\"line_end\":20}" },
    { "build_context", "{\"query\":\"how is a parcel tracked\"}" },
    { "outline", "{\"file_path\":\"worker/mailer.py\"}" },
    { "get_repo_status", "{}" },
    { "rag_check_constraints", "{\"change_description\":\"add a table\"}" },
};

enum {
    N_QUESTIONS = sizeof questions / sizeof *questions,
    STOPS = 40 // of each question, spread over all of its checks
};

// What two equal answers say of the moment they were made in: a miss looks whether there is anything new.
static void drop_moment(json_t *answer)
{
    json_object_del(answer, "index");
    json_object_del(answer, "checked_at");
}

static void stop_anywhere(lab *l, const question *q)
{
    outcome o;
    ask(l, q, (ken_quota_limits){ 0 }, 0, &o); // what is held between questions is made here
    json_decref(o.result);
    ask(l, q, (ken_quota_limits){ 0 }, 0, &o);
    uint64_t n_steps = o.quota.n_steps, step = n_steps / STOPS + 1;
    json_t *whole = o.result;
    drop_moment(whole);
    ken_status st = o.status;
    kt_true(n_steps > 0);
    for (uint64_t at = 1; at <= n_steps; at += step) {
        ask(l, q, (ken_quota_limits){ 0 }, at, &o);
        kt_true(o.status == KEN_ECANCELLED ? o.quota.n_steps == at : o.quota.n_steps < at);
        json_decref(o.result);
        ask(l, q, (ken_quota_limits){ .steps = at }, 0, &o);
        kt_true(o.status == KEN_ELIMIT || (o.status == KEN_OK && is_part(&o)) ||
                o.quota.n_steps <= o.quota.stop_steps);
        if (o.status == KEN_OK && is_part(&o))
            kt_true(json_is_true(json_object_get(o.result, "truncated")));
        json_decref(o.result);
    }
    ask(l, q, (ken_quota_limits){ 0 }, 0, &o); // nothing of a part was kept
    kt_eq_u(o.status, st);
    drop_moment(o.result);
    kt_true(whole ? json_equal(o.result, whole) : !o.result);
    json_decref(o.result);
    json_decref(whole);
}

static void index_folder(lab *l)
{
    outcome o;
    question index = { "index_repository", "{\"path\":\".\"}" };
    ask(l, &index, (ken_quota_limits){ 0 }, 0, &o);
    kt_ok_err(o.status, &o.err);
    json_decref(o.result);
}

KEN_TEST(a_question_stops_at_any_check_and_leaves_nothing)
{
    lab l;
    lab_open(&l, ktest_data("sample"));
    index_folder(&l);
    for (size_t i = 0; i < N_QUESTIONS; i++)
        stop_anywhere(&l, &questions[i]);
    lab_close(&l);
}

KEN_TEST(memory_that_is_refused_once_ends_one_question)
{
    lab l;
    outcome o;
    lab_open(&l, ktest_data("sample"));
    index_folder(&l);
    ask(&l, &questions[0], (ken_quota_limits){ 0 }, 0, &o);
    kt_eq_u(o.status, KEN_OK);
    json_decref(o.result);
    ask(&l, &questions[0], (ken_quota_limits){ .bytes = 4096 }, 0, &o);
    kt_eq_u(o.status, KEN_ELIMIT);
    kt_has_str(o.err.msg, "query.memory_limit");
    ask(&l, &questions[0], (ken_quota_limits){ 0 }, 0, &o);
    kt_eq_u(o.status, KEN_OK);
    json_decref(o.result);
    lab_close(&l);
}

// ---- files that cost much ----------------------------------------------------------------------

enum {
    N_SAME = 3000, // functions of one name
    N_OVERLOADS = 600,
    N_METHODS = 1500,
    N_RING = 40,
    N_CHAINED = 8000,
    N_NESTED = 20000,
    N_IMPORTS = 4000,
    LIMIT_BYTES = 48 << 20,
    SLACK_BYTES = 8 << 20 // that is taken between two checks
};

static void write_buf(const char *path, ken_buf *b)
{
    ktest_write(path, b->ptr);
    ken_buf_clear(b);
}

static void repeat(ken_buf *b, const char *text, int n)
{
    for (int i = 0; i < n; i++)
        ken_buf_puts(b, text);
}

static void write_hostile(void)
{
    ken_buf b = KEN_BUF_INIT(8 << 20);
    char path[80];
    repeat(&b, "def f(): f()\n", N_SAME);
    write_buf("h/same.py", &b);
    ken_buf_puts(&b, "class A {\n");
    for (int i = 0; i < N_OVERLOADS; i++)
        ken_buf_printf(&b, "  void f(int a%d, X%d b) { f(%d, null); }\n", i, i, i);
    ken_buf_puts(&b, "}\n");
    write_buf("h/A.java", &b);
    ken_buf_puts(&b, "export interface I {\n");
    for (int i = 0; i < N_METHODS; i++)
        ken_buf_printf(&b, "  m%d(a: number): I;\n", i);
    ken_buf_puts(&b, "}\nexport class C implements I {\n");
    for (int i = 0; i < N_METHODS; i++)
        ken_buf_printf(&b, "  m%d(a: number): I { return this.m%d(a); }\n", i, (i + 1) % N_METHODS);
    ken_buf_puts(&b, "}\n");
    write_buf("h/I.ts", &b);
    for (int i = 0; i < N_RING; i++) {
        ken_buf_printf(&b,
                       "export * from './r%d';\nexport * from './r%d';\n"
                       "import { thing } from './r%d';\nexport function g%d() { thing(); f(); }\n",
                       (i + 1) % N_RING, (i + 7) % N_RING, (i + 3) % N_RING, i);
        if (!i)
            ken_buf_puts(&b, "export function thing() { return g5(); }\n");
        snprintf(path, sizeof path, "h/r%d.ts", i);
        write_buf(path, &b);
    }
    ken_buf_puts(&b, "function f() { return a");
    repeat(&b, ".b(1)\n", N_CHAINED);
    ken_buf_puts(&b, "; }\n");
    write_buf("h/chain.js", &b);
    ken_buf_puts(&b, "var x = [");
    repeat(&b, "f(1), f(2), f(3),\n", N_CHAINED);
    ken_buf_puts(&b, "0]; function f(a) { return f(a) }\n");
    write_buf("h/line.js", &b);
    repeat(&b, "[\n", N_NESTED);
    repeat(&b, "]\n", N_NESTED);
    write_buf("h/deep.json", &b);
    for (int i = 0; i < N_IMPORTS; i++)
        ken_buf_printf(&b, "import m%d\nfrom p%d import f as f%d\n", i, i, i);
    ken_buf_puts(&b, "def f(): f()\n");
    write_buf("h/imports.py", &b);
    repeat(&b, "a", 100000);
    ken_buf_puts(&b, "!\n");
    write_buf("h/plain.txt", &b);
    ken_buf_release(&b);
}

static const question hostile[] = {
    { "search_code", "{\"query\":\"f\"}" },
    { "search_code", "{\"query\":\"f\",\"search_type\":\"symbol\",\"chunk_type\":\"section\"}" },
    { "search_code", "{\"query\":\"(a+)+$\",\"search_type\":\"regex\"}" },
    { "search_code", "{\"query\":\"(x+x+)+y|a*a*a*a*b\",\"search_type\":\"regex\"}" },
    { "search_code", "{\"query\":\"who calls f\"}" },
    { "get_definition", "{\"symbol_name\":\"f\"}" },
    { "find_usages", "{\"symbol_name\":\"f\"}" },
    { "find_usages", "{\"symbol_name\":\"m7\"}" },
    { "find_usages", "{\"symbol_name\":\"thing\"}" },
    { "trace_execution", "{\"entry_point\":\"f\",\"max_depth\":10}" },
    { "trace_execution", "{\"entry_point\":\"m0\",\"max_depth\":10}" },
    { "trace_execution", "{\"entry_point\":\"f\",\"direction\":\"callers\"}" },
    { "query_impact", "{\"symbol\":\"f\"}" },
    { "query_impact", "{\"file_path\":\"I.ts\"}" },
    { "get_architecture", "{}" },
    { "explain_code", "{\"file_path\":\"same.py\",\"line_start\":1,\"line_end\":3000}" },
    { "explain_code", "{\"file_path\":\"chain.js\",\"line_start\":1,\"line_end\":1}" },
    { "explain_code", "{\"file_path\":\"line.js\",\"line_start\":1,\"line_end\":1}" },
    { "build_context", "{\"query\":\"f\"}" },
    { "outline", "{\"file_path\":\"same.py\"}" },
    { "outline", "{\"file_path\":\"deep.json\"}" },
    { "get_repo_status", "{}" },
};

KEN_TEST(hostile_files_cost_no_more_than_they_may)
{
    lab l;
    outcome o;
    write_hostile();
    lab_open(&l, ktest_path("h"));
    index_folder(&l);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        ask(&l, &hostile[i], (ken_quota_limits){ .bytes = LIMIT_BYTES }, 0, &o);
        if (o.status && o.status != KEN_ELIMIT)
            printf("%s %s: %s\n", hostile[i].tool, hostile[i].args, o.err.msg);
        kt_true(!o.status || o.status == KEN_ELIMIT);
        kt_true(o.quota.account.peak_bytes <= LIMIT_BYTES + SLACK_BYTES);
        uint64_t n_steps = o.quota.n_steps;
        json_decref(o.result);
        for (uint64_t at = 1; at < n_steps; at = at * 3 + 1) {
            ask(&l, &hostile[i], (ken_quota_limits){ 0 }, at, &o);
            kt_true(o.status == KEN_ECANCELLED || o.quota.n_steps < at);
            json_decref(o.result);
        }
    }
    lab_close(&l);
}
