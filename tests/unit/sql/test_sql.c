// SPDX-License-Identifier: MIT
// SQL over an index: the tables agree with what the index says elsewhere, and hostile SQL gets nowhere.
#include "base/clock.h"
#include "sql/sql.h"
#include "unit/query/sample_lab.h"

static ken_sql_result res;
static ken_sql_opts asked; // of try_sql

static ken_status try_sql_with(const char *sql, ken_sql_opts o)
{
    l.err = (ken_err){ 0 };
    res = (ken_sql_result){ 0 };
    return ken_sql_query(snap, ken_str_c(sql), &o, NULL, &l.arena, &res, &l.err);
}

static ken_status try_sql(const char *sql)
{
    return try_sql_with(sql, asked);
}

// The rows as text: columns by '|', rows by line breaks.
static const char *sql(const char *query)
{
    ken_status st = try_sql(query);
    if (st)
        kt_fail("%s: %s", query, l.err.msg);
    ken_buf b = KEN_BUF_INIT((size_t)64 << 20);
    for (size_t i = 0; i < res.n_rows * res.n_columns; i++) {
        const ken_sql_value *v = &res.values[i];
        if (v->type == KEN_SQL_INTEGER)
            ken_buf_printf(&b, "%lld", (long long)v->integer);
        else if (v->type == KEN_SQL_REAL)
            ken_buf_printf(&b, "%g", v->real);
        else
            ken_buf_put_str(&b, v->text);
        ken_buf_putc(&b, (i + 1) % res.n_columns ? '|' : '\n');
    }
    ken_str text = ken_arena_dup(&l.arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text.ptr;
}

static void sql_is(const char *query, const char *want)
{
    kt_eq_str(sql(query), want);
}

static int64_t number(const char *query)
{
    (void)sql(query);
    kt_eq_u(res.n_rows, 1);
    kt_eq_i(res.values[0].type, KEN_SQL_INTEGER);
    return res.values[0].integer;
}

static void start_small(void)
{
    lab_start(&l);
    lab_write(&l, "a.py",
              "import os\n\n\nclass Box:\n    \"\"\"Holds one.\"\"\"\n\n"
              "    def put(self, x):\n        self.x = x\n        return os.getpid()\n\n\n"
              "def make():\n    return Box().put(1)\n");
    lab_write(&l, "b/notes.md", "# Top\n\nText.\n\n## Below\n\nMore.\n");
    lab_write(&l, "b/plain.txt", "one\ntwo\n");
    lab_run(&l);
    snap = lab_open(&l);
}

KEN_TEST(files_chunks_symbols_and_references_of_a_small_tree)
{
    start_small();
    sql_is("SELECT path, language, lines, symbols > 0 FROM files ORDER BY path",
           "a.py|python|13|1\nb/notes.md|markdown|7|1\nb/plain.txt|text|2|0\n");
    sql_is("SELECT qualified_name, kind, line_start, line_end, signature, doc_string FROM symbols "
           "WHERE file_path = 'a.py' AND kind <> 'field' ORDER BY ordinal",
           "Box|class|4|9|class Box:|\"\"\"Holds one.\"\"\"\n"
           "Box.put|method|7|9|def put(self, x):|\n"
           "make|function|12|13|def make():|\n");
    sql_is("SELECT c.name, p.name FROM symbols c JOIN symbols p ON p.id = c.parent_id "
           "WHERE c.kind = 'method' OR c.kind = 'section'",
           "put|Box\nBelow|Top\n");
    sql_is(
        "SELECT name, role, expression, line, symbol_name FROM refs WHERE file_path = 'a.py' AND "
        "role IN ('call', 'new') ORDER BY byte",
        "getpid|call|os.getpid|9|Box.put\nBox|call|Box|13|make\nput|call|Box().put|13|make\n");
    sql_is("SELECT module, line FROM imports", "os|1\n");
    sql_is("SELECT name, depth FROM outline_nodes WHERE file_id = (SELECT id FROM files WHERE path "
           "LIKE '%.md') ORDER BY position",
           "Top|0\nBelow|1\n");
    sql_is("SELECT source_code FROM chunks WHERE file_path = 'b/plain.txt'", "one\ntwo\n\n");
    // A chunk without a definition says nothing of one.
    kt_eq_i(
        number(
            "SELECT count(*) FROM chunks WHERE file_path = 'b/plain.txt' AND coalesce(symbol_id, "
            "symbol_name, symbol_kind, parent, signature, visibility, doc_string) IS NULL"),
        1);
    kt_true(number("SELECT count(*) FROM chunks WHERE instr(content, 'b/notes.md')") > 0);
    sample_end();
}

// A file that is gone is marked, an embedded script stands in the outline where it is in the file.
KEN_TEST(what_changed_and_outlines_in_order)
{
    lab_start(&l);
    lab_write(&l, "gone.py", "def a():\n    pass\n");
    lab_write(&l, "p.html", "<script>\nfunction f() {}\n</script>\n<p>x</p>\n");
    lab_run(&l);
    lab_remove(&l, "gone.py");
    lab_write(&l, "new.py", "def b():\n    pass\n");
    lab_run(&l);
    snap = lab_open(&l);
    sql_is("SELECT generation, event_type, path, code_file_id = f.id, processed FROM change_events "
           "LEFT JOIN files f USING (path) ORDER BY path",
           "2|deleted|gone.py||1\n2|added|new.py|1|1\n");
    sql_is("SELECT relative_path, is_deleted, deleted_at IS NOT NULL FROM code_files "
           "ORDER BY relative_path",
           "gone.py|1|1\nnew.py|0|0\np.html|0|0\n");
    char from[4096], to[4096];
    lab_path(&l, "new.py", from);
    lab_path(&l, "other.py", to);
    kt_eq_i(rename(from, to), 0);
    lab_run(&l);
    snap = lab_open(&l);
    sql_is("SELECT event_type, old_path, path FROM change_events WHERE generation = 3",
           "renamed|new.py|other.py\n");
    sql_is("SELECT relative_path FROM code_files WHERE is_deleted ORDER BY relative_path",
           "gone.py\nnew.py\n");
    sql_is("SELECT name, depth FROM outline_nodes JOIN files f ON f.id = file_id WHERE path = "
           "'p.html' ORDER BY position",
           "script|0\nf|1\np|0\n");
    sample_end();
}

// The catalog's row of the project, as its caller gives it.
KEN_TEST(s1_22_the_remote_of_a_project_is_a_row)
{
    const ken_remote said = { .url = KEN_STR("https://example.com/a.git"),
                              .depth = 1,
                              .interval_s = 900 };
    const char *all = "SELECT url, branch, sparse, depth, interval_s, current_commit, synced_at, "
                      "tried_at, failures, error FROM remotes",
               *view = "SELECT path <> '', url, last_synced_at FROM repositories";
    start_small();
    sql_is("SELECT * FROM remotes", "");
    sql_is(view, "1||\n");
    asked.remote = &said;
    sql_is(all, "https://example.com/a.git|||1|900||||0|\n");
    ken_remote found = said;
    found.branch = KEN_STR("main");
    found.sparse = KEN_STR("src");
    found.commit = KEN_STR("0123456789abcdef0123456789abcdef01234567");
    found.synced_at_ms = 1000;
    found.tried_at_ms = 62000;
    found.n_failures = 2;
    found.error = KEN_STR("no route to host");
    asked.remote = &found;
    sql_is(all, "https://example.com/a.git|main|src|1|900|0123456789abcdef0123456789abcdef01234567|"
                "1970-01-01T00:00:01.000Z|1970-01-01T00:01:02.000Z|2|no route to host\n");
    sql_is(view, "1|https://example.com/a.git|1970-01-01T00:00:01.000Z\n");
    asked.remote = NULL;
    sample_end();
}

// Every byte of every file stands in a chunk, and every column can be read.
KEN_TEST(tables_agree_with_each_other)
{
    sample_start();
    kt_eq_i(number("SELECT count(*) FROM files"), number("SELECT value + 0 FROM project_meta WHERE "
                                                         "key = 'files'"));
    kt_eq_i(number("SELECT count(*) FROM chunks"), number("SELECT sum(chunks) FROM files"));
    kt_eq_i(number("SELECT count(*) FROM symbols"), number("SELECT sum(symbols) FROM files"));
    kt_eq_i(number("SELECT count(*) FROM chunk_symbols"), number("SELECT count(*) FROM symbols"));
    // No two chunks of one file have one range.
    kt_eq_i(
        number("SELECT count(*) FROM (SELECT 1 FROM chunks GROUP BY file_id, char_start, char_end "
               "HAVING count(*) > 1)"),
        0);
    kt_eq_i(
        number("SELECT count(*) FROM (SELECT chunk_id FROM chunks GROUP BY 1 HAVING count(*) > 1)"),
        0);
    kt_eq_i(
        number("SELECT count(*) FROM symbols s LEFT JOIN symbols p ON p.id = s.parent_id WHERE "
               "s.parent_id IS NOT NULL AND (p.id IS NULL OR p.ordinal >= s.ordinal OR p.depth <> "
               "s.depth - 1 OR s.qualified_name NOT LIKE '%' || p.name || '%')"),
        0);
    kt_eq_i(number("SELECT count(*) FROM outline_nodes"), number("SELECT count(*) FROM symbols"));
    // A reference stands in a line of its file that has its name.
    kt_true(number("SELECT count(*) FROM refs") > 100);
    kt_eq_i(number("SELECT count(*) FROM refs r JOIN chunks c ON c.file_id = r.file_id AND "
                   "c.char_start <= r.byte AND r.byte < c.char_end WHERE NOT instr(c.source_code, "
                   "r.name)"),
            0);
    kt_eq_i(number("SELECT count(*) FROM refs WHERE line IS NULL"), 0);
    kt_eq_i(number("SELECT dimensions > 0 AND model_name <> '' AND created_at > '2020' FROM "
                   "embedding_metadata"),
            1);
    kt_eq_i(number("SELECT json_valid(value) FROM project_meta WHERE key = 'config_json'"), 1);
    sample_end();
}

KEN_TEST(a_row_is_found_by_id_file_and_path_as_by_a_scan)
{
    static const char *const tables[] = { "symbols", "chunks", "refs", "imports" };
    char q[400];
    sample_start();
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(q, sizeof q,
                 "SELECT id, file_id, file_path FROM %s ORDER BY abs(id %% 9973) LIMIT 5",
                 tables[i]);
        (void)sql(q);
        ken_sql_result picked = res;
        kt_true(picked.n_rows > 0);
        for (size_t k = 0; k < picked.n_rows; k++) {
            const ken_sql_value *v = &picked.values[k * 3];
            long long id = v[0].integer, file = v[1].integer;
            snprintf(
                q, sizeof q,
                "SELECT (SELECT count(*) FROM %s WHERE id = %lld) = 1 AND (SELECT count(*) FROM "
                "%s WHERE file_id = %lld) = (SELECT count(*) FROM %s WHERE +file_id = %lld) AND "
                "(SELECT count(*) FROM %s WHERE file_path = '" KEN_STR_FMT "') = (SELECT "
                "count(*) FROM %s WHERE +file_id = %lld)",
                tables[i], id, tables[i], file, tables[i], file, tables[i], KEN_STR_ARG(v[2].text),
                tables[i], file);
            kt_eq_i(number(q), 1);
        }
    }
    sql_is("SELECT count(*) FROM symbols WHERE id = -1", "0\n");
    sql_is("SELECT count(*) FROM symbols WHERE id = 9223372036854775807", "0\n");
    sql_is("SELECT count(*) FROM symbols WHERE file_id = 'x' OR file_id IS NULL", "0\n");
    sql_is("SELECT count(*) FROM files WHERE path IN (NULL, '', 'no/such')", "0\n");
    sample_end();
}

KEN_TEST(texts_of_a_file_that_changed_are_absent)
{
    start_small();
    lab_write(&l, "a.py", "def other():\n    pass\n");
    lab_again(&l, snap); // pinned anew, not indexed
    sql_is(
        "SELECT qualified_name, line_start, signature IS NULL FROM symbols WHERE file_path = 'a.py' "
        "AND kind = 'class'",
        "Box|4|1\n");
    sql_is("SELECT count(*) FROM refs WHERE file_path = 'a.py' AND line IS NOT NULL", "0\n");
    sql_is("SELECT count(*) FROM chunks WHERE file_path = 'a.py' AND source_code IS NOT NULL",
           "0\n");
    sample_end();
}

// ---- hostile SQL -------------------------------------------------------------------------------

KEN_TEST(nothing_but_select_is_run)
{
    static const char *const refused[] = {
        "DELETE FROM files",
        "UPDATE symbols SET name = 'x'",
        "INSERT INTO files (path) VALUES ('x')",
        "INSERT INTO files SELECT * FROM files RETURNING path",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t AS SELECT 1",
        "DROP VIEW outline_nodes",
        "DROP TABLE files",
        "ALTER TABLE files RENAME TO x",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE x USING files",
        "ATTACH '/etc/passwd' AS p",
        "ATTACH ':memory:' AS p",
        "DETACH main",
        "VACUUM INTO '/tmp/x.db'",
        "VACUUM",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT a",
        "PRAGMA writable_schema = 1",
        "PRAGMA table_info(files)",
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('/tmp/x.so')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT * FROM dbstat",
        "SELECT * FROM no_such_table",
        "SELECT 1; DELETE FROM files",
        "SELECT 1; SELECT 2",
        "SELECT 1; garbage",
        "SELECT ?1",
        "SELEC 1",
        "",
        "-- nothing",
        ";",
        "WITH x AS (SELECT 1) DELETE FROM files",
    };
    start_small();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ken_status st = try_sql(refused[i]);
        if (st != KEN_EPERM && st != KEN_EINVAL)
            kt_fail("'%s' came to %s", refused[i], ken_status_text(st));
        kt_true(l.err.msg[0] && !res.n_rows);
    }
    sql_is("SELECT count(*) FROM files; -- fine", "3\n");
    sql_is("EXPLAIN QUERY PLAN SELECT 1", sql("EXPLAIN QUERY PLAN SELECT 1"));
    char nul[] = "SELECT 1\0 ";
    kt_status(
        ken_sql_query(snap, ken_str_n(nul, sizeof nul - 1), NULL, NULL, &l.arena, &res, &l.err),
        KEN_EINVAL);
    sample_end();
}

KEN_TEST(endless_queries_are_stopped)
{
    static const char *const endless[] = {
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 0",
        "SELECT count(*) FROM refs a, refs b, refs c, refs d, refs e",
    };
    sample_start();
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        int64_t began = ken_clock_mono_ns();
        kt_status(try_sql_with(endless[i], (ken_sql_opts){ .ms = 200 }), KEN_ETIMEOUT);
        kt_true(ken_clock_mono_ns() - began < (int64_t)20000 * 1000000); // slow under a sanitizer
    }
    ken_cancel cancel = { .is_set = true };
    kt_status(ken_sql_query(snap, ken_str_c(endless[0]), NULL, &cancel, &l.arena, &res, &l.err),
              KEN_ECANCELLED);
    sample_end();
}

KEN_TEST(memory_texts_and_rows_are_bounded)
{
    start_small();
    kt_status(try_sql_with("WITH RECURSIVE c(x) AS (SELECT randomblob(100000) UNION ALL SELECT "
                           "randomblob(100000) FROM c) SELECT x FROM c ORDER BY x",
                           (ken_sql_opts){ .ms = 60000, .max_bytes = 16 << 20 }),
              KEN_ELIMIT);
    kt_status(try_sql("SELECT hex(zeroblob(1000000))"), KEN_ELIMIT);
    kt_status(try_sql("SELECT replace(hex(zeroblob(100000)), '0', '0000')"), KEN_ELIMIT);
    kt_ok_err(
        try_sql_with("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x "
                     "FROM c",
                     (ken_sql_opts){ .max_rows = 7 }),
        &l.err);
    kt_eq_u(res.n_rows, 7);
    kt_true(res.is_truncated);
    kt_ok_err(try_sql_with("SELECT path FROM files", (ken_sql_opts){ .max_rows = 3 }), &l.err);
    kt_true(res.n_rows == 3 && !res.is_truncated);
    sample_end();
}

KEN_TEST(functions_that_were_replaced_answer_as_sqlites)
{
    start_small();
    sql_is("SELECT instr('abc', 'c'), instr('abc', 'x'), instr('abc', ''), instr('', 'a'), "
           "instr('äöü', 'ü'), instr(x'010203', x'03'), instr(NULL, 'a') IS NULL, instr(123, 23)",
           "3|0|1|0|3|3|1|2\n");
    sql_is(
        "SELECT replace('abcabc', 'b', 'XX'), replace('abc', '', 'x'), replace('aaa', 'aa', 'b'), "
        "replace('abc', 'abc', ''), replace('a', NULL, 'b') IS NULL",
        "aXXcaXXc|abc|ba||1\n");
    // Long texts that nearly match everywhere: not the product of their lengths.
    kt_eq_i(number("SELECT instr(hex(zeroblob(120000)), hex(zeroblob(60000)) || '1')"), 0);
    sample_end();
}

// ---- the documentation -------------------------------------------------------------------------

static ken_str read_docs(void)
{
    char path[4096];
    ken_buf b = KEN_BUF_INIT(1 << 20);
    snprintf(path, sizeof path, "%s/../docs/sql.md", KEN_TEST_SOURCE_DIR);
    kt_ok_err(ken_fs_read_own(path, 1 << 20, &b, &l.err), &l.err);
    ken_str text = ken_arena_dup(&l.arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

KEN_TEST(every_column_is_documented_and_can_be_read)
{
    const ken_sql_table *t = ken_sql_table_at(0);
    char q[2000], row[400];
    sample_start();
    ken_str docs = read_docs();
    for (size_t i = 0; t; t = ken_sql_table_at(++i)) {
        snprintf(q, sizeof q, "SELECT * FROM %s LIMIT 50", t->name);
        (void)sql(q);
        kt_eq_u(res.n_columns, t->n_columns);
        snprintf(row, sizeof row, "\n### `%s`: %s\n", t->name, t->text);
        if (ken_str_find(docs, ken_str_c(row)) == SIZE_MAX)
            kt_fail("docs/sql.md lacks:%s", row);
        for (size_t c = 0; c < t->n_columns; c++) {
            kt_true(ken_str_eq_c(res.columns[c], t->columns[c].name));
            snprintf(row, sizeof row, "\n| `%s` | %s | %s |\n", t->columns[c].name,
                     t->columns[c].type, t->columns[c].text);
            if (ken_str_find(docs, ken_str_c(row)) == SIZE_MAX)
                kt_fail("docs/sql.md lacks, for %s:%s", t->name, row);
        }
    }
    (void)sql("SELECT name FROM sqlite_schema WHERE type = 'view'");
    ken_sql_result views = res;
    kt_true(views.n_rows >= 8);
    for (size_t i = 0; i < views.n_rows; i++) {
        snprintf(q, sizeof q, "SELECT * FROM \"" KEN_STR_FMT "\" LIMIT 50",
                 KEN_STR_ARG(views.values[i].text));
        (void)sql(q);
        snprintf(row, sizeof row, "| `" KEN_STR_FMT "` |", KEN_STR_ARG(views.values[i].text));
        if (ken_str_find(docs, ken_str_c(row)) == SIZE_MAX)
            kt_fail("docs/sql.md lacks the view %s", row);
    }
    sample_end();
}

// Every example is run; one of which nothing comes would show nothing.
KEN_TEST(examples_of_the_documentation_run)
{
    const ken_str begin = KEN_STR("\n```sql\n"), end = KEN_STR("\n```\n");
    size_t n = 0;
    sample_start();
    ken_str rest = read_docs();
    for (size_t at; (at = ken_str_find(rest, begin)) != SIZE_MAX; n++) {
        rest = ken_str_sub(rest, at + begin.len, rest.len);
        size_t to = ken_str_find(rest, end);
        kt_true(to != SIZE_MAX);
        ken_str query = ken_arena_dup(&l.arena, ken_str_sub(rest, 0, to));
        kt_ok_err(try_sql(query.ptr), &l.err);
        if (!res.n_rows)
            kt_fail("no row comes of: %s", query.ptr);
    }
    kt_true(n >= 8);
    sample_end();
}
