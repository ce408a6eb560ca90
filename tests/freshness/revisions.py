#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is answered about a commit that is not checked out (--at REV) is what a fresh index of a checkout of it answers.

A repository gets random commits on several branches (changes.py). Then every kind of question is asked about random
ones of them by each way to name a commit, while the folder holds something else, and of a checkout of that commit in
another folder with an index of its own. All answers must agree but for the folder's name, and neither the folder nor
.git may have changed.

    revisions.py --ken build/release/ken [--tree DIR] [--commits N] [--asked N] [--seed N] [--seconds S]
"""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from changes import Tree, begin, clean, definitions  # noqa: E402

KEPT = 3 # commits that the index keeps here, so that some are made again


class Repository(Tree):
    # The settings that count are those of today: with some, a commit is asked otherwise than its checkout.
    def forget_settings(self):
        for folder in self.folders():
            path = self.path(os.path.join(folder, ".ken.yaml"))
            if os.path.lexists(path):
                os.unlink(path)

    def grow(self, n):
        """Commits, some on branches of their own; each with a tag."""
        made = []
        for i in range(n):
            for _ in range(self.rng.randrange(1, 6)):
                self.one()
            self.forget_settings()
            if self.rng.random() < 0.5:
                os.symlink(self.rng.choice(["/etc/passwd", "..", "web"]), self.path(self.fresh("link")))
            self.git("add", "-A")
            self.git("commit", "-q", "--allow-empty", "-m", self.fresh("c"))
            self.git("tag", f"at{i}")
            made.append(f"at{i}")
            if self.rng.random() < 0.4:
                self.git("checkout", "-q", "-b", self.fresh("b"), self.rng.choice(made))
        return made

    def id_of(self, name):
        return self.git("rev-parse", f"{name}^{{commit}}").stdout.decode().strip()


def state_of(root):
    """Every file with its times, but for those that git itself writes when it is asked."""
    out = {}
    for folder, names, files in os.walk(root):
        for f in files + names:
            full = os.path.join(folder, f)
            st = os.lstat(full)
            out[os.path.relpath(full, root)] = (st.st_mode, st.st_size, st.st_mtime_ns, st.st_ino)
    return out


def questions(tree, rng):
    names = definitions(tree, rng)
    name = rng.choice(names or ["main"])
    files = [f for f in tree.files() if not f.endswith((".gitignore", ".cfg"))] or ["x"]
    file = rng.choice(files)
    word = rng.choice(["basket", "retry policy", "rate limit", "session", "parse date", "return"])
    return [
        ["search", f"counts {word}", "-k", "8"],
        ["search", "--mode", "text", rng.choice(["basket", name]), "-k", "20"],
        ["search", "--mode", "regex", "fig[0-9]+", "-k", "20"],
        ["search", "--mode", "symbol", name],
        ["search", "--mode", "semantic", word],
        ["def", name],
        ["refs", name],
        ["impact", name],
        ["impact", file],
        ["trace", name],
        ["context", word],
        ["arch"],
        ["dead"],
        ["routes"],
        ["hotspots"],
        ["secrets"],
        ["tests-for", name],
        ["outline", file],
        ["chunks", file],
        ["explain", f"{file}:1-3"],
        ["stats"],
    ]


# The size and age of an index, and who it is of.
VOLATILE = {"root", "name", "at", "store_bytes", "segment_bytes", "segments", "n_segments", "bytes", "index_bytes",
            "opening_ms", "seen", "changed_at"}


def strip(value, top):
    if isinstance(value, dict):
        if "root" in value and "id" not in value and "name" in value and len(value) <= 3:
            return "project"
        return {k: strip(v, top) for k, v in value.items() if not (k in VOLATILE and (k != "name" or "root" in value))}
    if isinstance(value, list):
        return [strip(v, top) for v in value]
    return value.replace(top, "<root>") if isinstance(value, str) else value


class Asker:
    def __init__(self, ken, root, data):
        self.ken, self.root = ken, root
        self.env = dict(os.environ, KEN_DATA_DIR=data, KEN_REVISIONS=str(KEPT), NO_COLOR="1")

    def ask(self, words):
        p = subprocess.run([self.ken, words[0], "--json", *words[1:]], cwd=self.root, env=self.env,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            answer = strip(clean(json.loads(p.stdout)), self.root)
        except ValueError:
            answer = p.stdout.decode() + p.stderr.decode().replace(self.root, "<root>")
        return [p.returncode, answer]


def main():
    a, top, rng = begin(__doc__, "revisions", ("--commits", 20), ("--asked", 10))
    ken, seed = a.ken, a.seed
    tree = Repository(a.tree, os.path.join(top, "tree"), rng)
    tags = tree.grow(a.commits)
    tree.one()  # what is not committed
    tree.forget_settings()
    asker = Asker(ken, tree.root, os.path.join(top, "data"))
    asker.ask(["search", "basket"])
    began, n_answers, n_asked = time.time(), 0, 0
    for _ in range(a.asked):
        tag = rng.choice(tags)
        commit = tree.id_of(tag)
        name = rng.choice([tag, f"refs/tags/{tag}", commit, commit[:12], f"{tag}^0"])
        other = os.path.join(top, "other")
        shutil.rmtree(other, ignore_errors=True)
        shutil.rmtree(os.path.join(top, "new"), ignore_errors=True)
        shutil.copytree(os.path.join(tree.root, ".git"), os.path.join(other, ".git"), symlinks=True)
        checkout = Tree.__new__(Tree)
        checkout.root, checkout.rng, checkout.n = other, rng, 0
        checkout.git("checkout", "-q", "--detach", "-f", commit)
        checkout.git("clean", "-qffdx")
        fresh = Asker(ken, other, os.path.join(top, "new"))
        before = state_of(tree.root)
        n_asked += 1
        for q in questions(checkout, rng):
            got, want = asker.ask([q[0], "--at", name, *q[1:]]), fresh.ask(q)
            n_answers += 1
            if got != want:
                print(f"commit {tag} ({commit}) of seed {seed}\n  question {json.dumps(q)}\n"
                      f"  got  {json.dumps(got)[:3000]}\n  want {json.dumps(want)[:3000]}\n  kept: {top}")
                return 1
        after = state_of(tree.root)
        if before != after:
            changed = sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))
            print(f"commit {tag} of seed {seed}: these files are others now: {changed[:10]}; kept: {top}")
            return 1
        if a.seconds and time.time() - began > a.seconds:
            break
    shutil.rmtree(top)
    print(f"{n_asked} commits, {n_answers} answers, 0 differences, {time.time() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
