#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is asked while its files, its data or its clock are disturbed: no failure, no text that never was, and at rest
the answers of a fresh index.

    disturbed.py --ken build/dev/ken [--faults build/dev/tests/libken_interpose.so]
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import changes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
import lab  # noqa: E402

YEARS = 10 * 365 * 86400
FINAL = "int last_one(void)\n{\n    return 77;\n}\n"


class Disturber(threading.Thread):
    """Does the same again and again until it is told to end."""

    def __init__(self, act, pause=0.0):
        super().__init__(daemon=True)
        self.act, self.pause, self.n, self.ends, self.began = act, pause, 0, False, time.monotonic()

    def run(self):
        while not self.ends:
            self.act(self.n)
            self.n += 1
            time.sleep(self.pause)

    def rest(self):
        self.ends = True
        self.join()
        return self.n / (time.monotonic() - self.began)


class Disturbed(unittest.TestCase):
    def setUp(self):
        self.box = tempfile.mkdtemp(prefix="ken-disturbed-")
        self.root, self.data = os.path.join(self.box, "tree"), os.path.join(self.box, "data")
        os.makedirs(self.root)
        os.environ.update(HOME=self.box, XDG_CONFIG_HOME=self.box)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.put("still.c", "int still_here(void)\n{\n    return 1;\n}\n")
        self.clients, self.disturbers = [], []

    def tearDown(self):
        for disturber in self.disturbers:
            disturber.rest()
        for client in self.clients:
            client.close()
        shutil.rmtree(self.box)

    def put(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as f:
            f.write(text)

    def mcp(self, data=None, **env):
        self.clients.append(changes.Server(lab.options.ken, self.root, data or self.data, **env))
        return self.clients[-1]

    def disturb(self, act, pause):
        self.disturbers.append(Disturber(act, pause))
        self.disturbers[-1].start()
        return self.disturbers[-1]

    def define(self, client, name):
        return client.ask("get_definition", {"symbol_name": name})

    def agrees_at_rest(self, client, *names):
        fresh = self.mcp(os.path.join(self.box, f"fresh{len(self.clients)}"))
        for name in names:
            self.assertEqual(self.define(client, name), self.define(fresh, name))
        asked = ("search_code", {"query": "return", "search_type": "text", "limit": 5})
        self.assertEqual(client.ask(*asked), fresh.ask(*asked))

    def ask_for(self, client, seconds, check):
        until, n = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            self.assertIn("still.c", json.dumps(self.define(client, "still_here")))
            check(client)
            n += 1
        self.assertGreater(n, 0)

    def test_a_file_is_rewritten_a_thousand_times_a_second(self):
        def text(i):
            return f"int spun(void)\n{{\n    return {i};\n}}\n" + "// filled\n" * (i % 7)

        def check(client):
            for d in self.define(client, "spun").get("definitions", []):
                code = d.get("content", "")
                self.assertRegex(code, r"\A(int spun\(void\)(\n\{(\n    return \d+;(\n\}\n?)?)?)?)?", code)

        self.put("spun.c", text(0))
        client = self.mcp()
        disturber = self.disturb(lambda i: self.put("spun.c", text(i)), 0.0005)
        self.ask_for(client, 4, check)
        self.assertGreater(disturber.rest(), 20)  # of a thousand: on a busy machine, with sanitizers
        self.put("spun.c", FINAL)
        self.assertIn("77", json.dumps(self.define(client, "last_one")))
        self.agrees_at_rest(client, "spun", "last_one")

    def test_a_file_is_truncated_while_it_is_read(self):
        whole = "".join(f"int part_{i}(void)\n{{\n    return {i};\n}}\n" for i in range(2000))
        path = os.path.join(self.root, "cut.c")

        def cut(i):
            if i % 2:
                self.put("cut.c", whole)
            else:
                os.truncate(path, (i * 7919) % len(whole))

        def check(client):
            for asked in (("outline", {"file_path": "cut.c"}), ("find_usages", {"symbol_name": "part_1700"}),
                          ("search_code", {"query": "return 1700", "search_type": "text"})):
                self.assertNotIn("damaged", json.dumps(client.ask(*asked)))

        self.put("cut.c", whole)
        client = self.mcp()
        disturber = self.disturb(cut, 0.002)
        self.ask_for(client, 4, check)
        disturber.rest()
        self.put("cut.c", whole)
        self.agrees_at_rest(client, "part_1", "part_1999")

    def test_the_data_folder_vanishes_and_the_index_is_made_anew(self):
        client = self.mcp()
        self.assertIn("still.c", json.dumps(self.define(client, "still_here")))
        shutil.rmtree(self.data)
        self.put("more.c", FINAL)
        self.assertIn("more.c", json.dumps(self.define(self.mcp(), "last_one")))  # a new process
        self.assertIn("more.c", json.dumps(self.define(client, "last_one")))  # and the one that had it open
        self.agrees_at_rest(client, "still_here", "last_one")

    def test_a_clock_that_is_set_hides_no_edit(self):
        if not lab.options.faults:
            self.skipTest("--faults names no library")
        state = os.path.join(self.box, "state")
        with open(state, "wb") as f:
            f.write(bytes(64))
        client = self.mcp(LD_PRELOAD=lab.options.faults, KEN_FAULT_STATE=state,
                          ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0")
        path = os.path.join(self.root, "set.c")
        for i, step in enumerate((0, YEARS, -YEARS, 3, -3, 0)):
            with open(state, "r+b") as f:  # fault/interpose.h
                f.write(struct.pack("=i4xQ??2xiQQq", 0, 0, True, False, 0, 0, 0, step))
            for k in range(3):
                was = os.stat(path).st_mtime_ns if os.path.exists(path) else 0
                self.put("set.c", f"int set_{i}{k}(void)\n{{\n    return {i}{k};\n}}\n")
                if was:
                    os.utime(path, ns=(was, was))  # the same size and time
                self.assertIn("set.c", json.dumps(self.define(client, f"set_{i}{k}")), (step, k))
        self.agrees_at_rest(client, "set_52", "still_here")


if __name__ == "__main__":
    lab.main("disturbed.py", "--faults")
