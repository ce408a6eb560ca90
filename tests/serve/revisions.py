#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Questions about commits that are not checked out: whoever made the repository cannot make them run or write anything,
or show a file that the commit does not have; what nobody asks for is removed; the first question is quick.

    revisions.py --ken build/dev/ken
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import lab


class Revisions(unittest.TestCase):
    def setUp(self):
        self.box = os.path.realpath(tempfile.mkdtemp())
        self.root = os.path.join(self.box, "shop")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KEN_", "GIT_"))}
        self.env.update(HOME=self.box, NO_COLOR="1", KEN_DATA_DIR=os.path.join(self.box, "data"))
        os.makedirs(self.root)
        self.git("init", "-q", "-b", "main")

    def tearDown(self):
        shutil.rmtree(self.box, ignore_errors=True)

    def git(self, *args, stdin=None):
        p = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *args], cwd=self.root,
                           check=True, env=self.env, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return p.stdout.strip().decode()

    def put(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
            f.write(text)

    def commit(self, tag):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", tag)
        self.git("tag", tag)

    def ken(self, *args, code=0, **env):
        p = subprocess.run([lab.options.ken, *args], cwd=self.root, env={**self.env, **env}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        self.assertIn(p.returncode, code if isinstance(code, tuple) else (code,), (args, p.stdout, p.stderr))
        return p.stdout + p.stderr

    def n_trees(self):
        folder = os.path.join(self.box, "data", "indexes")
        index = next(f for f in os.listdir(folder) if f.endswith(".db"))
        db = sqlite3.connect(f"file:{os.path.join(folder, index)}?mode=ro", uri=True)
        n = db.execute("select count(*) from tree where project is not null").fetchone()[0]
        db.close()
        return n

    def two(self):
        self.put("a.py", "def pay(x):\n    return x\n")
        self.commit("v1")
        self.put("a.py", "def refund(x):\n    return -x\n")
        self.commit("v2")

    # ---- what is answered ----

    def test_a_commit_is_answered_and_named(self):
        self.two()
        self.put("a.py", "def nothing():\n    pass\n")
        self.assertIn("def pay(x)", self.ken("def", "--at", "v1", "pay"))
        self.assertIn("def refund(x)", self.ken("def", "--at", "main", "refund"))
        self.assertIn("def nothing", self.ken("def", "nothing"))
        answer = json.loads(self.ken("def", "--json", "--at", "main~1", "pay"))
        self.assertEqual(answer["at"], {"name": "main~1", "commit": self.git("rev-parse", "v1")})
        self.assertIn(f"at v1 (commit {self.git('rev-parse', 'v1')[:12]})", self.ken("outline", "--at", "v1", "a.py"))
        # The branch moves, and what it means with it.
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "three")
        self.assertIn("def nothing", self.ken("def", "--at", "main", "nothing"))

    def test_names_that_are_none_or_several(self):
        self.two()
        for name, says in (("v3", "names no commit"), ("main~9", "names no commit"), ("-x", "begins with '-'"),
                           ("--upload-pack=x", "begins with '-'"), ("a b", "names no commit"), ("v1:a.py", "names no commit")):
            self.assertIn(says, self.ken("def", f"--at={name}", "pay", code=2), name)
        self.git("branch", "v1", "v2")
        self.assertIn("more than one commit", self.ken("def", "--at", "v1", "pay", code=2))
        self.assertIn("def pay", self.ken("def", "--at", "refs/tags/v1", "pay"))

    def test_a_folder_without_a_repository(self):
        shutil.rmtree(os.path.join(self.root, ".git"))
        self.put("a.py", "def pay(x):\n    return x\n")
        self.ken("index", ".")
        self.assertIn("no git repository", self.ken("def", "--at", "main", "pay", code=1))

    def test_scope_and_settings_of_the_project_count(self):
        self.two()
        self.put("gen/b.py", "def generated_thing():\n    pass\n")
        self.commit("v3")
        self.ken("index", "--exclude", "gen/**", ".")
        self.assertIn("no definition", self.ken("def", "--at", "v3", "generated_thing", code=1))

    # ---- who made the repository ----

    def test_nothing_of_the_repository_runs(self):
        self.put(".gitattributes", "*.py filter=evil diff=evil\n")
        self.two()
        ran = os.path.join(self.box, "ran")
        script = os.path.join(self.box, "evil.sh")
        with open(script, "w") as f:
            f.write(f"#!/bin/sh\ntouch {ran}\ncat\n")
        os.chmod(script, 0o755)
        for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
                    "diff.evil.textconv", "diff.evil.command", "diff.external", "core.pager", "core.sshCommand",
                    "core.alternateRefsCommand"):
            self.git("config", key, script)
        self.git("config", "remote.origin.url", f"ext::{script}")
        self.git("config", "remote.origin.promisor", "true")
        self.git("config", "extensions.partialClone", "origin")
        hooks = os.path.join(self.root, ".git", "hooks")
        os.makedirs(hooks, exist_ok=True)
        for hook in ("post-checkout", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
            shutil.copy(script, os.path.join(hooks, hook))
        for words in (["def", "--at", "v1", "pay"], ["search", "--at", "v1", "pay", "--mode", "text"],
                      ["explain", "--at", "v1", "a.py:1-2"], ["impact", "--at", "v2", "--diff", "v1"],
                      ["hotspots", "--at", "v1"]):
            self.ken(*words)
        self.assertFalse(os.path.exists(ran))

    def test_links_and_odd_entries_show_nothing_else(self):
        secret = os.path.join(self.box, "secret.py")
        with open(secret, "w") as f:
            f.write("def outside():\n    return 'pay'\n")
        self.two()
        os.symlink(secret, os.path.join(self.root, "link.py"))
        os.symlink(self.box, os.path.join(self.root, "up"))
        self.commit("v3")
        # A tree that no git would check out: "..", ".git", and the same name twice.
        blob = self.git("hash-object", "-w", "--stdin", stdin=b"def inside():\n    return 1\n")
        raw = b"".join(b"100644 " + n + b"\0" + bytes.fromhex(blob) for n in (b"..", b".git", b"ok.py", b"ok.py"))
        tree = self.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)
        self.git("tag", "odd", self.git("commit-tree", "-m", "odd", tree))
        self.assertNotIn("outside", self.ken("search", "--at", "v3", "--mode", "text", "outside"))
        self.assertIn("pay", self.ken("search", "--at", "v1", "--mode", "text", "pay"))
        for path in ("up/secret.py", "../secret.py", "link.py"):
            self.assertNotIn("def outside", self.ken("outline", "--at", "v3", path, code=(1, 2)))
        self.assertIn("ok.py", self.ken("def", "--at", "odd", "inside"))
        self.assertEqual(json.loads(self.ken("stats", "--json", "--at", "odd"))["files"], 1)

    def test_a_file_that_is_a_link_to_elsewhere_now_is_asked_about_in_its_project(self):
        self.put("native/sum.c", "int sum_up(int a)\n{\n    return a + 1;\n}\n")
        self.commit("v1")
        self.ken("index")
        outside = os.path.join(self.box, "elsewhere")
        os.makedirs(outside)
        with open(os.path.join(outside, "target"), "w") as f:
            f.write("int secret_of_others;\n")
        os.remove(os.path.join(self.root, "native/sum.c"))
        os.symlink(os.path.join(outside, "target"), os.path.join(self.root, "native/sum.c"))
        for path in ("native/sum.c", os.path.join(self.root, "native/sum.c")):
            self.assertIn("sum_up", self.ken("impact", path, "--at", "v1"))
            self.assertNotIn("secret_of_others", self.ken("outline", path, code=(0, 1, 2)))

    def test_a_clone_that_lacks_contents_says_so_and_fetches_nothing(self):
        self.two()
        self.git("config", "uploadpack.allowFilter", "true")
        part = os.path.join(self.box, "part")
        subprocess.run(["git", "clone", "-q", "--filter=blob:none", "file://" + self.root, part], check=True,
                       env=self.env)
        self.root = part
        before = sorted(os.listdir(os.path.join(part, ".git", "objects", "pack")))
        self.assertIn("def refund", self.ken("def", "--at", "v2", "refund"))
        self.assertIn("lacks", self.ken("def", "--at", "v1", "pay", code=1))
        self.assertEqual(before, sorted(os.listdir(os.path.join(part, ".git", "objects", "pack"))))

    # ---- what is kept ----

    def test_commits_that_nobody_asks_about_make_room(self):
        for i in range(5):
            self.put(f"f{i}.py", f"def pay_{i}():\n    return {i}\n")
            self.commit(f"v{i}")
        for i in range(5):
            self.ken("def", "--at", f"v{i}", f"pay_{i}", KEN_REVISIONS="2")
        self.assertEqual(self.n_trees(), 2)
        self.assertIn("pay_0", self.ken("def", "--at", "v0", "pay_0", KEN_REVISIONS="2"))
        self.assertEqual(self.n_trees(), 2)
        self.assertIn("ok", self.ken("doctor", "--deep"))

    def test_a_commit_with_many_files(self):
        n = 100000
        lines = "".join(f"M 100644 inline src/d{i % 500}/f{i}.py\ndata {len(f'def f_{i}(): pass')}\ndef f_{i}(): pass\n"
                        if i < 2000 else f"M 100644 inline data/d{i % 500}/{i}.bin\ndata 4\n\0\0\0\0\n" for i in range(n))
        self.git("fast-import", "--quiet", stdin=(
            "commit refs/heads/big\ncommitter t <t@example.org> 1700000000 +0000\ndata 3\nbig\n" + lines).encode())
        self.two()
        self.ken("index", ".")
        began = time.time()
        self.assertIn("f_1999", self.ken("def", "--at", "big", "f_1999"))
        self.assertLess(time.time() - began, 60)


if __name__ == "__main__":
    lab.main("revisions.py")
