#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the page in web/ and packs its files into one, which goes into the program.

    pack_page.py OUT

OUT begins with "ken page 1", then lines of "LENGTH TYPE PATH" and an empty one, then the files in that order
(src/web/web_page.c reads it). Needs web/node_modules (npm ci in web/).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPES = {
    ".html": "text/html;charset=utf-8",
    ".js": "text/javascript;charset=utf-8",
    ".css": "text/css;charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
}


def build(to):
    web = ROOT / "web"
    vite = web / "node_modules" / "vite" / "bin" / "vite.js"
    if not vite.is_file():
        sys.exit("pack_page.py: web/node_modules is not there: run npm ci in web/, or ./dev build, or build with -DKEN_PAGE=OFF")
    done = subprocess.run(["node", vite, "build", "--logLevel", "warn"], cwd=web, env=dict(os.environ, KEN_PAGE_OUT=to),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)


def pack(folder, out):
    files = sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file())
    head, bodies = ["ken page 1"], []
    for path in files:
        name = path.relative_to(folder).as_posix()
        if path.suffix not in TYPES:
            sys.exit(f"pack_page.py: {name}: no content type is known for {path.suffix}")
        body = path.read_bytes()
        head.append(f"{len(body)} {TYPES[path.suffix]} {name}")
        bodies.append(body)
    out = pathlib.Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    made = out.with_suffix(f".{os.getpid()}")
    made.write_bytes("\n".join(head).encode() + b"\n\n" + b"".join(bodies))
    made.rename(out)


def main():
    folder = tempfile.mkdtemp(prefix="ken-page-")
    try:
        build(folder)
        pack(folder, sys.argv[1])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
