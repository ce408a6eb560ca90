// SPDX-License-Identifier: MIT
// Documents are what is on the disk now; their configuration may be anything.
#include "unit/rulebook/shop_lab.h"

// "path:rules" of all documents, or of one its error.
static const char *documents(void)
{
    static char text[2000];
    size_t n = 0, len = 0;
    text[0] = 0;
    kt_ok_err(ken_rulebook_refresh(book, &l.err), &l.err);
    const ken_rulebook_document *docs = ken_rulebook_documents(book, &n);
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s" KEN_STR_FMT ":%zu",
                                i ? " " : "", KEN_STR_ARG(docs[i].path), docs[i].n_rules);
    return text;
}

KEN_TEST(documents_are_found_with_their_rules)
{
    shop_start();
    kt_eq_str(documents(), "ARCHITECTURE.yml:2 CLAUDE.md:2 docs/patterns/api-endpoints.md:1 "
                           "src/db/AGENTS.md:1");
    shop_end();
}

KEN_TEST(a_document_written_or_gone_a_second_ago_counts)
{
    shop_start();
    kt_has_str(documents(), "CLAUDE.md:2");
    lab_write(&l, "CLAUDE.md", "- Only one rule is left here.\n");
    lab_write(&l, "docs/adr/0001-x.md", "# Use tables for queues\n\nWe use a table as queue.\n");
    kt_eq_str(documents(), "ARCHITECTURE.yml:2 CLAUDE.md:1 docs/adr/0001-x.md:1 "
                           "docs/patterns/api-endpoints.md:1 src/db/AGENTS.md:1");
    lab_remove(&l, "CLAUDE.md");
    lab_remove(&l, "src/db/AGENTS.md");
    kt_eq_str(documents(),
              "ARCHITECTURE.yml:2 docs/adr/0001-x.md:1 docs/patterns/api-endpoints.md:1");
    shop_end();
}

KEN_TEST(a_broken_document_says_where_and_the_others_hold)
{
    shop_start();
    lab_write(&l, "ARCHITECTURE.yml", "constraints:\n  - rule: [a\nb: 1\n");
    kt_has_str(documents(), "ARCHITECTURE.yml:0 CLAUDE.md:2");
    size_t n = 0;
    kt_has_str(ken_rulebook_documents(book, &n)[0].error.ptr, "ARCHITECTURE.yml:3:");
    kt_has_str(lab_read(&l, "ARCHITECTURE.yml").ptr, "- rule: [a\nb: 1\n"); // as it was
    lab_write(&l, "ARCHITECTURE.yml", "constraints:\n  - rule: It is fine again.\n");
    kt_has_str(documents(), "ARCHITECTURE.yml:1");
    shop_end();
}

KEN_TEST(a_link_is_no_document)
{
    shop_start();
    char from[4096];
    lab_path(&l, "GEMINI.md", from);
    kt_eq_i(symlink("CLAUDE.md", from), 0);
    kt_true(strstr(documents(), "GEMINI") == NULL);
    shop_end();
}

KEN_TEST(secrets_in_a_document_are_masked)
{
    shop_start();
    lab_write(&l, "CLAUDE.md",
              "- The deploy token is ghp_0123456789abcdefghijABCDEFGHIJ012345 for now.\n");
    (void)documents();
    size_t n = 0;
    const ken_rulebook_document *d = &ken_rulebook_documents(book, &n)[1];
    kt_true(strstr(d->rules[0].text.ptr, "ghp_0123456789") == NULL);
    shop_end();
}

KEN_TEST(rules_for_a_file_are_the_nearest_first)
{
    shop_start();
    const ken_rule **rules = NULL;
    size_t n = 0;
    kt_ok_err(ken_rulebook_list_for_file(book, KEN_STR("src/db/orders.js"), 5, &l.arena, &rules, &n,
                                         &l.err),
              &l.err);
    kt_eq_u(n, 2);
    kt_eq_text(rules[0]->text, "Stores keep orders in memory only.");
    kt_eq_text(rules[1]->text, "src/db MUST NOT import src/routes.");
    kt_ok_err(
        ken_rulebook_list_for_file(book, KEN_STR("src/auth.js"), 5, &l.arena, &rules, &n, &l.err),
        &l.err);
    kt_eq_u(n, 0);
    shop_end();
}

KEN_TEST(a_project_that_is_gone_is_named)
{
    shop_start();
    (void)documents();
    char away[4096];
    snprintf(away, sizeof away, "%s.away", l.root);
    kt_eq_i(rename(l.root, away), 0);
    kt_status(ken_rulebook_refresh(book, &l.err), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "is gone");
    kt_eq_i(rename(away, l.root), 0);
    kt_has_str(documents(), "CLAUDE.md:2");
    shop_end();
}

// ---- .rag/config.json --------------------------------------------------------------------------

static ken_rulebook_config config;

static const char *read_config(void)
{
    l.err = (ken_err){ 0 };
    l.err.status = ken_rulebook_read_config(ken_str_c(l.root), &l.arena, &config, &l.err);
    return l.err.msg;
}

KEN_TEST(a_configuration_may_be_absent_wrong_or_partial)
{
    shop_make();
    kt_eq_str(read_config(), "");
    kt_false(config.has_folder);
    kt_eq_u(config.n_weights, 4);
    lab_write(&l, ".rag/config.json", "{\n  \"config\": {,}\n}");
    kt_has_str(read_config(), ".rag/config.json:2:14: invalid JSON");
    kt_eq_u(config.n_weights, 4);
    lab_write(&l, ".rag/config.json", "[1]");
    kt_has_str(read_config(), "must hold an object");
    lab_write(&l, ".rag/config.json", "{\"config\": {\"max_results\": 50}}");
    kt_has_str(read_config(), "max_results: must be a whole number from 1 to 20");
    lab_write(&l, ".rag/config.json", "{\"config\": {\"weights\": {\"CLAUDE.md\": \"high\"}}}");
    kt_has_str(read_config(), "weights.CLAUDE.md: must be a number");
    lab_write(&l, ".rag/config.json", "{\"config\": {\"include_extensions\": [\".c\", \"h\"]}}");
    kt_has_str(read_config(), "include_extensions[1]: must be an extension with its dot");
    kt_true(config.has_default_extensions);
    lab_write(&l, ".rag/config.json", "{\"config\": {\"exclude_dirs\": [\"a/b\"]}}");
    kt_has_str(read_config(), "exclude_dirs[0]: must be the name of a folder");
    lab_write(&l, ".rag/config.json", "{\"config\": {\"exclude_dirs\": \"dist\"}}");
    kt_has_str(read_config(), "exclude_dirs: must be a list of at most 200 texts");
    lab_write(&l, ".rag/config.json", "{\"config\": {\"chunk_size\": 5}}");
    kt_has_str(read_config(), "chunk_size: must be a whole number from 50 to 2000");
    lab_write(&l, ".rag/config.json", "{\"config\": {\"chunk_size\": 60, \"chunk_overlap\": 60}}");
    kt_has_str(read_config(), "chunk_overlap: must be below chunk_size, which is 60, got 60");
    lab_write(&l, ".rag/config.json",
              "{\"config\": {\"include_extensions\": [\".c\"], \"exclude_dirs\": [],"
              " \"chunk_size\": 60, \"chunk_overlap\": 0}}");
    kt_eq_str(read_config(), "");
    kt_false(config.has_default_extensions);
    kt_eq_u(config.include_extensions.n, 1);
    kt_eq_u(config.exclude_dirs.n, 0);
    kt_eq_u(config.chunk_size, 60);
    lab_write(&l, ".rag/config.json",
              "{\"frontendPath\": \"web\", \"config\": {\"weights\": {\"docs/\": 3}}}");
    kt_eq_str(read_config(), "");
    kt_eq_text(config.frontend_path, "web");
    kt_eq_u(config.n_weights, 1);
    kt_near(config.weights[0].weight, 3, 0);
    lab_end(&l);
}

KEN_TEST(writing_keeps_what_is_not_known)
{
    shop_make();
    json_t *changes = json_pack("{s:s}", "lastIndexedAt", "2026-01-01T00:00:00.000Z");
    kt_status(ken_rulebook_write_config(ken_str_c(l.root), changes, &l.err), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "run rag_setup first");
    lab_write(&l, ".rag/keep", "");
    kt_ok_err(ken_rulebook_write_config(ken_str_c(l.root), changes, &l.err), &l.err);
    kt_has_str(lab_read(&l, ".rag/config.json").ptr, "\"docs/patterns/\": 8.0");
    kt_has_str(lab_read(&l, ".rag/config.json").ptr, "\"lastIndexedAt\": \"2026-01-01");
    lab_write(&l, ".rag/config.json", "{\"mine\": [1, 2], \"lastIndexedAt\": null}");
    kt_ok_err(ken_rulebook_write_config(ken_str_c(l.root), changes, &l.err), &l.err);
    kt_has_str(lab_read(&l, ".rag/config.json").ptr, "\"mine\": [");
    char name[64], path[4096];
    snprintf(name, sizeof name, ".rag/config.json.%d.tmp", (int)getpid());
    lab_write(&l, "mine.txt", "mine");
    lab_path(&l, name, path);
    kt_eq_i(symlink("../mine.txt", path), 0); // of a hostile tree
    kt_ok_err(ken_rulebook_write_config(ken_str_c(l.root), changes, &l.err), &l.err);
    kt_eq_str(lab_read(&l, "mine.txt").ptr, "mine");
    lab_write(&l, ".rag/config.json", "{broken");
    kt_status(ken_rulebook_write_config(ken_str_c(l.root), changes, &l.err), KEN_EINVAL);
    kt_eq_str(lab_read(&l, ".rag/config.json").ptr, "{broken"); // left as it is
    json_decref(changes);
    lab_end(&l);
}
