#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""product.py TRUTH CHECKOUT [--zeros N | --score N] [--ken BINARY] [--seed N] [--list N]

Asks what a user would: `find_usages` over `ken mcp`, with an index of its own, and holds the answers
against a compiler's truth (README.md).

--zeros N   of N random functions that the compiler says are used, how many get an answer that shows
            no caller and no caveat
--score N   of N random definitions (0 = all), how many of their uses are shown, and how many of the
            uses shown are theirs: per pair of definition and place
"""
import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict, namedtuple
from pathlib import Path

import questions
import rows

CALLABLE = {"function", "method", "constructor"}
TYPES = {"class", "struct", "union", "enum", "interface", "trait", "protocol", "object", "type", "namespace", "impl"}
ASKED = CALLABLE | {"class"}
USES = ("calls", "constructions", "decorations", "reads", "writes", "types", "subtypes")
LIMIT = 1000
SURE = {"exact", "scoped", "imported"}

Definition = namedtuple("Definition", "name kind sites uses")


class Truth:
    """Definitions with the places that use them."""

    def __init__(self, path):
        sites, uses, kinds, names = defaultdict(set), defaultdict(set), {}, {}
        self.known = defaultdict(set)  # (path, line, name) -> definitions' sites used there
        for row in rows.read(path):
            if row.role == "alias" or row.def_path == "-" or row.kind in ("local", "module"):
                if row.role in ("ref", "call"):
                    self.known[row.path, row.line, row.name].add(("-", 0))
                continue
            if row.role == "def":
                sites[row.symbol].add((row.path, row.line))
                kinds[row.symbol], names[row.symbol] = row.kind, row.name
            else:
                site = (row.def_path, row.def_line)
                uses[row.symbol].add((row.path, row.line, row.name, row.role))
                self.known[row.path, row.line, row.name].add(site)
                sites[row.symbol].add(site)
                kinds.setdefault(row.symbol, row.kind)
                names.setdefault(row.symbol, row.name)
        merge(sites, uses, kinds, names, {"class"})
        merge(sites, uses, kinds, names, {"function", "method"})
        self.definitions = [
            Definition(names[symbol], kinds[symbol], frozenset(sites[symbol]), frozenset(uses[symbol]))
            for symbol in sorted(sites)
            if kinds[symbol] in ASKED and symbol in uses
        ]


def merge(sites, uses, kinds, names, which):
    """A record and the typedef of its name are one type, the instantiations of a template one function:
    the place of the one is a place of the other."""
    of_site = {}
    for symbol in sorted(sites):
        if kinds[symbol] not in which:
            continue
        known = {of_site[site, names[symbol]] for site in sites[symbol] if (site, names[symbol]) in of_site}
        first = min(known, default=symbol)
        for other in (known | {symbol}) - {first}:
            sites[first] |= sites.pop(other)
            uses[first] |= uses.pop(other, set())
        for site in sites[first]:
            of_site[site, names[first]] = first


def shown_definition(answer, definition):
    """Whether the answer is about the definition: one of its places lies in one of those it names."""
    for shown in answer.get("definitions", ()):
        if definition.kind in CALLABLE and shown["kind"] in TYPES:
            continue  # `interface Render { Render() }`
        if definition.kind != "constructor" and re.split(r"\.|::", shown["name"])[-1] != definition.name:
            continue  # what is around a line whose own definition is not known
        for path, line in definition.sites:
            if shown["file_path"] == path and shown["start_line"] <= line + 1 <= shown["end_line"]:
                return True
    return False


def ask(server, definition, **more):
    """The answer about the definition; None when it cannot be named: by its file, else by its line."""
    wanted = sorted(definition.sites, key=lambda site: (site[0].endswith((".h", ".d.ts")), site))
    last = None
    for path, line in wanted[:4]:
        for symbol in (definition.name, f"{path}:{line + 1}"):
            arguments = {"symbol_name": symbol, "include_context": False, **more}
            if symbol == definition.name:
                arguments["file_hint"] = path
            text = server.call("find_usages", arguments)
            try:
                answer = json.loads(text)
            except ValueError:
                last = text
                continue
            if "definitions" in answer and shown_definition(answer, definition):
                return answer, symbol, arguments
            last = text
    return None, last, None


def places(server, answer, arguments):
    """Every usage of an answer, over as many pages as it has: (path, line, name, class)."""
    while True:
        for file in answer.get("files", ()):
            for group in USES + ("imports",):
                for use in file.get(group, ()):
                    name = use.get("as") or answer["definitions"][0]["name"].split(".")[-1].split("::")[-1]
                    yield file["file_path"], use["line"] - 1, name, use.get("resolution") or use.get("class", "")
        if "next_offset" not in answer:
            return
        answer = json.loads(server.call("find_usages", {**arguments, "offset": answer["next_offset"]}))


def caveat(answer):
    return next((key for key in ("unresolved", "elsewhere", "outside", "in_text", "issues")
                 if key in answer), None)


def zeros(server, truth, n, seed, n_listed):
    used = [d for d in truth.definitions if d.kind in CALLABLE
            and any((path, line) not in d.sites for path, line, _, _ in d.uses)]
    random.Random(seed).shuffle(used)
    counts, silent = Counter(), []
    for definition in used[:n]:
        answer, why, _ = ask(server, definition, limit=1)
        if answer is None:
            counts["not a definition of the index, which is said"] += 1
            if n_listed:
                silent.append(f"(no definition) {definition.name} {min(definition.sites)}: {str(why)[:150]}")
            continue
        kinds = answer.get("by_kind", {})
        if any(kinds.get(key) for key in ("calls", "constructions", "decorations")):
            counts["a caller is shown"] += 1
        elif any(kinds.get(key) for key in USES) and not any(role == "call" for *_, role in definition.uses):
            counts["a use is shown, and no call is known"] += 1
        elif caveat(answer):
            counts[f"no caller, and a caveat: {caveat(answer)}"] += 1
        else:
            counts["silent"] += 1
            silent.append(f"{definition.name} {sorted(definition.sites)[:2]} used at {sorted(definition.uses)[:2]}")
    n_asked = sum(counts.values())
    print(f"  {n_asked} functions that are used; {counts['silent']} silent zeros")
    for what, count in counts.most_common():
        print(f"  {count:6}  {what}")
    for line in silent[:n_listed]:
        print(f"          {line}")
    return counts["silent"]


def score(server, truth, n, seed, n_listed):
    asked = list(truth.definitions)
    random.Random(seed).shuffle(asked)
    asked = asked[:n] if n else asked
    counts, wrong = Counter(), []
    for definition in asked:
        answer, _, arguments = ask(server, definition, limit=LIMIT)
        wanted = {(path, line, name) for path, line, name, _ in definition.uses}
        counts["wanted"] += len(wanted)
        if answer is None:
            counts["not asked"] += 1
            continue
        found, sure = set(), set()
        for path, line, name, cls in places(server, answer, arguments):
            (sure if cls in SURE or not cls else found).add((path, line, name))
        for pair in sure | found:
            kind = "sure" if pair in sure else "inferred"
            if pair in wanted:
                counts[f"right {kind}"] += 1
            elif definition.kind == "class" and truth.known.get(pair, set()) & definition.sites:
                counts["constructions, right"] += 1  # the compiler counts them for the constructor
            elif pair in truth.known:
                counts[f"wrong {kind}"] += 1
                if kind == "sure":
                    wrong.append(f"{pair[0]}:{pair[1] + 1} {pair[2]} is none of {sorted(definition.sites)[:2]}")
            else:
                counts["places that truth does not know"] += 1
    shown = counts["right sure"] + counts["wrong sure"]
    print(f"  {len(asked)} definitions, {counts['not asked']} that could not be named")
    print(f"  precision {percent(counts['right sure'], shown)}  recall {percent(counts['right sure'], counts['wanted'])}"
          f"  +inferred {percent(counts['right sure'] + counts['right inferred'], counts['wanted'])}"
          f"  pairs shown {shown}, wanted {counts['wanted']}")
    for line in wrong[:n_listed]:
        print(f"          {line}")


def percent(part, whole):
    return f"{100 * part / whole:5.1f}" if whole else "    -"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("truth")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--ken", default=str(questions.ROOT / "build" / "release" / "ken"))
    parser.add_argument("--zeros", type=int)
    parser.add_argument("--score", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", type=int, default=0, help="show so many of what is wrong")
    args = parser.parse_args()
    if args.zeros is None and args.score is None:
        parser.error("--zeros N or --score N")
    truth = Truth(args.truth)
    n_silent = 0
    with tempfile.TemporaryDirectory() as data:
        server = questions.Server(args.ken, args.checkout, data)
        if args.zeros is not None:
            n_silent = zeros(server, truth, args.zeros, args.seed, args.list)
        if args.score is not None:
            score(server, truth, args.score, args.seed, args.list)
        server.close()
    return n_silent != 0


if __name__ == "__main__":
    sys.exit(main())
