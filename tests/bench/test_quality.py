# SPDX-License-Identifier: MIT
"""bench/quality.py: the rows are read out of what the benchmarks print, and what is missing is said."""
import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import quality  # noqa: E402

RULES = """\
all      tune      30 changes   @1 0.40  @3 0.63  @5 0.63  @10 0.73  all@3 0.53  MRR 0.515
all      held out  30 changes   @1 0.40  @3 0.87  @5 0.73  @10 0.83  all@3 0.57  MRR 0.551
"""
EDGES = """\
c jq
           precision  recall  +inferred    edges   wanted   strictly: precision  recall
  calls         99.3    74.9       76.4     5116     6624               99.3    74.8
  symbols       99.3    90.1       77.2     6933     8948               98.3    90.9
  all          100.0    91.8       59.3    10974    17650               99.0    88.7

go chi
  calls        100.0   100.0      100.0     5116     6624              100.0    99.2
  symbols      100.0   100.0      100.0     6933     8948              100.0   100.0
  all          100.0    99.9      100.0    10974    17650              100.0    99.6
"""
PRODUCT = """\
  1322 functions that are used; 3 silent zeros
  220 definitions, 0 that could not be named
  precision 100.0  recall  98.0  +inferred  98.0  pairs shown 1625, wanted 1659
"""
DEAD = "c\tjq\t29\t15\t0\t14\t1.000\nall\t\t29\t14\t1\t14\t0.933\n"
COMMITS = "40 commits, 71 files to change, 70 named (recall 0.986), 68 as direct users, of 210 named so; low: 1\n"
BANDS = [{"annotated": 8, "nothing": 4, "said": 0.05, "held": 0.05}] + 9 * [
    {"annotated": 8, "nothing": 4, "said": 0.5, "held": 0.4}]


class Printed(quality.Bench):
    """A bench whose programs print what is given."""

    def __init__(self, work, texts):
        super().__init__(Path(work), Path("build"), Path(work))
        self.texts = texts

    def run(self, name, *words):
        return self.texts[name]

    def need(self, name):
        return self.work / name

    def index(self):
        return [("c", "jq", "tree", "truth"), ("go", "chi", "tree", "truth")]


def rows(row, texts):
    return list(row(Printed("/nowhere", texts)))


class Rows(unittest.TestCase):
    def test_rules_are_those_among_the_first_three(self):
        (row,) = rows(quality.rules, {"rules": RULES})
        self.assertEqual((row.reached, row.holds), ("0.87; 0.63", True))

    def test_repositories_below_their_own_bar_are_named(self):
        calls, symbols, _ = rows(quality.edges, {"edges": EDGES})
        self.assertEqual((calls.reached, calls.holds), ("99.7 / 87.0 (2 repositories); below: jq", False))
        self.assertEqual((symbols.reached, symbols.holds), ("99.2 / 95.5 (2 repositories)", True))

    def test_silent_zeros_are_counted(self):
        shown, zeros = rows(quality.product, {"product-jq": PRODUCT, "product-chi": PRODUCT.replace("3 s", "0 s")})
        self.assertEqual((shown.reached, shown.holds), ("100.0 / 98.0 (2 repositories)", True))
        self.assertEqual((zeros.reached, zeros.holds), ("3 of 2,644: jq 3", False))

    def test_dead_and_commits(self):
        (row,) = rows(quality.dead, {"dead": DEAD})
        self.assertEqual((row.reached, row.holds), ("0.933 (14 of 15 judged, 29 listed)", False))
        (row,) = rows(quality.commits, {"commits": COMMITS})
        self.assertEqual((row.reached, row.holds), ("0.986 (70 of 71), 1 low", False))

    def test_confidence_is_off_by_points(self):
        (row,) = rows(quality.confidence, {"confidence": json.dumps({"bands": BANDS})})
        self.assertEqual((row.reached, row.holds), ("9.0; 10.0", False))

    def test_the_table_of_the_graph_marks_what_is_below(self):
        bench = Printed("/nowhere", {"edges": EDGES})
        list(quality.edges(bench))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            quality.print_graph(bench)
        self.assertIn("| C | jq | 99.3 / **74.9** | 99.3 / 90.1 | 100 / 91.8 | 99.3 / **74.8** |", out.getvalue())

    def test_what_is_missing_is_said(self):
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as work, contextlib.redirect_stdout(out):
            with mock.patch.object(sys, "argv", ["quality.py", work, "--only", "rules"]):
                self.assertEqual(quality.main(), 0)
        self.assertIn("| rules |  | not measured: ", out.getvalue())
        self.assertIn("checkouts is missing", out.getvalue())


if __name__ == "__main__":
    unittest.main()
