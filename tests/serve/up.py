#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""./dev up: servers and workers at one database, as a newcomer starts them, and nothing that stays behind."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import lab
import pg_lab
from pg_lab import server


@unittest.skipUnless(pg_lab.URL and server.BIN.exists(), "needs KEN_TEST_DATABASE_URL and tools/fetch_postgres.py")
class Up(lab.Serve):
    def start(self, folder):
        port = server.free_port()
        p = subprocess.Popen([sys.executable, os.path.join(pg_lab.ROOT, "tools", "up.py"), "--ken", lab.options.ken,
                              "--folder", folder, "--port", str(port)], env=self.env, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        self.processes.append(p)
        lines = []
        while "Ctrl-C" not in (lines[-1] if lines else ""):
            lines.append(p.stdout.readline())
            self.assertTrue(lines[-1], "".join(lines))
        return p, [f"http://127.0.0.1:{port + i}" for i in range(2)], lines[0].split()[1]

    def ready(self, url):
        try:
            return self.get(url, "/readyz")
        except OSError:
            return False

    def test_two_servers_and_two_workers_are_one(self):
        with tempfile.TemporaryDirectory(prefix="ken_up_") as folder:
            os.chmod(folder, 0o755)
            for n in (1, 2):  # what was made is there the second time
                p, urls, database = self.start(folder)
                for url in urls:
                    self.wait_until(lambda: self.ready(url), "a server is ready", seconds=60)
                if n == 1:
                    self.post(urls[0], "index_repository", {"path": self.folder})
                self.wait_until(lambda: pg_lab.sql(database, "SELECT count(*) FROM ken.repositories").strip() == "1",
                                "it is indexed", seconds=60)
                for url in urls:
                    found = self.post(url, "search_code", {"query": "alpha", "project": self.folder})["results"]
                    self.assertEqual(found[0]["symbol_name"], "alpha")
                p.send_signal(signal.SIGINT)
                self.assertEqual(p.wait(60), 0)
                left = subprocess.run(["pgrep", "-f", folder], text=True, stdout=subprocess.PIPE, check=False).stdout
                time.sleep(0.1)
                self.assertEqual(left, "")


if __name__ == "__main__":
    lab.main("up")
