#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs of an index in files and in PostgreSQL, taken in turns on one machine: seconds, their ratio, statements.

    python3 bench/stores.py --ken build/release/ken [--before OTHER_KEN] [--files 10000] [--rounds 5]

Each round indexes one tree of made up code (bench/scale.py) anew in both stores, again with --force, after 1 % of its files
have changed, and after a tenth was removed. A time is the best of the rounds, a ratio the median of those of the rounds: both
runs of a round meet the same load. Statements are those that the server logs in a round of its own. With --before another
program takes part, so that a change is measured in the same minutes.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scale import make_tree, server, sql

RUNS = ("cold", "forced", "changed", "removed")
SIZES = {"shared_buffers": "256MB", "max_wal_size": "2GB"}


def ken(program, env, *words):
    began = time.monotonic()
    done = subprocess.run([program, *words], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{program} {' '.join(words)}: {done.stderr.strip()}")
    return time.monotonic() - began


def change(root, n_files):
    for i in range(n_files // 100):
        path = root / f"part{i % 97:02}" / f"file{i}.c"
        path.write_text(f"int changed_{i}(void)\n{{\n    return {i};\n}}\n")


def remove(root, n_files):
    for i in range(n_files // 10):
        (root / f"part{i % 97:02}" / f"file{i}.c").unlink()


class Side:
    """One program with one store."""

    def __init__(self, name, program, url, box):
        self.name, self.program, self.url, self.data = name, program, url, Path(box, "data")
        self.env = dict(os.environ, KEN_DATA_DIR=str(self.data), DATABASE_URL=url or "")
        if not url:
            self.env["KEN_DATABASE_URL"] = "none"

    def empty(self):
        shutil.rmtree(self.data, ignore_errors=True)
        if self.url:
            sql(self.url, "DROP SCHEMA IF EXISTS ken CASCADE")
        ken(self.program, self.env, "projects")  # makes the tables
        if self.url:
            sql(self.url, "CHECKPOINT")

    def index(self, root, *words):
        return ken(self.program, self.env, "index", str(root), *words)


def one_round(sides, box, n_files, log):
    """(seconds, statements) of each side and run."""
    out = {}
    root = Path(box, "tree")  # the same path for all of them
    for run in RUNS:
        if run == "cold":
            for side in sides:
                side.empty()
            shutil.rmtree(root, ignore_errors=True)
            make_tree(root, n_files)
            time.sleep(2.1)  # what was just written is read again by the next run
        if run == "changed":
            change(root, n_files)
        if run == "removed":
            remove(root, n_files)
        for side in sides:
            before = log.stat().st_size
            seconds = side.index(root, *(["--force"] if run == "forced" else []))
            with open(log, "rb") as f:
                f.seek(before)
                n = sum(b"LOG:  statement:" in line or b"LOG:  execute" in line for line in f)
            out[side.name, run] = seconds, n
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--before")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    box = tempfile.mkdtemp(prefix="ken_stores_")
    os.chmod(box, 0o755)
    folder = Path(box, "postgres")
    url = server.start(folder, "".join(f"{k} = {v}\n" for k, v in SIZES.items()))
    try:
        sides = [Side("files", options.ken, None, box + "/1"), Side("database", options.ken, url, box + "/2")]
        if options.before:
            sides.append(Side("before", options.before, url + "?dbname=before", box + "/3"))
            sql(url, "CREATE DATABASE before")
            sides[2].url = sides[2].env["DATABASE_URL"] = url.rsplit("/", 1)[0] + "/before"
        rounds = [one_round(sides, box, options.files, folder / "log") for _ in range(options.rounds)]
        sql(url, "ALTER SYSTEM SET log_statement = 'all'")
        sql(url, "SELECT pg_reload_conf()")
        counted = one_round(sides, box, options.files, folder / "log")
    finally:
        server.stop(folder)
        shutil.rmtree(box, ignore_errors=True)
    print(f"| {options.files:,} files | " + " | ".join(f"{s.name}, s" for s in sides) + " | database : files | " +
          " | ".join(f"{s.name}, statements" for s in sides if s.url) + " |")
    print("|---" * (2 + len(sides) + sum(1 for s in sides if s.url)) + "|")
    for run in RUNS:
        best = [min(r[s.name, run][0] for r in rounds) for s in sides]
        ratio = statistics.median(r["database", run][0] / r["files", run][0] for r in rounds)
        print(f"| {run} | " + " | ".join(f"{b:.2f}" for b in best) + f" | {ratio:.2f} | " +
              " | ".join(f"{counted[s.name, run][1]:,}" for s in sides if s.url) + " |")


if __name__ == "__main__":
    main()
