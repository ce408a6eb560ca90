// SPDX-License-Identifier: MIT
// What every backend of the store must do with documents of rules.
#include "conformance/store/store_matrix.h"
#include "store/rule_documents.h"

static const ken_rule some_rules[] = {
    { .first_line = 2, .last_line = 3, .heading = { "API", 3 }, .text = { "Check first.", 12 } },
    { .first_line = 4, .last_line = 4, .text = { "\xf0\x9f\x9a\x80 always", 11 } },
};

static ken_rule_document_row row_of(const char *path, size_t n_rules)
{
    ken_rule_document_row row = { .path = ken_str_c(path),
                                  .kind = KEN_RULE_PATTERN,
                                  .n_bytes = 77,
                                  .mtime_ns = 1234567890123456789,
                                  .weight = 8.5,
                                  .indexed_at_ms = 42,
                                  .rules = some_rules,
                                  .n_rules = n_rules };
    memset(row.sha.bytes, 0xa5, sizeof row.sha.bytes);
    return row;
}

static ken_status replace(ken_store *s, const ken_rule_document_row *rows, size_t n)
{
    begin(s);
    ken_status st = ken_store_replace_rule_documents(s, rows, n, &err);
    if (st) {
        ken_store_rollback(s);
        return st;
    }
    commit(s);
    return KEN_OK;
}

static ken_rule_document_row *load(ken_store *s, size_t *n)
{
    ken_rule_document_row *rows = NULL;
    kt_ok_err(ken_store_load_rule_documents(s, &arena, &rows, n, &err), &err);
    return rows;
}

STORE_TEST(rule_documents_are_replaced_as_a_whole)
{
    size_t n = 9;
    load(s, &n);
    kt_eq_u(n, 0);
    ken_rule_document_row rows[] = { row_of("docs/patterns/b.md", 2), row_of("CLAUDE.md", 0) };
    kt_ok_err(replace(s, rows, 2), &err);
    ken_rule_document_row *back = load(s, &n);
    kt_eq_u(n, 2);
    kt_eq_text(back[0].path, "CLAUDE.md");
    kt_eq_u(back[0].n_rules, 0);
    kt_eq_u(back[1].n_rules, 2);
    kt_eq_u(back[1].kind, KEN_RULE_PATTERN);
    kt_eq_u(back[1].n_bytes, 77);
    kt_eq_i(back[1].mtime_ns, 1234567890123456789);
    kt_eq_i(back[1].indexed_at_ms, 42);
    kt_near(back[1].weight, 8.5, 0);
    kt_eq_mem(back[1].sha.bytes, sizeof back[1].sha.bytes, rows[0].sha.bytes,
              sizeof rows[0].sha.bytes);
    kt_ok_err(replace(s, rows, 1), &err);
    back = load(s, &n);
    kt_eq_u(n, 1);
    kt_eq_u(back[0].n_rules, 2); // the old rules went with their documents
    kt_ok_err(replace(s, NULL, 0), &err);
    load(s, &n);
    kt_eq_u(n, 0);
}

STORE_TEST(bad_rule_documents_leave_what_was_there)
{
    size_t n = 0;
    ken_rule_document_row rows[] = { row_of("a.md", 1), row_of("a.md", 1) };
    kt_ok_err(replace(s, rows, 1), &err);
    kt_status(replace(s, rows, 2), KEN_EEXIST);
    rows[1] = row_of("", 1);
    kt_status(replace(s, rows, 2), KEN_EINVAL);
    rows[1] = row_of("b.md", 1);
    rows[1].kind = KEN_RULE_NONE;
    kt_status(replace(s, rows, 2), KEN_EINVAL);
    kt_eq_text(load(s, &n)[0].path, "a.md");
    kt_eq_u(n, 1);
    kt_status(ken_store_replace_rule_documents(s, rows, 1, &err), KEN_EINVAL); // no transaction
}
