# SPDX-License-Identifier: MIT
"""What the checking scripts share: finding our C files and splitting them into tokens."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<number>\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.'])*)"
    r"|(?P<newline>\n)"
    r"|(?P<punct>->|\+\+|--|&&|\|\||<<=|>>=|[-+*/%&|^=!<>]=|<<|>>|\.\.\.|[^\s])"
    r"|(?P<space>[^\S\n]+)",
    re.S,
)


class Token:
    __slots__ = ("kind", "text", "line")

    def __init__(self, kind, text, line):
        self.kind = kind
        self.text = text
        self.line = line


def tokens(text):
    """Words, numbers, strings, punctuation and comments, each with its line; no white space."""
    line = 1
    out = []
    for m in _TOKEN.finditer(text.replace("\\\n", " \n")):
        kind = m.lastgroup
        if kind not in ("space", "newline"):
            out.append(Token(kind, m.group(), line))
        line += m.group().count("\n")
    return out


def code_tokens(text):
    """tokens() without comments and without preprocessor lines."""
    lines = text.split("\n")
    kept = []
    directive = False
    in_comment = False
    for ln in lines:
        is_start = not in_comment and ln.lstrip().startswith("#")
        blank = directive or is_start
        directive = blank and ln.endswith("\\")
        if not blank:
            opened = ln.rfind("/*")
            closed = ln.rfind("*/")
            in_comment = opened > closed or (in_comment and closed < 0)
        kept.append("" if blank else ln)
    return [t for t in tokens("\n".join(kept)) if t.kind != "comment"]


def c_files(*folders, suffixes=(".c", ".h")):
    out = []
    for folder in folders:
        base = ROOT / folder
        if base.is_file():
            out.append(base)
        else:
            out.extend(p for p in base.rglob("*")
                       if p.suffix in suffixes and p.is_file() and "node_modules" not in p.parts)
    return sorted(out)


def rel(path):
    return path.relative_to(ROOT).as_posix()
