#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks docs/seeds.md: every requirement has one line, every test and file that a line names exists, and no line is
without an answer. --open lists the lines with an open part."""

import functools
import re
import sys

from csource import ROOT

PAGE = "docs/seeds.md"
COUNTS = {"S0": 171, "S1": 113, "S2": 182, "S3": 130, "S4": 52}  # requirements of each document
ROW = re.compile(r"^\| (S\d)-(\d+)(?: to S\d-(\d+))? \| ([^|]+) \| (.+) \|$", re.M)
TEST = re.compile(r'`((?:[\w.-]+/)+[\w.-]+):("?)([^`"]+)"?`')
FILE = re.compile(r"(?:docs|tests|tools|src|bench|web)/[\w./-]*\w")
ANSWER = re.compile(r"\*\*open\*\*|waits? for (HTTP|PostgreSQL|sync|watch)|contract §\d|\bC\d+\b|`")


@functools.cache
def test_file(name):
    """(path, text) of a file of tests: below tests/unit, tests or web/tests, a C file when it has no ending."""
    for base in ("tests/unit", "tests", "web/tests"):
        for ending in ("", ".c"):
            path = ROOT / base / (name + ending)
            if path.is_file():
                return path, path.read_text()
    return None, ""


def has_test(text, quoted, name):
    if quoted:
        return name in text
    return any(call + name + ")" in text for call in ("TEST(", "SCENARIO(")) or f"def {name}(" in text


def problems_of_row(where):
    for name, quoted, test in TEST.findall(where):
        path, text = test_file(name)
        if not path:
            yield f"no file '{name}' below tests/"
        elif not has_test(text, quoted, test):
            yield f"no test '{test}' in {path.relative_to(ROOT)}"
    for name in FILE.findall(TEST.sub("", where)):
        if not (ROOT / name).exists():
            yield f"no '{name}'"
    if not ANSWER.search(where) and not FILE.search(where) and "informs: " not in where:
        yield "neither a test nor a reason"


def problems_of(page):
    seen = set()
    for doc, first, last, _, where in ROW.findall(page):
        for n in range(int(first), int(last or first) + 1):
            if (doc, n) in seen:
                yield f"{doc}-{n}: twice"
            seen.add((doc, n))
        for problem in problems_of_row(where):
            yield f"{doc}-{first}: {problem}"
    for doc, count in COUNTS.items():
        for n in range(1, count + 1):
            if (doc, n) not in seen:
                yield f"{doc}-{n}: missing"
    for doc, n in sorted(seen):
        if n > COUNTS.get(doc, 0):
            yield f"{doc}-{n}: no such requirement"


def main():
    page = (ROOT / PAGE).read_text()
    if "--open" in sys.argv[1:]:
        for doc, first, _, what, where in ROW.findall(page):
            if "**open**" in where:
                print(f"{doc}-{first} {what}: {where}")
        return 0
    problems = list(problems_of(page))
    for p in problems:
        print(f"{PAGE}: {p}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
