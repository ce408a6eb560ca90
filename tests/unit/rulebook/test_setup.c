// SPDX-License-Identifier: MIT
// What a setup writes, and what it leaves alone.
#include <stdlib.h>

#include "proc/proc_priv.h"
#include "rulebook/rulebook_config.h"
#include "rulebook/rulebook_setup_priv.h"
#include "rulebook/rulebook_verify.h"
#include "rules/rules.h"
#include "unit/index/index_lab.h"

static index_lab l;
static ken_snapshot *snap;
static ken_setup made;

// Twelve routes, eleven of which ask who it is; a folder that imports nothing, so nobody keeps it apart.
static void put_shop(unsigned n_routes)
{
    lab_write(&l, "package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    for (unsigned i = 0; i < n_routes; i++) {
        char name[64], text[512];
        snprintf(name, sizeof name, "api/routes/r%u.js", i);
        snprintf(text, sizeof text,
                 "import express from 'express';\nimport { load } from '../../db/load.js';\n\n"
                 "const router = express.Router();\n\n"
                 "router.get('/things/%u', %s(req, res) => {\n"
                 "  const data = load(req.params.id);\n  res.json({ ok: true, data });\n});\n\n"
                 "export default router;\n",
                 i, i == 4 ? "" : "requireAuth, ");
        lab_write(&l, name, text);
    }
    lab_write(&l, "db/load.js", "export function load(id) { return id; }\n");
    lab_write(&l, "db/save.js", "export function save(id) { return id; }\n");
    lab_write(&l, "db/pool.js", "export function pool() { return 1; }\n");
}

static void begin(void)
{
    lab_start(&l);
    snap = NULL;
    put_shop(12);
}

static void index_now(void)
{
    lab_run(&l);
    if (snap)
        lab_again(&l, snap);
    else
        snap = lab_open(&l);
}

static ken_status try_with(ken_setup_opts o)
{
    index_now();
    o.root = ken_str_c(l.root);
    l.err = (ken_err){ 0 };
    return ken_rulebook_setup(snap, &o, &l.arena, &made, &l.err);
}

static void set_up(bool is_forced)
{
    kt_ok_err(try_with((ken_setup_opts){ .is_forced = is_forced }), &l.err);
}

static void end(void)
{
    lab_close(snap);
    lab_end(&l);
}

static const ken_setup_file *file(const char *path)
{
    for (size_t i = 0; i < made.n_files; i++)
        if (ken_str_eq_c(made.files[i].path, path))
            return &made.files[i];
    kt_fail("the setup says nothing of %s", path);
}

static void did(const char *path, const char *action)
{
    kt_eq_str(ken_setup_action_word(file(path)->action), action);
}

static const char *text_of(const char *rel)
{
    ken_str text = lab_read(&l, rel);
    return text.ptr ? text.ptr : "(absent)";
}

static void replace_in(const char *rel, const char *from, const char *to)
{
    ken_str text = lab_read(&l, rel);
    size_t at = ken_str_find(text, ken_str_c(from));
    if (at == SIZE_MAX)
        kt_fail("%s has no '%s'", rel, from);
    ken_str out =
        ken_arena_printf(&l.arena, "%.*s%s%s", (int)at, text.ptr, to, text.ptr + at + strlen(from));
    lab_write(&l, rel, out.ptr);
}

#define YML "ARCHITECTURE.yml"
#define API "docs/patterns/api-endpoints.md"

// ---- the first time ----------------------------------------------------------------------------

KEN_TEST(writes_rules_patterns_and_settings)
{
    begin();
    set_up(false);
    did(YML, "written");
    did(API, "written");
    kt_eq_text(made.survey.backend, ".");
    kt_golden("rulebook/setup.yml", text_of(YML), strlen(text_of(YML)));
    kt_golden("rulebook/setup-api.md", text_of(API), strlen(text_of(API)));
    kt_eq_str(text_of(".rag/.gitignore"), "*\n");
    kt_true(ken_fs_exists(ken_arena_printf(&l.arena, "%s/.rag/collections", l.root).ptr));
    ken_rulebook_config config;
    kt_ok(ken_rulebook_read_config(ken_str_c(l.root), &l.arena, &config, NULL));
    kt_eq_text(config.backend_path, ".");
    kt_eq_text(config.frontend_path, "");
    end();
}

// The rules are read back without an issue, and the code obeys all that are said to be whole.
KEN_TEST(what_is_written_is_read_and_holds)
{
    begin();
    set_up(false);
    ken_rules_doc doc;
    kt_ok_err(ken_rules_parse(KEN_STR(YML), lab_read(&l, YML), &l.arena, &doc, &l.err), &l.err);
    kt_eq_u(doc.n_issues, 0);
    kt_eq_u(doc.n_rules, 3);
    ken_verification v;
    kt_ok_err(ken_verify_rules(snap, doc.rules, doc.n_rules, &(ken_verify_opts){ .max = 0 }, NULL,
                               &l.arena, &v, &l.err),
              &l.err);
    for (size_t i = 0; i < v.n; i++) {
        const ken_rule *r = &doc.rules[v.violations[i].rule];
        if (r->severity == KEN_RULE_ERROR)
            kt_fail("'" KEN_STR_FMT "' does not hold: " KEN_STR_FMT " " KEN_STR_FMT,
                    KEN_STR_ARG(r->id), KEN_STR_ARG(v.violations[i].path),
                    KEN_STR_ARG(v.violations[i].message));
    }
    kt_eq_u(v.n, 0); // the exception that the evidence counts is excepted
    for (size_t i = 0; i < doc.n_rules; i++)
        kt_eq_u(v.outcomes[i].note.len, 0);
    end();
}

// A check may see more than what the habit was counted on (a package stands for what is in it): such
// files are excepted, so that the first check reports nothing.
KEN_TEST(what_a_first_check_would_find_is_excepted)
{
    lab_start(&l);
    snap = NULL;
    for (unsigned i = 0; i < 40; i++) {
        char name[64], text[256];
        snprintf(name, sizeof name, i < 6 ? "src/A%uRepository.java" : "src/A%uThing.java", i);
        snprintf(text, sizeof text,
                 "package a;\n%s\npublic class A%u {\n  int a() { return 1; }\n}\n",
                 i < 6    ? "import org.data.repository;"
                 : i == 6 ? "import org.data.repository.config;"
                          : "",
                 i);
        lab_write(&l, name, text);
    }
    set_up(false);
    ken_rules_doc doc;
    ken_verification v;
    kt_ok_err(ken_rules_parse(KEN_STR(YML), lab_read(&l, YML), &l.arena, &doc, &l.err), &l.err);
    kt_true(ken_str_find(lab_read(&l, YML), KEN_STR("src/A6Thing.java")) != SIZE_MAX);
    kt_ok_err(ken_verify_rules(snap, doc.rules, doc.n_rules, &(ken_verify_opts){ .max = 0 }, NULL,
                               &l.arena, &v, &l.err),
              &l.err);
    kt_eq_u(v.n, 0);
    end();
}

KEN_TEST(a_second_run_writes_nothing)
{
    begin();
    set_up(false);
    ken_str yml = lab_read(&l, YML), config = lab_read(&l, ".rag/config.json");
    for (int forced = 0; forced < 2; forced++) {
        set_up(forced > 0);
        did(YML, "unchanged");
        did(API, "unchanged");
        kt_true(ken_str_eq(lab_read(&l, YML), yml));
        kt_true(ken_str_eq(lab_read(&l, ".rag/config.json"), config));
    }
    end();
}

KEN_TEST(a_tree_without_habits_gets_an_empty_list)
{
    lab_start(&l);
    snap = NULL;
    lab_write(&l, "README.md", "# Nothing\n");
    set_up(false);
    kt_has_str(text_of(YML), "constraints: []");
    kt_eq_u(made.n_files, 1);
    end();
}

// ---- what a person wrote -----------------------------------------------------------------------

KEN_TEST(without_force_a_file_stays)
{
    begin();
    lab_write(&l, YML, "rules:\n  - be kind\n");
    set_up(false);
    did(YML, "kept");
    did(API, "written");
    kt_eq_str(text_of(YML), "rules:\n  - be kind\n");
    end();
}

KEN_TEST(a_file_of_unknown_origin_stays_even_when_forced)
{
    begin();
    lab_write(&l, YML, "rules:\n  - be kind\n");
    set_up(true);
    did(YML, "beside");
    kt_eq_str(text_of(YML), "rules:\n  - be kind\n");
    kt_has_str(file(YML)->note.ptr, "'.rag/generated/new/ARCHITECTURE.yml'");
    kt_has_str(text_of(".rag/generated/new/ARCHITECTURE.yml"), "id: api-requireauth");
    end();
}

KEN_TEST(an_untouched_file_takes_what_is_new)
{
    begin();
    set_up(false);
    put_shop(14);
    set_up(false);
    did(YML, "kept");
    kt_has_str(text_of(YML), "\"11 of 12 handlers outside");
    set_up(true);
    did(YML, "written");
    kt_has_str(text_of(YML), "\"13 of 14 handlers outside");
    kt_has_str(file(YML)->diff.ptr, "-    evidence: \"11 of 12 handlers outside");
    kt_has_str(file(YML)->diff.ptr, "+    evidence: \"13 of 14 handlers outside");
    end();
}

KEN_TEST(what_a_person_added_and_took_out_survives)
{
    begin();
    set_up(false);
    ken_str text = lab_read(&l, YML);
    size_t from = ken_str_find(text, KEN_STR("\n  - id: api-answers"));
    size_t to = ken_str_find(text, KEN_STR("\n  - id: api-requireauth"));
    kt_true(from < to && to != SIZE_MAX);
    ken_str own = ken_arena_printf(&l.arena, "%.*s%s\n  - id: mine\n    rule: Be kind.\n",
                                   (int)from, text.ptr, text.ptr + to);
    lab_write(&l, YML, own.ptr);
    put_shop(14);
    set_up(true);
    did(YML, "merged");
    kt_has_str(text_of(YML), "id: mine");
    kt_has_str(text_of(YML), "\"13 of 14 handlers outside");
    kt_null(strstr(text_of(YML), "id: api-answers"));
    set_up(true); // and again
    did(YML, "unchanged");
    kt_has_str(text_of(YML), "id: mine");
    end();
}

KEN_TEST(where_both_changed_a_line_the_person_wins)
{
    begin();
    set_up(false);
    replace_in(YML, "\"11 of 12 handlers outside of tests and examples; not GET …/things/4\"",
               "\"all that matter\"");
    put_shop(14);
    set_up(true);
    const ken_setup_file *f = file(YML);
    kt_eq_u(f->n_conflicts, 1);
    kt_eq_text(f->note, "your lines won in 1 place");
    kt_has_str(text_of(YML), "\"all that matter\"");
    kt_null(strstr(text_of(YML), "<<<<"));
    ken_rules_doc doc;
    kt_ok(ken_rules_parse(KEN_STR(YML), lab_read(&l, YML), &l.arena, &doc, NULL));
    end();
}

KEN_TEST(without_git_the_file_stays)
{
    begin();
    set_up(false);
    replace_in(YML, "\"11 of 12 handlers outside of tests and examples; not GET …/things/4\"",
               "\"all that matter\"");
    ken_str own = lab_read(&l, YML);
    put_shop(14);
    index_now();
    const char *path = getenv("PATH");
    ken_str kept = ken_arena_dup(&l.arena, ken_str_c(path));
    kt_eq_i(setenv("PATH", l.root, 1), 0);
    ken_proc__start_again();
    set_up(true);
    kt_eq_i(setenv("PATH", kept.ptr, 1), 0);
    ken_proc__start_again();
    did(YML, "beside");
    kt_true(ken_str_eq(lab_read(&l, YML), own));
    kt_has_str(text_of(".rag/generated/new/ARCHITECTURE.yml"), "\"13 of 14 handlers outside");
    end();
}

// ---- what stops it -----------------------------------------------------------------------------

KEN_TEST(bad_yaml_is_an_error_with_its_place_and_nothing_is_written)
{
    begin();
    lab_write(&l, YML, "constraints:\n  - id: a\n   rule: [\n");
    for (int forced = 0; forced < 2; forced++) {
        kt_status(try_with((ken_setup_opts){ .is_forced = forced > 0 }), KEN_EINVAL);
        kt_has_str(l.err.msg, "ARCHITECTURE.yml:3:");
    }
    kt_eq_str(text_of(YML), "constraints:\n  - id: a\n   rule: [\n");
    kt_eq_str(text_of(API), "(absent)");
    kt_eq_str(text_of(".rag/.gitignore"), "(absent)");
    end();
}

KEN_TEST(links_are_not_followed)
{
    begin();
    (void)ktest_write("outside/rules.yml", "rules: []\n");
    char path[4096];
    lab_path(&l, YML, path);
    kt_eq_i(symlink("../outside/rules.yml", path), 0);
    set_up(true);
    did(YML, "kept");
    kt_has_str(file(YML)->note.ptr, "not a plain file");
    kt_eq_text(ktest_read(ktest_path("outside/rules.yml")), "rules: []\n");
    end();
}

KEN_TEST(a_folder_of_documents_that_leads_away_is_refused)
{
    begin();
    (void)ktest_path("outside/x");
    char path[4096];
    lab_path(&l, "docs", path);
    kt_eq_i(symlink("../outside", path), 0);
    kt_status(try_with((ken_setup_opts){ .is_forced = true }), KEN_EPERM);
    kt_has_str(l.err.msg, "docs/patterns");
    kt_false(ken_fs_exists(ktest_path("outside/patterns")));
    end();
}

KEN_TEST(folders_that_are_given_must_be_there)
{
    begin();
    kt_status(try_with((ken_setup_opts){ .frontend_path = KEN_STR("nowhere") }), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "frontend_path 'nowhere' is no folder of the project");
    kt_status(try_with((ken_setup_opts){ .backend_path = KEN_STR("package.json") }), KEN_ENOTFOUND);
    kt_status(try_with((ken_setup_opts){ .backend_path = KEN_STR("../..") }), KEN_EPERM);
    kt_has_str(l.err.msg, "backend_path");
    kt_status(try_with((ken_setup_opts){ .backend_path = KEN_STR("/etc") }), KEN_EPERM);
    kt_eq_str(text_of(YML), "(absent)");
    char path[4096];
    lab_path(&l, "db", path);
    kt_ok_err(try_with((ken_setup_opts){ .frontend_path = KEN_STR("api/routes"),
                                         .backend_path = ken_str_c(path) }),
              &l.err);
    kt_eq_text(made.survey.frontend, "api/routes");
    kt_eq_text(made.survey.backend, "db");
    end();
}

KEN_TEST(a_folder_that_cannot_be_written_is_an_error)
{
    if (geteuid() == 0)
        kt_skip("a plain user", "root writes everywhere");
    begin();
    index_now();
    kt_eq_i(chmod(l.root, 0555), 0);
    kt_status(try_with((ken_setup_opts){ .is_forced = false }), KEN_EPERM);
    kt_eq_i(chmod(l.root, 0755), 0);
    kt_eq_str(text_of(YML), "(absent)");
    end();
}

// ---- texts -------------------------------------------------------------------------------------

KEN_TEST(any_text_is_a_scalar_that_reads_back)
{
    static const char *const texts[] = { "plain",
                                         "\"quoted\" and \\ back",
                                         "- : # & * ! | > ' % @ `",
                                         "tab\tand\nbreak",
                                         "\x01\x1b\x7f",
                                         "e\xcc\x81 \xf0\x9f\x98\x80",
                                         "\xc2\x85\xc2\x9f",
                                         "a \xe2\x80\xa8 constraints: \xe2\x80\xa9 b",
                                         "\xef\xbb\xbf mark \xef\xbf\xbe \xef\xbf\xbf",
                                         "null",
                                         "yes",
                                         "{a: [b" };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ken_buf b = KEN_BUF_INIT(4096);
        ken_rules_doc doc;
        ken_err err = { 0 };
        ken_buf_puts(&b, "# ");
        ken_rulebook__setup_put_yaml(&b, ken_str_c(texts[i]));
        ken_buf_puts(&b, "\nconstraints:\n  - id: a\n    rule: Must do.\n    example: ");
        ken_rulebook__setup_put_yaml(&b, ken_str_c(texts[i]));
        ken_buf_puts(&b, "\n");
        kt_ok_err(ken_rules_parse(KEN_STR(YML), ken_buf_str(&b), &arena, &doc, &err), &err);
        kt_eq_u(doc.n_rules, 1);
        kt_eq_text(doc.rules[0].example, texts[i]);
        ken_buf_release(&b);
    }
    ken_arena_release(&arena);
}

KEN_TEST(the_head_is_no_part_of_what_is_merged)
{
    kt_eq_text(ken_rulebook__setup_body_of(KEN_STR("# ken: read from x\nversion: 1\n")),
               "version: 1\n");
    kt_eq_text(ken_rulebook__setup_body_of(KEN_STR("<!-- ken: read from x -->\n# Title\n")),
               "# Title\n");
    kt_eq_text(ken_rulebook__setup_body_of(KEN_STR("# mine\nversion: 1\n")),
               "# mine\nversion: 1\n");
    kt_eq_text(ken_rulebook__setup_body_of(KEN_STR("")), "");
}
