#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What further worktrees of an indexed repository cost, and commits that questions name: time, and bytes of the index.

Makes a repository of N files (about 4 KB each, words of their own), indexes it, and adds worktrees in which a few files
are changed; these changes are then committed, and asked about from the base, whose files stay as they are (`--at`). The
times are those of whole processes; git's own is shown beside them.

    worktrees.py KEN [--files 10000] [--changed 50] [--worktrees 1]
"""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time

SYLLABLES = "ba ke ri to lu mo sen dar vi pol qua rex tin gor hal nim ost fer wyn zed".split()


def word(rng):
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randrange(2, 5)))


def source(rng, i, of):
    lines = [f"// {' '.join(word(rng) for _ in range(12))}", f"extern int f{(i * 7 + 1) % of}(int);", ""]
    for k in range(rng.randrange(6, 14)):
        name = f"f{i}" if not k else f"{word(rng)}_{i}_{k}"
        a, b = word(rng), word(rng)
        lines += [f"// {' '.join(word(rng) for _ in range(8))}", f"int {name}(int {a})", "{",
                  f"    int {b} = {a} * {rng.randrange(99)} + {rng.randrange(99)};",
                  f"    while ({b} > {rng.randrange(99)})", f"        {b} -= f{(i * 7 + 1) % of}({a});",
                  f"    return {b} + {a};", "}", ""]
    return "\n".join(lines)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("ken")
    ap.add_argument("--files", type=int, default=10000)
    ap.add_argument("--changed", type=int, default=50)
    ap.add_argument("--worktrees", type=int, default=1)
    a = ap.parse_args()
    rng = random.Random(20261124)
    top = tempfile.mkdtemp(prefix="ken-worktrees-")
    root, data = os.path.join(top, "base"), os.path.join(top, "data")
    env = dict(os.environ, KEN_DATA_DIR=data, HOME=top)

    def run(*args, cwd=root):
        began = time.monotonic()
        subprocess.run(args, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - began

    def git(*args, **more):
        return run("git", "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", *args, **more)

    def size():
        folder = os.path.join(data, "indexes")
        return sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))

    try:
        for i in range(a.files):
            path = os.path.join(root, f"src/d{i % 97}/file{i}.c")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(source(rng, i, a.files))
        git("init", "-q", "-b", "main")
        git("add", "-A")
        git("commit", "-q", "-m", "base")
        n_bytes = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(os.path.join(root, "src")) for f in fs)
        first = run(os.path.abspath(a.ken), "index")
        base = size()
        print(f"base: {a.files} files, {n_bytes / 1e6:.1f} MB, indexed in {first:.2f} s, index {base / 1e6:.2f} MB")
        gits, kens, grown = [], [], []
        for n in range(a.worktrees):
            path = os.path.join(top, f"tree{n}")
            gits.append(git("worktree", "add", "-q", path))
            for i in rng.sample(range(a.files), a.changed):
                with open(os.path.join(path, f"src/d{i % 97}/file{i}.c"), "a") as f:
                    f.write(f"int changed_{n}_{i}(int a) {{ return f{i}(a); }}\n")
            before = size()
            kens.append(run(os.path.abspath(a.ken), "index", cwd=path))
            grown.append(size() - before)
        print(f"{a.worktrees} worktrees, {a.changed} files changed in each: git worktree add p50 {statistics.median(gits):.2f} s, "
              f"ken index p50 {statistics.median(kens):.2f}, worst {max(kens):.2f} s")
        print(f"index: the first adds {grown[0] / 1e6:.3f} MB ({100 * grown[0] / base:.2f} %), in the mean "
              f"{sum(grown) / len(grown) / 1e6:.3f} MB; all together {size() / base:.3f} x the base")
        git("gc", "-q")
        for n in range(min(a.worktrees, 5)):
            path = os.path.join(top, f"tree{n}")
            git("commit", "-qam", "changes", cwd=path)
            before = size()
            ask = [os.path.abspath(a.ken), "search", "counts what changed", "--at", f"tree{n}"]
            first, again = run(*ask), statistics.median(run(*ask) for _ in range(9))
            plain = statistics.median(run(*ask[:-2]) for _ in range(9))
            print(f"--at a commit with {a.changed} files changed: first {first:.2f} s, again {again * 1e3:.0f} ms, of the "
                  f"folder itself {plain * 1e3:.0f} ms; index +{(size() - before) / 1e6:.3f} MB")
    finally:
        shutil.rmtree(top)


if __name__ == "__main__":
    main()
