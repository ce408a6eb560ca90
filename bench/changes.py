#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a first run and changes of one line cost: time, bytes written, peak memory.

usage: bench/changes.py KEN [--files 100000] [--changes 20] [--limit 512MiB] [--tree FOLDER]

Makes a tree of so many small C files in a temporary folder (or takes a folder of yours, of which the first
.c file is changed and put back), indexes it, then changes one line again and again, each time with a run of its
own. Bytes are those handed to the kernel by write (wchar of /proc/PID/io); memory is the largest resident set,
with the pages of mapped files (peak), and the largest of what is the process's own (own), sampled.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time


def run(ken, args, env):
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execve(ken, [ken, *args], env)
    own = 0
    while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        try:
            with open(f"/proc/{pid}/status") as f:
                for line in f:
                    if line.startswith("RssAnon"):
                        own = max(own, int(line.split()[1]))
        except OSError:
            pass
        time.sleep(0.005)
    with open(f"/proc/{pid}/io") as f:
        io = dict(line.split(": ") for line in f.read().splitlines())
    _, status, use = os.wait4(pid, 0)
    if status:
        sys.exit(f"{ken} {' '.join(args)}: status {status}")
    return {
        "wall": time.monotonic() - begin,
        "cpu": use.ru_utime + use.ru_stime,
        "peak": use.ru_maxrss / 1024,
        "own": own / 1024,
        "written": int(io["wchar"]) / 1e6,
    }


def make_tree(root, n):
    for i in range(n):
        folder = os.path.join(root, f"d{i // 1000}", f"e{i // 50 % 20}")
        if i % 50 == 0:
            os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"f{i}.c"), "w") as f:
            f.write(f"// part {i} of the ledger\n#include \"f{i - 1 if i else 0}.h\"\n\n")
            for k in range(4):
                f.write(f"static int entry_{i}_{k}(int amount)\n{{\n    if (amount > {k})\n"
                        f"        return entry_{i}_{max(k - 1, 0)}(amount - {i % 97});\n"
                        f"    return post_{(i * 7 + k) % 5000}(amount);\n}}\n\n")


def first_c_file(root):
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".c"):
                return os.path.join(folder, name)
    sys.exit(f"no .c file below {root}")


def show(what, r):
    print(f"{what:<12} {r['wall']:8.2f} s  {r['cpu']:8.2f} s CPU  {r['peak']:7.0f} MiB peak  "
          f"{r['own']:7.0f} MiB own  {r['written']:9.2f} MB written")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("ken")
    p.add_argument("--files", type=int, default=100000)
    p.add_argument("--changes", type=int, default=20)
    p.add_argument("--limit", default="512MiB")
    p.add_argument("--tree")
    a = p.parse_args()
    work = tempfile.mkdtemp(prefix="ken-changes-")
    try:
        env = dict(os.environ, XDG_DATA_HOME=f"{work}/data", XDG_CONFIG_HOME=f"{work}/config")
        root = a.tree or f"{work}/tree"
        if not a.tree:
            make_tree(root, a.files)
        args = ["index", root, "--memory-limit", a.limit]
        show("first run", run(os.path.abspath(a.ken), args, env))
        path = first_c_file(root)
        with open(path, "rb") as f:
            before = f.read()
        try:
            all_runs = []
            for i in range(a.changes):
                with open(path, "wb") as f:
                    f.write(before + f"// change {i}\n".encode())
                all_runs.append(run(os.path.abspath(a.ken), args, env))
        finally:
            with open(path, "wb") as f:
                f.write(before)
        if all_runs:
            show("median", {k: sorted(r[k] for r in all_runs)[len(all_runs) // 2] for k in all_runs[0]})
            show("mean", {k: sum(r[k] for r in all_runs) / len(all_runs) for k in all_runs[0]})
            show("worst", {k: max(r[k] for r in all_runs) for k in all_runs[0]})
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
