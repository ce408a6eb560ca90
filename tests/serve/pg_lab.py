# SPDX-License-Identifier: MIT
"""What the tests on PostgreSQL share: a database of their own in the server of KEN_TEST_DATABASE_URL, psql, and the
program with that database.
"""
import os
import shutil
import subprocess
import sys
import unittest
import uuid

import lab
from lab import options

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.append(os.path.join(ROOT, "tests", "postgres"))
import server  # noqa: E402  where its programs are

URL = os.environ.get("KEN_TEST_DATABASE_URL", "")


def program(name):
    """One of PostgreSQL's; None when it is not there."""
    own = os.path.join(str(server.BIN), name)
    return own if os.path.exists(own) else shutil.which(name)


def sql(url, text):
    return subprocess.run([program("psql"), "-qAt", "-v", "ON_ERROR_STOP=1", url, "-c", text], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def ken(words, folder, env):
    # clang 14's search for leaks ends some processes that loaded libpq with signal 11 of its own, after all of ours is
    # done; the conformance suite looks for leaks of the same code.
    env = dict(env, ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    p = subprocess.run([options.ken, *words], cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=lab.PATIENCE)
    return p.returncode, p.stdout, p.stderr


@unittest.skipUnless(URL, "KEN_TEST_DATABASE_URL is not set")
class Postgres(lab.Serve):
    def setUp(self):
        super().setUp()
        self.name = f"ken_test_{uuid.uuid4().hex}"
        sql(URL, f"CREATE DATABASE {self.name}")
        self.url = URL.rsplit("/", 1)[0] + "/" + self.name
        self.env["DATABASE_URL"] = self.url

    def tearDown(self):
        super().tearDown()
        sql(URL, f"DROP DATABASE {self.name} WITH (FORCE)")

    def ken(self, *words, folder=None, **env):
        return ken(words, folder or self.folder, dict(self.env, **env))

    def elsewhere(self, n):
        """The environment of another machine with the same folder: its data are its own."""
        return dict(self.env, KEN_DATA_DIR=os.path.join(self.box.name, f"machine{n}"))
