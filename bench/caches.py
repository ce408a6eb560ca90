#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each cache in memory saves: the same questions with it and without it, and what one of results could save at most.

    caches.py build/release/ken TREE [--rounds N]

`graph` is what `cache.memory_size` bounds (files, resolved expressions, references by name); without it all is loaded for
each question. `index` is an index that stays open; without it, a process a question. A cache of results would at best
answer as fast as a question that finds nothing: it, too, has to look whether files have changed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "freshness"))
from changes import Server  # noqa: E402


def ask_all(server, questions, rounds):
    took = {q[2]: [] for q in questions}
    for i in range(rounds + 1):
        for name, args, label in questions:
            began = time.perf_counter()
            server.ask(name, args)
            if i:
                took[label].append((time.perf_counter() - began) * 1000)
    return {k: statistics.median(v) for k, v in took.items()}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("ken")
    p.add_argument("tree")
    p.add_argument("--rounds", type=int, default=30)
    a = p.parse_args()
    ken, root = os.path.abspath(a.ken), os.path.realpath(a.tree)
    with tempfile.TemporaryDirectory() as data:
        env = dict(os.environ, KEN_DATA_DIR=data)
        subprocess.run([ken, "index", root], env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        top = json.loads(subprocess.run(
            [ken, "sql", "--project", root, "--json", "select name from symbols where kind = 'function' group by name "
             "order by count(*) desc, name limit 5"], env=env, check=True, capture_output=True, text=True).stdout)
        names = [r["name"] if isinstance(r, dict) else r[0] for r in top["rows"]]
        questions = [("search_code", {"query": "where is memory given back"}, "search in words"),
                     ("search_code", {"query": names[0], "search_type": "symbol"}, "search of a symbol"),
                     ("get_definition", {"symbol_name": names[1]}, "definition"),
                     *[("find_usages", {"symbol_name": n}, "usages") for n in names],
                     ("trace_execution", {"entry_point": names[2]}, "trace"),
                     ("find_usages", {"symbol_name": "zqxjkvwpt"}, "nothing found")]
        kept = {}
        for label, size in (("with", None), ("without graph", "1")):
            if size:
                os.environ["KEN_CACHE_SIZE"] = size
            server = Server(ken, root, data)
            kept[label] = ask_all(server, questions, a.rounds)
            server.close()
        os.environ.pop("KEN_CACHE_SIZE", None)
        alone = {}
        for args, label in ((["search", "where is memory given back"], "search in words"), (["def", names[1]], "definition"),
                            (["refs", names[0]], "usages")):
            times = []
            for _ in range(10):
                began = time.perf_counter()
                subprocess.run([ken, *args, "--json"], cwd=root, env=env, stdout=subprocess.DEVNULL)
                times.append((time.perf_counter() - began) * 1000)
            alone[label] = statistics.median(times)
    print(f"{'p50, ms':22}{'with':>10}{'no graph':>10}{'a process':>10}{'results save':>14}")
    floor = kept["with"]["nothing found"]
    for label in kept["with"]:
        one = f"{alone[label]:.1f}" if label in alone else "-"
        print(f"{label:22}{kept['with'][label]:10.2f}{kept['without graph'][label]:10.2f}{one:>10}"
              f"{max(0.0, kept['with'][label] - floor):14.2f}")


if __name__ == "__main__":
    main()
