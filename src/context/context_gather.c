// SPDX-License-Identifier: MIT
// From names and places to pieces of files.
#include "base/buf.h"
#include "base/quota.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "context/context_gather_priv.h"
#include "token/token.h"

enum {
    LONG_LINES = 150,  // a definition beyond it would leave no room for anything else
    CHECK_EVERY = 64,  // symbols between two checks
    IMPORT_LINES = 30, // from the first import to the last
};

// ---- files -------------------------------------------------------------------------------------

static ken_str repaired(ken_arena *arena, ken_str text)
{
    if (ken_utf8_is_valid(text))
        return text;
    ken_buf b = KEN_BUF_INIT(text.len * 3 + 1);
    ken_utf8_repair(&b, text);
    ken_str out = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

int64_t ken_context__file(context_gather *g, ken_str path)
{
    for (size_t i = 0; i < g->n_files; i++)
        if (ken_str_eq(g->files[i].path, path))
            return (int64_t)i;
    ken_file_view *view = &g->views[g->n_files];
    if (g->n_files == CONTEXT_FILES_MAX || ken_view_file(g->s, path, g->arena, view, NULL))
        return -1;
    g->files[g->n_files] = (ken_context_file){ path, repaired(g->arena, view->text) };
    return (int64_t)g->n_files++;
}

static void add_piece(context_gather *g, const ken_context_piece *p, context_lines own)
{
    if (g->n_pieces == CONTEXT_PIECES_MAX)
        return;
    g->own[g->n_pieces] = own;
    g->pieces[g->n_pieces++] = *p;
}

// ---- definitions -------------------------------------------------------------------------------

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_called(const context_gather *g, const ken_facts *facts, uint32_t symbol,
                      ken_str qualified)
{
    if (!ken_str_ends(qualified, facts->symbols[symbol].name))
        return false;
    ken_arena_mark mark = ken_arena_get_mark(g->arena);
    bool is_it = ken_str_eq(ken_view_qualified(g->arena, facts, symbol), qualified);
    ken_arena_rewind(g->arena, mark);
    return is_it;
}

// The first symbol that begins behind a line; they are in order.
static uint32_t first_behind(const ken_facts *facts, uint32_t line)
{
    return (uint32_t)KEN_FIRST_BEHIND_U32(ken_symbol, first_line, facts->symbols, facts->n_symbols,
                                          line);
}

// The symbol of that name nearest to where it was, of those as near the first; -1 when there is
// none. Thousands may have the name: looked for from that line on, both ways.
static int64_t find_symbol(const context_gather *g, const ken_facts *facts,
                           const context_name *name)
{
    int64_t best = -1, after = first_behind(facts, name->first_line), before = after - 1;
    uint32_t nearest = UINT32_MAX, n = 0;
    while (before >= 0 || after < (int64_t)facts->n_symbols) {
        uint32_t up =
            before < 0 ? UINT32_MAX : distance(facts->symbols[before].first_line, name->first_line);
        uint32_t down = after == (int64_t)facts->n_symbols
                            ? UINT32_MAX
                            : distance(facts->symbols[after].first_line, name->first_line);
        uint32_t away = up <= down ? up : down;
        if (away > nearest || (++n % CHECK_EVERY == 0 && ken_quota_is_over()))
            break;
        int64_t at = up <= down ? before-- : after++;
        if (!is_called(g, facts, (uint32_t)at, name->qualified))
            continue;
        best = best < 0 || at < best ? at : best;
        nearest = away;
    }
    return best;
}

static uint32_t count_lines(ken_str text, uint32_t from, uint32_t to)
{
    ken_str part = ken_str_sub(text, from, to);
    uint32_t n = 0;
    for (size_t i = 0; i < part.len; i++)
        n += part.ptr[i] == '\n';
    return n;
}

// The lines of a symbol, from its comment on.
static ken_context_piece piece_of(const context_gather *g, uint32_t file, uint32_t symbol)
{
    const ken_file_view *view = &g->views[file];
    const ken_symbol *s = &view->facts->symbols[symbol];
    ken_context_piece p = { .file = file,
                            .first_line = s->first_line,
                            .last_line = s->last_line,
                            .symbol = ken_view_qualified(g->arena, view->facts, symbol),
                            .signature = ken_view_line(g->arena, view->text, s->signature) };
    if (s->doc.end > s->doc.start && s->doc.end <= s->span.start)
        p.first_line -= count_lines(view->text, s->doc.start, s->span.start);
    if (p.last_line - p.first_line >= LONG_LINES)
        p.last_line = s->first_line + count_lines(view->text, s->span.start, s->signature.end);
    return p;
}

bool ken_context__add_definition(context_gather *g, const context_name *name, ken_context_kind kind,
                                 uint32_t priority)
{
    int64_t file = ken_context__file(g, name->path);
    int64_t symbol = file < 0 ? -1 : find_symbol(g, g->views[file].facts, name);
    if (symbol < 0)
        return false;
    ken_context_piece p = piece_of(g, (uint32_t)file, (uint32_t)symbol);
    p.kind = kind;
    p.priority = priority;
    const ken_symbol *s = &g->views[file].facts->symbols[symbol];
    add_piece(g, &p, (context_lines){ s->first_line, s->last_line });
    return true;
}

// ---- imports and heads of files ----------------------------------------------------------------

// A file by its lines.
typedef struct lines {
    const ken_file_view *view;
    uint32_t *starts;
    uint32_t n;
} lines;

static lines lines_of(const context_gather *g, const ken_file_view *view)
{
    lines l = { .view = view, .n = ken_line_starts(view->text, NULL, 0) };
    l.starts = KEN_ARENA_ARRAY(g->arena, uint32_t, l.n + 1);
    ken_line_starts(view->text, l.starts, l.n);
    return l;
}

static ken_str line_at(const lines *l, uint32_t line)
{
    return ken_str_sub(l->view->text, l->starts[line],
                       line + 1 < l->n ? l->starts[line + 1] : l->view->text.len);
}

static bool is_import(const lines *l, uint32_t line)
{
    for (uint32_t i = 0; i < l->view->facts->n_imports; i++)
        if (l->view->facts->imports[i].line == line)
            return true;
    return false;
}

// The last line of an import that opens a list: "from a import (", "import {".
static uint32_t import_end(const lines *l, uint32_t line)
{
    ken_str first = line_at(l, line);
    size_t open = ken_str_find_char(first, '('), brace = ken_str_find_char(first, '{');
    char close = open != SIZE_MAX ? ')' : '}';
    if (open == SIZE_MAX && brace == SIZE_MAX)
        return line;
    for (uint32_t k = line; k < l->n && k <= line + IMPORT_LINES; k++)
        if (ken_str_find_char(line_at(l, k), close) != SIZE_MAX)
            return k;
    return line;
}

// Blank, or a comment as it stands at the head of a file: a licence, a list of authors.
static bool is_head(ken_str line)
{
    static const char *const marks[] = { "//", "/*", "*", "# ", "#!", "--", ";", "%", "<!--" };
    ken_str text = ken_str_trim(line);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (ken_str_starts(text, ken_str_c(marks[i])))
            return true;
    return !text.len || ken_str_eq_c(text, "#");
}

// The first line from `line` on that is neither the comment at the head of the file, nor an import,
// nor blank.
static uint32_t skip_head(const lines *l, uint32_t line)
{
    uint32_t head = 0;
    while (head < l->n && is_head(line_at(l, head)))
        head++;
    if (line < head)
        line = head;
    while (line < l->n) {
        if (is_import(l, line))
            line = import_end(l, line) + 1;
        else if (!ken_str_trim(line_at(l, line)).len)
            line++;
        else
            break;
    }
    return line;
}

void ken_context__add_hit(context_gather *g, const ken_hit *hit, ken_context_kind kind,
                          uint32_t priority)
{
    int64_t file = ken_context__file(g, hit->path);
    if (file < 0)
        return;
    const context_name name = { hit->path, hit->symbol, hit->first_line };
    int64_t symbol = hit->symbol.len ? find_symbol(g, g->views[file].facts, &name) : -1;
    const ken_symbol *s = symbol < 0 ? NULL : &g->views[file].facts->symbols[symbol];
    if (s && s->last_line - s->first_line < LONG_LINES &&
        ken_context__add_definition(g, &name, kind, priority))
        return;
    ken_context_piece p = { .file = (uint32_t)file,
                            .first_line = hit->first_line,
                            .last_line = hit->last_line,
                            .priority = priority,
                            .kind = kind,
                            .symbol = hit->symbol,
                            .signature = hit->signature };
    if (kind != KEN_CONTEXT_DOC) {
        lines l = lines_of(g, &g->views[file]);
        p.first_line = skip_head(&l, p.first_line);
    }
    if (p.first_line <= p.last_line)
        add_piece(g, &p, (context_lines){ hit->first_line, hit->last_line });
}

// Some name of the line stands in the text, as a whole.
static bool shares_name(ken_str line, ken_str text)
{
    ken_str rest = line, token;
    while (ken_token_next(&rest, &token)) {
        if (token.len < 2 ||
            ken_str_is_listed(" import from require include use using as type ", token))
            continue;
        for (size_t at = 0; at < text.len;) {
            size_t found = ken_str_find(ken_str_sub(text, at, text.len), token);
            if (found == SIZE_MAX)
                break;
            size_t from = at + found, to = from + token.len;
            if ((!from || !ken_is_word(text.ptr[from - 1])) &&
                (to == text.len || !ken_is_word(text.ptr[to])))
                return true;
            at = to;
        }
    }
    return false;
}

void ken_context__add_imports(context_gather *g, size_t piece, uint32_t priority)
{
    const ken_context_piece *of = &g->pieces[piece];
    const ken_facts *facts = g->views[of->file].facts;
    lines l = lines_of(g, &g->views[of->file]);
    uint32_t first = UINT32_MAX, last = 0;
    if (of->first_line >= l.n)
        return;
    uint32_t end =
        of->last_line + 1 < l.n ? l.starts[of->last_line + 1] : (uint32_t)l.view->text.len;
    ken_str text = ken_str_sub(l.view->text, l.starts[of->first_line], end);
    for (uint32_t i = 0; i < facts->n_imports; i++) {
        uint32_t from = facts->imports[i].line, to = from < l.n ? import_end(&l, from) : from;
        if (facts->imports[i].is_export || from >= l.n ||
            (first != UINT32_MAX && to > first + IMPORT_LINES))
            continue;
        bool is_used = false;
        for (uint32_t k = from; k <= to && !is_used; k++)
            is_used = shares_name(line_at(&l, k), text);
        if (!is_used)
            continue;
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    const ken_context_piece p = { .file = of->file,
                                  .first_line = first,
                                  .last_line = last,
                                  .priority = priority,
                                  .kind = KEN_CONTEXT_IMPORT };
    if (first != UINT32_MAX)
        add_piece(g, &p, (context_lines){ first, last });
}
