#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns a SCIP index, or a folder of SemanticDB files, into rows of truth.

    from_scip.py INDEX ROOT OUT

A symbol whose definition lies in ROOT is ours; one of a package that ROOT does not define is
external; one of our packages whose definition the index lacks says nothing and is left out.
"""
import argparse
import os
import re
import subprocess

import branches
import rows
import scip
import semanticdb

WORD = re.compile(r"#?[^\W\d][\w$]*|[$\w]+")
PYTHON_DEF = re.compile(rb"\s*(async\s+def|def|class)\s+$")
PYTHON_ASSIGNMENT = re.compile(rb"\s*(:[^=]*)?=(?!=)")
SUFFIX_KINDS = {"#": "class", "/": "module", "!": "macro", "[]": "local", "()": "local"}


def package(symbol):
    """Manager and name; the version says nothing about whose a symbol is."""
    return tuple(symbol.split(" ")[1:3])


def kind_of(symbol):
    if symbol.startswith("local "):
        return "local"
    parts = scip.descriptors(symbol)
    if not parts:
        return "module"
    suffix = parts[-1][1]
    owner = parts[-2][1] if len(parts) > 1 else ""
    if suffix == "().":
        if parts[-1][0] in ("<constructor>", "<init>"):
            return "constructor"
        return "method" if owner in ("#", "[]") else "function"
    if suffix == ":":
        return "module" if parts[-1][0] == "__init__" else "field"
    if suffix == ".":
        return "field" if owner in ("#", ":", "().") else "variable"
    return SUFFIX_KINDS.get(suffix, "variable")


def is_unnamed_construction(symbol, name):
    """'super(…)', 'this(…)' and Java's enum constants call a constructor that they do not name."""
    parts = [] if symbol.startswith("local ") else scip.descriptors(symbol)
    return len(parts) > 1 and parts[-1] == ("<init>", "().") and parts[-2][0] != name


class Index:
    def __init__(self, path, sources):
        self.sources = sources
        reader = semanticdb if os.path.isdir(path) else scip
        self.documents = [
            doc._replace(path=os.path.normpath(doc.path)) for doc in reader.documents(path)
        ]
        self.definitions = {}  # symbol -> {(path, line, col, kind)}; locals are per document
        self.ours = set()
        self.branches = {}  # path of a Python file -> its names with several definitions
        for doc in self.documents:
            for occ in doc.occurrences:
                if self.defines(doc, occ):
                    self.define(doc, occ)

    def defines(self, doc, occ):
        """scip-python takes what is defined a second time (overloads, branches) for a reference."""
        if occ.roles & scip.ROLE_DEFINITION:
            return True
        if not occ.symbol.startswith("scip-python "):
            return False
        line = self.sources.line(doc.path, occ.line)
        if PYTHON_DEF.fullmatch(line[: occ.col]):
            return True
        is_value = kind_of(occ.symbol) in ("variable", "field") and not line[: occ.col].strip()
        return is_value and bool(PYTHON_ASSIGNMENT.match(line[occ.end_col:]))

    def define(self, doc, occ):
        if not self.sources.has(doc.path):
            return
        found = self.place(doc, occ)
        if not found:  # a module is defined at no name of its own
            found = (occ.col, occ.col, "")
        col, end, _ = found
        kind = kind_of(occ.symbol)
        if kind == "variable" and self.sources.holds_function(doc.path, occ.line, end):
            kind = "function"
        self.definitions.setdefault(self.key(doc, occ.symbol), set()).add(
            (doc.path, occ.line, col, kind)
        )
        if not occ.symbol.startswith("local "):
            self.ours.add(package(occ.symbol))
            self.define_elsewhere(doc.path, occ, kind)

    def define_elsewhere(self, path, occ, kind):
        """The name's definitions on other sides of an 'if', which pyright does not reach."""
        if not path.endswith((".py", ".pyi")):
            return
        if path not in self.branches:
            self.branches[path] = branches.alternatives(self.sources.lines(path))
        name = scip.descriptors(occ.symbol)[-1][0]
        for line in self.branches[path].get((name, occ.line), ()):
            col = self.sources.line(path, line).find(name.encode())
            self.definitions[occ.symbol].add((path, line, col, kind))

    @staticmethod
    def key(doc, symbol):
        return (doc.path, symbol) if symbol.startswith("local ") else symbol

    def place(self, doc, occ):
        """Byte columns and the text of the first name in the range ('a as b' names a), or None:
        strings, operators and '.await' are references of a kind, but no names."""
        unit = doc.encoding or "utf-16"
        col = self.sources.byte_column(doc.path, occ.line, occ.col, unit)
        end = self.sources.byte_column(doc.path, occ.line, occ.end_col, unit)
        text = self.sources.text(doc.path, occ.line, col, end)
        word = WORD.search(text)
        if not word or text.startswith(("'", '"', "`")):
            return None
        start = col + len(text[: word.start()].encode())
        return start, start + len(word.group().encode()), word.group()

    def rows(self):
        for doc in self.documents:
            if self.sources.has(doc.path):
                for occ in doc.occurrences:
                    if occ.end_line == occ.line:  # else a pattern, not a name
                        yield from self.rows_of(doc, occ)

    def rows_of(self, doc, occ):
        found = self.place(doc, occ)
        if not found:
            return
        col, end, name = found
        if self.is_slot(doc, occ, col, name) or self.is_type_parameter(doc, occ, name):
            return
        if is_unnamed_construction(occ.symbol, name):
            return
        found = self.found(doc, occ.symbol)
        if found:
            targets = found
        elif occ.symbol.startswith("local ") or self.may_be_ours(occ.symbol):
            return  # no definition to hold an edge against
        else:
            targets = {(*rows.EXTERNAL, kind_of(occ.symbol))}
        role = "ref"
        if self.defines(doc, occ):
            role = "def"
            targets = {target for target in targets if target[:3] == (doc.path, occ.line, col)}
        elif self.sources.is_call(doc.path, occ.line, end):
            is_annotation = self.sources.line(doc.path, occ.line)[:col].endswith(b"@")
            role = "ref" if is_annotation and occ.symbol.startswith("semanticdb ") else "call"
        for path, line, def_col, kind in targets:
            symbol = " ".join(occ.symbol.split())
            yield rows.Row(
                doc.path, occ.line, col, end, role, symbol, path, line, def_col, kind, name
            )

    def is_slot(self, doc, occ, col, name):
        """'self.x' of a class with __slots__: scip-python says the class."""
        if not occ.symbol.startswith("scip-python ") or not occ.symbol.endswith("#"):
            return False
        is_member = self.sources.line(doc.path, occ.line)[:col].endswith(b".")
        return is_member and scip.descriptors(occ.symbol)[-1][0] != name

    def is_type_parameter(self, doc, occ, name):
        """'def f[T](x: T)': scip-python says the function where T is named."""
        if not occ.symbol.startswith("scip-python ") or not occ.symbol.endswith("()."):
            return False
        sites = self.definitions.get(self.key(doc, occ.symbol), set())
        return scip.descriptors(occ.symbol)[-1][0] != name and any(site[0] == doc.path for site in sites)

    def found(self, doc, symbol):
        """Where the symbol is defined: in this file if it is, as tests of one crate share names."""
        sites = self.definitions.get(self.key(doc, symbol), set()) | self.classes_of(symbol)
        here = {site for site in sites if site[0] == doc.path}
        if kind_of(symbol) == "module":  # a namespace may be opened in every file
            sites = set(sorted(sites)[:1])
        return here or sites

    def may_be_ours(self, symbol):
        """Of a package of ours, unless it is a Python module (the indexer takes a library it does
        not know for the project) that no file of the tree could be."""
        if package(symbol) not in self.ours:
            return False
        parts = scip.descriptors(symbol)
        if not symbol.startswith("scip-python ") or not parts:
            return True
        file = "/" + parts[0][0].replace(".", "/")
        endings = (file + ".py", file + ".pyi", file + "/__init__.py")
        return any(("/" + doc.path).endswith(endings) for doc in self.documents)

    def classes_of(self, symbol):
        """A constructor's class: naming either answers what 'new C()' means."""
        if kind_of(symbol) != "constructor":
            return set()
        return self.definitions.get(symbol[: symbol.rindex("#") + 1], set())


def tracked(root, commit_tree):
    if not commit_tree:
        return None
    out = subprocess.run(["git", "-C", commit_tree, "ls-files", "-z"], check=True, capture_output=True)
    return set(out.stdout.decode("utf-8", "replace").split("\0"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index")
    parser.add_argument("root")
    parser.add_argument("out")
    parser.add_argument("--tracked", help="a git checkout: only its files count")
    args = parser.parse_args()
    sources = rows.Sources(args.root, tracked(args.root, args.tracked))
    rows.write(Index(args.index, sources).rows(), args.out)


if __name__ == "__main__":
    main()
