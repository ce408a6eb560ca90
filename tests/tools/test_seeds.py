# SPDX-License-Identifier: MIT
"""tools/check_seeds.py: docs/seeds.md is whole, and what is wrong in one of its lines is told."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_seeds  # noqa: E402

PAGE = (ROOT / "docs/seeds.md").read_text()


def told(old, new):
    assert old in PAGE
    return list(check_seeds.problems_of(PAGE.replace(old, new, 1)))


class Seeds(unittest.TestCase):
    def test_the_page_is_whole(self):
        self.assertEqual(list(check_seeds.problems_of(PAGE)), [])

    def test_a_missing_line_is_told(self):
        self.assertEqual(told("| S3-14 |", "| S9-x |"), ["S3-14: missing"])

    def test_a_line_twice_and_beyond_the_last_is_told(self):
        self.assertEqual(told("| S4-52 |", "| S4-51 |"), ["S4-51: twice", "S4-52: missing"])
        self.assertEqual(told("| S4-52 |", "| S4-53 |"), ["S4-52: missing", "S4-53: no such requirement"])

    def test_tests_and_files_that_do_not_exist_are_told(self):
        self.assertEqual(told("app/test_model:code_is_sent", "app/test_model:codes_are_sent"),
                         ["S0-3: no test 'codes_are_sent_away_only_by_choice' in tests/unit/app/test_model.c"])
        self.assertEqual(told("app/test_model:code", "app/test_models:code"),
                         ["S0-3: no file 'app/test_models' below tests/"])
        self.assertEqual(told("tools/check_layers.py", "tools/check_layer.py"), ["S0-5: no 'tools/check_layer.py'"])

    def test_a_line_without_an_answer_is_told(self):
        self.assertEqual(told("| language server protocol (future) | **open** |",
                              "| language server protocol (future) | yes |"),
                         ["S2-178: neither a test nor a reason"])


if __name__ == "__main__":
    unittest.main()
