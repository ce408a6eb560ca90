#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks `ken impact --diff` what real commits would have broken (README.md says what counts as what).

    commits.py mine CHECKOUTS >commits.tsv     choose commits, by their diffs alone
    commits.py score CHECKOUTS --ken PROGRAM   apply one file of each, ask, compare

CHECKOUTS/<owner>+<name> is a git checkout or a git directory, or holds one called `repo`. A commit
changed definitions of one file and their callers in others. Only that file is taken over into the
tree before the commit; the files whose callers the commit had to change are the truth.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "commits.tsv")
PER_REPOSITORY, TOTAL, LOOKED_AT, FILES_MAX = 5, 40, 4000, 40
REPOSITORIES = (
    "spf13/cobra go-chi/chi gin-gonic/gin pallets/flask psf/requests psf/black jhy/jsoup google/gson "
    "expressjs/express fastify/fastify redis/redis tmux/tmux"
).split()

# How a line defines a callable, by the ending of the file's name; the group that is there is its name.
DEFINES = {
    ".go": r"^func\s+(?:\([^)]*\)\s*)?(\w+)\s*[\[(]",
    ".py": r"^\s*(?:async\s+)?def\s+(\w+)\s*\(",
    ".java": r"^\s+(?:(?:public|protected|private|static|final|abstract)\s+)*[\w<>\[\], ?.]+\s+(\w+)\s*\([^;]*\{\s*$",
    ".js": r"^\s*(?:async\s+)?function\s+(\w+)\s*\(|^\s*(?:[\w.]+\.)?(\w+)\s*=\s*(?:async\s+)?function\b",
    ".c": r"^[A-Za-z][\w\s*]*[\s*](\w+)\([^;]*$",
}
WORD = re.compile(r"\w+")


def git(where, *args):
    done = subprocess.run(["git", "-C", where, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return done.stdout.decode("utf-8", "replace")


def place(checkouts, repository):
    folder = os.path.join(checkouts, repository.replace("/", "+"))
    inner = os.path.join(folder, "repo")
    return inner if os.path.isdir(inner) else folder


class Hunk:
    def __init__(self):
        self.old, self.new = [], []


def read_diff(lines):
    """File -> hunks, of a `git show -U0`; renamed and binary files are left out."""
    files, path, hunk = {}, None, None
    for line in lines:
        if line.startswith("diff --git "):
            path = hunk = None
        elif line.startswith("--- a/"):
            path = line[6:]
            files[path] = []
        elif line.startswith("+++ ") and path is not None and line[4:] not in ("b/" + path, "/dev/null"):
            del files[path]
            path = None
        elif line.startswith("@@ ") and path is not None:
            hunk = Hunk()
            files[path].append(hunk)
        elif hunk is not None and line.startswith("-"):
            hunk.old.append(line[1:])
        elif hunk is not None and line.startswith("+"):
            hunk.new.append(line[1:])
    return files


def defined(lines, pattern):
    """Name -> its defining lines."""
    found = defaultdict(list)
    for line in lines:
        match = pattern.match(line)
        if match:
            name = next(group for group in match.groups() if group)
            found[name].append(" ".join(line.split()))
    return found


def changed_names(hunks, end):
    """Names of callables that the hunks remove, or give another head."""
    pattern = re.compile(DEFINES[end])
    old = defined([line for hunk in hunks for line in hunk.old], pattern)
    new = defined([line for hunk in hunks for line in hunk.new], pattern)
    return {name for name, heads in old.items() if len(name) > 3 and heads != new.get(name)}


def adapts(hunk, name):
    """Whether a hunk changes a call of the name, and not only what stands beside it."""
    call = re.compile(r"\b" + re.escape(name) + r"\s*\(")
    old = [line for line in hunk.old if call.search(line)]
    if not old:
        return False
    new = [line for line in hunk.new if call.search(line)]
    tails = lambda lines: sorted(re.sub(r"\s", "", line[call.search(line).start() :]) for line in lines)
    return bool(hunk.new) and tails(old) != tails(new)


def history(where):
    """The newest commits with their diffs, one after the other."""
    argv = ["git", "-C", where, "log", "--no-merges", f"-{LOOKED_AT}", "--format=%x00%H", "-p", "-U0"]
    process = subprocess.Popen([*argv, "--no-renames", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    commit, lines = None, []
    with process:
        for raw in process.stdout:
            if not raw.startswith(b"\0"):
                lines.append(raw.decode("utf-8", "replace").rstrip("\r\n"))
                continue
            if commit:
                yield commit, lines
            commit, lines = raw[1:].decode().strip(), []
        process.kill()


def find_case(lines):
    """The file of a commit to take over, and the files that it had to change with it."""
    files = read_diff(lines)
    if not 2 <= len(files) <= FILES_MAX:
        return None
    best = None
    for path, hunks in files.items():
        end = os.path.splitext(path)[1]
        if end not in DEFINES or "test" in path.lower() or "example" in path.lower():
            continue
        names = changed_names(hunks, end)
        truth = {
            other
            for other, theirs in files.items()
            if other != path and os.path.splitext(other)[1] == end
            for hunk in theirs
            for name in names
            if adapts(hunk, name) and not defined(hunk.old, re.compile(DEFINES[end])).get(name)
        }
        if truth and (best is None or len(truth) > len(best[1])):
            best = (path, truth)
    return best


def mine(checkouts):
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(("repository", "commit", "file", "changed_with_it"))
    rows = []
    for repository in REPOSITORIES:
        where, found = place(checkouts, repository), []
        n = 0
        for commit, lines in history(where):
            n += 1
            case = find_case(lines)
            if case:
                found.append((repository, commit, case[0], " ".join(sorted(case[1]))))
            if len(found) == PER_REPOSITORY:
                break
        print(f"{repository}: {len(found)} of {n} commits", file=sys.stderr)
        rows.append(found)
    chosen = []
    for turn in range(PER_REPOSITORY):  # the newest of each, then the next of each
        chosen += [found[turn] for found in rows if turn < len(found)]
    for row in sorted(chosen[:TOTAL], key=lambda row: REPOSITORIES.index(row[0])):
        out.writerow(row)


def ask(ken, tree, home, limit):
    env = {**os.environ, "HOME": home, "XDG_DATA_HOME": os.path.join(home, "data"), "GIT_CONFIG_NOSYSTEM": "1"}
    env.pop("XDG_CONFIG_HOME", None)
    argv = [ken, "impact", "--diff", "--json"] + (["-k", str(limit)] if limit else [])
    done = subprocess.run(argv, cwd=tree, env=env, stdout=subprocess.PIPE, check=True, timeout=600)
    return json.loads(done.stdout)


def named(answer):
    """Files that the answer names, and those that it names as direct users."""
    direct, everything = set(), set(answer.get("files", ()))
    for key in ("dependents", "tests", "maybe"):
        for item in answer.get(key, ()):
            path = item["at"].rsplit(":", 1)[0]
            everything.add(path)
            if item["distance"] == 1:
                direct.add(path)
    return everything, direct


def score(checkouts, ken, only, limit):
    total = Counter()
    print("repository\tcommit\ttruth\tnamed\tdirect\trisk\tbroken\tmissed")
    for row in csv.DictReader(open(DATA, encoding="utf-8"), delimiter="\t"):
        if only and only not in row["repository"] and not row["commit"].startswith(only):
            continue
        where, truth = place(checkouts, row["repository"]), set(row["changed_with_it"].split())
        with tempfile.TemporaryDirectory() as folder:
            tree, home = os.path.join(folder, "tree"), os.path.join(folder, "home")
            os.makedirs(home)
            subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", where, tree], check=True)
            git(tree, "checkout", "-q", "--detach", row["commit"] + "~1")
            try:
                git(tree, "checkout", "-q", row["commit"], "--", row["file"])
            except subprocess.CalledProcessError:
                os.remove(os.path.join(tree, row["file"]))
            answer = ask(ken, tree, home, limit)
        everything, direct = named(answer)
        found, level = truth & everything, answer["risk"]["level"]
        total.update(truth=len(truth), found=len(found), direct=len(truth & direct), low=level == "low", commits=1)
        total.update(direct_files=len(direct))
        print(
            row["repository"], row["commit"][:10], len(truth), len(found), len(truth & direct), level,
            answer.get("broken_total", 0), " ".join(sorted(truth - everything)), sep="\t",
        )
        sys.stdout.flush()
    print(
        f"{total['commits']} commits, {total['truth']} files to change, {total['found']} named "
        f"(recall {total['found'] / max(1, total['truth']):.3f}), {total['direct']} as direct users, of "
        f"{total['direct_files']} named so; low: {total['low']}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("mine", "score"))
    parser.add_argument("checkouts")
    parser.add_argument("--ken", default="ken")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=200)
    options = parser.parse_args()
    if options.what == "mine":
        mine(options.checkouts)
    else:
        score(options.checkouts, os.path.realpath(options.ken), options.only, options.limit)


if __name__ == "__main__":
    main()
