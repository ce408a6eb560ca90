# SPDX-License-Identifier: MIT
"""bench/agent: what counts as held by an answer, and that the tasks are well formed."""
import json
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench" / "agent"
sys.path.insert(0, str(BENCH))

import run  # noqa: E402

USAGES = """src/a.c:10-20 function f
2 usages of f: 2 calls
src/b.c
  7 in g: f(1);
  170 in h: f(2);
tests/b.c (test)
  9 in t: f(3);
"""


class Holds(unittest.TestCase):
    def test_a_name_is_a_whole_word(self):
        self.assertTrue(run.holds("1 method App.handle_error", "handle_error"))
        self.assertFalse(run.holds("1 method App.handle_errors", "handle_error"))
        self.assertFalse(run.holds("1 function pre_handle_error", "handle_error"))

    def test_a_place_as_written(self):
        self.assertTrue(run.holds("  f src/a.c:10", "src/a.c:10"))
        self.assertFalse(run.holds("  f src/a.c:101", "src/a.c:10"))
        self.assertFalse(run.holds("  f lib/src/a.c:10", "src/a.c:10"))

    def test_a_place_below_its_path(self):
        self.assertTrue(run.holds(USAGES, "src/b.c:7"))
        self.assertTrue(run.holds(USAGES, "tests/b.c:9"))
        self.assertFalse(run.holds(USAGES, "src/b.c:17"), "part of 170")
        self.assertFalse(run.holds(USAGES, "src/b.c:9"), "of another file")
        self.assertFalse(run.holds(USAGES, "b.c:7"), "of another folder")


class Tasks(unittest.TestCase):
    def test_they_are_well_formed(self):
        book = json.loads((BENCH / "tasks.json").read_text())
        tasks = book["tasks"]
        self.assertEqual(len(tasks), 25)
        self.assertEqual(len({t["id"] for t in tasks}), 25)
        for task in tasks:
            self.assertIn(task["repository"], book["repositories"])
            self.assertTrue(1 <= len(task["wants"]) <= 4, task["id"])
            self.assertFalse({"limit", "max_tokens", "format"} & set(task["arguments"]), task["id"])


if __name__ == "__main__":
    unittest.main()
