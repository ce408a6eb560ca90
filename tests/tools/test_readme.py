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
NEAR = 150  # lines
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

    def test_lines_of_the_session_are_near(self):
        """Lines move with every change; they may be off by what still leads a reader to the place."""
        places = []
        for block in readme_session.BLOCK.finditer(README):
            places += re.findall(r"^ *(\w+) ((?:src|tests)/[\w./-]+\.[ch]):(\d+)", block[2], re.M)
            places += [(m[3], m[1], m[2]) for m in
                       re.finditer(r"^((?:src|tests)/[\w./-]+\.[ch]):(\d+)-\d+ \w+ (\w+)$", block[2], re.M)]
        self.assertGreater(len(places), 10)
        for name, path, line in places:
            lines = (ROOT / path).read_text().splitlines()
            at = [i for i, text in enumerate(lines, 1) if re.search(rf"\b{name}\b", text)]
            self.assertTrue(any(abs(i - int(line)) <= NEAR for i in at),
                            f"{name} is not near {path}:{line}: run tools/readme_session.py build/dev/ken")

    def test_links_lead_somewhere(self):
        for page in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"):
            text = (ROOT / page).read_text()
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
                if "://" not in target:
                    self.assertTrue((ROOT / target).exists(), f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
