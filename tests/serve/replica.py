#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Questions on a streaming replica, and a replica that takes the primary's place."""
import socket
import sys
import threading

import lab
import pg_servers
from lab import put
from pg_lab import server, sql

CODE = "int {}(void)\n{{\n    return 1;\n}}\n"


class Replica(pg_servers.Servers):
    def setUp(self):
        super().setUp()
        self.primary = self.start()
        self.replica = self.copy(self.primary, "replica", "-R")
        self.env.update(DATABASE_URL=self.primary, DATABASE_REPLICA_URL=self.replica)

    def reads(self, url, how):
        return self.metric(url, f'ken_replica_reads{{how="{how}"}}')

    def wait_for_replica(self):
        self.wait_until(lambda: sql(self.primary, "SELECT pg_current_wal_flush_lsn()") ==
                        sql(self.replica, "SELECT pg_last_wal_replay_lsn()"), "the replica is behind")

    def find(self, url, name):
        found = self.post(url, "search_code", {"query": name, "project": self.folder, "search_type": "symbol"})["results"]
        return [r["symbol_name"] for r in found][:1]

    def test_questions_go_to_the_replica(self):
        url = self.serve()[1]
        self.post(url, "index_repository", {"path": self.folder})
        self.wait_for_replica()
        # The primary answers until the first look, which no question waits for.
        self.wait_until(lambda: self.find(url, "alpha") and self.reads(url, "answered"), "the replica is not used")
        before = self.reads(url, "answered")
        for _ in range(5):
            self.assertEqual(self.find(url, "alpha"), ["alpha"])
        self.assertGreaterEqual(self.reads(url, "answered"), before + 5)
        self.assertIn("it has what the primary has", self.works("doctor"))
        self.assertNotIn("replica", self.works("doctor", DATABASE_REPLICA_URL=""))

    def test_an_older_generation_is_never_shown(self):
        urls = [self.serve(env=dict(self.env, KEN_DATA_DIR=f"{self.box.name}/m{n}"))[1] for n in range(2)]
        self.post(urls[0], "index_repository", {"path": self.folder})
        self.wait_for_replica()
        self.find(urls[0], "alpha")
        sql(self.replica, "SELECT pg_wal_replay_pause()")
        put(self.folder, "b.c", CODE.format("beta"))
        self.assertEqual(self.find(urls[0], "beta"), ["beta"])  # made by this server: seen at once
        for _ in range(10):
            self.assertEqual(self.find(urls[0], "beta"), ["beta"])
        for _ in range(5):  # another server brings itself in step with the folder, or is behind for a second
            self.assertEqual(self.find(urls[1], "beta"), ["beta"])
        self.assertIn("behind", self.works("doctor"))
        sql(self.replica, "SELECT pg_wal_replay_resume()")
        self.wait_for_replica()
        before = self.reads(urls[0], "answered")
        self.wait_until(lambda: self.find(urls[0], "beta") and self.reads(urls[0], "answered") > before,
                        "the replica is used again")

    def test_while_it_changes_every_answer_is_whole_and_none_goes_back(self):
        url = self.serve()[1]
        self.post(url, "index_repository", {"path": self.folder})
        wrong, ends = [], threading.Event()

        def ask():
            newest = 0
            while not ends.is_set():
                n = self.post(url, "get_repo_status", {"project": self.folder})
                n = n.get("files_indexed", n.get("files", 0))
                if n < newest:
                    wrong.append((newest, n))
                newest = max(newest, n)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for t in threads:
            t.start()
        for i in range(12):
            put(self.folder, f"more{i}.c", CODE.format(f"more{i}"))
            self.assertEqual(self.find(url, f"more{i}"), [f"more{i}"])
            if i % 3 == 0:
                sql(self.replica, "SELECT pg_wal_replay_pause()" if i % 2 else "SELECT pg_wal_replay_resume()")
        ends.set()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_without_it_the_primary_answers_and_it_is_told(self):
        url = self.serve()[1]
        self.post(url, "index_repository", {"path": self.folder})
        self.wait_for_replica()
        self.assertEqual(self.find(url, "alpha"), ["alpha"])
        server.halt(self.place / "replica")
        for _ in range(5):
            self.assertEqual(self.find(url, "alpha"), ["alpha"])
        self.assertEqual(self.metric(url, 'ken_replica{what="down"}'), 1)
        self.assertIn("does not answer", self.works("doctor"))
        server.launch(self.place / "replica")
        self.wait_until(lambda: self.find(url, "alpha") and not self.metric(url, 'ken_replica{what="down"}'),
                        "it is used again", seconds=20)

    def test_one_that_was_promoted_is_not_asked(self):
        urls = [self.serve(env=dict(self.env, KEN_DATA_DIR=f"{self.box.name}/m{n}"))[1] for n in range(2)]
        self.post(urls[0], "index_repository", {"path": self.folder})
        self.wait_for_replica()
        for url in urls:
            self.wait_until(lambda: self.find(url, "alpha") and self.reads(url, "answered") > 0, "the replica is used")
        self.assertEqual(self.post(urls[1], "get_repo_status", {"project": self.folder})["replica"], {"state": "used"})
        server.promote(self.place / "replica")
        self.wait_until(lambda: self.find(urls[1], "alpha") and self.metric(urls[1], 'ken_replica{what="other"}'),
                        "it is told apart", seconds=20)
        # What one server writes at the primary the other one finds there.
        put(self.folder, "b.c", CODE.format("beta"))
        self.assertEqual(self.find(urls[0], "beta"), ["beta"])
        before = self.reads(urls[1], "answered")
        self.assertEqual(self.find(urls[1], "beta"), ["beta"])
        self.assertEqual(self.reads(urls[1], "answered"), before)
        told = self.post(urls[1], "get_repo_status", {"project": self.folder})["replica"]
        self.assertEqual(told["state"], "other")
        self.assertIn("it was promoted", told["reason"])
        self.assertIn("it was promoted", self.works("doctor"))
        self.assertIn("other: it was promoted", self.works("status"))

    def test_one_of_another_server_is_not_asked(self):
        other = self.start("other")
        self.works("index", url=other, DATABASE_REPLICA_URL="")
        put(self.folder, "b.c", CODE.format("beta"))
        self.works("index", DATABASE_REPLICA_URL="")
        self.env["DATABASE_REPLICA_URL"] = other
        url = self.serve()[1]
        for _ in range(20):
            self.assertEqual(self.find(url, "beta"), ["beta"])
        self.assertEqual(self.reads(url, "answered"), 0)
        self.assertIn("it belongs to another server", self.works("doctor"))
        # A role that may not read which server it is goes by positions alone.
        for one in (self.primary, other):
            sql(one, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public; CREATE ROLE reader LOGIN; "
                     "GRANT USAGE ON SCHEMA ken TO reader; GRANT ALL ON ALL TABLES IN SCHEMA ken TO reader")
        as_reader = {"DATABASE_REPLICA_URL": self.replica.replace("ken@", "reader@")}
        self.wait_for_replica()
        self.assertIn("it has what the primary has", self.works("doctor", **as_reader))

    def test_no_question_waits_for_it(self):
        self.works("index", DATABASE_REPLICA_URL="")
        with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and says nothing
            silent.settimeout(lab.PATIENCE)
            self.env["DATABASE_REPLICA_URL"] = f"postgres://ken@127.0.0.1:{silent.getsockname()[1]}/postgres"
            url = self.serve()[1]
            self.assertEqual(self.find(url, "alpha"), ["alpha"])
            caller, _ = silent.accept()
            with caller:
                caller.setblocking(False)
                caller.recv(1000)
                self.assertRaises(BlockingIOError, caller.recv, 1000)  # it is waited for still, and the answer was there
                self.wait_until(lambda: self.metric(url, 'ken_replica{what="down"}') == 1, "it is told", seconds=20)
            told = self.post(url, "get_repo_status", {"project": self.folder})["replica"]
            self.assertEqual(told["state"], "down")
            self.assertIn("no answer in 3 seconds", told["reason"])

    def test_a_promoted_replica_takes_the_place_of_the_primary(self):
        ports = [u.rsplit(":", 1)[1].split("/")[0] for u in (self.primary, self.replica)]
        both = f"postgres://ken@127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}/postgres?target_session_attrs=read-write"
        url = self.serve(env=dict(self.env, DATABASE_URL=both))[1]
        self.post(url, "index_repository", {"path": self.folder})
        tasks = [self.post(url, "create_task", {"title": f"task {i}"})["id"] for i in range(5)]
        self.wait_for_replica()
        server.halt(self.place / "one")
        server.promote(self.place / "replica")
        self.wait_until(lambda: self.answers_again(url), "it goes on", seconds=30)
        self.assertEqual({t["id"] for t in self.post(url, "list_tasks", {})["tasks"]}, set(tasks))
        self.post(url, "create_task", {"title": "after"})
        put(self.folder, "b.c", CODE.format("beta"))
        self.assertEqual(self.find(url, "beta"), ["beta"])

    def answers_again(self, url):
        try:
            return self.find(url, "alpha") == ["alpha"]
        except OSError:  # an answer of 5xx, too
            return False


if __name__ == "__main__":
    sys.exit(lab.main("replica"))
