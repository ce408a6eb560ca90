// SPDX-License-Identifier: MIT
// A document from its bytes to its rules: bounds, the reader for its kind of text, what rules
// share.
#include "rules/rules.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/path.h"
#include "base/utf8.h"
#include "rules/rules_priv.h"
#include "scan/scan.h"

void ken_rules__issue(rules_reader *r, rules_place at, const char *fmt, ...)
{
    if (r->issues.len == KEN_RULES_ISSUES_MAX)
        return;
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ken_rules_issue issue = { .line = at.line, .column = at.column };
    issue.message = ken_arena_printf(r->arena, KEN_STR_FMT ":%u:%u: %s", KEN_STR_ARG(r->path),
                                     at.line + 1, at.column + 1, text);
    ken_vec_push(&r->issues, issue);
}

ken_rule *ken_rules__add(rules_reader *r, ken_str heading, ken_str text, uint32_t first_line,
                         uint32_t last_line)
{
    if (r->rules.len == KEN_RULES_MAX) {
        if (!r->is_full)
            ken_rules__issue(r, (rules_place){ first_line, 0 },
                             "the document has over %d rules; those from here on are left out",
                             KEN_RULES_MAX);
        r->is_full = true;
        return NULL;
    }
    ken_rule rule = { .kind = r->kind,
                      .path = r->path,
                      .scope = r->scope,
                      .globs = r->globs,
                      .index = (uint32_t)r->rules.len,
                      .first_line = first_line,
                      .last_line = last_line,
                      .weight = 1 };
    rule.heading = ken_arena_dup(r->arena, ken_utf8_clip(heading, KEN_RULES_TEXT_MAX / 4));
    rule.text = ken_arena_dup(r->arena, ken_utf8_clip(text, KEN_RULES_TEXT_MAX));
    ken_vec_push(&r->rules, rule);
    return &r->rules.ptr[r->rules.len - 1];
}

// Bytes beyond ASCII count as letters: other scripts state things too.
static bool is_letter(char c)
{
    return ken_is_alpha(c) || (unsigned char)c >= 0x80;
}

bool ken_rules__is_statement(ken_str text)
{
    size_t n_words = 0, n_wide = 0;
    for (size_t i = 0; i < text.len;) {
        size_t start = i;
        while (i < text.len && is_letter(text.ptr[i]))
            n_wide +=
                (unsigned char)text.ptr[i++] >= 0xe3; // scripts that write words without spaces
        n_words += i > start;
        i += i == start;
    }
    return n_words >= 3 || n_wide >= 4;
}

static ken_status check_text(ken_str path, ken_str text, ken_err *err)
{
    if (text.len > KEN_RULES_DOCUMENT_MAX)
        return KEN_FAIL(err, KEN_ELIMIT,
                        "'" KEN_STR_FMT "': a document of rules may have 1 MiB, this has %zu bytes",
                        KEN_STR_ARG(path), text.len);
    uint32_t line = 1, code = 0;
    for (size_t i = 0, n = 0; i < text.len; i += n) {
        n = text.ptr[i] ? ken_utf8_next(ken_str_sub(text, i, text.len), &code) : 0;
        if (!n)
            return KEN_FAIL(err, KEN_EINVAL, KEN_STR_FMT ":%u: not UTF-8 text", KEN_STR_ARG(path),
                            line);
        line += text.ptr[i] == '\n';
    }
    return KEN_OK;
}

static bool has_ext(ken_str path, const char *ext)
{
    return ken_str_eq_fold(ken_path_ext(path), ken_str_c(ext));
}

ken_status ken_rules_parse(ken_str path, ken_str text, ken_arena *arena, ken_rules_doc *out,
                           ken_err *err)
{
    ken_status st = check_text(path, text, err);
    if (st)
        return st;
    if (ken_str_starts(text, KEN_STR("\xef\xbb\xbf")))
        text = ken_str_sub(text, 3, text.len);
    rules_reader r = { .arena = arena, .path = ken_arena_dup(arena, path) };
    r.kind = ken_rules_kind_of(r.path, &r.scope);
    if (r.kind == KEN_RULE_NONE)
        r.kind = KEN_RULE_CONSTRAINT;
    if (has_ext(path, "yml") || has_ext(path, "yaml")) {
        st = ken_rules__read_yaml(&r, text, err);
    } else {
        bool is_markdown = has_ext(path, "md") || has_ext(path, "mdc");
        st = ken_rules__read_markdown(&r, text, !is_markdown, err);
    }
    if (!st) {
        *out = (ken_rules_doc){ .kind = r.kind, .path = r.path, .scope = r.scope };
        out->rules = ken_arena_copy(arena, r.rules.ptr, r.rules.len, sizeof *r.rules.ptr);
        out->n_rules = r.rules.len;
        out->issues = ken_arena_copy(arena, r.issues.ptr, r.issues.len, sizeof *r.issues.ptr);
        out->n_issues = r.issues.len;
    }
    ken_vec_release(&r.rules);
    ken_vec_release(&r.issues);
    return st;
}

bool ken_rules_applies_to(const ken_rule *rule, ken_str path)
{
    if (rule->scope.len && (!ken_str_starts(path, rule->scope) || path.len <= rule->scope.len ||
                            path.ptr[rule->scope.len] != '/'))
        return false;
    for (size_t i = 0; i < rule->globs.n; i++)
        if (ken_glob_means(rule->globs.items[i], path))
            return true;
    return !rule->globs.n;
}
