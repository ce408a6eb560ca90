// SPDX-License-Identifier: MIT
// Markdown and plain text to rules, line by line.
//
// A paragraph, a list item or a table row that states something is a rule. Where it stands tells
// what it is about: the headings above it, the sentence with a colon that leads to its list, the
// item that it is nested in; all of that is its heading. Code in fences belongs to the rule before
// it when that announces it with a colon; otherwise it is left out. Documents of patterns are cut
// by section instead (rules_sections.c). A decision that was superseded or rejected states nothing any more.
#include "base/path.h"
#include "base/utf8.h"
#include "rules/rules_priv.h"
#include "scan/scan.h"

enum {
    HEADING_LEVELS = 6,
    ITEMS_MAX = 8,       // nested lists; deeper ones count as the deepest
    LEAD_MAX = 160,      // bytes of a sentence or item that is shown as a heading
    CODE_LINES_MAX = 40, // kept of a fence
    GLOBS_MAX = 64,
};

typedef enum block_kind {
    BLOCK_NONE = 0,
    BLOCK_PARAGRAPH,
    BLOCK_ITEM,
} block_kind;

typedef struct md_item {
    size_t indent;
    ken_str text; // clipped; empty while it is being read
} md_item;

typedef struct md_fence {
    char mark; // '`' or '~'; 0 = outside
    size_t n_marks;
    uint32_t n_lines;
    bool is_kept;
} md_fence;

typedef struct md_reader {
    rules_reader *r;
    ken_str rest;
    uint32_t line; // of the line that is looked at
    bool is_plain, is_decision;
    bool is_void; // a decision that does not hold any more
    bool is_in_comment;
    ken_str about; // the description in the front matter
    ken_str headings[HEADING_LEVELS];
    ken_str lead; // what leads to the list below
    md_item items[ITEMS_MAX];
    size_t n_items;
    md_fence fence;
    ken_buf text; // of the open block, or of the fence
    block_kind block;
    uint32_t first_line, last_line;
    bool has_announced;      // the last block ended in a colon and is no rule so far
    size_t last_rule;        // that a fence may be joined to; SIZE_MAX = none
    ken_str announced;       // its text
    uint32_t announced_line; // its first line
    size_t n_above;          // items that it is nested in
} md_reader;

// ---- what a line is ----------------------------------------------------------------------------

static size_t indent_of(ken_str line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t'); i++)
        n += line.ptr[i] == '\t' ? 4 : 1;
    return n;
}

static size_t count_front(ken_str s, char c)
{
    size_t n = 0;
    while (n < s.len && s.ptr[n] == c)
        n++;
    return n;
}

// Only `c` and spaces, at least three of it.
static bool is_ruler(ken_str line, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == c)
            n++;
        else if (!ken_is_space(line.ptr[i]))
            return false;
    }
    return n >= 3;
}

// Level of "## Title", 0 when it is none.
static size_t heading_level(ken_str line, ken_str *out_title)
{
    size_t n = count_front(line, '#');
    if (!n || n > HEADING_LEVELS || (n < line.len && !ken_is_space(line.ptr[n])))
        return 0;
    ken_str title = ken_str_trim(ken_str_sub(line, n, line.len)), open = title;
    while (open.len && open.ptr[open.len - 1] == '#')
        open.len--;
    bool is_closed = !open.len || ken_is_space(open.ptr[open.len - 1]); // not that of "C#"
    *out_title = is_closed ? ken_str_trim(open) : title;
    return n;
}

// Bytes of the mark of a list item, "- " or "12. ", with the space after it; 0 when there is none.
static size_t item_mark(ken_str line)
{
    size_t n = 0;
    while (n < line.len && n < 9 && ken_is_digit(line.ptr[n]))
        n++;
    const char *marks = n ? ".)" : "-*+";
    if (n >= line.len || !strchr(marks, line.ptr[n]) || !line.ptr[n])
        return 0;
    n++;
    return n < line.len && ken_is_space(line.ptr[n]) ? n + 1 : 0;
}

static bool is_table_ruler(ken_str line)
{
    bool has_dash = false;
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr("|:- \t", line.ptr[i]))
            return false;
        has_dash |= line.ptr[i] == '-';
    }
    return has_dash && line.len && line.ptr[0] == '|';
}

// ---- what states something ---------------------------------------------------------------------

// Puts `text` without the addresses of its links into `all`, and without its links into `outside`.
// A link that holds a picture is one, too.
static void split_links(ken_str text, ken_buf *all, ken_buf *outside)
{
    while (text.len) {
        size_t close = ken_str_find(text, KEN_STR("](")), end = SIZE_MAX;
        if (close != SIZE_MAX)
            end = ken_str_find_char(ken_str_sub(text, close, text.len), ')');
        ken_str front = end == SIZE_MAX ? text : ken_str_sub(text, 0, close);
        size_t open = end == SIZE_MAX ? SIZE_MAX : ken_str_rfind_char(front, '[');
        ken_str before = open == SIZE_MAX ? front : ken_str_sub(front, 0, open);
        ken_buf_put_str(all, before);
        ken_buf_put_str(outside, before);
        if (end == SIZE_MAX)
            return;
        bool is_image = ken_str_ends(before, KEN_STR("!"));
        if (open != SIZE_MAX && !is_image)
            ken_buf_put_str(all, ken_str_sub(front, open + 1, front.len));
        text = ken_str_sub(text, close + end + 1, text.len);
    }
}

static bool has_letter(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (ken_is_alpha(s.ptr[i]) || (unsigned char)s.ptr[i] >= 0x80)
            return true;
    return false;
}

// A line of contents, a badge and a tag state nothing.
static bool states_something(ken_str text)
{
    if (ken_str_starts(text, KEN_STR("<")) && ken_str_ends(text, KEN_STR(">")))
        return false;
    if (ken_str_find(text, KEN_STR("](")) == SIZE_MAX)
        return ken_rules__is_statement(text);
    ken_buf all = KEN_BUF_INIT(0), outside = KEN_BUF_INIT(0);
    split_links(text, &all, &outside);
    bool is_stated =
        ken_rules__is_statement(ken_buf_str(&all)) && has_letter(ken_buf_str(&outside));
    ken_buf_release(&all);
    ken_buf_release(&outside);
    return is_stated;
}

// ---- headings ----------------------------------------------------------------------------------

static void put_heading(ken_buf *b, ken_str part)
{
    if (!part.len)
        return;
    if (b->len)
        ken_buf_puts(b, " > ");
    ken_buf_put_str(b, part);
}

// Everything above the open block; of the items only those that it is nested in.
static ken_str heading_of(const md_reader *m, size_t n_items)
{
    ken_buf b = KEN_BUF_INIT(KEN_RULES_TEXT_MAX);
    put_heading(&b, m->about);
    for (size_t i = 0; i < HEADING_LEVELS; i++)
        put_heading(&b, m->headings[i]);
    put_heading(&b, m->lead);
    for (size_t i = 0; i < n_items; i++)
        put_heading(&b, m->items[i].text);
    ken_str out = ken_arena_dup(m->r->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

static ken_str as_lead(md_reader *m, ken_str text)
{
    if (text.len && text.ptr[text.len - 1] == ':')
        text.len--;
    return ken_arena_dup(m->r->arena, ken_utf8_clip(text, LEAD_MAX));
}

static ken_str last_heading(const md_reader *m)
{
    for (size_t i = HEADING_LEVELS; i-- > 0;)
        if (m->headings[i].len)
            return m->headings[i];
    return KEN_STR("");
}

// "Superseded by ADR 7" under "Status", or "Status: rejected".
static bool says_it_is_void(const md_reader *m, ken_str text)
{
    static const char *const words[] = { "superseded", "deprecated", "rejected" };
    if (text.len > 7 && ken_str_eq_fold(ken_str_sub(text, 0, 7), KEN_STR("status:")))
        text = ken_str_trim(ken_str_sub(text, 7, text.len));
    else if (!ken_str_eq_fold(last_heading(m), KEN_STR("status")))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ken_str word = ken_str_c(words[i]);
        if (ken_str_eq_fold(ken_str_sub(text, 0, word.len), word))
            return true;
    }
    return false;
}

// ---- blocks ------------------------------------------------------------------------------------

static void add_rule(md_reader *m, ken_str text, size_t n_items, uint32_t first, uint32_t last)
{
    m->last_rule = m->r->rules.len;
    if (!ken_rules__add(m->r, heading_of(m, n_items), text, first, last))
        m->last_rule = SIZE_MAX;
}

// Ends the open block: it becomes a rule, or what announces the next one.
static void end_block(md_reader *m)
{
    block_kind kind = m->block;
    m->block = BLOCK_NONE;
    if (kind == BLOCK_NONE)
        return;
    ken_str text = ken_str_trim(ken_buf_str(&m->text));
    bool announces = text.len && text.ptr[text.len - 1] == ':';
    size_t n_above = kind == BLOCK_ITEM ? m->n_items - 1 : m->n_items;
    if (m->is_decision && says_it_is_void(m, text))
        m->is_void = true;
    if (announces) {
        m->has_announced = true;
        m->announced = ken_arena_dup(m->r->arena, text);
        m->announced_line = m->first_line;
        m->n_above = n_above;
    } else if (states_something(text)) {
        add_rule(m, text, n_above, m->first_line, m->last_line);
    }
    if (kind == BLOCK_ITEM)
        m->items[m->n_items - 1].text = as_lead(m, text);
    else if (!m->n_items)
        m->lead = announces ? as_lead(m, text) : KEN_STR("");
    ken_buf_clear(&m->text);
}

// What led to a list says nothing of what comes after it.
static void end_list(md_reader *m)
{
    if (m->n_items)
        m->lead = KEN_STR("");
    m->n_items = 0;
}

static void start_block(md_reader *m, block_kind kind, ken_str text)
{
    ken_buf_clear(&m->text);
    ken_buf_put_str(&m->text, text);
    m->block = kind;
    m->first_line = m->last_line = m->line;
    m->has_announced = false;
}

static void set_heading(md_reader *m, size_t level, ken_str title)
{
    end_block(m);
    m->headings[level - 1] = ken_arena_dup(m->r->arena, ken_utf8_clip(title, LEAD_MAX));
    for (size_t i = level; i < HEADING_LEVELS; i++)
        m->headings[i] = KEN_STR("");
    m->lead = KEN_STR("");
    m->n_items = 0;
    m->has_announced = false;
    m->last_rule = SIZE_MAX;
}

static void start_item(md_reader *m, ken_str line, size_t n_mark)
{
    size_t indent = indent_of(line);
    ken_str text = ken_str_trim(ken_str_sub(ken_str_trim(line), n_mark, line.len));
    if (ken_str_starts(text, KEN_STR("[ ] ")) || ken_str_starts(text, KEN_STR("[x] ")) ||
        ken_str_starts(text, KEN_STR("[X] ")))
        text = ken_str_sub(text, 4, text.len);
    end_block(m);
    while (m->n_items && m->items[m->n_items - 1].indent >= indent)
        m->n_items--;
    if (m->n_items == ITEMS_MAX)
        m->n_items--;
    m->items[m->n_items++] = (md_item){ .indent = indent };
    start_block(m, BLOCK_ITEM, text);
}

// The cells of "| a | b |", as they stand.
static void add_row(md_reader *m, ken_str line)
{
    ken_buf cells = KEN_BUF_INIT(KEN_RULES_TEXT_MAX * 2);
    ken_str rest = ken_str_sub(line, 1, line.len), cell;
    if (ken_str_ends(rest, KEN_STR("|")))
        rest.len--;
    while (ken_str_split_next(&rest, '|', &cell)) {
        cell = ken_str_trim(cell);
        if (!cell.len)
            continue;
        if (cells.len)
            ken_buf_puts(&cells, " | ");
        ken_buf_put_str(&cells, cell);
    }
    if (states_something(ken_buf_str(&cells)))
        add_rule(m, ken_buf_str(&cells), 0, m->line, m->line);
    ken_buf_release(&cells);
}

// ---- fences ------------------------------------------------------------------------------------

static bool start_fence(md_reader *m, ken_str line)
{
    char mark = line.len ? line.ptr[0] : 0;
    size_t n = mark == '`' || mark == '~' ? count_front(line, mark) : 0;
    if (n < 3)
        return false;
    end_block(m);
    m->fence = (md_fence){ .mark = mark, .n_marks = n };
    m->fence.is_kept = m->has_announced;
    if (m->has_announced) {
        m->lead = KEN_STR(""); // it led to this code
        add_rule(m, m->announced, m->n_above, m->announced_line, m->line);
    }
    m->has_announced = false;
    ken_buf_clear(&m->text);
    return true;
}

// Joins the code to the rule that announced it.
static void end_fence(md_reader *m)
{
    ken_str code = ken_buf_str(&m->text);
    while (code.len && ken_is_space(code.ptr[code.len - 1]))
        code.len--;
    if (m->fence.is_kept && code.len && m->last_rule != SIZE_MAX) {
        ken_rule *rule = &m->r->rules.ptr[m->last_rule];
        ken_str joined = ken_arena_printf(m->r->arena, KEN_STR_FMT "\n" KEN_STR_FMT,
                                          KEN_STR_ARG(rule->text), KEN_STR_ARG(code));
        rule->text = ken_utf8_clip(joined, KEN_RULES_TEXT_MAX);
        rule->last_line = m->line;
    }
    m->fence.mark = 0;
    ken_buf_clear(&m->text);
}

static void read_fenced(md_reader *m, ken_str line)
{
    ken_str s = ken_str_trim(line);
    size_t n = count_front(s, m->fence.mark);
    if (n >= m->fence.n_marks && n == s.len) {
        end_fence(m);
    } else if (m->fence.is_kept && m->fence.n_lines++ < CODE_LINES_MAX) {
        ken_buf_put_str(&m->text, line);
        ken_buf_putc(&m->text, '\n');
    }
}

// ---- lines -------------------------------------------------------------------------------------

static bool ends_sentence(const ken_buf *b)
{
    return b->len && strchr(".!?:", b->ptr[b->len - 1]);
}

static void read_text(md_reader *m, ken_str raw, ken_str line)
{
    if (m->block != BLOCK_NONE && !(m->is_plain && ends_sentence(&m->text))) {
        ken_buf_putc(&m->text, ' ');
        ken_buf_put_str(&m->text, line);
        m->last_line = m->line;
        return;
    }
    end_block(m);
    if (!indent_of(raw))
        end_list(m);
    start_block(m, BLOCK_PARAGRAPH, line);
}

// Underlines of titles and rulers between sections.
static bool read_ruler(md_reader *m, ken_str line)
{
    bool is_title = count_front(line, '=') == line.len;
    if (m->block == BLOCK_PARAGRAPH && (is_title || count_front(line, '-') == line.len)) {
        ken_str title = ken_arena_dup(m->r->arena, ken_str_trim(ken_buf_str(&m->text)));
        m->block = BLOCK_NONE;
        set_heading(m, is_title ? 1 : 2, title);
        return true;
    }
    if (!is_ruler(line, '-') && !is_ruler(line, '*') && !is_ruler(line, '_'))
        return false;
    end_block(m);
    m->n_items = 0;
    m->lead = KEN_STR("");
    return true;
}

static bool read_table(md_reader *m, ken_str line)
{
    if (!line.len || line.ptr[0] != '|')
        return false;
    end_block(m);
    end_list(m);
    ken_str rest = m->rest, below = { 0 };
    bool is_head = ken_str_line_next(&rest, &below) && is_table_ruler(ken_str_trim(below));
    if (!is_head && !is_table_ruler(line))
        add_row(m, line);
    return true;
}

// Comments may hide half a document; they say nothing.
static bool read_comment(md_reader *m, ken_str line)
{
    if (!m->is_in_comment && !ken_str_starts(line, KEN_STR("<!--")))
        return false;
    m->is_in_comment = ken_str_find(line, KEN_STR("-->")) == SIZE_MAX;
    return true;
}

static void read_line(md_reader *m, ken_str raw)
{
    if (m->fence.mark) {
        read_fenced(m, raw);
        return;
    }
    ken_str line = ken_str_trim(raw), title;
    while (line.len && line.ptr[0] == '>') {
        bool has_space = line.len > 1 && line.ptr[1] == ' ';
        raw = ken_str_sub(line, has_space ? 2 : 1, line.len); // items are indented behind the mark
        line = ken_str_trim(raw);
    }
    if (read_comment(m, line))
        return;
    if (!line.len || ken_str_starts(line, KEN_STR("[!"))) {
        end_block(m);
        return;
    }
    size_t level = heading_level(line, &title), n_mark = item_mark(line);
    if (level)
        set_heading(m, level, title);
    else if (start_fence(m, line) || read_ruler(m, line) || read_table(m, line))
        return;
    else if (n_mark)
        start_item(m, raw, n_mark);
    else
        read_text(m, raw, line);
}

// ---- front matter ------------------------------------------------------------------------------

static ken_str unquote(ken_str s)
{
    s = ken_str_trim(s);
    if (s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0])
        s = ken_str_sub(s, 1, s.len - 1);
    return s;
}

static void add_glob(md_reader *m, ken_str glob, size_t column)
{
    ken_err why = { 0 };
    glob = unquote(glob);
    if (!glob.len || m->r->globs.n == GLOBS_MAX)
        return;
    if (ken_glob_check(glob, &why)) {
        ken_rules__issue(m->r, (rules_place){ m->line, (uint32_t)column }, "globs: %s", why.msg);
        return;
    }
    m->r->globs.items[m->r->globs.n++] = ken_arena_dup(m->r->arena, glob);
}

// "*.ts, src/{a,b}/**", also in brackets; a comma in braces belongs to the glob.
static void add_globs(md_reader *m, ken_str list)
{
    list = ken_str_trim(list);
    if (list.len >= 2 && list.ptr[0] == '[' && list.ptr[list.len - 1] == ']')
        list = ken_str_sub(list, 1, list.len - 1);
    size_t start = 0;
    int depth = 0;
    for (size_t i = 0; i <= list.len; i++) {
        char c = i < list.len ? list.ptr[i] : ',';
        depth += (c == '{') - (c == '}');
        if (c != ',' || (depth > 0 && i < list.len))
            continue;
        add_glob(m, ken_str_sub(list, start, i), start);
        start = i + 1;
    }
}

// What stands between two lines of "---" at the top: a description and globs. It is not read as
// YAML, which "globs: *.ts" is not.
static void read_front(md_reader *m)
{
    ken_str rest = m->rest, line, key = KEN_STR("");
    if (!ken_str_line_next(&rest, &line) || !ken_str_eq_c(ken_str_trim(line), "---"))
        return;
    m->r->globs.items = KEN_ARENA_ARRAY(m->r->arena, ken_str, GLOBS_MAX);
    for (m->line = 1; ken_str_line_next(&rest, &line); m->line++) {
        ken_str s = ken_str_trim(line);
        if (ken_str_eq_c(s, "---")) {
            m->rest = rest;
            m->line++;
            return;
        }
        size_t colon = ken_str_find_char(s, ':');
        bool is_item = ken_str_starts(s, KEN_STR("- "));
        if (!is_item && colon != SIZE_MAX)
            key = ken_str_trim(ken_str_sub(s, 0, colon));
        ken_str value = ken_str_sub(s, is_item ? 2 : colon == SIZE_MAX ? s.len : colon + 1, s.len);
        if (ken_str_eq_c(key, "globs"))
            add_globs(m, value);
        else if (ken_str_eq_c(key, "description") && !is_item)
            m->about = ken_arena_dup(m->r->arena, ken_utf8_clip(unquote(value), LEAD_MAX));
    }
    m->line = 0; // it was a ruler: nothing ends it
    m->r->globs.n = 0;
    m->about = KEN_STR("");
}

static bool is_decision(ken_str path)
{
    return ken_str_find(path, KEN_STR("adr/")) != SIZE_MAX ||
           ken_str_find(path, KEN_STR("decisions/")) != SIZE_MAX;
}

ken_status ken_rules__read_markdown(rules_reader *r, ken_str text, bool is_plain, ken_err *err)
{
    (void)err; // every text is Markdown
    md_reader m = { .r = r, .rest = text, .is_plain = is_plain, .last_rule = SIZE_MAX };
    m.text = KEN_BUF_INIT(0);
    m.is_decision = is_decision(r->path);
    read_front(&m);
    if (r->kind == KEN_RULE_PATTERN) {
        ken_rules__read_sections(r, m.rest, m.line);
        m.rest = KEN_STR("");
    }
    ken_str line;
    for (; ken_str_line_next(&m.rest, &line); m.line++)
        read_line(&m, line);
    if (m.fence.mark)
        end_fence(&m);
    end_block(&m);
    if (m.is_void)
        r->rules.len = 0;
    ken_buf_release(&m.text);
    return KEN_OK;
}
