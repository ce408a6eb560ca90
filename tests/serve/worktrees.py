#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Worktrees and clones of one repository share an index, and nothing else: what people wrote, settings and models stay apart, and
each can go without the others.

    worktrees.py --ken build/dev/ken
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import lab
from lab import PATIENCE

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "freshness"))
from changes import Server  # noqa: E402

N_FILES = 400
WORDS = ["basket", "ledger", "courier", "voucher", "invoice", "parcel", "refund", "stock", "till", "tariff"]


class Worktrees(unittest.TestCase):
    def setUp(self):
        self.box = os.path.realpath(tempfile.mkdtemp())
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KEN_", "GIT_"))}
        self.env.update(HOME=self.box, NO_COLOR="1", KEN_DATA_DIR=os.path.join(self.box, "data"))
        self.main = os.path.join(self.box, "shop")
        os.makedirs(self.main)
        self.git("init", "-q", "-b", "main", cwd=self.main)
        for i in range(N_FILES):
            body = "\n".join(f"    {WORDS[(i + k) % 10]}_{k} = amount * {i} + {k}" for k in range(12))
            lab.put(self.main, f"src/part_{i % 9}/item_{i}.py",
                     f"from src.part_{(i + 1) % N_FILES % 9}.item_{(i + 1) % N_FILES} import pay_{(i + 1) % N_FILES}\n\n\n"
                     f"def pay_{i}(amount):\n    \"\"\"Takes an amount for item {i}.\"\"\"\n{body}\n"
                     f"    return pay_{(i + 1) % N_FILES}(amount)\n")
        self.git("add", "-A", cwd=self.main)
        self.git("commit", "-q", "-m", "one", cwd=self.main)
        self.ken("index", cwd=self.main)

    def tearDown(self):
        shutil.rmtree(self.box, ignore_errors=True)

    # ---- doing things ----

    def git(self, *args, cwd):
        return lab.git(*args, cwd=cwd, env=self.env)

    def worktree(self, name):
        path = os.path.join(self.box, name)
        self.git("worktree", "add", "-q", path, cwd=self.main)
        return path

    def clone(self, name):
        path = os.path.join(self.box, name)
        self.git("clone", "-q", self.main, path, cwd=self.box)
        return path

    def ken(self, *args, cwd, code=0, env=None):
        p = subprocess.run([lab.options.ken, *args], cwd=cwd, env=dict(self.env, **(env or {})), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        if code is not None:
            self.assertEqual(p.returncode, code, p.stdout + p.stderr)
        self.assertNotIn("Sanitizer", p.stderr)
        self.assertNotIn("runtime error", p.stderr)
        return p.stdout + p.stderr

    def ask(self, *args, cwd):
        return json.loads(self.ken(*args, "--json", cwd=cwd))

    def indexes(self):
        folder = os.path.join(self.box, "data", "indexes")
        return sorted(f for f in os.listdir(folder) if f.endswith(".db"))

    def bytes(self):
        folder = os.path.join(self.box, "data", "indexes")
        return sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))

    def has(self, name, cwd):
        return self.ken("def", name, cwd=cwd, code=None).find("no definition") < 0

    # ---- what it costs ----

    def test_a_worktree_costs_what_differs(self):
        before = self.bytes()
        for i in range(8):
            path = self.worktree(f"tree{i}")
            lab.put(path, "src/part_0/item_0.py", f"def only_in_tree_{i}():\n    return {i}\n")
            said = self.ken("index", cwd=path)
            self.assertIn("1 modified", said)
        self.assertEqual(len(self.indexes()), 1)
        self.assertLess(self.bytes(), before * 1.5)
        for i in range(8):
            path = os.path.join(self.box, f"tree{i}")
            self.assertTrue(self.has(f"only_in_tree_{i}", path))
            self.assertFalse(self.has(f"only_in_tree_{(i + 1) % 8}", path))
            self.assertFalse(self.has("pay_0", path))
        self.assertTrue(self.has("pay_0", self.main))
        self.assertFalse(self.has("only_in_tree_0", self.main))

    def test_a_clone_costs_what_differs(self):
        before = self.bytes()
        for i in range(4):
            path = self.clone(f"clone{i}")
            lab.put(path, "src/part_0/item_0.py", f"def only_in_clone_{i}():\n    return {i}\n")
            self.assertIn("1 modified", self.ken("index", cwd=path))
        self.assertEqual(len(self.indexes()), 1)
        self.assertLess(self.bytes(), before * 1.4)
        for i in range(4):
            path = os.path.join(self.box, f"clone{i}")
            self.assertTrue(self.has(f"only_in_clone_{i}", path))
            self.assertFalse(self.has(f"only_in_clone_{(i + 1) % 4}", path))
            self.assertFalse(self.has("pay_0", path))
        self.assertTrue(self.has("pay_0", self.main))
        shutil.rmtree(self.main)
        self.ken("projects", "remove", "shop", "--yes", cwd=self.box)
        self.assertTrue(self.has("pay_7", os.path.join(self.box, "clone1")))

    def test_a_clone_of_one_that_went_on_elsewhere(self):
        """Its own commit is nowhere else, that of their common remote is."""
        ahead = self.clone("ahead")
        self.ken("projects", "remove", "shop", "--yes", cwd=self.box)
        lab.put(ahead, "src/ahead.py", "def ahead():\n    return 1\n")
        self.git("add", "-A", cwd=ahead)
        self.git("commit", "-q", "-m", "not pushed", cwd=ahead)
        self.ken("index", cwd=ahead)
        other = self.clone("other")
        self.ken("index", cwd=other)
        self.assertEqual(len(self.indexes()), 1)
        self.assertFalse(self.has("ahead", other))
        self.assertTrue(self.has("pay_7", other))

    def test_another_repository_with_the_same_files_has_an_index_of_its_own(self):
        path = os.path.join(self.box, "copy")
        shutil.copytree(self.main, path, ignore=shutil.ignore_patterns(".git"))
        self.git("init", "-q", cwd=path)
        self.git("add", "-A", cwd=path)
        self.git("commit", "-q", "-m", "of its own", cwd=path)
        self.ken("index", cwd=path)
        self.assertEqual(len(self.indexes()), 2)

    def test_a_worktree_that_was_removed_frees_what_it_had(self):
        path = self.worktree("gone")
        lab.put(path, "src/new.py", "def soon_gone():\n    return 1\n")
        self.ken("index", cwd=path)
        self.git("worktree", "remove", "--force", path, cwd=self.main)
        lab.put(self.main, "src/more.py", "def more():\n    return 1\n")
        self.assertTrue(self.has("more", self.main))
        listed = self.ask("sql", "select count(*) as n from files where path = 'src/new.py'", cwd=self.main)
        self.assertEqual(listed["rows"][0][0] if isinstance(listed["rows"][0], list) else listed["rows"][0]["n"], 0)
        self.git("worktree", "add", "-q", "--force", path, "gone", cwd=self.main)
        self.assertTrue(self.has("pay_3", path))  # it came back
        self.assertFalse(self.has("soon_gone", path))

    def test_a_worktree_that_was_away_is_itself_again(self):
        path, other = self.worktree("away"), self.worktree("other")
        lab.put(path, "src/own.py", "def of_away():\n    return 1\n")
        lab.put(other, "src/own.py", "def of_other():\n    return 1\n")
        os.environ["HOME"] = self.box
        server = Server(lab.options.ken, path, self.env["KEN_DATA_DIR"])
        self.assertIn("own.py", json.dumps(server.ask("get_definition", {"symbol_name": "of_away"})))
        os.rename(path, path + ".elsewhere")
        lab.put(self.main, "src/more.py", "def more():\n    return 1\n")
        self.assertTrue(self.has("more", self.main))  # drops what nobody asks for
        self.assertTrue(self.has("of_other", other))  # a new tree
        os.rename(path + ".elsewhere", path)
        self.assertIn("own.py", json.dumps(server.ask("get_definition", {"symbol_name": "of_away"})))
        self.assertNotIn("own.py", json.dumps(server.ask("get_definition", {"symbol_name": "of_other"})))
        server.close()

    # ---- what is apart ----

    def test_what_people_wrote_is_each_projects_own(self):
        path = self.worktree("other")
        self.ken("index", cwd=path)
        self.ken("checkpoint", "save", "of the main tree", cwd=self.main)
        self.assertIn("no checkpoints", self.ken("checkpoint", "list", cwd=path))
        self.ken("checkpoint", "save", "of the worktree", cwd=path)
        self.assertIn("of the worktree", self.ken("checkpoint", "list", cwd=path))
        self.assertNotIn("of the worktree", self.ken("checkpoint", "list", cwd=self.main))

    def test_rules_of_a_worktree_are_its_own(self):
        path = self.worktree("other")
        lab.put(path, ".rag/constraints/own.md", "# Rules\n\n- Never call pay_1 from pay_2.\n")
        self.ken("rules", "index", cwd=path)
        counts = self.ken("rules", "health", cwd=self.main, code=None)
        self.assertNotIn("own.md", counts)

    def test_scope_and_skips_are_each_trees_own(self):
        path = self.worktree("narrow")
        self.ken("index", "--exclude", "src/part_1/**", "--only", cwd=path)
        self.assertFalse(self.has("pay_1", path))
        self.assertTrue(self.has("pay_1", self.main))

    # ---- who goes ----

    def test_the_first_project_goes_and_the_others_stay(self):
        path = self.worktree("stays")
        self.ken("index", cwd=path)
        self.ken("checkpoint", "save", "of the main tree", cwd=self.main)
        self.ken("projects", "remove", "shop", "--yes", cwd=self.box)
        self.assertTrue(self.has("pay_7", path))
        lab.put(path, "src/after.py", "def after():\n    return 1\n")
        self.assertTrue(self.has("after", path))
        self.assertIn("no checkpoints", self.ken("checkpoint", "list", cwd=path))
        self.ken("index", cwd=self.main)  # a new project of the same folder
        self.assertTrue(self.has("pay_7", self.main))
        self.assertFalse(self.has("after", self.main))
        self.assertIn("no checkpoints", self.ken("checkpoint", "list", cwd=self.main))
        self.ken("projects", "remove", "shop", "--yes", cwd=self.box)
        self.ken("projects", "remove", "stays", "--yes", cwd=self.box)
        self.assertEqual(self.indexes(), [])

    def test_a_worktree_goes_and_its_project_is_unknown(self):
        path = self.worktree("goes")
        self.ken("index", cwd=path)
        self.ken("checkpoint", "save", "something", cwd=path)
        self.assertEqual(len(self.indexes()), 2)
        self.ken("projects", "remove", "goes", "--yes", cwd=self.box)
        self.assertEqual(len(self.indexes()), 1)
        self.assertTrue(self.has("pay_7", self.main))

    def test_another_model_parts_them(self):
        path = self.worktree("models")
        self.ken("index", cwd=path)
        lab.put(path, ".ken.yaml", "embedding:\n  provider: openai\n  url: http://127.0.0.1:9/v1\n")
        self.ken("index", cwd=path, code=None)
        self.assertTrue(self.has("pay_7", path))
        self.assertTrue(self.has("pay_7", self.main))
        found = self.ask("search", "takes an amount for item 12", cwd=self.main)
        self.assertIn("item_12", json.dumps(found["results"][0]))

    # ---- at once ----

    def test_all_are_indexed_at_once(self):
        paths = [self.worktree(f"tree{i}") for i in range(6)]
        for i, path in enumerate(paths):
            lab.put(path, f"src/own_{i}.py", f"from src.part_{i % 9}.item_{i} import pay_{i}\n\n\ndef own_{i}():\n    return pay_{i}(1)\n")
        running = [subprocess.Popen([lab.options.ken, "refs", f"pay_{i}"], cwd=p, env=self.env, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i, p in enumerate(paths)]
        for p in running:
            p.communicate(timeout=PATIENCE)
        for i, path in enumerate(paths):
            self.assertIn(f"own_{i}.py", self.ken("refs", f"pay_{i}", cwd=path))
        self.assertEqual(len(self.indexes()), 1)

    def test_a_killed_run_harms_no_other_worktree(self):
        path = self.worktree("killed")
        for i in range(60):
            lab.put(path, f"src/new_{i}.py", f"def new_{i}():\n    return {i}\n" * 20)
        for k in range(6):
            p = subprocess.Popen([lab.options.ken, "index"], cwd=path, env=self.env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
            time.sleep(0.02 * (k + 1) * (4 if PATIENCE > 100 else 1))
            p.send_signal(signal.SIGKILL)
            p.wait()
            self.assertTrue(self.has("pay_7", self.main))
        self.assertTrue(self.has("new_59", path))
        self.assertFalse(self.has("new_59", self.main))
        self.assertIn("ok", self.ken("doctor", "--deep", cwd=self.main))


if __name__ == "__main__":
    lab.main("worktrees.py")
