#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the session of README.md and writes down what the program prints: tools/readme_session.py KEN

A session is a block that begins with ```console. Its lines that begin with "$ " are commands; what stands between them
is replaced by their output (stdout), as run by bash in the root of the repository with KEN as `ken`, an index of its own
and no colour.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from csource import ROOT

README = ROOT / "README.md"
BLOCK = re.compile(r"(^```console\n)(.*?)(^```$)", re.M | re.S)


def commands_of(text):
    return [line[2:] for m in BLOCK.finditer(text) for line in m[2].splitlines() if line.startswith("$ ")]


def played(session, env):
    out = []
    for command in (line[2:] for line in session.splitlines() if line.startswith("$ ")):
        r = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        if r.returncode or not r.stdout.strip():
            sys.exit(f"README.md: '{command}' gives {r.returncode}: {r.stderr.strip() or 'nothing'}")
        lines = [line.rstrip() for line in r.stdout.strip("\n").split("\n")]
        out += ([""] if out else []) + [f"$ {command}"] + lines
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ken = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / "ken").symlink_to(ken)
        env = {**os.environ, "PATH": f"{scratch}:{os.environ['PATH']}", "KEN_DATA_DIR": f"{scratch}/data",
               "NO_COLOR": "1"}
        text = README.read_text()
        README.write_text(BLOCK.sub(lambda m: m[1] + played(m[2], env) + m[3], text))


if __name__ == "__main__":
    main()
