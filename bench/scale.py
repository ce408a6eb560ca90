#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an installation in PostgreSQL takes: measured at some sizes, and worked out for many more.

    python3 bench/scale.py measure --ken build/release/ken [--files 1000 10000]   rows, bytes, seconds, connections
    python3 bench/scale.py plan [--repositories 10000] [--chunks 1000000000]      a plan, by arithmetic alone

`measure` starts a server of tests/postgres/server.py, which does not sync its files, and removes it. Its trees are of made
up code, the same each time. `plan` takes what was measured (FIGURES, the last run that docs/scaling.md shows); change them,
or the machine that it assumes, and run it again.
"""
import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "postgres"))
import server  # noqa: E402

# Of `measure` at 10,000 files, per file. bytes: of the whole schema, indexes and free space included.
FIGURES = {"chunks": 1.99, "bytes": 9216.0, "rows": 35.06, "seconds": 0.000682, "source_bytes": 1626.0}
# One machine of a cluster.
MACHINE = {"memory_gib": 256, "disk_gib": 8000, "cores": 32, "max_connections": 500}
# A vector of the built-in model in halfvec, and its place in an HNSW graph of m 16: 2 m neighbours of 6 bytes on the lowest
# layer, a sixteenth more above it, headers, and pages that are four fifths full.
DIMENSIONS, M = 256, 16

CODE = """
// {word} of the {other}: keeps what was seen, tries again after a while.
static int {name}(struct {other} *s, int n)
{{
    for (int i = 0; i < n; i++)
        if (s->{word}[i] > {number})
            return {called}(s, i + {number});
    return s->count + n;
}}
"""
WORDS = "retry upload index cursor buffer socket parser token lease worker queue batch segment vector graph query".split()


# ---- measuring ----------------------------------------------------------------------------------


def make_tree(root, n_files):
    rng = random.Random(7)
    total = 0
    for i in range(n_files):
        names = [f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{rng.randrange(100000)}" for _ in range(6)]
        text = "".join(CODE.format(word=rng.choice(WORDS), other=rng.choice(WORDS), name=name, number=rng.randrange(1000),
                                   called=rng.choice(names)) for name in names)
        path = root / f"part{i % 97:02}" / f"file{i}.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        total += len(text)
    return total


def sql(url, text):
    return subprocess.run([str(server.BIN / "psql"), "-qAt", url, "-c", text], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def ken(program, env, *words, cwd):
    began = time.monotonic()
    done = subprocess.run([program, *words], env=env, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"ken {' '.join(words)}: {done.stderr.strip()}")
    return time.monotonic() - began, done.stdout


def ask(url, root, n, errors):
    for i in range(n):
        body = json.dumps({"query": WORDS[i % len(WORDS)], "project": str(root)}).encode()
        request = urllib.request.Request(f"{url}/api/v1/search_code", body, {"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=60).read()
        except OSError as e:
            errors.append(str(e))


def connections(program, env, root, database, n_clients):
    """The most that a server held while so many clients asked at once, and how many questions failed."""
    p = subprocess.Popen([program, "serve", "--port", "0", "--json"], env=env, cwd=root, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    errors, most = [], 0
    try:
        url = json.loads(p.stdout.readline())["url"]
        clients = [threading.Thread(target=ask, args=(url, root, 8, errors)) for _ in range(n_clients)]
        for c in clients:
            c.start()
        while any(c.is_alive() for c in clients):
            most = max(most, int(sql(database, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'ken%'")))
        for c in clients:
            c.join()
    finally:
        p.terminate()
        p.wait(30)
    return most, len(errors)


def measure_one(program, n_files, n_clients):
    with tempfile.TemporaryDirectory(prefix="ken_scale_") as box:
        os.chmod(box, 0o755)
        root, folder = Path(box, "tree"), Path(box, "postgres")
        source = make_tree(root, n_files)
        database = server.start(folder)
        try:
            env = dict(os.environ, DATABASE_URL=database, KEN_DATA_DIR=str(Path(box, "data")))
            cold, _ = ken(program, env, "index", str(root), cwd=box)
            for i in range(min(100, n_files)):
                (root / f"part{i % 97:02}" / f"file{i}.c").write_text("int changed_%d(void)\n{\n    return %d;\n}\n" % (i, i))
            changed, _ = ken(program, env, "index", str(root), cwd=box)
            chunks = json.loads(ken(program, env, "status", "-p", str(root), "--json", cwd=box)[1]).get("chunks", 0)
            sql(database, "ANALYZE")
            rows = int(sql(database, "SELECT sum(reltuples) FROM pg_class WHERE relnamespace = 'ken'::regnamespace "
                                     "AND relkind = 'r' AND reltuples > 0"))
            size = int(sql(database, "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = "
                                     "'ken'::regnamespace AND relkind = 'r'"))
            most, n_errors = connections(program, env, root, database, n_clients)
        finally:
            server.stop(folder)
    return {"files": n_files, "source_bytes": source, "chunks": chunks, "rows": rows, "bytes": size, "cold_seconds": cold,
            "changed_seconds": changed, "connections": most, "errors": n_errors}


def measure(options):
    print(f"| files | source | chunks | rows | bytes in the database | cold index | 100 changed files | connections of a "
          f"server, {options.clients} clients | errors |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n in options.files:
        r = measure_one(options.ken, n, options.clients)
        print(f"| {n:,} | {r['source_bytes'] / 1e6:.1f} MB | {r['chunks']:,} | {r['rows']:,} | {r['bytes'] / 1e6:.1f} MB | "
              f"{r['cold_seconds']:.2f} s | {r['changed_seconds']:.2f} s | {r['connections']} | {r['errors']} |", flush=True)
        if n == options.files[-1]:
            print("\nper file:", {k: round(v / n, 6) for k, v in (
                ("chunks", r["chunks"]), ("bytes", r["bytes"]), ("rows", r["rows"]), ("seconds", r["cold_seconds"]),
                ("source_bytes", r["source_bytes"]))})


# ---- planning -----------------------------------------------------------------------------------


def plan(options):
    f, m = FIGURES, MACHINE
    files = options.chunks / f["chunks"]
    size = files * f["bytes"]
    rows = files * f["rows"]
    vector = DIMENSIONS * 2 + 8
    graph = (vector + 2 * M * 6 * (1 + 1 / 16) + 48) / 0.8
    hnsw = options.chunks * graph
    by_disk = math.ceil(2 * (size + hnsw) / (m["disk_gib"] * 2**30))  # half of a disk stays free: vacuum, new indexes
    by_memory = math.ceil(hnsw / (0.75 * m["memory_gib"] * 2**30))
    machines = max(by_disk, by_memory, 1)
    shards = 2 ** math.ceil(math.log2(max(32, machines * 4)))
    first = files * f["seconds"] / 3600
    day = options.changes * f["bytes"]
    lines = [
        ("repositories", f"{options.repositories:,}"),
        ("chunks", f"{options.chunks:,}"),
        ("files", f"{files:,.0f}, {files / options.repositories:,.0f} of a repository"),
        ("rows", f"{rows:,.0f}"),
        ("rows of one of 16 partitions of a large table, on one machine", f"{files / 16:,.0f}"),
        ("tables of indexes", f"{size / 2**40:.1f} TiB, {size / options.repositories / 2**20:.0f} MiB of a repository"),
        ("vectors in one HNSW graph (halfvec, questions over all projects)",
         f"{hnsw / 2**40:.2f} TiB, {graph:.0f} bytes of a vector"),
        ("machines for the disk, half of it free", f"{by_disk}"),
        ("machines for the graph in three quarters of the memory", f"{by_memory}"),
        ("machines that keep rows, a replica of each", f"{machines} and {machines}"),
        ("shards (Citus), at least four of a machine", f"{shards}, {options.repositories / shards:,.0f} repositories each"),
        ("first indexing, on one core that a worker has for itself", f"{first:,.0f} hours; with 64 workers "
                                                                  f"{first / 64:,.1f}"),
        (f"{options.changes:,} changed files a day", f"{day / 2**30:.1f} GiB of rows, {options.changes * f['seconds']:,.0f}"
                                                     " s of a worker"),
        ("connections of 8 servers and 64 workers (10 + 5 each), without a pooler", f"{72 * 15:,}"),
        ("poolers", f"needed: a machine takes {m['max_connections']}" if 72 * 15 > m["max_connections"] else "not needed"),
    ]
    print("| | |\n|---|---|")
    for what, value in lines:
        print(f"| {what} | {value} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("measure")
    p.add_argument("--ken", required=True)
    p.add_argument("--files", type=int, nargs="+", default=[1000, 10000])
    p.add_argument("--clients", type=int, default=50)
    p = commands.add_parser("plan")
    p.add_argument("--repositories", type=int, default=10_000)
    p.add_argument("--chunks", type=int, default=1_000_000_000)
    p.add_argument("--changes", type=int, default=500_000)
    options = parser.parse_args()
    if options.command == "measure":
        options.ken = os.path.abspath(shutil.which(options.ken) or options.ken)
        measure(options)
    else:
        plan(options)


if __name__ == "__main__":
    main()
