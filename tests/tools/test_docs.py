# SPDX-License-Identifier: MIT
"""The READMEs of modules and ARCHITECTURE.md name functions, macros and files that exist; links of all documents that
we write lead somewhere."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {p.relative_to(ROOT).as_posix(): p.read_text(errors="replace")
           for folder in ("src", "tests", "bench", "cmake") for p in sorted((ROOT / folder).rglob("*.[ch]"))}
WORDS = set(re.findall(r"\w+", "\n".join(text for name, text in SOURCES.items() if name.startswith("src/"))))
NAMES = {name.rsplit("/", 1)[-1] for name in SOURCES}
PAGES = [*sorted((ROOT / "src").glob("*/README.md")), ROOT / "ARCHITECTURE.md"]


class Docs(unittest.TestCase):
    def test_names_in_pages_exist(self):
        missing = [f"{page.relative_to(ROOT)}: {name}" for page in PAGES
                   for name in sorted(set(re.findall(r"`((?:ken|KEN)_\w+)", page.read_text())))
                   if name not in WORDS and not name.endswith("_")]  # `ken_x_*` names a family
        self.assertEqual(missing, [])

    def test_files_in_pages_exist(self):
        missing = [f"{page.relative_to(ROOT)}: {name}" for page in PAGES
                   for name in sorted(set(re.findall(r"`(?:[\w/]*/)?(\w+\.[ch])[`:]", page.read_text())))
                   if name not in NAMES]
        self.assertEqual(missing, [])

    def test_links_lead_somewhere(self):
        broken = []
        for page in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *PAGES]:
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
                if "://" not in target and not (page.parent / target).exists():
                    broken.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(broken, [])


if __name__ == "__main__":
    unittest.main()
