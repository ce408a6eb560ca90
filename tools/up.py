#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What packaging/compose.yaml describes, on loopback, for a person to try: a database, two servers, two workers.

    ./dev up [--fresh]       Ctrl-C ends it; what was made stays in build/up/, and --fresh begins with nothing

The database is that of tools/fetch_postgres.py and does not sync its files: nothing that must not be lost belongs there.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "postgres"))
import server  # noqa: E402

N_SERVERS = N_WORKERS = 2
FIRST_PORT = 7420
GRACE_SECONDS = 20


def start_database(folder):
    """Its URL; a cluster that is there is started again."""
    if not (folder / "data" / "PG_VERSION").exists():
        server.stop(folder)
        return server.start(folder)
    if (folder / "data" / "postmaster.pid").exists():
        server.halt(folder)
    server.launch(folder)
    lines = (folder / "data" / "postgresql.conf").read_text().splitlines()
    port = [line.split("=")[1].strip() for line in lines if line.startswith("port =")][-1]
    return f"postgres://ken@127.0.0.1:{port}/postgres"


def start(name, words, folder, url):
    """A process with data and a log of its own, as if on a machine of its own."""
    data = folder / name
    data.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, DATABASE_URL=url, KEN_DATA_DIR=str(data), DB_POOL_SIZE="10", DB_MAX_OVERFLOW="5")
    with open(folder / f"{name}.log", "a", encoding="utf-8") as log:
        return subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                start_new_session=True)


def end(processes):
    for p in processes.values():
        p.terminate()
    until = time.monotonic() + GRACE_SECONDS
    for p in processes.values():
        try:
            p.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


def show(folder, url, ports):
    print(f"""database   {url}
servers    {'  '.join(f'http://127.0.0.1:{p}' for p in ports)}
workers    {N_WORKERS}
logs       {folder}/*.log

In another terminal:   export DATABASE_URL={url}
                       ken index PATH && ken search "where are files discovered" PATH
                       ken jobs list

Ctrl-C ends all of it.""", flush=True)


def watch(processes):
    """Until a signal, or until one of them ends by itself."""
    while True:
        for name, p in processes.items():
            if p.poll() is not None:
                return name
        time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--folder", default=str(ROOT / "build" / "up"))
    parser.add_argument("--port", type=int, default=FIRST_PORT)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    folder = Path(options.folder).resolve()
    if options.fresh:
        server.stop(folder / "postgres")
        shutil.rmtree(folder, ignore_errors=True)
    if not server.BIN.exists():
        sys.exit("up: there is no PostgreSQL yet: python3 tools/fetch_postgres.py")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    processes, ended = {}, None
    ports = [options.port + i for i in range(N_SERVERS)]
    try:
        url = start_database(folder / "postgres")
        for i, port in enumerate(ports, 1):
            processes[f"server{i}"] = start(f"server{i}", [options.ken, "serve", "--port", str(port), "--max-running", "0"],
                                            folder, url)
        for i in range(1, N_WORKERS + 1):
            processes[f"worker{i}"] = start(f"worker{i}", [options.ken, "worker"], folder, url)
        show(folder, url, ports)
        ended = watch(processes)
    except KeyboardInterrupt:
        pass
    finally:
        end(processes)
        if (folder / "postgres" / "data" / "postmaster.pid").exists():
            server.halt(folder / "postgres", "fast")
    if ended:
        tail = (folder / f"{ended}.log").read_text(errors="replace").strip().splitlines()[-3:]
        sys.exit("\n".join([f"up: {ended} ended by itself:", *tail]))


if __name__ == "__main__":
    main()
