#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_tidy.py [--deep] BUILD_DIR [FILE...]: clang-tidy on our C files, in parallel, remembering what passed.

Nearly all of its time goes to the static analyzer, which follows paths until a function has 225,000 states. Here it
stops at 30,000, which takes 1.1 seconds a file where that takes 3.9; --deep has no such limit. What passed deeply
has passed.

What is remembered is a hash of everything the result depends on: clang-tidy's version, .clang-tidy,
the compile command, the file, and the file after the preprocessor (so also every header it uses), with
the path of this checkout taken out of all of them. A file whose hash is known is not checked again, in
no checkout of this user (KEN_TIDY_CACHE, or ken-dev/tidy in the user's cache folder). Only clean results are
kept, and those that nothing asked for in 60 days are removed.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from csource import ROOT, rel

CACHE = Path(
    os.environ.get("KEN_TIDY_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ken-dev" / "tidy"
)
KEPT_SECONDS = 60 * 86400
QUICK = [f"--extra-arg={a}" for a in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=30000")]


def our_commands(build, wanted):
    entries = json.loads((build / "compile_commands.json").read_text())
    out = {}
    for e in entries:
        path = Path(e["file"])
        if path.suffix != ".c" or not path.is_relative_to(ROOT):
            continue
        name = rel(path)
        if name.split("/")[0] not in ("src", "tests", "bench"):
            continue
        if not wanted or name in wanted:
            out.setdefault(path, shlex.split(e["command"]))
    return out


def preprocessed(command, build):
    args = []
    skip = False
    for a in command:
        if skip:
            skip = False
        elif a in ("-o", "-MF", "-MT"):
            skip = True
        elif a not in ("-c", "-MD"):
            args.append(a)
    return subprocess.run(args + ["-E"], cwd=build, stdout=subprocess.PIPE, check=False).stdout


def key_of(path, command, build, version):
    h = hashlib.sha256()
    for part in (
        version,
        (ROOT / ".clang-tidy").read_bytes(),
        " ".join(command).encode(),
        path.read_bytes(),
        preprocessed(command, build),
    ):
        h.update(part.replace(os.fsencode(ROOT), b"."))
        h.update(b"\0")
    return h.hexdigest()


def check(path, command, build, version, is_deep):
    deep = CACHE / key_of(path, command, build, version)
    quick = deep.with_suffix(".quick")
    for stamp in [deep] if is_deep else [deep, quick]:
        if stamp.exists():
            os.utime(stamp)
            return True, ""
    run = subprocess.run(
        ["clang-tidy", "--quiet", *([] if is_deep else QUICK), "-p", str(build), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if run.returncode == 0:
        (deep if is_deep else quick).touch()
        return True, ""
    errors = "\n".join(
        ln for ln in run.stderr.split("\n") if ln and "warnings generated" not in ln
    )
    return False, run.stdout + errors


def remove_old():
    oldest = time.time() - KEPT_SECONDS
    for stamp in CACHE.iterdir():
        if stamp.stat().st_mtime < oldest:
            stamp.unlink(missing_ok=True)


def main():
    words = sys.argv[1:]
    is_deep = "--deep" in words
    if is_deep:
        words.remove("--deep")
    build = Path(words[0]).resolve()
    CACHE.mkdir(parents=True, exist_ok=True)
    remove_old()
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    commands = our_commands(build, set(words[1:]))
    jobs = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or os.cpu_count() or 2)
    failed = 0
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda pc: check(pc[0], pc[1], build, version, is_deep), sorted(commands.items()))
        for ok, text in results:
            failed += not ok
            if text:
                print(text, flush=True)
    if failed:
        print(f"clang-tidy: {failed} of {len(commands)} files have findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
