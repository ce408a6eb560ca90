#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers of PostgreSQL of their own: encrypted connections, roles with few rights, backups."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lab
import pg_lab
from lab import put
from pg_lab import server, sql

sys.path.append(os.path.join(pg_lab.ROOT, "tests", "postgres"))
import pooler  # noqa: E402

PASSWORD = "correct-horse-9"


def made(reply):
    """What `ken migrate --dry-run` sums up of a place."""
    return {name: part["source"] for name, part in json.loads(reply)["parts"].items()}


@unittest.skipUnless(pg_lab.URL and server.BIN.exists(), "needs KEN_TEST_DATABASE_URL and tools/fetch_postgres.py")
class Servers(lab.Serve):
    settings = rules = ""

    def setUp(self):
        super().setUp()
        # Where another user of this machine may go: servers do not run as root.
        self.place = Path(tempfile.mkdtemp(prefix="ken_servers_"))
        self.place.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        del self.env["KEN_DATA_DIR"]
        self.env.update(KEN_DATA_DIR=os.path.join(self.box.name, "data"))

    def start(self, name="one", settings="", **more):
        self.addCleanup(server.stop, self.place / name)
        return server.start(self.place / name, settings, **more)

    def copy(self, url, name, *words):
        self.addCleanup(server.stop, self.place / name)
        return server.copy(url, self.place / name, *words)

    def ken(self, *words, url=None, **env):
        env = dict(self.env, **env)
        if url:
            env["DATABASE_URL"] = url
        return pg_lab.ken(words, self.folder, env)

    def works(self, *words, **more):
        code, out, err = self.ken(*words, **more)
        self.assertEqual(code, 0, (words, out[-2000:], err[-2000:]))
        return out

    def sums(self, url):
        """Of everything that an installation in a database holds."""
        with tempfile.TemporaryDirectory() as data:
            return made(self.works("migrate", "--from", url, "--to", "files", "--dry-run", "--json", KEN_DATA_DIR=data))

    def use(self, url):
        """Something of each kind."""
        self.works("index", url=url)
        self.works("task", "new", "first", "--description", "text", "--ref", "docs/plan.md", url=url)
        task = json.loads(self.works("task", "new", "second", "--json", url=url))["id"]
        self.works("task", "set", task, "--status", "in-progress", "--branch", "main", url=url)
        self.works("checkpoint", "save", "half way", "-t", "wip", url=url)

    def answers(self, url):
        asked = (("task", "list"), ("checkpoint", "list"), ("projects",), ("search", "alpha"), ("def", "alpha"))
        return [json.loads(self.works(*words, "--json", url=url)) for words in asked]


# PostgreSQL of tools/fetch_postgres.py was made without OpenSSL, so its pooler encrypts; libpq does the same for both.
TLS = """client_tls_sslmode = require
client_tls_key_file = {at}/server.key
client_tls_cert_file = {at}/server.crt
auth_type = scram-sha-256
auth_file = {users}
"""


@unittest.skipUnless(pooler.PROGRAM, "PgBouncer is not there (Debian: pgbouncer)")
class Encrypted(Servers):
    def make_certificates(self):
        folder = self.place / "certificates"
        folder.mkdir()
        folder.chmod(0o755)

        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

        for ca in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{ca}.key", "-out", f"{ca}.crt",
                    "-days", "2", "-subj", f"/CN={ca}")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj",
                "/CN=localhost")
        (folder / "names").write_text("subjectAltName=DNS:localhost\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                "server.crt", "-days", "2", "-extfile", "names")
        return folder

    def setUp(self):
        super().setUp()
        self.certificates = self.make_certificates()
        url = self.start()
        sql(url, "CREATE DATABASE mine")
        users = self.place / "users"
        users.write_text(f'"guarded" "{PASSWORD}"\n')
        for secret in (users, self.certificates / "server.key"):
            secret.chmod(0o644)  # the pooler is another user's, and the folder goes with the test
        self.pooler = pooler.Pooler(self.place / "pooler", url, TLS.format(at=self.certificates, users=users))
        self.addCleanup(self.pooler.close)
        self.port = self.pooler.url.rsplit(":", 1)[1].split("/")[0]

    def at(self, host="localhost", ca="ca", mode="verify-full", password=PASSWORD):
        return (f"postgres://guarded:{password}@{host}:{self.port}/mine?sslmode={mode}"
                f"&sslrootcert={self.certificates}/{ca}.crt")

    def test_the_server_is_verified(self):
        self.works("index", url=self.at())
        self.assertIn("alpha", self.works("search", "alpha", url=self.at()))
        for wrong, said in ((self.at(host="127.0.0.1"), "does not match host name"),
                            (self.at(ca="other"), "certificate verify failed"),
                            (self.at(ca="none"), "does not exist"),
                            (self.at(mode="disable"), "SSL required"),
                            (self.at(password="wrong-one"), "authentication failed")):
            code, out, err = self.ken("search", "alpha", url=wrong)
            self.assertNotEqual(code, 0, wrong)
            self.assertIn(said, err)
            self.assertIn("mine", err)
            for secret in (PASSWORD, "wrong-one"):
                self.assertNotIn(secret, out + err)

    def test_a_database_that_is_not_there_is_no_empty_one(self):
        url = self.at().replace("/mine?", "/nope?")
        for words in (("projects",), ("status",), ("search", "alpha"), ("search", "alpha", "-p", "one"), ("jobs", "list"),
                      ("task", "list"), ("doctor",), ("index",)):
            code, out, err = self.ken(*words, url=url)
            self.assertNotEqual(code, 0, (words, out))
            self.assertIn('database "nope" does not exist', out + err, words)

    def test_the_password_is_shown_nowhere(self):
        self.env["DATABASE_URL"] = self.at()
        self.works("index")
        log = os.path.join(self.box.name, "log")
        with open(log, "w") as f:
            process, url = self.serve("-v", "-v", stderr=f, env=dict(self.env, LOG_LEVEL="debug"))
        self.post(url, "search_code", {"query": "alpha", "project": self.folder})
        shown = self.get(url, "/metrics") + Path(f"/proc/{process.pid}/cmdline").read_text()
        shown += json.dumps(self.post(url, "get_repo_status", {"project": self.folder}))
        for words in (("status", "--json"), ("config", "show"), ("doctor",), ("projects", "--json"), ("-v", "-v", "status"),
                      ("migrate", "--from", "files", "--dry-run"), ("migrate", "--to", self.at(), "--dry-run"),
                      ("migrate", "--to", self.at(host="127.0.0.1"))):
            code, out, err = self.ken(*words)
            shown += out + err
        logs = [self.place / "one" / "log", self.place / "pooler" / "pgbouncer.log", Path(log)]
        for text in (shown, *(path.read_text(errors="replace") for path in logs)):
            self.assertNotIn(PASSWORD, text)
        for folder, _, files in os.walk(self.env["KEN_DATA_DIR"]):
            for path in (Path(folder, name) for name in files):
                self.assertNotIn(PASSWORD.encode(), path.read_bytes() if path.is_file() else b"")


class Rights(Servers):
    """The roles of docs/scaling.md, whose statements are taken from there."""

    def setUp(self):
        super().setUp()
        url = self.start()
        sql(url, "CREATE ROLE ken_owner LOGIN")
        sql(url, "CREATE DATABASE team OWNER ken_owner")
        self.base = url.rsplit("/", 1)[0].replace("ken@", "{}@") + "/team"
        self.owner, self.runtime, self.reader = (self.base.format(f"ken_{r}") for r in ("owner", "server", "reader"))
        self.works("projects", url=self.owner)  # makes the schema
        page = Path(pg_lab.ROOT, "docs", "scaling.md").read_text()
        for block in page.split("```sql\n")[1:]:
            block = block.split("```")[0]
            if "ken_reader" in block:
                sql(self.owner if "GRANT" in block else url, block)

    def test_a_server_may_not_change_the_schema_and_needs_not(self):
        self.use(self.runtime)
        self.assertIn("alpha", self.works("search", "alpha", url=self.runtime))
        self.works("doctor", url=self.runtime)
        put(self.folder, "b.c", "int beta(void)\n{\n    return 1;\n}\n")
        self.assertIn("beta", self.works("def", "beta", url=self.runtime))
        self.works("projects", "remove", self.folder, "--yes", url=self.runtime)
        with self.assertRaises(subprocess.CalledProcessError):
            sql(self.runtime, "CREATE TABLE ken.mine (id int)")
        with self.assertRaises(subprocess.CalledProcessError):
            sql(self.runtime, "DROP TABLE ken.tasks")

    def test_a_first_start_without_the_right_says_so(self):
        sql(self.owner, "DROP SCHEMA ken CASCADE")
        code, _, err = self.ken("projects", url=self.runtime)
        self.assertNotEqual(code, 0)
        self.assertIn("permission denied", err)

    def test_a_reader_answers_and_writes_nothing(self):
        self.use(self.owner)
        before = self.answers(self.owner)
        self.assertEqual(self.answers(self.reader), before)
        put(self.folder, "b.c", "int beta(void)\n{\n    return 1;\n}\n")
        code, out, err = self.ken("search", "alpha", url=self.reader)  # says what it could not read
        self.assertEqual(code, 0, err)
        for words in (("task", "new", "third"), ("checkpoint", "save", "more"), ("index",), ("index", "--force"),
                      ("projects", "remove", self.folder, "--yes")):
            code, out, err = self.ken(*words, url=self.reader)
            self.assertNotEqual(code, 0, words)
            self.assertRegex(err, "permission denied|may not|not permitted", words)
        os.remove(os.path.join(self.folder, "b.c"))
        self.assertEqual(self.answers(self.owner), before)


class Full(Servers):
    """The disk of the tables, not that of the server's log, has no room."""

    MIB = 24

    def setUp(self):
        super().setUp()
        self.disk = self.place / "disk"
        self.disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.MIB}m", "tmpfs", self.disk],
                                 capture_output=True, text=True, check=False)
        if mounted.returncode:
            self.skipTest(f"a small disk cannot be mounted: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)
        url = self.start()
        rows = self.disk / "rows"
        rows.mkdir()
        owner = (self.place / "one" / "data" / "PG_VERSION").stat()
        os.chown(rows, owner.st_uid, owner.st_gid)
        sql(url, f"CREATE TABLESPACE small LOCATION '{rows}'")
        sql(url, "CREATE DATABASE small TABLESPACE small")
        self.url = url.rsplit("/", 1)[0] + "/small"

    def test_nothing_acknowledged_is_lost_and_it_goes_on_with_room(self):
        self.use(self.url)
        answers = self.answers(self.url)
        left = os.statvfs(self.disk)
        filler = self.disk / "filler"
        filler.write_bytes(b"x" * (left.f_bavail * left.f_bsize - 64 * 1024))
        for i in range(60):
            put(self.folder, f"many/f{i}.c", "".join(f"int f{i}_{k}(int a) {{ return f{i}_{k - 1}(a); }}\n"
                                                     for k in range(200)))
        code, _, err = self.ken("index", url=self.url)
        self.assertNotEqual(code, 0)
        self.assertIn("free space at the database's server", err)
        shutil.rmtree(os.path.join(self.folder, "many"))
        self.assertEqual(self.answers(self.url)[:2], answers[:2])
        filler.unlink()
        put(self.folder, "b.c", "int beta(void)\n{\n    return 1;\n}\n")
        self.assertIn("beta", self.works("def", "beta", url=self.url))
        self.works("task", "new", "goes on", url=self.url)
        self.works("doctor", url=self.url)


class Backups(Servers):
    def test_a_dump_is_restored_whole(self):
        url = self.start()
        self.use(url)
        answers, before = self.answers(url), self.sums(url)  # the first question may keep something
        dump = self.place / "dump"
        subprocess.run([pg_lab.program("pg_dump"), "-Fc", "-n", "ken", "-f", dump, url], check=True)
        self.works("task", "new", "after the dump", url=url)
        sql(url, "CREATE DATABASE restored")
        restored = url.rsplit("/", 1)[0] + "/restored"
        subprocess.run([pg_lab.program("pg_restore"), "--exit-on-error", "-d", restored, dump], check=True)
        self.assertEqual(self.sums(restored), before)
        self.assertEqual(self.answers(restored), answers)
        self.works("doctor", url=restored)
        self.works("task", "new", "goes on", url=restored)
        put(self.folder, "b.c", "int beta(void)\n{\n    return 1;\n}\n")
        self.assertIn("beta", self.works("def", "beta", url=restored))

    def test_a_base_backup_is_a_whole_server(self):
        url = self.start()
        self.use(url)
        answers, before = self.answers(url), self.sums(url)  # the first question may keep something
        other = self.copy(url, "backup")
        self.works("task", "new", "after the backup", url=url)
        self.assertEqual(self.sums(other), before)
        self.assertEqual(self.answers(other), answers)
        self.works("checkpoint", "save", "goes on", url=other)


if __name__ == "__main__":
    sys.exit(lab.main("pg_servers"))
