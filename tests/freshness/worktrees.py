#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Worktrees and clones of one repository share an index, and every answer is what a fresh index of the one tree would give.

Several worktrees and clones of a copy of a tree are changed at random (files, branches, merges), added and removed. After each
change the same questions go to a server that has run all along, for that worktree and for another one, and to a new
index of each folder alone. All answers must agree, generation numbers and times aside. At the end the index is checked
whole, and what the removed worktrees had is gone from it.

    worktrees.py --ken build/release/ken [--tree DIR] [--changes N] [--seed N] [--seconds S]
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from changes import Server, Tree, begin, questions  # noqa: E402


class Worktree(Tree):
    """One more working tree of the repository of `main`, on a branch of its own."""

    def __init__(self, main, root, rng):
        self.rng, self.n, self.names, self.root = rng, 0, [], root
        self.__dict__.update({k: v for k, v in main.__dict__.items() if k not in self.__dict__})
        self.branch_name = os.path.basename(root)
        self.take(main)

    def take(self, main):
        main.git("worktree", "add", "-f", "-B", self.branch_name, self.root)

    def drop(self, main):
        main.git("worktree", "remove", "--force", self.root)
        shutil.rmtree(self.root, ignore_errors=True)

    def merge(self):
        self.git("merge", "--no-edit", "-X", "theirs", self.rng.choice(["main", "master", "HEAD~1"]))

    def one(self, allow_several=True):
        if self.rng.random() < 0.1:  # what others of the repository committed
            self.merge()
            return "merge"
        return super().one(allow_several)


class Clone(Worktree):
    """The same as a clone, whose commits the others do not have."""

    def take(self, main):
        main.git("clone", "-q", main.root, self.root)
        self.git("checkout", "-q", "-B", self.branch_name)

    def drop(self, main):
        shutil.rmtree(self.root, ignore_errors=True)

    def merge(self):
        self.git("fetch", "-q")
        self.git("merge", "--no-edit", "-X", "theirs", "origin/HEAD")


def check_index(path):
    """Nothing is kept for nobody: each tree, list, hidden row and content has a user."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    ask = lambda q: db.execute(q).fetchone()[0]
    wrong = {
        "lists without a tree": ask("select count(*) from tree where id<>1 and project is null and id not in "
                                    "(select base_id from tree where base_id is not null)"),
        "hidden files of no list": ask("select count(*) from file_hidden h join tree t on t.id=h.tree_id left join "
                                       "file f on f.id=h.file_id and f.tree_id=t.base_id where f.id is null"),
        "values of no tree": ask("select count(*) from meta where key glob '*#[0-9]*' and "
                                 "cast(substr(key, instr(key,'#')+1) as integer) not in (select id from tree)"),
        "damage": 0 if ask("pragma integrity_check") == "ok" else 1,
    }
    n_trees = ask("select count(*) from tree where project is not null")
    db.close()
    return {k: v for k, v in wrong.items() if v}, n_trees


def main():
    a, top, rng = begin(__doc__, "worktrees", ("--changes", 40), ("--worktrees", 3))
    ken, seed = a.ken, a.seed
    data, new = os.path.join(top, "data"), os.path.join(top, "new")
    first = Tree(a.tree, os.path.join(top, "first"), rng)
    servers = {first: Server(ken, first.root, data)}
    servers[first].ask("search_code", {"query": "basket"})
    trees, n_added, n_answers, trail = [first], 0, 0, []
    began = time.time()

    def add():
        nonlocal n_added
        n_added += 1
        made = Clone if rng.random() < 0.4 else Worktree
        t = made(first, os.path.join(top, f"tree{n_added}"), rng)
        trees.append(t)
        servers[t] = Server(ken, t.root, data)
        return t

    def drop():
        t = trees.pop(rng.randrange(1, len(trees)))
        servers.pop(t).close()
        t.drop(first)

    def compare(t, asked):
        nonlocal n_answers
        got = [servers[t].ask(*q) for q in asked]
        shutil.rmtree(new, ignore_errors=True)
        alone = Server(ken, t.root, new)
        want = [alone.ask(*q) for q in asked]
        alone.close()
        n_answers += len(asked)
        for q, g, w in zip(asked, got, want):
            if g != w:
                print(f"after {trail[-4:]} of seed {seed}: {t.root}\n  question {json.dumps(q)}\n"
                      f"  got  {json.dumps(g)[:3000]}\n  want {json.dumps(w)[:3000]}\n  kept: {top}")
                return False
        return True

    try:
        for t in range(a.worktrees):
            add()
        for i in range(a.changes):
            if rng.random() < 0.06:
                add()
            if len(trees) > a.worktrees + 1 and rng.random() < 0.3:
                drop()
            t = rng.choice(trees)
            t.between = lambda t=t: servers[t].ask("search_code", {"query": "basket", "search_type": "text"})
            trail.append(f"{os.path.basename(t.root)}: {t.one()}")
            if not compare(t, questions(t, rng)):
                return 1
            other = rng.choice(trees)
            if other is not t and not compare(other, questions(other, rng)[:5]):
                return 1
            if a.seconds and time.time() - began > a.seconds:
                break
        while len(trees) > 1:
            drop()
        servers[first].ask("search_code", {"query": "basket"})
        with open(os.path.join(first.root, "last.c"), "w") as f:
            f.write("int last_of_all(void) { return 1; }\n")
        servers[first].ask("get_definition", {"symbol_name": "last_of_all"})
        servers[first].close()
    except BaseException:
        print(f"change {len(trail)} of seed {seed}: {trail[-4:]}; kept: {top}", file=sys.stderr)
        raise
    files = [f for f in os.listdir(os.path.join(data, "indexes")) if f.endswith(".db")]
    sizes = {f: os.path.getsize(os.path.join(data, "indexes", f)) for f in files}
    shared = max(files, key=lambda f: sizes[f])
    wrong, n_trees = check_index(os.path.join(data, "indexes", shared))
    if wrong or n_trees or len(files) != 1:
        print(f"seed {seed}: {wrong}, {n_trees} trees of removed worktrees, indexes {sizes}; kept: {top}")
        return 1
    doctor = subprocess.run([ken, "doctor", "--deep"], cwd=first.root, env=dict(os.environ, KEN_DATA_DIR=data),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    shutil.rmtree(top)
    print(f"{len(trail)} changes, {n_added} worktrees, {n_answers} answers, 0 differences, {time.time() - began:.0f} s")
    return 0 if "fail " not in doctor.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
