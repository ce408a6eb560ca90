#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What following a remote repository costs: a clone of 10,000 small files, then syncs of 50 changed files each, from
a bare repository on the same disk. Prints one line for each; git's own time and the index's stand apart.

    sync.py --ken build/release/ken [--files 10000] [--changed 50] [--syncs 5]
"""
import argparse
import json
import os
import subprocess
import tempfile
import time


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--ken", required=True)
    p.add_argument("--files", type=int, default=10000)
    p.add_argument("--changed", type=int, default=50)
    p.add_argument("--syncs", type=int, default=5)
    args = p.parse_args()
    ken = os.path.realpath(args.ken)
    with tempfile.TemporaryDirectory() as box:
        work, bare = os.path.join(box, "work"), os.path.join(box, "remote.git")
        env = dict(os.environ, KEN_DATA_DIR=os.path.join(box, "data"), KEN_SYNC_PROTOCOLS="file")

        def git(*words, cwd=work):
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=cwd, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def put(i, text):
            path = os.path.join(work, f"m{i % 97}", f"f{i}.py")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "a") as f:
                f.write(text)

        def push(message):
            git("add", "-A")
            git("commit", "-qm", message)
            git("push", "-q", bare, "HEAD:main")

        def timed(*words):
            began = time.monotonic()
            out = subprocess.run([ken, "repo", *words, "--json"], env=env, check=True, stdout=subprocess.PIPE).stdout
            return time.monotonic() - began, json.loads(out)

        os.makedirs(work)
        for i in range(args.files):
            put(i, f"def f{i}(x):\n    return f{(i * 7) % args.files}(x)\n\n" * 4)
        git("init", "-q", "-b", "main")
        git("init", "-q", "--bare", "-b", "main", bare)
        git("config", "uploadpack.allowFilter", "true", cwd=bare)
        push("all")
        took, r = timed("add", f"file://{bare}")
        print(f"clone and index {args.files} files: {took:.2f} s, git {r['fetch_seconds']:.2f}, index {r['index_seconds']:.2f}")
        for k in range(args.syncs):
            for i in range(args.changed):
                put((i * 197 + k) % args.files, f"def more_{k}_{i}(x):\n    return x\n")
            push(str(k))
            took, r = timed("sync", "remote")
            print(f"sync of {r['total']} files: {took:.2f} s, git {r['fetch_seconds']:.2f}, index {r['index_seconds']:.2f}")
        print(f"nothing new: {timed('sync', 'remote')[0]:.2f} s")


if __name__ == "__main__":
    main()
