// SPDX-License-Identifier: MIT
#include "lang/lang_prose.h"

enum {
    LINK_MAX =
        1024 // bytes of a link or of code in a line: what is longer is none, so a line takes linear time
};

void ken_prose_init(ken_prose *p, ken_str text)
{
    *p = (ken_prose){ .text = text, .rest = text, .number = UINT32_MAX };
}

// What may belong to what begins at `from`.
static ken_str near(ken_str line, size_t from)
{
    return ken_str_sub(line, 0, line.len - from < LINK_MAX ? line.len : from + LINK_MAX);
}

static bool next_line(ken_prose *p)
{
    p->number++;
    return ken_str_line_next(&p->rest, &p->line);
}

static uint32_t place_of(const ken_prose *p, ken_str part)
{
    return (uint32_t)(part.ptr - p->text.ptr);
}

// Quotes and lists may hold blocks: their marks are passed over.
static ken_str without_marks(ken_str line)
{
    size_t i = 0;
    while (i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t' || line.ptr[i] == '>'))
        i++;
    if (i + 1 < line.len && (line.ptr[i] == '-' || line.ptr[i] == '*') && line.ptr[i + 1] == ' ')
        i += 2;
    return ken_str_sub(line, i, line.len);
}

// How many of one of '`' and '~' a line begins with; 0 for fewer than three.
static size_t fence_of(ken_str line)
{
    size_t n = 0;
    while (n < line.len && line.ptr[n] == line.ptr[0] && (line.ptr[0] == '`' || line.ptr[0] == '~'))
        n++;
    return n >= 3 ? n : 0;
}

// A block ends with a fence of its kind that is not shorter, or with the text.
static bool read_code(ken_prose *p, ken_prose_item *out)
{
    ken_str head = without_marks(p->line);
    size_t n = fence_of(head);
    if (!n ||
        (head.ptr[0] == '`' && ken_str_find_char(ken_str_sub(head, n, head.len), '`') != SIZE_MAX))
        return false;
    ken_str info = ken_str_trim(ken_str_sub(head, n, head.len)), language = info;
    (void)ken_str_split_next(&info, ' ', &language);
    *out = (ken_prose_item){
        .kind = KEN_PROSE_CODE, .text = language, .byte = place_of(p, head), .first_line = p->number
    };
    for (bool is_open = true; is_open && next_line(p);) {
        ken_str line = without_marks(p->line);
        size_t len = fence_of(line);
        is_open = len < n || line.ptr[0] != head.ptr[0] ||
                  ken_str_trim(ken_str_sub(line, len, line.len)).len > 0;
        out->last_line = p->number;
    }
    p->line.len = 0;
    return true;
}

// The place of the bracket that closes the one at `from`; SIZE_MAX when it stays open.
static size_t closing(ken_str line, size_t from, char open, char close)
{
    size_t depth = 0;
    for (size_t i = from; i < line.len; i++) {
        if (line.ptr[i] == '\\')
            i++;
        else if (line.ptr[i] == open)
            depth++;
        else if (line.ptr[i] == close && !--depth)
            return i;
    }
    return SIZE_MAX;
}

// `target "title"`, `<target>`: the target.
static ken_str target_of(ken_str inside)
{
    inside = ken_str_trim(inside);
    if (inside.len > 1 && inside.ptr[0] == '<') {
        size_t end = ken_str_find_char(inside, '>');
        return ken_str_sub(inside, 1, end == SIZE_MAX ? inside.len : end);
    }
    ken_str first = inside;
    (void)ken_str_split_next(&inside, ' ', &first);
    return first;
}

// "[text](target)" or "[name]: target" at `at`; where it ends, 0 when there is none.
static size_t bracket_link(ken_str line, size_t at, ken_str *text, ken_str *target)
{
    size_t end = closing(line, at, '[', ']');
    if (end == SIZE_MAX || end + 1 >= line.len)
        return 0;
    *text = ken_str_sub(line, at + 1, end);
    if (line.ptr[end + 1] == ':' && !ken_str_trim(ken_str_sub(line, 0, at)).len) {
        *target = target_of(ken_str_sub(line, end + 2, line.len));
        return target->len ? line.len : 0;
    }
    size_t close = line.ptr[end + 1] == '(' ? closing(line, end + 1, '(', ')') : SIZE_MAX;
    if (close == SIZE_MAX)
        return 0;
    *target = target_of(ken_str_sub(line, end + 2, close));
    return close + 1;
}

// "<https://…>"
static size_t angle_link(ken_str line, size_t at, ken_str *text, ken_str *target)
{
    size_t end = ken_str_find_char(ken_str_sub(line, at, line.len), '>');
    if (end == SIZE_MAX)
        return 0;
    *target = ken_str_sub(line, at + 1, at + end);
    *text = *target;
    bool is_link = ken_str_find(*target, KEN_STR("://")) != SIZE_MAX &&
                   ken_str_find_char(*target, ' ') == SIZE_MAX;
    return is_link ? at + end + 1 : 0;
}

// Behind the code that begins at `at`: as many backticks as there.
static size_t behind_code(ken_str line, size_t at)
{
    size_t n = at;
    while (n < line.len && line.ptr[n] == '`')
        n++;
    size_t end = ken_str_find(ken_str_sub(line, n, line.len), ken_str_sub(line, at, n));
    return end == SIZE_MAX ? n : n + end + (n - at);
}

static bool read_link(ken_prose *p, ken_prose_item *out)
{
    ken_str line = p->line, text = line, target = line;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.ptr[i];
        size_t end = c == '['   ? bracket_link(near(line, i), i, &text, &target)
                     : c == '<' ? angle_link(near(line, i), i, &text, &target)
                                : 0;
        if (c == '\\')
            i++;
        if (c == '`')
            i = behind_code(near(line, i), i) - 1;
        if (!end)
            continue;
        *out = (ken_prose_item){ KEN_PROSE_LINK, text,     target, place_of(p, line) + (uint32_t)i,
                                 p->number,      p->number };
        p->line = ken_str_sub(line, end, line.len);
        return true;
    }
    p->line.len = 0;
    return false;
}

bool ken_prose_next(ken_prose *p, ken_prose_item *out)
{
    for (;;) {
        if (p->line.len && read_link(p, out))
            return true;
        if (!next_line(p))
            return false;
        if (read_code(p, out))
            return true;
    }
}
