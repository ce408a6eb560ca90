// SPDX-License-Identifier: MIT
// Documents to rules: realistic ones against goldens, and every way in which one can be wrong.
#include <stdio.h>

#include "base/buf.h"
#include "ktest.h"
#include "rules/rules.h"

static ken_arena arena;

static ken_rules_doc parse(const char *path, ken_str text)
{
    ken_rules_doc doc = { 0 };
    ken_err err = { 0 };
    ken_arena_release(&arena);
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_rules_parse(ken_str_c(path), text, &arena, &doc, &err), &err);
    return doc;
}

static ken_rules_doc parse_c(const char *path, const char *text)
{
    return parse(path, ken_str_c(text));
}

// The message that refuses `text`.
static const char *refusal(const char *path, ken_str text)
{
    static ken_err err;
    ken_rules_doc doc = { 0 };
    err = (ken_err){ 0 };
    ken_arena_release(&arena);
    ken_arena_init(&arena, 0);
    kt_true(ken_rules_parse(ken_str_c(path), text, &arena, &doc, &err) != KEN_OK);
    kt_null(doc.rules);
    return err.msg;
}

static void dump_list(ken_buf *b, const char *name, ken_str_list list)
{
    for (size_t i = 0; i < list.n; i++)
        ken_buf_printf(b, "    %s: " KEN_STR_FMT "\n", name, KEN_STR_ARG(list.items[i]));
}

static void dump_text(ken_buf *b, const char *name, ken_str text)
{
    if (text.len)
        ken_buf_printf(b, "    %s: " KEN_STR_FMT "\n", name, KEN_STR_ARG(text));
}

static void dump_check(ken_buf *b, const ken_rule_check *c)
{
    if (c->kind == KEN_CHECK_NONE)
        return;
    ken_buf_printf(b, "    check: %s, lines %u-%u\n", ken_rule_check_word(c->kind),
                   c->first_line + 1, c->last_line + 1);
    dump_list(b, "in", c->in);
    dump_list(b, "except", c->except);
    dump_list(b, "to", c->to);
    dump_list(b, "layer", c->layers);
    dump_list(b, "name", c->names);
    dump_text(b, "before", c->before);
    dump_text(b, "pattern", c->pattern);
    dump_text(b, "under", c->under);
    if (c->symbol)
        ken_buf_printf(b, "    symbol: %s\n", ken_symbol_kind_word(c->symbol));
    if (c->is_of_files || c->is_of_handlers)
        ken_buf_printf(b, "    of: %s\n", c->is_of_files ? "files" : "handlers");
    if (c->measure)
        ken_buf_printf(b, "    measure: %d <= %u\n", (int)c->measure, c->value);
}

static void dump(ken_buf *b, const ken_rules_doc *doc)
{
    ken_buf_printf(b, "%s, %zu rules\n", ken_rule_kind_word(doc->kind), doc->n_rules);
    for (size_t i = 0; i < doc->n_rules; i++) {
        const ken_rule *r = &doc->rules[i];
        ken_buf_printf(b, "%u-%u [" KEN_STR_FMT "] %s\n", r->first_line + 1, r->last_line + 1,
                       KEN_STR_ARG(r->heading), ken_rule_severity_word(r->severity));
        dump_text(b, "text", r->text);
        dump_text(b, "id", r->id);
        dump_text(b, "evidence", r->evidence);
        dump_text(b, "example", r->example);
        dump_list(b, "glob", r->globs);
        dump_check(b, &r->check);
    }
    for (size_t i = 0; i < doc->n_issues; i++)
        ken_buf_printf(b, "issue: " KEN_STR_FMT "\n", KEN_STR_ARG(doc->issues[i].message));
}

static void check_golden(const char *path, const char *golden)
{
    char from[200];
    snprintf(from, sizeof from, "rules/%s", path);
    ken_rules_doc doc = parse(path, ktest_read(ktest_data(from)));
    ken_buf b = KEN_BUF_INIT(0);
    dump(&b, &doc);
    kt_golden(golden, b.ptr, b.len);
    ken_buf_release(&b);
}

KEN_TEST(real_documents_are_cut_as_a_reader_would)
{
    check_golden("CLAUDE.md", "rules/claude.txt");
    check_golden("ARCHITECTURE.yml", "rules/architecture.txt");
    check_golden("docs/patterns/api-endpoints.md", "rules/pattern.txt");
    check_golden("docs/adr/0005-queue.md", "rules/decision.txt");
    check_golden(".cursor/rules/react.mdc", "rules/cursor.txt");
}

// Patterns of a Markdown text, one a line: "lines heading: text".
static const char *patterns_of(const char *text)
{
    static char out[2000];
    ken_rules_doc doc = parse_c("docs/patterns/jobs.md", text);
    ken_buf b = KEN_BUF_INIT(sizeof out);
    for (size_t i = 0; i < doc.n_rules; i++)
        ken_buf_printf(&b, "%u-%u " KEN_STR_FMT ": " KEN_STR_FMT "\n", doc.rules[i].first_line + 1,
                       doc.rules[i].last_line + 1, KEN_STR_ARG(doc.rules[i].heading),
                       KEN_STR_ARG(doc.rules[i].text));
    snprintf(out, sizeof out, "%.*s", (int)b.len, b.ptr ? b.ptr : "");
    ken_buf_release(&b);
    return out;
}

KEN_TEST(a_pattern_is_a_whole_section)
{
    kt_eq_str(patterns_of("# Jobs\n"
                          "\n"
                          "## Retries\n"
                          "\n"
                          "Wrap the call in `retry`.\n"
                          "\n"
                          "Evidence: 9 of 9 jobs.\n"
                          "\n"
                          "```py\n"
                          "# not a title\n"
                          "\n"
                          "retry(send, 3)\n"
                          "```\n"
                          "\n"
                          "### Limits of retries\n"
                          "- At most three of them.\n"
                          "\n"
                          "## Names\n"
                          "Nothing here.\n"),
              "5-16 Jobs > Retries: Wrap the call in `retry`.\n\nEvidence: 9 of 9 jobs.\n\n```py\n"
              "# not a title\n\nretry(send, 3)\n```\n\n### Limits of retries\n"
              "- At most three of them.\n");
}

KEN_TEST(sections_of_patterns_may_be_underlined_commented_or_missing)
{
    kt_eq_str(patterns_of("Jobs are idempotent here.\n"), "1-1 : Jobs are idempotent here.\n");
    kt_eq_str(patterns_of("Jobs\n====\nHow jobs are written.\n\nQueues\n------\n"
                          "<!-- not for readers\n## Hidden\n-->\nOne queue for each tenant.\n"),
              "3-3 Jobs: How jobs are written.\n10-10 Jobs > Queues: One queue for each tenant.\n");
    kt_eq_str(patterns_of("## Open\n```\nthis fence never ends\n## Not a title\n"),
              "2-4 Open: ```\nthis fence never ends\n## Not a title\n");
}

KEN_TEST(a_superseded_decision_demands_nothing)
{
    ken_rules_doc doc =
        parse("docs/adr/0002-redis.md", ktest_read(ktest_data("rules/docs/adr/0002-redis.md")));
    kt_eq_u(doc.n_rules, 0);
}

// Rules of a Markdown text, one a line: "heading: text".
static const char *rules_of(const char *text)
{
    static char out[2000];
    ken_rules_doc doc = parse_c("CONSTRAINTS.md", text);
    ken_buf b = KEN_BUF_INIT(sizeof out);
    for (size_t i = 0; i < doc.n_rules; i++)
        ken_buf_printf(&b, KEN_STR_FMT ": " KEN_STR_FMT "\n", KEN_STR_ARG(doc.rules[i].heading),
                       KEN_STR_ARG(doc.rules[i].text));
    snprintf(out, sizeof out, "%.*s", (int)b.len, b.ptr ? b.ptr : "");
    ken_buf_release(&b);
    return out;
}

KEN_TEST(links_do_not_hide_what_stands_before_them)
{
    kt_eq_str(rules_of("- [Code] Follow the style guide in [this document](a.md)\n"),
              ": [Code] Follow the style guide in [this document](a.md)\n");
    kt_eq_str(rules_of("- [all of the contents](a.md)\n"), "");
    kt_eq_str(rules_of("[![the build is green](a.svg)](https://example.org/a/b)\n"), "");
    kt_eq_str(rules_of("- [X] Names are written out\n"), ": Names are written out\n");
}

KEN_TEST(titles_may_end_in_a_sharp)
{
    kt_eq_str(rules_of("## Rules for C#\n\n- Names are written out\n"),
              "Rules for C#: Names are written out\n");
    kt_eq_str(rules_of("## Closed ##\n\n- Names are written out\n"),
              "Closed: Names are written out\n");
}

KEN_TEST(lists_in_quotes_are_lists)
{
    kt_eq_str(rules_of("> Of the store:\n>\n> - Locks are never nested\n"
                       ">   - but for readers of it\n> - Files are closed again\n\n"
                       "Everything else is free.\n"),
              "Of the store: Locks are never nested\n"
              "Of the store > Locks are never nested: but for readers of it\n"
              "Of the store: Files are closed again\n"
              ": Everything else is free.\n");
}

static const char *kind_of(const char *path)
{
    ken_str scope;
    static char out[80];
    ken_rule_kind kind = ken_rules_kind_of(ken_str_c(path), &scope);
    snprintf(out, sizeof out, "%s" KEN_STR_FMT, ken_rule_kind_word(kind), KEN_STR_ARG(scope));
    return out;
}

KEN_TEST(documents_are_known_by_their_paths)
{
    kt_eq_str(kind_of("ARCHITECTURE.yml"), "constraint");
    kt_eq_str(kind_of("ARCHITECTURE.yaml"), "constraint");
    kt_eq_str(kind_of("CONSTRAINTS.md"), "constraint");
    kt_eq_str(kind_of("contributing.md"), "constraint");
    kt_eq_str(kind_of(".github/CONTRIBUTING.md"), "constraint");
    kt_eq_str(kind_of(".github/copilot-instructions.md"), "constraint");
    kt_eq_str(kind_of(".cursorrules"), "constraint");
    kt_eq_str(kind_of("CLAUDE.md"), "constraint");
    kt_eq_str(kind_of("web/ui/AGENTS.md"), "constraintweb/ui");
    kt_eq_str(kind_of(".cursor/rules/go.mdc"), "constraint");
    kt_eq_str(kind_of("web/.cursor/rules/go.mdc"), "constraintweb");
    kt_eq_str(kind_of("x.cursor/rules/go.mdc"), "");
    kt_eq_str(kind_of("docs/adr/1.md"), "constraint");
    kt_eq_str(kind_of("docs/adr/template.md"), "");
    kt_eq_str(kind_of("docs/adr/old/1.md"), "");
    kt_eq_str(kind_of("docs/patterns/api.md"), "pattern");
    kt_eq_str(kind_of("docs/patterns/deep/api.md"), "");
    kt_eq_str(kind_of("src/CONTRIBUTING.md"), "");
    kt_eq_str(kind_of("README.md"), "");
    kt_eq_str(kind_of(""), "");
}

KEN_TEST(the_longest_part_of_a_path_weighs)
{
    ken_rules_weight own[] = { { KEN_STR("docs/"), 2 },
                               { KEN_STR("docs/patterns/"), 8 },
                               { KEN_STR("CLAUDE.md"), 10 } };
    kt_near(ken_rules_weight_of(KEN_STR("docs/patterns/a.md"), own, 3), 8, 0);
    kt_near(ken_rules_weight_of(KEN_STR("docs/a.md"), own, 3), 2, 0);
    kt_near(ken_rules_weight_of(KEN_STR("docs/CLAUDE.md"), own, 3), 10, 0);
    kt_near(ken_rules_weight_of(KEN_STR("src/a.c"), own, 3), 1, 0);
    kt_near(ken_rules_weight_of(KEN_STR("ARCHITECTURE.yml"), ken_rules_default_weights,
                                ken_rules_n_default_weights),
            10, 0);
    kt_near(ken_rules_weight_of(KEN_STR("docs/patterns/x.md"), ken_rules_default_weights,
                                ken_rules_n_default_weights),
            8, 0);
}

KEN_TEST(rules_apply_below_their_folder_and_to_their_globs)
{
    ken_rules_doc doc = parse_c("web/CLAUDE.md", "- Use two spaces everywhere.\n");
    kt_eq_u(doc.n_rules, 1);
    kt_true(ken_rules_applies_to(&doc.rules[0], KEN_STR("web/a.ts")));
    kt_false(ken_rules_applies_to(&doc.rules[0], KEN_STR("website/a.ts")));
    kt_false(ken_rules_applies_to(&doc.rules[0], KEN_STR("web")));
    doc = parse_c("ARCHITECTURE.yml", "constraints:\n- rule: No raw SQL here\n"
                                      "  applies_to: [\"src/db/**\"]\n");
    kt_true(ken_rules_applies_to(&doc.rules[0], KEN_STR("src/db/x/a.c")));
    kt_false(ken_rules_applies_to(&doc.rules[0], KEN_STR("src/a.c")));
}

// As in checks: one without a wildcard names a file, or a folder with all that lies below it.
KEN_TEST(rules_apply_to_folders_that_are_named)
{
    ken_rules_doc doc = parse_c("ARCHITECTURE.yml", "constraints:\n- rule: No raw SQL here\n"
                                                    "  applies_to: [src/db, ./web/, main.c]\n");
    kt_eq_u(doc.n_issues, 0);
    kt_eq_u(doc.n_rules, 1);
    kt_true(ken_rules_applies_to(&doc.rules[0], KEN_STR("src/db/x/a.c")));
    kt_true(ken_rules_applies_to(&doc.rules[0], KEN_STR("web/a.ts")));
    kt_true(ken_rules_applies_to(&doc.rules[0], KEN_STR("main.c")));
    kt_false(ken_rules_applies_to(&doc.rules[0], KEN_STR("src/dbx/a.c")));
    kt_false(ken_rules_applies_to(&doc.rules[0], KEN_STR("src/a.c")));
    kt_false(ken_rules_applies_to(&doc.rules[0], KEN_STR("x/main.c")));
}

KEN_TEST(wrong_yaml_is_refused_with_its_place)
{
    kt_eq_str(refusal("ARCHITECTURE.yml", KEN_STR("a: 1\nb: [1, 2\nc: 3\n")),
              "ARCHITECTURE.yml:3:2: not valid YAML: did not find expected ',' or ']'");
    kt_has_str(refusal("ARCHITECTURE.yml", KEN_STR("a: &x [1]\nb: *x\n")),
               "ARCHITECTURE.yml:2:4: aliases are not supported");
    kt_has_str(refusal("ARCHITECTURE.yml", KEN_STR("a: 1\n--- \nb: 2\n")),
               "must hold one YAML document");
    char deep[200];
    memset(deep, '[', 100);
    deep[100] = 0;
    kt_has_str(refusal("ARCHITECTURE.yml", ken_str_c(deep)), "over the limit of 32 levels");
    kt_has_str(refusal("ARCHITECTURE.yml", KEN_STR("? {a: 1}\n: 2\n")), "a key must be a plain");
}

KEN_TEST(what_is_not_text_is_refused)
{
    kt_eq_str(refusal("CLAUDE.md", KEN_STR("fine\nbad \xff here\n")),
              "CLAUDE.md:2: not UTF-8 text");
    kt_has_str(refusal("CLAUDE.md", KEN_STR("a\0b")), "not UTF-8");
    ken_buf big = KEN_BUF_INIT(0);
    for (size_t i = 0; i <= KEN_RULES_DOCUMENT_MAX; i++)
        ken_buf_putc(&big, 'a');
    kt_has_str(refusal("CLAUDE.md", ken_buf_str(&big)), "may have 1 MiB, this has 1048577 bytes");
    ken_buf_release(&big);
}

// The first issue of one rule of ARCHITECTURE.yml with `lines`.
static const char *issue_of(const char *lines)
{
    static char text[1000], out[500];
    snprintf(text, sizeof text, "constraints:\n  - rule: Something must be so.\n%s", lines);
    ken_rules_doc doc = parse_c("ARCHITECTURE.yml", text);
    kt_eq_u(doc.n_rules, 1); // the text of the rule holds in any case
    kt_eq_u(doc.rules[0].check.kind, KEN_CHECK_NONE);
    if (!doc.n_issues)
        return "";
    snprintf(out, sizeof out, KEN_STR_FMT, KEN_STR_ARG(doc.issues[0].message));
    return out;
}

KEN_TEST(a_bad_check_names_field_rule_and_value)
{
    kt_eq_str(issue_of("    check:\n      max: { what: file_lines, value: many }\n"),
              "ARCHITECTURE.yml:4:39: check.max.value: must be a whole number from 1 to 1000000, "
              "got 'many'");
    kt_eq_str(issue_of("    check:\n      max: { what: lines, value: 3 }\n"),
              "ARCHITECTURE.yml:4:20: check.max.what: must be file_lines, function_lines, "
              "parameters or complexity, got 'lines'");
    kt_eq_str(issue_of("    check:\n      max: { what: file_lines, valeu: 3 }\n"),
              "ARCHITECTURE.yml:4:12: check.max.value: is missing");
    kt_eq_str(issue_of("    check:\n      forbid_imports: { from: a, to: b }\n"),
              "ARCHITECTURE.yml:4:7: check: unknown key 'forbid_imports', did you mean "
              "'forbid_import'?");
    kt_eq_str(issue_of("    check:\n      placement: { files: '*.c', under: x, befor: y }\n"),
              "ARCHITECTURE.yml:4:44: check.placement: unknown key 'befor'");
    kt_eq_str(issue_of("    chek: 1\n"),
              "ARCHITECTURE.yml:3:5: rule: unknown key 'chek', did you mean 'check'?");
    kt_eq_str(issue_of("    check: {}\n"),
              "ARCHITECTURE.yml:3:12: check: must have exactly one key, such as forbid_import");
    kt_has_str(issue_of("    check:\n      naming: { pattern: '(a' }\n"),
               "check.naming.pattern: not a regular expression, at byte 2");
    kt_has_str(issue_of("    check:\n      layers: ['src/[a']\n"), "check.layers: ");
    kt_has_str(issue_of("    check:\n      naming: { kind: functoin, pattern: a }\n"),
               "got 'functoin'");
    kt_has_str(issue_of("    check:\n"
                        "      require_call: { of: handlers, methods: [post], call: a }\n"),
               "check.require_call.methods: must be one or more of GET, HEAD, POST");
    kt_has_str(issue_of("    check:\n"
                        "      require_call: { of: functions, methods: POST, call: a }\n"),
               "check.require_call.methods: only handlers have methods, not functions");
    kt_has_str(issue_of("    check:\n      require_call: { of: all, call: a }\n"),
               "check.require_call.of: must be handlers or functions, got 'all'");
    kt_has_str(issue_of("    severity: fatal\n"),
               "severity: must be error, warning or note, got 'fatal'");
    kt_has_str(issue_of("    id: a b\n"), "'.', '_' or '-', got 'a b'");
    kt_has_str(issue_of("    applies_to: [[a]]\n"), "applies_to: must be a text or a list");
}

// Of two values one would not be looked at, and nobody would know.
KEN_TEST(a_key_that_is_given_twice_is_named)
{
    kt_eq_str(issue_of("    check:\n      max: { what: file_lines, value: 3, value: 4 }\n"),
              "ARCHITECTURE.yml:4:42: check.max: key 'value' must be given once");
    ken_rules_doc doc = parse_c("ARCHITECTURE.yml",
                                "constraints:\n- rule: One rule here\n  check: {layers: [a, b]}\n"
                                "  check: {forbid_symbol: {name: strcpy}}\n");
    kt_eq_u(doc.n_issues, 1);
    kt_eq_text(doc.issues[0].message, "ARCHITECTURE.yml:4:3: rule: key 'check' must be given once");
}

KEN_TEST(an_id_holds_no_nul)
{
    ken_rules_doc doc =
        parse_c("ARCHITECTURE.yml", "rules:\n- {id: \"a\\0b\", rule: One rule here}\n");
    kt_eq_u(doc.n_rules, 1);
    kt_eq_u(doc.rules[0].id.len, 0);
    kt_eq_u(doc.n_issues, 1);
}

KEN_TEST(ids_are_unique_and_rules_have_a_text)
{
    ken_rules_doc doc = parse_c("ARCHITECTURE.yml",
                                "constraints:\n- {id: a, rule: One rule here}\n"
                                "- {id: a, rule: Another rule here}\n- {check: {layers: [a]}}\n");
    kt_eq_u(doc.n_rules, 2);
    kt_eq_u(doc.rules[1].id.len, 0);
    kt_eq_u(doc.n_issues, 2);
    kt_eq_text(doc.issues[0].message,
               "ARCHITECTURE.yml:3:8: id: must be unique in the file, got 'a' twice");
    kt_eq_text(doc.issues[1].message,
               "ARCHITECTURE.yml:4:3: rule: must be a text that says the rule");
}

KEN_TEST(a_document_has_at_most_2000_rules)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 2100; i++)
        ken_buf_puts(&b, "- Always wash your hands.\n");
    ken_rules_doc doc = parse("CLAUDE.md", ken_buf_str(&b));
    kt_eq_u(doc.n_rules, 2000);
    kt_eq_u(doc.n_issues, 1);
    kt_has_str(doc.issues[0].message.ptr, "CLAUDE.md:2001:1: the document has over 2000 rules");
    ken_buf_release(&b);
}

KEN_TEST(plain_lines_are_rules_of_their_own)
{
    ken_rules_doc doc = parse_c(".cursorrules", "Use tabs in all files.\nNever commit generated\n"
                                                "code to the tree.\n\nPrefer small functions\n");
    kt_eq_u(doc.n_rules, 3);
    kt_eq_text(doc.rules[1].text, "Never commit generated code to the tree.");
    kt_eq_u(doc.rules[1].last_line, 2);
    kt_eq_u(parse_c("CLAUDE.md", "").n_rules, 0);
    kt_eq_u(parse_c("ARCHITECTURE.yml", "").n_rules, 0);
    kt_eq_u(parse_c("CLAUDE.md", "---\nno end\nof front matter\n").n_rules, 1);
}

KEN_TEST(key_rules_are_what_a_text_commands)
{
    ken_rules_keys *k = ken_rules_keys_new();
    ken_str out[KEN_RULES_KEYS_MAX];
    ken_str text = KEN_STR("ALL endpoints MUST validate input. You never log secrets; ok\n"
                           "No handler may block. MUST x. All inputs must be checked");
    kt_eq_u(ken_rules_extract_keys(k, text, out), 6);
    kt_eq_text(out[0], "MUST validate input");
    kt_eq_text(out[1], "never log secrets");
    kt_eq_text(out[2], "must be checked");
    kt_eq_text(out[3], "ALL endpoints MUST validate input");
    kt_eq_text(out[4], "All inputs must be checked");
    kt_eq_text(out[5], "No handler may block");
    ken_str same = KEN_STR("MUST be the same\nMUST be the same\n");
    kt_eq_u(ken_rules_extract_keys(k, same, out), 1);
    ken_buf many = KEN_BUF_INIT(0);
    for (int i = 0; i < 30; i++)
        ken_buf_printf(&many, "you must do thing number %d.\n", i);
    kt_eq_u(ken_rules_extract_keys(k, ken_buf_str(&many), out), 10);
    ken_buf_release(&many);
    ken_rules_keys_free(k);
}

KEN_TEST(expressions_have_limits)
{
    ken_rules_regex *r = NULL;
    ken_err err = { 0 };
    bool matches = false;
    kt_ok(ken_rules_regex_new(KEN_STR("^[a-z]+$"), &r, &err));
    kt_ok(ken_rules_regex_matches(r, KEN_STR("abc"), &matches, &err));
    kt_true(matches);
    kt_ok(ken_rules_regex_matches(r, KEN_STR("aBc"), &matches, &err));
    kt_false(matches);
    ken_rules_regex_free(r);
    kt_ok(ken_rules_regex_new(KEN_STR("^(a+)+$"), &r, &err));
    kt_status(
        ken_rules_regex_matches(r, KEN_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), &matches, &err),
        KEN_ELIMIT);
    ken_rules_regex_free(r);
    char nested[200];
    memset(nested, '(', 99);
    nested[99] = 0;
    kt_status(ken_rules_regex_new(ken_str_c(nested), &r, &err), KEN_EINVAL);
}
