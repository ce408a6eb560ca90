# SPDX-License-Identifier: MIT
"""tools/release.py makes the same bytes twice and lists what is in the program; ./dev uninstall removes what
./dev install listed and nothing else."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HAS_GIT = (ROOT / ".git").exists() and shutil.which("git")


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, check=False, **more)


@unittest.skipUnless(HAS_GIT, "an archive without git")
class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.scratch.name)
        tree = cls.dir / "tree"
        (tree / "bin").mkdir(parents=True)
        (tree / "bin/ken").write_bytes(b"#!/bin/sh\n")
        (tree / "bin/ken").chmod(0o755)
        (tree / "share").mkdir()
        (tree / "share/LICENSE").write_text("MIT")
        for out in ("a", "b"):
            (tree / "share/LICENSE").touch()  # another time, the same bytes
            r = run(sys.executable, ROOT / "tools/release.py", cls.dir / out, "--tree", tree)
            if r.returncode:
                raise AssertionError(r.stderr)
        text = (ROOT / "CMakeLists.txt").read_text()
        cls.version = re.search(r"project\(ken VERSION ([0-9.]+)", text)[1]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_same_commit_gives_the_same_bytes(self):
        names = sorted(p.name for p in (self.dir / "a").iterdir())
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertEqual((self.dir / "a" / name).read_bytes(), (self.dir / "b" / name).read_bytes(), name)

    def test_the_source_is_what_git_lists(self):
        with tarfile.open(self.dir / "a" / f"ken-{self.version}.tar.gz") as tar:
            names = {m.name for m in tar.getmembers() if not m.isdir()}
        listed = run("git", "-C", ROOT, "ls-tree", "-r", "--name-only", "-z", "HEAD").stdout
        self.assertEqual(names, {f"ken-{self.version}/{n}" for n in listed.split("\0") if n})

    def test_the_program_is_executable_and_roots(self):
        packed = next((self.dir / "a").glob("*-linux-*.tar.gz"))
        with tarfile.open(packed) as tar:
            members = {m.name.split("/", 1)[1]: m for m in tar.getmembers()}
        self.assertEqual(sorted(members), ["bin/ken", "share/LICENSE"])
        self.assertEqual([members["bin/ken"].mode, members["share/LICENSE"].mode], [0o755, 0o644])
        self.assertEqual({m.uname for m in members.values()}, {"root"})

    def test_sums_are_of_the_files(self):
        sums = dict(reversed(line.split("  ")) for line in (self.dir / "a/SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), {p.name for p in (self.dir / "a").iterdir()} - {"SHA256SUMS"})
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((self.dir / "a" / name).read_bytes()).hexdigest(), digest)

    def test_the_bill_names_every_package(self):
        bill = json.loads((self.dir / "a" / f"ken-{self.version}.spdx.json").read_text())
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        packages = {p["SPDXID"]: p for p in bill["packages"]}
        self.assertEqual(len(packages), len(bill["packages"]))
        names = {p["name"]: p["versionInfo"] for p in bill["packages"]}
        for name, version in json.loads((ROOT / "package.json").read_text())["dependencies"].items():
            self.assertEqual(names.get(name), version)
        self.assertLessEqual({"ken", "SQLite", "zstd", "libcurl"}, set(names))
        for p in packages.values():
            self.assertRegex(p["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertRegex(p["licenseDeclared"], r"^[A-Za-z0-9.-]+( (AND|OR) [A-Za-z0-9.-]+)*$")
        reached = {"SPDXRef-DOCUMENT"}
        for r in bill["relationships"]:
            reached |= {r["spdxElementId"], r["relatedSpdxElement"]}
        self.assertEqual(reached, set(packages) | {"SPDXRef-DOCUMENT"})


class Uninstall(unittest.TestCase):
    def test_only_what_was_installed_goes(self):
        with tempfile.TemporaryDirectory() as scratch:
            prefix = pathlib.Path(scratch)
            for name in ("bin/ken", "bin/other", "share/doc/ken/LICENSE", "share/ken/installed-files"):
                (prefix / name).parent.mkdir(parents=True, exist_ok=True)
                (prefix / name).write_text("x")
            (prefix / "share/ken/installed-files").write_text(
                "bin/ken\nshare/doc/ken/LICENSE\nshare/ken/installed-files\n")
            r = run(ROOT / "dev", "uninstall", prefix)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertEqual(sorted(p.relative_to(prefix).as_posix() for p in prefix.rglob("*")),
                             ["bin", "bin/other", "share", "share/doc"])
            r = run(ROOT / "dev", "uninstall", prefix)
            self.assertEqual(r.returncode, 1)
            self.assertIn("has installed nothing", r.stderr)

    def test_a_list_that_leads_elsewhere_removes_nothing(self):
        with tempfile.TemporaryDirectory() as scratch:
            prefix = pathlib.Path(scratch) / "prefix"
            (prefix / "share/ken").mkdir(parents=True)
            (pathlib.Path(scratch) / "mine").write_text("x")
            (prefix / "share/ken/installed-files").write_text("../mine\n")
            self.assertEqual(run(ROOT / "dev", "uninstall", prefix).returncode, 1)
            self.assertTrue((pathlib.Path(scratch) / "mine").exists())


if __name__ == "__main__":
    unittest.main()
