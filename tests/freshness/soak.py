#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything at once, for a time, and then every answer is that of a fresh index.

One hand edits a tree, one works in it with git, one pushes to a remote repository that ken follows over git
http-backend and git daemon. `ken serve`, a `ken mcp` that it answers, a `ken mcp` that works alone and commands are
asked all the while, of the tree and of its worktrees, which share its index and come and go; `ken index`, `ken watch`,
jobs of the server and `ken repo sync` write, and `ken export` and `ken import` carry the index into a second data
folder; any of these processes is killed at any instant. No answer on the way may be a failure of ken's own.

Now and then the hands rest. Then each way to ask must give, for the tree, its worktrees and the clones, what an index
gives that was made just now in a data folder of its own, and both indexes must be equal row for row
(index_dump.c): files with their stamps, facts, references, postings, names and vectors of each content, what was
left out and why, the sums.

    soak.py --ken build/release/ken --dump build/release/tests/ken_index_dump [--seconds N] [--seed N] [--tree DIR]

The seed decides what each hand does, not how their steps interleave. Exits with 1 at the first difference; the folder
is kept then.
"""
import argparse
import contextlib
import collections
import faulthandler
import glob
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import changes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
import remote_lab  # noqa: E402

PATIENCE = 240  # seconds for one answer on a machine that is busy, with sanitizers
# What an answer says when it was made of less than there is.
BEHIND = ("in the index yet", "be behind its folder", "have changed since the index looked")
# What differs between two indexes of one tree beyond changes.VOLATILE: where they lie.
OWN = {"index_path", "store_bytes", "remote", "indexed_commit", "request_id"}
FAILURES = {"EINTERNAL", "ECORRUPT", "ENOMEM", "EIO", "EVERSION", "ENOSPC"}


class Difference(Exception):
    pass


def without(value, keys):
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [without(v, keys) for v in value]
    return value


def places(got, want, at="answer"):
    """Where two answers differ, and how."""
    if isinstance(got, dict) and isinstance(want, dict):
        return [p for k in sorted({*got, *want}) for p in places(got.get(k, "(absent)"), want.get(k, "(absent)"), f"{at}.{k}")]
    if isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        return [p for i, (g, w) in enumerate(zip(got, want)) for p in places(g, w, f"{at}[{i}]")]
    return [] if got == want else [f"{at}: {json.dumps(got)[:400]}\n      not {json.dumps(want)[:400]}"]


# ---- hands -----------------------------------------------------------------------------------------------------


class Hand(changes.Tree):
    """One of several at work in the same tree."""

    def __init__(self, letter, root, rng):  # the tree is there
        self.letter, self.root, self.rng, self.n = letter, root, rng, 0
        self.outside, self.worktrees = root + ".outside", []

    def files(self):
        return [f for f in super().files() if os.path.isfile(self.path(f))]  # pipes are there, too

    def fresh(self, prefix="made"):
        self.n += 1
        return f"{prefix}_{self.letter}{self.n}"

    # ---- edits ----

    def chmod(self):
        os.chmod(self.path(self.a_file()), self.rng.choice([0o644, 0o755, 0o600]))

    def other_encoding(self):
        f = self.a_file()
        text = self.read(f).decode("utf-8", "replace") + self.code(os.path.splitext(f)[1])
        how = self.rng.choice(["crlf", "utf-16", "utf-8-sig", "latin-1"])
        data = text.replace("\n", "\r\n").encode() if how == "crlf" else text.encode(how, "replace")
        self.write(f, data)

    def huge(self):
        ext = self.rng.choice([".c", ".py"])
        self.write(self.fresh("huge") + ext, self.code(ext) * self.rng.choice([300, 30000]))

    def truncate(self):
        f = self.a_file()
        os.truncate(self.path(f), self.rng.randrange(os.path.getsize(self.path(f)) + 1))

    def folder_to_file(self):
        folders = [f for f in self.folders()[1:] if f.count("/") > 0]
        if folders:
            f = self.rng.choice(folders)
            shutil.rmtree(self.path(f))
            self.write(f, self.code(".c"))

    def link_to_folder(self):
        os.symlink(self.rng.choice(["..", ".", "nowhere", self.outside]), self.path(self.fresh("link")))

    def pipe(self):
        os.mkfifo(self.path(self.fresh("pipe") + ".c"))

    def odd_name(self):
        name = self.rng.choice([b"caf\xc3\xa9_%d.py", b"latin\xe9_%d.py", b"new\nline_%d.py", b"-dash_%d.py", b"sp ace_%d.c",
                                b"Case_%d.py", b"case_%d.PY", b"\xf0\x9f\x92\xa1_%d.go"]) % self.rng.randrange(3)
        with open(os.path.join(self.root.encode(), name), "ab") as f:
            f.write(self.code(".py").encode())

    def copy(self):
        f = self.a_file()
        shutil.copy2(self.path(f), self.path(os.path.join(self.rng.choice(self.folders()),
                                                          self.fresh() + os.path.splitext(f)[1])))

    def burst(self):
        f = self.a_file()
        data = self.read(f)
        for i in range(50):
            self.write(f, data + b"\n" * i)

    EDITS = (["new_file"] * 4 + ["append"] * 8 + ["through_rename"] * 4 + ["delete", "rename", "edit_same_size_and_time"] * 2 +
             ["copy", "chmod", "other_encoding", "truncate", "odd_name"] * 2 +
             ["swap_two", "rename_folder", "new_folder_with_file", "empty_folder", "delete_folder", "empty_and_refill",
              "empty_out", "binary", "touch", "ignore", "ignore_nothing", "exclude", "exclude_for_user", "link_to_file",
              "link_to_folder", "write_through_another_name", "nested_repository", "environment", "build", "settings",
              "file_to_folder", "folder_to_file", "mapped", "huge", "pipe", "burst"])

    # ---- git ----

    def branches(self):
        return self.git("branch", "--format=%(refname:short)").stdout.decode().split() or ["main"]

    def stash_pop(self):
        self.git("stash", "pop")

    def merge(self):
        self.commit()
        if self.git("merge", "-q", "-m", self.fresh("m"), self.rng.choice(self.branches())).returncode:
            self.between()
            self.git("merge", "--abort")

    def rebase(self):
        self.commit()
        if self.git("rebase", "-q", self.rng.choice(self.branches())).returncode:
            self.between()
            self.git("rebase", "--abort")

    def tidy(self):
        self.git("gc", "-q", "--prune=now")

    def restart(self):
        """Back to the beginning: the tree does not wear out."""
        self.git("clean", "-qffdx")
        self.git("reset", "-q", "--hard")
        self.git("checkout", "-q", "-f", "main")

    def worktree_add(self):
        path = f"{self.root}.{self.fresh('worktree')}"
        if not self.git("worktree", "add", "-q", "-f", "--detach", path, self.rng.choice(self.branches())).returncode:
            self.worktrees.append(path)

    def worktree_edit(self):
        for path in self.worktrees[-1:]:
            with open(os.path.join(path, "here.py"), "a", encoding="utf-8") as f:
                f.write(self.code(".py"))

    def worktree_remove(self):
        if len(self.worktrees) > 1:
            self.git("worktree", "remove", "--force", self.worktrees.pop(0))

    GIT = (["commit"] * 2 + ["switch"] * 4 + ["branch", "merge", "rebase", "stash", "stash_pop", "worktree_edit"] * 2 +
           ["back", "reset", "add", "add_ignored", "untrack", "tidy", "restart", "worktree_add", "worktree_remove"])

    def resolve_settings(self):
        """A merge left both sides in the settings, with which no run begins; somebody takes none."""
        for root in (self.root, *self.worktrees):
            path = os.path.join(root, ".ken.yaml")
            with contextlib.suppress(OSError), open(path, "rb") as f:
                if b"<<<<<<<" in f.read():
                    os.truncate(path, 0)

    def act(self, kinds):
        name = self.rng.choice(kinds)
        try:
            getattr(self, name)()
        except (OSError, subprocess.CalledProcessError) as e:  # the other hand was quicker
            return f"{name} ({type(e).__name__})"
        return name


class Pusher:
    """Who works elsewhere and pushes to the remote repository."""

    def __init__(self, bare, root, rng):
        self.bare, self.rng, self.hand = bare, rng, Hand("p", root, rng)
        self.branches = {"main", "dev"}

    def push(self, branch, *more):
        return self.hand.git("push", "-q", *more, self.bare, f"HEAD:refs/heads/{branch}")

    def commit(self):
        for _ in range(self.rng.randrange(1, 6)):
            self.hand.act(["new_file", "append", "delete", "rename", "rename_folder", "binary", "other_encoding", "file_to_folder"])
        self.hand.commit()

    def act(self):
        what = self.rng.choice(["push"] * 5 + ["force", "amend", "vanish", "back"])
        branch = self.rng.choice(sorted(self.branches))
        if what == "vanish" and "dev" in self.branches:
            self.hand.git("push", "-q", self.bare, ":refs/heads/dev")
            self.branches.discard("dev")
            return what
        if what == "force":
            self.hand.git("reset", "-q", "--hard", "HEAD~2")
        self.commit()
        if what == "amend":
            self.hand.git("commit", "-q", "--amend", "-m", self.hand.fresh("again"))
        if what == "back":
            branch = "dev"
        self.push(branch, "--force")
        self.branches.add(branch)
        return what


# ---- ways to ask -----------------------------------------------------------------------------------------------


class Rest:
    def __init__(self, url, project):
        self.url, self.project = url, project

    def ask(self, tool, args):
        request = urllib.request.Request(f"{self.url}/api/v1/{tool}", json.dumps(dict(args, project=self.project)).encode(),
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return changes.clean(json.load(answer))
        except urllib.error.HTTPError as refused:
            with refused:
                return changes.clean({"error": json.load(refused)})


class Command:
    """One process for each question."""

    def __init__(self, soak, root, data):
        self.soak, self.root, self.data = soak, root, data

    def words(self, tool, args):
        if tool == "search_code":
            how = ["--mode", args["search_type"]] if "search_type" in args else []
            return ["search", args["query"], *how, "-k", str(args.get("limit", 10))]
        word = {"get_definition": "def", "find_usages": "refs", "query_impact": "impact", "get_architecture": "arch",
                "outline": "outline", "dead_code": "dead", "get_repo_status": "status"}[tool]
        return [word, "--", *args.values()] if args else [word]

    def ask(self, tool, args):
        words = self.words(tool, args)
        at = words.index("--") if "--" in words else len(words)
        done = self.soak.run(*words[:at], "--json", *words[at:], cwd=self.root, data=self.data)
        try:
            return changes.clean(json.loads(done.stdout))
        except ValueError:
            return {"text": done.stdout + done.stderr, "code": done.returncode}


def questions(hand, rng):
    found = [(tool, args) for tool, args in changes.questions(hand, rng)
             if not any("\n" in str(v) or "\udc80" <= c <= "\udcff" for v in args.values() for c in str(v))]
    return found + [("dead_code", {}), ("get_repo_status", {})]


# ---- the soak --------------------------------------------------------------------------------------------------


class Actor(threading.Thread):
    """Does one thing after the other, none of them while `turn` is held elsewhere."""

    def __init__(self, name, act, pause):
        super().__init__(name=name, daemon=True)
        self.act, self.pause, self.turn, self.ends = act, pause, threading.Lock(), False

    def run(self):
        while not self.ends:
            with self.turn:
                self.act()
            time.sleep(self.pause)


class Soak:
    def __init__(self, a, top, seed):
        self.ken, self.dump_program, self.top, self.seed = os.path.abspath(a.ken), os.path.abspath(a.dump), top, seed
        self.data, self.new = os.path.join(top, "data"), os.path.join(top, "new")
        self.second, self.bundle = os.path.join(top, "second"), os.path.join(top, "tree.kenindex")
        self.rng = self.chance("main")
        self.counts, self.trail = collections.Counter(), collections.deque(maxlen=40)
        self.failure, self.stops, self.lock = None, [], threading.Lock()
        self.root = os.path.join(top, "tree")
        changes.Tree(os.path.abspath(a.tree), self.root, self.chance("tree"))
        self.editor = Hand("e", self.root, self.chance("editor"))
        self.gitter = Hand("g", self.root, self.chance("git"))
        self.server_lock = threading.RLock()
        self.make_remote(os.path.abspath(a.tree))
        self.server, self.url = self.serve(self.data)
        self.clones = [self.add(f"http://127.0.0.1:{self.serve_http()}/shop.git", "shop", "main"),
                       self.add(f"git://127.0.0.1:{self.serve_daemon()}/shop.git", "daemon", "dev")]
        self.run("index", self.root)

    def chance(self, name):
        return random.Random(f"{self.seed} {name}")

    # ---- processes ----

    def env(self, data=None, **more):
        return dict(os.environ, KEN_DATA_DIR=data or self.data, **more)

    def run(self, *words, cwd=None, data=None, kill_after=None):
        p = subprocess.Popen([self.ken, *words], cwd=cwd or self.top, env=self.env(data), text=True, errors="replace",
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = p.communicate(timeout=kill_after or PATIENCE)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            if not kill_after:
                raise Difference(f"ken {' '.join(words)} did not end in {PATIENCE} s") from None
            self.counts["killed"] += 1
        if "Sanitizer" in err or (p.returncode < 0 and not kill_after):
            raise Difference(f"ken {' '.join(words)} ended with {p.returncode}:\n{err[-3000:]}")
        return subprocess.CompletedProcess(words, p.returncode, out, err)

    def serve(self, data):
        """A server of some data, and its address."""
        with open(os.path.join(self.top, "serve.log"), "a", encoding="utf-8") as log:
            p = subprocess.Popen([self.ken, "serve", "--port", "0", "--json"], env=self.env(data), cwd=self.top, text=True,
                                 stdout=subprocess.PIPE, stderr=log)
        line = p.stdout.readline()
        if not line:
            raise Difference(f"ken serve did not start ({p.wait()}): {self.top}/serve.log")
        return p, json.loads(line)["url"]

    def stop(self, server, how=signal.SIGTERM):
        server.send_signal(how)
        code = server.wait(PATIENCE)
        server.stdout.close()
        if code not in (0, -signal.SIGKILL):
            raise Difference(f"ken serve ended with {code}: {self.top}/serve.log")

    # ---- the remote repository ----

    def make_remote(self, source):
        self.bare, work = os.path.join(self.top, "srv", "shop.git"), os.path.join(self.top, "work")
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.bare], check=True)
        for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            subprocess.run(["git", "-C", self.bare, "config", key, "true"], check=True)
        changes.Tree(source, work, self.chance("work"))
        self.pusher = Pusher(self.bare, work, self.chance("push"))
        self.pusher.push("main")
        self.pusher.push("dev")

    def serve_http(self):
        handler = type("Handler", (remote_lab.Backend,), {"root": os.path.dirname(self.bare), "seen": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.stops.append(lambda: (server.shutdown(), server.server_close()))
        return server.server_address[1]

    def serve_daemon(self):
        port, stop = remote_lab.start_daemon(os.path.dirname(self.bare))
        self.stops.append(stop)
        return port

    def add(self, url, name, branch):
        added = self.run("repo", "add", url, "--name", name, "--branch", branch, "--json")
        if added.returncode:
            raise Difference(f"ken repo add {url}: {added.stdout}{added.stderr}")
        return name, branch, json.loads(added.stdout)["project"]["root"]

    # ---- what happens at once ----

    def note(self, who, what):
        self.counts[who] += 1
        self.trail.append(f"{who}: {what}")

    def index(self):
        rng = self.index_rng
        words = ["index", self.root] + rng.choice([[], [], ["--force"], ["--jobs", "1"]])
        self.run(*words, kill_after=rng.choice([0.02, 0.1, 0.3, 1, PATIENCE]))
        self.note("index runs", " ".join(words[2:]))

    def sync(self):
        rng = self.sync_rng
        name = rng.choice(self.clones)[0]
        self.run("repo", "sync", name, *rng.choice([[], [], ["--force"]]), kill_after=rng.choice([0.1, 0.5, PATIENCE, PATIENCE]))
        self.note("syncs", name)

    def worktree(self):
        """One of the worktrees is indexed, or asked by a process of its own; it may go meanwhile."""
        rng, paths = self.worktree_rng, list(self.gitter.worktrees)
        if not paths:
            return
        root = rng.choice(paths)
        if rng.random() < 0.3:
            self.run("index", root, *rng.choice([[], ["--force"]]), kill_after=rng.choice([0.1, 0.5, PATIENCE]))
            self.note("index runs of worktrees", os.path.basename(root))
            return
        try:
            question = rng.choice(questions(Hand("q", root, rng), rng))
            answer = Command(self, root, self.data).ask(*question)
        except OSError:
            return
        self.check_moving("a worktree", question, answer)
        self.note("questions of worktrees while all moved", "")

    def watch(self):
        """`ken watch` for some seconds, of the tree or a worktree; it ends as it is told to, or is killed."""
        rng = self.watch_rng
        root = rng.choice([self.root, self.root, *self.gitter.worktrees[-1:]])
        try:
            p = subprocess.Popen([self.ken, "watch", "--json"], cwd=root, env=self.env(), text=True, errors="replace",
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        except OSError:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            p.wait(rng.uniform(0.1, 6))
        how = rng.choice([signal.SIGTERM, signal.SIGTERM, signal.SIGKILL])
        if p.poll() is None:
            p.send_signal(how)
        out, err = p.communicate(timeout=PATIENCE)
        if "Sanitizer" in err or p.returncode not in (0, 1, -signal.SIGKILL, -signal.SIGTERM):
            raise Difference(f"ken watch of {root} ended with {p.returncode}:\n{err[-3000:]}")
        self.note("watches", f"{os.path.basename(root)} {how.name}")
        self.counts["updates of watches"] += out.count("\n")

    def travel(self):
        """The index of the tree goes into a second data folder, and replaces what is there."""
        rng = self.travel_rng
        for words in (["export", self.bundle], ["import", self.bundle, "--force", "--any-commit"]):
            data = self.second if words[0] == "import" else self.data
            done = self.run(*words, "--json", cwd=self.root, data=data, kill_after=rng.choice([0.1, PATIENCE, PATIENCE]))
            with contextlib.suppress(ValueError):
                self.check_moving(words[0], words, json.loads(done.stdout))
            if not done.returncode:
                self.note(f"{words[0]}s", "")

    def job(self):
        with self.server_lock:
            request = urllib.request.Request(f"{self.url}/api/v1/jobs", json.dumps({
                "kind": "index", "project": self.root, "force": self.job_rng.random() < 0.3}).encode(),
                {"Content-Type": "application/json"})
            try:
                urllib.request.urlopen(request, timeout=PATIENCE).close()
            except urllib.error.HTTPError as refused:  # as many jobs as may wait
                refused.close()
        self.note("jobs", "")

    def kill(self):
        with self.server_lock:
            self.stop(self.server, self.kill_rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
            self.server, self.url = self.serve(self.data)
        self.note("servers killed", "")

    def check_moving(self, way, question, answer):
        """What is asked while all moves is answered, whatever it then is."""
        text = json.dumps(answer)
        code = answer.get("code") or answer.get("error", {}).get("code") if isinstance(answer.get("error", {}), dict) else None
        if code in FAILURES or "is damaged" in text or "internal" in str(answer.get("text", ""))[:200]:
            raise Difference(f"{way} failed while all moved: {json.dumps(question)}\n  got  {text[:3000]}")

    def ways(self, way, root, data, url):
        if way == "serve":
            return Rest(url, root)
        if way == "command":
            return Command(self, root, data)
        # With other settings than those of the server it works alone; the others are answered by it.
        return changes.Server(self.ken, root, data, **({"KEN_CACHE_MEMORY_SIZE": "32MiB"} if way == "mcp alone" else {}))

    def asker(self, way):
        rng, state = self.chance(way), {}

        def ask():
            if way == "mcp alone" and state and rng.random() < 0.05:
                state.pop("at").p.kill()
            elif way.startswith("mcp") and state and rng.random() < 0.02:
                state.pop("at").close()
            if not state:
                state["at"] = self.ways(way, self.root, self.data, "")
            try:
                question = rng.choice(questions(self.editor, rng))
            except OSError:
                return
            if way == "serve":
                with self.server_lock:
                    state["at"].url = self.url
                    answer = state["at"].ask(*question)
            else:
                answer = state["at"].ask(*question)
            self.check_moving(way, question, answer)
            self.counts["questions while all moved"] += 1

        return ask

    def guarded(self, act):
        def run():
            if self.failure:
                return
            try:
                act()
            except Exception as e:  # any one ends the soak, from the main thread
                with self.lock:
                    self.failure = self.failure or e
        return run

    def actors(self):
        self.index_rng, self.sync_rng, self.job_rng, self.kill_rng = map(self.chance, ("index", "sync", "job", "kill"))
        self.worktree_rng, self.watch_rng, self.travel_rng = map(self.chance, ("worktree", "watch", "travel"))
        hands = [("editor", lambda: self.note("edits", self.editor.act(Hand.EDITS)), 0.05),
                 ("git", lambda: self.note("git operations", self.gitter.act(Hand.GIT)), 0.3),
                 ("pusher", lambda: self.note("pushes", self.pusher.act()), 1),
                 ("index", self.index, 0.5), ("sync", self.sync, 1), ("job", self.job, 2), ("killer", self.kill, 7),
                 ("worktree", self.worktree, 0.5), ("watch", self.watch, 1), ("travel", self.travel, 3)]
        ways = [("serve", 0.1), ("mcp", 0.1), ("mcp alone", 0.1), ("command", 0.2)]
        return [Actor(n, self.guarded(act), pause) for n, act, pause in hands] + [
            Actor(n, self.guarded(self.asker(n)), pause) for n, pause in ways]

    # ---- at rest ----

    def settled(self, way, question):
        """An answer that says it is behind is asked for again: another process may have been writing."""
        until = time.monotonic() + PATIENCE
        while True:
            answer = way.ask(*question)
            text = json.dumps(answer)
            if not any(part in text for part in BEHIND):
                vectors = answer.get("vectors", {})  # their bytes: dead ones, too
                for key in ("bytes", "total", "complete"):
                    vectors.pop(key, None)
                return without(answer, OWN)
            self.counts["answers that said they were behind"] += 1
            if time.monotonic() > until:
                raise Difference(f"still behind after {PATIENCE} s: {json.dumps(question)}\n  got  {text[:2000]}")
            time.sleep(0.2)

    def compare(self, root, name, asked):
        shutil.rmtree(self.new, ignore_errors=True)
        fresh = self.run("index", root, data=self.new)
        if fresh.returncode:
            raise Difference(f"a fresh index of {root}: {fresh.stdout}{fresh.stderr}")
        server, url = self.serve(self.new)
        ways = {way: (self.ways(way, root, self.data, self.url), self.ways(way, root, self.new, url))
                for way in ("serve", "mcp", "mcp alone", "command")}
        for way, (at, reference) in ways.items():
            for q in asked:
                got, want = self.settled(at, q), self.settled(reference, q)
                if got != want:
                    self.keep(got=got, wanted=want)
                    raise Difference(f"{way}, {name} at rest: {json.dumps(q)}\n    " + "\n    ".join(places(got, want)[:8]))
                self.counts["questions at rest"] += 1
            for client in (at, reference):
                if isinstance(client, changes.Server):
                    client.close()
        self.stop(server)
        self.compare_rows(root, name)

    def keep(self, **answers):
        for name, answer in answers.items():
            with open(os.path.join(self.top, f"{name}.json"), "w", encoding="utf-8") as f:
                json.dump(answer, f, indent=1)

    def rows(self, root, data):
        status = json.loads(self.run("status", "--json", root, data=data).stdout)
        path, project = status["index_path"], status["project"]["id"]
        tree = [] if project in path else [project]  # a worktree in the index of another
        done = subprocess.run([self.dump_program, path, *tree], text=True, errors="surrogateescape",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise Difference(f"the index of {root}: {done.stderr}")
        lines = done.stdout.splitlines()
        # After a forced run that was killed one content may stand twice: as it was, and as it was read anew.
        contents = {line for line in lines if line.startswith("content ")}
        return sorted([*contents, *(line for line in lines if not line.startswith("content "))])

    def compare_rows(self, root, name, data=None):
        got, want = self.rows(root, data or self.data), self.rows(root, self.new)
        self.counts["rows compared"] += len(want)
        if got != want:
            got, want = collections.Counter(got), collections.Counter(want)
            raise Difference(f"{name}: rows\n  only here: {sorted((got - want).elements())[:10]}\n"
                             f"  only in a fresh index: {sorted((want - got).elements())[:10]}")

    def compare_clone(self, name, branch, root):
        synced = self.run("repo", "sync", name)
        tree = f"{branch}^{{tree}}"
        there = subprocess.run(["git", "-C", self.bare, "rev-parse", tree], text=True, capture_output=True, check=False)
        here = subprocess.run(["git", "-C", root, "rev-parse", "HEAD^{tree}"], text=True, capture_output=True, check=False)
        if there.returncode == 0 and (synced.returncode or there.stdout != here.stdout):
            raise Difference(f"ken repo sync {name}: {synced.stdout}{synced.stderr}\n  there {there.stdout}  here {here.stdout}")
        if there.returncode and not synced.returncode:
            raise Difference(f"ken repo sync {name} of a branch that is gone: {synced.stdout}")
        self.compare(root, name, questions(Hand("q", root, self.rng), self.rng)[:4])

    def compare_second(self):
        """What was imported, and then brought up to date, is what a fresh index has."""
        if not os.path.exists(os.path.join(self.second, "indexes")):
            return
        shutil.rmtree(self.new, ignore_errors=True)
        for data in (self.second, self.new):
            done = self.run("index", self.root, data=data)
            if done.returncode:
                raise Difference(f"an index that was imported: {done.stdout}{done.stderr}")
        self.compare_rows(self.root, "an imported index", self.second)

    def rest(self):
        if self.failure:
            raise self.failure
        self.gitter.resolve_settings()
        hand = Hand("q", self.root, self.rng)
        hand.n = self.editor.n
        self.compare(self.root, "the tree", questions(hand, self.rng))
        for clone in self.clones:
            self.compare_clone(*clone)
        for path in self.gitter.worktrees[-2:]:
            self.run("index", path)
            self.compare(path, "a worktree", questions(Hand("q", path, self.rng), self.rng)[:4])
        self.compare_second()
        litter = [f for f in glob.glob(f"{self.data}/**/*", recursive=True) if ".damaged" in f]
        if litter:
            raise Difference(f"put aside as damaged: {litter}")
        self.counts["rests"] += 1

    def soak(self, seconds, every):
        actors = self.actors()
        for a in actors:
            a.start()
        began = told = time.monotonic()
        try:
            while True:
                until = time.monotonic() + self.rng.uniform(0.5, 1.5) * every
                while time.monotonic() < until and not self.failure:
                    time.sleep(0.1)
                for a in actors:
                    a.turn.acquire()
                self.rest()
                now = time.monotonic()
                if now - began > seconds:
                    break
                if now - told > 60:
                    told = now
                    print(f"{now - began:.0f} s: {self.figures()}", flush=True)
                for a in actors:
                    a.turn.release()
        finally:
            for a in actors:
                a.ends = True
        return time.monotonic() - began

    def figures(self):
        return ", ".join(f"{n:,} {name}" for name, n in sorted(self.counts.items()))

    def close(self):
        self.stop(self.server)
        for stop in self.stops:
            stop()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    ap.add_argument("--ken", required=True)
    ap.add_argument("--dump", required=True, help="ken_index_dump")
    ap.add_argument("--tree", default=os.path.join(here, "..", "data", "sample"))
    ap.add_argument("--seconds", type=float, default=600)
    ap.add_argument("--every", type=float, default=5, help="seconds between two rests")
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    seed = a.seed or random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}", flush=True)
    top = os.path.realpath(tempfile.mkdtemp(prefix="ken-soak-"))
    for name in [n for n in os.environ if n.startswith("KEN_")]:
        del os.environ[name]
    os.environ.update(HOME=top, XDG_CONFIG_HOME=os.path.join(top, "config"), KEN_SYNC_PROTOCOLS="https,http,git",
                      KEN_QUERY_TIMEOUT_SECONDS="120", KEN_INDEXING_TIMEOUT_SECONDS="86400")
    faulthandler.dump_traceback_later(a.seconds + 2 * PATIENCE, exit=True)
    soak = None
    try:
        soak = Soak(a, top, seed)
        took = soak.soak(a.seconds, a.every)
        soak.close()
    except BaseException as e:
        trail = "\n    ".join(list(soak.trail)[-12:]) if soak else ""
        print(f"seed {seed}: {e}\n  before that:\n    {trail}\n  tree kept: {top}", flush=True)
        if soak:
            print(f"  {soak.figures()}", flush=True)
            with contextlib.suppress(Exception):
                soak.close()  # who waits for our output would wait for theirs
        if not isinstance(e, Difference):
            raise
        os._exit(1)
    shutil.rmtree(top)
    print(f"{took:.0f} s, 0 differences: {soak.figures()}", flush=True)
    os._exit(0)  # clients of actors may still wait


if __name__ == "__main__":
    sys.exit(main())
