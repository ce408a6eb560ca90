// SPDX-License-Identifier: MIT
// From names and places to pieces of files.
#include "base/buf.h"
#include "base/quota.h"
#include "base/utf8.h"
#include "context/context_gather_priv.h"

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

int64_t context_file(context_gather *g, ken_str path)
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
    uint32_t lo = 0, hi = facts->n_symbols;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (facts->symbols[mid].first_line <= line)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
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

bool context_add_definition(context_gather *g, const context_name *name, ken_context_kind kind,
                            uint32_t priority)
{
    int64_t file = context_file(g, name->path);
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

void context_add_hit(context_gather *g, const ken_hit *hit, ken_context_kind kind,
                     uint32_t priority)
{
    int64_t file = context_file(g, hit->path);
    if (file < 0)
        return;
    const context_name name = { hit->path, hit->symbol, hit->first_line };
    int64_t symbol = hit->symbol.len ? find_symbol(g, g->views[file].facts, &name) : -1;
    const ken_symbol *s = symbol < 0 ? NULL : &g->views[file].facts->symbols[symbol];
    if (s && s->last_line - s->first_line < LONG_LINES &&
        context_add_definition(g, &name, kind, priority))
        return;
    const ken_context_piece p = { .file = (uint32_t)file,
                                  .first_line = hit->first_line,
                                  .last_line = hit->last_line,
                                  .priority = priority,
                                  .kind = kind,
                                  .symbol = hit->symbol,
                                  .signature = hit->signature };
    add_piece(g, &p, (context_lines){ hit->first_line, hit->last_line });
}

// ---- imports -----------------------------------------------------------------------------------

void context_add_imports(context_gather *g, ken_str path, uint32_t priority)
{
    int64_t file = context_file(g, path);
    if (file < 0)
        return;
    const ken_facts *facts = g->views[file].facts;
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < facts->n_imports; i++) {
        uint32_t line = facts->imports[i].line;
        if (facts->imports[i].is_export || (first != UINT32_MAX && line > first + IMPORT_LINES))
            continue;
        first = line < first ? line : first;
        last = line > last ? line : last;
    }
    const ken_context_piece p = { .file = (uint32_t)file,
                                  .first_line = first,
                                  .last_line = last,
                                  .priority = priority,
                                  .kind = KEN_CONTEXT_IMPORT };
    if (first != UINT32_MAX)
        add_piece(g, &p, (context_lines){ first, last });
}
