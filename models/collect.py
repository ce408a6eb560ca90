#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lays out the training corpus: for each row of repositories.tsv a folder owner+name with its source.

usage: collect.py LIST CORPUS [CLONES]

Each repository is fetched at its commit, without history; or read from CLONES/owner+name/repo, a git
directory that has the commit already. Kept are source and prose of at most 256 KiB a file, and of a
repository the first 2,500 files or 20 MB in the order of their paths' MD5: which files these are
depends on the commit alone.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

EXTENSIONS = set(
    "py pyi js jsx mjs cjs ts tsx mts go rs java c h cc cpp cxx hpp hh hxx inl cs rb rake php kt kts "
    "swift scala sc hs lua ex exs zig sh bash zsh bats md markdown rst".split()
)
PROGRAM_FOLDERS = {"bin", "libexec"}  # where programs have no extension
FILES_MAX, BYTES_MAX = 2500, 20_000_000
FILE_BYTES_MIN, FILE_BYTES_MAX = 64, 256 * 1024


def git(git_dir, *args, data=None):
    command = ["git", "--git-dir", str(git_dir), *args]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def fetch(url, commit, into):
    git(into, "init", "-q", "--bare")
    git(into, "fetch", "-q", "--depth", "1", url, commit)


def is_wanted(path, size):
    if not FILE_BYTES_MIN <= size <= FILE_BYTES_MAX:
        return False
    extension = path.suffix[1:].lower()
    return extension in EXTENSIONS or (not extension and PROGRAM_FOLDERS & set(path.parts[:-1]))


def list_files(git_dir, commit):
    rows = []
    for line in git(git_dir, "ls-tree", "-r", "-l", "-z", commit).split(b"\0"):
        meta, _, name = line.partition(b"\t")
        fields = meta.split()
        if len(fields) != 4 or fields[0] == b"120000" or not fields[3].isdigit():
            continue
        try:
            path = Path(name.decode())
        except UnicodeDecodeError:
            continue
        if is_wanted(path, int(fields[3])):
            rows.append((hashlib.md5(name).hexdigest(), fields[2], path, int(fields[3])))
    return sorted(rows)


def keep_front(rows):
    kept, total = [], 0
    for row in rows:
        if len(kept) == FILES_MAX or total > BYTES_MAX:
            break
        kept.append(row)
        total += row[3]
    return kept


def write_files(git_dir, rows, out):
    data = git(git_dir, "cat-file", "--batch", data=b"".join(row[1] + b"\n" for row in rows))
    at = 0
    for row in rows:
        head_end = data.index(b"\n", at)
        size = int(data[at:head_end].split()[2])
        path = out / row[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data[head_end + 1 : head_end + 1 + size])
        at = head_end + 2 + size


def collect(name, url, commit, corpus, clones):
    folder = name.replace("/", "+")
    out = corpus / folder
    if (out / ".done").exists():
        return
    with tempfile.TemporaryDirectory() as scratch:
        git_dir = clones / folder / "repo" if clones else Path(scratch)
        if clones and not (git_dir / "HEAD").exists():
            git_dir /= ".git"
        if not clones:
            fetch(url, commit, git_dir)
        write_files(git_dir, keep_front(list_files(git_dir, commit)), out)
    (out / ".done").write_text(commit + "\n")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    corpus = Path(sys.argv[2])
    clones = Path(sys.argv[3]) if len(sys.argv) == 4 else None
    for line in Path(sys.argv[1]).read_text().splitlines():
        name, url, commit = line.split("\t")[:3]
        if "/" not in name:  # the head of the table
            continue
        print(name, flush=True)
        collect(name, url, commit, corpus, clones)


if __name__ == "__main__":
    main()
