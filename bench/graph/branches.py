# SPDX-License-Identifier: MIT
"""Which definitions of a Python file are one name's in one scope: both sides of an 'if', overloads."""
import ast
from collections import defaultdict


def _names(statement):
    """(name, line) of what a statement defines itself; lines from 0."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [(statement.name, statement.lineno - 1)]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [(node.id, node.lineno - 1) for node in targets if isinstance(node, ast.Name)]


def _walk(body, scope, found):
    for statement in body:
        for name, line in _names(statement):
            found[scope, name].add(line)
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue  # what a function holds is its own
        inner = (*scope, statement.lineno) if isinstance(statement, ast.ClassDef) else scope
        for part in ("body", "orelse", "finalbody"):
            _walk(getattr(statement, part, []), inner, found)
        for handler in getattr(statement, "handlers", []):
            _walk(handler.body, inner, found)


def alternatives(lines):
    """(name, line) -> the lines where the same scope defines the name, if more than one."""
    try:
        tree = ast.parse(b"\n".join(lines))
    except (SyntaxError, ValueError):
        return {}
    found = defaultdict(set)
    _walk(tree.body, (), found)
    return {(name, line): all_of for (_, name), all_of in found.items() if len(all_of) > 1 for line in all_of}
