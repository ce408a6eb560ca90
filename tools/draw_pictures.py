#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/pictures/*.svg: the layers, from src/CMakeLists.txt, and the way of one question.

  tools/draw_pictures.py          writes them
  tools/draw_pictures.py --check  fails when they are not what it would write
"""

import re
import sys
from html import escape

from csource import ROOT

FOLDER = ROOT / "docs/pictures"
WIDTH = 760
STYLE = """<style>
text { font: 13px sans-serif; fill: #1c2733 } .small { font-size: 11px; fill: #55606b } .head { font-weight: bold }
rect.box { fill: #fff; stroke: #7a8896 } path { stroke: #55606b; fill: none; marker-end: url(#tip) }
</style>
<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">
<path d="M0,0 L8,4 L0,8 z" style="fill:#55606b;stroke:none;marker-end:none"/></marker></defs>"""

GROUPS = [  # first layer, name, colour: from the top
    (10, "surface", "#dbe9f6"),
    (7, "services", "#e2f0d9"),
    (4, "engines, store", "#fdf0d5"),
    (3, "nouns", "#eee6f5"),
    (0, "ground", "#e8eaed"),
]


def svg(height, parts, title):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">\n'
            f"<title>{escape(title)}</title>\n{STYLE}\n"
            f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#fafbfc"/>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x, y, w, h, lines):
    parts = [f'<rect class="box" x="{x}" y="{y}" width="{w}" height="{h}" rx="4"/>']
    top = y + h / 2 + 4.5 - (len(lines) - 1) * 7.5
    for n, line in enumerate(lines):
        parts.append(text(x + w / 2, round(top + n * 15), line, "head" if n == 0 else "small", "middle"))
    return "\n".join(parts)


def layers():
    manifest = (ROOT / "src/CMakeLists.txt").read_text()
    by_layer = {}
    for name, layer in re.findall(r"^ken_module\((\w+) LAYER (\d+)", manifest, re.M):
        by_layer.setdefault(int(layer), []).append(name)
    y, parts, last = 14, [], None
    for layer in sorted(by_layer, reverse=True):
        group = next(g for g in GROUPS if layer >= g[0])
        y += 8 if last and group is not last else 0
        names = sorted(by_layer[layer])
        parts.append(f'<rect x="120" y="{y}" width="{WIDTH - 134}" height="30" fill="{group[2]}"/>')
        if group is not last:
            parts.append(text(14, y + 20, group[1], "head"))
        parts.append(text(112, y + 20, str(layer), "small", "end"))
        x = 126
        for name in names:
            w = 18 + 7 * len(name)
            parts.append(box(x, y + 4, w, 22, [name]))
            x += w + 6
        last = group
        y += 32
    parts.append(text(14, y + 18, "A module may use modules below its own row that it lists in src/CMakeLists.txt.", "small"))
    return svg(y + 32, parts, "The modules of src/ by layer")


def arrow(x1, y1, x2, y2):
    return f'<path d="M{x1},{y1} L{x2},{y2}"/>'


def question():
    parts = [
        box(20, 20, 150, 44, ["cli · tool", "one question"]),
        box(210, 20, 210, 44, ["app", "index in step, snapshot pinned"]),
        arrow(170, 42, 208, 42),
        box(460, 20, 280, 44, ["query/search/parse · lexical_query", "filters, words, names, intent"]),
        arrow(420, 42, 458, 42),
        box(20, 108, 220, 44, ["lexical", "words: posting lists, BM25F"]),
        box(270, 108, 220, 44, ["symbol names", "definitions of these names"]),
        box(520, 108, 220, 44, ["vector", "meaning: nearest chunks"]),
        arrow(560, 64, 160, 106), arrow(590, 64, 400, 106), arrow(620, 64, 630, 106),
        box(210, 196, 340, 44, ["rank", "weighted sum of features, one result per file"]),
        arrow(130, 152, 270, 194), arrow(380, 152, 380, 194), arrow(630, 152, 490, 194),
        box(210, 284, 340, 44, ["query_file", "file opened, checked against the index, quoted"]),
        arrow(380, 240, 380, 282),
        box(20, 284, 150, 44, ["the answer", "text or JSON"]),
        arrow(210, 306, 172, 306),
        box(590, 284, 150, 44, ["files on disk", "the only source text"]),
        arrow(590, 306, 552, 306),
        box(20, 196, 150, 44, ["store", "segments, facts"]),
        arrow(95, 196, 95, 154),
    ]
    return svg(348, parts, "One search through the modules")


def main():
    pictures = {"layers.svg": layers(), "question.svg": question()}
    if "--check" in sys.argv[1:]:
        stale = [n for n, s in pictures.items() if not (FOLDER / n).is_file() or (FOLDER / n).read_text() != s]
        for name in stale:
            print(f"docs/pictures/{name} is stale: run tools/draw_pictures.py")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in pictures.items():
        (FOLDER / name).write_text(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
