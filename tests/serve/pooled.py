#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests of postgres.py through PgBouncer in transaction mode."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import lab
import pg_lab
import postgres

sys.path.append(os.path.join(pg_lab.ROOT, "tests", "postgres"))
import pooler  # noqa: E402

if not pooler.PROGRAM and pooler.is_required():
    sys.exit("pooled.py: KEN_TEST_REQUIRE names pgbouncer, and it is not there (Debian: pgbouncer)")


@unittest.skipUnless(pooler.PROGRAM, "PgBouncer is not there (Debian: pgbouncer)")
class Pooled(postgres.Postgres):
    @classmethod
    def setUpClass(cls):
        if pg_lab.URL and pooler.PROGRAM:
            cls.place = tempfile.mkdtemp()
            cls.pooler = pooler.Pooler(os.path.join(cls.place, "pooler"), pg_lab.URL)

    @classmethod
    def tearDownClass(cls):
        if pg_lab.URL and pooler.PROGRAM:
            cls.pooler.close()
            shutil.rmtree(cls.place, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.direct = self.url
        self.url = self.pooler.url.rsplit("/", 1)[0] + "/" + self.name
        self.env["DATABASE_URL"] = self.url

    def comes_back(self):
        # It remembers for server_login_retry that there was none.
        self.wait_until(lambda: subprocess.run([pg_lab.program("psql"), "-c", "SELECT 1", self.url],
                                               capture_output=True).returncode == 0, "the pooler is back", seconds=20)

    def test_it_is_noticed(self):
        self.assertEqual(self.ken("index")[0], 0)
        self.assertIn("pooler", self.ken("doctor")[1])


if __name__ == "__main__":
    lab.main("pooled")
