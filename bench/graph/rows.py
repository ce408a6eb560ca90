# SPDX-License-Identifier: MIT
"""The common form of truth (README.md): rows, and what the sources themselves say about a place."""
import os
import re
from collections import namedtuple

Row = namedtuple("Row", "path line col end role symbol def_path def_line def_col kind name")

EXTERNAL = ("-", 0, 0)
CALLABLE = re.compile(rb"^\s*(:[^=]*)?=\s*(async\s+)?(function\b|[\w$]+\s*=>|(<.*>)?\(.*(=>|\($|,$)|\($)")
CALL = re.compile(rb"\s*(\?\.|!)?\s*\(")


class Sources:
    """The files of a tree as lines of bytes, read once; columns of any unit become bytes."""

    def __init__(self, root, wanted=None):
        self.root = root
        self.wanted = wanted
        self.files = {}

    def has(self, path):
        if self.wanted is not None and path not in self.wanted:
            return False
        return bool(self.lines(path))

    def lines(self, path):
        if path not in self.files:
            try:
                with open(os.path.join(self.root, path), "rb") as file:
                    self.files[path] = file.read().split(b"\n")
            except OSError:
                self.files[path] = []
        return self.files[path]

    def line(self, path, line):
        lines = self.lines(path)
        return lines[line] if line < len(lines) else b""

    def byte_column(self, path, line, column, unit):
        raw = self.line(path, line)
        if unit == "utf-8" or raw.isascii():
            return column
        text = raw.decode("utf-8", "replace")
        if unit == "utf-32":
            return len(text[:column].encode())
        units = text.encode("utf-16-le")[: 2 * column]
        return len(units.decode("utf-16-le", "replace").encode())

    def text(self, path, line, col, end):
        return self.line(path, line)[col:end].decode("utf-8", "replace")

    def is_call(self, path, line, end):
        """Whether an argument list follows the name that ends here, past type arguments if any."""
        rest = self.line(path, line)[end:]
        if CALL.match(rest):
            return True
        stripped = rest.lstrip()
        for opening, closing in ((b"<", b">"), (b"::<", b">"), (b"[", b"]")):
            if stripped.startswith(opening):
                after = _after_balanced(stripped[len(opening) - 1:], opening[-1:], closing)
                return after is not None and bool(CALL.match(after))
        return bool(re.match(rb"!\s*[(\[{]", stripped))

    def holds_function(self, path, line, end):
        """Whether a variable defined here is given a function on the same line."""
        return bool(CALLABLE.match(self.line(path, line)[end:]))


def _after_balanced(rest, opening, closing):
    depth = 0
    for at in range(len(rest)):
        char = rest[at:at + 1]
        if char == opening:
            depth += 1
        elif char == closing and rest[at - 1:at] not in (b"=", b"-"):
            depth -= 1
            if depth == 0:
                return rest[at + 1:]
        elif char in b";{":
            return None
    return None


def write(rows, out):
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for row in sorted(set(rows)):
            file.write("\t".join(str(field) for field in row) + "\n")


def read(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            parts = line.rstrip("\n").split("\t")
            parts[1:4] = map(int, parts[1:4])
            parts[7:9] = map(int, parts[7:9])
            yield Row(*parts)
