#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ken watch`: what is saved is in the index without a question, in one update for what belongs together.

    watch.py --ken build/dev/ken [TEST …]
"""
import argparse
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

PATIENCE = 60
options = argparse.Namespace(ken="")


class Tree(unittest.TestCase):
    def setUp(self):
        self.box = tempfile.mkdtemp(prefix="ken-watch-")
        self.root = os.path.join(self.box, "tree")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KEN_", "GIT_"))}
        self.env.update(HOME=self.box, XDG_CONFIG_HOME=os.path.join(self.box, "config"),
                        KEN_DATA_DIR=os.path.join(self.box, "data"), GIT_CONFIG_NOSYSTEM="1")
        os.makedirs(self.root)
        self.save("a.c", "int alpha(void)\n{\n    return 1;\n}\n")

    def tearDown(self):
        shutil.rmtree(self.box, ignore_errors=True)

    # ---- the tree

    def save(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false",
                        "-c", "gc.auto=0", *words], cwd=self.root, env=self.env, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def two_branches(self, n):
        self.git("init", "-q", "-b", "one")
        for branch in ("one", "two"):
            if branch == "two":
                self.git("switch", "-q", "-c", "two")
            for i in range(n):
                self.save(f"part{i % 10}/m{i}.c", f"int {branch}_{i}(void)\n{{\n    return {i};\n}}\n")
            self.git("add", "-A")
            self.git("commit", "-q", "-m", branch)

    def is_found(self, name):
        """Of the index as it is: the question does not bring it up to date."""
        done = subprocess.run([options.ken, "def", name, "--json", "--no-index"], cwd=self.root, env=self.env,
                              capture_output=True, text=True)
        return name in done.stdout and bool(json.loads(done.stdout).get("definitions"))

    def wait_until_found(self, name):
        until = time.time() + PATIENCE
        while not self.is_found(name):
            self.assertLess(time.time(), until, f"'{name}' did not get into the index")
            time.sleep(0.2)


class Watching(Tree):
    def setUp(self):
        super().setUp()
        self.process = None

    def tearDown(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process:
            self.reader.join()
            self.process.stdout.close()
        super().tearDown()

    # ---- the command

    def watch(self, before=(), quiet_ms=200, at_most_ms=10000):
        env = dict(self.env, KEN_WATCH_QUIET=str(quiet_ms), KEN_WATCH_AT_MOST=str(at_most_ms))
        self.process = subprocess.Popen([*before, options.ken, "watch", "--json"], cwd=self.root, env=env, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read, args=(self.process.stdout, self.lines))
        self.reader.start()
        return self.take("watching")

    @staticmethod
    def read(stream, lines):
        for line in stream:
            if line.startswith('{"'): # the last may be an error, over several lines
                lines.put((time.time(), json.loads(line)))

    def take(self, event="update"):
        """The next line of that kind; other kinds are a mistake."""
        self.at, line = self.lines.get(timeout=PATIENCE)
        self.assertEqual(line["event"], event, line)
        return line

    def no_more(self, seconds=1.0):
        time.sleep(seconds)
        self.assertEqual(list(self.lines.queue), [])

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def changes(self, update):
        return {k: update[k] for k in ("modified", "added", "renamed", "removed") if update[k]}

    # ---- what is told

    def test_a_save_is_one_update_and_is_found_without_a_question(self):
        self.assertEqual(self.watch()["files"], 1)
        self.save("a.c", "int beta(void)\n{\n    return 1;\n}\n")
        update = self.take()
        self.assertEqual(self.changes(update), {"modified": 1})
        self.assertEqual(update["paths"], [{"path": "a.c", "change": "modified"}])
        self.assertTrue(self.is_found("beta"))
        self.assertFalse(self.is_found("alpha"))
        self.no_more()
        self.stop()

    def test_saves_that_follow_each_other_are_one_update(self):
        self.watch(quiet_ms=600)
        for i in range(8):
            self.save("a.c", f"int saved_{i}(void)\n{{\n    return 1;\n}}\n")
            self.save(f"b{i}.c", f"int b{i};\n")
            last = time.time()
            time.sleep(0.1)
        self.assertEqual(self.changes(self.take()), {"modified": 1, "added": 8})
        self.assertGreater(self.at - last, 0.6)
        self.assertTrue(self.is_found("saved_7"))
        self.no_more()
        self.stop(signal.SIGINT)

    def test_a_rename_is_a_rename(self):
        self.watch()
        os.rename(os.path.join(self.root, "a.c"), os.path.join(self.root, "z.c"))
        self.assertEqual(self.changes(self.take()), {"renamed": 1})
        os.makedirs(os.path.join(self.root, "deep"))
        os.rename(os.path.join(self.root, "z.c"), os.path.join(self.root, "deep/z.c"))
        self.assertEqual(self.changes(self.take()), {"renamed": 1})
        self.stop()

    def test_ignore_files_are_heeded(self):
        self.save("made/m.c", "int made(void)\n{\n    return 1;\n}\n")
        self.git("init", "-q")
        self.watch()
        self.save(".gitignore", "made/\n")
        self.assertEqual(self.changes(self.take()), {"added": 1, "removed": 1})
        self.save("made/n.c", "int more;\n") # nobody is told of it
        self.no_more()
        self.save(".git/info/exclude", "a.c\n") # outside of the tree
        self.assertEqual(self.changes(self.take()), {"removed": 1})
        os.unlink(os.path.join(self.root, ".gitignore"))
        self.assertEqual(self.changes(self.take()), {"added": 2, "removed": 1})
        self.stop()

    def test_a_switch_of_500_files_is_one_update(self):
        self.two_branches(500)
        self.watch()
        self.git("switch", "-q", "one")
        self.assertEqual(self.changes(self.take()), {"modified": 500})
        self.assertTrue(self.is_found("one_499"))
        self.no_more()
        self.git("commit", "-q", "--allow-empty", "-m", "nothing") # the same files, another commit
        self.assertEqual(self.changes(self.take()), {})
        self.stop()

    def test_a_git_command_is_waited_for_but_not_for_ever(self):
        self.two_branches(3)
        self.watch(at_most_ms=3000)
        lock = os.path.join(self.root, ".git", "index.lock")
        open(lock, "w").close()
        self.save("a.c", "int during;\n")
        self.no_more(1.2)
        os.unlink(lock)
        ended = time.time()
        self.assertEqual(self.changes(self.take()), {"modified": 1})
        self.assertLess(self.at - ended, 1.5)
        open(lock, "w").close() # one that was left behind
        self.save("a.c", "int after;\n")
        self.take()
        self.stop()

    # ---- when much happens

    def test_more_than_the_kernel_can_hold_is_looked_at_whole(self):
        self.watch()
        self.process.send_signal(signal.SIGSTOP)
        names = [os.path.join(self.root, n) for n in ("a.c", "b.c")]
        with open("/proc/sys/fs/inotify/max_queued_events") as f:
            n = int(f.read()) + 10
        for i in range(n // 2 + 1): # by turns: two like each other in a row would be one event
            for name in names:
                with open(name, "a") as f:
                    f.write("\n")
        self.save("last.c", "int last_of_all(void)\n{\n    return 1;\n}\n")
        self.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.changes(self.take()), {"modified": 1, "added": 2})
        self.assertTrue(self.is_found("last_of_all"))
        self.stop()

    def test_a_file_that_never_rests_is_indexed_now_and_then(self):
        self.watch(quiet_ms=300, at_most_ms=1500)
        began, before, i = time.time(), self.cpu_seconds(), 0
        while time.time() - began < 5 or (self.lines.qsize() < 2 and time.time() - began < PATIENCE):
            self.save("a.c", f"int never_{i}(void)\n{{\n    return {i};\n}}\n")
            i += 1
            time.sleep(max(0.0, began + i / 1000 - time.time()))
        used = self.cpu_seconds() - before
        self.assertGreater(i, 1000)
        n, took = self.lines.qsize(), time.time() - began
        self.assertGreaterEqual(n, 2) # not only when it rests
        self.assertLessEqual(n, took / 1.5 + 1) # and not at each save
        self.assertLess(used, took / 2)
        self.wait_until_found(f"never_{i - 1}")
        self.stop()

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_a_file_that_is_cut_off_while_it_is_read(self):
        text = "".join(f"int cut_{i}(void)\n{{\n    return {i};\n}}\n" for i in range(15000))
        self.save("big.c", text)
        self.watch(quiet_ms=0, at_most_ms=10)
        path = os.path.join(self.root, "big.c")
        for i in range(150):
            with open(path, "r+") as f:
                f.truncate((i * 7919) % len(text))
            with open(path, "w") as f:
                f.write(text)
        self.save("big.c", "int whole_again(void)\n{\n    return 1;\n}\n")
        self.wait_until_found("whole_again")
        self.assertIsNone(self.process.poll())
        self.stop()

    def test_nothing_wakes_up_while_nothing_happens(self):
        self.two_branches(20)
        self.watch()
        self.no_more(0.5)
        before = self.switches()
        time.sleep(3)
        self.assertEqual(self.switches(), before)
        self.stop()

    def switches(self):
        n = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/status") as f:
                n += sum(int(line.split()[1]) for line in f if "ctxt_switches" in line)
        return n

    # ---- what stands in the way

    def without(self, what, n):
        """A program that starts another whose user may have `n` of them only."""
        script = f"echo {n} > /proc/sys/user/max_inotify_{what} && exec \"$@\""
        before = ["unshare", "-Ur", "sh", "-c", script, "sh"]
        try:
            subprocess.run([*before, "true"], check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("user namespaces cannot be made here")
        return before

    def polls(self, what, n, setting):
        os.makedirs(os.path.join(self.root, "x/y/z"))
        self.save("x/y/z/deep.c", "int deep;\n")
        self.watch(before=self.without(what, n))
        polling = self.take("polling")
        self.assertIn(f"sudo sysctl fs.inotify.{setting}=", polling["why"])
        self.assertGreaterEqual(polling["every_ms"], 2000)
        self.save("a.c", "int polled(void)\n{\n    return 1;\n}\n")
        self.assertEqual(self.changes(self.take()), {"modified": 1})
        self.assertTrue(self.is_found("polled"))
        self.stop()

    def test_without_watches_it_polls_and_says_what_raises_the_limit(self):
        self.polls("watches", 2, "max_user_watches")

    def test_without_instances_too(self):
        self.polls("instances", 0, "max_user_instances")

    def test_a_folder_that_goes_and_comes(self):
        self.watch()
        shutil.rmtree(self.root)
        line = self.take_error()
        self.assertIn("is gone", line["message"])
        self.save("a.c", "int risen(void)\n{\n    return 1;\n}\n")
        self.wait_until_found("risen")
        while not self.lines.empty():
            self.lines.get()
        self.save("a.c", "int risen_again(void)\n{\n    return 1;\n}\n")
        self.take()
        self.assertTrue(self.is_found("risen_again"))
        self.stop()

    def take_error(self):
        while True: # the files went first
            _, line = self.lines.get(timeout=PATIENCE)
            if line["event"] == "error":
                return line

    def test_a_project_that_is_removed_ends_it(self):
        self.watch()
        subprocess.run([options.ken, "projects", "remove", "tree", "--yes"], cwd=self.root, env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.save("a.c", "int unheard;\n")
        self.assertEqual(self.process.wait(PATIENCE), 1)

    def test_the_end_in_the_middle_of_an_update_loses_nothing(self):
        self.watch(quiet_ms=0, at_most_ms=10)
        for round in range(6):
            for i in range(300):
                self.save(f"n{i}.c", f"int round_{round}_{i}(void)\n{{\n    return {i};\n}}\n")
            time.sleep(0.05 * round)
            self.stop(signal.SIGTERM if round % 2 else signal.SIGINT)
            self.reader.join()
            self.process.stdout.close()
            self.watch(quiet_ms=0, at_most_ms=10)
            for i in (0, 150, 299):
                self.assertTrue(self.is_found(f"round_{round}_{i}"))
        self.stop()

    def test_a_reader_that_goes_ends_it(self):
        env = dict(self.env, KEN_WATCH_QUIET="0")
        process = subprocess.Popen([options.ken, "watch"], cwd=self.root, env=env, text=True, stdout=subprocess.PIPE)
        self.assertIn("watching 1 file of", process.stdout.readline())
        process.stdout.close()
        self.save("a.c", "int unread;\n")
        self.assertEqual(process.wait(PATIENCE), 0)


class Following(Tree):
    """What servers do without a question, where they were asked to."""

    def setUp(self):
        super().setUp()
        self.index(self.root)
        self.process = None

    def tearDown(self):
        if self.process:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream:
                    stream.close()
        super().tearDown()

    def index(self, root):
        subprocess.run([options.ken, "index"], cwd=root, env=self.env, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def start(self, *words, **settings):
        self.process = subprocess.Popen([options.ken, *words], cwd=self.root, env=dict(self.env, **settings), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def serve(self, *words, **settings):
        self.start("serve", "--port", "0", "--json", *words, **settings)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics") as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[-1])
        return 0

    def wait_for(self, name, value):
        until = time.time() + PATIENCE
        while self.metric(name) != value:
            self.assertLess(time.time(), until, f"{name} is {self.metric(name)}")
            time.sleep(0.2)

    def status(self):
        with urllib.request.urlopen(self.url + "/api/v1/get_repo_status?project=tree&format=json") as answer:
            return json.load(answer).get("watch")

    FOLLOWED = 'ken_watch_projects{how="kernel"}'

    def test_serve_follows_when_it_is_asked_to(self):
        self.serve("--watch")
        self.wait_for(self.FOLLOWED, 1)
        self.save("a.c", "int beta(void)\n{\n    return 1;\n}\n")
        self.wait_until_found("beta")
        self.assertEqual(self.status()["how"], "kernel")
        self.assertGreater(self.metric("ken_watch_entries"), 0)
        subprocess.run([options.ken, "projects", "archive", "tree"], cwd=self.root, env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.wait_for(self.FOLLOWED, 0) # another process has done it
        self.assertIsNone(self.status())
        subprocess.run([options.ken, "projects", "archive", "tree", "--undo"], cwd=self.root, env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.wait_for(self.FOLLOWED, 1)
        self.save("a.c", "int gamma(void)\n{\n    return 1;\n}\n")
        self.wait_until_found("gamma")
        self.process.terminate()
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def test_and_not_otherwise(self):
        self.serve()
        self.save("a.c", "int beta(void)\n{\n    return 1;\n}\n")
        time.sleep(1.5)
        self.assertFalse(self.is_found("beta"))
        self.assertEqual(self.metric(self.FOLLOWED), 0)

    def test_no_more_projects_than_settings_say(self):
        for i in range(3):
            other = os.path.join(self.box, f"other{i}")
            os.makedirs(other)
            with open(os.path.join(other, "o.c"), "w") as f:
                f.write("int other;\n")
            self.index(other)
        self.serve(KEN_WATCH="1", KEN_WATCH_PROJECTS="2")
        self.wait_for(self.FOLLOWED, 2)
        time.sleep(1)
        self.assertEqual(self.metric(self.FOLLOWED), 2)
        self.assertIsNone(self.status()) # the one that was indexed first
        with urllib.request.urlopen(self.url + "/api/v1/get_definition?project=tree&symbol_name=alpha"):
            pass
        until = time.time() + PATIENCE
        while not self.status(): # now it was asked last
            self.assertLess(time.time(), until)
            time.sleep(0.1)
        self.wait_for(self.FOLLOWED, 2)

    def mcp(self, method, **params):
        self.n = getattr(self, "n", 0) + 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.n:
                return answer["result"]

    def begin_mcp(self, *words):
        self.start("mcp", *words)
        self.mcp("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"})
        self.mcp("tools/call", name="get_definition", arguments={"symbol_name": "alpha"})
        self.save("a.c", "int beta(void)\n{\n    return 1;\n}\n")

    def test_mcp_follows_the_projects_that_were_asked(self):
        self.begin_mcp("--watch")
        self.wait_until_found("beta")
        for i in range(30): # questions and saves at once
            self.save("a.c", f"int both_{i}(void)\n{{\n    return 1;\n}}\n")
            answer = self.mcp("tools/call", name="get_definition", arguments={"symbol_name": f"both_{i}"})
            self.assertIn(f"both_{i}", json.dumps(answer))
            self.assertFalse(answer.get("isError"), answer)
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE), 0)
        self.process.stdin = None

    def test_a_repository_that_is_being_made_is_left_out_once_it_is_one(self):
        self.two_branches(3)
        self.begin_mcp()
        ask = lambda name: json.dumps(self.mcp("tools/call", name="get_definition", arguments={"symbol_name": name}))
        self.save("sub/deep/inner.c", "int inner(void)\n{\n    return 1;\n}\n")
        os.mkdir(os.path.join(self.root, "sub", ".git"))
        self.assertIn("inner.c", ask("inner"))  # git does not take it for one yet
        subprocess.run(["git", "init", "-q", os.path.join(self.root, "sub")], env=self.env, check=True)
        self.assertNotIn("inner.c", ask("inner"))

    def test_mcp_does_not_otherwise(self):
        self.begin_mcp()
        time.sleep(1.5)
        self.assertFalse(self.is_found("beta"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ken", required=True)
    _, rest = parser.parse_known_args(namespace=options)
    options.ken = os.path.realpath(options.ken)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
