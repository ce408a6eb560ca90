#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sizes and complexity of our functions and files: a mirror, not a gate (STYLE.md, Shape).

    size_report.py [FOLDER...]      src/ by default

Cognitive complexity is counted as clang-tidy does, nearly: 1 for each branch, loop, goto and run of
equal logical operators, plus the nesting of braces around a branch or loop.
"""

import sys

from csource import c_files, code_tokens, rel

CONTROL = {"if", "for", "while", "switch", "do"}
LIMITS = {"body lines": (60, 100), "complexity": (15, 25), "nesting": (3, 4), "parameters": (5, 6)}


class Function:
    def __init__(self, path, name, line, n_params):
        self.place = f"{path}:{line}"
        self.name = name
        self.size = {"body lines": 0, "complexity": 0, "nesting": 0, "parameters": n_params}


def matching(toks, i, opening, closing):
    """The index of the bracket that closes toks[i]."""
    depth = 0
    for j in range(i, len(toks)):
        depth += (toks[j].text == opening) - (toks[j].text == closing)
        if depth == 0:
            return j
    return len(toks) - 1


def count_params(toks):
    if not toks or (len(toks) == 1 and toks[0].text == "void"):
        return 0
    depth = 0
    n = 1
    for t in toks:
        depth += (t.text in "([{") - (t.text in ")]}")
        n += t.text == "," and depth == 0
    return n


def measure(body, f):
    """Walks the tokens between the outer braces."""
    stack = []  # True for a brace that belongs to a branch or loop
    pending = False  # a branch or loop was seen; its brace is to come
    parens = 0
    operator = None
    previous = None
    for t in body:
        x = t.text
        nesting = sum(stack)
        if x in CONTROL and not (x == "while" and previous == "}") and not (
            x == "if" and previous == "else"
        ):
            f.size["complexity"] += 1 + nesting
            f.size["nesting"] = max(f.size["nesting"], nesting + 1)
        if x in CONTROL or x == "else":
            pending = True
        if x == "else" or x == "goto":
            f.size["complexity"] += 1
        if x == "?":
            f.size["complexity"] += 1 + nesting
        if x in ("&&", "||"):
            f.size["complexity"] += x != operator
            operator = x
        elif x in (";", "{", "}", ","):
            operator = None
        parens += (x == "(") - (x == ")")
        if x == "{":
            stack.append(pending and parens == 0)
            pending = False
        elif x == "}" and stack:
            stack.pop()
        elif x == ";" and parens == 0:
            pending = False
        previous = x


def functions(path):
    toks = code_tokens(path.read_text(errors="replace"))
    name = rel(path)
    out = []
    start = 0
    i = 0
    while i < len(toks):
        x = toks[i].text
        if x == ";":
            start = i + 1
        elif x == "{":
            end = matching(toks, i, "{", "}")
            head = toks[start:i]
            f = function_of(name, head)
            if f:
                f.size["body lines"] = max(0, toks[end].line - toks[i].line - 1)
                measure(toks[i + 1 : end], f)
                out.append(f)
                start = end + 1
            i = end
        i += 1
    return out


def function_of(path, head):
    """A Function when the tokens before a brace are those of a definition."""
    if not head or head[-1].text != ")" or any(t.text == "=" for t in head):
        return None
    opening = next((k for k, t in enumerate(head) if t.text == "("), None)
    if not opening or head[opening - 1].kind != "word":
        return None
    word = head[opening - 1]
    close = matching(head, opening, "(", ")")
    # KEN_TEST(name) { ... } is named by its argument.
    if opening == 1 and word.text.isupper() and close == opening + 2:
        return Function(path, head[opening + 1].text, word.line, 0)
    return Function(path, word.text, word.line, count_params(head[opening + 1 : close]))


def share(part, whole):
    return 100.0 * part / whole if whole else 100.0


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * p / 100))] if values else 0


def print_worst(title, rows, limit):
    print(f"\n{title} (look again over {limit})")
    for n, place, name in sorted(rows, key=lambda r: (-r[0], r[1]))[:10]:
        print(f"  {'!' if n > limit else ' '} {n:5d}  {place}  {name}")


def main():
    folders = sys.argv[1:] or ["src"]
    paths = c_files(*folders)
    if not paths:
        print("no C files")
        return 0
    funcs = [f for p in paths for f in functions(p)]
    lines = {p: p.read_text(errors="replace").count("\n") for p in paths}
    bodies = [f.size["body lines"] for f in funcs]
    short = sum(b <= 60 for b in bodies)
    print(f"{len(paths)} files, {sum(lines.values())} lines, {len(funcs)} functions")
    print(
        f"body lines: p50 {percentile(bodies, 50)}, p90 {percentile(bodies, 90)}, "
        f"p99 {percentile(bodies, 99)}, longest {max(bodies, default=0)}"
    )
    print(f"functions of at most 60 lines: {share(short, len(funcs)):.1f} % (aim 95, look again under 93)")
    for key, (usual, limit) in LIMITS.items():
        within = sum(f.size[key] <= usual for f in funcs)
        print(f"{key}: {share(within, len(funcs)):.1f} % within {usual}")
    for key, (_, limit) in LIMITS.items():
        print_worst(key, [(f.size[key], f.place, f.name) for f in funcs], limit)
    sources = [(n, rel(p), "") for p, n in lines.items() if p.suffix == ".c"]
    headers = [
        (n, rel(p), "") for p, n in lines.items() if p.suffix == ".h" and not p.name.endswith("_priv.h")
    ]
    print_worst("lines of a source file", sources, 1000)
    print_worst("lines of a public header", headers, 300)
    return 0


if __name__ == "__main__":
    sys.exit(main())
