// SPDX-License-Identifier: MIT
// Plain lists over a tree: imports, definitions, calls, uses of names.
#include "base/buf.h"
#include "query/query_facts.h"
#include "unit/query/sample_lab.h"

static void start(void)
{
    lab_start(&l);
    snap = NULL;
}

static ken_str_list words(const char *text)
{
    ken_str rest = ken_str_c(text), part;
    ken_str_list list = { KEN_ARENA_ARRAY(&l.arena, ken_str, rest.len + 1), 0 };
    while (ken_str_split_next(&rest, ' ', &part))
        if (part.len)
            list.items[list.n++] = part;
    return list;
}

static const char *text_of(ken_buf *b)
{
    const char *text = ken_arena_dup(&l.arena, ken_buf_str(b)).ptr;
    ken_buf_release(b);
    return text;
}

// ---- imports ------------------------------------------------------------------------------------

static ken_imports imports_of(const char *in, const char *to)
{
    ken_imports out;
    ken_imports_query q = { .scope.in = words(in), .to = words(to), .wants_places = true };
    kt_ok_err(ken_list_imports(snap, &q, NULL, &l.arena, &out, &l.err), &l.err);
    return out;
}

// "a.py:1 b > b.py\n": one line each; packages have nothing behind the arrow.
static const char *imports_text(const char *in, const char *to)
{
    ken_imports r = imports_of(in, to);
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < r.n; i++) {
        const ken_import_fact *f = &r.items[i];
        ken_buf_printf(&b, KEN_STR_FMT ":%u " KEN_STR_FMT, KEN_STR_ARG(f->path), f->at.line + 1,
                       KEN_STR_ARG(f->module));
        ken_buf_puts(&b, f->target == KEN_IMPORT_FILES     ? " >"
                         : f->target == KEN_IMPORT_PACKAGE ? " package"
                                                           : " ?");
        for (uint32_t k = 0; k < f->n_files; k++)
            ken_buf_printf(&b, " " KEN_STR_FMT, KEN_STR_ARG(f->files[k]));
        ken_buf_puts(&b, f->is_type_only ? " (types)\n" : "\n");
    }
    return text_of(&b);
}

KEN_TEST(imports_lead_to_files_and_packages)
{
    start();
    lab_write(&l, "db/__init__.py", "");
    lab_write(&l, "db/users.py", "import os\n\nfrom web import views\nfrom db.pool import open\n");
    lab_write(&l, "db/pool.py", "import sqlite3 as sql\n");
    lab_write(&l, "web/__init__.py", "");
    lab_write(&l, "web/views.py", "from db import users, pool\n");
    sample_index();
    kt_eq_str(imports_text("", ""), "db/pool.py:1 sqlite3 package\n"
                                    "db/users.py:1 os package\n"
                                    "db/users.py:3 web > web/views.py\n"
                                    "db/users.py:4 db.pool > db/pool.py\n"
                                    "web/views.py:1 db > db/users.py db/pool.py\n");
    kt_eq_str(imports_text("db/**", "web/**"), "db/users.py:3 web > web/views.py\n");
    kt_eq_str(imports_text("db", "web"), "db/users.py:3 web > web/views.py\n");
    kt_eq_str(imports_text("web", "web"), "");
    kt_eq_str(imports_text("", "sqlite3"), "db/pool.py:1 sqlite3 package\n");
    kt_eq_str(imports_text("", "sqlite"), "");
    sample_end();
}

KEN_TEST(imports_of_types_alone_are_told_apart)
{
    start();
    lab_write(&l, "src/a.ts",
              "import type { Row } from './b';\nimport { type Cell } from './c';\n"
              "import type { X } from './d';\nimport { y } from './d';\n"
              "export { z } from './e';\nimport fp from 'lodash/fp';\n");
    lab_write(&l, "src/b.ts", "export type Row = string;\n");
    lab_write(&l, "src/c.ts", "export type Cell = string;\n");
    lab_write(&l, "src/d.ts", "export type X = string;\nexport const y = 1;\n");
    lab_write(&l, "src/e.ts", "export const z = 1;\n");
    sample_index();
    kt_eq_str(imports_text("", ""), "src/a.ts:1 ./b > src/b.ts (types)\n"
                                    "src/a.ts:2 ./c > src/c.ts (types)\n"
                                    "src/a.ts:4 ./d > src/d.ts\n"
                                    "src/a.ts:5 ./e > src/e.ts\n"
                                    "src/a.ts:6 lodash/fp package\n");
    kt_eq_str(imports_text("", "lodash"), "src/a.ts:6 lodash/fp package\n");
    sample_end();
}

KEN_TEST(each_of_many_modules_is_listed_once)
{
    start();
    ken_buf text = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 600; i++)
        ken_buf_printf(&text, "from pack%d import name%d\n", i % 300, i);
    ken_buf_putc(&text, '\0');
    lab_write(&l, "a.py", text.ptr);
    lab_write(&l, "b.py", "import pack7\n");
    sample_index();
    ken_imports r = imports_of("", "");
    kt_eq_u(r.n, 301);
    for (size_t i = 0; i < 300; i++) {
        kt_eq_u(r.items[i].at.line, i);
        kt_eq_text(r.items[i].name, ken_arena_printf(&l.arena, "name%zu", i).ptr);
    }
    kt_eq_text(r.items[300].path, "b.py");
    ken_buf_release(&text);
    sample_end();
}

KEN_TEST(imports_that_lead_nowhere_are_counted)
{
    start();
    lab_write(&l, "a.c", "#include <stdio.h>\n#include \"gone.h\"\n#include \"b.h\"\n");
    lab_write(&l, "b.h", "int b;\n");
    sample_index();
    ken_imports r = imports_of("", "");
    kt_eq_u(r.n, 3);
    kt_eq_u(r.n_unknown, 1);
    kt_eq_u(r.n_files, 2);
    kt_eq_u(imports_of("", "b.h").n, 1);
    sample_end();
}

KEN_TEST(a_changed_file_is_seen_as_it_is_now)
{
    start();
    lab_write(&l, "a.py", "import b\n");
    lab_write(&l, "b.py", "x = 1\n");
    sample_index();
    kt_eq_str(imports_text("", ""), "a.py:1 b > b.py\n");
    lab_write(&l, "a.py", "x = 2\nimport json\n");
    kt_eq_str(imports_text("", ""), "a.py:2 json package\n");
    sample_end();
}

KEN_TEST(bad_globs_are_refused)
{
    start();
    lab_write(&l, "a.py", "import b\n");
    sample_index();
    ken_imports out;
    ken_str bad = KEN_STR("src/[a");
    ken_imports_query q = { .scope.in = { &bad, 1 } };
    l.err = (ken_err){ 0 };
    kt_eq_i(ken_list_imports(snap, &q, NULL, &l.arena, &out, &l.err), KEN_EINVAL);
    kt_has_str(l.err.msg, "src/[a");
    sample_end();
}

// ---- definitions --------------------------------------------------------------------------------

static bool is_long(void *ctx, const ken_definition_fact *d)
{
    (void)ctx;
    return d->last_line > d->first_line;
}

static ken_definitions definitions_of(const char *in, uint32_t kinds)
{
    ken_definitions out;
    ken_definitions_query q = { .scope.in = words(in), .kinds = kinds };
    kt_ok_err(ken_list_definitions(snap, &q, NULL, &l.arena, &out, &l.err), &l.err);
    return out;
}

static const char *definitions_text(const ken_definitions *r)
{
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < r->n; i++) {
        const ken_definition_fact *d = &r->items[i];
        ken_buf_printf(&b, KEN_STR_FMT ":%u-%u %s " KEN_STR_FMT, KEN_STR_ARG(d->path),
                       d->first_line + 1, d->last_line + 1, ken_symbol_kind_word(d->kind),
                       KEN_STR_ARG(d->qualified));
        if (ken_symbol_is_callable(d->kind))
            ken_buf_printf(&b, " %u params, complexity %u", d->max_params, d->complexity);
        ken_buf_puts(&b, d->has_doc ? ", doc" : "");
        ken_buf_puts(&b, d->is_inside ? ", inside" : "");
        ken_buf_puts(&b, d->is_exported ? ", exported\n" : "\n");
    }
    return text_of(&b);
}

KEN_TEST(definitions_say_what_is_known_of_each)
{
    start();
    lab_write(&l, "a.ts",
              "/** Says hello. */\nexport function hello(name: string, loud = false) {\n"
              "  function inner() {}\n  if (loud && name) return 1;\n  return 0;\n}\n"
              "class Box {\n  put(x: number) {}\n}\n");
    lab_write(&l, "tests/a.test.ts", "function helper() {}\n");
    sample_index();
    ken_definitions r = definitions_of("a.ts", 0);
    kt_eq_str(definitions_text(&r),
              "a.ts:2-6 function hello 2 params, complexity 3, doc, exported\n"
              "a.ts:3-3 function hello.inner 0 params, complexity 1, inside\n"
              "a.ts:7-9 class Box\n"
              "a.ts:8-8 method Box.put 1 params, complexity 1, exported\n");
    kt_eq_u(r.n_files, 1);
    r = definitions_of("", 1u << KEN_SYMBOL_CLASS);
    kt_eq_u(r.n, 1);
    ken_definitions_query q = { .scope.without_tests = true, .keeps = is_long };
    kt_ok_err(ken_list_definitions(snap, &q, NULL, &l.arena, &r, &l.err), &l.err);
    kt_eq_u(r.n, 2);
    kt_eq_u(r.n_seen, 4);
    sample_end();
}

static const char *exports_text(const char *path, size_t limit)
{
    ken_str *names;
    size_t n;
    kt_ok_err(ken_list_exports(snap, ken_str_c(path), limit, &l.arena, &names, &n, &l.err), &l.err);
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < n; i++)
        ken_buf_printf(&b, KEN_STR_FMT " ", KEN_STR_ARG(names[i]));
    ken_buf_puts(&b, "");
    return text_of(&b);
}

KEN_TEST(exports_are_what_others_can_import)
{
    start();
    lab_write(&l, "keys.js",
              "function list() {}\nfunction hidden() {}\nconst get = () => list();\n"
              "module.exports = { list, get, all: list };\n");
    lab_write(&l, "one.js", "const router = make();\nmodule.exports = router;\n");
    lab_write(&l, "each.js", "exports.first = function () {};\nexports.second = 2;\n");
    lab_write(&l, "es.ts",
              "export function one() {}\nfunction own() {}\nexport { own as two };\n"
              "export { three } from './keys';\nexport default class Box { put() {} }\n");
    lab_write(&l, "all.py",
              "from keys import third\n__all__ = ['first', \"third\"]\n"
              "def first(): pass\ndef second(): pass\n");
    lab_write(&l, "none.py", "def first(): pass\ndef _second(): pass\n");
    lab_write(&l, "more.ts", "export const a = 1, b = () => 2;\nconst c = 3;\n");
    sample_index();
    kt_eq_str(exports_text("all.py", 9), "first third "); // G11
    kt_eq_str(exports_text("none.py", 9), "first ");
    kt_eq_str(exports_text("more.ts", 9), "a b ");
    kt_eq_str(exports_text("keys.js", 9), "list get all ");
    kt_eq_str(exports_text("one.js", 9), "router ");
    kt_eq_str(exports_text("each.js", 9), "first second ");
    kt_eq_str(exports_text("es.ts", 9), "one Box two three ");
    kt_eq_str(exports_text("keys.js", 2), "list get ");
    sample_end();
}

// ---- calls --------------------------------------------------------------------------------------

static const char *calls_text(const char *path, const char *name)
{
    ken_definitions d = definitions_of(path, 0);
    ken_part_calls *calls = NULL;
    for (size_t i = 0; i < d.n && !calls; i++)
        if (ken_str_eq_c(d.items[i].qualified, name))
            kt_ok_err(ken_list_calls(snap, &d.items[i].part, 1, NULL, &l.arena, &calls, &l.err),
                      &l.err);
    kt_not_null(calls);
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < calls->n; i++) {
        const ken_call_fact *c = &calls->items[i];
        ken_buf_printf(&b, "%u %s%s" KEN_STR_FMT " %s", c->at.line + 1,
                       c->role == KEN_REF_DECORATE ? "@" : "", c->role == KEN_REF_NEW ? "new " : "",
                       KEN_STR_ARG(c->name), ken_edge_class_word(c->class));
        if (c->to_path.len)
            ken_buf_printf(&b, " > " KEN_STR_FMT ":" KEN_STR_FMT, KEN_STR_ARG(c->to_path),
                           KEN_STR_ARG(c->to_name));
        ken_buf_putc(&b, '\n');
    }
    return text_of(&b);
}

KEN_TEST(calls_come_in_the_order_of_the_source)
{
    start();
    lab_write(&l, "auth.py", "def need(f):\n    return f\n\ndef check(req):\n    pass\n");
    lab_write(&l, "a.py",
              "import json\nfrom auth import need, check as verify\n\n"
              "@need\ndef show(req):\n    verify(req)\n    req.db.query('x')\n"
              "    return json.dumps(help())\n\ndef help():\n    return 1\n");
    sample_index();
    kt_eq_str(calls_text("a.py", "show"), "4 @need imported > auth.py:need\n"
                                          "6 verify imported > auth.py:check\n"
                                          "7 req.db.query external\n"
                                          "8 json.dumps external\n"
                                          "8 help scoped > a.py:help\n");
    sample_end();
}

KEN_TEST(calls_of_typescript_and_go)
{
    start();
    lab_write(&l, "a.ts",
              "class Repo { find(id: string) { return id; } }\n"
              "export function load(req: any) {\n  const r = new Repo();\n"
              "  return req.ctx?.db.users.get(r.find('x'));\n}\n");
    lab_write(&l, "go.mod", "module example.com/x\n");
    lab_write(&l, "s/s.go", "package s\n\nfunc Open() {}\n");
    lab_write(&l, "main.go",
              "package main\n\nimport \"example.com/x/s\"\n\nfunc main() {\n\ts.Open()\n}\n");
    sample_index();
    kt_eq_str(calls_text("a.ts", "load"), "3 new Repo scoped > a.ts:Repo\n"
                                          "4 req.ctx?.db.users.get external\n"
                                          "4 r.find scoped > a.ts:Repo.find\n");
    kt_eq_str(calls_text("main.go", "main"), "6 s.Open imported > s/s.go:Open\n");
    sample_end();
}

// ---- uses of names ------------------------------------------------------------------------------

static const char *uses_text(const char *names)
{
    ken_name_uses r;
    ken_facts_scope all = { .without_tests = false };
    ken_str_list list = words(names);
    kt_ok_err(ken_list_name_uses(snap, &all, &list, NULL, &l.arena, &r, &l.err), &l.err);
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < r.n; i++)
        ken_buf_printf(&b, KEN_STR_FMT ":%u:%u " KEN_STR_FMT "\n", KEN_STR_ARG(r.items[i].path),
                       r.items[i].at.line + 1, r.items[i].at.column + 1,
                       KEN_STR_ARG(r.items[i].written));
    return text_of(&b);
}

KEN_TEST(names_from_outside_are_found_under_whatever_name)
{
    start();
    lab_write(&l, "a.py", "import os\nos.system('x')\n");
    lab_write(&l, "b.py", "import os as o\no.system('x')\n");
    lab_write(&l, "c.py", "from os import system as run\nrun('x')\n");
    lab_write(&l, "d.py",
              "# os.system('x')\nclass os:\n    pass\ndef f(os):\n    os.system('y')\n");
    lab_write(&l, "e.py", "import mine\nmine.system('x')\n");
    lab_write(&l, "mine.py", "def system(x):\n    pass\n");
    sample_index();
    kt_eq_str(uses_text("os.system"), "a.py:2:4 os.system\nb.py:2:3 o.system\nc.py:1:16 system\n"
                                      "c.py:2:1 run\n");
    sample_end();
}

KEN_TEST(a_bare_name_is_no_member_and_not_the_files_own)
{
    start();
    lab_write(&l, "a.c", "#include <string.h>\nvoid f(char *d) { strcpy(d, \"x\"); }\n");
    lab_write(&l, "b.c", "static void strcpy(char *a) {}\nvoid g(char *d) { strcpy(d); }\n");
    lab_write(&l, "c.c",
              "/* strcpy */ struct s { void (*strcpy)(void); };\n"
              "void h(struct s *x) { x->strcpy(); puts(\"strcpy\"); }\n");
    sample_index();
    kt_eq_str(uses_text("strcpy"), "a.c:2:19 strcpy\n");
    sample_end();
}

KEN_TEST(names_of_scripts_and_of_what_is_in_the_tree)
{
    start();
    lab_write(&l, "src/db.ts",
              "export class Database { raw(q: string) {} }\n"
              "export function connect() { return new Database(); }\n");
    lab_write(&l, "src/a.ts",
              "import { connect } from './db';\nconsole.log(1);\nconst d = connect();\n"
              "d.raw('x');\n");
    lab_write(&l, "src/b.ts",
              "const { exec } = require('child_process');\nexec('x');\n"
              "function connect() {}\nconnect();\n");
    lab_write(&l, "src/c.ts",
              "import * as cp from 'node:child_process';\ncp.exec('x');\n"
              "const console = { log(x: any) {} };\nconsole.log(2);\n");
    sample_index();
    kt_eq_str(uses_text("console.log"), "src/a.ts:2:9 console.log\n");
    kt_eq_str(uses_text("Database.raw"), "src/a.ts:4:3 d.raw\n");
    kt_eq_str(uses_text("src/db.ts:connect"), "src/a.ts:1:10 connect\nsrc/a.ts:3:11 connect\n");
    kt_eq_str(uses_text("child_process.exec"), "src/b.ts:1:9 exec\nsrc/b.ts:2:1 exec\n"
                                               "src/c.ts:2:4 cp.exec\n");
    kt_eq_str(uses_text(".raw"), "src/a.ts:4:3 d.raw\n");
    sample_end();
}

KEN_TEST(names_of_go_java_and_rust)
{
    start();
    lab_write(&l, "a.go", "package a\n\nimport \"os/exec\"\n\nfunc f() { exec.Command(\"x\") }\n");
    lab_write(&l, "A.java",
              "import static java.lang.System.exit;\nclass A {\n"
              "  void f() { exit(1); System.out.println(2); }\n}\n");
    lab_write(&l, "a.rs", "fn f(x: Option<u8>) { x.unwrap(); println!(\"x\"); }\n");
    sample_index();
    kt_eq_str(uses_text("exec.Command os/exec.Command"), "a.go:5:17 exec.Command\n");
    kt_eq_str(uses_text("System.exit"), "A.java:1:32 java.lang.System.exit\nA.java:3:14 exit\n");
    kt_eq_str(uses_text("System.out.println"), "A.java:3:34 System.out.println\n");
    kt_eq_str(uses_text(".unwrap println!"), "a.rs:1:25 x.unwrap\na.rs:1:35 println\n");
    sample_end();
}

KEN_TEST(lists_of_the_sample)
{
    sample_start();
    kt_eq_u(imports_of("web", "web/src/dateFormat.ts").n, 3);
    ken_definitions r = definitions_of("native", 1u << KEN_SYMBOL_FUNCTION);
    kt_true(r.n >= 3);
    kt_eq_u(r.n_files, 3);
    kt_has_str(uses_text(".Println log.Fatal"), "server/main.go");
    sample_end();
}

// ---- handlers -----------------------------------------------------------------------------------

// "GET /a show (a.py:3): @login_required use:log mid": the routes of a file with their guards.
static const char *handlers_text(const char *in)
{
    static const char *const marks[] = { "?", "@", "", "use:" };
    ken_facts_scope scope = { .in = words(in) };
    ken_handler_fact *r;
    size_t n;
    kt_ok_err(ken_list_handlers(snap, &scope, NULL, &l.arena, &r, &n, &l.err), &l.err);
    ken_buf b = KEN_BUF_INIT(1 << 16);
    for (size_t i = 0; i < n; i++) {
        ken_buf_printf(&b, KEN_STR_FMT " " KEN_STR_FMT, KEN_STR_ARG(r[i].route.method),
                       KEN_STR_ARG(r[i].route.path));
        if (r[i].body.file != UINT32_MAX)
            ken_buf_printf(&b, " " KEN_STR_FMT "(" KEN_STR_FMT ":%u)", KEN_STR_ARG(r[i].name),
                           KEN_STR_ARG(r[i].path), r[i].first_line + 1);
        for (size_t k = 0; k < r[i].n_guards; k++)
            ken_buf_printf(&b, " %s" KEN_STR_FMT, marks[r[i].guards[k].kind],
                           KEN_STR_ARG(r[i].guards[k].name));
        ken_buf_putc(&b, '\n');
    }
    return text_of(&b);
}

KEN_TEST(handlers_of_express_with_what_runs_before_them)
{
    start();
    lab_write(&l, "src/auth.js", "exports.requireAuth = function (q, s, n) { n(); };\n");
    lab_write(&l, "src/users.js",
              "const express = require('express');\nconst auth = require('./auth');\n"
              "const router = express.Router();\nconst other = express.Router();\n"
              "router.use(log);\nother.use(auth.requireAuth);\n"
              "function show(req, res) { res.send(1); }\n"
              "router.get('/a', auth.requireAuth, can('read'), show);\n"
              "router.post('/b', (req, res) => {\n  auth.requireAuth(req);\n  save(req);\n});\n"
              "router.put('/c', wrap(show));\n"
              "router.delete('/d', auth.requireAuth, wrap(async (req, res) => { drop(req); }));\n"
              "other.get('/e', show);\n");
    sample_index();
    kt_eq_str(handlers_text("src"), "GET …/a show(src/users.js:7) use:log auth.requireAuth can\n"
                                    "POST …/b (src/users.js:9) use:log\n"
                                    "PUT …/c show(src/users.js:7) use:log wrap\n"
                                    "DELETE …/d (src/users.js:14) use:log auth.requireAuth\n"
                                    "GET …/e show(src/users.js:7) use:auth.requireAuth\n");
    sample_end();
}

KEN_TEST(handlers_of_python_with_decorators_and_dependencies)
{
    start();
    lab_write(&l, "app.py",
              "from flask import Flask\nfrom auth import login_required\napp = Flask(__name__)\n\n"
              "@app.route('/a')\n@login_required\ndef a():\n    return 1\n\n"
              "@app.get('/b')\ndef b():\n    return 2\n");
    lab_write(&l, "api.py",
              "from fastapi import APIRouter, Depends\nfrom auth import user\n"
              "router = APIRouter()\n\n@router.get('/c')\ndef c(u=Depends(user)):\n    return 1\n");
    lab_write(&l, "auth.py", "def login_required(f):\n    return f\n\ndef user():\n    pass\n");
    sample_index();
    kt_eq_str(handlers_text(""), "GET …/c c(api.py:5) @Depends @user\n"
                                 "GET /a a(app.py:5) @login_required\n"
                                 "GET /b b(app.py:10)\n");
    sample_end();
}

// A class that Django makes a view of: its body, and what its fields or those of a base list.
KEN_TEST(handlers_of_django_that_are_classes)
{
    start();
    lab_write(&l, "shop/urls.py",
              "from django.urls import path\n"
              "from shop import views\n"
              "from shop.auth import logged\n"
              "from shop.views import Articles\n\n"
              "urlpatterns = [\n"
              "    path('a/', Articles.as_view(), name='a'),\n"
              "    path('f/', views.Feed.as_view(template_name='f')),\n"
              "    path('h/', logged(views.home), name='h'),\n"
              "    path('w/', logged(Articles.as_view())),\n"
              "]\n");
    lab_write(&l, "shop/views.py",
              "from rest_framework.generics import ListAPIView\n"
              "from rest_framework.permissions import IsAuthenticated\n"
              "from shop.auth import IsOwner, logged\n\n"
              "class Base(ListAPIView):\n"
              "    permission_classes = (IsAuthenticated, IsOwner)\n\n"
              "class Articles(ListAPIView):\n"
              "    permission_classes = [IsAuthenticated]\n"
              "    def get(self, request):\n"
              "        return home(request)\n\n"
              "@logged\n"
              "class Feed(Base):\n"
              "    def get(self, request):\n"
              "        return []\n\n"
              "def home(request):\n"
              "    return []\n");
    lab_write(&l, "shop/auth.py", "class IsOwner:\n    pass\n\ndef logged(c):\n    return c\n");
    sample_index();
    kt_eq_str(handlers_text(""),
              "ANY /a/ Articles(shop/views.py:8) @IsAuthenticated\n"
              "ANY /f/ Feed(shop/views.py:13) @logged @IsAuthenticated @IsOwner\n"
              "ANY /h/ home(shop/views.py:18) logged\n"
              "ANY /w/ Articles(shop/views.py:8) logged @IsAuthenticated\n");
    sample_end();
}

// A base of the framework that checks runs before the class, wherever among the bases it stands.
KEN_TEST(handlers_of_django_that_are_built_on_what_checks)
{
    start();
    lab_write(&l, "shop/urls.py",
              "from django.urls import path\nfrom shop.views import Edit, Show, Remove\n\n"
              "urlpatterns = [\n"
              "    path('e/', Edit.as_view()),\n"
              "    path('s/', Show.as_view()),\n"
              "    path('r/', Remove.as_view()),\n]\n");
    lab_write(
        &l, "shop/views.py",
        "from django.contrib.auth import mixins\n"
        "from django.contrib.auth.mixins import LoginRequiredMixin\n"
        "from django.views.generic import View\n\n"
        "class Edit(LoginRequiredMixin, View):\n    pass\n\n"
        "class Show(View):\n    def get(self, request):\n        return LoginRequiredMixin\n\n"
        "class Remove(mixins.PermissionRequiredMixin, Edit):\n    pass\n");
    sample_index();
    kt_eq_str(handlers_text(""), "ANY /e/ Edit(shop/views.py:5) @LoginRequiredMixin\n"
                                 "ANY /s/ Show(shop/views.py:8)\n"
                                 "ANY /r/ Remove(shop/views.py:12) @mixins.PermissionRequiredMixin "
                                 "@LoginRequiredMixin\n");
    sample_end();
}

KEN_TEST(handlers_of_go_in_groups)
{
    start();
    lab_write(&l, "main.go",
              "package main\n\nimport \"github.com/gin-gonic/gin\"\n\n"
              "func list(c *gin.Context) {}\n\nfunc main() {\n\tr := gin.Default()\n"
              "\tr.Use(Logger())\n\tapi := r.Group(\"/api\", Auth())\n"
              "\tapi.GET(\"/x\", list)\n\tr.GET(\"/y\", list)\n"
              "\tadmin := r.Group(\"/admin\")\n\tadmin.Use(Admin)\n\tadmin.GET(\"/z\", list)\n}\n");
    sample_index();
    kt_eq_str(handlers_text(""), "GET /api/x list(main.go:5) use:Logger use:Auth\n"
                                 "GET /y list(main.go:5) use:Logger\n"
                                 "GET /admin/z list(main.go:5) use:Logger use:Admin\n");
    sample_end();
}

KEN_TEST(handlers_of_classes_with_their_decorators)
{
    start();
    lab_write(&l, "src/cats.ts",
              "import { Controller, Get, UseGuards } from '@nestjs/common';\n"
              "import { AuthGuard } from './auth';\n"
              "@Controller('/cats')\n@UseGuards(AuthGuard)\nexport class Cats {\n"
              "  @Get('/all')\n  all() { return 1; }\n}\n");
    lab_write(&l, "src/auth.ts", "export class AuthGuard {}\n");
    sample_index();
    kt_eq_str(handlers_text(""),
              "GET /cats/all Cats.all(src/cats.ts:6) @Controller @UseGuards @AuthGuard\n");
    sample_end();
}

// What a method returns, and constants that its attributes are given, run before nothing.
KEN_TEST(handlers_of_csharp_with_their_attributes)
{
    start();
    lab_write(&l, "C.cs",
              "using Microsoft.AspNetCore.Mvc;\nnamespace A;\n"
              "public class Jwt { public const string Schemes = \"x\"; }\n"
              "public class Env<T> {}\n[Route(\"users\")]\npublic class UsersController {\n"
              "  [HttpGet(\"{id}\")]\n  [Authorize(Schemes = Jwt.Schemes)]\n"
              "  public Env<string> Show(int id) { return null; }\n}\n");
    sample_index();
    kt_eq_str(handlers_text(""),
              "GET /users/{id} A.UsersController.Show(C.cs:7) @Route @Authorize\n");
    sample_end();
}

KEN_TEST(handlers_of_routers_that_others_use)
{
    start();
    lab_write(&l, "src/app.js",
              "const express = require('express');\nconst api = require('./api');\n"
              "const { requireAuth } = require('./auth');\nconst app = express();\n"
              "app.use(log);\napp.use('/open', limit);\n"
              "app.use('/api', requireAuth, api);\napp.use(late);\n");
    lab_write(&l, "src/auth.js", "exports.requireAuth = function (q, s, n) { n(); };\n");
    lab_write(&l, "src/api.js",
              "const express = require('express');\nconst users = require('./users');\n"
              "const router = express.Router();\nrouter.use('/users', users.router);\n"
              "module.exports = router;\n");
    lab_write(&l, "src/users.js",
              "const express = require('express');\nconst router = express.Router();\n"
              "const other = express.Router();\nfunction show(req, res) {}\n"
              "router.get('/a', can, show);\nother.get('/b', show);\n"
              "module.exports = { router, other };\n");
    sample_index();
    kt_eq_str(handlers_text("src/users.js"),
              "GET /api/users/a show(src/users.js:4) use:log use:requireAuth can\n"
              "GET …/b show(src/users.js:4)\n");
    sample_end();
}

KEN_TEST(handlers_of_routers_that_are_required_in_place)
{
    start();
    lab_write(&l, "src/app.js",
              "const express = require('express');\nconst { requireAuth } = require('./auth');\n"
              "const app = express();\napp.use('/open', require('./open'));\n"
              "app.use('/shut', requireAuth, require('./shut'));\n");
    lab_write(&l, "src/auth.js", "exports.requireAuth = function (q, s, n) { n(); };\n");
    const char *const names[] = { "src/open.js", "src/shut.js" };
    for (size_t i = 0; i < 2; i++)
        lab_write(&l, names[i],
                  "const router = require('express').Router();\nfunction show(req, res) {}\n"
                  "router.get('/a', show);\nmodule.exports = router;\n");
    sample_index();
    kt_eq_str(handlers_text("src/open.js"), "GET /open/a show(src/open.js:2)\n");
    kt_eq_str(handlers_text("src/shut.js"), "GET /shut/a show(src/shut.js:2) use:requireAuth\n");
    sample_end();
}

// Paths and guards come from the same mounts: of a function that makes a router, of several ways to
// one router (the handler is asked once, by the way with the fewest guards).
KEN_TEST(handlers_behind_what_is_mounted)
{
    start();
    lab_write(&l, "src/app.ts",
              "import express from 'express';\n"
              "import { requireAuth } from './auth';\n"
              "import { makeUsers } from './users';\n"
              "import shared from './shared';\n"
              "import { config } from './config';\n"
              "const app = express();\n"
              "app.use('/api', requireAuth, makeUsers());\n"
              "app.use(config.base, requireAuth, shared);\n"
              "app.use('/open', shared);\n");
    lab_write(&l, "src/auth.ts", "export function requireAuth(req, res, next) {}\n");
    lab_write(&l, "src/config.ts", "export const config = JSON.parse('{}');\n");
    lab_write(&l, "src/shared.ts",
              "import { Router } from 'express';\n"
              "const shared = Router();\n"
              "shared.get('/s', show);\n"
              "function show(req, res) {}\n"
              "export default shared;\n");
    lab_write(&l, "src/users.ts",
              "import { Router } from 'express';\n"
              "export function makeUsers() {\n"
              "  const router = Router();\n"
              "  router.get('/a', show);\n"
              "  return router;\n"
              "}\n"
              "function show(req, res) {}\n");
    sample_index();
    kt_eq_str(handlers_text("src/users.ts"), "GET /api/a show(src/users.ts:7) use:requireAuth\n");
    kt_eq_str(handlers_text("src/shared.ts"), "GET …/s show(src/shared.ts:4)\n");
    sample_end();
}

KEN_TEST(handlers_of_rails_with_their_filters)
{
    start();
    lab_write(&l, "config/routes.rb",
              "Rails.application.routes.draw do\n  resources :as, only: [:index, :show]\nend\n");
    lab_write(&l, "app/controllers/base_controller.rb",
              "class BaseController\n  before_action :login, :track\n"
              "  before_action :debug, if: -> { x }\n"
              "  def login\n    1\n  end\nend\n");
    lab_write(&l, "app/controllers/as_controller.rb",
              "class AsController < BaseController\n"
              "  skip_before_action :track, only: :show\n"
              "  before_action(:find_a, except: [:index])\n"
              "  def index\n    1\n  end\n  def show\n    2\n  end\nend\n");
    sample_index();
    kt_eq_str(handlers_text(""),
              "GET /as AsController.index(app/controllers/as_controller.rb:4) @login @track\n"
              "GET /as/:id AsController.show(app/controllers/as_controller.rb:7) @login @find_a\n");
    sample_end();
}

// What a concern says is said by the controller that includes it.
KEN_TEST(handlers_of_rails_with_the_filters_of_concerns)
{
    start();
    lab_write(&l, "config/routes.rb",
              "Rails.application.routes.draw do\n  resources :as, only: [:index, :show]\nend\n");
    lab_write(&l, "app/controllers/concerns/authentication.rb",
              "module Authentication\n  extend ActiveSupport::Concern\n\n"
              "  included do\n    before_action :require_login, except: :show\n  end\n\n"
              "  def require_login\n    1\n  end\nend\n");
    lab_write(&l, "app/controllers/base_controller.rb",
              "class BaseController\n  include Authentication\nend\n");
    lab_write(&l, "app/controllers/as_controller.rb",
              "class AsController < BaseController\n  before_action :find_a\n"
              "  def index\n    1\n  end\n  def show\n    2\n  end\nend\n");
    sample_index();
    kt_eq_str(handlers_text(""),
              "GET /as AsController.index(app/controllers/as_controller.rb:3) @require_login"
              " @find_a\nGET /as/:id AsController.show(app/controllers/as_controller.rb:6)"
              " @find_a\n");
    sample_end();
}

// What has routes of its own answers or lets go: it is no step on the way to the handlers of others.
KEN_TEST(handlers_do_not_pass_through_other_routers)
{
    start();
    lab_write(&l, "src/app.js",
              "const express = require('express');\nconst users = require('./users');\n"
              "const { things } = require('./things');\nconst { jwt } = require('jwt');\n"
              "const app = express();\nconst admin = express();\n"
              "const auth = { required: jwt({ secret: 1 }) };\nconst login = jwt({ secret: 2 });\n"
              "function makeOrders() {\n  const r = express.Router();\n"
              "  r.get('/orders', show);\n  return r;\n}\n"
              "function show(req, res) {}\nadmin.get('/x', show);\n"
              "app.use('/static', express.static('public'));\n"
              "app.use(auth.required);\napp.use(login);\napp.use('/us', late);\n"
              "app.use('/api', users);\napp.use('/api', things);\napp.use('/admin', admin);\n"
              "app.use(makeOrders());\napp.use('/in/*', inside);\napp.use('/:org/in', org);\n"
              "app.get('/last', show);\napp.get('/users', show);\napp.get('/in', show);\n"
              "app.get('/a/in/b', show);\n");
    lab_write(&l, "src/users.js",
              "const router = require('express').Router();\n"
              "router.get('/a', (req, res) => {});\nmodule.exports = router;\n");
    lab_write(&l, "src/things.js",
              "const things = require('express').Router();\n"
              "things.get('/b', (req, res) => {});\nmodule.exports = { things };\n");
    lab_write(&l, "koa/app.js",
              "const Koa = require('koa');\nconst Router = require('@koa/router');\n"
              "const users = new Router();\nconst things = new Router();\nconst app = new Koa();\n"
              "function show(ctx) {}\nusers.get('/a', show);\nthings.get('/b', show);\n"
              "app.use(log);\napp.use(users.routes());\napp.use(users.allowedMethods());\n"
              "app.use(things.routes());\napp.get('/c', show);\n");
    sample_index();
    kt_eq_str(handlers_text("src/things.js"),
              "GET /api/b (src/things.js:2) use:auth.required use:login\n");
    kt_has_str(handlers_text("src/app.js"),
               "GET /last show(src/app.js:14) use:auth.required use:login\n"
               "GET /users show(src/app.js:14) use:auth.required use:login\n"
               "GET /in show(src/app.js:14) use:auth.required use:login use:inside\n"
               "GET /a/in/b show(src/app.js:14) use:auth.required use:login use:org\n");
    kt_has_str(handlers_text("koa"), "GET /c show(koa/app.js:6) use:log\n");
    sample_end();
}

// What is said to the router of a function says nothing about the one around it.
KEN_TEST(handlers_behind_a_router_of_a_block)
{
    start();
    lab_write(&l, "main.go",
              "package main\n\nimport \"github.com/go-chi/chi/v5\"\n\n"
              "func list(w http.ResponseWriter, r *http.Request) {}\n\nfunc main() {\n"
              "\tr := chi.NewRouter()\n\tr.Use(Logger)\n"
              "\tr.Route(\"/admin\", func(r chi.Router) {\n\t\tr.Use(Admin) // isn't for all }\n"
              "\t\tr.Get(\"/x\", list)\n\t})\n\tr.Get(\"/y\", list)\n}\n");
    lab_write(&l, "app.ts",
              "import express from 'express';\nfunction show(req, res) {}\nclass App {\n"
              "  app = express();\n  steps() {\n    this.app.use(log);\n  }\n"
              "  routes() {\n    this.app.get('/z', show);\n  }\n}\n");
    sample_index();
    kt_has_str(handlers_text("main.go"), "GET /admin/x list(main.go:5) use:Logger use:Admin\n");
    kt_has_str(handlers_text("main.go"), "GET /y list(main.go:5) use:Logger\n");
    kt_eq_str(handlers_text("app.ts"), "GET /z show(app.ts:2) use:log\n");
    sample_end();
}

KEN_TEST(handlers_of_routers_that_fastapi_includes)
{
    start();
    lab_write(&l, "main.py",
              "from fastapi import FastAPI, Depends\nfrom api import users, open\n"
              "from auth import current_user\n\napp = FastAPI()\n"
              "app.include_router(users.router, prefix='/v1', "
              "dependencies=[Depends(current_user)])\napp.include_router(open.router)\n");
    lab_write(&l, "auth.py", "def current_user():\n    return None\n");
    lab_write(&l, "api/__init__.py", "");
    const char *const names[] = { "api/users.py", "api/open.py" };
    for (size_t i = 0; i < 2; i++)
        lab_write(&l, names[i],
                  "from fastapi import APIRouter\n\nrouter = APIRouter()\n\n"
                  "@router.get('/a')\ndef show():\n    return []\n");
    sample_index();
    kt_eq_str(handlers_text("api/users.py"),
              "GET /v1/a show(api/users.py:5) use:Depends use:current_user\n");
    kt_eq_str(handlers_text("api/open.py"), "GET /a show(api/open.py:5)\n");
    sample_end();
}
