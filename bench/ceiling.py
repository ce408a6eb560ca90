#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each stage takes of memory of its own, against the limit that it has.

    bench/ceiling.py KEN [--tree FOLDER] [--files 100000] [--limits 64MiB,128MiB,512MiB]
                     [--name SYMBOL --file PATH] [--only WORD] [--json]

Makes a tree of so many small C files in a temporary folder, or takes a folder of yours, and indexes it under each limit
with a data folder of its own. Then come a run that finds nothing, one after a changed file, bundles, one-shot questions
about the name and the file, and a server that is asked while it makes a first index and again once that is done. Own memory is
`RssAnon` of /proc/PID/status, read every 10 ms; what the kernel may take back (pages of files) is not in it. Programs
that ken starts (git) are other processes. Exits with 1 when a stage is above the limit that it has: that of
runs is the one given; that of questions is `query.memory_limit` (128 MiB unless it is set) beside the open index, for which
there is no bar here. A server has both.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from changes import make_tree

MIB = 1 << 20


def own_of(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            return next((int(line.split()[1]) * 1024 for line in f if line.startswith("RssAnon")), 0)
    except (OSError, IndexError):
        return 0


class Watch(threading.Thread):
    """The most that a process has had, until it ends or nobody asks any more."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.most, self.is_over = pid, 0, False
        self.start()

    def run(self):
        while not self.is_over:
            self.most = max(self.most, own_of(self.pid))
            time.sleep(0.01)


class Stages:
    def __init__(self, ken, root, work, limit):
        self.ken, self.root, self.limit = ken, root, limit
        self.rows = []
        self.env = dict(os.environ, XDG_DATA_HOME=f"{work}/data", XDG_CONFIG_HOME=f"{work}/config",
                        KEN_MEMORY_LIMIT=limit, KEN_QUERY_TIMEOUT="600", KEN_CATCH_UP="3600")

    def add(self, what, most, seconds, note=""):
        self.rows.append((what, most, seconds, note))
        print(f"{self.limit:>8}  {what:<22} {most / MIB:7.1f} MiB  {seconds:7.1f} s  {note}", flush=True)

    def run(self, what, *args):
        began = time.monotonic()
        with tempfile.TemporaryFile() as err:
            p = subprocess.Popen([self.ken, *args], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=err)
            watch = Watch(p.pid)
            status = p.wait()
            watch.is_over = True
            err.seek(0)
            said = err.read().decode(errors="replace").strip().splitlines()
        self.add(what, watch.most, time.monotonic() - began, said[-1][:160] if status and said else "")

    def server(self, what, name, wants_new):
        """`ken mcp`: with wants_new it has no index, and is asked every second until it has."""
        env = dict(self.env)
        if wants_new:
            env["XDG_DATA_HOME"] += "-new"
        began = time.monotonic()
        p = subprocess.Popen([self.ken, "mcp", self.root], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
        watch = Watch(p.pid)
        number = 0

        def ask(method, params):
            nonlocal number
            number += 1
            p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
            p.stdin.flush()
            while True:
                answer = json.loads(p.stdout.readline())
                if answer.get("id") == number:
                    return answer

        ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}})
        p.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        rounds = 0
        while True:
            texts = [json.dumps(ask("tools/call", {"name": tool, "arguments": args})) for tool, args in (
                ("search_code", {"query": "where is the amount posted"}), ("find_usages", {"symbol": name}),
                ("get_architecture", {}))]
            rounds += 1
            if not wants_new and rounds == 3 or wants_new and not any("partial index" in t for t in texts):
                break
            time.sleep(1)
        watch.is_over = True
        p.stdin.close()
        p.wait()
        self.add(what, watch.most, time.monotonic() - began, f"{rounds} rounds of 3 questions")


def all_stages(s, args, changed):
    tree, bundle = s.root, f"{s.env['XDG_DATA_HOME']}.kenindex"
    steps = [
        ("index", lambda w: s.run(w, "index", tree)),
        ("index, no change", lambda w: s.run(w, "index", tree)),
        ("index, one change", lambda w: (changed(), s.run(w, "index", tree))),
        ("export", lambda w: s.run(w, "export", bundle, "-p", tree)),
        ("search", lambda w: s.run(w, "search", "where is the amount posted", tree)),
        ("def", lambda w: s.run(w, "def", args.name, "-p", tree)),
        ("refs", lambda w: s.run(w, "refs", args.name, "-p", tree)),
        ("trace", lambda w: s.run(w, "trace", args.name, "-p", tree)),
        ("impact", lambda w: s.run(w, "impact", args.file, "-p", tree)),
        ("arch", lambda w: s.run(w, "arch", "-p", tree)),
        ("arch, again", lambda w: s.run(w, "arch", "-p", tree)),
        ("dead", lambda w: s.run(w, "dead", "-p", tree)),
        ("server, answering", lambda w: s.server(w, args.name, False)),
        ("server, indexing", lambda w: s.server(w, args.name, True)),
    ]
    for what, step in steps:
        if not args.only or args.only in what or what == "index":
            step(what)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("ken")
    p.add_argument("--tree")
    p.add_argument("--files", type=int, default=100000)
    p.add_argument("--limits", default="64MiB,128MiB,512MiB")
    p.add_argument("--name", default="entry_1_0")
    p.add_argument("--file", default="d0/e0/f1.c")
    p.add_argument("--only")
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    work = tempfile.mkdtemp(prefix="ken-ceiling-")
    runs = {}
    try:
        root = a.tree or f"{work}/tree"
        if not a.tree:
            make_tree(root, a.files)
            for command in (["init"], ["add", "-A"], ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-m", "b"]):
                subprocess.run(["git", "-C", root, *command], check=True, stdout=subprocess.DEVNULL)
        path = os.path.join(root, a.file)
        for limit in a.limits.split(","):
            with open(path, "rb") as f:
                before = f.read()

            def changed():
                with open(path, "ab") as f:
                    f.write(f"\n// under {limit}\n".encode())

            s = Stages(os.path.abspath(a.ken), os.path.abspath(root), f"{work}/{limit}", limit)
            try:
                all_stages(s, a, changed)
            finally:
                with open(path, "wb") as f:
                    f.write(before)
            runs[limit] = s.rows
            shutil.rmtree(f"{work}/{limit}", ignore_errors=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if a.json:
        json.dump(runs, sys.stdout, indent=1)
    over = [f"{what} under {limit}" for limit, rows in runs.items() for what, most, _, _ in rows
            if what.startswith(("index", "export")) and most > int(limit.removesuffix("MiB")) * MIB]
    if over:
        sys.exit("above the limit: " + ", ".join(over))


if __name__ == "__main__":
    main()
