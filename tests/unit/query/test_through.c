// SPDX-License-Identifier: MIT
// Calls through what holds functions: fields that are assigned to, literals with and without names,
// tables.
#include "unit/query/calls_lab.h"

// "run: proc get_cmd", the callees of an entry in order.
static void callees(const char *entry, const char *expected)
{
    ken_trace t;
    ken_trace_opts o = { .entry = ken_str_c(entry), .max_depth = 1 };
    ken_buf text = KEN_BUF_INIT(0);
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    for (size_t i = 1; i < t.n_steps; i++)
        ken_buf_printf(&text, "%s" KEN_STR_FMT "%s", i > 1 ? " " : "",
                       KEN_STR_ARG(t.steps[i].node.name),
                       t.steps[i].class == KEN_EDGE_INFERRED ? "?" : "");
    kt_eq_text(ken_buf_str(&text), expected);
    ken_buf_release(&text);
}

static void callers(const char *entry, const char *expected)
{
    ken_trace t;
    ken_trace_opts o = { .entry = ken_str_c(entry),
                         .max_depth = 1,
                         .direction = KEN_TRACE_CALLERS };
    ken_buf text = KEN_BUF_INIT(0);
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    for (size_t i = 1; i < t.n_steps; i++)
        ken_buf_printf(&text, "%s" KEN_STR_FMT, i > 1 ? " " : "",
                       KEN_STR_ARG(t.steps[i].node.name));
    kt_eq_text(ken_buf_str(&text), expected);
    ken_buf_release(&text);
}

KEN_TEST(what_is_passed_on_under_another_name_is_used_by_whoever_says_that)
{
    start("lib.ts", "export function call() {}\nexport function other() {}\n");
    lab_write(&l, "index.ts", "export { call as callIt, other } from './lib';\n");
    lab_write(&l, "use.ts",
              "import { callIt } from './index';\n"
              "export function run() { callIt(); }\n");
    lab_write(&l, "wrong.ts", "function callIt() {}\nexport function stop() { callIt(); }\n");
    go();
    callers("call", "run");
    callers("other", "");
    end();
}

KEN_TEST(an_explanation_names_a_callee_once_and_lines_of_the_file_only)
{
    start("lib.h", "int far_call(int x);\n");
    lab_write(&l, "lib.c", "#include \"lib.h\"\nint far_call(int x) { return x; }\n");
    lab_write(&l, "main.c", "#include \"lib.h\"\nint run(void)\n{\n    return far_call(1);\n}\n");
    go();
    ken_explanation x;
    kt_ok_err(ken_explain(snap, KEN_STR("main.c"), 1, 4, NULL, &l.arena, &x, &l.err), &l.err);
    kt_eq_u(x.n_callees, 1);
    kt_eq_text(x.callees[0].node.path, "lib.c");
    kt_eq_u(ken_explain(snap, KEN_STR("main.c"), 1, 40, NULL, &l.arena, &x, &l.err), KEN_EINVAL);
    kt_has_str(l.err.msg, "line_end");
    end();
}

KEN_TEST(one_dependent_is_no_plural)
{
    start("a.c", "static int one(void) { return 1; }\nint two(void) { return one(); }\n");
    go();
    ken_impact m;
    ken_impact_opts o = { .symbol = KEN_STR("one"), .num_similar = UINT32_MAX };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &m, &l.err), &l.err);
    kt_eq_text(m.reasons[0], "1 definition depends on it within 3 steps, 1 directly");
    end();
}

static void routes_of(const char *symbol, size_t n, uint32_t line)
{
    ken_impact m;
    ken_impact_opts o = { .symbol = ken_str_c(symbol), .num_similar = UINT32_MAX };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &m, &l.err), &l.err);
    kt_eq_u(m.n_routes, n);
    for (size_t i = 0; i < m.n_routes; i++)
        kt_eq_u(m.routes[i].line, line);
}

KEN_TEST(routes_that_were_found_before_are_looked_for_again_when_their_file_changes)
{
    start("app.py", "from flask import Flask\napp = Flask(__name__)\n\n@app.route('/a')\n"
                    "def first():\n    return second()\n");
    lab_write(&l, "lib.py", "def second():\n    return 1\n");
    go();
    routes_of("first", 1, 3);
    routes_of("first", 1, 3);
    lab_write(&l, "app.py",
              "from flask import Flask\napp = Flask(__name__)\n\n\n\n@app.route('/a')\n"
              "def first():\n    return second()\n");
    routes_of("first", 1, 5);
    end();
}

KEN_TEST(rails_routes_lead_to_actions_of_controllers)
{
    start("config/routes.rb", "Rails.application.routes.draw do\n"
                              "  namespace :admin do\n"
                              "    resources :articles, only: [:index, :show]\n"
                              "  end\n"
                              "  get '/about', to: 'pages#about'\n"
                              "end\n");
    lab_write(&l, "app/controllers/admin/articles_controller.rb",
              "module Admin\n"
              "  class ArticlesController < ApplicationController\n"
              "    def index\n"
              "      load\n"
              "    end\n"
              "    def load\n"
              "    end\n"
              "  end\n"
              "end\n");
    lab_write(&l, "app/controllers/articles_controller.rb",
              "class ArticlesController\n  def show\n  end\nend\n");
    go();
    ken_route *routes;
    size_t n;
    kt_ok_err(ken_find_routes(snap, KEN_STR(""), NULL, &l.arena, &routes, &n, &l.err), &l.err);
    kt_eq_u(n, 3);
    kt_eq_text(routes[0].path, "/admin/articles");
    kt_eq_text(routes[0].handler, "Admin::ArticlesController.index");
    kt_eq_u(routes[0].line, 2);
    kt_true(routes[0].handler_id.file != UINT32_MAX);
    kt_true(routes[1].handler_id.file == UINT32_MAX); // another module's `show`
    kt_eq_text(routes[2].path, "/about");
    routes_of("load", 1, 2);
    end();
}

KEN_TEST(prefixes_of_laravel_groups_come_before_the_paths_inside)
{
    start("routes/web.php", "<?php\n"
                            "use Illuminate\\Support\\Facades\\Route;\n"
                            "Route::get('/', [Home::class, 'index']);\n"
                            "Route::prefix('admin')->middleware(['auth'])->group(function () {\n"
                            "    Route::get('users', [Users::class, 'index']); // don't mind (\n"
                            "    Route::middleware('x')->prefix('/deep/')->group(function () {\n"
                            "        Route::post('/tags', [Tags::class, 'store']);\n"
                            "    });\n"
                            "    Route::delete('users', [Users::class, 'drop']);\n"
                            "});\n"
                            "Route::get('after', [Home::class, 'after']);\n");
    lab_write(&l, "app/Cart.php",
              "<?php\n"
              "use Illuminate\\Support\\Facades\\Cache;\n"
              "function cart() { return Cache::get('/cart'); }\n");
    go();
    ken_route *routes;
    size_t n;
    static const char *const paths[] = { "/", "/admin/users", "/admin/deep/tags", "/admin/users",
                                         "/after" };
    kt_ok_err(ken_find_routes(snap, KEN_STR(""), NULL, &l.arena, &routes, &n, &l.err), &l.err);
    kt_eq_u(n, 5);
    for (size_t i = 0; i < n; i++)
        kt_eq_text(routes[i].path, paths[i]);
    end();
}

// 300 groups in each other with 300 routes: the answer has all of them, and is not made of the
// 90,000 pairs.
KEN_TEST(groups_in_each_other_are_followed_once)
{
    ken_buf text = KEN_BUF_INIT(0);
    ken_buf_puts(&text, "<?php\nuse Illuminate\\Support\\Facades\\Route;\n");
    for (int i = 0; i < 300; i++)
        ken_buf_puts(&text, "Route::prefix('a')->group(function () {\n");
    for (int i = 0; i < 300; i++)
        ken_buf_puts(&text, "Route::get('/x', 'f');\n");
    for (int i = 0; i < 300; i++)
        ken_buf_puts(&text, "});\n");
    start("routes/web.php", text.ptr);
    go();
    ken_route *routes;
    size_t n, before = l.arena.used_bytes;
    kt_ok_err(ken_find_routes(snap, KEN_STR(""), NULL, &l.arena, &routes, &n, &l.err), &l.err);
    kt_eq_u(n, 300);
    kt_eq_text(routes[299].path, "…/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/x");
    kt_true(l.arena.used_bytes - before < 4 << 20);
    ken_buf_release(&text);
    end();
}

KEN_TEST(at_depth_one_nothing_is_left_out)
{
    char text[2000];
    int n = 0;
    for (int i = 10; i < 40; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "void f%d(void) {}\n", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "void all(void) {\n");
    for (int i = 10; i < 40; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "f%d();\n", i);
    snprintf(text + n, sizeof text - (size_t)n, "}\n");
    start("a.c", text);
    go();
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("all"), .max_depth = 1 };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_eq_u(t.n_steps, 31);
    o.max_depth = 2;
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_eq_u(t.n_steps, 13);
    end();
}

static const char ops_h[] =
    "struct ops { const char *name; int (*open)(int); int (*close)(int); };\n"
    "struct other { int (*open)(int); int state; };\n"
    "#define STATE_IDLE 1\n";

static void start_c(const char *text)
{
    start("ops.h", ops_h);
    lab_write(&l, "a.c", text);
    go();
}

KEN_TEST(a_call_through_a_field_leads_to_what_is_put_into_it)
{
    start_c("#include \"ops.h\"\n"
            "static int my_open(int x) { return x; }\n"
            "static int my_close(int x) { return x; }\n"
            "static int other_open(int x) { return x; }\n"
            "static struct ops named = { .open = my_open };\n"
            "static struct other o = { .open = other_open, .state = STATE_IDLE };\n"
            "void set(struct ops *p) { p->close = my_close; }\n"
            "int run(struct ops *p) { return p->open(1); }\n"
            "int stop(struct ops *p) { return p->close(1); }\n"
            "int run_other(struct other *p) { return p->open(1) + p->state; }\n");
    callees("run", "open my_open?");
    callees("stop", "close my_close?");
    callees("run_other", "open other_open?");
    callers("my_open", "named run");
    callers("other_open", "o run_other");
    end();
}

KEN_TEST(literals_without_names_count_the_fields)
{
    start_c(
        "#include \"ops.h\"\n"
        "static int get_open(int x) { return x; }\n"
        "static int get_close(int x) { return x; }\n"
        "static int set_open(int x) { return x; }\n"
        "static struct ops one = { \"one\", get_open, get_close };\n"
        "static struct ops all[] = { { \"a\", get_open, 0 }, { \"b\", set_open, get_close } };\n"
        "int run(struct ops *p) { return p->open(1); }\n"
        "int stop(struct ops *p) { return p->close(1); }\n");
    callees("run", "open get_open? set_open?");
    callees("stop", "close get_close?");
    callers("set_open", "all run");
    end();
}

KEN_TEST(who_reads_a_table_of_functions_may_run_them)
{
    start_c("typedef int handler_fn(int);\n"
            "static int on_get(int x) { return x; }\n"
            "static int on_set(int x) { return x; }\n"
            "static int limits[] = { 1, 2 };\n"
            "static handler_fn *handlers[] = { on_get, on_set };\n"
            "int dispatch(int i) { return handlers[i](i) + limits[i]; }\n");
    callees("dispatch", "on_get? on_set?");
    callers("on_set", "handlers dispatch");
    end();
}

KEN_TEST(usages_say_through_what_and_impact_goes_on_through_it)
{
    start_c("#include \"ops.h\"\n"
            "static int my_open(int x) { return x; }\n"
            "static struct ops named = { .open = my_open };\n"
            "int run(struct ops *p) { return p->open(1); }\n"
            "int main(void) { return run(&named); }\n");
    ken_usages u;
    ken_usages_opts o = { .name = KEN_STR("my_open") };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, 2);
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 1);
    const ken_usage *last = &u.files[0].usages[1];
    kt_eq_u(last->line, 3);
    kt_eq_text(last->within, "run");
    kt_eq_i(last->class, KEN_EDGE_INFERRED);
    kt_eq_text(last->evidence, "called through the field that it is put into");
    ken_impact i;
    ken_impact_opts io = { .symbol = KEN_STR("my_open") };
    kt_ok_err(ken_query_impact(snap, &io, NULL, &l.arena, &i, &l.err), &l.err);
    bool has_main = false;
    for (size_t k = 0; k < i.n_dependents; k++)
        has_main = has_main || ken_str_eq_c(i.dependents[k].node.name, "main");
    kt_true(has_main);
    end();
}

KEN_TEST(other_languages_put_functions_into_fields_too)
{
    start("a.js", "function onGet(x) { return x }\n"
                  "const handlers = { get: onGet }\n"
                  "function run(x) { return handlers.get(x) }\n");
    lab_write(&l, "b.go",
              "package b\n"
              "type Ops struct { Open func(int) int; N int }\n"
              "func myOpen(x int) int { return x }\n"
              "func make() Ops { return Ops{Open: myOpen, N: 1} }\n"
              "func runGo(o Ops) int { return o.Open(1) }\n");
    lab_write(&l, "c.rs",
              "struct Ops { open: fn(i32) -> i32 }\n"
              "fn rs_open(x: i32) -> i32 { x }\n"
              "fn build() -> Ops { Ops { open: rs_open } }\n"
              "fn run_rs(o: &Ops) -> i32 { (o.open)(1) }\n");
    go();
    callees("run", "get onGet?");
    callees("runGo", "Open myOpen?");
    callees("run_rs", "open rs_open?");
    end();
}
