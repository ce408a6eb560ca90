#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What SQL finds in a PostgreSQL database is what ken says, whatever happens to the files; and a server that has no
folder answers from there.
"""
import json
import os
import shutil
import time

import lab
import pg_lab
from lab import put
from pg_lab import sql

SECRET = "ghp_" + "q7Zr2LxV9tB4nK8sW1yD6cF3hJ5mP0aE2uGi"
RELATIONS = ("content_symbol", "content_chunk", "content_import", "content_ref", "content_text")

PYTHON = '''import os
from sub.tool import polish as shine, grind
from sub.tool import wipe


class Lamp:
    """A lamp — with a shade, größer."""

    def light(self, oil):
        if oil and shine(oil):
            return grind(oil)
        return os.sep


def home():
    return Lamp().light("ö")
'''
TOOL = '''def polish(x):
    return x


def grind(x):
    return polish(x)


def wipe():
    TOKEN = "%s"
    return TOKEN
''' % SECRET

# What ken says, and the same of the database: rows as lists of texts. {r} = the id of the repository.
PAIRS = (
    ("SELECT path, content_hash, language, size_bytes, lines, chunks, symbols FROM files",
     "SELECT path, hash, language, size_bytes, lines, chunks, symbols FROM ken.files WHERE repo_id = '{r}'"),
    ("SELECT relative_path, path, content_hash, language, is_deleted FROM code_files",
     "SELECT relative_path, path, content_hash, language, is_deleted::int FROM ken.code_files "
     "WHERE repository_id = '{r}'"),
    ("SELECT file_path, ordinal, name, kind, visibility, depth, line_start, line_end, byte_start, byte_end, signature, "
     "doc_string, complexity FROM symbols",
     "SELECT file_path, ordinal, name, type, visibility, depth, line_start, line_end, byte_start, byte_end, signature, "
     "docstring, complexity FROM ken.symbols WHERE repository_id = '{r}'"),
    ("SELECT s.file_path, s.name, p.name FROM symbols s JOIN symbols p ON p.id = s.parent_id",
     "SELECT s.file_path, s.name, p.name AS parent FROM ken.symbols s JOIN ken.symbols p ON p.id = s.parent_id "
     "WHERE s.repository_id = '{r}'"),
    ("SELECT chunk_id, file_path, ordinal, line_start, line_end, chunk_type, token_count, source_code FROM chunks",
     "SELECT id, file_path, ordinal, start_line, end_line, chunk_type, token_count, content FROM ken.code_chunks "
     "WHERE repository_id = '{r}'"),
    ("SELECT id, content, start_line, end_line, chunk_type FROM code_chunks",
     "SELECT id, chunk_text, line_start, line_end, chunk_type FROM ken.code_chunks WHERE repository_id = '{r}'"),
    ("SELECT file_path, name, role, line, byte FROM refs",
     "SELECT file_path, name, role, line, byte FROM ken.refs WHERE repository_id = '{r}'"),
    ("SELECT DISTINCT file_path, module, line, is_export FROM dependencies",
     "SELECT DISTINCT file_path, module, line, is_export::int FROM ken.dependencies WHERE repository_id = '{r}'"),
    ("SELECT f.path, m.lines_of_code, m.complexity_score FROM file_metadata m JOIN files f ON f.id = m.code_file_id",
     "SELECT f.relative_path, m.lines_of_code, m.complexity_score FROM ken.file_metadata m "
     "JOIN ken.code_files f ON f.id = m.code_file_id WHERE f.repository_id = '{r}'"),
    ("SELECT generation, path, event_type, old_path, processed FROM change_events",
     "SELECT generation, path, event_type, old_path, processed::int FROM ken.change_events WHERE repository_id = '{r}'"),
    ("SELECT model_name, model_version, dimensions, generation_time_ms FROM embedding_metadata",
     "SELECT model_name, model_version, dimensions, generation_time_ms FROM ken.embedding_metadata "
     "WHERE repository_id = '{r}'"),
    ("SELECT path FROM repositories", "SELECT path FROM ken.repositories WHERE id = '{r}'"),
)


class Relations(pg_lab.Postgres):
    def setUp(self):
        super().setUp()
        put(self.folder, "lamp.py", PYTHON)
        put(self.folder, "sub/tool.py", TOOL)
        put(self.folder, "notes.md", "# Notes\n\nüber alles\n")

    def rows(self, text):
        """Of the database, as ken prints them: columns may share a name."""
        found = sql(self.url, f"SELECT row_to_json(q) FROM (SELECT * FROM ({text}) AS t) AS q")
        return [[v for _, v in json.loads(line, object_pairs_hook=list)] for line in found.splitlines()]

    def said(self, text, folder=None):
        code, out, err = self.ken("sql", "--json", text, folder=folder)
        self.assertEqual(code, 0, (text, out, err))
        return json.loads(out)["rows"]

    def number(self, text):
        return int(sql(self.url, text))

    def repository(self, folder=None):
        [[found]] = self.rows(f"SELECT id FROM ken.repositories WHERE path = '{folder or self.folder}'")
        return found

    def check(self, folder=None):
        """Everything that SQL finds is what ken says, and nothing is left over."""
        code, out, err = self.ken("index", folder=folder)
        self.assertEqual(code, 0, out + err)
        r = self.repository(folder)
        for ours, theirs in PAIRS:
            want, have = self.said(ours, folder), self.rows(theirs.format(r=r))
            key = lambda row: json.dumps(row)
            self.assertEqual(sorted(want, key=key), sorted(have, key=key), theirs)
        for table in RELATIONS:
            self.assertEqual(self.number(f"SELECT count(*) FROM ken.{table} t WHERE NOT EXISTS (SELECT 1 FROM ken.content c "
                                         f"WHERE c.index_id = t.index_id AND c.id = t.content_id)"), 0, table)
        for view in ("files", "symbols", "code_chunks", "refs", "dependencies", "file_metadata", "change_events",
                     "embedding_metadata", "code_files"):
            self.assertEqual(self.number(f"SELECT count(*) - count(DISTINCT (id, {self.owner(view)})) FROM ken.{view}"), 0,
                             view)

    @staticmethod
    def owner(view):
        return "repo_id" if view == "files" else "repository_id" if view != "file_metadata" else "code_file_id"

    def test_sql_finds_what_ken_says_after_each_change(self):
        self.check()
        names = self.rows("SELECT symbol_name FROM ken.dependencies WHERE module = 'sub.tool' ORDER BY line, symbol_name")
        self.assertEqual(names, [["grind"], ["polish"], ["wipe"]])
        put(self.folder, "lamp.py", PYTHON.replace("home", "house"))
        self.check()
        self.assertEqual(self.rows("SELECT name FROM ken.symbols WHERE name IN ('home', 'house')"), [["house"]])
        os.rename(os.path.join(self.folder, "sub/tool.py"), os.path.join(self.folder, "sub/tools.py"))
        self.check()
        os.remove(os.path.join(self.folder, "notes.md"))
        self.check()
        self.assertEqual(self.rows("SELECT is_deleted FROM ken.code_files WHERE relative_path = 'notes.md'"), [[True]])
        code, out, err = self.ken("index", "--force")
        self.assertEqual(code, 0, out + err)
        self.check()

    def test_worktrees_share_rows_and_have_their_own_files(self):
        lab.git("init", "-q", "-b", "main", cwd=self.folder)
        lab.git("add", "-A", cwd=self.folder)
        lab.git("commit", "-q", "-m", "one", cwd=self.folder)
        other = os.path.join(self.box.name, "other")
        lab.git("worktree", "add", "-q", "-b", "side", other, cwd=self.folder)
        self.check()
        n = self.number("SELECT count(*) FROM ken.content_symbol")
        self.check(other)
        self.assertEqual(self.number("SELECT count(*) FROM ken.content_symbol"), n)
        put(other, "lamp.py", PYTHON.replace("home", "cave"))
        self.check(other)
        self.check()
        self.assertEqual(self.rows("SELECT r.name FROM ken.symbols s JOIN ken.repositories r ON r.id = s.repository_id "
                                   "WHERE s.name = 'cave'"), [["other"]])
        # A worktree of another machine is no worktree that was removed.
        os.rename(other, other + ".away")
        put(self.folder, "new.py", "def fresh():\n    return 1\n")
        self.check()
        self.assertEqual(self.number("SELECT count(*) FROM ken.symbols WHERE name = 'cave'"), 1)
        os.rename(other + ".away", other)
        self.check(other)

    def test_a_removed_project_leaves_no_row(self):
        self.check()
        self.assertEqual(self.ken("projects", "remove", self.folder, "--yes")[0], 0)
        for table in ("index", "content", "file", "tree", "projects", *RELATIONS):
            self.assertEqual(self.number(f"SELECT count(*) FROM ken.{table}"), 0, table)

    def test_no_table_has_a_secret(self):
        self.check()
        forms = [SECRET, SECRET.encode().hex()]
        for table in sql(self.url, "SELECT tablename FROM pg_tables WHERE schemaname = 'ken'").split():
            for form in forms:
                self.assertEqual(self.number(f"SELECT count(*) FROM ken.{table} t WHERE t::text LIKE '%{form}%'"), 0, table)
        [[text]] = self.rows("SELECT string_agg(content, '') FROM ken.code_chunks WHERE file_path = 'sub/tool.py'")
        self.assertIn("TOKEN = \"****", text)

    def test_settings_leave_rows_and_texts_out(self):
        self.env.update(KEN_DATABASE_RELATIONS="no-references", KEN_DATABASE_TEXT="false")
        self.assertEqual(self.ken("index")[0], 0)
        n = {t: self.number(f"SELECT count(*) FROM ken.{t}") for t in RELATIONS}
        self.assertTrue(n["content_symbol"] and n["content_chunk"] and n["content_import"], n)
        self.assertEqual((n["content_ref"], n["content_text"]), (0, 0))
        self.assertEqual(self.rows("SELECT content, symbol_name FROM ken.code_chunks WHERE file_path = 'a.c'"),
                         [[None, "alpha"]])
        self.env.update(KEN_DATABASE_RELATIONS="none")
        self.assertEqual(self.ken("index", "--force")[0], 0)
        for view in ("symbols", "code_chunks", "refs", "dependencies"):
            self.assertEqual(self.number(f"SELECT count(*) FROM ken.{view}"), 0, view)
        self.assertIn("a.c:1", self.ken("def", "alpha")[1])
        del self.env["KEN_DATABASE_RELATIONS"], self.env["KEN_DATABASE_TEXT"]
        self.assertEqual(self.ken("index", "--force")[0], 0)
        self.check()

    # ---- servers without the folder ----------------------------------------------------------------

    QUESTIONS = (
        ("search_code", {"query": "polish"}),
        ("search_code", {"query": "grind(oil)", "search_type": "text"}),
        ("get_definition", {"symbol_name": "Lamp.light"}),
        ("find_usages", {"symbol_name": "polish"}),
        ("outline", {"file_path": "lamp.py"}),
        ("list_chunks", {"file_path": "sub/tool.py"}),
        ("explain_code", {"file_path": "lamp.py", "line_start": 9, "line_end": 12}),
        ("get_architecture", {}),
        ("dead_code", {}),
    )

    def answers(self, url):
        found = []
        for tool, arguments in self.QUESTIONS:
            answer = self.post(url, tool, dict(arguments, project="project", format="json"))
            found.append((tool, answer))
        return found

    @staticmethod
    def without_notes(answer):
        """What is the same with and without the folder."""
        notes = {"index", "incomplete", "hint", "project", "took_ms", "timing", "search_id", "next", "seen"}
        return {k: v for k, v in answer.items() if k not in notes}

    def test_a_server_without_the_folder_answers_from_the_database(self):
        lab.git("init", "-q", "-b", "main", cwd=self.folder)
        lab.git("add", "-A", cwd=self.folder)
        lab.git("commit", "-q", "-m", "one", cwd=self.folder)
        commit = lab.git("rev-parse", "HEAD", cwd=self.folder).strip()
        first = self.serve(env=self.elsewhere(1))[1]
        self.post(first, "index_repository", {"path": self.folder})
        here = self.answers(first)
        os.rename(self.folder, self.folder + ".away")
        second = self.serve(env=self.elsewhere(2))[1]
        there = self.answers(second)
        for (tool, want), (_, have) in zip(here, there):
            self.assertNotIn("not on this machine", json.dumps(want), tool)
            self.assertIn("not on this machine", json.dumps(have), (tool, have))
            self.assertIn(commit[:12], json.dumps(have), tool)
            self.assertEqual(self.without_notes(want), self.without_notes(have), tool)
        self.assertNotIn(SECRET, json.dumps(there))
        status = self.post(second, "get_repo_status", {"project": "project"})
        self.assertIn("not on this machine", json.dumps(status))
        for tool, arguments in (("index_repository", {"path": self.folder}),
                                ("get_definition", {"symbol_name": "polish", "project": "project", "at": "HEAD"}),
                                ("outline", {"file_path": "new.py", "project": "project"})):
            with self.assertRaises(Exception, msg=tool):
                self.post(second, tool, arguments)
        # The one that has the folder indexes; the other one answers of that.
        os.rename(self.folder + ".away", self.folder)
        put(self.folder, "new.py", "def fresh():\n    return 1\n")
        self.post(first, "search_code", {"query": "fresh", "project": "project"})
        os.rename(self.folder, self.folder + ".away")
        answer = self.post(second, "get_definition", {"symbol_name": "fresh", "project": "project", "format": "json"})
        self.assertIn("def fresh", json.dumps(answer))

    # ---- indexes that came in another way ----------------------------------------------------------

    def in_files(self, *words, folder=None):
        env = {k: v for k, v in self.env.items() if k != "DATABASE_URL"}
        code, out, err = pg_lab.ken(words, folder or self.folder, dict(env, KEN_DATA_DIR=os.path.join(self.box.name, "files")))
        self.assertEqual(code, 0, (words, out, err))
        return out

    def without_folder(self, n=2):
        """What a machine says that has no folder."""
        os.rename(self.folder, self.folder + ".away")
        try:
            return self.answers(self.serve(env=self.elsewhere(n))[1])
        finally:
            os.rename(self.folder + ".away", self.folder)

    def check_vectors(self, are_there=True):
        chunks = self.number("SELECT count(*) FROM ken.content_chunk")
        self.assertEqual(self.number("SELECT count(*) FROM ken.embeddings"), chunks if are_there else 0)

    def test_what_was_migrated_has_its_rows(self):
        self.env.update(KEN_DATABASE_VECTORS="on")
        self.in_files("index")
        put(self.folder, "late.py", "def late():\n    return 1\n")
        self.in_files("index")
        put(self.folder, "late.py", "def later():\n    return 2\n")  # the text that was indexed is nowhere any more
        self.in_files("migrate", "--from", "files", "--to", self.url)
        self.assertEqual(self.rows("SELECT count(*) FROM ken.content_text"),
                         [[self.number("SELECT count(*) FROM ken.content") - 1]])
        self.check_vectors()
        there = self.without_folder()
        self.assertIn("grind(oil)", json.dumps(there))
        self.assertNotIn(SECRET, json.dumps(there))
        # What is not there is said.
        os.rename(self.folder, self.folder + ".away")
        _, out, err = self.ken("def", "late", "-p", "project", folder=self.box.name)
        self.assertIn("database.text", out + err)
        os.rename(self.folder + ".away", self.folder)
        self.check()  # a run makes the rest
        # A new question to it finds that nothing lacks, by one value.
        self.assertEqual(self.rows("SELECT DISTINCT convert_from(value, 'UTF8') FROM ken.meta WHERE key = 'rows.kept'"),
                         [["text 1 relations 0 vectors 1"]])

    def test_what_was_imported_has_its_rows_after_the_next_run(self):
        self.env.update(KEN_DATABASE_VECTORS="on")
        lab.git("init", "-q", "-b", "main", cwd=self.folder)
        lab.git("add", "-A", cwd=self.folder)
        lab.git("commit", "-q", "-m", "one", cwd=self.folder)
        self.in_files("index")
        bundle = os.path.join(self.box.name, "index.ken")
        self.in_files("export", bundle)
        for force in ([], ["--force"]):
            self.assertEqual(self.ken("import", bundle, *force)[0], 0)
            self.check()
            self.check_vectors()
            self.assertEqual(self.number("SELECT count(*) FROM ken.content_ref WHERE line IS NULL"), 0)
        self.assertIn("grind(oil)", json.dumps(self.without_folder()))

    def test_settings_that_are_changed_hold_for_all_after_the_next_run(self):
        few = dict(KEN_DATABASE_RELATIONS="none", KEN_DATABASE_TEXT="false")
        self.assertEqual(self.ken("index", **few)[0], 0)
        self.assertEqual(self.number("SELECT count(*) FROM ken.content_symbol"), 0)
        self.env.update(KEN_DATABASE_VECTORS="on")
        self.check()
        self.check_vectors()
        self.assertEqual(self.number("SELECT count(*) FROM ken.content_text"), self.number("SELECT count(*) FROM ken.content"))

    def test_a_search_for_text_without_the_folder_asks_for_many_files_at_once(self):
        for i in range(300):
            put(self.folder, f"many/f{i}.py", f"def f{i}():\n    return 'needle' if {i} % 50 == 7 else {i}\n")
        self.assertEqual(self.ken("index")[0], 0)
        sql(self.url, "ANALYZE")
        here = self.ken("search", "return 7", "--mode", "text", "--json")[1]
        os.rename(self.folder, self.folder + ".away")
        url = self.serve(env=self.elsewhere(2))[1]
        ask = lambda query, how: self.post(url, "search_code", {"query": query, "search_type": how, "project": "project",
                                                                "format": "json"})["results"]
        ask("nothing of that", "text")
        scans = lambda: self.number("SELECT sum(seq_scan + idx_scan) FROM pg_stat_user_tables WHERE relname LIKE 'content_text%'")
        time.sleep(12)  # a session tells what it did once a second, or when it has been idle for ten
        before = scans()
        self.assertEqual(ask("nothing of that", "text"), [])
        self.assertEqual([r["file_path"] for r in ask("retur[n] 7$", "regex")], [r["file_path"] for r in json.loads(here)["results"]])
        self.wait_until(lambda: scans() > before, "statistics come late", seconds=30)
        self.assertLess(scans() - before, 60)  # of more than 600 files

    def test_without_texts_that_is_told(self):
        self.env["KEN_DATABASE_TEXT"] = "false"
        self.assertEqual(self.ken("index")[0], 0)
        shutil.move(self.folder, self.folder + ".away")
        _, out, err = self.ken("def", "alpha", "-p", "project", folder=self.box.name)
        self.assertIn("database.text", out + err)
        self.assertNotIn("no definition of 'alpha' in this project", out + err)


if __name__ == "__main__":
    lab.main("relations")
