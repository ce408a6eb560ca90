// SPDX-License-Identifier: MIT
// Frameworks: those that are built in can be read, bad files name their line, rules ask for
// evidence.
#include <stdio.h>

#include "ktest.h"
#include "route/route.h"
#include "route/route_settings.h"

// One call `app.<callee>(text)` of a file that imports `module`.
static const char *meets(const ken_frameworks *f, const char *language, const char *module,
                         const char *callee, const char *text, int32_t decorates)
{
    ken_expr exprs[2] = { { .op = KEN_EXPR_NONE },
                          { .op = KEN_EXPR_MEMBER, .name = ken_str_c(callee) } };
    ken_bind bind = { .module = ken_str_c(module) };
    ken_refs refs = { .exprs = exprs, .n_exprs = 2, .binds = &bind, .n_binds = 1 };
    ken_literal l = { .callee = 1, .text = ken_str_c(text), .decorates = decorates };
    const ken_framework *found = NULL;
    static char name[64];
    if (!ken_route_find(f, ken_str_c(language), &refs, &l, &found))
        return "";
    snprintf(name, sizeof name, KEN_STR_FMT, KEN_STR_ARG(found->name));
    return name;
}

KEN_TEST(a_route_needs_its_framework)
{
    ken_frameworks f;
    ken_frameworks_init(&f);
    kt_true(f.items.len >= 18);
    kt_eq_str(meets(&f, "javascript", "express", "get", "/users", -1), "express");
    kt_eq_str(meets(&f, "javascript", "lodash", "get", "/users", -1), "");
    kt_eq_str(meets(&f, "javascript", "expressive", "get", "/users", -1), "");
    kt_eq_str(meets(&f, "javascript", "express", "get", "users", -1), "");
    kt_eq_str(meets(&f, "javascript", "express", "set", "/users", -1), "");
    kt_eq_str(meets(&f, "python", "flask", "route", "/users", 3), "flask");
    kt_eq_str(meets(&f, "python", "flask", "route", "/users", -1), "");
    kt_eq_str(meets(&f, "go", "github.com/gin-gonic/gin", "GET", "/x", -1), "gin");
    kt_eq_str(meets(&f, "java", "org.springframework.web.bind.annotation", "GetMapping", "x", 0),
              "spring");
    ken_frameworks_release(&f);
}

KEN_TEST(a_project_adds_and_replaces)
{
    ken_frameworks f;
    ken_frameworks_init(&f);
    size_t n = f.items.len;
    ken_err err = { 0 };
    kt_ok(ken_frameworks_add(&f, KEN_STR("own.yaml"),
                             KEN_STR("name: own\nlanguages: [python]\nmodules: [own]\n"
                                     "rules:\n  - names: [serve]\n    method: ANY\n"),
                             &err));
    kt_eq_str(meets(&f, "python", "own.http", "serve", "/a", -1), "own");
    kt_ok(ken_frameworks_add(&f, KEN_STR("express.yaml"),
                             KEN_STR("name: express\nlanguages: [javascript]\n"
                                     "rules:\n  - names: [page]\n"),
                             &err));
    kt_eq_u(f.items.len, n + 1);
    kt_eq_str(meets(&f, "javascript", "x", "page", "/a", -1), "express");
    ken_frameworks_release(&f);
}

static void refuse(const char *yaml, const char *message)
{
    ken_frameworks f;
    ken_frameworks_init(&f);
    ken_err err = { 0 };
    kt_true(ken_frameworks_add(&f, KEN_STR("own.yaml"), ken_str_c(yaml), &err) == KEN_EINVAL);
    kt_eq_str(err.msg, message);
    ken_frameworks_release(&f);
}

KEN_TEST(bad_files_name_their_line)
{
    refuse("name: a\nlanguages: [python]\nrules:\n  - name: [x]\n",
           "own.yaml:4: expected one of names, method, form, decorates, prefix, event, path");
    refuse("name: a\nlanguages: [python]\nrules:\n  - method: GET\n",
           "own.yaml:4: expected 'names': what is called");
    refuse("name: a\nlanguages: python\n", "own.yaml:2: expected a list of words");
    refuse("name: a\nrules: 7\n", "own.yaml:2: expected a list of rules");
    refuse("name: a\nlanguages: [python]\n",
           "own.yaml:1: expected name, languages and rules or bindings");
    refuse("name: a\nlanguages: [java]\nbindings:\n  - names: [x]\n    on: field\n",
           "own.yaml:5: expected one of call, type, function, provider");
    refuse("name: a\nlanguages: [java]\nbindings:\n  - on: type\n",
           "own.yaml:4: expected 'names': what is called");
    refuse("name: a\nlanguages: [java]\nbindings:\n  - method: GET\n",
           "own.yaml:4: expected one of names, on, key, to");
    refuse("- a\n", "own.yaml:1: expected name, languages, modules and rules");
    refuse("", "own.yaml:1: expected name, languages, modules and rules");
}

static const char *setting(const char *path, const char *text)
{
    static char out[64];
    ken_arena arena;
    ken_str value = KEN_STR("");
    ken_arena_init(&arena, 0);
    bool is_found = ken_route_setting(ken_str_c(path), ken_str_c(text),
                                      KEN_STR("server.servlet.context-path"), &arena, &value);
    snprintf(out, sizeof out, "%s" KEN_STR_FMT, is_found ? "" : "-", KEN_STR_ARG(value));
    ken_arena_release(&arena);
    return out;
}

KEN_TEST(one_value_of_settings)
{
    kt_eq_str(setting("a.properties", "server.servlet.context-path=/a\n"), "/a");
    kt_eq_str(setting("a.properties", " SERVER.servlet.contextPath : /a \n"), "/a");
    kt_eq_str(setting("a.properties", "#server.servlet.context-path=/a\n"), "-");
    kt_eq_str(setting("a.properties", "server.servlet.context-path.x=/a\nserver.servlet=/b\n"),
              "-");
    kt_eq_str(setting("a.properties", "server.servlet.context-path"), "-");
    kt_eq_str(setting("a.yml", "server:\n  servlet.context_path: '/b'\n"), "/b");
    kt_eq_str(setting("a.yml", "server:\n  servlet:\n    context-path: [1]\n"), "-");
    kt_eq_str(setting("a.yml", "server: *x\n"), "-");
    kt_eq_str(setting("a.yml", "a: 1\n---\nserver.servlet.context-path: /c\n"), "/c");
    kt_eq_str(setting("a.yml", "spring: {profiles: dev}\nserver.servlet.context-path: /c\n"), "-");
    kt_eq_str(setting("a.yml", "spring: {profiles: {active: dev}}\n"
                               "server.servlet.context-path: /c\n"),
              "/c");
}
