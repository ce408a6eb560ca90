#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what docs/configuration.md, docs/cli.md, docs/operations.md and docs/dependencies.md have of tables
in the source; --check only says whether they are up to date.

  configuration.md   the settings, from src/config/config_keys.h
  cli.md             the commands and their options, from src/tool/specs, src/cli/cli_*.c and cli_priv.h
  operations.md      the metrics, from src/metrics/metrics_list.h
  dependencies.md    the grammars, from package.json and package-lock.json

What is generated stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`; everything else in
these pages is written by hand.
"""

import ast
import json
import re
import sys

import specs
from csource import ROOT, tokens

KEYS = ROOT / "src" / "config" / "config_keys.h"
METRICS = ROOT / "src" / "metrics" / "metrics_list.h"
NAMES = ROOT / "src" / "config" / "config_names_priv.h"
HELP = ROOT / "src" / "cli" / "cli_help.c"
COMMANDS = ROOT / "src" / "cli" / "cli_priv.h"
MAIN = ROOT / "src" / "cli" / "cli.c"
UNITS = ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB"))


def die(text):
    sys.exit(f"gen_docs: {text}")


# --- reading C --------------------------------------------------------------------------------------


def text_of(toks):
    """The text of neighbouring string tokens."""
    return "".join(ast.literal_eval(t.text) for t in toks)


def split_fields(toks):
    """Tokens between commas that are in no bracket."""
    fields, depth = [[]], 0
    for t in toks:
        depth += (t.text in ("(", "{", "[")) - (t.text in (")", "}", "]"))
        if t.text == "," and depth == 0:
            fields.append([])
        else:
            fields[-1].append(t)
    return [f for f in fields if f]


def group_at(toks, i):
    """The tokens inside the bracket that opens at i, and the index after the one that closes it."""
    depth = 0
    for k in range(i, len(toks)):
        depth += (toks[k].text in ("(", "{", "[")) - (toks[k].text in (")", "}", "]"))
        if depth == 0:
            return toks[i + 1 : k], k + 1
    die(f"line {toks[i].line}: no end of a bracket")


def code_of(path):
    return [t for t in tokens(path.read_text()) if t.kind != "comment"]


def table(toks, name):
    """Rows of `name[] = { { … }, … }`, each a list of fields."""
    for i in range(len(toks) - 4):
        if [t.text for t in toks[i : i + 5]] == [name, "[", "]", "=", "{"]:
            rows, _ = group_at(toks, i + 4)
            return [split_fields(row[1:-1]) for row in split_fields(rows)]
    die(f"no table '{name}'")


def struct(files, name):
    """The tokens of the file that defines `name = { … }`, and its fields."""
    for toks in files:
        for i in range(len(toks) - 2):
            if [t.text for t in toks[i : i + 3]] == [name, "=", "{"]:
                return toks, split_fields(group_at(toks, i + 2)[0])
    die(f"no struct '{name}'")


# --- configuration.md -------------------------------------------------------------------------------


def size(n):
    for shift, unit in UNITS:
        if n >= 1 << shift and n % (1 << shift) == 0:
            return f"{n >> shift}{unit}"
    return f"{n} byte" if n == 1 else f"{n} bytes"


def allowed(kind, low, high, words):
    if words:
        return ", ".join(w.replace("=", " (also ") + ")" * ("=" in w) for w in words.split("|"))
    if kind == "SIZE":
        return f"{size(low)} to {size(high)}"
    return f"{low} to {high}" if kind == "COUNT" else ""


def x_rows(toks):
    """The fields of each row of the X-macros."""
    for i, t in enumerate(toks):
        if t.text == "X" and toks[i + 1].text == "(" and toks[i + 2].text != ")":
            yield split_fields(group_at(toks, i + 1)[0])


def setting_rows():
    """Each setting as {key, is_owner, type, default, range, environment, text}."""
    rows = []
    for fields in x_rows(code_of(KEYS)):
        if len(fields) != 10:
            die(f"{KEYS.name}:{fields[0][0].line}: ten columns are needed")
        _, key, kind, default, low, high, words, names, trust, text = fields
        kind = kind[0].text
        rows.append(
            {
                "key": text_of(key),
                "is_owner": trust[0].text == "OWNER",
                "type": kind.lower(),
                "default": text_of(default),
                "range": allowed(kind, int(low[0].text), int(high[0].text), text_of(words)),
                "environment": text_of(names).split(","),
                "text": text_of(text),
            }
        )
    return rows


def settings():
    rows = ["| key | type, default | range | environment | meaning |", "|---|---|---|---|---|"]
    for s in setting_rows():
        rows.append(
            "| `{}`{} | {}, {} | {} | {} | {} |".format(
                s["key"],
                " *" if s["is_owner"] else "",
                s["type"],
                f"`{s['default']}`" if s["default"] else "empty",
                s["range"],
                ", ".join(f"`{n}`" for n in s["environment"]),
                s["text"].replace("|", "\\|"),
            )
        )
    return "\n".join(rows)


def defined_texts(toks):
    """The texts of `#define NAME "text"`."""
    found = {}
    for i in range(len(toks) - 2):
        if toks[i].text == "define" and toks[i + 2].text.startswith('"'):
            found[toks[i + 1].text] = text_of([toks[i + 2]])
    return found


def other_names():
    toks = code_of(NAMES)
    texts = defined_texts(toks)
    forms = {"SAME": "", "KIB": ", in KiB", "MIB": ", in MiB", "GLOB": ": `.py` is `*.py`"}
    keys = {}
    for fields in x_rows(code_of(KEYS)):
        keys[fields[0][0].text] = text_of(fields[1])
    lines, without = ["| name | counts as |", "|---|---|"], {}
    for fields in x_rows(toks):
        if len(fields) == 3:
            lines.append(f"| `{text_of(fields[0])}` | `{keys[fields[1][0].text]}`{forms[fields[2][0].text]} |")
            continue
        names = [text_of(fields[0])] + [n for n in text_of(fields[1]).split(",") if n]
        why = fields[3][0].text
        without.setdefault(texts.get(why) or text_of(fields[3]), []).extend(names)
    for why, names in without.items():
        lines.append("| {} | nothing: {} |".format(", ".join(f"`{n}`" for n in names), why))
    return "\n".join(lines)


# --- cli.md -----------------------------------------------------------------------------------------


def opt_row(fields):
    name, letter, kind, value, text, words = fields
    value = "" if value[0].text == "NULL" else text_of(value)
    letter = letter[0].text
    if value:
        value = f"[={value}]" if kind[0].text == "CLI_MAYBE" else f" {value}"
    short = f"-{letter[1]}, " if letter.startswith("'") else ""
    return f"  {short or '    '}--{text_of(name)}{value}", text_of(text)


def opts_block(rows):
    width = max(len(left) for left, _ in rows) + 2
    return "\n".join(f"{left:<{width}}{text}" for left, text in rows)


def global_opts():
    return [opt_row(r) for r in table(code_of(MAIN), "global_opts")]


def spec_opts(spec):
    rows = []
    for o in specs.options(spec):
        value = f" {o['value']}" if o["value"] else ""
        value = f"[={o['value']}]" if o["maybe"] else value
        default = o["p"].get("default")
        text = o["text"]
        if o["value"] and default not in (None, "", False) and "default" not in text:
            text += f" (default {default})"
        rows.append((f"  {'-' + o['letter'] + ', ' if o['letter'] else '    '}--{o['name']}{value}", text))
    if spec["effect"] == "read" and specs.is_bound(spec):
        rows.append(("      --no-index", "fail instead of indexing an unknown folder"))
    return rows


def own_commands():
    """Commands that are no operations: the names of CLI_OWN_COMMANDS, each a struct in the file that runs it."""
    files = [code_of(path) for path in sorted(HELP.parent.glob("cli_*.c"))]
    out = []
    for fields in x_rows(code_of(COMMANDS)):
        name = fields[0][0].text
        if name == "name":  # of the macro itself
            continue
        toks, row = struct(files, f"ken_cli__{name}_command")
        name, usage, summary = (text_of(f) for f in row[:3])
        details = "" if row[3][0].text == "NULL" else text_of(row[3])
        opts = []
        if row[4][0].text == "OPTS":
            opts = [opt_row(r) for r in table(toks, row[4][2].text)]
        out.append({"name": name, "usage": usage, "summary": summary, "details": details, "opts": opts})
    return out


def command_rows():
    """Each command as {name, usage, summary, details, opts}, in the order of help."""
    offered = [s for s in specs.load() if "command" in s]
    offered.sort(key=lambda s: s["command"].get("order", s.get("order", 0)))
    return [
        {
            "name": s["command"]["name"],
            "usage": specs.usage(s),
            "summary": s["command"]["summary"],
            "details": s["command"].get("details", ""),
            "opts": spec_opts(s),
        }
        for s in offered
    ] + own_commands()


def groups():
    """Groups of commands, as {name, summary}."""
    return [{"name": text_of(r[0]), "summary": text_of(r[1])} for r in table(code_of(HELP), "groups")]


def command_table():
    rows = ["| command | what it does |", "|---|---|"]
    for c in command_rows():
        usage = c["usage"].replace("|", "\\|")
        rows.append(f"| `{c['name']}{' ' if usage else ''}{usage}` | {c['summary']} |")
    return "\n".join(rows)


def option_lists():
    out = ["Of every command:", "", "```", opts_block(global_opts()), "```"]
    for c in command_rows():
        if c["opts"]:
            out += ["", f"`ken {c['name']}`", "", "```", opts_block(c["opts"]), "```"]
    return "\n".join(out)


# --- dependencies -----------------------------------------------------------------------------------


def locked_packages(folder, kind="dependencies"):
    """(name, version, licence) of each npm package that a folder's package.json names."""
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    for name in json.loads((folder / "package.json").read_text())[kind]:
        package = locked[f"node_modules/{name}"]
        yield name, package["version"], package["license"]


def grammars():
    rows = ["| npm package | version | licence |", "|---|---|---|"]
    rows += [f"| {name} | {version} | {licence} |" for name, version, licence in locked_packages(ROOT)]
    return "\n".join(rows)


def page_table(kind):
    why = json.loads((ROOT / "web" / "package.json").read_text())["ken"]["why"]
    rows = ["| npm package | version | licence | why |", "|---|---|---|---|"]
    rows += [f"| {name} | {version} | {licence} | {why[name]} |"
             for name, version, licence in locked_packages(ROOT / "web", kind)]
    return "\n".join(rows)


# --- operations.md ----------------------------------------------------------------------------------


def metrics():
    suffixes = {"COUNTER": "_total", "GAUGE": "", "TIMER": ""}
    words = {"COUNTER": "counter", "GAUGE": "gauge", "TIMER": "histogram"}
    rows = ["| metric | kind | labels | meaning |", "|---|---|---|---|"]
    for fields in x_rows(code_of(METRICS)):
        if len(fields) != 6:
            die(f"{METRICS.name}:{fields[0][0].line}: six columns are needed")
        _, kind, name, labels, _, text = fields
        kind = kind[0].text
        shown = ", ".join(f"`{label}`" for label in text_of(labels).split(",") if label)
        rows.append(f"| `{text_of(name)}{suffixes[kind]}` | {words[kind]} | {shown} | {text_of(text)} |")
    return "\n".join(rows)


# --- the pages --------------------------------------------------------------------------------------

PAGES = {
    "configuration.md": {"settings": settings, "names": other_names},
    "cli.md": {"commands": command_table, "options": option_lists},
    "operations.md": {"metrics": metrics},
    "dependencies.md": {"grammars": grammars, "page": lambda: page_table("dependencies"),
                        "page tools": lambda: page_table("devDependencies")},
}


def filled(page, text):
    for name, make in PAGES[page].items():
        begin, end = f"<!-- generated: {name} -->\n", f"<!-- end: {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            die(f"docs/{page} needs one '{begin.strip()}' and one '{end}'")
        head, rest = text.split(begin)
        tail = rest.split(end)[1]
        text = f"{head}{begin}\n{make()}\n\n{end}{tail}"
    return text


def main():
    stale = []
    for page in PAGES:
        path = ROOT / "docs" / page
        text = path.read_text()
        new = filled(page, text)
        if new == text:
            continue
        stale.append(f"docs/{page}")
        if "--check" not in sys.argv[1:]:
            path.write_text(new)
    if stale and "--check" in sys.argv[1:]:
        print(f"{', '.join(stale)}: not what the source says; run tools/gen_docs.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
