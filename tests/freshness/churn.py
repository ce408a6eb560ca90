#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Answers while the tree changes under them.

git switches between two branches of some hundred files, a build makes and deletes as many, and a file
grows, while a server is asked. Each answer is one that the tree gave at some moment of the question: no error, no text that
was in neither branch. When the tree rests, every answer is that of a fresh index.

    churn.py --ken build/release/ken [--files N] [--seconds S]
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import changes


def body(i, branch):
    return f"int size_{i}(void)\n{{\n    return {i * 10 + (1 if branch == 'one' else 2)};\n}}\n"


def make(root, n):
    def git(*args):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c",
                        "commit.gpgsign=false", "-c", "gc.auto=0", *args], cwd=root, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    os.makedirs(root)
    git("init", "-q", "-b", "one")
    for branch in ("one", "two"):
        if branch == "two":
            git("switch", "-q", "-c", "two")
        for i in range(n):
            path = os.path.join(root, f"part{i % 20}", f"m{i}.c")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if branch == "two" and i % 3 == 0:
                os.unlink(path)
                continue
            with open(path, "w") as f:
                f.write(body(i, branch))
        git("add", "-A")
        git("commit", "-q", "-m", branch)
    return git


class Churn(threading.Thread):
    def __init__(self, root, git, n):
        super().__init__()
        self.root, self.git, self.n, self.ends, self.rounds = root, git, n, False, 0

    def run(self):
        out = os.path.join(self.root, "made")
        while not self.ends:
            self.git("switch", "-q", "-f", "one" if self.rounds % 2 else "two")
            os.makedirs(out, exist_ok=True)
            for i in range(self.n):
                with open(os.path.join(out, f"b{i}.c"), "w") as f:
                    f.write(f"int built_{i}(void)\n{{\n    return {self.rounds};\n}}\n")
            shutil.rmtree(out)
            self.grow()
            self.rounds += 1

    def grow(self):
        # In small writes, so that it is often read in the middle of one.
        with open(os.path.join(self.root, "grown.c"), "a", buffering=64) as f:
            for i in range(100):
                f.write(f"int grown_{self.rounds}_{i}(void)\n{{\n    return {i};\n}}\n")


def check_moving(answer, i):
    """What is quoted of size_i is its text in one of the branches."""
    if "no definition of" in answer.get("text", ""): # git takes a file away before it writes it
        return ""
    if "definitions" not in answer:
        return f"no list of definitions: {json.dumps(answer)[:600]}"
    for d in answer["definitions"]:
        if d.get("file_path") != f"part{i % 20}/m{i}.c":
            return f"another file: {json.dumps(d)[:600]}"
        code = d.get("code") or d.get("source") or ""
        if code and code.strip() not in (body(i, "one").strip(), body(i, "two").strip()):
            return f"a text of neither branch: {code!r}"
    return ""


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--ken", required=True)
    ap.add_argument("--files", type=int, default=400)
    ap.add_argument("--seconds", type=float, default=6)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    seed = a.seed or random.SystemRandom().randrange(1, 1 << 31)
    rng, ken = random.Random(seed), os.path.abspath(a.ken)
    print(f"seed {seed}", flush=True)
    top = tempfile.mkdtemp(prefix="ken-churn-")
    os.environ.update(HOME=top, XDG_CONFIG_HOME=os.path.join(top, "config"))
    os.environ.pop("KEN_DATA_DIR", None)
    root = os.path.join(top, "tree")
    churn = Churn(root, make(root, a.files), a.files)
    server = changes.Server(ken, root, os.path.join(top, "data"))
    server.ask("get_definition", {"symbol_name": "size_1"})
    churn.start()
    n, slowest, until, wrong = 0, 0, time.time() + a.seconds, ""
    while not wrong and (time.time() < until or churn.rounds < 4):
        i, began = rng.randrange(a.files), time.time()
        wrong = check_moving(server.ask("get_definition", {"symbol_name": f"size_{i}"}), i)
        n, slowest = n + 1, max(slowest, time.time() - began)
    churn.ends = True
    churn.join()
    reference = changes.Server(ken, root, os.path.join(top, "new"))
    names = [f"size_{i}" for i in rng.sample(range(a.files), min(40, a.files))]
    for name in names + [f"grown_{churn.rounds - 1}_99", "grown_0_50"]:
        asked = ("get_definition", {"symbol_name": name})
        got, want = server.ask(*asked), reference.ask(*asked)
        if not wrong and got != want:
            wrong = f"at rest, {asked}\n  got  {json.dumps(got)[:2000]}\n  want {json.dumps(want)[:2000]}"
    for s in (server, reference):
        s.close()
    if wrong:
        print(f"{wrong}\ntree kept: {top}")
        return 1
    shutil.rmtree(top)
    print(f"{n} answers while {churn.rounds} switches and builds went on, the slowest {slowest:.2f} s; "
          "at rest none differs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
