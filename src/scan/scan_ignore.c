// SPDX-License-Identifier: MIT
// The rules of gitignore(5). Most patterns of real files hold no wildcard or just a leading '*', so
// these two have their own comparisons and only the rest reaches the matcher.
#include "base/path.h"
#include "proc/proc.h"
#include "scan/scan_priv.h"

typedef enum ignore_kind {
    IGNORE_LITERAL = 1, // the whole name, or the whole path
    IGNORE_SUFFIX,      // '*' and a literal end of the name
    IGNORE_WILD,
} ignore_kind;

typedef struct ignore_pattern {
    ken_str text; // without '!', leading and trailing '/'
    ken_str head; // path patterns: the literal front
    ignore_kind kind;
    bool is_negative, is_dir_only;
    bool is_path; // has a slash: anchored to the folder of the file
} ignore_pattern;

struct ken_ignore {
    ken_str dir;
    const ignore_pattern *patterns;
    size_t n_patterns;
};

// Trailing spaces do not count unless a backslash stands before them.
static ken_str trim_spaces(ken_str line)
{
    size_t keep = 0;
    for (size_t i = 0; i < line.len; i++) {
        bool is_escaped = line.ptr[i] == '\\';
        if (is_escaped && ++i == line.len)
            return line; // a lone backslash at the end keeps everything
        if (is_escaped || line.ptr[i] != ' ')
            keep = i + 1;
    }
    return ken_str_sub(line, 0, keep);
}

static bool parse_line(ken_str line, ignore_pattern *out)
{
    size_t nul = ken_str_find_char(line, '\0');
    if (nul != SIZE_MAX)
        line = ken_str_sub(line, 0, nul); // as git, which keeps lines as C strings
    line = trim_spaces(line);
    ignore_pattern p = { .is_negative = ken_str_starts(line, KEN_STR("!")) };
    ken_str t = ken_str_sub(line, p.is_negative, line.len);
    if (ken_str_ends(t, KEN_STR("/"))) {
        p.is_dir_only = true;
        t.len--;
    }
    p.is_path = ken_str_find_char(t, '/') != SIZE_MAX;
    if (ken_str_starts(t, KEN_STR("/")))
        t = ken_str_sub(t, 1, t.len);
    if (!t.len || ken_scan__wild_fault(t))
        return false;
    size_t n = ken_scan__wild_literal(t);
    p.text = t;
    p.kind = n == t.len ? IGNORE_LITERAL : IGNORE_WILD;
    if (p.is_path)
        p.head = ken_str_sub(t, 0, n);
    else if (ken_str_starts(t, KEN_STR("*")) &&
             ken_scan__wild_literal(ken_str_sub(t, 1, t.len)) + 1 == t.len)
        p.kind = IGNORE_SUFFIX;
    *out = p;
    return true;
}

// One line without its end. Unlike ken_str_line_next a "\r" counts only directly before a "\n" and
// nothing follows the last "\n".
static bool take_line(ken_str *rest, ken_str *out)
{
    if (!rest->len || !rest->ptr)
        return false;
    size_t at = ken_str_find_char(*rest, '\n');
    size_t end = at == SIZE_MAX ? rest->len : at;
    *out = ken_str_n(rest->ptr, end);
    *rest = ken_str_sub(*rest, end + 1, rest->len);
    if (ken_str_ends(*out, KEN_STR("\r")))
        out->len--;
    return true;
}

ken_ignore *ken_ignore_parse(ken_arena *a, ken_str dir, ken_str text)
{
    ken_ignore *ig = KEN_ARENA_NEW(a, ken_ignore);
    ig->dir = ken_arena_dup(a, dir);
    if (ken_str_starts(text, KEN_STR("\xef\xbb\xbf")))
        text = ken_str_sub(text, 3, text.len);
    text = ken_arena_dup(a, text);
    size_t n_lines = 0;
    ken_str line;
    for (ken_str rest = text; take_line(&rest, &line);)
        n_lines += line.len && line.ptr[0] != '#';
    ignore_pattern *patterns = KEN_ARENA_ARRAY(a, ignore_pattern, n_lines);
    for (ken_str rest = text; take_line(&rest, &line);)
        if (line.len && line.ptr[0] != '#')
            ig->n_patterns += parse_line(line, &patterns[ig->n_patterns]);
    ig->patterns = patterns;
    return ig;
}

static bool matches_name(const ignore_pattern *p, ken_str name)
{
    switch (p->kind) {
    case IGNORE_LITERAL:
        return ken_str_eq(p->text, name);
    case IGNORE_SUFFIX:
        return ken_str_ends(name, ken_str_sub(p->text, 1, p->text.len));
    case IGNORE_WILD:
        break;
    }
    return ken_scan__wild_name(p->text, name);
}

// GIT_HEAD_QUIRK: git compares the literal front of a pattern first and gives only the rest to its
// matcher, for which the rest is a whole pattern. So "a**/b" matches "ab" and "ax/y/b".
static bool matches_path(const ignore_pattern *p, ken_str path)
{
    if (p->kind == IGNORE_LITERAL)
        return ken_str_eq(p->text, path);
    return ken_str_starts(path, p->head) &&
           ken_scan__wild_path(ken_str_sub(p->text, p->head.len, p->text.len),
                               ken_str_sub(path, p->head.len, path.len));
}

int ken_ignore_match(const ken_ignore *ig, ken_str path, bool is_dir)
{
    if (ig->dir.len) {
        if (path.len <= ig->dir.len || path.ptr[ig->dir.len] != '/' ||
            !ken_str_starts(path, ig->dir))
            return 0;
        path = ken_str_sub(path, ig->dir.len + 1, path.len);
    }
    ken_str name = ken_path_base(path);
    for (size_t i = ig->n_patterns; i-- > 0;) {
        const ignore_pattern *p = &ig->patterns[i];
        if (p->is_dir_only && !is_dir)
            continue;
        if (p->is_path ? matches_path(p, path) : matches_name(p, name))
            return p->is_negative ? -1 : 1;
    }
    return 0;
}
