// SPDX-License-Identifier: MIT
// Documents of patterns: one rule per section. A pattern is an explanation with its code, its
// evidence and its examples; cut into paragraphs none of them can be followed. A section runs from
// a heading of the first or second level to the next one; deeper headings and fences stay in its
// text. Its heading is the path of titles, as in other documents.
#include "base/utf8.h"
#include "rules/rules_priv.h"

enum {
    SECTION_LEVELS = 2,
    TITLE_MAX = 160,                     // bytes of a heading that are kept
    SECTION_MAX = 2 * KEN_RULES_TEXT_MAX // bytes that are collected before the text is clipped
};

typedef struct section_reader {
    rules_reader *r;
    ken_str titles[SECTION_LEVELS];
    ken_buf text;
    uint32_t line, first_line, last_line; // of the text; first_line holds when there is some
    uint32_t line_before;                 // the last line with text before last_line
    size_t last_start;                    // where the last line of the text begins
    char fence;                           // '`' or '~' inside of one, else 0
    size_t n_fence;
    bool is_in_comment;
} section_reader;

static void end_section(section_reader *s)
{
    ken_str text = ken_str_trim(ken_buf_str(&s->text));
    if (ken_rules__is_statement(text)) {
        ken_str a = s->titles[0], b = s->titles[1], heading = a.len ? a : b;
        if (a.len && b.len)
            heading = ken_arena_printf(s->r->arena, KEN_STR_FMT " > " KEN_STR_FMT, KEN_STR_ARG(a),
                                       KEN_STR_ARG(b));
        (void)ken_rules__add(s->r, heading, text, s->first_line, s->last_line);
    }
    ken_buf_clear(&s->text);
}

static void start_section(section_reader *s, size_t level, ken_str title)
{
    end_section(s);
    s->titles[level - 1] = ken_arena_dup(s->r->arena, ken_utf8_clip(title, TITLE_MAX));
    for (size_t i = level; i < SECTION_LEVELS; i++)
        s->titles[i] = KEN_STR("");
}

static void add_line(section_reader *s, ken_str line)
{
    bool is_empty = !ken_str_trim(line).len;
    if (is_empty && !s->text.len)
        return;
    if (!s->text.len)
        s->first_line = s->line;
    if (!is_empty) {
        s->line_before = s->last_line;
        s->last_line = s->line;
    }
    s->last_start = s->text.len;
    ken_buf_put_str(&s->text, line);
    ken_buf_putc(&s->text, '\n');
}

// A run of three or more '`' or '~' opens a fence; as long a run, alone on its line, closes it.
static bool read_fence(section_reader *s, ken_str line)
{
    char mark = line.len ? line.ptr[0] : 0;
    size_t n = 0;
    while (n < line.len && line.ptr[n] == mark)
        n++;
    bool is_mark = n >= 3 && (mark == '`' || mark == '~');
    if (s->fence && is_mark && mark == s->fence && n >= s->n_fence && n == line.len)
        s->fence = 0;
    else if (s->fence || !is_mark)
        return s->fence != 0;
    else
        s->fence = mark;
    s->n_fence = n;
    return true;
}

static bool read_comment(section_reader *s, ken_str line)
{
    if (!s->is_in_comment && !ken_str_starts(line, KEN_STR("<!--")))
        return false;
    s->is_in_comment = ken_str_find(line, KEN_STR("-->")) == SIZE_MAX;
    return true;
}

// Level of "## Title" when it begins a section, else 0.
static size_t section_level(ken_str line, ken_str *out_title)
{
    size_t n = 0;
    while (n < line.len && line.ptr[n] == '#')
        n++;
    if (!n || n > SECTION_LEVELS || (n < line.len && !ken_is_space(line.ptr[n])))
        return 0;
    *out_title = ken_str_trim(ken_str_sub(line, n, line.len));
    return n;
}

// A line of '=' or '-' below a line of text makes that line a title.
static size_t underline_level(const section_reader *s, ken_str line)
{
    if (line.len < 3 || (line.ptr[0] != '=' && line.ptr[0] != '-'))
        return 0;
    for (size_t i = 1; i < line.len; i++)
        if (line.ptr[i] != line.ptr[0])
            return 0;
    ken_str above = ken_str_sub(ken_buf_str(&s->text), s->last_start, s->text.len);
    bool has_title = s->text.len && ken_str_trim(above).len && s->last_line + 1 == s->line;
    return !has_title ? 0 : line.ptr[0] == '=' ? 1 : 2;
}

static void read_line(section_reader *s, ken_str raw)
{
    ken_str line = ken_str_trim(raw), title;
    if (read_fence(s, line)) {
        add_line(s, raw);
        return;
    }
    if (read_comment(s, line))
        return;
    size_t level = section_level(line, &title);
    if (level) {
        start_section(s, level, title);
        return;
    }
    level = underline_level(s, line);
    if (!level) {
        add_line(s, raw);
        return;
    }
    ken_str above = ken_str_sub(ken_buf_str(&s->text), s->last_start, s->text.len);
    title = ken_arena_dup(s->r->arena, ken_str_trim(above));
    s->text.len = s->last_start;
    s->last_line = s->line_before;
    start_section(s, level, title);
}

void ken_rules__read_sections(rules_reader *r, ken_str text, uint32_t first_line)
{
    section_reader s = { .r = r, .line = first_line };
    s.text = KEN_BUF_INIT(SECTION_MAX);
    s.titles[0] = s.titles[1] = KEN_STR("");
    ken_str line;
    for (; ken_str_line_next(&text, &line); s.line++)
        read_line(&s, line);
    end_section(&s);
    ken_buf_release(&s.text);
}
