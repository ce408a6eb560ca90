// SPDX-License-Identifier: MIT
// What a module calls otherwise than its definition is called: usages are found by what a name
// leads to, in every language that renames what it imports.
#include "calls_lab.h"

static ken_usages usages_of(const char *name, const char *file)
{
    ken_usages u;
    ken_usages_opts o = {
        .name = ken_str_c(name), .file_hint = ken_str_c(file), .limit = 100, .wants_text = true
    };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    return u;
}

// Fails unless a call of `name` (of `file`) is found at path:line; lines from 1.
static void is_called_at(const char *name, const char *file, const char *path, uint32_t line)
{
    ken_usages u = usages_of(name, file);
    for (size_t f = 0; f < u.n_files; f++) {
        if (!ken_str_eq_c(u.files[f].path, path))
            continue;
        for (size_t i = 0; i < u.files[f].n; i++) {
            ken_ref_role role = u.files[f].usages[i].role;
            if (u.files[f].usages[i].line + 1 == line && role == KEN_REF_CALL)
                return;
        }
    }
    fail_msg("no call of %s at %s:%u among %zu usages", name, path, line, u.n_total);
}

static size_t n_calls(const char *name)
{
    return usages_of(name, "").n_by_role[KEN_REF_CALL];
}

KEN_TEST(g15_a_module_that_is_a_function_is_called_by_any_name)
{
    start("package.json", "{\"name\": \"kiosk\", \"main\": \"index.js\"}\n");
    lab_write(&l, "index.js", "module.exports = require('./lib/kiosk');\n");
    lab_write(&l, "lib/kiosk.js",
              "exports = module.exports = openKiosk;\nfunction openKiosk() { return 1; }\n");
    lab_write(&l, "lib/other.js", "module.exports = closeAll;\nfunction closeAll() {}\n");
    lab_write(&l, "test/a.js", "const shop = require('..');\nshop();\n");
    lab_write(&l, "test/b.js", "var k = require('../lib/kiosk')\nfunction t() {\n  k();\n}\n");
    lab_write(&l, "test/c.js", "require('../lib/kiosk')();\n");
    lab_write(&l, "test/d.js", "const k = require('../lib/other');\nk();\n");
    go();
    is_called_at("openKiosk", "", "test/a.js", 2);
    is_called_at("openKiosk", "", "test/b.js", 3);
    is_called_at("openKiosk", "", "test/c.js", 1);
    kt_eq_u(n_calls("openKiosk"), 3);
    kt_eq_u(n_calls("closeAll"), 1);
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("openKiosk"), .direction = KEN_TRACE_CALLERS };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_true(t.n_steps > 1);
    kt_eq_text(t.steps[1].node.qualified, "t");
    ken_impact m;
    ken_impact_opts io = { .symbol = KEN_STR("openKiosk"), .limit = 20 };
    kt_ok_err(ken_query_impact(snap, &io, NULL, &l.arena, &m, &l.err), &l.err);
    kt_eq_u(m.n_tests_total, 3);
    end();
}

KEN_TEST(g15_what_is_exported_under_another_name_is_found)
{
    start("lib/parts.js", "function fixPart(x) { return x; }\n"
                          "function dropPart(x) { return x; }\n"
                          "module.exports = { fix: fixPart, drop: dropPart };\n");
    lab_write(&l, "lib/more.js",
              "function moreOf() {}\nexports.more = moreOf;\n"
              "exports.tools = require('./whole');\n");
    lab_write(&l, "lib/whole.js", "module.exports = wholeThing;\nfunction wholeThing() {}\n");
    lab_write(&l, "use.js",
              "const parts = require('./lib/parts');\n"
              "const { drop: away } = require('./lib/parts');\n"
              "const add = require('./lib/more').more;\n"
              "const more = require('./lib/more');\n"
              "parts.fix(1);\n"
              "away(2);\n"
              "add();\n"
              "more.tools();\n");
    go();
    is_called_at("fixPart", "", "use.js", 5);
    is_called_at("dropPart", "", "use.js", 6);
    is_called_at("moreOf", "", "use.js", 7);
    is_called_at("wholeThing", "", "use.js", 8);
    end();
}

KEN_TEST(g15_default_exports_keep_their_users_through_other_modules)
{
    start("src/base.ts", "class BaseThing { run() {} }\nexport default BaseThing;\n"
                         "export function makeBase() { return 1; }\n");
    lab_write(&l, "src/index.ts",
              "export { default as Thing, makeBase as make } from './base';\n"
              "export { default } from './fn';\n");
    lab_write(&l, "src/fn.ts", "export default function deepFn() {}\n");
    lab_write(&l, "src/again.ts",
              "import inner, { Thing } from './index';\nexport { inner as outer, Thing as T2 };\n");
    lab_write(&l, "src/use.ts",
              "import { make } from '.';\nimport { outer, T2 } from './again';\n"
              "import anything from './fn';\n"
              "make();\nouter();\nanything();\nnew T2();\n");
    go();
    is_called_at("makeBase", "", "src/use.ts", 4);
    is_called_at("deepFn", "", "src/use.ts", 5);
    is_called_at("deepFn", "", "src/use.ts", 6);
    kt_eq_u(usages_of("BaseThing", "").n_by_role[KEN_REF_NEW], 1);
    end();
}

KEN_TEST(g15_imports_that_rename_in_other_languages)
{
    start("py/bell.py", "def ring_bell():\n    return 1\n");
    lab_write(&l, "py/use.py",
              "import bell as b\nfrom bell import ring_bell as ding\n\n\n"
              "def go():\n    b.ring_bell()\n    ding()\n");
    lab_write(&l, "py/third.py", "from use import ding as dong\n\n\ndong()\n");
    lab_write(&l, "rs/src/lib.rs",
              "mod horn;\npub use horn::blow_horn as toot;\n"
              "fn f() { toot(); }\n"
              "mod far {\n    use crate::toot as peep;\n    fn g() { peep(); }\n}\n");
    lab_write(&l, "rs/src/horn.rs", "pub fn blow_horn() {}\n");
    lab_write(&l, "rs/Cargo.toml", "[package]\nname = \"rs\"\nversion = \"0.1.0\"\n");
    lab_write(&l, "go/go.mod", "module example.org/m\n\ngo 1.20\n");
    lab_write(&l, "go/drum/drum.go", "package drum\n\nfunc HitDrum() {}\n");
    lab_write(&l, "go/main.go",
              "package main\n\nimport d \"example.org/m/drum\"\n\n"
              "func main() { d.HitDrum() }\n");
    go();
    is_called_at("ring_bell", "", "py/use.py", 6);
    is_called_at("ring_bell", "", "py/use.py", 7);
    is_called_at("ring_bell", "", "py/third.py", 4);
    is_called_at("blow_horn", "", "rs/src/lib.rs", 3);
    is_called_at("blow_horn", "", "rs/src/lib.rs", 6);
    is_called_at("HitDrum", "", "go/main.go", 5);
    end();
}

KEN_TEST(modules_that_pass_each_other_on_end)
{
    start("a.js", "module.exports = require('./b');\n");
    lab_write(&l, "b.js",
              "module.exports = require('./a');\nfunction lost() {}\n"
              "exports.lost = lost;\nexports.again = lost;\n");
    lab_write(&l, "c.ts", "export { x as y } from './d';\nexport { default } from './d';\n");
    lab_write(&l, "d.ts",
              "export { y as x } from './c';\nexport { default } from './c';\n"
              "export default function end() {}\n");
    lab_write(&l, "e.ts", "import end from './c';\nimport { y } from './c';\nend();\ny();\n");
    go();
    kt_eq_u(usages_of("lost", "").n_by_role[KEN_REF_CALL], 0);
    kt_eq_u(n_calls("end"), 1);
    end();
}

KEN_TEST(g20_declarations_beside_a_source_are_the_same_module)
{
    start("tap.d.ts", "declare namespace tap { interface Options { size: number } }\n"
                      "declare function tap(o?: tap.Options): Tap;\n"
                      "export interface Tap { pour(): void }\n"
                      "export function drain(): void;\n"
                      "export = tap;\n");
    lab_write(&l, "tap.js",
              "function tap(o) { return { pour() {} }; }\n"
              "function drain() {}\n"
              "function hidden() {}\n"
              "module.exports = tap;\n"
              "module.exports.drain = drain;\n"
              "module.exports.hidden = hidden;\n");
    lab_write(&l, "use.js",
              "const open = require('./tap');\nopen();\nopen.drain();\n"
              "open.hidden();\n");
    lab_write(&l, "use.ts",
              "import open = require('./tap');\nimport { drain, Tap } from './tap';\n"
              "open();\ndrain();\n"
              "export function f(t: Tap) { t.pour(); }\n");
    go();
    is_called_at("tap", "tap.js", "use.js", 2);
    is_called_at("tap", "tap.js", "use.ts", 3);
    is_called_at("tap", "tap.d.ts", "use.js", 2);
    is_called_at("drain", "tap.js", "use.js", 3);
    is_called_at("drain", "tap.js", "use.ts", 4);
    is_called_at("hidden", "", "use.js", 4);
    is_called_at("pour", "tap.d.ts", "use.ts", 5);
    end();
}

KEN_TEST(g9_generated_code_is_found_and_marked)
{
    start("src/errors.js", "/* This file is generated by make.js. Do not edit! */\n\n"
                           "export function hydration_mismatch() { throw 1; }\n");
    lab_write(&l, "src/use.js",
              "import * as e from './errors.js';\n"
              "export function hydrate() { e.hydration_mismatch(); }\n");
    lab_write(&l, "docs/errors.md", "# hydration_mismatch\n\nWhen it does not fit.\n");
    lab_write(&l, "api.pb.go", "package api\n\nfunc Reset() {}\n");
    lab_write(&l, "main.go", "package api\n\nfunc Run() { Reset() }\n");
    go();
    is_called_at("hydration_mismatch", "", "src/use.js", 2);
    ken_usages u = usages_of("hydration_mismatch", "");
    kt_eq_text(u.defs[0].path, "src/errors.js");
    kt_true(u.defs[0].is_generated);
    kt_true(!u.files[0].is_generated);
    kt_true(usages_of("Reset", "").defs[0].is_generated);
    kt_true(!usages_of("hydrate", "").defs[0].is_generated);
    end();
}
