# SPDX-License-Identifier: MIT
"""The man pages: one for each command that the documents list, and groff finds nothing wrong with any."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gen_docs  # noqa: E402
import gen_man  # noqa: E402


class Man(unittest.TestCase):
    def setUp(self):
        self.pages = dict(gen_man.pages("1.2.3"))

    def test_each_command_has_a_page(self):
        wanted = {"ken"} | {"ken-" + c["name"].replace(" ", "-") for c in gen_docs.command_rows()}
        self.assertEqual(wanted - set(self.pages), set())

    def test_a_page_has_every_option(self):
        for c in gen_docs.command_rows():
            text = self.pages["ken-" + c["name"].replace(" ", "-")]
            for left, _ in c["opts"]:
                self.assertIn(gen_man.roff(left.strip()), text)

    def test_nothing_is_taken_for_a_request(self):
        self.assertEqual(gen_man.roff(".x\n'y\\n"), "\\&.x\n\\(aqy\\en")

    @unittest.skipUnless(shutil.which("groff") and shutil.which("man"), "no groff and man here")
    def test_groff_finds_nothing_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.pages.items():
                path = pathlib.Path(folder) / f"{name}.1"
                path.write_text(text)
                r = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path], text=True,
                                   capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
                self.assertEqual((r.returncode, r.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
