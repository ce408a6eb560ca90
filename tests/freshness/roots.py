#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A project of several roots answers as a fresh index of the same roots would.

Two git repositories and one plain folder, all copies of a tree, are one project. They are changed at random; further
roots vanish and come back. After each change the same questions go to a server that has run all along and to a new
index. All answers must agree, generation numbers and times aside. At the end a root is taken out: no answer names it.

    roots.py --ken build/release/ken [--tree DIR] [--changes N] [--seed N] [--seconds S]
"""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from changes import Server, Tree, begin, questions  # noqa: E402


def index(ken, root, data, *options):
    p = subprocess.run([ken, "index", root, *options], env=dict(os.environ, KEN_DATA_DIR=data), cwd="/",
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if p.returncode:
        sys.exit(p.stdout.decode())


def asked(trees, at, rng):
    """Questions about one root, with its files as the project names them."""
    out = questions(trees[at], rng)
    mark = ["", "@lib/", "@plain/"][at]
    for tool, args in out:
        if "file_path" in args:
            args["file_path"] = mark + args["file_path"]
    return out


def main():
    a, top, rng = begin(__doc__, "roots", ("--changes", 20))
    ken, seed = a.ken, a.seed
    trees = [Tree(a.tree, os.path.join(top, name), rng) for name in ("app", "lib", "plain")]
    shutil.rmtree(trees[2].path(".git"))
    app, lib, plain = (t.root for t in trees)
    more = ["--add-root", lib, "--add-root", f"plain={plain}"]
    data, new = os.path.join(top, "data"), os.path.join(top, "new")
    index(ken, app, data, *more)
    server = Server(ken, app, data)
    began, n_answers, trail = time.time(), 0, []
    for n in range(a.changes):
        if a.seconds and time.time() - began > a.seconds:
            break
        at = rng.randrange(3)
        if at and rng.random() < 0.15:  # what is said while a root is gone, and that nothing is lost
            root = trees[at].root
            os.rename(root, root + ".away")
            gone = server.ask("search_code", {"query": "basket", "limit": 8})
            name = os.path.basename(root)
            if f"@{name}" not in gone.get("incomplete", ""):
                sys.exit(f"seed {seed}: a root is gone, and the answer does not say so: {gone}")
            os.rename(root + ".away", root)
            trail.append(f"{name} away and back")
        else:
            trail.append(f"{os.path.basename(trees[at].root)}: {trees[at].one()}")
        ask = [q for i in (at, rng.randrange(3)) for q in asked(trees, i, rng)]
        got = [server.ask(*q) for q in ask]
        shutil.rmtree(new, ignore_errors=True)
        index(ken, app, new, *more)
        other = Server(ken, app, new)
        want = [other.ask(*q) for q in ask]
        other.close()
        n_answers += len(ask)
        for q, g, w in zip(ask, got, want):
            if g != w:
                print(f"after {n + 1} changes ({', '.join(trail[-6:])}):\n  {q}\n  server: "
                      f"{json.dumps(g)[:1500]}\n  fresh:  {json.dumps(w)[:1500]}")
                sys.exit(1)
    index(ken, app, data, "--remove-root", "lib")
    for q in asked(trees, 1, rng):
        if "@lib/" in json.dumps(server.ask(*q)).replace(q[1].get("file_path", "-"), ""):
            sys.exit(f"seed {seed}: a root that was taken out is in the answer to {q}")
    server.close()
    shutil.rmtree(top)
    print(f"{len(trail)} changes, {n_answers} answers agree, {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
