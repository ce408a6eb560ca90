# SPDX-License-Identifier: MIT
"""Reads SemanticDB files (scalameta's semanticdb.proto) in the shape that scip.py gives."""
import os

from protobuf import fields, text
from scip import ROLE_DEFINITION, Document, Occurrence

DEFINITION = 2


def _occurrence(data):
    place, symbol, role = {}, "", 0
    for number, value in fields(data):
        if number == 1:
            place = dict(fields(value))
        elif number == 2:
            symbol = text(value)
        elif number == 3:
            role = value
    roles = ROLE_DEFINITION if role == DEFINITION else 0
    if not symbol.startswith("local"):
        symbol = f"semanticdb java {owner(symbol)} . {symbol}"
    else:
        symbol = "local " + symbol
    return Occurrence(*(place.get(i, 0) for i in (1, 2, 3, 4)), symbol, roles)


def owner(symbol):
    """The outermost class: what of it the index does not define is not external all the same."""
    return symbol.split("#")[0].replace(" ", "")


def _document(data):
    path, occurrences = "", []
    for number, value in fields(data):
        if number == 2:
            path = text(value)
        elif number == 6:
            occurrences.append(_occurrence(value))
    return Document(path, "utf-16", occurrences, {})


def documents(folder):
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".semanticdb"):
                with open(os.path.join(where, name), "rb") as file:
                    for number, value in fields(memoryview(file.read())):
                        if number == 1:
                            yield _document(value)
