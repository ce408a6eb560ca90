#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What following a folder costs: with questions of `ken mcp` alone, and with `ken watch` running.

usage: bench/watch.py KEN [--files 20000] [--rounds 20] [--switch 500] [--idle SECONDS]

Makes a git work tree of so many small C files in a temporary folder and indexes it. Times are from the end of the
last write: to the answer of `ken mcp` that names what was saved (get_definition; find_usages for the call of it),
and to the line of `ken watch`, its quiet time (watch.quiet_ms) included and taken off.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import changes


class Mcp:
    def __init__(self, ken, root, env):
        self.process = subprocess.Popen([ken, "mcp"], cwd=root, env=env, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.n = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                 clientInfo={"name": "bench", "version": "1"})

    def ask(self, method, **params):
        self.n += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.n:
                return answer

    def call(self, tool, **arguments):
        return json.dumps(self.ask("tools/call", name=tool, arguments=arguments))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def git(root, *words):
    subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", *words], cwd=root,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def path_of(root, i):
    return os.path.join(root, f"d{i // 1000}", f"e{i // 50 % 20}", f"f{i}.c")


def save(root, i, name):
    with open(path_of(root, i), "a") as f:
        f.write(f"int {name}(void)\n{{\n    return 1;\n}}\n\nint of_{name}(void)\n{{\n    return {name}();\n}}\n")


def show(what, ms):
    ms = sorted(ms)
    print(f"{what:<52} p50 {statistics.median(ms):7.1f} ms  p90 {ms[len(ms) * 9 // 10]:7.1f}  worst {ms[-1]:7.1f}  "
          f"({len(ms)} times)", flush=True)


def questions(a, root, env, switches):
    """Saved, asked, answered, with the edge to what was saved."""
    m = Mcp(a.ken, root, env)
    m.call("get_definition", symbol_name="entry_0_0")
    m.call("find_usages", symbol_name="entry_0_0")
    one, hundred, unchanged, switched = [], [], [], []
    for r in range(a.rounds):
        save(root, r * 37 % a.files, f"saved_{r}")
        began = time.monotonic()
        if f"of_saved_{r}" not in m.call("find_usages", symbol_name=f"saved_{r}"):
            sys.exit(f"saved_{r} was not found")
        one.append((time.monotonic() - began) * 1000)
        began = time.monotonic()
        m.call("get_definition", symbol_name=f"saved_{r}")
        unchanged.append((time.monotonic() - began) * 1000)
    show("ken mcp: one file saved, its edge answered", one)
    show("ken mcp: nothing changed", unchanged)
    for r in range(max(3, a.rounds // 4)):
        for k in range(100):
            save(root, (r * 100 + k) * 3 % a.files, f"many_{r}_{k}")
        began = time.monotonic()
        if f"of_many_{r}_99" not in m.call("find_usages", symbol_name=f"many_{r}_99"):
            sys.exit("not found")
        hundred.append((time.monotonic() - began) * 1000)
    show("ken mcp: 100 files saved, an edge answered", hundred)
    git(root, "checkout", "-q", "-f", ".")
    for r in range(switches):
        branch = "two" if r % 2 == 0 else "one"
        git(root, "switch", "-q", branch)
        began = time.monotonic()
        if f"of_on_{branch}_0" not in m.call("find_usages", symbol_name=f"on_{branch}_0"):
            sys.exit(f"{branch} was not found")
        switched.append((time.monotonic() - began) * 1000)
    if switched:
        show(f"ken mcp: a switch of {a.switch} files, an edge answered", switched)
    m.close()


def status(pid):
    out = {}
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            key, value = line.split(":", 1)
            out[key] = value.split()[0] if value.split() else ""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    out["cpu"] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return out


def watching(a, root, env, switches):
    quiet = 300
    began = time.monotonic()
    w = subprocess.Popen([a.ken, "watch", "--json"], cwd=root, env=env, text=True, stdout=subprocess.PIPE)
    first = json.loads(w.stdout.readline())
    print(f"ken watch: begins with {first['files']} files in {(time.monotonic() - began) * 1000:.0f} ms", flush=True)
    one, switched, waits = [], [], []
    for r in range(a.rounds):
        save(root, r * 41 % a.files, f"told_{r}")
        began = time.monotonic()
        json.loads(w.stdout.readline())
        one.append((time.monotonic() - began) * 1000 - quiet)
    show("ken watch: one file saved, in the index, after 300 ms", one)
    git(root, "checkout", "-q", "-f", ".")
    w.stdout.readline()
    m = Mcp(a.ken, root, env)
    ends = threading.Event()

    def ask():
        while not ends.is_set():
            began = time.monotonic()
            answer = m.call("get_definition", symbol_name="entry_1_1")
            waits.append((time.monotonic() - began) * 1000)
            if "entry_1_1" not in answer:
                sys.exit("no answer")
            time.sleep(0.02)

    asker = threading.Thread(target=ask)
    if not a.alone:
        asker.start()
    for r in range(switches):
        git(root, "switch", "-q", "two" if r % 2 == switches % 2 else "one")
        began = time.monotonic()
        if a.alone:
            json.loads(w.stdout.readline())
            switched.append((time.monotonic() - began) * 1000 - quiet)
        else:
            time.sleep(2)
    ends.set()
    if not a.alone:
        asker.join()
        show("questions while branches are switched beside ken watch", waits)
    if switched:
        show(f"ken watch: a switch of {a.switch} files, after 300 ms", switched)
    m.close()
    if a.idle:
        time.sleep(2)
        before = status(w.pid)
        time.sleep(a.idle)
        now = status(w.pid)
        print(f"ken watch idle for {a.idle} s: {now['cpu'] - before['cpu']:.2f} s CPU, "
              f"{int(now['voluntary_ctxt_switches']) - int(before['voluntary_ctxt_switches'])} wake-ups, "
              f"{int(now['VmRSS']) / 1024:.1f} MiB resident, of it {int(now['RssAnon']) / 1024:.1f} MiB its own", flush=True)
    w.terminate()
    if w.wait() != 0:
        sys.exit("ken watch did not end well")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("ken", type=os.path.abspath)
    p.add_argument("--files", type=int, default=20000)
    p.add_argument("--rounds", type=int, default=20)
    p.add_argument("--switch", type=int, default=500)
    p.add_argument("--idle", type=float, default=0)
    p.add_argument("--alone", action="store_true", help="no questions while branches are switched")
    a = p.parse_args()
    work = tempfile.mkdtemp(prefix="ken-watch-bench-")
    try:
        env = dict(os.environ, HOME=work, XDG_DATA_HOME=f"{work}/data", XDG_CONFIG_HOME=f"{work}/config")
        env.pop("KEN_DATA_DIR", None)
        root = f"{work}/tree"
        changes.make_tree(root, a.files)
        git(root, "init", "-q", "-b", "one")
        for branch in ("one", "two") if a.switch else ("one",):
            if branch == "two":
                git(root, "switch", "-q", "-c", "two")
            for k in range(a.switch):
                save(root, k * (a.files // a.switch), f"on_{branch}_{k}")
            git(root, "add", "-A")
            git(root, "commit", "-q", "-m", branch)
        if a.switch:
            git(root, "switch", "-q", "one")
        subprocess.run([a.ken, "index", root], env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(3):
            began = time.monotonic()
            subprocess.run([a.ken, "index", root], env=env, check=True, stdout=subprocess.DEVNULL)
        print(f"{a.files} files; ken index with nothing changed {(time.monotonic() - began) * 1000:.0f} ms; "
              f"load {os.getloadavg()[0]:.1f}", flush=True)
        switches = 6 if a.switch else 0
        questions(a, root, env, switches)
        watching(a, root, env, switches)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
