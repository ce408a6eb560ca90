#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Workers and servers at one database: each job is done by one of them, whatever happens to the others.

Whatever a job does to its row is written down by a trigger, so that what was done twice would be seen.
"""
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.request

import lab
import pg_lab
from lab import options, put

LEASE_S = 2
N_KILLS = 5
PATIENCE = 90

AUDIT = """
CREATE TABLE audit (place bigint GENERATED ALWAYS AS IDENTITY, job uuid, was text, now text, fence bigint, worker text);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (job, was, now, fence, worker) VALUES (new.id, old.state, new.state, new.fence, new.worker);
    RETURN new;
END $$;
CREATE TRIGGER audit AFTER UPDATE OF state ON ken.jobs FOR EACH ROW WHEN (old.state <> new.state) EXECUTE FUNCTION audit();
"""


def end(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it has ended


class Line:
    """A line to the database's server that can be cut: what is sent meanwhile arrives nowhere."""

    def __init__(self, url):
        host, port = url.split("@", 1)[1].split("/", 1)[0].rsplit(":", 1)
        self.there = (host, int(port))
        self.is_cut = False
        self.last_words = None
        self.open = []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = url.replace(f"@{host}:{port}", f"@127.0.0.1:{self.door.getsockname()[1]}")
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.door.accept()
                far = socket.create_connection(self.there)
            except OSError:
                return
            self.open += [near, far]
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(a, b), daemon=True).start()

    def carry(self, a, b):
        try:
            while data := a.recv(65536):
                if not self.is_cut:
                    b.sendall(data)
                    if self.last_words and self.last_words in data:
                        self.is_cut = True
        except OSError:
            pass
        end(a)
        end(b)
        a.close()

    def cut(self):
        self.is_cut = True

    def cut_after(self, words):
        self.last_words = words

    def mend(self):
        """Those that were cut are gone; new ones are carried."""
        for s in self.open:
            end(s)
        self.open = []
        self.last_words = None
        self.is_cut = False

    def close(self):
        self.door.close()
        self.mend()


class Workers(pg_lab.Postgres):
    def setUp(self):
        super().setUp()
        self.env["KEN_JOBS_LEASE_SECONDS"] = str(LEASE_S)
        self.env["ASAN_OPTIONS"] = self.env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # see pg_lab.ken
        self.assertEqual(self.ken("projects", "list")[0], 0)
        self.sql(AUDIT)
        self.n = 0
        self.logs = []

    def tearDown(self):
        for f in self.logs:
            f.close()
        super().tearDown()

    # ---- who works -----------------------------------------------------------------------------

    def worker(self, *words, **env):
        """A worker on a machine of its own, once it is ready; its log is in `.log`."""
        self.n += 1
        log = open(os.path.join(self.box.name, f"worker{self.n}.log"), "w+", encoding="utf-8")
        self.logs.append(log)
        p = subprocess.Popen([options.ken, "worker", "--json", *words], env=self.elsewhere(f"w{self.n}", **env), text=True,
                             stdout=subprocess.PIPE, stderr=log)
        p.log = log.name
        self.processes.append(p)
        p.worker = json.loads(p.stdout.readline())["worker"]
        return p

    def server(self, n=1, *words, **env):
        return self.serve("--max-running", "0", *words, env=self.elsewhere(f"s{n}", **env))[1]

    def sql(self, text):
        return pg_lab.sql(self.url, text).strip()

    def elsewhere(self, n, **more):
        return dict(super().elsewhere(n), **more)

    def said(self, p):
        with open(p.log, encoding="utf-8") as f:
            return f.read()

    # ---- what is to be done --------------------------------------------------------------------

    def project(self, name, n_files=2):
        """A project that nobody has indexed yet; its id."""
        for i in range(n_files):
            put(self.box.name, f"{name}/f{i}.c", f"int {name}_{i}(void)\n{{\n    return {i};\n}}\n" * 20)
        root = os.path.realpath(os.path.join(self.box.name, name))
        return self.sql(f"INSERT INTO ken.projects (name, path, created_at) VALUES ('{name}', '{root}', now()) "
                        "RETURNING id")

    def submit(self, url, project, kind="index", **more):
        return self.post(url, "jobs", dict(more, kind=kind, project=project))["id"]

    def job(self, url, job):
        return json.loads(self.get(url, f"/api/v1/jobs/{job}"))

    def state(self, job):
        return self.sql(f"SELECT state FROM ken.jobs WHERE id = '{job}'")

    def wait_for(self, job, state, seconds=PATIENCE):
        self.wait_until(lambda: self.state(job) == state, f"{job} is not {state}", seconds)

    def wait_for_all(self, seconds=PATIENCE):
        busy = "SELECT count(*) FROM ken.jobs WHERE state IN ('queued', 'running')"
        self.wait_until(lambda: self.sql(busy) == "0", "jobs are left", seconds)

    def check_each_was_done_once(self, jobs):
        states = dict(line.split("|") for line in self.sql("SELECT id, state FROM ken.jobs").splitlines())
        self.assertEqual({states[j] for j in jobs}, {"done"}, self.sql("SELECT * FROM ken.jobs WHERE state <> 'done'"))
        ends = self.sql("SELECT job, count(*) FILTER (WHERE now = 'done'), count(*) FILTER (WHERE was = 'done') FROM audit "
                        "GROUP BY job").splitlines()
        self.assertEqual(sorted(ends), sorted(f"{j}|1|0" for j in jobs))
        # Each run has a fence of its own, and the one that ended it was the last.
        self.assertEqual(self.sql("SELECT count(*) FROM audit a WHERE now = 'done' AND fence < (SELECT max(fence) FROM audit b "
                                  "WHERE b.job = a.job)"), "0")

    def hold(self, project):
        """Its index is written by a machine that says nothing and has all the time."""
        self.sql("INSERT INTO ken.index_runs (name, run, holder, place, session, lease_until) VALUES "
                 f"('project-{project}', gen_random_uuid(), 'far:1', '', 'nobody', now() + interval '1 hour')")

    def let_go(self, project):
        self.sql(f"DELETE FROM ken.index_runs WHERE name = 'project-{project}'")

    # ---- tests ---------------------------------------------------------------------------------

    def test_a_lease_is_prolonged_while_other_runs_begin(self):
        """Each run that begins adds a lease: none of them puts off when the others are prolonged."""
        url = self.server()
        slow = self.project("slow")
        root = os.path.realpath(os.path.join(self.box.name, "slow"))
        self.post(url, "index_repository", {"path": root})
        # Its next run waits for a row, longer than a lease and shorter than it may wait.
        holder = subprocess.Popen([pg_lab.program("psql"), "-qAt", self.url], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE)
        self.processes.append(holder)
        holder.stdin.write(f"BEGIN; SELECT 'held' FROM ken.index WHERE name = 'project-{slow}' FOR UPDATE;\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.readline(), "held\n")
        put(root, "late.c", "int late(void)\n{\n    return 1;\n}\n")
        failures = []

        def run():
            try:
                self.post(url, "index_repository", {"path": root})
            except OSError as e:
                failures.append(str(e))

        thread = threading.Thread(target=run)
        thread.start()
        lease = lambda: self.sql(f"SELECT run, lease_until > clock_timestamp() FROM ken.index_runs WHERE name = 'project-{slow}'")
        self.wait_until(lease, "it has not begun")
        began, first, n_begun = time.monotonic(), lease(), 0
        self.assertTrue(first.endswith("|t"))
        while time.monotonic() - began < 1.75 * LEASE_S:
            other = os.path.join(self.box.name, f"other{n_begun}")
            put(other, "a.c", f"int other_{n_begun}(void)\n{{\n    return 1;\n}}\n")
            self.post(url, "index_repository", {"path": other})
            n_begun += 1
            self.assertEqual(lease(), first, n_begun)
        self.assertGreater(n_begun, 3)
        holder.stdin.write("COMMIT;\n")
        holder.stdin.close()
        thread.join()
        self.assertEqual(failures, [])
        found = self.post(url, "search_code", {"query": "late", "project": root, "search_type": "symbol"})["results"]
        self.assertEqual([r["symbol_name"] for r in found], ["late"])

    def test_jobs_outlive_their_workers(self):
        dice = random.Random(int(os.environ.get("KEN_SEED", "17")))
        urls = [self.server(n) for n in (1, 2)]
        workers = [self.worker() for _ in range(3)]
        jobs = []
        for i in range(21):
            project = self.project(f"p{i}")
            for more in ({}, {"force": True}, {"kind": "embed"}):
                jobs.append(self.submit(dice.choice(urls), project, **more))
        for _ in range(N_KILLS):
            time.sleep(dice.uniform(0.05, 1.0))
            n = dice.randrange(len(workers))
            workers[n].kill()
            workers[n].wait()
            workers[n] = self.worker()
        self.wait_for_all()
        self.check_each_was_done_once(jobs)
        self.assertEqual(self.sql("SELECT count(*) FROM ken.projects WHERE last_indexed_at IS NOT NULL"), "21")
        for url in urls:
            found = self.post(url, "search_code", {"query": "p7_1", "project": "p7"})["results"]
            self.assertEqual(found[0]["symbol_name"], "p7_1")

    def test_who_sleeps_too_long_writes_nothing(self):
        url, project = self.server(), self.project("big", n_files=800)
        first = self.worker()
        job = self.submit(url, project)
        at_work = f"SELECT count(*) FROM ken.index_runs WHERE name = 'project-{project}'"
        self.wait_until(lambda: self.sql(at_work) == "1", "it does not begin", 30)
        first.send_signal(signal.SIGSTOP)
        self.assertEqual(self.state(job), "running")
        second = self.worker()
        self.wait_for(job, "done")
        self.assertEqual(self.sql(f"SELECT worker FROM ken.jobs WHERE id = '{job}'"), second.worker)
        made = f"SELECT generation FROM ken.tree t JOIN ken.index i ON i.id = t.index_id WHERE name = 'project-{project}'"
        generation = self.sql(made)
        first.send_signal(signal.SIGCONT)
        self.wait_until(lambda: "lost to another worker" in self.said(first), "it does not notice", 30)
        # It goes on with other jobs.
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(PATIENCE), 0)
        other = self.submit(url, self.project("other"))
        self.wait_for(other, "done")
        self.assertEqual(self.sql(made), generation)
        self.check_each_was_done_once([job, other])
        self.assertEqual(self.job(url, job)["interrupted_before"], 1)

    def test_a_worker_that_is_cut_off_loses_its_job(self):
        url, project = self.server(), self.project("p")
        line = Line(self.url)
        self.addCleanup(line.close)
        self.hold(project)
        far = self.worker(DATABASE_URL=line.url)
        job = self.submit(url, project)
        self.wait_for(job, "running")
        line.cut()
        near = self.worker()
        self.wait_until(lambda: self.sql(f"SELECT worker FROM ken.jobs WHERE id = '{job}'") == near.worker,
                        "nobody takes the job over", 30)
        self.let_go(project)
        self.wait_for(job, "done")
        line.mend()
        self.wait_until(lambda: "lost to another worker" in self.said(far), "it does not notice", 45)
        self.check_each_was_done_once([job])

    def test_a_worker_that_is_cut_off_in_the_middle_of_a_copy_holds_nobody_up(self):
        url, project = self.server(), self.project("p", n_files=20)
        line = Line(self.url)
        self.addCleanup(line.close)
        self.worker(DATABASE_URL=line.url)
        line.cut_after(b"COPY ken.")
        job = self.submit(url, project)
        in_copy = ("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' "
                   "AND query LIKE 'COPY ken.%'")
        self.wait_until(lambda: line.is_cut and self.sql(in_copy) == "1", "it writes nothing", 30)
        near = self.worker()
        self.wait_for(job, "done", 30)
        self.assertEqual(self.sql(f"SELECT worker FROM ken.jobs WHERE id = '{job}'"), near.worker)
        self.assertEqual(self.sql(in_copy), "0")
        self.check_each_was_done_once([job])

    def test_a_worker_that_is_cut_off_while_it_tells_of_progress_holds_nobody_up(self):
        url, project = self.server(), self.project("p", n_files=20)
        line = Line(self.url)
        self.addCleanup(line.close)
        self.worker(DATABASE_URL=line.url)
        line.cut_after(b"UPDATE ken.jobs\n    SET n_done")
        job = self.submit(url, project)
        self.wait_until(lambda: line.is_cut, "it tells nothing", 30)
        near = self.worker()
        self.wait_for(job, "done", 45)
        self.assertEqual(self.sql(f"SELECT worker FROM ken.jobs WHERE id = '{job}'"), near.worker)
        self.check_each_was_done_once([job])

    def test_connections_that_are_ended_cost_no_job(self):
        url, jobs = self.server(), []
        for i in range(8):
            jobs.append(self.submit(url, self.project(f"p{i}", n_files=20)))
        self.worker()
        for _ in range(6):
            self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                     "WHERE datname = current_database() AND pid <> pg_backend_pid()")
            time.sleep(0.3)
        self.wait_for_all()
        self.check_each_was_done_once(jobs)

    def events_until_end(self, url, job):
        """The states of a job as a server tells them, in a thread."""
        heard = []

        def listen():
            with urllib.request.urlopen(f"{url}/api/v1/jobs/{job}/events", timeout=PATIENCE) as stream:
                for line in stream:
                    if line.startswith(b"data: "):
                        heard.append(json.loads(line[6:])["state"])
        thread = threading.Thread(target=listen)
        thread.start()
        return thread, heard

    def check_far_server(self, **env):
        near, far = self.server(1, **env), self.server(2, **env)
        project, other = self.project("p"), self.project("q")
        self.hold(project)
        self.worker(**env)
        job = self.submit(near, project)
        self.wait_for(job, "running")
        thread, heard = self.events_until_end(far, job)
        time.sleep(0.5)
        request = urllib.request.Request(f"{far}/api/v1/jobs/{job}", method="DELETE")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            self.assertEqual(answer.status, 202)
        thread.join(PATIENCE)
        self.assertEqual(heard[-1], "cancelled")
        thread, heard = self.events_until_end(far, self.submit(near, other))
        thread.join(PATIENCE)
        self.assertEqual(heard[-1], "done")

    def test_a_server_tells_of_jobs_of_others_and_cancels_them(self):
        self.check_far_server()

    def test_nothing_needs_to_be_heard(self):
        self.check_far_server(KEN_JOBS_LISTEN="false")

    def test_a_project_with_many_jobs_delays_no_other(self):
        url, many, one = self.server(), self.project("many"), self.project("one")
        self.sql("INSERT INTO ken.job_turns (project) VALUES ('%s');"
                 "INSERT INTO ken.jobs (kind, state, project, params, n_tries, created_at) SELECT 'index', 'queued', '%s', "
                 "'{\"n\": ' || n || '}', 0, now() FROM generate_series(1, 50) n" % (many, many))
        last = self.submit(url, one)
        self.worker("--max-running", "1")
        self.wait_for(last, "done")
        before = self.sql("SELECT count(*) FROM ken.jobs j WHERE j.fence > 0 AND "
                          f"j.started_at < (SELECT started_at FROM ken.jobs WHERE id = '{last}')")
        self.assertLessEqual(int(before), 2)

    def test_what_kills_three_workers_is_given_up(self):
        url, project = self.server(), self.project("p")
        self.hold(project)
        job = self.submit(url, project)
        for n in range(3):
            worker = self.worker()
            self.wait_for(job, "running")
            worker.kill()
            worker.wait()
            if n < 2:
                self.wait_for(job, "queued")
                self.sql(f"UPDATE ken.jobs SET due_at = NULL WHERE id = '{job}'")
        self.wait_for(job, "interrupted")
        shown = self.job(url, job)
        self.assertIn("for the 3. time", shown["error"])
        self.assertIn(job, self.ken("jobs", "list", "--state", "interrupted")[1])
        self.let_go(project)
        self.worker()
        self.wait_for(self.submit(url, project), "done")

    def test_the_end_of_a_worker_gives_back_what_it_has(self):
        url, project = self.server(), self.project("p")
        self.hold(project)
        worker = self.worker(KEN_SERVER_DRAIN_SECONDS="1")
        code, out, _ = self.ken("worker", "--status", "--json")
        self.assertEqual(code, 0, out)
        self.assertEqual({w["kind"]: w["max_running"] for w in json.loads(out)["workers"]}, {"serve": 0, "worker": 2})
        job = self.submit(url, project)
        self.wait_for(job, "running")
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(PATIENCE), 0)
        shown = self.job(url, job)
        self.assertEqual((shown["state"], shown["interrupted_before"]), ("queued", 0))
        code, out, err = self.ken("worker", "--status")
        self.assertEqual(code, 1, out)
        self.assertIn("nobody takes jobs", err)
        self.let_go(project)
        self.worker()
        self.wait_for(job, "done")

    def test_one_machine_at_a_time_indexes_a_project(self):
        self.project("big", n_files=400)
        folder = os.path.join(self.box.name, "big")
        runs = [subprocess.Popen([options.ken, "index"], cwd=folder, env=self.elsewhere(n), text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for n in (1, 2)]
        texts = [p.communicate(timeout=PATIENCE) for p in runs]
        codes = sorted(p.returncode for p in runs)
        if codes != [0, 0]:  # they met
            self.assertEqual(codes, [0, 1], texts)
            self.assertIn("is writing the index", texts[0][1] + texts[1][1])
        self.assertEqual(self.sql("SELECT count(*) FROM ken.file"), "400")
        self.assertEqual(self.sql("SELECT count(*) FROM ken.index_runs"), "0")

    def test_a_clone_whose_time_has_come_is_synced_by_one(self):
        """Both servers and the worker look for it; the interval is an hour."""
        remote = os.path.join(self.box.name, "remote")
        put(remote, "a.c", "int alpha(void)\n{\n    return 1;\n}\n")
        lab.git("init", "-q", "-b", "main", cwd=remote)
        lab.git("add", "-A", cwd=remote)
        lab.git("commit", "-q", "-m", "one", cwd=remote)
        here = os.path.join(self.elsewhere("w1")["KEN_DATA_DIR"], "repos", "remote")
        os.makedirs(here)
        more = {"KEN_SYNC_PROTOCOLS": "file"}
        far = [self.server(n, **more) for n in (1, 2)]
        self.worker(**more)
        self.sql("WITH added AS (INSERT INTO ken.projects (name, path, created_at) VALUES "
                 f"('remote', '{os.path.realpath(here)}', now()) RETURNING id) INSERT INTO ken.remotes "
                 f"SELECT id, 'file://{remote}', '', '', 1, 3600 FROM added")
        synced = "SELECT count(*) FROM ken.jobs WHERE kind = 'sync' AND state = 'done'"
        self.wait_until(lambda: self.sql(synced) != "0", "it is not synced", 40)
        time.sleep(6)  # each has looked once more
        self.assertEqual(self.sql("SELECT count(*) FROM ken.jobs"), "1")
        found = self.post(far[1], "search_code", {"query": "alpha", "project": "remote"})["results"]
        self.assertEqual(found[0]["symbol_name"], "alpha")

    def test_files_have_no_workers(self):
        env = {k: v for k, v in self.env.items() if k != "DATABASE_URL"}
        for words, text in ((["worker"], "workers need a database"), (["serve", "--port", "0", "--max-running", "0"],
                                                                     "jobs.max_running is 0")):
            p = subprocess.run([options.ken, *words], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               timeout=PATIENCE)
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertIn(text, p.stderr)


if __name__ == "__main__":
    lab.main("workers")
