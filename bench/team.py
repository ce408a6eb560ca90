#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One server at an index in files and at one in PostgreSQL: searches in a project, warm and cold, and tasks.

    python3 bench/team.py --ken build/release/ken [--chunks 100000] [--questions 300] TREE...

One project of the code files of TREE..., as often as it takes, each time with another comment, until it has that many chunks. A
question is asked over HTTP. Warm: after ten others. Cold: the first of a server that was just started, at once, when the index is
not open yet, and three seconds later; the database has just been started, too. Tasks: each operation on its own, over HTTP. The database is one of tests/postgres/server.py,
which does not sync its files. Prints a line for each figure and store.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from scale import server
from wide import ask, call, load_files, make_project, make_questions

COLD = 20
REST_S = 3
TASKS = 400
SIZES = "shared_buffers = 256MB\nmax_wal_size = 2GB\n"


class Store:
    def __init__(self, name, ken, place, url):
        self.name, self.ken, self.url = name, ken, url
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("KEN_") and k != "DATABASE_URL"}
        self.env.update(KEN_DATA_DIR=f"{place}/{name}", XDG_CONFIG_HOME=f"{place}/config")
        if url:
            self.env["DATABASE_URL"] = url
        self.process = None

    def index(self, folder):
        out = subprocess.run([self.ken, "index", "--json", folder], env=self.env, check=True, capture_output=True, text=True).stdout
        return json.loads(out)

    def serve(self):
        self.process = subprocess.Popen([self.ken, "serve", "--port", "0", "--json"], env=self.env, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        return json.loads(self.process.stdout.readline())["url"]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def say(store, what, times):
    times = sorted(times)
    of = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1e3
    print(f"{store.name:9} {what:40} p50 {statistics.median(times) * 1e3:6.1f}  p95 {of(.95):6.1f}  p99 {of(.99):6.1f}  "
          f"worst {times[-1] * 1e3:6.1f} ms", flush=True)


def measure_searches(store, questions, project):
    url = store.serve()
    try:
        for query in questions[:10]:
            ask(url, query, project)
        say(store, "search, warm", [ask(url, query, project) for query in questions])
    finally:
        store.stop()


def measure_cold(store, questions, project, restart, rest_s):
    times = []
    for query in questions[:COLD]:
        restart()
        url = store.serve()
        try:
            time.sleep(rest_s)
            times.append(ask(url, query, project))
        finally:
            store.stop()
    say(store, f"search, the first of a server {f'after {rest_s} s' if rest_s else 'at once'}", times)


def measure_tasks(store, project):
    url = store.serve()
    try:
        made = [call(url, "create_task", project=project, title=f"Task {i}", description="What is to be done. " * 10) for i in range(TASKS)]
        ids = [value["id"] for _, value in made]
        say(store, "create_task", [t for t, _ in made])
        say(store, "update_task", [call(url, "update_task", task_id=i, status="in-progress")[0] for i in ids])
        say(store, "get_task", [call(url, "get_task", task_id=i)[0] for i in ids])
        say(store, "list_tasks", [call(url, "list_tasks", project=project)[0] for _ in range(100)])
    finally:
        store.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("trees", nargs="+")
    options = parser.parse_args()
    dice = random.Random(7)
    files = load_files(options.trees)
    with tempfile.TemporaryDirectory(prefix="ken-team-") as place:
        os.chmod(place, 0o755)
        folder = Path(place, "postgres")
        db = server.start(folder, SIZES)
        try:
            stores = [Store("files", os.path.abspath(options.ken), place, None), Store("database", os.path.abspath(options.ken), place, db)]
            project, copies, chunks = f"{place}/project", 0, 0
            while chunks < options.chunks:
                copies += 1
                make_project(project, copies, files)
                chunks += stores[0].index(project)["chunks_created"]
            print(f"{copies * len(files)} files, {chunks} chunks", flush=True)
            stores[1].index(project)
            questions = make_questions(files, options.questions, dice)
            for store in stores:
                measure_searches(store, questions, project)
                for rest_s in (0, REST_S):
                    measure_cold(store, questions, project, lambda s=store: s.url and (server.halt(folder, "fast"), server.launch(folder)), rest_s)
                measure_tasks(store, project)
        finally:
            server.stop(folder)


if __name__ == "__main__":
    main()
