#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ken migrate: a random installation goes from files to PostgreSQL and back, is killed on the way, and answers the same
in each place.

    migrate.py --ken KEN [--seed N]
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import lab
import pg_lab
from lab import options, put
from pg_lab import sql

STATUSES = ("need to be done", "in-progress", "complete")
MOST_COPIES = 30
WORDS = ("alpha", "beta", "gamma", "delta", "retry", "upload", "parse", "index")
# What says where it is kept, or when it was asked, is another thing in each place.
OWN = re.compile(r'"(index_path|index_bytes|store_bytes|index_size|size_bytes|database|storage|data_dir|age_seconds|checked_at'
                 r'|last_checked|duration_ms|took_ms|elapsed_ms|seen|path_of_index|rev)"')


def plain(value):
    """An answer without what is of the place or the moment."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not OWN.fullmatch(f'"{k}"')}
    return [plain(v) for v in value] if isinstance(value, list) else value


class Migrate(pg_lab.Postgres):
    def setUp(self):
        super().setUp()
        self.seed = int(options.seed or random.randrange(1 << 30))
        print("seed", self.seed)
        self.random = random.Random(self.seed)
        self.files = {k: v for k, v in self.env.items() if k != "DATABASE_URL"}
        self.back = dict(self.files, KEN_DATA_DIR=os.path.join(self.box.name, "back"))
        self.roots = []

    def run_in(self, env, *words, folder=None):
        code, out, err = pg_lab.ken(words, folder or self.folder, env)
        self.assertEqual(code, 0, (words, out[-2000:], err[-2000:]))
        return out

    # ---- a random installation ----

    def code(self, n):
        names = [f"{self.random.choice(WORDS)}_{self.random.randrange(1000)}" for _ in range(n)]
        return "".join(f"/* {self.random.choice(WORDS)} */\nint {x}(int a)\n{{\n    return {self.random.choice(names)}"
                       f"(a + {self.random.randrange(99)});\n}}\n\n" for x in names)

    def make_folder(self, name, n_files):
        root = os.path.join(self.box.name, name)
        for i in range(n_files):
            put(root, f"{self.random.choice(WORDS)}/f{i}.c", self.code(self.random.randrange(1, 8)))
        put(root, "docs/ARCHITECTURE.md", "# Rules\n\n- Every upload must be retried.\n- Never call parse twice.\n")
        put(root, "café/naïve ü.py", "def grüße():\n    return 1\n")
        self.roots.append(root)
        return root

    def make_repository(self, name, n_files):
        root = self.make_folder(name, n_files)
        lab.git("init", "-q", "-b", "main", cwd=root)
        lab.git("add", "-A", cwd=root)
        lab.git("commit", "-q", "-m", "one", cwd=root)
        return root

    def make_tasks(self, env, n):
        ids = []
        for i in range(n):
            words = ["task", "new", f"task {i} {self.random.choice(WORDS)} ✓", "--json"]
            if self.random.random() < 0.5:
                words += ["--project", self.random.choice(self.roots), "--ref", "docs/plan.md", "--ref", f"a/{i}.md"]
            if self.random.random() < 0.5:
                words += ["--description", "lines\nof \"text\"\tand ünï", "--notes", "n"]
            ids.append(json.loads(self.run_in(env, *words))["id"])
        for task in self.random.choices(ids, k=n):
            words = ["task", "set", task, "--status", self.random.choice(STATUSES)]
            if self.random.random() < 0.5:
                words += ["--branch", f"feature/{self.random.randrange(4)}"]
            if self.random.random() < 0.3:
                words += ["--commit", "%040x" % self.random.getrandbits(160)]
            pg_lab.ken(words, self.folder, env)
        return ids

    def make_installation(self, env, n_tasks=12):
        first = self.make_repository("first", self.random.randrange(4, 12))
        second = os.path.join(self.box.name, "worktree")
        lab.git("worktree", "add", "-q", second, "-b", "other", cwd=first)
        self.roots.append(second)
        self.make_folder("plain", self.random.randrange(2, 6))
        archived = self.make_folder("archived", 2)
        for root in self.roots:
            self.run_in(env, "index", root)
        put(second, "more.c", self.code(3))
        self.run_in(env, "index", second)
        put(first, "alpha/f0.c", self.code(4))  # contents that are gone leave their ids in segments
        self.run_in(env, "index", first)
        self.run_in(env, "index", "--force", self.roots[2])
        self.run_in(env, "search", "alpha", "--at", "HEAD", folder=first)
        for root in self.roots:
            for i in range(self.random.randrange(4)):
                self.run_in(env, "checkpoint", "save", f"point {i} {self.random.choice(WORDS)}", "-t", "wip", "-t",
                            f"t{i}", "--context", json.dumps({"n": i, "ü": [1]}), folder=root)
        self.run_in(env, "rules", "setup", folder=first)
        self.run_in(env, "rules", "index", folder=first)
        self.tasks = self.make_tasks(env, n_tasks)
        self.run_in(env, "task", "delete", self.tasks.pop())
        self.run_in(env, "token", "add", "ci", "--scope", "read,write", "--expires", "90d")
        self.run_in(env, "token", "add", "one", "--project", first)
        self.run_in(env, "projects", "archive", archived)
        bare = os.path.join(self.box.name, "bare.git")
        lab.git("clone", "-q", "--bare", first, bare, cwd=self.box.name)
        self.run_in(dict(env, KEN_SYNC_PROTOCOLS="file"), "repo", "add", f"file://{bare}", "--name", "clone",
                    "--interval", "0")
        for root in self.roots[:3]:
            self.run_in(env, "index", root)

    # ---- what it answers ----

    def answers(self, env):
        asked = [("projects", "--json"), ("task", "list", "--json", "--limit", "100"), ("token", "list", "--json"),
                 ("model", "list", "--json"), ("jobs", "list", "--json"), ("repo", "list", "--json")]
        asked += [("task", "show", task, "--json") for task in self.tasks]
        asked += [("task", "list", "--status", s, "--json") for s in STATUSES]
        for root in self.roots[:3]:
            asked += [(*words, "-p", root, "--json") for words in (
                ("search", self.random_word), ("search", "café upload", "--mode", "text"), ("status",), ("arch",),
                ("search", "retries of an upload", "--mode", "semantic"), ("status", "--skipped"),
                ("checkpoint", "list"), ("rules", "health"), ("impact", "docs/ARCHITECTURE.md"))]
        given = {}
        for words in asked:
            code, out, err = pg_lab.ken(words, self.folder, env)
            self.assertIn(code, (0, 1), (words, out, err))
            for place in (env, self.files):  # clones lie where the first one's data are
                out = out.replace(place["KEN_DATA_DIR"], "DATA")
            try:
                given[words] = (code, plain(json.loads(out)), err if code else "")
            except ValueError:
                given[words] = (code, out, err)
        return given

    def assert_same(self, a, b):
        for words, answer in a.items():
            self.assertEqual(answer, b[words], (self.seed, words))

    # ---- moving ----

    def migrate(self, env, *words):
        return json.loads(self.run_in(env, "migrate", *words, "--json"))

    def assert_whole(self, report):
        for name, part in report["parts"].items():
            self.assertEqual(part["source"], part["target"], name)
        self.assertGreater(report["parts"]["contents"]["source"]["count"], 0)

    def test_there_and_back_every_answer_is_the_same(self):
        self.make_installation(self.files)
        self.random_word = self.random.choice(WORDS)
        before = self.answers(self.files)
        dry = self.migrate(self.files, "--to", self.url, "--dry-run")
        self.assertGreater(sum(i["bytes"] for i in dry["indexes"]), 0)
        self.assertEqual(sql(self.url, "SELECT to_regclass('ken.repositories') IS NULL").strip(), "t")
        report = self.migrate(self.files, "--to", self.url)
        self.assert_whole(report)
        for name, part in report["parts"].items():
            self.assertEqual(part["source"]["sha256"], dry["parts"][name]["source"]["sha256"], name)
        self.assert_same(before, self.answers(self.env))
        self.assert_whole(self.migrate(self.back, "--from", self.url))
        self.assert_same(before, self.answers(self.back))
        self.assert_same(before, self.answers(self.files))  # the source stays as it was
        # What follows is the same, too: each place goes on by itself.
        put(self.roots[0], "new.c", "int entirely_new(void)\n{\n    return alpha_1(2);\n}\n")
        found = [plain(json.loads(self.run_in(env, "def", "entirely_new", "-p", self.roots[0], "--json")))
                 for env in (self.files, self.env, self.back)]
        for answer in found:
            answer["index"].pop("indexed_at")  # each reads the file in a second of its own
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertEqual(self.ken("doctor")[0], 0)

    def test_killed_at_any_instant_it_goes_on_and_nothing_half_is_shown(self):
        self.make_installation(self.files, n_tasks=30)
        self.random_word = self.random.choice(WORDS)
        before = self.answers(self.files)
        began = time.monotonic()
        self.assert_whole(self.migrate(self.files, "--to", self.url))
        took = time.monotonic() - began
        n_killed = n_half = n = 0
        while (n_killed < 9 or n_half < 4) and n < MOST_COPIES:
            name = f"{self.name}_{n}"
            sql(pg_lab.URL, f"CREATE DATABASE {name}")
            url = pg_lab.URL.rsplit("/", 1)[0] + "/" + name
            env = dict(self.files, DATABASE_URL=url)
            is_killed = True
            for _ in range(3):
                if not is_killed:
                    break  # it was faster, and would have nothing left to do
                p = subprocess.Popen([options.ken, "migrate", "--to", url], env=self.files, cwd=self.folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(self.random.random() * took)
                p.send_signal(signal.SIGKILL)
                is_killed = p.wait() == -signal.SIGKILL
                n_killed += is_killed
                code, out, err = pg_lab.ken(["task", "list", "--limit", "100", "--json"], self.folder, env)
                if code:
                    n_half += "not whole yet" in out
                    self.assertIn("not whole yet", out, err)
                else:  # nothing, or everything
                    self.assertIn(json.loads(out)["total"], (0, len(self.tasks)), out)
            report = self.migrate(self.files, "--to", url)
            self.assert_whole(report)
            if n < 2:
                self.assert_same(before, self.answers(env))
            sql(pg_lab.URL, f"DROP DATABASE {name} WITH (FORCE)")
            n += 1
        self.assertGreaterEqual(n_killed, 9)
        self.assertGreaterEqual(n_half, 4)

    def test_a_copy_back_that_was_killed_goes_on(self):
        self.make_installation(self.files)
        self.assert_whole(self.migrate(self.files, "--to", self.url))
        for _ in range(6):
            p = subprocess.Popen([options.ken, "migrate", "--from", self.url], env=self.back, cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.random() * 0.3)
            p.kill()
            p.wait()
        self.assert_whole(self.migrate(self.back, "--from", self.url))
        self.assertEqual(pg_lab.ken(["doctor"], self.folder, self.back)[0], 0)
        self.run_in(self.back, "restore", "--dry-run")

    def test_a_source_that_changes_meanwhile_is_noticed(self):
        self.make_installation(self.files)
        n_noticed = 0
        for i in range(8):
            p = subprocess.Popen([options.ken, "migrate", "--to", self.url], env=self.files, cwd=self.folder, text=True,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(self.random.random() * 0.2)
            put(self.roots[2], f"meanwhile{i}.c", f"int meanwhile{i};\n")
            self.run_in(self.files, "index", self.roots[2])
            self.run_in(self.files, "task", "set", self.tasks[0], "--notes", f"note {i}")
            err = p.communicate(timeout=lab.PATIENCE)[1]
            if p.returncode:
                self.assertRegex(err, "differ|changed|again")
                n_noticed += 1
            else:
                break
        if p.returncode:
            self.assert_whole(self.migrate(self.files, "--to", self.url))  # and it goes on with what there is then
        else:  # a change of what is whole is noticed, too
            self.run_in(self.files, "task", "set", self.tasks[0], "--notes", "later")
            code, _, err = pg_lab.ken(["migrate", "--to", self.url], self.folder, self.files)
            self.assertNotEqual(code, 0)
            self.assertIn("changed since", err)

    def test_a_source_is_known_wherever_it_is_mounted(self):
        self.make_installation(self.files, n_tasks=2)
        self.assert_whole(self.migrate(self.files, "--to", self.url))
        moved = dict(self.files, KEN_DATA_DIR=os.path.join(self.box.name, "elsewhere"))
        os.rename(self.files["KEN_DATA_DIR"], moved["KEN_DATA_DIR"])
        self.run_in(moved, "migrate", "--to", self.url, "--dry-run")
        self.assert_whole(self.migrate(moved, "--to", self.url))
        # What is in the folder of before now is another one.
        self.roots.clear()
        self.make_folder("strange", 2)
        self.run_in(self.files, "index", self.roots[0])
        code, _, err = pg_lab.ken(["migrate", "--to", self.url], self.folder, self.files)
        self.assertNotEqual(code, 0)
        self.assertIn("another installation", err)

    def test_places_with_data_of_others_are_refused(self):
        self.make_installation(self.files, n_tasks=2)
        for place, words in ((self.url, ("task", "new", "mine")), (self.url, ("index",))):
            self.assertEqual(self.ken(*words)[0], 0)
            code, _, err = pg_lab.ken(["migrate", "--to", place], self.folder, self.files)
            self.assertNotEqual(code, 0)
            self.assertIn("something already", err)
        for words, said in ((["--to", "files"], "are the same"), ([], "--to PLACE"), (["--to", "http://u:hunter2@x"], "URL"),
                            (["--to", "nowhere"], "neither"), (["--to", self.url, "--from", self.url], "are the same")):
            code, out, err = pg_lab.ken(["migrate", *words], self.folder, self.files)
            self.assertNotEqual(code, 0, words)
            self.assertIn(said, err)
            self.assertNotIn("hunter2", out + err)
        shutil.rmtree(os.path.join(self.box.name, "none"), ignore_errors=True)
        nothing = dict(self.files, KEN_DATA_DIR=os.path.join(self.box.name, "none"))
        self.assertIn("nothing to move", pg_lab.ken(["migrate", "--to", self.url], self.folder, nothing)[2])
        # Another installation's unfinished copy is not this one's.
        sql(self.url, "TRUNCATE ken.projects, ken.tasks, ken.task_counts, ken.settings CASCADE")
        sql(self.url, "INSERT INTO ken.settings VALUES ('move.state', 'unfinished files of somebody')")
        self.assertIn("another installation", pg_lab.ken(["migrate", "--to", self.url], self.folder, self.files)[2])
        code, out, err = self.ken("projects")
        self.assertNotEqual(code, 0)
        self.assertIn("not whole yet", out + err)

    def test_a_dry_run_takes_no_other_schema_for_an_empty_place(self):
        self.make_folder("plain", 2)
        self.run_in(self.files, "index", self.roots[0])
        self.assertEqual(self.ken("projects")[0], 0)  # makes the tables
        sql(self.url, "INSERT INTO ken.schema_version VALUES (1000, '')")
        for words in (("--to", self.url), ("--from", self.url)):
            code, out, err = pg_lab.ken(["migrate", *words, "--dry-run"], self.folder, self.files)
            self.assertEqual(code, 1, (words, out, err))
            self.assertIn("1000", err)


if __name__ == "__main__":
    lab.main("migrate", "--seed")
