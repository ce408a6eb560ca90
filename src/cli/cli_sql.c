// SPDX-License-Identifier: MIT
// ken sql: a SELECT over what the index knows, or the list of its tables.
#include <inttypes.h>

#include "app/remotes.h"
#include "base/utf8.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "sql/sql.h"

enum {
    CELL_COLUMNS = 80, // of a cell in a table for people
    MS_MAX = 600000,
};

// ---- the tables --------------------------------------------------------------------------------

static void print_tables(const cli *x)
{
    const ken_sql_table *t = ken_sql_table_at(0);
    for (size_t i = 0; t; t = ken_sql_table_at(++i)) {
        ken_cli__print(i ? "\n" : "");
        ken_cli__paint(x, KEN_STYLE_NAME, "%s", t->name);
        ken_cli__print("  %s\n", t->text);
        for (size_t k = 0; k < t->n_columns; k++)
            ken_cli__print("  %-18s %-8s %s\n", t->columns[k].name, t->columns[k].type,
                           t->columns[k].text);
    }
}

static void print_tables_json(void)
{
    json_t *top = json_object(), *tables = json_array();
    const ken_sql_table *t = ken_sql_table_at(0);
    for (size_t i = 0; t; t = ken_sql_table_at(++i)) {
        json_t *o = json_object(), *columns = json_array();
        ken_json_set_str(o, "name", ken_str_c(t->name));
        ken_json_set_str(o, "text", ken_str_c(t->text));
        for (size_t k = 0; k < t->n_columns; k++) {
            json_t *column = json_object();
            ken_json_set_str(column, "name", ken_str_c(t->columns[k].name));
            ken_json_set_str(column, "type", ken_str_c(t->columns[k].type));
            ken_json_set_str(column, "text", ken_str_c(t->columns[k].text));
            ken_json_append(columns, column);
        }
        ken_json_set(o, "columns", columns);
        ken_json_append(tables, o);
    }
    ken_json_set(top, "tables", tables);
    ken_cli__print_json(top);
}

// ---- rows --------------------------------------------------------------------------------------

static ken_str cell_text(ken_arena *arena, const ken_sql_value *v)
{
    switch ((int)v->type) {
    case KEN_SQL_INTEGER:
        return ken_arena_printf(arena, "%" PRId64, v->integer);
    case KEN_SQL_REAL:
        return ken_arena_printf(arena, "%.15g", v->real);
    case KEN_SQL_TEXT:
        return v->text;
    case KEN_SQL_BLOB:
        return ken_arena_printf(arena, "(%zu bytes)", v->text.len);
    default:
        return KEN_STR("");
    }
}

// One line, cut where it is too long.
static ken_str shown(ken_arena *arena, ken_str text)
{
    size_t end = ken_str_find_char(text, '\n');
    bool is_cut = end != SIZE_MAX || text.len > CELL_COLUMNS;
    if (!is_cut)
        return text;
    ken_str line = ken_utf8_clip(ken_str_sub(text, 0, end), CELL_COLUMNS - 3);
    return ken_arena_printf(arena, KEN_STR_FMT "…", KEN_STR_ARG(line));
}

static void print_cell(ken_str s, size_t width, bool is_last)
{
    ken_cli__print_text(s);
    size_t n = ken_utf8_count(s);
    if (is_last)
        ken_cli__print("\n");
    else
        ken_cli__print("%*s", (int)(width > n ? width - n : 0) + 2, "");
}

static void print_rows(cli *x, const ken_sql_result *r)
{
    size_t n = r->n_columns * r->n_rows;
    ken_str *cells = KEN_ARENA_ARRAY(&x->arena, ken_str, n + 1);
    size_t *widths = KEN_ARENA_ARRAY(&x->arena, size_t, r->n_columns + 1);
    for (size_t c = 0; c < r->n_columns; c++)
        widths[c] = ken_utf8_count(r->columns[c]);
    for (size_t i = 0; i < n; i++) {
        size_t c = i % r->n_columns;
        cells[i] = shown(&x->arena, cell_text(&x->arena, &r->values[i]));
        size_t width = ken_utf8_count(cells[i]);
        widths[c] = width > widths[c] ? width : widths[c];
    }
    for (size_t c = 0; c < r->n_columns; c++)
        print_cell(r->columns[c], widths[c], c + 1 == r->n_columns);
    for (size_t i = 0; i < n; i++)
        print_cell(cells[i], widths[i % r->n_columns], (i + 1) % r->n_columns == 0);
}

static json_t *value_json(const ken_sql_value *v)
{
    switch ((int)v->type) {
    case KEN_SQL_INTEGER:
        return json_integer(v->integer);
    case KEN_SQL_REAL:
        return json_real(v->real);
    case KEN_SQL_TEXT:
    case KEN_SQL_BLOB:
        return ken_json_str(v->text);
    default:
        return json_null();
    }
}

static void print_rows_json(const cli_place *place, const ken_sql_result *r)
{
    json_t *top = json_object(), *columns = json_array(), *rows = json_array();
    ken_cli__json_set_project(top, &place->project);
    for (size_t c = 0; c < r->n_columns; c++)
        ken_json_append(columns, ken_json_str(r->columns[c]));
    for (size_t i = 0; i < r->n_rows; i++) {
        json_t *row = json_array();
        for (size_t c = 0; c < r->n_columns; c++)
            ken_json_append(row, value_json(&r->values[i * r->n_columns + c]));
        ken_json_append(rows, row);
    }
    ken_json_set(top, "columns", columns);
    ken_json_set(top, "rows", rows);
    ken_json_set_bool(top, "truncated", r->is_truncated);
    ken_cli__print_json(top);
}

static ken_status ask(cli *x, cli_place *place, const ken_sql_opts *opts, ken_sql_result *out,
                      ken_err *err)
{
    ken_snapshot *s = NULL;
    ken_status st =
        ken_cli__open_place(x, place, !ken_cli__args_has(&x->args, "no-index"), &s, err);
    if (!st)
        st = ken_sql_query(s, ken_str_c(x->args.words[0]), opts, x->cancel, &x->arena, out, err);
    st = ken_cli__check_answer(s, st, err);
    ken_cli__close_place(x, place, s);
    return st;
}

static ken_status run_sql(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_sql_result r = { 0 };
    uint64_t limit = 0, ms = 0;
    if (!x->args.n_words) {
        if (x->is_json)
            print_tables_json();
        else
            print_tables(x);
        return KEN_OK;
    }
    ken_status st = ken_cli__args_u64(&x->args, "limit", 1, KEN_SQL_ROWS_MAX, KEN_SQL_ROWS_DEFAULT,
                                      &limit, err);
    if (!st)
        st = ken_cli__args_u64(&x->args, "timeout", 1, MS_MAX, KEN_SQL_MS_DEFAULT, &ms, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    ken_sql_opts opts = { .ms = (uint32_t)ms, .max_rows = (uint32_t)limit };
    ken_remote remote;
    if (!st) {
        st = ken_app_find_remote(x->app, &place.project, &x->arena, &remote, err);
        opts.remote = st ? NULL : &remote;
        st = st == KEN_ENOTFOUND ? KEN_OK : st; // a folder of somebody's own
    }
    if (!st)
        st = ask(x, &place, &opts, &r, err);
    if (st)
        return st;
    if (x->is_json)
        print_rows_json(&place, &r);
    else
        print_rows(x, &r);
    if (r.is_truncated)
        ken_cli__note(x, "there are more rows than these %zu; -k shows more", r.n_rows);
    return KEN_OK;
}

static const cli_opt sql_opts[] = {
    { "limit", 'k', CLI_VALUE, "N", "number of rows, 1 to 100000 (default 1000)", NULL },
    { "timeout", 0, CLI_VALUE, "MS", "time it may take, 1 to 600000 (default 5000)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

const cli_command ken_cli__sql_command = {
    "sql",
    "[SELECT [PATH]]",
    "ask what the index knows with SQL, for reading only",
    "  ken sql \"SELECT kind, count(*) FROM symbols GROUP BY kind\"\n"
    "  ken sql \"SELECT file_path, line_start, symbol_name FROM chunks WHERE token_count > 700\"\n"
    "Without a query the tables and their columns are listed. One SELECT is run, in memory, on\n"
    "tables that are made of the index as it is read: nothing can be changed. docs/sql.md\n"
    "describes the tables.",
    OPTS(sql_opts),
    0,
    2,
    true,
    true,
    run_sql,
    NULL,
    0,
    NULL
};
