// SPDX-License-Identifier: MIT
// What checks find, kept by a rulebook until the code or the rules change.
#include "rulebook/rulebook_verify.h"
#include "unit/rulebook/shop_lab.h"

static void write_rules(const char *glob)
{
    ken_str text = ken_arena_printf(
        &l.arena,
        "constraints:\n  - id: names\n    rule: Functions are in lower case.\n    check:\n"
        "      naming: { kind: function, in: \"%s\", pattern: \"^[a-z]+$\" }\n"
        "  - id: words\n    rule: Be nice.\n",
        glob);
    lab_write(&l, "ARCHITECTURE.yml", text.ptr);
}

static const ken_rule_finding *finding(void)
{
    const ken_rule *rules[2] = { NULL, NULL };
    const ken_rule_finding **found;
    size_t n;
    kt_ok_err(ken_rulebook_refresh(book, &l.err), &l.err);
    const ken_rulebook_document *docs = ken_rulebook_documents(book, &n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < docs[i].n_rules; k++) {
            if (ken_str_eq_c(docs[i].rules[k].id, "names"))
                rules[0] = &docs[i].rules[k];
            if (ken_str_eq_c(docs[i].rules[k].id, "words"))
                rules[1] = &docs[i].rules[k];
        }
    }
    kt_true(rules[0] && rules[1]);
    kt_ok_err(ken_rulebook_find_violations(book, rules, 2, NULL, &l.arena, &found, &l.err), &l.err);
    kt_null(found[1]); // nothing to check
    return found[0];
}

KEN_TEST(findings_are_kept_and_made_anew)
{
    shop_make();
    write_rules("src/**");
    shop_index();
    const ken_rule_finding *f = finding();
    kt_eq_u(f->outcome.n_found, 3);
    kt_eq_u(f->n_first, 3);
    kt_eq_text(f->first[0].path, "src/auth.js");
    kt_has_str(ken_arena_dup(&l.arena, f->first[0].message).ptr, "requireAuth");
    kt_true(finding() == f); // not asked again
    write_rules("src/db/**");
    kt_eq_u(finding()->outcome.n_found, 2);
    lab_write(&l, "src/db/orders.js", "function fine() {}\n");
    f = finding(); // before the change is indexed
    kt_eq_u(f->outcome.n_found, 0);
    sample_index();
    f = finding();
    kt_eq_u(f->outcome.n_found, 0);
    kt_eq_u(f->n_first, 0);
    kt_eq_u(f->outcome.n_seen, 1);
    shop_end();
}
