# SPDX-License-Identifier: MIT
"""PgBouncer in transaction mode before a server of tests, on loopback. Debian's package has the program; './dev test'
installs it in CI, and tests that need it are passed over where it is not there.

    python3 tests/postgres/pooler.py FOLDER WORDS...    runs WORDS with KEN_TEST_DATABASE_URL through it
"""
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import server  # noqa: E402

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/sbin")
SECONDS = 20
# Each transaction may get another connection, and few there are: what relies on one shows at once.
SETTINGS = """[databases]
* = host={host} port={server_port} user={user}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
pool_mode = transaction
default_pool_size = 5
max_client_conn = 400
max_db_connections = 30
server_round_robin = 1
server_login_retry = 1
server_connect_timeout = 3
query_wait_timeout = 8
server_idle_timeout = 5
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"""


def is_required():
    return "pgbouncer" in os.environ.get("KEN_TEST_REQUIRE", "").split(",")


class Pooler:
    """`url`: the database `postgres` of the server, through the pooler."""

    def __init__(self, folder, server_url, more="auth_type = any\n"):
        to = urlsplit(server_url)
        port = server.free_port()
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        settings = folder / "pgbouncer.ini"
        settings.write_text(SETTINGS.format(host=to.hostname, server_port=to.port, user=to.username, port=port,
                                            folder=folder) + more)
        words = server.other_user(folder)
        self.process = subprocess.Popen([*words, PROGRAM, "-q", str(settings)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"postgres://{to.username}@127.0.0.1:{port}/postgres"
        end = time.monotonic() + SECONDS
        while not self.answers(port):
            if time.monotonic() > end or self.process.poll() is not None:
                self.close()
                raise RuntimeError(f"PgBouncer did not start: {(folder / 'pgbouncer.log').read_text()[-500:]}")
            time.sleep(0.05)

    @staticmethod
    def answers(port):
        with socket.socket() as s:
            return not s.connect_ex(("127.0.0.1", port))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def main(argv):
    if len(argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, words, url = argv[1], argv[2:], os.environ.get("KEN_TEST_DATABASE_URL", "")
    if not PROGRAM or not url:
        print("PASSED OVER, needs PgBouncer (Debian: pgbouncer) and KEN_TEST_DATABASE_URL", file=sys.stderr)
        return 1 if is_required() and not PROGRAM else 77
    shutil.rmtree(folder, ignore_errors=True)
    pooler = Pooler(folder, url)
    try:
        env = dict(os.environ, KEN_TEST_DATABASE_URL=pooler.url, KEN_TEST_DATABASE_DIRECT=url)
        return subprocess.run(words, env=env).returncode
    finally:
        pooler.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
