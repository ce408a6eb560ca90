// SPDX-License-Identifier: MIT
// What a rulebook answers: before a change, about a file, about itself.
#include "base/clock.h"
#include "rulebook/rulebook_priv.h"
#include "unit/rulebook/shop_lab.h"

static ken_rulebook_advice advice;
static ken_rulebook_impact impact;

static const char *check(const char *description, size_t n)
{
    l.err = (ken_err){ 0 };
    advice = (ken_rulebook_advice){ 0 };
    l.err.status =
        ken_rulebook_check(book, ken_str_c(description), n, NULL, &l.arena, &advice, &l.err);
    return l.err.msg;
}

static bool has_example(const char *path)
{
    for (size_t i = 0; i < advice.n_examples; i++)
        if (ken_str_eq_c(advice.examples[i].path, path))
            return true;
    return false;
}

KEN_TEST(a_planned_change_meets_its_rules_patterns_and_examples)
{
    shop_start();
    kt_eq_str(check("add a new POST endpoint for refunds with authentication", 5), "");
    kt_true(advice.n_constraints >= 1 && advice.n_patterns == 1 && advice.n_examples >= 1);
    kt_eq_text(advice.constraints[0].rule->text, "ALL endpoints MUST call requireAuth first.");
    kt_eq_text(advice.patterns[0].rule->path, "docs/patterns/api-endpoints.md");
    kt_true(has_example("src/routes/orders.js"));
    for (size_t i = 0; i < advice.n_constraints; i++)
        kt_true(advice.constraints[i].relevance >= 0 && advice.constraints[i].relevance <= 1);
    for (size_t i = 0; i < advice.n_examples; i++)
        kt_true(ken_rules_kind_of(advice.examples[i].path, NULL) == KEN_RULE_NONE);
    kt_eq_str(check("log what a payment request contains", 1), "");
    kt_eq_u(advice.n_constraints, 1);
    kt_eq_text(advice.constraints[0].rule->text, "NEVER log the body of a payment request.");
    lab_remove(&l, "CLAUDE.md");
    kt_eq_str(check("log what a payment request contains", 5), "");
    for (size_t i = 0; i < advice.n_constraints; i++)
        kt_false(ken_str_eq_c(advice.constraints[i].rule->path, "CLAUDE.md"));
    lab_write(&l, "CLAUDE.md", "- Payment requests are logged without their body.\n");
    kt_eq_str(check("log what a payment request contains", 1), "");
    kt_eq_text(advice.constraints[0].rule->text, "Payment requests are logged without their body.");
    shop_end();
}

// With a hyphen or without, it is one word.
KEN_TEST(a_rule_is_found_by_the_other_spelling)
{
    shop_make();
    lab_write(&l, "CLAUDE.md",
              "- Tokens are good for one hour.\n- The back-end MUST NOT hold tokens in memory.\n"
              "- Colours are named after fruit.\n- The frontend MUST NOT name colours itself.\n");
    shop_index();
    kt_eq_str(check("tokens of the backend", 2), "");
    kt_true(ken_str_starts(advice.constraints[0].rule->text, KEN_STR("The back-end")));
    kt_eq_str(check("colours of the front-end", 2), "");
    kt_true(ken_str_starts(advice.constraints[0].rule->text, KEN_STR("The frontend")));
    shop_end();
}

KEN_TEST(a_rule_of_one_folder_waits_until_the_folder_is_named)
{
    shop_make();
    lab_write(&l, "CLAUDE.md", "- Refunds of orders are kept for ten years.\n");
    lab_write(&l, "tools/seed/AGENTS.md", "- Refunds of orders are kept in memory only.\n");
    shop_index();
    kt_eq_str(check("keep the refunds of orders", 2), "");
    kt_eq_text(advice.constraints[0].rule->path, "CLAUDE.md");
    kt_eq_str(check("keep the refunds of orders in memory in tools/seed", 2), "");
    kt_eq_text(advice.constraints[0].rule->path, "tools/seed/AGENTS.md");
    shop_end();
}

static size_t count_examples(const char *description)
{
    kt_eq_str(check(description, 10), "");
    return advice.n_examples;
}

// S3-66, S3-67, S3-72, S3-96: .rag/config.json says what the codebase is.
KEN_TEST(examples_are_of_the_files_that_the_configuration_names)
{
    ken_rulebook_counts all, some;
    const char *change = "save orders in the store";
    shop_make();
    lab_write(&l, "web/orders.html", "<html><body><p>save orders in the store</p></body></html>\n");
    lab_write(&l, "native/orders.c", "int save_orders(void)\n{\n    return 0;\n}\n");
    lab_write(&l, "src/old/orders.js", "export function saveOrders(store) {\n  return store;\n}\n");
    shop_index();
    size_t n = count_examples(change);
    kt_true(has_example("native/orders.c") && has_example("src/old/orders.js"));
    kt_false(has_example("web/orders.html")); // a page is no program
    kt_eq_u(advice.example_bytes, 1200);
    kt_ok_err(ken_rulebook_index(book, l.store, &all, &l.err), &l.err);
    lab_write(&l, ".rag/config.json",
              "{\"config\": {\"include_extensions\": [\".js\", \".html\"],"
              " \"exclude_dirs\": [\"old\"], \"chunk_size\": 50, \"chunk_overlap\": 0}}");
    kt_ok_err(ken_rulebook_index(book, l.store, &some, &l.err), &l.err);
    kt_eq_u(count_examples(change), n - 2); // less three, and a page
    kt_true(has_example("web/orders.html") && has_example("src/db/orders.js"));
    kt_false(has_example("native/orders.c") || has_example("src/old/orders.js"));
    kt_eq_u(advice.example_bytes, 200);
    kt_eq_u(some.n_files, all.n_files - 2);
    shop_end();
}

static void shop_with_rules(const char *rules)
{
    shop_make();
    lab_remove(&l, "CLAUDE.md");
    char text[2000];
    snprintf(text, sizeof text, "version: 1\nconstraints:\n%s", rules);
    lab_write(&l, "ARCHITECTURE.yml", text);
    shop_index();
}

static const char *first_rule(const char *change)
{
    kt_eq_str(check(change, 2), "");
    kt_eq_u(advice.n_constraints, 2);
    return advice.constraints[0].rule->id.ptr;
}

KEN_TEST(a_rule_is_found_by_its_id)
{
    shop_with_rules("  - id: old-runtimes\n    rule: What is made keeps to ES2017 and Node 18.\n"
                    "  - id: wording\n    rule: What is made has words of the old kind.\n");
    kt_eq_str(first_rule("drop old runtimes"), "old-runtimes");
    shop_end();
}

// Both mean the code of the change; the wide rule would win a tie.
KEN_TEST(of_rules_for_the_code_of_a_change_the_narrower_comes_first)
{
    shop_with_rules("  - id: qz1\n    rule: Numbers are checked.\n"
                    "    applies_to: [\"src/r*/**\"]\n"
                    "  - id: qz2\n    rule: Numbers are checked.\n"
                    "    applies_to: [\"src/**\"]\n");
    kt_eq_str(first_rule("numbers of a route"), "qz1");
    shop_end();
}

KEN_TEST(bad_questions_name_field_rule_and_value)
{
    shop_start();
    kt_eq_str(check("ab", 5), "change_description: must have 3 to 2000 characters, got 2 ('ab')");
    kt_eq_str(check("  \xc3\xa4\xc3\xb6\xc3\xbc  ", 5), ""); // three characters
    char text[2100];
    memset(text, 'a', 2001);
    text[2001] = 0;
    kt_has_str(check(text, 5), "got 2001 ('aaa");
    text[2000] = 0;
    kt_eq_str(check(text, 5), "");
    kt_eq_str(check("a change", 0), "num_results: must be 1 to 20, got 0");
    kt_eq_str(check("a change", 21), "num_results: must be 1 to 20, got 21");
    kt_has_str(check("bad \xff text", 5), "must be UTF-8");
    shop_end();
}

static const char *ask_impact(const char *path)
{
    l.err = (ken_err){ 0 };
    impact = (ken_rulebook_impact){ 0 };
    l.err.status =
        ken_rulebook_find_impact(book, ken_str_c(path), 5, NULL, &l.arena, &impact, &l.err);
    return l.err.msg;
}

KEN_TEST(g12_dependents_are_those_of_the_graph)
{
    shop_make();
    lab_write(&l, "own/Owner.java", "package own;\nclass Owner {\n  int age() { return 1; }\n}\n");
    lab_write(&l, "own/Desk.java",
              "package own;\nclass Desk {\n"
              "  int ask(Owner o) { return o.age(); }\n}\n");
    lab_write(&l, "own/Pet.java", "package own;\nclass Pet { }\n");
    lab_write(&l, "far/All.java", "package far;\nimport own.*;\nclass All { Pet p; }\n");
    shop_index();
    kt_eq_str(ask_impact("own/Owner.java"), "");
    kt_eq_u(impact.n_dependents, 1); // of its package, without an import; not who imports it all
    kt_eq_text(impact.dependents[0].path, "own/Desk.java");
    ken_impact other;
    ken_impact_opts o = { .path = KEN_STR("own/Owner.java"), .max_depth = 1 };
    kt_ok_err(ken_query_impact(book->snapshot, &o, NULL, &l.arena, &other, &l.err), &l.err);
    kt_eq_u(other.n_files_total, 1);
    kt_eq_text(other.files[0], "own/Desk.java");
    shop_end();
}

KEN_TEST(the_impact_of_a_file_is_what_it_offers_and_who_needs_it)
{
    shop_start();
    kt_eq_str(ask_impact("src/auth.js"), "");
    kt_eq_u(impact.n_exports, 2);
    kt_eq_text(impact.exports[0], "requireAuth");
    kt_eq_text(impact.exports[1], "TOKEN_HOURS");
    kt_eq_u(impact.n_dependents, 1);
    kt_eq_text(impact.dependents[0].path, "src/routes/orders.js");
    kt_eq_text(impact.dependents[0].imports[0], "../auth");
    kt_eq_str(ask_impact("src\\routes\\orders.js"), ""); // forward slashes always
    kt_eq_text(impact.path, "src/routes/orders.js");
    kt_eq_u(impact.n_endpoints, 2);
    kt_eq_text(impact.endpoints[0], "GET …/orders/:id");
    kt_eq_text(impact.endpoints[1], "POST …/orders");
    for (size_t i = 0; i < impact.n_similar; i++)
        kt_false(ken_str_eq(impact.similar[i].path, impact.path));
    kt_eq_str(ask_impact("src/live.js"), "");
    kt_true(impact.n_events >= 1);
    shop_end();
}

KEN_TEST(paths_outside_and_unknown_ones_are_refused)
{
    shop_start();
    kt_eq_str(ask_impact("../etc/passwd"),
              "file_path: must lie inside the project root, got '../etc/passwd'");
    kt_has_str(ask_impact("/etc/passwd"), "must lie inside the project root");
    kt_has_str(ask_impact("src/none.js"),
               "File 'src/none.js' not found in index. Run rag_index or check the path");
    kt_has_str(ask_impact("  "), "must be a path");
    char link[4096];
    lab_path(&l, "out", link);
    kt_eq_i(symlink("/etc", link), 0);
    kt_has_str(ask_impact("out/passwd"), "must lie inside the project root");
    shop_end();
}

// ---- itself ------------------------------------------------------------------------------------

static ken_rulebook_health health(int64_t now_ms)
{
    ken_rulebook_health h = { 0 };
    kt_ok_err(ken_rulebook_check_health(book, now_ms, NULL, &l.arena, &h, &l.err), &l.err);
    return h;
}

static bool says(const ken_str *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_find(list[i], ken_str_c(text)) != SIZE_MAX)
            return true;
    return false;
}

KEN_TEST(indexing_is_remembered_and_ages)
{
    shop_start();
    ken_rulebook_counts c = { 0 };
    kt_ok_err(ken_rulebook_get_counts(book, &c, &l.err), &l.err);
    kt_eq_i(c.indexed_at_ms, 0);
    ken_rulebook_health h = health(0);
    kt_false(h.is_healthy);
    kt_true(says(h.issues, h.n_issues,
                 "Collection 'constraints' does not exist. Run rag_index first."));
    lab_write(&l, ".rag/config.json", "{}");
    int64_t before = ken_clock_wall_ms();
    kt_ok_err(ken_rulebook_index(book, l.store, &c, &l.err), &l.err);
    kt_true(c.indexed_at_ms >= before && c.codebase > 0);
    kt_eq_u(c.constraints, 5);
    kt_eq_u(c.patterns, 1);
    kt_has_str(lab_read(&l, ".rag/config.json").ptr, "\"lastIndexedAt\": \"20");
    h = health(c.indexed_at_ms + 60000);
    kt_true(h.is_healthy && h.has_codebase && h.has_constraints && h.has_patterns);
    kt_true(h.has_architecture && h.has_claude && !h.has_constraints_file);
    kt_eq_text(h.query_test, "passed");
    kt_true(says(h.warnings, h.n_warnings, "Missing constraint file: CONSTRAINTS.md"));
    kt_eq_u(h.n_warnings, 1);
    const int64_t day = 24 * 3600 * 1000LL;
    kt_eq_u(health(c.indexed_at_ms + 7 * day).n_warnings, 1);
    h = health(c.indexed_at_ms + 8 * day);
    kt_true(h.is_healthy);
    kt_true(says(h.warnings, h.n_warnings, "Index is 8 days old"));
    shop_end();
}

KEN_TEST(health_names_what_is_broken)
{
    shop_start();
    ken_rulebook_counts c;
    kt_ok_err(ken_rulebook_index(book, l.store, &c, &l.err), &l.err); // without .rag it writes none
    kt_null(lab_read(&l, ".rag/config.json").ptr);
    lab_write(&l, "ARCHITECTURE.yml", "constraints: [\n");
    lab_write(&l, ".rag/config.json", "{");
    ken_rulebook_health h = health(c.indexed_at_ms);
    kt_false(h.is_healthy);
    kt_true(says(h.issues, h.n_issues, "ARCHITECTURE.yml:2:"));
    kt_true(says(h.issues, h.n_issues, "config.json"));
    kt_false(says(h.warnings, h.n_warnings, "more than 200 documents"));
    for (int i = 0; i < 201; i++) {
        char name[64];
        snprintf(name, sizeof name, "docs/adr/%04d.md", i);
        lab_write(&l, name, "# Decision\n\nWe use one thing and not another.\n");
    }
    h = health(c.indexed_at_ms);
    kt_true(says(h.warnings, h.n_warnings, "more than 200 documents"));
    shop_end();
}
