// SPDX-License-Identifier: MIT
// One table of a TOML file, [<key>.<name>] with the tables below it, as lines: from its header to the next
// header of another table. Other ways to write the same (inline tables, dotted keys) are refused, not changed.
#include "base/escape.h"
#include "cli/cli_clients_priv.h"

typedef struct scan {
    ken_str rest;
    ken_str line;   // with its line break
    size_t at;      // where it begins
    char quote;     // of a text in many lines that is open, or '\0'
    bool is_inside; // the line begins in such a text
} scan;

// Texts in many lines begin and end with three quotes.
static void pass_quotes(scan *s)
{
    for (size_t i = 0; i + 2 < s->line.len; i++) {
        char q = s->line.ptr[i];
        if (q == '#' && !s->quote)
            return;
        if ((q != '"' && q != '\'') || s->line.ptr[i + 1] != q || s->line.ptr[i + 2] != q)
            continue;
        if (!s->quote)
            s->quote = q;
        else if (s->quote == q)
            s->quote = '\0';
        else
            continue;
        i += 2;
    }
}

static bool next_line(scan *s)
{
    if (!s->rest.len)
        return false;
    s->at += s->line.len;
    size_t end = ken_str_find_char(s->rest, '\n');
    s->line = ken_str_sub(s->rest, 0, end == SIZE_MAX ? s->rest.len : end + 1);
    s->rest = ken_str_sub(s->rest, s->line.len, s->rest.len);
    s->is_inside = s->quote != '\0';
    pass_quotes(s);
    return true;
}

static void put_bare(ken_buf *out, ken_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!ken_is_space(text.ptr[i]) && text.ptr[i] != '"' && text.ptr[i] != '\'')
            ken_buf_putc(out, text.ptr[i]);
}

// "a.b" of [ a."b" ] and of [[a.b]]; false for what is no header.
static bool read_header(ken_str line, ken_buf *out)
{
    ken_str t = ken_str_trim(ken_str_sub(line, 0, ken_str_find_char(line, '#')));
    if (!ken_str_starts(t, KEN_STR("[")) || !ken_str_ends(t, KEN_STR("]")))
        return false;
    t = ken_str_sub(t, 1, t.len - 1);
    if (ken_str_starts(t, KEN_STR("[")) && ken_str_ends(t, KEN_STR("]")))
        t = ken_str_sub(t, 1, t.len - 1);
    for (size_t i = 0; i < t.len; i++)
        if (strchr("[],={}", t.ptr[i]))
            return false;
    ken_buf_clear(out);
    put_bare(out, t);
    return true;
}

// The key of "key = …" or "a.b = …", without blanks and quotes; empty when there is none.
static void read_key(ken_str line, ken_buf *out)
{
    size_t eq = ken_str_find_char(line, '=');
    ken_str t = ken_str_trim(ken_str_sub(line, 0, eq));
    ken_buf_clear(out);
    if (eq != SIZE_MAX && !ken_str_starts(t, KEN_STR("#")))
        put_bare(out, t);
}

static bool is_below(ken_str name, ken_str table)
{
    return ken_str_eq(name, table) ||
           (ken_str_starts(name, table) && name.len > table.len && name.ptr[table.len] == '.');
}

typedef struct found {
    size_t from, to; // from == SIZE_MAX: it is not there
    bool is_strange; // written in another way
} found;

static found find_table(ken_str text, ken_str table, ken_str key)
{
    scan s = { .rest = text };
    found f = { .from = SIZE_MAX };
    ken_buf header = KEN_BUF_INIT(0), name = KEN_BUF_INIT(0), full = KEN_BUF_INIT(0);
    bool is_ours = false;
    while (next_line(&s)) {
        if (s.is_inside)
            continue;
        if (read_header(s.line, &name)) {
            bool was_ours = is_ours;
            is_ours = is_below(ken_buf_str(&name), table);
            if (is_ours && f.from == SIZE_MAX)
                f.from = s.at;
            if (was_ours && !is_ours)
                f.to = s.at;
            f.is_strange = f.is_strange || (is_ours && f.to);
            ken_buf_clear(&header);
            ken_buf_put_str(&header, ken_buf_str(&name));
            continue;
        }
        read_key(s.line, &name);
        if (!name.len || is_ours)
            continue;
        ken_buf_clear(&full);
        ken_buf_printf(&full, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&header)),
                       header.len ? "." : "", KEN_STR_ARG(ken_buf_str(&name)));
        f.is_strange = f.is_strange || is_below(ken_buf_str(&full), table) ||
                       ken_str_eq(ken_buf_str(&full), key);
    }
    if (f.from != SIZE_MAX && !f.to)
        f.to = text.len;
    ken_buf_release(&header);
    ken_buf_release(&name);
    ken_buf_release(&full);
    return f;
}

void ken_cli__toml_show(const cli_client *c, const cli_entry *e, ken_buf *out)
{
    ken_buf_printf(out, "[%s.%s]\ncommand = ", c->key, e->name);
    ken_put_quoted(out, ken_str_c(e->command));
    ken_buf_puts(out, "\nargs = [\"mcp\"]\n");
    for (size_t i = 0; i < e->n_env; i++) {
        ken_str pair = ken_str_c(e->env[i]);
        size_t eq = ken_str_find_char(pair, '=');
        ken_buf_puts(out, i ? ", " : "env = { ");
        ken_buf_put_str(out, ken_str_sub(pair, 0, eq));
        ken_buf_puts(out, " = ");
        ken_put_quoted(out, ken_str_sub(pair, eq + 1, pair.len));
    }
    ken_buf_puts(out, e->n_env ? " }\n" : "");
}

// Blank lines behind the table, and comments, which belong to what follows, stay.
static size_t last_line(ken_str text, size_t from, size_t to)
{
    size_t end = from;
    scan s = { .rest = ken_str_sub(text, from, to), .at = from };
    while (next_line(&s)) {
        ken_str t = ken_str_trim(s.line);
        if (t.len && t.ptr[0] != '#')
            end = s.at + s.line.len;
    }
    return end;
}

ken_status ken_cli__toml_edit(const cli_client *c, const cli_entry *e, bool is_removal,
                              ken_str text, ken_buf *out, bool *out_had, ken_err *err)
{
    ken_buf table = KEN_BUF_INIT(0);
    ken_buf_printf(&table, "%s.%s", c->key, e->name);
    found f = find_table(text, ken_buf_str(&table), ken_str_c(c->key));
    ken_buf_release(&table);
    if (f.is_strange)
        return KEN_FAIL(err, KEN_EINVAL,
                        "'%s.%s' is not written as one table [%s.%s]; change it by hand", c->key,
                        e->name, c->key, e->name);
    *out_had = f.from != SIZE_MAX;
    size_t from = *out_had ? f.from : text.len;
    size_t to = *out_had ? last_line(text, f.from, f.to) : text.len;
    ken_buf_put_str(out, ken_str_sub(text, 0, from));
    if (!is_removal) {
        bool has_end = !from || text.ptr[from - 1] == '\n';
        ken_buf_puts(out, has_end ? "" : "\n");
        ken_buf_puts(out, from && !*out_had ? "\n" : "");
        ken_cli__toml_show(c, e, out);
    } else {
        // And the empty line in front of it.
        while (*out_had && to < text.len && text.ptr[to] == '\n')
            to++;
        if (*out_had && to == text.len)
            while (out->len > 1 && out->ptr[out->len - 1] == '\n' && out->ptr[out->len - 2] == '\n')
                out->ptr[--out->len] = '\0';
    }
    ken_buf_put_str(out, ken_str_sub(text, to, text.len));
    return KEN_OK;
}
