#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The memory limit holds at each stage, with files of which one alone takes most of it while it is parsed.

    tests/serve/ceiling.py --ken build/gcc/ken

Small, so that it is fast: bench/ceiling.py measures the same at sizes that matter. A program with sanitizers takes
several times the memory, and is passed over.
"""
import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import ceiling  # noqa: E402

LIMIT = "64MiB"
N_LARGE = 4
LARGE_BYTES = 700 << 10


def make_large(path, number):
    """Of which one takes some 40 MiB while it is parsed; no two alike."""
    lines, size, k = [], 0, 0
    while size < LARGE_BYTES:
        lines.append(f"int large_{number}_{k}(int amount)\n{{\n    return entry_1_0(amount + {k} * post_{k % 50}(amount));\n}}\n")
        size += len(lines[-1])
        k += 1
    Path(path).write_text("\n".join(lines))


class Ceiling(unittest.TestCase):
    ken = None

    def setUp(self):
        symbols = subprocess.run(["nm", "-D", self.ken], capture_output=True, text=True, check=False)
        if "__asan" in symbols.stdout or "__tsan" in symbols.stdout:
            self.skipTest("sanitizers take memory of their own")

    def test_every_stage_stays_below_the_limit(self):
        with tempfile.TemporaryDirectory() as work:
            root = f"{work}/tree"
            ceiling.make_tree(root, 1500)
            for i in range(N_LARGE):
                make_large(f"{root}/d0/large{i}.c", i)
            s = ceiling.Stages(self.ken, root, work, LIMIT)
            s.run("index", "index", root)
            s.run("forced", "index", root, "--force")
            s.run("search", "search", "where is the amount posted", root)
            s.run("refs", "refs", "entry_1_0", "-p", root)
            s.run("arch", "arch", "-p", root)
            for what, most, _, note in s.rows:
                self.assertFalse(note, what)
                self.assertLess(most, 64 << 20, what)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--ken", required=True)
    a, rest = p.parse_known_args()
    Ceiling.ken = str(Path(a.ken).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
