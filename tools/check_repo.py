#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what belongs to no single source file:

  version   project(ken VERSION …) in CMakeLists.txt is the one place; CHANGELOG.md has an entry for it,
            and a package.json that gives a version gives the same
  packages  docs/dependencies.md has a row for each package of package.json, with its version, and no other
  ci        what a service of .github/workflows runs is .ci/run or ./dev; git and its settings aside
  devices   no script opens /dev/stderr or its like by name: where the stream is a file, that opens it
            anew and overwrites what stands there
  subjects  of commits: 'area: what changes', at most 65 characters, no full stop at the end
"""

import json
import re
import subprocess
import sys

from csource import ROOT

# The rule for subjects holds for what came after this commit.
BASE = "24baba0259a2532605a43e1cf69b4e4d574e06fb"
BASE_DATE = "2026-11-22T21:12:28+00:00"
SUBJECT = re.compile(r"[a-z0-9][\w./-]*(, [\w./-]+)*: \S.*[^.\s]")
SUBJECT_MAX = 65
DEVICES = re.compile(r"/dev/" + r"(stdin|stdout|stderr|fd/\d|tty)\b")
NOT_SCRIPTS = re.compile(r"\.(md|c|h|json|bin|zdict|tsv)$|^tests/(data|golden|fuzz)/|^tools/check_repo\.py$")


def git(*args):
    r = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True)
    return r.stdout if r.returncode == 0 else None


def check_version():
    found = re.search(r"^project\(ken VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    if not found:
        return ["CMakeLists.txt: no project(ken VERSION x.y.z …)"]
    version = found[1]
    problems = []
    if not re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(), re.M):
        problems.append(f"CHANGELOG.md: no '## {version}', which is the version of CMakeLists.txt")
    for path in ("package.json", "tests/clients/package.json"):
        other = json.loads((ROOT / path).read_text()).get("version", version)
        if other != version:
            problems.append(f"{path}: version '{other}', CMakeLists.txt has '{version}'; leave it out there")
    return problems


def check_packages():
    wanted = json.loads((ROOT / "package.json").read_text())["dependencies"]
    section = (ROOT / "docs/dependencies.md").read_text().split("## tree-sitter and grammars")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| (@?tree-sitter[^ ]*|@[^ ]+/[^ ]+)[^|]*\| ([0-9.]+) \|", section, re.M))
    return [f"docs/dependencies.md: '{name}' is {listed.get(name, 'missing')}, package.json has {wanted.get(name, 'none')}"
            for name in sorted(wanted.keys() | listed.keys()) if wanted.get(name) != listed.get(name)]


CI_MAY = re.compile(r"\.ci/run|\./dev( [a-z]+)*|git config .*|apt-get update && apt-get install .* git ca-certificates")


def check_ci():
    problems = []
    for path in sorted((ROOT / ".github/workflows").glob("*.y*ml")):
        for n, line in enumerate(path.read_text().split("\n"), 1):
            found = re.match(r"\s*(?:- )?run:\s*(.*)", line)
            if found and not CI_MAY.fullmatch(found[1]):
                problems.append(f"{path.relative_to(ROOT)}:{n}: runs '{found[1]}'; a step belongs into .ci/run or ./dev")
    return problems


def check_devices():
    listed = git("ls-files", "-co", "--exclude-standard")
    problems = []
    for name in (listed or "").splitlines():
        if NOT_SCRIPTS.search(name) or not (ROOT / name).is_file():
            continue
        for n, line in enumerate((ROOT / name).read_text(errors="replace").split("\n"), 1):
            if DEVICES.search(line):
                problems.append(f"{name}:{n}: opens a stream by name and so overwrites a log; use >&2 or a pipe")
    return problems


def subject_problem(subject):
    if len(subject) > SUBJECT_MAX:
        return f"{len(subject)} characters, {SUBJECT_MAX} at most"
    if not SUBJECT.fullmatch(subject) and not subject.startswith('Revert "'):
        return "not of the form 'area: what changes'"
    return None


def check_subjects():
    if git("cat-file", "-e", BASE + "^{commit}") is not None:
        log = git("log", "--no-merges", "--format=%h %s", f"{BASE}..HEAD")
    else:  # a shallow clone: what there is of it
        log = git("log", "--no-merges", "--format=%h %s", f"--since={BASE_DATE}", "HEAD")
    problems = []
    for line in (log or "").splitlines():  # no log: not a clone, but an archive
        commit, _, subject = line.partition(" ")
        problem = subject_problem(subject)
        if problem:
            problems.append(f"commit {commit}: subject '{subject}': {problem}")
    return problems


def main():
    problems = check_version() + check_packages() + check_ci() + check_devices() + check_subjects()
    for p in problems:
        print(p)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
