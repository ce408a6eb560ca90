#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the dictionaries that small facts and references are compressed with (src/store/dictionaries).

    ken index tests; python3 tools/train_dictionaries.py STORE.db FOLDER

STORE.db is the index of this project's own tests: examples in all languages, and much C, of which one
file in four is taken. The zstd program does the training. A dictionary that is in use never changes: a
better one gets the next number in its name, and its own form byte in store_facts.c or store_refs_priv.h.
"""

import pathlib
import sqlite3
import subprocess
import sys
import tempfile

DICTIONARY_BYTES = 16384
FOLDER = pathlib.Path(__file__).parent.parent / "src/store/dictionaries"
# By table: where the compressed form's size stands, and what the byte in front of it says.
FORMS = {
    "facts": {"at": 0, "plain": {1}, "alone": {2}, "shared": {3: "facts-1.zdict"}},
    "refs": {"at": 1, "plain": {0}, "alone": {1}, "shared": {2: "refs-1.zdict"}},
}


def unzip(frame, dictionary=None):
    with_it = ["-D", dictionary] if dictionary else []
    return subprocess.run(["zstd", "-dcq", *with_it], input=frame, stdout=subprocess.PIPE, check=True).stdout


def plain_form(kind, packed):
    form = FORMS[kind]
    at, mark = form["at"] + 1, packed[form["at"]]
    if mark in form["plain"]:
        return packed if kind == "facts" else packed[at:]
    while packed[at] & 0x80:  # the size
        at += 1
    return unzip(packed[at + 1 :], None if mark in form["alone"] else FOLDER / form["shared"][mark])


def samples(db, kind):
    table = "content" if kind == "facts" else "content_refs r JOIN content ON content.id = r.content_id"
    rows = db.execute(
        f"SELECT {kind}, max(path) FROM {table} JOIN file ON file.content_id = content.id "
        "GROUP BY content.id ORDER BY content.id"
    )
    n_c = 0
    for packed, path in rows:
        is_c = path.endswith((".c", ".h"))
        n_c += is_c
        if not is_c or n_c % 4 == 0:
            yield plain_form(kind, packed)


def train(db, kind, folder):
    with tempfile.TemporaryDirectory() as dir:
        for i, sample in enumerate(samples(db, kind)):
            (pathlib.Path(dir) / f"{i:05}").write_bytes(sample)
        out = pathlib.Path(folder) / f"{kind}.zdict"
        command = ["zstd", "--train", f"--maxdict={DICTIONARY_BYTES}", "-q", "-f", "-r", dir, "-o", out]
        subprocess.run(command, check=True)
        print(out, out.stat().st_size)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    for kind in FORMS:
        train(db, kind, sys.argv[2])


if __name__ == "__main__":
    main()
