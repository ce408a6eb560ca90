#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scores ken's edges against a compiler's truth (README.md says what counts as what).

    score.py TRUTH EDGES [--root TREE] [--misses N]
    score.py --index INDEX --dump PROGRAM [--only WORD] [--misses N] [--table FILE]
"""
import argparse
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict, namedtuple

import rows

Edge = namedtuple("Edge", "path line col name role cls target_path target_line target_col target_name")

RESOLVED = ("exact", "scoped", "imported")
CLASSES = (*RESOLVED, "inferred", "external", "unresolved")
SYMBOLS = {"function", "method", "class", "constructor"}
GROUPS = ("calls", "symbols", "all")
OVERLOAD = re.compile(r"\(\+\d+\)")
# What makes a local a function, before its name and behind it.
FUNCTION_HEAD = re.compile(rb"\b(?:function\*?|def|fn|func|fun)\s+$")
FUNCTION_TAIL = re.compile(
    rb"\w*\s*(?::[^=]*)?:?=\s*(?:async\s+)?(?:function\b|func\b|lambda\b|\[[^\]]*\]\s*[({]|\(?[\w\s,:={}]*\)?\s*=>)"
)


def family(symbol):
    """What overloads share: '(+1)' tells them apart in SCIP; clang's rows begin with the name."""
    if symbol.count(" ") == 1 and not symbol.startswith("local "):
        return symbol.split(" ")[0]
    return OVERLOAD.sub("()", symbol)


class Place:
    """What truth knows about one occurrence."""

    def __init__(self, row):
        self.name, self.role = row.name, row.role
        self.kinds, self.symbols = set(), set()
        self.ours, self.local = set(), set()  # where our definitions of it stand
        self.local_sites = set()  # with columns
        self.is_external = False

    def add(self, row):
        self.kinds.add(row.kind)
        self.symbols.add(row.symbol)
        if "call" in (row.role, self.role):
            self.role = "call"
        if row.def_path == "-":
            self.is_external = True
        elif row.kind == "local":
            self.local.add((row.def_path, row.def_line))
            self.local_sites.add((row.def_path, row.def_line, row.def_col))
        else:
            self.ours.add((row.def_path, row.def_line))

    def groups(self):
        """The groups in which this place counts; a module's name and an alias' count in none."""
        if self.role == "alias":
            return ()
        kinds = self.kinds - {"local", "module"}
        if not kinds:
            return ()
        found = ["all"]
        if self.role == "call":
            found.append("calls")
        if kinds & SYMBOLS:
            found.append("symbols")
        return found


class Truth:
    """`sources`: the files of the tree, which tell local functions from other locals; without them
    calls of local functions count for nothing."""

    def __init__(self, all_rows, sources=None):
        self.sources = sources
        self.lines = defaultdict(dict)  # (path, line) -> column -> Place
        self.defined = defaultdict(set)  # (path, line) -> symbols defined there, but for locals
        self.paths = set()
        for row in all_rows:
            self.paths.add(row.path)
            if row.role == "def":
                if row.kind not in ("local", "module"):
                    self.defined[row.path, row.line].add((row.name, family(row.symbol), row.kind))
            else:
                self.lines[row.path, row.line].setdefault(row.col, Place(row)).add(row)

    def is_local_call(self, place):
        """Whether the place calls a function that is local to another."""
        if not self.sources or place.role != "call" or place.ours or place.is_external:
            return False
        return any(self.is_function(*site) for site in place.local_sites)

    def is_function(self, path, line, col):
        text = self.sources.line(path, line)
        return bool(FUNCTION_HEAD.search(text[:col]) or FUNCTION_TAIL.match(text[col:]))

    def find(self, edge):
        """By line and column; the name tells other units of columns from ours."""
        place = self.lines.get((edge.path, edge.line), {}).get(edge.col)
        return place if place and place.name == edge.name else None

    def is_right(self, place, edge):
        """None, or by what: 'site', 'overload' or 'alias'."""
        target = (edge.target_path, edge.target_line)
        if target in place.ours or target in place.local:
            return "site"
        families = {family(symbol) for symbol in place.symbols}
        if any(found[1] in families for found in self.defined.get(target, ())):
            return "overload"
        for col, alias in self.lines.get(target, {}).items():
            if col == edge.target_col or alias.name == edge.target_name:
                if alias is not place and alias.ours & place.ours:
                    return "alias"
        return None


def read_edges(lines):
    for line in lines:
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 10:
            raise ValueError(f"an edge has 10 fields, not {len(parts)}: {line!r}")
        for at in (1, 2, 7, 8):
            parts[at] = int(parts[at]) if parts[at] else -1
        if parts[5] not in CLASSES:
            raise ValueError(f"class {parts[5]!r} is none of {', '.join(CLASSES)}")
        yield Edge(*parts)


class Tally:
    """Counts of one repository; examples of what went wrong, by kind of mistake."""

    def __init__(self):
        self.wanted = Counter()
        self.found = Counter()
        self.found_inferred = Counter()
        self.left_out = Counter()  # wanted in files that have no edge at all: the index leaves them out
        self.right = Counter()
        self.wrong = Counter()
        # Strictly: of the right overload only, each edge of a place its share, calls of local
        # functions among them.
        self.strict = {what: Counter() for what in ("right", "wrong", "found", "wanted")}
        self.by = Counter()
        self.notes = Counter()
        self.mistakes = defaultdict(list)

    def mistake(self, what, example):
        self.mistakes[what].append(example)

    @staticmethod
    def ratio(part, whole):
        return part / whole if whole else float("nan")

    def precision(self, key):
        return self.ratio(self.right[key], self.right[key] + self.wrong[key])

    def recall(self, group):
        return self.ratio(self.found[group], self.wanted[group])

    def strict_precision(self, group):
        right = self.strict["right"][group]
        return self.ratio(right, right + self.strict["wrong"][group])

    def strict_recall(self, group):
        return self.ratio(self.strict["found"][group], self.strict["wanted"][group])

    def recall_inferred(self, group):
        return self.ratio(self.found[group] + self.found_inferred[group], self.wanted[group])


def kind_name(place):
    return "/".join(sorted(place.kinds - {"local"}) or ["local"])


def example(edge, place):
    got = f"{edge.target_path}:{edge.target_line + 1} {edge.target_name}" if edge.target_path else "-"
    want = ", ".join(f"{path}:{line + 1}" for path, line in sorted(place.ours | place.local)[:2])
    return f"{edge.path}:{edge.line + 1}:{edge.col + 1} {edge.name}: got {got}, want {want or 'external'}"


def judge_edge(truth, tally, place, edge):
    """One edge with a target, at a place that truth knows; true if it is right."""
    by = truth.is_right(place, edge)
    if place.local and not place.ours:
        if by:
            tally.notes["locals, right"] += 1
            return False
        groups = local_groups(truth, place, edge)
    else:
        groups = place.groups()
    if not groups:
        return False
    if not by and place.ours and edge.target_path not in truth.paths:
        if edge.target_name == place.name:
            tally.notes["into files truth did not compile"] += 1
            return False
    keys = [*groups] if edge.cls in RESOLVED else ["inferred"]
    for key in [*keys, edge.cls] if edge.cls in RESOLVED else keys:
        (tally.right if by else tally.wrong)[key] += 1
    if by:
        tally.by[by] += 1
        return True
    if place.is_external and not place.ours:
        tally.notes[f"external taken for ours, {'resolved' if edge.cls in RESOLVED else edge.cls}"] += 1
        tally.mistake(f"wrong, {edge.cls}: external {kind_name(place)}", example(edge, place))
    else:
        what = "a local" if place.local and not place.ours else f"{place.role} {kind_name(place)}"
        tally.mistake(f"wrong, {edge.cls}: {what}", example(edge, place))
    return False


def local_groups(truth, place, edge):
    """A local taken for something else counts where that something would."""
    kinds = {found[2] for found in truth.defined.get((edge.target_path, edge.target_line), ())}
    if not kinds:
        return ()
    found = ["all"]
    if place.role == "call":
        found.append("calls")
    if kinds & SYMBOLS:
        found.append("symbols")
    return found


class Shares:
    """Of each place, how many of its resolved edges are strictly right."""

    def __init__(self):
        self.right, self.edges = Counter(), Counter()

    def note(self, truth, tally, place, edge):
        if edge.cls not in RESOLVED:
            return
        by = truth.is_right(place, edge)
        groups = place.groups() or (("all", "calls") if truth.is_local_call(place) else ())
        is_elsewhere = edge.target_path not in truth.paths and edge.target_name == place.name
        if not groups or (not by and place.ours and is_elsewhere):
            return
        is_right = by in ("site", "alias")
        self.edges[id(place)] += 1
        self.right[id(place)] += is_right
        tally.strict["right" if is_right else "wrong"].update(groups)

    def finish(self, truth, tally):
        for places in truth.lines.values():
            for place in places.values():
                groups = place.groups() if place.ours else ()
                if not groups and truth.is_local_call(place):
                    groups = ("all", "calls")
                    tally.notes["calls of local functions, strictly wanted"] += 1
                share = self.right[id(place)] / self.edges[id(place)] if self.edges[id(place)] else 0
                for group in groups:
                    tally.strict["wanted"][group] += 1
                    tally.strict["found"][group] += share


def score(truth, edges):
    tally = Tally()
    shares = Shares()
    at = defaultdict(list)
    seen = set()  # files that have any edge
    for edge in dict.fromkeys(edges):
        seen.add(edge.path)
        place = truth.find(edge)
        if place:
            at[id(place)].append(edge)
            if edge.target_path:
                shares.note(truth, tally, place, edge)
            if edge.target_path and edge.cls in (*RESOLVED, "inferred"):
                if judge_edge(truth, tally, place, edge):
                    at[id(place), edge.cls in RESOLVED] = [edge]
        elif edge.target_path:
            tally.notes["places truth does not know"] += 1
    for (path, line), places in truth.lines.items():
        for col, place in places.items():
            if place.ours and place.groups():
                if path not in seen:
                    tally.notes["wanted in files without any edge"] += 1
                    tally.left_out.update(place.groups())
                miss_or_find(tally, at, place, f"{path}:{line + 1}:{col + 1}")
    shares.finish(truth, tally)
    return tally


def miss_or_find(tally, at, place, where):
    right, guessed = bool(at.get((id(place), True))), bool(at.get((id(place), False)))
    for group in place.groups():
        tally.wanted[group] += 1
        tally.found[group] += right
        tally.found_inferred[group] += guessed and not right
    if right:
        return
    classes = {edge.cls for edge in at.get(id(place), ())}
    if guessed:
        why = "inferred, rightly"
    elif classes & set((*RESOLVED, "inferred")):
        return  # a wrong edge: listed already
    else:
        why = "/".join(sorted(classes)) or "no edge"
    want = ", ".join(f"{path}:{line + 1}" for path, line in sorted(place.ours)[:2])
    tally.mistake(f"missed, {why}: {place.role} {kind_name(place)}", f"{where} {place.name}: want {want}")


def percent(value):
    return "    -" if value != value else f"{100 * value:5.1f}"


def report(name, tally, n_misses, out):
    out.write(f"{name}\n  {'':8} precision  recall  +inferred    edges   wanted   strictly: precision  recall\n")
    for group in GROUPS:
        n_edges = tally.right[group] + tally.wrong[group]
        out.write(
            f"  {group:8}     {percent(tally.precision(group))}   {percent(tally.recall(group))}"
            f"      {percent(tally.recall_inferred(group))} {n_edges:8} {tally.wanted[group]:8}"
            f"              {percent(tally.strict_precision(group))}   {percent(tally.strict_recall(group))}\n"
        )
    if tally.left_out:
        recalls = (f"{g} {percent(tally.ratio(tally.found[g], tally.wanted[g] - tally.left_out[g]))}" for g in GROUPS)
        out.write(f"  recall without files that have no edge: {', '.join(recalls)}\n")
    for cls in (*RESOLVED, "inferred"):
        n_edges = tally.right[cls] + tally.wrong[cls]
        out.write(f"  {cls:8}     {percent(tally.precision(cls))} {'':20} {n_edges:9}\n")
    right_by = ", ".join(f"{by} {n}" for by, n in tally.by.most_common())
    out.write(f"  right by: {right_by or '-'}\n")
    for note, count in tally.notes.most_common():
        out.write(f"  {note}: {count}\n")
    ranked = sorted(tally.mistakes.items(), key=lambda item: -len(item[1]))
    for what, examples in ranked[:n_misses]:
        out.write(f"  {len(examples):6}  {what}\n")
        step = max(1, len(examples) // 5)
        for line in examples[::step][:5]:
            out.write(f"            {line}\n")
    out.write("\n")


def dumped(program, root):
    words = [*program.split(), root]
    done = subprocess.run(words, check=True, capture_output=True, text=True, errors="replace")
    return read_edges(done.stdout.splitlines())


def entries(index, only):
    with open(index, encoding="utf-8") as file:
        for line in file:
            lang, name, root, truth = line.split()
            if not only or only in (lang, name):
                yield lang, name, root, truth


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("truth", nargs="?")
    parser.add_argument("edges", nargs="?")
    parser.add_argument("--index", help="lines 'language name root truth'")
    parser.add_argument("--dump", help="prints the edges of the tree that is its last argument")
    parser.add_argument("--root", help="the tree of TRUTH and EDGES, to tell local functions")
    parser.add_argument("--only", help="a language or a name of the index")
    parser.add_argument("--misses", type=int, default=0, help="how many kinds of mistake to show")
    args = parser.parse_args()
    if args.index and args.dump:
        for lang, name, root, path in entries(args.index, args.only):
            tally = score(Truth(rows.read(path), rows.Sources(root)), dumped(args.dump, root))
            report(f"{lang} {name}", tally, args.misses, sys.stdout)
            sys.stdout.flush()
    elif args.truth and args.edges:
        with open(args.edges, encoding="utf-8", errors="replace") as file:
            sources = rows.Sources(args.root) if args.root else None
            tally = score(Truth(rows.read(args.truth), sources), read_edges(file))
        report(os.path.basename(args.truth), tally, args.misses, sys.stdout)
    else:
        parser.error("either TRUTH and EDGES, or --index and --dump")


if __name__ == "__main__":
    main()
