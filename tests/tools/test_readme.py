# SPDX-License-Identifier: MIT
"""README.md: its examples name files and functions that the reader has, and its links lead somewhere."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import readme_session  # noqa: E402

README = (ROOT / "README.md").read_text()
HEADERS = "\n".join(p.read_text() for p in sorted((ROOT / "src").glob("*/*.h")))


class Readme(unittest.TestCase):
    def test_examples_name_what_is_there(self):
        commands = re.findall(r"^(?:\$ )?(ken .*)$", "\n".join(re.findall(r"^```.*?^```$", README, re.M | re.S)), re.M)
        self.assertGreater(len(commands), 10)
        for command in commands:
            for name in re.findall(r"\bken_\w+", command):
                self.assertRegex(HEADERS, rf"\b{name}\(", command)
            for path in re.findall(r"(?<![~/\w])(?:src|docs|tests|tools)/[\w./-]*\w", command):
                self.assertTrue((ROOT / path).exists(), command)

    def test_the_session_has_its_output(self):
        self.assertGreaterEqual(len(readme_session.commands_of(README)), 3)
        for block in readme_session.BLOCK.finditer(README):
            for part in block[2].split("$ ")[1:]:
                self.assertGreater(len(part.strip().split("\n")), 1, part)
            for path in re.findall(r"\b(?:src|docs|tests|tools)/[\w./-]*\w", block[2]):
                self.assertTrue((ROOT / path).exists(), path)

    def test_links_lead_somewhere(self):
        for page in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"):
            text = (ROOT / page).read_text()
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
                if "://" not in target:
                    self.assertTrue((ROOT / target).exists(), f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
