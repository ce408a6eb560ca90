# SPDX-License-Identifier: MIT
"""bench/rules: the sets are whole, and what is broken in one is told."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

RULES = pathlib.Path(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "rules").resolve()
sys.path.insert(0, str(RULES))

import check  # noqa: E402


class RuleSets(unittest.TestCase):
    def test_three_sets_are_whole(self):
        sets = sorted(RULES.glob("*/set.json"))
        self.assertEqual([s.parent.name for s in sets], ["aiohttp", "redis", "trpc"])
        for s in sets:
            self.assertEqual(list(check.problems_of(s.parent, None)), [])

    def test_what_is_broken_is_told(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(shutil.copytree(RULES / "redis", os.path.join(scratch, "redis")))
            data = json.loads((folder / "set.json").read_text())
            data["rules"][0]["text"] = "Allocate as you like."
            data["changes"][4]["rules"] = ["no-such-rule"]
            data["changes"][5]["change"] = "too short"
            (folder / "set.json").write_text(json.dumps(data))
            found = "\n".join(check.problems_of(folder, None))
        self.assertIn("rule 'zmalloc' does not stand in lines 8-10", found)
        self.assertIn("change 5: rules ['no-such-rule']", found)
        self.assertIn("change 6 has 2 words", found)


if __name__ == "__main__":
    unittest.main()
