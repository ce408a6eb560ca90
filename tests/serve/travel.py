#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An index that travels, between two data folders as two machines: whole, damaged, cut off, of another repository,
while a server reads, while an index is made, and with the importing process killed at any moment.

    travel.py --ken build/dev/ken
"""
import ctypes
import http.server
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import lab
from lab import PATIENCE

N_FILES = 24
TOKEN = "a-token-of-somebody"


class Files(http.server.BaseHTTPRequestHandler):
    """The files of a folder, to who has the token."""

    root, token, seen = "", None, []

    def log_message(self, *_):
        pass

    def do_GET(self):
        type(self).seen.append(self.headers.get("Authorization"))
        path = os.path.join(self.root, os.path.basename(self.path.partition("?")[0]))
        allowed = not self.token or self.headers.get("Authorization") == f"Bearer {self.token}"
        body = open(path, "rb").read() if allowed and os.path.isfile(path) else b""
        self.send_response(200 if body else 404 if allowed else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def split(bundle):
    """The first line, the header and the blocks (head, frame) of a bundle."""
    line, header, rest = bundle.split(b"\n", 2)
    blocks = []
    while rest:
        n = struct.unpack("<I", rest[4:8])[0]
        blocks.append((rest[:16], rest[16:16 + n]))
        rest = rest[16 + n:]
    return line, header, blocks


def unpack(bundle):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = b""
    for head, frame in split(bundle)[2]:
        n = struct.unpack("<I", head[:4])[0]
        room = ctypes.create_string_buffer(n)
        assert zstd.ZSTD_decompress(room, ctypes.c_size_t(n), frame, ctypes.c_size_t(len(frame))) == n
        out += room.raw
    return out


class Travel(unittest.TestCase):
    def setUp(self):
        self.box = tempfile.mkdtemp()
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KEN_", "GIT_", "http", "HTTP"))}
        self.env.update(HOME=self.box, NO_COLOR="1")
        self.ours, self.theirs = os.path.join(self.box, "ours/shop"), os.path.join(self.box, "theirs/shop")
        os.makedirs(self.ours)
        self.git("init", "-q", "-b", "main", cwd=self.ours)
        for i in range(N_FILES):
            lab.put(self.ours, f"src/part_{i}.py",
                     f"from src.part_{(i + 1) % N_FILES} import pay_{(i + 1) % N_FILES}\n\n\n"
                     f"def pay_{i}(amount):\n    \"\"\"Takes an amount for item {i}.\"\"\"\n"
                     f"    return pay_{(i + 1) % N_FILES}(amount + {i})\n")
        lab.put(self.ours, "deploy.pem", "secret\n")
        self.commit("one")
        self.git("clone", "-q", self.ours, self.theirs, cwd=self.box)
        self.git("config", "remote.origin.url", "https://me:pass@example.org/shop.git?key=unspoken", cwd=self.ours)
        self.bundle = os.path.join(self.box, "shop.kenindex")
        self.servers = []

    def tearDown(self):
        for stop in self.servers:
            stop()
        shutil.rmtree(self.box, ignore_errors=True)

    # ---- doing things ----

    def git(self, *args, cwd):
        return lab.git(*args, cwd=cwd, env=self.env)

    def commit(self, message):
        self.git("add", "-Af", cwd=self.ours)
        self.git("commit", "-q", "-m", message, cwd=self.ours)

    def data(self, machine):
        return os.path.join(self.box, machine, "data")

    def started(self, machine, *args, cwd=None, **more):
        env = dict(self.env, KEN_DATA_DIR=self.data(machine), **more.pop("env", {}))
        return subprocess.Popen([lab.options.ken, *args], cwd=cwd or os.path.join(self.box, machine, "shop"), env=env,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def on(self, machine, *args, code=0, **more):
        p = self.started(machine, *args, **more)
        out, errors = p.communicate(timeout=PATIENCE)
        if code is not None:
            self.assertEqual(p.returncode, code, out + errors)
        self.assertNotIn("Sanitizer", errors)
        self.assertNotIn("runtime error", errors)
        return out + errors

    def ask(self, machine, *args, **more):
        return json.loads(self.on(machine, *args, "--json", **more))

    def export(self, *options):
        self.on("ours", "index")
        self.on("ours", "export", self.bundle, *options)
        with open(self.bundle, "rb") as f:
            return f.read()

    def left_over(self, machine):
        folder = os.path.join(self.data(machine), "indexes")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return [n for n in names if n.startswith("travel-") and not n.endswith(".lock")]

    def found(self, machine, name):
        return f"def {name}(" in self.on(machine, "def", name, code=None)

    # ---- whole ----

    def test_another_machine_answers_as_the_one_that_exported(self):
        self.export()
        self.on("theirs", "import", self.bundle)
        for words in (["search", "takes an amount"], ["def", "pay_3"], ["refs", "pay_7"], ["outline", "src/part_2.py"],
                      ["search", "--mode", "semantic", "money for an item"], ["arch"], ["impact", "src/part_5.py"]):
            mine, other = (self.ask(m, *words) for m in ("ours", "theirs"))
            for answer in (mine, other):
                text = json.dumps(answer)
                for key in ("repository_id", "id", "generated_at", "query_time_ms", "took_ms", "duration_seconds", "seen", "generation",
                            "indexed_at"):
                    text = re.sub(rf'"{key}": ("[^"]*"|[0-9.e-]+)', "", text)
                answer["text"] = text.replace(self.ours, "").replace(self.theirs, "")
            self.assertEqual(mine["text"], other["text"], words)
        report = self.ask("theirs", "index")
        self.assertEqual((report["files_parsed"], report["changes"]["unchanged"]), (0, N_FILES))
        self.assertEqual(self.left_over("ours") + self.left_over("theirs"), [])

    def test_a_clone_at_another_commit_parses_what_differs(self):
        self.export()
        lab.put(self.ours, "src/part_1.py", "def pay_by_card():\n    return 1\n")
        lab.put(self.ours, "src/new.py", "def refund():\n    return 2\n")
        os.remove(os.path.join(self.ours, "src/part_2.py"))
        self.commit("two")
        self.git("pull", "-q", self.ours, "main", cwd=self.theirs)
        self.on("theirs", "import", self.bundle)
        self.assertTrue(self.found("theirs", "pay_by_card"))
        self.assertTrue(self.found("theirs", "refund"))
        self.assertFalse(self.found("theirs", "pay_2"))
        self.on("theirs", "projects", "remove", "shop", "--yes", code=None)
        shutil.rmtree(self.data("theirs"))
        self.on("theirs", "import", self.bundle)
        report = self.ask("theirs", "index")
        self.assertEqual((report["files_parsed"], report["changes"]["removed"]), (2, 1))

    def test_a_bundle_holds_nothing_of_the_machine_or_the_person(self):
        self.on("ours", "index")
        self.on("ours", "checkpoint", "save", "a thought of mine")
        bundle = self.export()
        header = json.loads(split(bundle)[1])
        self.assertEqual(header["commit"], subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=self.ours,
                                                                    text=True, env=self.env).strip())
        self.assertEqual((header["project"], header["kind"], header["files"], header["checkpoints"]),
                         ("shop", "sqlite", N_FILES, 0))
        inside = unpack(bundle)
        for secret in (self.box, "a thought of mine", "pass@", "unspoken"):
            self.assertNotIn(secret.encode(), inside)
            self.assertNotIn(secret.encode(), bundle)
        self.assertNotIn("checkpoint", self.on("theirs", "import", self.bundle))

        self.assertEqual(json.loads(split(self.export("--with-notes"))[1])["checkpoints"], 1)
        self.on("theirs", "checkpoint", "save", "a thought of theirs")
        self.on("theirs", "import", "--force", self.bundle)
        self.assertNotIn("a thought of mine", self.on("theirs", "checkpoint", "list"))
        self.on("theirs", "import", "--force", "--with-notes", self.bundle)
        listed = self.on("theirs", "checkpoint", "list")
        self.assertIn("a thought of mine", listed)
        self.assertIn("a thought of theirs", listed)

    def test_an_index_that_is_there_is_replaced_only_when_that_is_wanted(self):
        self.export()
        self.on("theirs", "index")
        self.on("theirs", "checkpoint", "save", "stood here")
        self.on("theirs", "task", "new", "wash the apples")
        self.assertIn("--force", self.on("theirs", "import", self.bundle, code=1))
        self.on("theirs", "import", self.bundle, "--force")
        self.assertIn("stood here", self.on("theirs", "checkpoint", "list"))
        self.assertIn("wash the apples", self.on("theirs", "task", "list"))
        self.assertEqual(self.ask("theirs", "index")["files_parsed"], 0)

    # ---- what does not fit ----

    def refuse(self, wanted, *args):
        said = self.on("theirs", "import", self.bundle, *args, code=1)
        self.assertRegex(said, wanted)
        self.assertEqual(self.left_over("theirs"), [])
        return said

    def test_a_bundle_of_another_repository_is_refused(self):
        self.export()
        other = os.path.join(self.box, "other")
        os.makedirs(other)
        self.git("init", "-q", "-b", "main", cwd=other)
        lab.put(other, "a.py", "def pay():\n    return 1\n")
        self.refuse("another repository.*--any-commit", other)
        self.assertEqual(self.ask("theirs", "projects")["projects"], [])
        self.on("theirs", "import", self.bundle, other, "--any-commit")
        report = self.ask("theirs", "index", other)
        self.assertEqual((report["files_indexed"], report["changes"]["removed"]), (1, N_FILES))

    def test_a_bundle_of_other_chunks_is_refused(self):
        lab.put(self.ours, ".ken.yaml", "indexing:\n  chunk_tokens: 200\n")
        self.commit("two")
        self.export()
        self.refuse("extract.*again")
        self.assertEqual(self.ask("theirs", "projects")["projects"], [])

    def test_damage_anywhere_is_named_and_changes_nothing(self):
        whole = self.export()
        line, header, blocks = split(whole)
        self.on("theirs", "import", self.bundle)
        start = len(line) + len(header) + 2
        places = {"first line": 12, "header": len(line) + 10, "block head": start, "block sum": start + 9,
                  "frame": start + 100, "end": len(whole) - 1}
        if len(blocks) > 1:
            places["last head"] = len(whole) - len(blocks[-1][1]) - 16
        for name, at in places.items():
            with self.subTest(name), open(self.bundle, "wb") as f:
                f.write(whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1:])
                f.flush()
                self.refuse("shop.kenindex", "--force")
        for n in (0, 5, len(line), start - 5, start + 7, start + 200, len(whole) // 2, len(whole) - 1):
            with self.subTest(n), open(self.bundle, "wb") as f:
                f.write(whole[:n])
                f.flush()
                self.refuse("shop.kenindex", "--force")
        with open(self.bundle, "wb") as f:
            f.write(whole + b"more")
        self.refuse("bytes follow", "--force")
        self.assertTrue(self.found("theirs", "pay_3"))
        self.assertEqual(self.ask("theirs", "index")["files_parsed"], 0)

    def test_a_disk_that_is_full_changes_nothing(self):
        self.export()
        self.on("theirs", "index")

        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, 64 * 1024))

        self.on("theirs", "import", self.bundle, "--force", code=1, preexec_fn=limited)
        self.assertEqual(self.left_over("theirs"), [])
        self.assertTrue(self.found("theirs", "pay_3"))
        self.on("theirs", "import", self.bundle, "--force")

    # ---- at the same time ----

    def test_a_server_answers_while_an_index_is_imported(self):
        self.export()
        self.on("theirs", "index")
        p = self.started("theirs", "serve", "--port", "0", "--json")
        self.servers.append(lambda: (p.kill(), p.communicate()))
        url = json.loads(p.stdout.readline())["url"]
        wrong, n_asked, ends = [], [0], threading.Event()

        def ask():
            while not ends.is_set():
                answer = lab.Serve.post(self, url, "get_definition", {"symbol_name": "pay_3", "project": "shop"})
                n_asked[0] += 1
                if "src/part_3.py" not in json.dumps(answer):
                    wrong.append(answer)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for t in threads:
            t.start()
        for _ in range(4):
            self.on("theirs", "import", self.bundle, "--force")
        n_before = n_asked[0]
        end = time.monotonic() + PATIENCE
        while n_asked[0] < n_before + 4 and time.monotonic() < end:
            time.sleep(0.02)
        ends.set()
        for t in threads:
            t.join()
        self.assertEqual(wrong[:1], [])
        self.assertGreater(n_asked[0], n_before)

    def test_what_is_exported_while_an_index_is_made_is_whole(self):
        self.on("ours", "index")
        ends = threading.Event()

        def index():
            n = 0
            while not ends.is_set():
                n += 1
                lab.put(self.ours, f"src/part_{n % N_FILES}.py", f"def pay_{n % N_FILES}(a):\n    return {n}\n")
                self.on("ours", "index", "--force")

        thread = threading.Thread(target=index)
        thread.start()
        try:
            for i in range(5):
                self.on("ours", "export", self.bundle)
                self.on("theirs", "import", "--force", self.bundle)
                self.assertIn("every page is sound", self.on("theirs", "doctor", "--deep"))
        finally:
            ends.set()
            thread.join()
        self.assertTrue(self.found("theirs", "pay_3"))

    def test_who_is_killed_while_importing_leaves_the_old_index_or_the_new(self):
        self.export()
        lab.put(self.theirs, "src/mine.py", "def only_mine():\n    return 1\n")
        self.on("theirs", "index")
        self.on("theirs", "checkpoint", "save", "stood here")
        took = time.monotonic()
        self.on("theirs", "import", self.bundle, "--force")
        took = time.monotonic() - took
        self.on("theirs", "index")
        rng = random.Random(16)
        n_killed = 0
        for _ in range(14):
            p = self.started("theirs", "import", self.bundle, "--force")
            time.sleep(rng.uniform(0, took))
            p.kill()
            n_killed += p.wait() == -signal.SIGKILL
            p.communicate()
            self.assertIn("every page is sound", self.on("theirs", "doctor", "--deep"))
            self.assertTrue(self.found("theirs", "only_mine"))
            self.assertTrue(self.found("theirs", "pay_3"))
        self.assertGreater(n_killed, 3)
        self.assertIn("stood here", self.on("theirs", "checkpoint", "list"))
        self.on("theirs", "import", self.bundle, "--force")
        self.assertEqual(self.left_over("theirs"), [])

    # ---- ken index --from ----

    def test_an_index_begins_with_a_bundle(self):
        self.export()
        report = self.ask("theirs", "index", "--from", self.bundle)
        self.assertEqual((report["from"]["used"], report["files_parsed"], report["files_indexed"]),
                         (True, 0, N_FILES))
        report = self.ask("theirs", "index", "--from", self.bundle)
        self.assertFalse(report["from"]["used"])
        self.assertIn("has an index", report["from"]["note"])

    def test_a_bundle_that_does_not_fit_is_told_and_the_index_made_without(self):
        bundle = self.export()
        with open(self.bundle, "wb") as f:
            f.write(bundle[:-3])
        said = self.on("theirs", "index", "--from", self.bundle)
        self.assertRegex(said, "without .*shop.kenindex: .*cut off")
        self.assertIn(f"{N_FILES} files", said)
        self.assertTrue(self.found("theirs", "pay_3"))

    def serve_files(self, token=None):
        handler = type("Handler", (Files,), {"root": self.box, "token": token, "seen": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.servers.append(lambda: (server.shutdown(), thread.join(), server.server_close()))
        return server.server_address[1], handler

    def test_a_bundle_is_fetched_with_a_token_that_no_message_shows(self):
        self.export()
        port, handler = self.serve_files(TOKEN)
        url = f"http://127.0.0.1:{port}/shop.kenindex?signature=unseen"
        said = self.on("theirs", "import", url, code=1)
        self.assertIn("401", said)
        self.assertNotIn("unseen", said)
        report = self.ask("theirs", "index", "--from", url, env={f"KEN_GIT_TOKEN_127_0_0_1_{port}": TOKEN})
        self.assertEqual((report["from"]["used"], report["files_parsed"]), (True, 0))
        self.assertNotIn("unseen", json.dumps(report))
        self.assertNotIn(TOKEN, json.dumps(report))
        self.assertIn(f"Bearer {TOKEN}", handler.seen)
        self.assertEqual(self.left_over("theirs"), [])

    def test_a_url_that_is_not_there_or_not_safe_is_told(self):
        port, _ = self.serve_files()
        said = self.on("theirs", "index", "--from", f"http://127.0.0.1:{port}/none.kenindex")
        self.assertIn("404", said)
        self.assertTrue(self.found("theirs", "pay_3"))
        self.assertIn("https", self.on("theirs", "import", "http://example.org/x.kenindex", code=2))
        said = self.on("theirs", "import", "https://me:sesame@example.org/x.kenindex", code=2)
        self.assertNotIn("sesame", said)


if __name__ == "__main__":
    lab.main("travel.py")
