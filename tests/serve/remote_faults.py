#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What can go wrong with a remote repository, over real transports: a full disk, a kill, damage at either end, a
branch that goes in the middle of a sync, a remote that is gone or refuses, names that no file system likes.

Each ends alike: the old index answers, the failure is told with what to do, nothing is left that fills the disk, and
the next sync after the cause is gone does the rest.

    remote_faults.py --ken build/dev/ken [--commits N [--figures 1]]
"""
import glob
import http.server
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.error

import lab
from lab import PATIENCE
from remote_lab import DAY, RemoteLab

MIB = 1 << 20


def damage(path, how):
    """Truncates a file, empties it, or flips bits all over it."""
    os.chmod(path, 0o600)
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if how == "flipped":
        for i in range(20, len(data) - 20, 7):
            data[i] ^= 0x55
    with open(path, "wb") as f:
        f.write(data if how == "flipped" else data[:len(data) // 2] if how == "truncated" else b"")


class RemoteFaults(RemoteLab):
    def add(self, url=None, **more):
        added = self.ask("repo", "add", url or f"http://127.0.0.1:{self.serve_http()}/shop.git", "--name", "shop", **more)
        self.root = added["project"]["root"]
        return added

    def row(self):
        [row] = self.ask("repo", "list")["repositories"]
        return row

    def sync(self):
        return self.ask("repo", "sync", "shop")

    def failed(self, *args, code, words):
        """What a command says that fails, which the list of repositories repeats."""
        done = self.ken(*(args or ("repo", "sync", "shop")), "--json", code=1)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["code"], code, error)
        for part in (words,) if isinstance(words, str) else words:
            self.assertIn(part, error["message"])
        return error["message"]

    def is_told(self, words):
        row = self.row()
        self.assertEqual(row["state"], "failing", row)
        self.assertIn(words, row["error"])

    def litter(self, repos=None):
        """What no clone needs: parts of packs, locks, repositories that were set aside."""
        repos = repos or os.path.join(self.env["KEN_DATA_DIR"], "repos")
        found = [f for pattern in ("tmp_*", ".tmp-*", "*.keep", "*.lock", "ken-before")
                 for f in glob.glob(f"{repos}/*/.git/**/{pattern}", recursive=True, include_hidden=True)]
        return found + glob.glob(f"{repos}/.*.git-before")

    def push_text(self, name, n_bytes):
        """Of digits that no compression makes small."""
        self.put(name, os.urandom(n_bytes // 2).hex())

    # ---- a full disk ----

    def on_small_disk(self, size):
        """The data folder is a file system of its own from now on, in a namespace that lives as long as the test."""
        data = self.env["KEN_DATA_DIR"]
        os.makedirs(data)
        holder = subprocess.Popen(["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size={size} tmpfs "$0" && echo up && '
                                   'while read -r size; do mount -o remount,size=$size "$0" && echo up; done', data],
                                  text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def stop():
            holder.stdin.close()
            holder.wait(PATIENCE)
            holder.stdout.close()

        self.servers.append(stop)
        self.assertEqual(holder.stdout.readline(), "up\n")
        self.before_ken = ("nsenter", "--preserve-credentials", "-U", "-m", "-t", str(holder.pid))
        self.disk = f"/proc/{holder.pid}/root{data}"

        def grow(size):
            holder.stdin.write(f"{size}\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), "up\n")

        return grow

    def used(self):
        s = os.statvfs(self.disk)
        return (s.f_blocks - s.f_bfree) * s.f_frsize

    @unittest.skipUnless(lab.may_mount(), "no namespaces here")
    def test_a_disk_that_is_full_in_a_first_clone(self):
        grow = self.on_small_disk("24m")
        self.push_text("data/table.txt", 60 * MIB)
        self.push("a large file")
        url = f"http://127.0.0.1:{self.serve_http()}/shop.git"
        self.failed("repo", "add", url, code="ENOSPC", words=("No space left", "free some room"))
        self.assertFalse(self.litter(self.disk + "/repos"))
        self.assertLess(self.used(), 4 * MIB)
        grow("300m")
        self.add(url)
        self.assertTrue(self.found("add_to_cart"))

    @unittest.skipUnless(lab.may_mount(), "no namespaces here")
    def test_a_disk_that_is_full_in_a_fetch_and_in_a_checkout(self):
        grow = self.on_small_disk("24m")
        self.add()
        for name, text in (("data/table.txt", os.urandom(16 * MIB).hex()), ("data/zeros.txt", "0\n" * (30 * MIB))):
            self.put(name, text)
            self.put("src/pay.py", f"def pay_{len(text)}():\n    return 1\n")
            self.push(name)
            self.failed(code="ENOSPC", words="free some room")
            self.is_told("free some room")
            self.assertTrue(self.found("add_to_cart"))
            self.assertFalse(self.litter(self.disk + "/repos"))
            self.assertLess(self.used(), 22 * MIB)
            grow("400m")
            self.assertIn("src/pay.py", str(self.sync()))
            self.assertTrue(self.found(f"pay_{len(text)}"))
            self.git("rm", "-q", name)
            self.push("small again")
            self.ken("repo", "sync", "shop", "--force")  # without what was fetched before
            grow("24m")

    # ---- a kill ----

    def slow(self, handler):
        """The answer with the pack stands still in the middle, and is cut off there when `go` is set."""
        stands, go = threading.Event(), threading.Event()

        def send(to, body):
            if len(body) < 100000:
                to.write(body)
                return
            to.write(body[:len(body) // 2])
            to.flush()
            stands.set()
            go.wait(PATIENCE)
            raise ConnectionResetError

        handler.send = staticmethod(send)
        self.servers.append(go.set)
        return stands, go

    def start(self, *args):
        p = subprocess.Popen([lab.options.ken, *args], env=self.env, cwd=self.box, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        return p

    def test_ken_is_killed_in_the_middle_of_a_clone(self):
        self.push_text("data/table.txt", 2 * MIB)
        self.push("a large file")
        url = f"http://127.0.0.1:{self.serve_http()}/shop.git"
        for _ in range(2):
            stands, go = self.slow(self.handler)
            p = self.start("repo", "add", url, "--name", "shop")
            self.assertTrue(stands.wait(PATIENCE))
            p.kill()
            p.communicate()
            go.set()
        self.handler.send = None
        self.assertEqual(self.row()["state"], "never_synced")
        self.add(url)
        self.assertTrue(self.found("add_to_cart"))
        self.assertFalse(self.litter())

    def test_git_is_killed_in_the_middle_of_a_fetch(self):
        self.add()
        self.push_text("data/table.txt", 2 * MIB)
        self.push("a large file")
        stands, go = self.slow(self.handler)
        p = self.start("repo", "sync", "shop", "--json")
        self.assertTrue(stands.wait(PATIENCE))
        children = subprocess.run(["pgrep", "-P", str(p.pid)], text=True, capture_output=True).stdout.split()
        self.assertTrue(children)
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        out, _ = p.communicate(timeout=PATIENCE)
        go.set()
        self.assertEqual(p.returncode, 1)
        self.assertIn("git", json.loads(out)["error"]["message"])
        self.is_told("git")
        self.assertTrue(self.found("add_to_cart"))
        self.handler.send = None
        self.assertEqual(self.sync()["added"], ["data/table.txt"])
        self.assertFalse(self.litter())

    def test_locks_and_parts_that_a_kill_left_are_removed(self):
        self.add()
        dot_git = self.root + "/.git"
        for name in ("index.lock", "HEAD.lock", "config.lock", "shallow.lock", "refs/heads/main.lock",
                     "refs/remotes/origin/main.lock", "objects/pack/tmp_pack_a", "objects/pack/tmp_idx_a",
                     "objects/00/tmp_obj_a", "ken-before/objects/x"):
            os.makedirs(os.path.dirname(f"{dot_git}/{name}"), exist_ok=True)
            lab.put(dot_git, name, "")
        self.put("src/pay.py", "def pay_now():\n    return 1\n")
        self.push("two")
        self.assertEqual(self.sync()["added"], ["src/pay.py"])
        self.assertFalse(self.litter())

    # ---- damage ----

    def packs(self, repository, ext="pack"):
        found = glob.glob(f"{repository}/objects/pack/*.{ext}")
        self.assertTrue(found)
        return found

    def test_a_clone_with_damaged_packs_is_made_anew_or_heals(self):
        self.add()
        for ext in ("pack", "idx"):
            for how in ("truncated", "emptied", "flipped"):
                for path in self.packs(self.root + "/.git", ext):
                    damage(path, how)
                name = f"pay_{ext}_{how}"
                self.put("src/pay.py", f"def {name}():\n    return 1\n")
                self.git("rm", "-q", "--ignore-unmatch", "src/gone.py")
                self.push(name)
                self.sync()
                self.assertTrue(self.found(name), (ext, how))
                self.assertEqual(self.row()["state"], "synced")
                self.assertFalse(self.litter())
                self.git("fsck", "--connectivity-only", cwd=self.root)

    def test_a_damaged_clone_of_a_remote_that_is_gone_stays(self):
        self.add()
        for path in self.packs(self.root + "/.git"):
            damage(path, "flipped")
        lab.put(self.root, ".git/index", "nonsense")
        objects = sorted(os.listdir(self.root + "/.git/objects/pack"))
        self.servers.pop()()
        self.failed(code="EREMOTE", words="next sync tries again")
        self.assertEqual(sorted(os.listdir(self.root + "/.git/objects/pack")), objects)
        self.assertTrue(self.found("add_to_cart"))
        self.assertFalse(self.litter())

    def test_a_remote_with_damaged_packs_harms_no_clone(self):
        self.push_text("data/table.txt", MIB // 4)
        self.push("two")
        self.add()
        commit = self.row()["commit"]
        self.put("src/pay.py", "def pay_now():\n    return 1\n")
        self.push_text("data/table.txt", MIB // 4)
        self.push("three")
        self.git("gc", "-q", cwd=self.bare)
        kept = os.path.join(self.box, "kept.git")
        shutil.copytree(self.bare, kept)
        inode = os.stat(self.root + "/.git/objects").st_ino
        for how in ("truncated", "emptied", "flipped"):
            for path in self.packs(self.bare):
                damage(path, how)
            self.failed(code="EIO", words=("git fetch failed", "sync"))
            self.is_told("git fetch failed")
            self.assertTrue(self.found("add_to_cart"))
            self.assertEqual(self.row()["commit"], commit)
            self.assertFalse(self.litter())
            shutil.rmtree(self.bare)
            shutil.copytree(kept, self.bare)
        self.assertEqual(os.stat(self.root + "/.git/objects").st_ino, inode, "the clone is the one of before")
        self.assertEqual(self.sync()["added"], ["src/pay.py"])

    # ---- what changes in the middle of a sync ----

    def at(self, part, act):
        """Does something once, before the server answers a request that has these words."""
        done = []

        def before(words):
            if part in words and not done:
                done.append(True)
                act()

        self.handler.before = staticmethod(before)
        return done

    def test_a_branch_that_vanishes_in_the_middle_of_a_sync(self):
        self.add()
        head = self.git("rev-parse", "HEAD").strip()
        for part in (b"command=ls-refs", b"command=fetch"):
            self.put("src/pay.py", f"def pay_{len(part)}():\n    return 1\n")
            self.push("more")
            gone = self.at(part, lambda: self.git("update-ref", "-d", "refs/heads/main", cwd=self.bare))
            self.ken("repo", "sync", "shop", code=None)
            self.assertTrue(gone)
            self.assertTrue(self.found("add_to_cart"))
            self.assertFalse(self.litter())
            self.git("push", "-q", self.bare, "HEAD:refs/heads/main")
            self.sync()
            self.assertEqual(self.row()["state"], "synced")
            self.assertTrue(self.found(f"pay_{len(part)}"))
        self.assertNotEqual(self.git("rev-parse", "HEAD").strip(), head)

    def test_history_that_is_rewritten_in_the_middle_of_a_sync(self):
        self.add()
        self.put("src/pay.py", "def pay_in_vain():\n    return 1\n")
        self.push("two")

        def rewrite():
            self.put("src/pay.py", "def pay_again():\n    return 1\n")
            self.git("add", "-A")
            self.git("commit", "-q", "--amend", "-m", "again")
            self.git("push", "-q", "--force", self.bare, "HEAD:refs/heads/main")
            self.git("reflog", "expire", "--all", "--expire=now", cwd=self.bare)
            self.git("gc", "-q", "--prune=now", cwd=self.bare)

        done = self.at(b"command=fetch", rewrite)
        first = self.ken("repo", "sync", "shop", "--json", code=None)
        self.assertTrue(done)
        if first.returncode:
            self.assertIn("sync again", json.loads(first.stdout)["error"]["message"])
            self.is_told("sync again")
        self.assertTrue(self.found("add_to_cart"))
        self.sync()
        self.assertTrue(self.found("pay_again"))
        self.assertFalse(self.found("pay_in_vain"))

    def test_a_default_branch_that_is_renamed_in_the_middle_of_a_sync(self):
        self.add()
        self.put("src/pay.py", "def pay_now():\n    return 1\n")
        self.push("two", "main")

        def rename():
            self.git("branch", "-m", "main", "trunk", cwd=self.bare)

        self.at(b"command=fetch", rename)
        self.ken("repo", "sync", "shop", code=None)
        self.assertTrue(self.found("add_to_cart"))
        self.assertEqual(self.sync()["remote"]["branch"], "trunk")
        self.assertTrue(self.found("pay_now"))

    # ---- a remote that is gone, refuses, or is no remote ----

    def test_a_remote_that_is_gone_or_refuses_says_what_to_do(self):
        port = self.serve_http()
        self.add(f"http://127.0.0.1:{port}/shop.git")
        os.rename(self.bare, self.bare + ".away")
        self.failed(code="ENOTFOUND", words="moved or was removed")
        os.rename(self.bare + ".away", self.bare)
        self.handler.password = "u:p4ss"
        self.failed(code="EPERM", words="credential helper")
        self.is_told("credential helper")
        self.assertTrue(self.found("add_to_cart"))
        self.handler.password = None
        self.assertEqual(self.sync()["status"], "up_to_date")
        self.assertEqual(self.row()["failures"], 0)
        self.servers.pop()()
        self.failed(code="EREMOTE", words=("is reached from here", "next sync tries again"))
        daemon = f"git://127.0.0.1:{self.serve_daemon()}"
        self.failed("repo", "add", f"{daemon}/none.git", code="ENOTFOUND", words="moved or was removed")

    def serve_plain(self, status):
        """A host that is no git server."""
        def answer(handler):
            handler.send_response(status)
            handler.send_header("Content-Length", "5")
            handler.end_headers()
            handler.wfile.write(b"Hello")

        plain = type("Plain", (http.server.BaseHTTPRequestHandler,), {"do_GET": answer, "log_message": lambda *_: None})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), plain)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(lambda: (server.shutdown(), server.server_close()))
        return f"http://127.0.0.1:{server.server_address[1]}"

    def test_why_a_repository_cannot_be_added(self):
        port = self.serve_http()
        here, locked = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{self.serve_http(password='u:p4ss')}"
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            nobody = closed.getsockname()[1]
        api = self.start_server()
        for url, more, status, code, words in (
                (f"http://127.0.0.1:{nobody}/shop.git", {}, 502, "EREMOTE", "whether the host is reached from here"),
                (f"http://127.0.0.1:{nobody}/shop.git", {"branch": "main"}, 502, "EREMOTE", "is reached from here"),
                (f"git://127.0.0.1:{nobody}/shop.git", {}, 502, "EREMOTE", "is reached from here"),
                ("http://nowhere.invalid/shop.git", {}, 502, "EREMOTE", "see whether the address is right"),
                (self.serve_plain(500) + "/shop.git", {}, 502, "EREMOTE", "a fault of its own"),
                (self.serve_plain(200) + "/shop.git", {}, 404, "ENOTFOUND", "whether there is a repository at that address"),
                (f"{here}/none.git", {}, 404, "ENOTFOUND", "moved or was removed"),
                (f"{here}/shop.git", {"branch": "none"}, 404, "ENOTFOUND", "another branch"),
                (f"{locked}/shop.git", {}, 403, "EPERM", "credential helper"),
                ("file:///etc", {}, 403, "EPERM", "sync.protocols"),
                ("not an address", {}, 400, "EINVAL", "url: expected https://host/path"),
                (f"http://u:hunter2@127.0.0.1:{port}/shop.git", {}, 400, "EINVAL", "give the URL without"),
                (f"{here}/shop.git", {"branch": "a..b"}, 400, "EINVAL", "branch: 'a..b'")):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.post(f"{api}/api/v1/add_repository", json.dumps({"url": url, **more}).encode())
            with refused.exception as answer:
                problem = json.load(answer)
            self.assertEqual((problem["status"], problem["code"]), (status, code), problem)
            self.assertEqual(refused.exception.code, status)
            self.assertIn(words, problem["detail"])
            self.assertNotIn("next sync", problem["detail"], "nothing was added")
            self.assertNotIn("hunter2", problem["detail"])
        self.assertEqual(self.ask("repo", "list")["repositories"], [])
        self.post(f"{api}/api/v1/add_repository", json.dumps({"url": f"{here}/shop.git"}).encode())
        self.assertTrue(self.found("add_to_cart"))

    def test_no_program_is_run_and_no_file_read_for_a_url(self):
        touched = os.path.join(self.box, "touched")
        urls = (f"ext::sh -c 'touch {touched}'", f"ext::touch%20{touched}", f"fd::{touched}", f"file://{self.bare}", self.bare,
                f"--upload-pack=touch {touched}", f"ssh://-oProxyCommand=touch%20{touched}/x",
                f"-oProxyCommand=touch {touched}@host:x", f"http::{touched}", f"host:--upload-pack=touch {touched}")
        for url in urls:
            self.assertIn(self.ken("repo", "add", "--", url, code=None).returncode, (1, 2), url)
        for option in ("--branch", "--sparse", "--name"):
            self.ken("repo", "add", f"http://127.0.0.1:{self.serve_http()}/shop.git", f"{option}=--upload-pack=touch {touched}",
                     code=None)
        self.assertFalse(os.path.exists(touched))

    def test_a_password_is_shown_and_kept_nowhere(self):
        port, log = self.serve_http(), os.path.join(self.box, "log")
        more = {"KEN_LOG_FILE": log, "KEN_LOG_LEVEL": "debug"}
        url = f"http://u:hunter2@127.0.0.1:{port}/shop.git"
        said = ""
        for args in (("repo", "add", url), ("repo", "add", url, "--json"), ("status", "--project", url),
                     ("repo", "add", f"http://127.0.0.1:{port}/shop.git?key=hunter2")):
            done = self.ken(*args, code=None, env=more)
            self.assertNotEqual(done.returncode, 0)
            said += done.stdout + done.stderr
        for args in (("config", "show"), ("serve", "--port", "0")):
            done = self.ken(*args, code=None, env=dict(more, KEN_REPOSITORY_URL=url))
            said += done.stdout + done.stderr
        self.assertIn("'repository.url' has 'http://", said)
        self.git("remote", "add", "origin", url)
        self.ken("index", self.work, env=more)
        for args in (("status", self.work), ("status", self.work, "--json"), ("repo", "sync", "work"), ("def", "add_to_cart"),
                     ("sql", "SELECT * FROM remotes"), ("doctor",)):
            done = self.ken(*args, code=None, env=more)
            said += done.stdout + done.stderr
        self.assertNotIn("hunter2", said)
        for folder, _, files in os.walk(self.env["KEN_DATA_DIR"]):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(b"hunter2", f.read(), name)
        with open(log, encoding="utf-8") as f:
            self.assertNotIn("hunter2", f.read())

    # ---- a long history ----

    def push_history(self, n):
        """Commits of one small change each, to one file of a hundred; a minute between two."""
        def lines():
            for i in range(n):
                text = f"def step_{i % 100}():\n    return {i}\n"
                yield (f"commit refs/heads/main\ncommitter t <t@example.org> {DAY + 60 * i} +0000\ndata {len(str(i))}\n{i}\n"
                       + ("from refs/heads/main^0\n" if not i else "")
                       + f"M 100644 inline src/step_{i % 100}.py\ndata {len(text)}\n{text}\n")

        p = subprocess.Popen(["git", "fast-import", "--quiet", "--depth=5"], cwd=self.bare, text=True, stdin=subprocess.PIPE)
        p.stdin.writelines(lines())
        p.stdin.close()
        self.assertEqual(p.wait(), 0)

    def timed(self, *args):
        """What a command answers; its time and memory, that of its gits included, are bounded, whatever the history."""
        began = time.monotonic()
        p = subprocess.Popen([lab.options.ken, *args, "--json"], env=self.env, cwd=self.box, text=True, stdout=subprocess.PIPE)
        out = p.stdout.read()
        _, code, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(code)
        p.stdout.close()
        took, most = time.monotonic() - began, usage.ru_maxrss // 1024
        if lab.options.figures:
            print(f"  {' '.join(args)[:70]:70} {took:6.1f} s {most:5} MiB", flush=True)
        self.assertEqual(p.returncode, 0, out)
        self.assertLess(took, PATIENCE * (1 + int(lab.options.commits or 0) // 200000))
        self.assertLess(most, 1024)
        return json.loads(out)

    def test_a_long_history(self):
        n = int(lab.options.commits or 20000)
        self.push_history(n)
        url = f"git://127.0.0.1:{self.serve_daemon()}/shop.git"
        self.timed("repo", "add", url, "--name", "shop")
        root = self.timed("repo", "add", url, "--name", "shop", "--depth", "0")["project"]["root"]
        self.assertEqual(lab.git("rev-list", "--count", "HEAD", cwd=root, env=self.env).strip(), str(n + 1))
        status = self.timed("status", "--project", "shop")
        self.assertEqual((status["ahead"], status["behind"]), (0, 0))
        lab.git("reset", "-q", "--soft", f"HEAD~{n}", cwd=root, env=self.env)
        status = self.timed("status", "--project", "shop")
        self.assertEqual((status["ahead"], status["behind"]), (0, n))
        self.git("fetch", "-q", "--depth=1", self.bare, "main")
        self.git("reset", "-q", "--hard", "FETCH_HEAD")
        self.put("src/cart.py", "def add_all_to_cart():\n    return 2\n")
        self.git("add", "src/cart.py")
        self.git("commit", "-q", "-m", "more")
        self.git("push", "-q", self.bare, "HEAD:refs/heads/main")
        synced = self.timed("repo", "sync", "shop")
        self.assertTrue(self.found("add_all_to_cart"), synced["status"])
        for _ in range(2):
            [found] = self.timed("search", "step_7", "--project", "shop", "--history", "-k", "1")["results"]
            self.assertIn("history", found)

    # ---- names, links and files of others ----

    def test_names_that_no_file_system_likes(self):
        long = "/".join(["d" * 200] * 6) + "/" + "f" * 240 + ".py"
        files = {b"README.md": b"# Upper\n", b"readme.md": b"# Lower\n", b"A/x.py": b"def upper_x():\n    return 1\n",
                 b"a/x.py": b"def lower_x():\n    return 1\n", b"latin\xe9.py": b"def in_latin():\n    return 1\n",
                 long.encode(): b"def far_away():\n    return 1\n", b"new\nline.py": b"def in_two_lines():\n    return 1\n",
                 b"model.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n",
                 b".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n",
                 b".gitmodules": b'[submodule "sub"]\n\tpath = sub\n\turl = ext::touch sub\n'}
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(self.work.encode(), name)), exist_ok=True)
            with open(os.path.join(self.work.encode(), name), "wb") as f:
                f.write(text)
        secret = os.path.join(self.box, "secret.py")
        lab.put(self.box, "secret.py", "def out_of_reach():\n    return 1\n")
        os.symlink(secret, os.path.join(self.work, "out.py"))
        os.symlink("..", os.path.join(self.work, "up"))
        os.symlink("/dev/zero", os.path.join(self.work, "endless.py"))
        os.makedirs(os.path.join(self.work, "sub"))
        self.git("update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",sub")
        self.push("odd names")
        self.add()
        for name in ("upper_x", "lower_x", "far_away", "add_to_cart"):
            self.assertTrue(self.found(name), name)
        self.assertEqual(self.ask("status", "--project", "shop")["skipped"].get("name"), 2)  # not UTF-8, two lines
        self.assertFalse(self.found("out_of_reach"))
        with open(self.root + "/model.bin", "rb") as f:
            self.assertEqual(f.read(), files[b"model.bin"])
        self.assertEqual(os.listdir(self.root + "/sub"), [])
        self.git("rm", "-q", "--cached", "sub")
        self.git("mv", "A/x.py", "A/y.py")
        self.put("a/x.py", "def lower_y():\n    return 1\n")
        self.push("two")
        synced = self.sync()
        self.assertEqual(synced["renamed"], [{"old": "A/x.py", "new": "A/y.py"}])
        self.assertIn("a/x.py", synced["modified"])
        self.assertTrue(self.found("lower_y"))


if __name__ == "__main__":
    lab.main("remote_faults.py", "--commits", "--figures")
