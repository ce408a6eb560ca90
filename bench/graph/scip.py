# SPDX-License-Identifier: MIT
"""Reads a SCIP index (https://github.com/sourcegraph/scip, scip.proto) into plain tuples."""
from collections import namedtuple

from protobuf import fields, packed, text

Document = namedtuple("Document", "path encoding occurrences kinds")
Occurrence = namedtuple("Occurrence", "line col end_line end_col symbol roles")

ROLE_DEFINITION = 1
ENCODINGS = {1: "utf-8", 2: "utf-16", 3: "utf-32"}


def _occurrence(data):
    place, symbol, roles = [], "", 0
    for number, value in fields(data):
        if number == 1:
            place += packed(value)
        elif number == 2:
            symbol = text(value)
        elif number == 3:
            roles = value
    if len(place) == 3:  # one line: line, column, end column
        place.insert(2, place[0])
    return Occurrence(*place, symbol, roles)


def _symbol_kind(data):
    symbol, kind = "", 0
    for number, value in fields(data):
        if number == 1:
            symbol = text(value)
        elif number == 5:
            kind = value
    return symbol, kind


def _document(data):
    path, encoding, occurrences, kinds = "", 0, [], {}
    for number, value in fields(data):
        if number == 1:
            path = text(value)
        elif number == 2:
            occurrence = _occurrence(value)
            if occurrence.symbol.startswith("local ") or occurrence.symbol.count(" ") >= 4:
                occurrences.append(occurrence)  # scip-python writes some symbols cut off
        elif number == 3:
            symbol, kind = _symbol_kind(value)
            kinds[symbol] = kind
        elif number == 6:
            encoding = value
    return Document(path, ENCODINGS.get(encoding), occurrences, kinds)


def documents(path):
    with open(path, "rb") as file:
        data = memoryview(file.read())
    for number, value in fields(data):
        if number == 2:
            yield _document(value)


def descriptors(symbol):
    """'scheme manager package version a/b#c().' -> [('a','/'), ('b','#'), ('c','().')]."""
    rest = symbol
    for _ in range(4):  # scheme, manager, name, version: spaces in them are doubled
        at = 0
        while rest[at] != " " or rest[at + 1:at + 2] == " ":
            at += 2 if rest[at] == " " else 1
        rest = rest[at + 1:]
    parts, at = [], 0
    while at < len(rest):
        if rest[at] in "[(":
            close = "]" if rest[at] == "[" else ")"
            name, at = _identifier(rest, at + 1)
            parts.append((name, "[]" if close == "]" else "()"))
            at += 1
            continue
        name, at = _identifier(rest, at)
        if rest[at:at + 1] == "(":
            end = rest.index(")", at)
            parts.append((name, "()."))
            at = end + 2
        else:
            parts.append((name, rest[at:at + 1]))
            at += 1
    return parts


def _identifier(rest, at):
    if rest[at:at + 1] == "`":
        name = ""
        at += 1
        while True:
            end = rest.index("`", at)
            name += rest[at:end]
            if rest[end + 1:end + 2] != "`":
                return name, end + 1
            name += "`"
            at = end + 2
    end = at
    while end < len(rest) and (rest[end].isalnum() or rest[end] in "_+-$"):
        end += 1
    return rest[at:end], end
