#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds what `ken dead` lists against a compiler's truth (README.md says what counts as what).

    dead.py --index INDEX --ken PROGRAM [--only WORD] [--all] [--show N]

INDEX has lines `language name tree truth`, as for score.py. A listed definition is *used* when truth
has a reference to it outside of itself, *unused* when it has none, *unknown* when truth does not
have the definition at all (a file that was not compiled). Precision is unused by used and unused.
With --all the classes that are left out by default are asked for, too.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

import rows


class Truth:
    """Definitions by place, and who refers to them."""

    def __init__(self, path):
        self.names = defaultdict(set)  # (path, line) -> names defined there
        self.refs = defaultdict(list)  # (path, line) of a definition -> places
        for row in rows.read(path):
            if row.role == "def":
                self.names[row.path, int(row.line)].add(row.name)
            elif row.def_path != "-" and row.role != "alias":
                self.refs[row.def_path, int(row.def_line)].append((row.path, int(row.line)))

    def judge(self, found):
        """'used', 'unused' or 'unknown', and where from."""
        path, first, last = found["file_path"], found["start_line"] - 1, found["end_line"] - 1
        name = found["name"].rsplit(".", 1)[-1]
        lines = [n for n in range(first, last + 1) if name in self.names.get((path, n), ())]
        if not lines:
            return "unknown", None
        for use in self.refs.get((path, lines[0]), ()):
            if use[0] != path or not first <= use[1] <= last:
                return "used", use
        return "unused", None


def ask(ken, tree, wants_all):
    """What is listed, by a fresh index of the tree."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "XDG_DATA_HOME": os.path.join(home, "data")}
        env.pop("XDG_CONFIG_HOME", None)
        argv = [ken, "dead", tree, "--json", "-k", "1000"] + (["--all"] if wants_all else [])
        done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, check=False, timeout=600)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)}: {done.stdout.decode()}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", required=True)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    total = defaultdict(int)
    print("language\trepository\tlisted\tunused\tused\tunknown\tprecision")
    for line in open(options.index, encoding="utf-8"):
        language, name, tree, truth = line.split()
        if options.only and options.only not in (language, name):
            continue
        known, counts, wrong = Truth(truth), defaultdict(int), []
        for found in ask(options.ken, tree, options.all)["dead"]:
            verdict, use = known.judge(found)
            counts[verdict] += 1
            if verdict == "used":
                wrong.append((found, use))
        for verdict, n in counts.items():
            total[verdict] += n
        judged = counts["used"] + counts["unused"]
        share = f"{counts['unused'] / judged:.3f}" if judged else "-"
        print(language, name, sum(counts.values()), counts["unused"], counts["used"], counts["unknown"], share, sep="\t")
        for found, use in wrong[: options.show]:
            print(f"  {found['name']}  {found['file_path']}:{found['start_line']}  used at {use[0]}:{use[1] + 1}")
        sys.stdout.flush()
    judged = total["used"] + total["unused"]
    if judged:
        print("all", "", sum(total.values()), total["unused"], total["used"], total["unknown"], f"{total['unused'] / judged:.3f}", sep="\t")


if __name__ == "__main__":
    main()
