# SPDX-License-Identifier: MIT
"""tools/check_repo.py: what stands in two places agrees, and what differs is told."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_repo  # noqa: E402

TABLE = """## tree-sitter and grammars

| npm package | version | licence |
|---|---|---|
| tree-sitter-go (the grammar) | 0.25.0 | MIT |
| @tree-sitter-grammars/tree-sitter-lua | 0.4.1 | MIT |

## Tools
"""


class Repo(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root, check_repo.ROOT = check_repo.ROOT, pathlib.Path(self.scratch.name)
        self.addCleanup(setattr, check_repo, "ROOT", self.root)
        (check_repo.ROOT / "docs").mkdir()
        (check_repo.ROOT / ".github/workflows").mkdir(parents=True)

    def write(self, name, text):
        (check_repo.ROOT / name).write_text(text)

    def packages(self, wanted):
        self.write("docs/dependencies.md", TABLE)
        self.write("package.json", json.dumps({"dependencies": wanted}))
        return check_repo.check_packages()

    def test_packages_agree_with_the_page(self):
        wanted = {"tree-sitter-go": "0.25.0", "@tree-sitter-grammars/tree-sitter-lua": "0.4.1"}
        self.assertEqual(self.packages(wanted), [])
        self.assertIn("'tree-sitter-go' is 0.25.0, package.json has 0.26.0",
                      self.packages({**wanted, "tree-sitter-go": "0.26.0"})[0])
        self.assertIn("'tree-sitter-c' is missing", self.packages({**wanted, "tree-sitter-c": "0.24.1"})[0])
        del wanted["tree-sitter-go"]
        self.assertIn("package.json has none", self.packages(wanted)[0])

    def test_the_service_runs_our_doors_only(self):
        self.write(".github/workflows/ci.yml", "steps:\n  - run: .ci/run\n  - run: ./dev release\n")
        self.assertEqual(check_repo.check_ci(), [])
        self.write(".github/workflows/ci.yml", "steps:\n  - run: .ci/run\n  - run: make\n")
        self.assertIn("ci.yml:3: runs 'make'", check_repo.check_ci()[0])

    def test_a_version_elsewhere_is_told(self):
        self.write("CMakeLists.txt", "project(ken VERSION 1.2.3 LANGUAGES C)\n")
        self.write("CHANGELOG.md", "## 1.2.2\n")
        self.write("package.json", '{"version": "1.2.2"}')
        (check_repo.ROOT / "tests/clients").mkdir(parents=True)
        self.write("tests/clients/package.json", "{}")
        self.assertEqual(len(check_repo.check_version()), 2)


if __name__ == "__main__":
    unittest.main()
