// SPDX-License-Identifier: MIT
// fuzz_rules.c -- documents of rules. Input: one byte that says which kind of document, then its
// text. No text may crash a reader, and every rule lies in the document, within its bounds.
#include <stdint.h>

#include "base/assert.h"
#include "rules/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t count_lines(ken_str text)
{
    uint32_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '\n' || text.ptr[i] == '\r' || (unsigned char)text.ptr[i] >= 0xc2;
    return n;
}

static void check(const ken_rules_doc *doc, ken_str text, ken_rules_keys *keys)
{
    uint32_t n_lines = count_lines(text); // YAML breaks lines at more than \n
    ken_str found[KEN_RULES_KEYS_MAX];
    KEN_ASSERT(doc->n_rules <= KEN_RULES_MAX && doc->n_issues <= KEN_RULES_ISSUES_MAX);
    for (size_t i = 0; i < doc->n_rules; i++) {
        const ken_rule *r = &doc->rules[i];
        KEN_ASSERT(r->index == i && r->text.len && r->text.len <= KEN_RULES_TEXT_MAX);
        KEN_ASSERT(r->first_line <= r->last_line && r->last_line <= n_lines);
        KEN_ASSERT(r->check.kind < KEN_CHECK_COUNT);
        (void)ken_rules_applies_to(r, KEN_STR("src/a.c"));
        KEN_ASSERT(ken_rules_extract_keys(keys, r->text, found) <= KEN_RULES_KEYS_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = { "ARCHITECTURE.yml",   "CLAUDE.md",
                                         "docs/patterns/a.md", ".cursor/rules/a.mdc",
                                         ".cursorrules",       "docs/adr/1.md" };
    static ken_rules_keys *keys; // compiled once for the whole run
    if (!size || size > 8192)
        return 0;
    if (!keys)
        keys = ken_rules_keys_new();
    ken_str text = ken_str_n((const char *)data + 1, size - 1);
    ken_arena arena;
    ken_rules_doc doc = { 0 };
    ken_arena_init(&arena, 0);
    if (!ken_rules_parse(ken_str_c(paths[data[0] % 6]), text, &arena, &doc, NULL))
        check(&doc, text, keys);
    ken_arena_release(&arena);
    return 0;
}
