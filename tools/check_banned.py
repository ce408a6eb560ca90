#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Refuses names listed in tools/banned.txt, ids of languages outside of their folders, TODO comments
without an issue number, and section rules (`// ---- title ----`) that were wrapped, so that the
dashes stand on a line of their own."""

import re
import sys

from csource import ROOT, c_files, rel, tokens

TODO = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))")
# What is particular to a language stands in these folders; elsewhere its row or driver is asked.
LANGUAGE_ID = re.compile(r"^KEN_LANG_(?!UNKNOWN$|COUNT$|TABLE$|ROLE_|[A-Z_]*_H$)[A-Z_]+$")
LANGUAGE_FOLDERS = ("src/lang/", "src/graph/languages/")
WRAPPED_RULE = re.compile(r"//\s*-{5}")


def read_list():
    banned = {}
    for n, line in enumerate((ROOT / "tools" / "banned.txt").read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.strip() for p in line.split("|")]
        if len(parts) != 3:
            sys.exit(f"tools/banned.txt:{n}: three fields are needed")
        for name in parts[0].split():
            banned[name.removesuffix("()")] = (name.endswith("()"), parts[1], parts[2].split())
    return banned


def is_allowed(name, places):
    return any(name == p or (p.endswith("/") and name.startswith(p)) for p in places)


def check(path, banned):
    problems = []
    name = rel(path)
    toks = tokens(path.read_text(errors="replace"))
    code = [t for t in toks if t.kind != "comment"]
    for t in toks:
        if t.kind == "comment" and TODO.search(t.text):
            problems.append(f"{name}:{t.line}: write TODO(#123) with an issue number, or do it")
    for i, t in enumerate(code):
        if t.kind != "word" or t.text not in banned:
            continue
        calls_only, instead, places = banned[t.text]
        if is_allowed(name, places):
            continue
        if calls_only and (i + 1 == len(code) or code[i + 1].text != "("):
            continue
        before = code[i - 1].text if i else ""
        if before in (".", "->") or (calls_only and before == "*"):
            continue
        if before == "include" or (before == "<"):
            continue
        problems.append(f"{name}:{t.line}: '{t.text}' is banned; use {instead}")
    return problems


def check_languages(path):
    name = rel(path)
    if name.startswith(LANGUAGE_FOLDERS):
        return []
    return [
        f"{name}:{t.line}: '{t.text}' stands in {' and '.join(LANGUAGE_FOLDERS)} only; ask the "
        "language's row (ken_lang_at) or driver"
        for t in tokens(path.read_text(errors="replace"))
        if t.kind == "word" and LANGUAGE_ID.match(t.text)
    ]


def check_rules(path):
    return [
        f"{rel(path)}:{n}: a section rule stands on one line with its title: // ---- title ----"
        for n, line in enumerate(path.read_text(errors="replace").split("\n"), 1)
        if WRAPPED_RULE.match(line)
    ]


def main():
    banned = read_list()
    problems = [p for path in c_files("src") for p in check(path, banned) + check_languages(path)]
    for path in c_files("src", "tests", "bench", "models"):
        if not rel(path).startswith(("tests/data/", "tests/golden/")):
            problems += check_rules(path)
    for p in problems:
        print(p)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
