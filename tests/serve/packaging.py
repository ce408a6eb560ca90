#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The templates for CI in packaging/: GitHub's and GitLab's schemas hold, what they start of others is pinned, and their
scripts, run as a runner would, make a bundle of a clone that another machine takes in.

    packaging.py --ken build/dev/ken

Needs tools/fetch_checkers.py once (check-jsonschema, with its reader of YAML); without it the tests are skipped.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import lab
from lab import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = ROOT / "build/tools/check-jsonschema"
FILES = {"packaging/github/action.yml": "github-actions", "packaging/github/example-workflow.yml": "github-workflows",
         "packaging/gitlab/ken-index.gitlab-ci.yml": "gitlab-ci"}
# Programs of others that the scripts start; each notes its arguments, and curl brings what it was asked for.
STANDS_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$NOTED"
while [ $# -gt 0 ]; do
    [ "$1" = --output ] && cp "$BRINGS" "$2"
    shift
done
exit 0
"""


def read(name):
    sys.path.insert(0, str(CHECKER))
    from ruamel.yaml import YAML
    return YAML(typ="safe").load((ROOT / name).read_text())


@unittest.skipUnless(CHECKER.is_dir(), "not under build/tools/; tools/fetch_checkers.py says why")
class Packaging(unittest.TestCase):
    def setUp(self):
        self.box = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.box, ignore_errors=True)
        self.work, self.bin, self.noted = self.box / "work", self.box / "bin", self.box / "noted"
        for folder in (self.work / "src", self.bin, self.box / "tmp"):
            folder.mkdir(parents=True)
        self.noted.touch()
        (self.work / "src/pay.py").write_text("def pay_by_card(amount):\n    return amount\n")
        (self.bin / "ken").symlink_to(lab.options.ken)
        for name in ("curl", "gh", "apt-get"):
            (self.bin / name).write_text(STANDS_IN)
            (self.bin / name).chmod(0o755)
        self.env = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.box), "NOTED": str(self.noted),
                    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        for args in (["init", "-q", "-b", "main"], ["add", "-A"],
                     ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "one"]):
            subprocess.run(["git", *args], cwd=self.work, env=self.env, check=True)

    def run_script(self, script, shell="bash", ok=True, **env):
        done = subprocess.run([shell, "-e", "-c", script], cwd=self.work, env=dict(self.env, **env), text=True,
                              timeout=PATIENCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode == 0, ok, done.stdout)
        return done.stdout

    def check_bundle(self, bundle):
        other = self.box / "other"
        subprocess.run(["git", "clone", "-q", self.work, other], env=self.env, check=True)
        env = dict(self.env, KEN_DATA_DIR=str(self.box / "theirs"))
        for args in (["import", str(bundle)], ["def", "pay_by_card"]):
            done = subprocess.run([lab.options.ken, *args], cwd=other, env=env, text=True, timeout=PATIENCE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("def pay_by_card", done.stdout)

    def release(self):
        """A release, as tools/release.py lays it out; its path and its sum."""
        path = self.box / "ken-0.0.0-linux-x86_64.tar.gz"
        (self.box / "made").write_text("#!/bin/sh\necho installed\n")
        (self.box / "made").chmod(0o755)
        with tarfile.open(path, "w:gz") as tar:
            tar.add(self.box / "made", "ken-0.0.0-linux-x86_64/bin/ken")
        return path, hashlib.sha256(path.read_bytes()).hexdigest()

    # ---- their form ----

    def test_they_are_what_github_and_gitlab_read(self):
        for name, schema in FILES.items():
            done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}",
                                   str(ROOT / name)], env=dict(os.environ, PYTHONPATH=str(CHECKER)), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_they_use_of_others_is_pinned_and_may_do_little(self):
        action, flow = read("packaging/github/action.yml"), read("packaging/github/example-workflow.yml")
        steps = action["runs"]["steps"] + flow["jobs"]["index"]["steps"]
        for step in steps:
            if "uses" in step:
                self.assertRegex(step["uses"], r"@[0-9a-f]{40}$")
            self.assertNotIn("${{", step.get("run", ""), "an input inside a script is run as a part of it")
        self.assertEqual(flow["permissions"], {"contents": "read"})
        job = read("packaging/gitlab/ken-index.gitlab-ci.yml")[".ken-index"]
        self.assertRegex(job["image"], r":\d+\.\d+")

    # ---- their scripts ----

    def run_action(self, **inputs):
        """Runs the steps that have a script, with the few expressions that the file has; the values of `outputs`."""
        action = read("packaging/github/action.yml")
        known = {f"inputs.{k}": v.get("default", "") for k, v in action["inputs"].items()}
        known.update({f"inputs.{k.replace('_', '-')}": v for k, v in inputs.items()})
        known.update({"runner.temp": str(self.box / "tmp"), "github.token": "token", "github.repository": "o/r"})
        said = []

        def fill(text):
            return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda m: known[m[1]], text)

        for step in action["runs"]["steps"]:
            wanted = re.fullmatch(r"(inputs\.[\w-]+) != ''", step.get("if", ""))
            if "run" not in step or (wanted and not known[wanted[1]]):
                continue
            out, path = self.box / "out", self.box / "path"
            out.write_text("")
            path.write_text("")
            env = {k: fill(v) for k, v in step.get("env", {}).items()}
            said.append(self.run_script(step["run"], GITHUB_OUTPUT=str(out), GITHUB_PATH=str(path), **env))
            self.env["PATH"] = ":".join([*path.read_text().split(), self.env["PATH"]])
            for line in out.read_text().splitlines():
                key, _, value = line.partition("=")
                known[f"steps.{step.get('id')}.outputs.{key}"] = value
        return {k: fill(v["value"]) for k, v in action["outputs"].items()}, known, "".join(said)

    def test_the_action_makes_a_bundle_that_a_clone_takes_in(self):
        outputs, known, _ = self.run_action(bundle="shop.kenindex", release_tag="v1")
        self.assertTrue(outputs["bundle"].endswith("/shop.kenindex"))
        self.assertEqual(int(outputs["bytes"]), os.path.getsize(outputs["bundle"]))
        self.assertRegex(known["steps.version.outputs.version"], r"\d+\.\d+\.\d+")
        self.assertIn(f"gh release upload v1 {outputs['bundle']} --clobber", self.noted.read_text())
        self.check_bundle(outputs["bundle"])
        # The next run has the data folder again: what is not changed is not parsed.
        _, _, said = self.run_action(bundle="shop.kenindex")
        self.assertIn("nothing has changed", said)

    def test_the_action_installs_only_what_has_the_sum(self):
        script = next(s for s in read("packaging/github/action.yml")["runs"]["steps"] if s["name"] == "Install ken")["run"]
        path, sha = self.release()
        env = {"URL": "https://example.org/x", "PLACE": str(self.box / "place"), "BRINGS": str(path),
               "GITHUB_PATH": str(self.box / "path")}
        self.assertIn("FAILED", self.run_script(script, ok=False, SHA256="0" * 64, **env))
        self.assertFalse((self.box / "place/bin/ken").exists())
        self.run_script(script, SHA256=sha, **env)
        self.assertTrue((self.box / "place/bin/ken").exists())
        self.assertEqual((self.box / "path").read_text().strip(), str(self.box / "place/bin"))
        self.assertIn("--proto =https", self.noted.read_text())

    def test_the_job_makes_a_bundle_and_a_package_of_it(self):
        job = read("packaging/gitlab/ken-index.gitlab-ci.yml")[".ken-index"]
        env = {k: v.replace("$CI_PROJECT_DIR", str(self.work)) for k, v in job["variables"].items()}
        env.update(CI_PROJECT_DIR=str(self.work), CI_JOB_TOKEN="job", CI_API_V4_URL="https://gitlab.example.org/api/v4",
                   CI_PROJECT_ID="7", CI_COMMIT_REF_SLUG="main", BRINGS=os.devnull)
        for script in job["before_script"] + job["script"]:
            self.run_script(script, shell="sh", **env)
        self.assertIn("--upload-file index.kenindex https://gitlab.example.org/api/v4/projects/7/packages/generic/"
                      "ken-index/main/index.kenindex", self.noted.read_text())
        self.assertIn("JOB-TOKEN: job", self.noted.read_text())
        self.check_bundle(self.work / "index.kenindex")
        path, _ = self.release()
        env.update(KEN_URL="https://example.org/x", KEN_SHA256="0" * 64, BRINGS=str(path))
        self.assertIn("FAILED", self.run_script(job["before_script"][0], shell="sh", ok=False, **env))


if __name__ == "__main__":
    lab.main("packaging.py")
