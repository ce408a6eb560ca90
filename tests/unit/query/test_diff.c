// SPDX-License-Identifier: MIT
// What a diff breaks: definitions of both sides are compared, and the users of what is gone named.
#include <stdlib.h>
#include <unistd.h>

#include "calls_lab.h"
#include "git_lab.h"

#define GIT(...) GIT_IN(l.root, &l.arena, __VA_ARGS__)

static ken_impact found;

static void commit(void)
{
    GIT("add", "-A");
    GIT("commit", "-q", "-m", "change");
}

// A library of three functions and a type, used in two files and a test.
static void begin(void)
{
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    start("lib.py", "def load(path):\n    text = read(path)\n    check(text)\n    return text\n\n\n"
                    "def read(path):\n    return open(path).read()\n\n\n"
                    "def check(text):\n    assert text\n\n\n"
                    "class Store:\n    def put(self, key):\n        self.last = key\n\n"
                    "    def drop(self):\n        self.last = None\n");
    setenv("HOME", ktest_dir(), 1);
    GIT("init", "-q", "--template=");
    lab_write(&l, "app.py",
              "from lib import load, Store\n\n\ndef run():\n    s = Store()\n"
              "    s.put(1)\n    return load('a')\n\n\ndef idle():\n    return 1\n");
    lab_write(&l, "tool.py", "import lib\n\n\ndef work():\n    return lib.read('b')\n");
    lab_write(&l, "test_lib.py", "from lib import load\n\n\ndef test_load():\n    load('c')\n");
    lab_write(&l, "alone.py", "def quiet(a):\n    return a\n");
    commit();
}

static void replace(const char *path, const char *from, const char *to)
{
    ken_str text = lab_read(&l, path);
    size_t at = ken_str_find(text, ken_str_c(from));
    kt_true(at != SIZE_MAX);
    lab_write(&l, path,
              ken_arena_printf(&l.arena, KEN_STR_FMT "%s" KEN_STR_FMT,
                               KEN_STR_ARG(ken_str_sub(text, 0, at)), to,
                               KEN_STR_ARG(ken_str_sub(text, at + strlen(from), text.len)))
                  .ptr);
}

static void ask(const char *rev)
{
    go();
    ken_impact_opts o = { .diff = ken_str_c(rev), .wants_diff = true, .num_similar = 0 };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &found, &l.err), &l.err);
}

static const ken_dependent *dependent(const char *name)
{
    for (size_t i = 0; i < found.n_dependents; i++)
        if (ken_str_eq_c(found.dependents[i].node.name, name))
            return &found.dependents[i];
    return NULL;
}

static const ken_changed_def *changed(const char *name)
{
    for (size_t i = 0; i < found.n_changed; i++)
        if (ken_str_eq_c(found.changed[i].node.name, name))
            return &found.changed[i];
    return NULL;
}

static void is_broken(const char *name, uint32_t line)
{
    const ken_dependent *d = dependent(name);
    kt_not_null(d);
    kt_true(d->is_broken);
    kt_eq_u(d->site_line, line);
    kt_eq_u(d->distance, 1);
}

KEN_TEST(i1_a_removed_file_breaks_whoever_used_it)
{
    begin();
    lab_remove(&l, "lib.py");
    ask("");
    kt_eq_str(found.risk_level, "high");
    is_broken("run", 4);
    is_broken("work", 4);
    kt_eq_u(found.n_tests, 1);
    kt_true(found.tests[0].is_broken);
    kt_eq_u(found.n_broken, 3);
    kt_eq_u(found.n_broken_files, 3);
    kt_eq_i(changed("load")->change, KEN_DELTA_REMOVED);
    kt_eq_u(changed("load")->n_broken, 2); // its calls; import lines beside them are none
    kt_has_str(found.reasons[0].ptr, "3 definitions were removed, renamed or moved");
    end();
}

KEN_TEST(i1_a_renamed_definition_breaks_whoever_says_the_old_name)
{
    begin();
    replace("lib.py", "def read(path)", "def slurp(path)");
    replace("lib.py", "read(path)\n    check", "slurp(path)\n    check");
    ask("");
    kt_eq_str(found.risk_level, "high");
    const ken_changed_def *c = changed("slurp");
    kt_not_null(c);
    kt_eq_i(c->change, KEN_DELTA_RENAMED);
    kt_eq_text(c->was, "read");
    is_broken("work", 4);
    kt_eq_i(changed("load")->change, KEN_DELTA_BODY); // it says the new name
    kt_eq_u(found.n_broken, 1);
    kt_has_str(found.reasons[0].ptr, "'read' was renamed, which 1 definition in 1 file outside of "
                                     "the diff still uses");
    end();
}

KEN_TEST(i1_another_signature_that_is_used_elsewhere_is_never_low)
{
    begin();
    replace("lib.py", "def read(path)", "def read(path, limit)");
    ask("");
    kt_eq_str(found.risk_level, "medium");
    kt_eq_i(changed("read")->change, KEN_DELTA_SIGNATURE);
    kt_eq_u(changed("read")->n_broken, 0);
    const ken_dependent *d = dependent("work");
    kt_not_null(d);
    kt_eq_i(d->change, KEN_DELTA_SIGNATURE);
    kt_false(d->is_broken);
    kt_eq_u(d->site_line, 4);
    kt_not_null(dependent("load")); // it is in the same file, and was not touched
    end();
}

KEN_TEST(i1_another_signature_that_nobody_uses_is_low)
{
    begin();
    replace("alone.py", "quiet(a)", "quiet(a, b)");
    ask("");
    kt_eq_str(found.risk_level, "low");
    kt_eq_i(changed("quiet")->change, KEN_DELTA_SIGNATURE);
    kt_eq_u(found.n_exposed, 0);
    end();
}

KEN_TEST(i1_white_space_changes_nothing)
{
    begin();
    replace("lib.py", "def read(path)", "def read(\n    path,\n)");
    ask("");
    kt_eq_u(found.n_changed_total, 0);
    kt_eq_str(found.risk_level, "low");
    end();
}

KEN_TEST(i1_what_the_diff_changes_with_it_is_not_broken)
{
    begin();
    replace("lib.py", "def read(path)", "def slurp(path)");
    replace("lib.py", "text = read(path)", "text = slurp(path)");
    replace("tool.py", "lib.read('b')", "lib.slurp('b')");
    ask("");
    kt_eq_u(found.n_broken, 0);
    kt_null(dependent("work")); // it changed itself
    kt_eq_i(changed("work")->change, KEN_DELTA_BODY);
    end();
}

KEN_TEST(i1_one_of_two_users_in_a_changed_file_is_still_broken)
{
    begin();
    lab_write(&l, "tool.py",
              "import lib\n\n\ndef work():\n    return lib.read('b')\n\n\n"
              "def rest():\n    return lib.read('d')\n");
    commit();
    replace("lib.py", "def read(path)", "def slurp(path)");
    replace("tool.py", "lib.read('b')", "lib.slurp('b')");
    ask("");
    kt_null(dependent("work"));
    is_broken("rest", 8);
    end();
}

KEN_TEST(i1_a_removed_member_breaks_its_users_alone)
{
    begin();
    replace("lib.py", "    def put(self, key):\n        self.last = key\n\n", "");
    ask("");
    kt_eq_i(changed("put")->change, KEN_DELTA_REMOVED);
    kt_eq_text(changed("put")->node.qualified, "Store.put");
    is_broken("run", 5);
    kt_eq_u(found.n_broken, 1);
    kt_null(changed("Store"));
    end();
}

KEN_TEST(i1_a_renamed_file_breaks_its_imports)
{
    begin();
    lab_move(&l, "lib.py", "core.py");
    ask("");
    kt_eq_str(found.risk_level, "high");
    kt_eq_u(found.n_broken_files, 3);
    kt_eq_i(changed("load")->change, KEN_DELTA_MOVED);
    end();
    // The same, when git knows that it was renamed.
    begin();
    lab_move(&l, "lib.py", "core.py");
    GIT("add", "-A");
    ask("");
    kt_eq_str(found.risk_level, "high");
    kt_eq_u(found.n_broken_files, 3);
    end();
}

KEN_TEST(i1_what_moved_and_is_found_there_is_not_broken)
{
    begin();
    lab_write(&l, "go.mod", "module example.org/m\n");
    lab_write(&l, "a.go",
              "package m\n\nfunc Old(x int) int {\n\treturn x + 1\n}\n\n"
              "func Stay() int { return 2 }\n");
    lab_write(&l, "b.go", "package m\n\nfunc Use() int {\n\treturn Old(3)\n}\n");
    commit();
    lab_write(&l, "a.go", "package m\n\nfunc Stay() int { return 2 }\n");
    lab_write(&l, "c.go", "package m\n\nfunc Old(x int) int {\n\treturn x + 1\n}\n");
    ask("");
    kt_eq_i(changed("Old")->change, KEN_DELTA_MOVED);
    kt_eq_text(changed("Old")->was, "a.go");
    kt_eq_u(found.n_broken, 0);
    end();
}

KEN_TEST(i1_a_name_that_is_not_passed_on_any_more_is_told)
{
    begin();
    lab_write(&l, "pkg/__init__.py", "from .inner import make\n\nVERSION = 1\n");
    lab_write(&l, "pkg/inner.py", "def make():\n    return 1\n");
    lab_write(&l, "user.py", "from pkg import make\n\n\ndef use():\n    return make()\n");
    commit();
    lab_write(&l, "pkg/__init__.py", "VERSION = 1\n");
    ask("");
    is_broken("use", 4);
    kt_eq_str(found.risk_level, "high");
    end();
}

KEN_TEST(i1_an_emptied_file_defines_nothing)
{
    begin();
    lab_write(&l, "lib.py", "");
    ask("");
    kt_eq_u(found.n_uncompared_total, 0);
    kt_eq_u(found.n_broken, 3);
    end();
}

KEN_TEST(i1_a_new_file_is_in_the_diff)
{
    begin();
    lab_write(&l, "new.py", "from lib import load\n\n\ndef fresh():\n    return load('n')\n");
    ask("");
    kt_eq_u(found.n_changed_files, 1);
    kt_eq_i(changed("fresh")->change, KEN_DELTA_ADDED);
    kt_eq_u(found.n_by_change[KEN_DELTA_ADDED], 1);
    kt_eq_str(found.risk_level, "low");
    end();
}

KEN_TEST(i1_names_that_are_not_understood_are_told_apart)
{
    begin();
    lab_write(&l, "odd.py", "def odd(thing):\n    return thing.drop()\n");
    commit();
    replace("lib.py", "    def drop(self):\n        self.last = None\n", "");
    ask("");
    kt_null(dependent("odd"));
    kt_eq_u(found.n_maybe_total, 1);
    kt_eq_text(found.maybe[0].node.name, "odd");
    kt_eq_str(found.risk_level, "medium");
    end();
}

KEN_TEST(i1_a_new_demand_of_an_interface_concerns_whoever_implements_it)
{
    begin();
    lab_write(&l, "a/Shape.java", "package a;\npublic interface Shape {\n    int area();\n}\n");
    lab_write(&l, "a/Square.java",
              "package a;\npublic class Square implements Shape {\n"
              "    public int area() { return 1; }\n}\n");
    commit();
    replace("a/Shape.java", "    int area();\n", "    int area();\n    int edge();\n");
    ask("");
    kt_eq_i(changed("Shape")->change, KEN_DELTA_SIGNATURE);
    kt_not_null(dependent("Square"));
    kt_eq_str(found.risk_level, "medium");
    end();
}

KEN_TEST(i1_overriding_methods_follow_a_changed_one)
{
    begin();
    lab_write(&l, "a/Base.java",
              "package a;\npublic class Base {\n    int area(int n) { return n; }\n}\n");
    lab_write(&l, "a/Sub.java",
              "package a;\npublic class Sub extends Base {\n"
              "    @Override int area(int n) { return 2; }\n}\n");
    commit();
    replace("a/Base.java", "int area(int n)", "int area(int n, int m)");
    ask("");
    const ken_dependent *d = dependent("area");
    kt_not_null(d);
    kt_eq_text(d->node.path, "a/Sub.java");
    end();
}

KEN_TEST(i1_a_range_is_compared_between_its_ends)
{
    begin();
    replace("lib.py", "def read(path)", "def slurp(path)");
    replace("lib.py", "text = read(path)", "text = slurp(path)");
    commit();
    replace("alone.py", "quiet(a)", "quiet(a, b)"); // not in the range
    ask("HEAD~1..HEAD");
    is_broken("work", 4);
    kt_null(changed("quiet"));
    kt_eq_str(found.risk_level, "high");
    end();
}

KEN_TEST(i1_a_commit_that_is_not_there_is_an_error)
{
    begin();
    go();
    ken_impact_opts o = { .diff = KEN_STR("deadbeef"), .wants_diff = true };
    kt_status(ken_query_impact(snap, &o, NULL, &l.arena, &found, &l.err), KEN_EINVAL);
    kt_has_str(l.err.msg, "'deadbeef' names no commit");
    end();
}

KEN_TEST(i1_binary_files_links_and_submodules_are_no_surprise)
{
    begin();
    lab_write_n(&l, "pic.py", "x\0y", 3);
    lab_write(&l, "big.c", "int big(void);\n");
    commit();
    lab_write_n(&l, "pic.py", "x\0z", 3);
    char path[4096];
    lab_path(&l, "big.c", path);
    lab_remove(&l, "big.c");
    kt_eq_i(symlink("lib.py", path), 0);
    GIT("update-index", "--add", "--cacheinfo",
        "160000,0123456789012345678901234567890123456789,sub");
    ask("");
    kt_true(found.n_uncompared_total >= 1);
    kt_true(strcmp(found.risk_level, "low") != 0);
    end();
}

KEN_TEST(i1_members_that_are_put_into_a_prototype_can_be_named)
{
    begin();
    lab_write(&l, "reply.js",
              "function Reply () {}\n\nReply.prototype.send = function (v) {\n"
              "  return v\n}\n\nReply.prototype.spend = function () {\n"
              "  return 0\n}\n\nmodule.exports = Reply\n");
    lab_write(&l, "use.js",
              "const Reply = require('./reply')\n\nfunction use () {\n"
              "  const r = new Reply()\n  return r.spend()\n}\n");
    commit();
    replace("reply.js", "Reply.prototype.spend = function () {\n  return 0\n}\n\n", "");
    ask("");
    kt_eq_i(changed("spend")->change, KEN_DELTA_REMOVED);
    is_broken("use", 4);
    kt_eq_str(found.risk_level, "high");
    end();
}

KEN_TEST(i1_a_tree_without_a_commit_has_only_new_definitions)
{
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    start("a.py", "def a():\n    return 1\n");
    setenv("HOME", ktest_dir(), 1);
    GIT("init", "-q", "--template=");
    ask("");
    kt_eq_i(changed("a")->change, KEN_DELTA_ADDED);
    end();
}
