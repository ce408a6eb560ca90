// SPDX-License-Identifier: MIT
// Which files hold rules, and how much each counts.
#include "base/path.h"
#include "rules/rules.h"

// Documents of the whole project by their name, at the root, in docs/ and in .github/.
static const char *const project_names[] = {
    "ARCHITECTURE.yml", "ARCHITECTURE.yaml", "CONSTRAINTS.md",  "GEMINI.md",
    "CONVENTIONS.md",   "STYLE.md",          "CONTRIBUTING.md", ".cursorrules",
};

// Documents that hold for the folder they are in.
static const char *const folder_names[] = { "CLAUDE.md", "AGENTS.md" };

// Folders whose Markdown files, not those further down, are decisions.
static const char *const decision_folders[] = { "docs/adr", "doc/adr", "docs/decisions", "adr" };

enum {
    N_PROJECT_NAMES = sizeof project_names / sizeof *project_names,
    N_FOLDER_NAMES = sizeof folder_names / sizeof *folder_names,
    N_DECISION_FOLDERS = sizeof decision_folders / sizeof *decision_folders,
};

static bool is_among(ken_str word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_fold(word, ken_str_c(list[i])))
            return true;
    return false;
}

// A decision that is a form to fill in binds nobody.
static bool is_form(ken_str base)
{
    return ken_str_find(base, KEN_STR("template")) != SIZE_MAX;
}

static bool is_project_folder(ken_str dir)
{
    return !dir.len || ken_str_eq_c(dir, "docs") || ken_str_eq_c(dir, ".github");
}

// "web/.cursor/rules" and ".cursor/rules" hold for "web" and for everything.
static bool cut_cursor_folder(ken_str dir, ken_str *out_above)
{
    static const char own[] = ".cursor/rules";
    if (!ken_str_ends(dir, KEN_STR(".cursor/rules")))
        return false;
    size_t n = dir.len - (sizeof own - 1);
    if (n && dir.ptr[n - 1] != '/')
        return false;
    *out_above = ken_str_sub(dir, 0, n ? n - 1 : 0);
    return true;
}

ken_rule_kind ken_rules_kind_of(ken_str path, ken_str *out_scope)
{
    ken_str base = ken_path_base(path), dir = ken_path_dir(path), scope = ken_str_sub(path, 0, 0);
    ken_rule_kind kind = KEN_RULE_NONE;
    bool is_markdown = ken_str_eq_fold(ken_path_ext(base), KEN_STR("md"));
    if (is_project_folder(dir) && is_among(base, project_names, N_PROJECT_NAMES)) {
        kind = KEN_RULE_CONSTRAINT;
    } else if (is_among(base, folder_names, N_FOLDER_NAMES)) {
        kind = KEN_RULE_CONSTRAINT;
        scope = dir;
    } else if (ken_str_eq_c(path, ".github/copilot-instructions.md")) {
        kind = KEN_RULE_CONSTRAINT;
    } else if (is_markdown && ken_str_eq_c(dir, "docs/patterns")) {
        kind = KEN_RULE_PATTERN;
    } else if (is_markdown && is_among(dir, decision_folders, N_DECISION_FOLDERS)) {
        kind = is_form(base) ? KEN_RULE_NONE : KEN_RULE_CONSTRAINT;
    } else if (ken_str_eq_c(ken_path_ext(base), "mdc") && cut_cursor_folder(dir, &scope)) {
        kind = KEN_RULE_CONSTRAINT;
    }
    if (out_scope)
        *out_scope = scope;
    return kind;
}

const ken_rules_weight ken_rules_default_weights[] = {
    { { "ARCHITECTURE.yml", 16 }, 10.0 },
    { { "CONSTRAINTS.md", 14 }, 10.0 },
    { { "CLAUDE.md", 9 }, 10.0 },
    { { "docs/patterns/", 14 }, 8.0 },
};
const size_t ken_rules_n_default_weights =
    sizeof ken_rules_default_weights / sizeof *ken_rules_default_weights;

double ken_rules_weight_of(ken_str path, const ken_rules_weight *weights, size_t n)
{
    const ken_rules_weight *best = NULL;
    for (size_t i = 0; i < n; i++)
        if ((!best || weights[i].part.len > best->part.len) &&
            ken_str_find(path, weights[i].part) != SIZE_MAX)
            best = &weights[i];
    return best ? best->weight : 1.0;
}

const char *ken_rule_kind_word(ken_rule_kind kind)
{
    switch (kind) {
    case KEN_RULE_CONSTRAINT:
        return "constraint";
    case KEN_RULE_PATTERN:
        return "pattern";
    case KEN_RULE_NONE:
        break;
    }
    return "";
}

const char *ken_rule_severity_word(ken_rule_severity severity)
{
    switch (severity) {
    case KEN_RULE_WARNING:
        return "warning";
    case KEN_RULE_NOTE:
        return "note";
    case KEN_RULE_ERROR:
        break;
    }
    return "error";
}

const char *ken_rule_check_word(ken_rule_check_kind kind)
{
    static const char *const words[KEN_CHECK_COUNT] = { "",
#define X(id, word) word,
                                                        KEN_RULE_CHECK_TABLE(X)
#undef X
    };
    return kind < KEN_CHECK_COUNT ? words[kind] : "";
}
