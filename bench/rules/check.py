#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the sets of rules are whole: every text stands in its document where the set says, every
change names rules that exist. With a folder of checkouts also that each is of the right commit and holds the
files that the rules were read in.

    bench/rules/check.py [CHECKOUTS]
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
N_RULES, N_CHANGES = 30, 20


def words(text):
    return " " + " ".join(re.findall(r"\w+", text)) + " "


def problems_of(folder, checkouts):
    data = json.loads((folder / "set.json").read_text())
    lines = (folder / data["document"]).read_text().splitlines()
    rules, changes = data["rules"], data["changes"]
    ids = {r["id"] for r in rules}
    if len(rules) != N_RULES or len(ids) != N_RULES or len(changes) != N_CHANGES:
        yield f"{len(rules)} rules ({len(ids)} ids), {len(changes)} changes"
    for r in rules:
        first, last = r["lines"]
        if words(r["text"]) not in words("\n".join(lines[first - 1 : last])):
            yield f"rule '{r['id']}' does not stand in lines {first}-{last} of {data['document']}"
    for c in changes:
        if not 1 <= len(c["rules"]) <= 3 or not set(c["rules"]) <= ids:
            yield f"change {c['n']}: rules {c['rules']}"
        if not 10 <= len(c["change"].split()) <= 40:
            yield f"change {c['n']} has {len(c['change'].split())} words"
    if [c["n"] for c in changes] != list(range(1, N_CHANGES + 1)):
        yield "the numbers of the changes have gaps"
    if checkouts:
        yield from problems_of_checkout(data, checkouts / folder.name)


def problems_of_checkout(data, tree):
    head = subprocess.run(["git", "-C", str(tree), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if head.stdout.strip() != data["commit"]:
        yield f"'{tree}' is not at {data['commit']}"
        return
    for r in data["rules"]:
        for seen in r["seen"]:
            if not (tree / seen).exists():
                yield f"rule '{r['id']}': no '{seen}' in the repository"


def main():
    checkouts = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    found = [
        f"{path.parent.name}: {text}"
        for path in sorted(HERE.glob("*/set.json"))
        for text in problems_of(path.parent, checkouts)
    ]
    print("\n".join(found) or "bench/rules: all sets are whole")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
