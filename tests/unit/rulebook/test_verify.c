// SPDX-License-Identifier: MIT
// Checks of rules, on little repositories in several languages.
#include <ftw.h>

#include "base/buf.h"
#include "rulebook/rulebook_verify.h"
#include "rules/rules.h"
#include "unit/index/index_lab.h"

static index_lab l;
static ken_snapshot *snap;
static ken_rules_doc doc;

static void start(void)
{
    lab_start(&l);
    snap = NULL;
}

static void end(void)
{
    lab_close(snap);
    snap = NULL;
    lab_end(&l);
}

static void index_all(void)
{
    lab_run(&l);
    snap = lab_open(&l);
}

// The rules of "constraints:" and this text.
static void read_rules(const char *items)
{
    ken_str text = ken_arena_printf(&l.arena, "version: 1\nconstraints:\n%s", items);
    kt_ok_err(ken_rules_parse(KEN_STR("ARCHITECTURE.yml"), text, &l.arena, &doc, &l.err), &l.err);
    for (size_t i = 0; i < doc.n_issues; i++)
        kt_fail("issue: " KEN_STR_FMT, KEN_STR_ARG(doc.issues[i].message));
}

static ken_verification verify_with(const ken_verify_opts *o)
{
    ken_verification r;
    l.err = (ken_err){ 0 };
    kt_ok_err(ken_verify_rules(snap, doc.rules, doc.n_rules, o, NULL, &l.arena, &r, &l.err),
              &l.err);
    return r;
}

// "a.py:3 message > good.py": one line for each violation.
static const char *text_of(const ken_verification *r)
{
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < r->n; i++) {
        const ken_violation *x = &r->violations[i];
        ken_buf_printf(&b, KEN_STR_FMT ":%u " KEN_STR_FMT, KEN_STR_ARG(x->path), x->first_line + 1,
                       KEN_STR_ARG(x->message));
        if (x->example.path.len)
            ken_buf_printf(&b, " > " KEN_STR_FMT, KEN_STR_ARG(x->example.path));
        if (x->example.symbol.len)
            ken_buf_printf(&b, ":" KEN_STR_FMT, KEN_STR_ARG(x->example.symbol));
        ken_buf_putc(&b, '\n');
    }
    const char *text = ken_arena_dup(&l.arena, ken_buf_str(&b)).ptr;
    ken_buf_release(&b);
    return text;
}

static const char *check(const char *items)
{
    read_rules(items);
    ken_verification r = verify_with(&(ken_verify_opts){ .max = 0 });
    return text_of(&r);
}

// ---- imports ------------------------------------------------------------------------------------

KEN_TEST(forbidden_imports_in_python)
{
    start();
    lab_write(&l, "src/db/users.py", "import os\nfrom src.web import views\n");
    lab_write(&l, "src/db/pool.py", "# from src.web import views\nimport os\n");
    lab_write(&l, "src/web/views.py", "from src.db import users\n");
    lab_write(&l, "src/job.py", "import src.web.views as v\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: \"src/db/**\", to: \"src/web/**\" }\n"),
              "src/db/users.py:2 imports 'src/web/views.py', which 'src/db/**' must not > "
              "src/db/pool.py\n");
    kt_eq_str(check("  - id: a\n    rule: x\n    example: src/db/best.py\n    check:\n"
                    "      forbid_import: { from: src, to: os, except: src/db/pool.py }\n"),
              "src/db/users.py:1 imports 'os', which 'src' must not > src/db/best.py\n");
    end();
}

// What programs wrote is not looked at, and files after it keep their numbers.
KEN_TEST(files_behind_generated_ones_are_those_that_are_meant)
{
    start();
    for (int i = 0; i < 40; i++) {
        char path[32];
        snprintf(path, sizeof path, "gen/a%d_pb2.py", i);
        lab_write(&l, path, "from web import views\n");
    }
    lab_write(&l, "src/db/pool.py", "import os\n");
    lab_write(&l, "src/db/users.py", "from web import views\n");
    lab_write(&l, "web/__init__.py", "A = 1\n");
    lab_write(&l, "web/views.py", "B = 1\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: \"**\", to: \"web/**\" }\n"),
              "src/db/users.py:1 imports 'web/__init__.py', which '**' must not > "
              "src/db/pool.py\n");
    end();
}

KEN_TEST(imports_of_types_alone_count_only_when_asked)
{
    start();
    lab_write(&l, "client/app.ts", "import type { Api } from '../server/api';\n");
    lab_write(&l, "client/run.ts", "import { start } from '../server';\n");
    lab_write(&l, "client/index.ts", "export { start } from './run';\n");
    lab_write(&l, "client/page.ts", "import { start } from './index';\n");
    lab_write(&l, "server/api.ts", "export type Api = string;\nexport const start = 1;\n");
    lab_write(&l, "server/index.ts", "export { start } from './api';\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: client, to: server }\n"),
              "client/run.ts:1 imports 'server/index.ts', which 'client' must not > "
              "client/app.ts\n");
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: client, to: \"server/api.ts\", types: true }\n"),
              "client/app.ts:1 imports 'server/api.ts', which 'client' must not > "
              "client/index.ts\n");
    end();
}

KEN_TEST(forbidden_packages_in_java_and_go)
{
    start();
    lab_write(&l, "app/A.java", "package app;\nimport java.sql.Connection;\nclass A {}\n");
    lab_write(&l, "app/B.java", "package app;\nimport java.sqlite.X;\nclass B {}\n");
    lab_write(&l, "go.mod", "module example.com/x\n");
    lab_write(&l, "core/c.go",
              "package core\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n"
              "\t\"example.com/x/web\"\n)\n");
    lab_write(&l, "web/w.go", "package web\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: [app, core], to: [java.sql, net/http, web] }\n"),
              "app/A.java:2 imports 'java.sql', which 'app' must not > "
              "app/B.java\n"
              "core/c.go:5 imports 'net/http', which 'core' must not > app/B.java\n"
              "core/c.go:6 imports 'web/w.go', which 'core' must not > app/B.java\n");
    end();
}

KEN_TEST(layers_import_downwards_only)
{
    start();
    lab_write(&l, "src/base/b.h", "int b(void);\n");
    lab_write(&l, "src/base/b.c", "#include \"base/b.h\"\n#include \"web/w.h\"\n");
    lab_write(&l, "src/model/m.h", "#include \"base/b.h\"\n");
    lab_write(&l, "src/web/w.h", "#include \"model/m.h\"\n#include \"web/v.h\"\n");
    lab_write(&l, "src/web/v.h", "#include \"gone.h\"\n");
    lab_write(&l, "tools/t.c", "#include \"../src/web/w.h\"\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      layers: [\"src/base/**\", \"src/model/**\", \"src/web/**\"]\n"),
              "src/base/b.c:2 imports 'src/web/w.h' of layer 'src/web/**'; layer 'src/base/**' may "
              "import only itself and those before it > src/base/b.h\n");
    ken_verification r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_eq_u(r.outcomes[0].n_files, 5); // tools are in no layer
    kt_eq_u(r.outcomes[0].n_undecided, 1);
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      layers: [\"src/base/**\", \"src/wep/**\"]\n"),
              "");
    r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_eq_text(r.outcomes[0].note, "layer 'src/wep/**' has no file");
    end();
}

// ---- calls --------------------------------------------------------------------------------------

KEN_TEST(handlers_must_call_something)
{
    start();
    lab_write(&l, "src/auth.js", "exports.requireAuth = function (q, s, n) { n(); };\n");
    lab_write(&l, "src/routes/users.js",
              "const express = require('express');\nconst { requireAuth: need } = "
              "require('../auth');\nconst router = express.Router();\n"
              "function show(req, res) { res.send(1); }\n"
              "router.get('/a', need, show);\n"
              "router.get('/b', show);\n"
              "router.get('/c', (req, res) => { need(req); res.send(2); });\n"
              "router.get('/d', (req, res) => { res.send('requireAuth'); });\n"
              "router.get('/e', later[0]);\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      require_call: { in: \"src/routes/**\", of: handlers, call: "
                    "requireAuth }\n"),
              "src/routes/users.js:6 handler of GET …/b does not call 'requireAuth' > "
              "src/routes/users.js:show\n"
              "src/routes/users.js:8 handler of GET …/d does not call 'requireAuth' > "
              "src/routes/users.js:show\n");
    ken_verification r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_eq_u(r.outcomes[0].n_seen, 5);
    kt_eq_u(r.outcomes[0].n_undecided, 1);
    end();
}

KEN_TEST(handlers_of_python_are_guarded_by_decorators)
{
    start();
    lab_write(&l, "auth.py", "def login_required(f):\n    return f\n");
    lab_write(&l, "app.py",
              "from flask import Flask\nfrom auth import login_required\napp = Flask(__name__)\n\n"
              "@app.route('/a')\n@login_required\ndef a():\n    return 1\n\n"
              "@app.route('/b')\ndef b():\n    # login_required\n    return 1\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      require_call: { of: handlers, call: \"auth.py:login_required\" }\n"),
              "app.py:10 handler of GET /b does not call 'auth.py:login_required' > app.py:a\n");
    end();
}

KEN_TEST(only_routes_of_some_methods_must_call_it)
{
    start();
    lab_write(&l, "api.js",
              "const express = require('express');\nconst router = express.Router();\n"
              "router.get('/a', (req, res) => { res.send('a'); });\n"
              "router.post('/b', requireAuth, (req, res) => { res.send('b'); });\n"
              "router.put('/c', (req, res) => { res.send('c'); });\n"
              "router.all('/d', (req, res) => { res.send('d'); });\n"
              "const app = express();\napp.use('/api', router);\n"); // no handler
    index_all();
    kt_eq_str(
        check("  - id: a\n    rule: x\n    check:\n"
              "      require_call: { of: handlers, methods: [POST, PUT], call: requireAuth }\n"),
        "api.js:5 handler of PUT /api/c does not call 'requireAuth' > api.js\n"
        "api.js:6 handler of ALL /api/d does not call 'requireAuth' > api.js\n");
    end();
}

// Routes that a test makes for itself are no endpoints.
KEN_TEST(routes_of_tests_are_not_asked)
{
    start();
    lab_write(&l, "tests/api.test.js",
              "const express = require('express');\nconst app = express();\n"
              "app.get('/a', (req, res) => { res.send('a'); });\n");
    lab_write(&l, "api.js",
              "const express = require('express');\nconst app = express();\n"
              "app.get('/b', (req, res) => { res.send('a'); });\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      require_call: { of: handlers, call: requireAuth }\n"),
              "api.js:3 handler of GET /b does not call 'requireAuth'\n");
    end();
}

KEN_TEST(functions_must_call_one_before_another)
{
    start();
    lab_write(&l, "a.go",
              "package a\n\n"
              "func SaveA() { check(); db.Write() }\n"
              "func SaveB() { db.Write(); check() }\n"
              "func SaveC() { db.Write() }\n"
              "func SaveD() { log() }\n"
              "func Load() { db.Write() }\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      require_call: { of: functions, named: \"^Save\", call: check, before: "
                    "\"\\\\.Write$\" }\n"),
              "a.go:4 function 'SaveB' calls 'db.Write' before 'check', which must come first > "
              "a.go:SaveA\n"
              "a.go:5 function 'SaveC' calls 'db.Write' without 'check', which must come first > "
              "a.go:SaveA\n");
    end();
}

// What stands behind the guard of type checkers is not there when the program runs.
KEN_TEST(python_imports_for_types_alone_do_not_count)
{
    start();
    lab_write(&l, "web/views.py", "class View:\n    pass\n");
    lab_write(&l, "web/urls.py", "ROOT = '/'\n");
    lab_write(&l, "db/users.py",
              "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
              "    from web.views import View\nelse:\n    from web.urls import ROOT\n");
    lab_write(&l, "db/orders.py",
              "import typing\n\nif typing.TYPE_CHECKING:\n"
              "    import web.urls\nimport web.views\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: db, to: web }\n"),
              "db/orders.py:5 imports 'web/views.py', which 'db' must not\n"
              "db/users.py:6 imports 'web/urls.py', which 'db' must not\n");
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      forbid_import: { from: db, to: web/views.py, types: true }\n"),
              "db/orders.py:5 imports 'web/views.py', which 'db' must not\n"
              "db/users.py:4 imports 'web/views.py', which 'db' must not\n");
    end();
}

// ---- names, places, sizes -----------------------------------------------------------------------

KEN_TEST(names_match_patterns)
{
    start();
    lab_write(&l, "src/good_name.py", "def good_name():\n    pass\n\ndef badName():\n    pass\n");
    lab_write(&l, "src/BadName.py", "class lower:\n    def Method(self):\n        pass\n");
    lab_write(&l, "web/x.ts", "export function okHere() {}\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    applies_to: src\n    check:\n"
                    "      naming: { kind: function, pattern: \"^[a-z_]+$\" }\n"
                    "  - id: b\n    rule: x\n    check:\n"
                    "      naming: { kind: class, pattern: \"^[A-Z]\" }\n"
                    "  - id: c\n    rule: x\n    check:\n"
                    "      naming: { kind: file, in: \"src/**\", pattern: \"^[a-z_]+$\" }\n"),
              "src/BadName.py:1 name of class 'lower' does not match '^[A-Z]'\n"
              "src/BadName.py:1 file name 'BadName' does not match '^[a-z_]+$' > "
              "src/good_name.py\n"
              "src/good_name.py:4 name of function 'badName' does not match '^[a-z_]+$' > "
              "src/good_name.py:good_name\n");
    end();
}

KEN_TEST(files_lie_where_they_belong)
{
    start();
    lab_write(&l, "tests/a_test.go", "package a\n");
    lab_write(&l, "src/b_test.go", "package b\n");
    lab_write(&l, "src/c.go", "package b\n");
    index_all();
    kt_eq_str(check("  - id: a\n    rule: x\n    check:\n"
                    "      placement: { files: \"**/*_test.go\", under: \"tests/**\" }\n"),
              "src/b_test.go:1 lies outside of 'tests/**', where it belongs > tests/a_test.go\n");
    end();
}

KEN_TEST(sizes_have_a_maximum)
{
    start();
    lab_write(&l, "a.c",
              "int small(int a)\n{\n    return a;\n}\n\n"
              "int large(int a, int b, int c)\n{\n    if (a)\n        return b;\n    if (b)\n"
              "        return c;\n    return 0;\n}\n");
    lab_write(&l, "b.c", "int b;\n");
    index_all();
    kt_eq_str(check("  - { id: a, rule: x, check: { max: { what: file_lines, value: 12 } } }\n"
                    "  - { id: b, rule: x, check: { max: { what: function_lines, value: 7 } } }\n"
                    "  - { id: c, rule: x, check: { max: { what: parameters, value: 2 } } }\n"
                    "  - { id: d, rule: x, check: { max: { what: complexity, value: 2 } } }\n"),
              "a.c:1 has 13 lines; at most 12 are allowed > b.c\n"
              "a.c:6 function 'large' has 8 lines; at most 7 are allowed > a.c:small\n"
              "a.c:6 function 'large' has 3 parameters; at most 2 are allowed > a.c:small\n"
              "a.c:6 function 'large' has 3 paths through it (complexity); at most 2 are allowed > "
              "a.c:small\n");
    end();
}

KEN_TEST(forbidden_symbols_under_whatever_name)
{
    start();
    lab_write(&l, "src/a.c", "#include <string.h>\nvoid f(char *d) { strcpy(d, \"x\"); }\n");
    lab_write(&l, "src/base/b.c", "#include <string.h>\nvoid g(char *d) { strcpy(d, \"x\"); }\n");
    lab_write(&l, "src/own.c", "static void strcpy(char *d) {}\nvoid h(char *d) { strcpy(d); }\n");
    lab_write(&l, "run.py", "from os import system as go\n# os.system\ngo('x')\n");
    index_all();
    kt_eq_str(
        check("  - id: a\n    rule: x\n    check:\n"
              "      forbid_symbol: { name: strcpy, in: \"src/**\", except: \"src/base/**\" }\n"
              "  - id: b\n    rule: x\n    check:\n"
              "      forbid_symbol: { name: [os.system, os.popen] }\n"),
        "run.py:1 uses 'os.system' (as 'system'), which is forbidden here\n"
        "run.py:3 uses 'os.system' (as 'go'), which is forbidden here\n"
        "src/a.c:2 uses 'strcpy', which is forbidden here\n");
    end();
}

// ---- limits -------------------------------------------------------------------------------------

KEN_TEST(only_what_is_asked_for_is_reported)
{
    start();
    lab_write(&l, "a/x.py", "def Bad():\n    pass\n");
    lab_write(&l, "b/y.py", "def Bad():\n    pass\n\ndef Worse():\n    pass\n");
    index_all();
    read_rules("  - { id: a, rule: x, check: { naming: { pattern: \"^[a-z]+$\" } } }\n"
               "  - just words, which nobody can check\n");
    ken_str only = KEN_STR("b");
    ken_verification r = verify_with(&(ken_verify_opts){ .paths = { &only, 1 }, .max = 1 });
    kt_eq_str(text_of(&r), "b/y.py:1 name of function 'Bad' does not match '^[a-z]+$'\n");
    kt_eq_u(r.n_found, 2);
    kt_true(r.is_truncated);
    kt_eq_u(r.n_checked, 1);
    kt_eq_u(r.n_files, 1);
    kt_false(r.outcomes[1].is_checked);
    end();
}

KEN_TEST(a_name_that_is_none_stops_its_own_rule_only)
{
    start();
    lab_write(&l, "a.py", "def Bad():\n    pass\n");
    index_all();
    read_rules("  - { id: a, rule: x, check: { forbid_symbol: { name: \"os.\" } } }\n"
               "  - { id: b, rule: x, check: { naming: { pattern: \"^[a-z]+$\" } } }\n");
    ken_verification r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_false(r.outcomes[0].is_checked);
    kt_eq_text(r.outcomes[0].note, "name: 'os.' is not a name");
    kt_eq_str(text_of(&r), "a.py:1 name of function 'Bad' does not match '^[a-z]+$'\n");
    kt_eq_u(r.n_checked, 1);
    end();
}

KEN_TEST(what_cannot_be_checked_is_said)
{
    start();
    lab_write(&l, "a.py", "def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1():\n    pass\n");
    index_all();
    kt_eq_str(check("  - { id: a, rule: x, check: { naming: { in: \"no/**\", pattern: x } } }\n"
                    "  - { id: b, rule: x, check: { naming: { pattern: \"^(a+)+$\" } } }\n"),
              "");
    ken_verification r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_eq_text(r.outcomes[0].note, "no file is looked at: its globs match none");
    kt_eq_u(r.outcomes[0].n_files, 0);
    kt_eq_u(r.outcomes[1].n_undecided, 1);
    kt_true(r.outcomes[1].note.len > 0);
    ken_rule bad = doc.rules[0];
    ken_str glob = KEN_STR("src/[a");
    bad.check.in = (ken_str_list){ &glob, 1 };
    kt_ok_err(
        ken_verify_rules(snap, &bad, 1, &(ken_verify_opts){ .max = 0 }, NULL, &l.arena, &r, &l.err),
        &l.err);
    kt_false(r.outcomes[0].is_checked);
    kt_has_str(ken_arena_dup(&l.arena, r.outcomes[0].note).ptr, "src/[a");
    end();
}

// ---- this tree ----------------------------------------------------------------------------------

static const char *copied_from;

static int copy_source(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    size_t n = strlen(path);
    if (type == FTW_F && n > 2 && (!strcmp(path + n - 2, ".c") || !strcmp(path + n - 2, ".h"))) {
        ken_str text = ktest_read(path);
        lab_write_n(&l, path + strlen(copied_from) + 1, text.ptr, text.len);
    }
    return 0;
}

KEN_TEST(the_layers_of_ken_hold)
{
    static const char *const folders[] = { "base", "model", "token", "scan", "graph", "query" };
    start();
    copied_from = KEN_TEST_SOURCE_DIR "/..";
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        ken_str folder = ken_arena_printf(&l.arena, KEN_TEST_SOURCE_DIR "/../src/%s", folders[i]);
        kt_eq_i(nftw(folder.ptr, copy_source, 20, FTW_PHYS), 0);
    }
    index_all();
    kt_eq_str(check("  - id: layers\n    rule: A module uses those below it.\n    check:\n"
                    "      layers: [src/base, src/model, src/token, src/scan, src/graph, "
                    "src/query]\n"
                    "  - id: malloc\n    rule: The malloc family appears only in base/alloc.c.\n"
                    "    check:\n      forbid_symbol: { name: [malloc, calloc, realloc, free], "
                    "except: src/base/alloc.c }\n"
                    "  - id: names\n    rule: Files are named after their module.\n    check:\n"
                    "      naming: { kind: file, in: src/scan, pattern: \"^scan(_[a-z]+)*$\" }\n"),
              "");
    ken_verification r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_eq_u(r.n_checked, 3);
    kt_true(r.outcomes[0].n_files > 100);
    read_rules("  - id: upside-down\n    rule: x\n    check:\n"
               "      layers: [src/query, src/base]\n");
    r = verify_with(&(ken_verify_opts){ .max = 0 });
    kt_true(r.n_found > 30);
    end();
}
