#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gen_man.py OUT VERSION: writes the man pages, OUT/ken.1 and OUT/ken-<command>.1, at each build.

They are made of what docs/cli.md is made of: the specifications of operations, the tables of commands and of
options, and the settings. A group of commands ("ken task new", "ken task list") has a page of its own, ken-task.1.
"""

import pathlib
import re
import sys

import gen_docs

FILES = """$XDG_CONFIG_HOME/ken/config.yaml (~/.config/ken/config.yaml)|your settings
.ken.yaml|settings of a project, in its root
$XDG_DATA_HOME/ken (~/.local/share/ken)|indexes, one a project, and projects.db: projects, tasks, chosen models"""
EXIT = """0|done; of a check: it holds
1|failed; of a check: it does not hold
2|the command line is wrong; of a check: not everything could be judged
130|interrupted"""


def roff(text):
    """Text of which troff takes no character for its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("…", "...")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def section(title, *lines):
    return [f".SH {title}", *lines]


def entries(rows):
    """Pairs of a term and its text."""
    out = []
    for term, text in rows:
        out += [".TP", f"\\fB{roff(term)}\\fP", roff(text)]
    return out


def listed(text):
    return entries(line.split("|") for line in text.splitlines())


def options(rows):
    return entries((left.strip(), text) for left, text in rows)


def verbatim(text):
    return [".nf", roff(text.strip("\n")), ".fi"]


def sentence(text):
    return text[0].upper() + text[1:] + "."


def page(name, version, summary, body):
    head = [f'.TH {name.upper()} 1 "" "ken {version}" "ken"', *section("NAME", f"{roff(name)} \\- {roff(summary)}")]
    return "\n".join([*head, *body]) + "\n"


def command_page(c, version, group):
    name = "ken-" + c["name"].replace(" ", "-")
    synopsis = f"\\fBken {roff(c['name'])}\\fP {roff(c['usage'])} [OPTIONS]".replace("  ", " ")
    body = section("SYNOPSIS", synopsis)
    body += section("DESCRIPTION", roff(sentence(c["summary"])))
    if c["details"]:
        body += [".PP", *verbatim(c["details"])]
    if c["opts"]:
        body += section("OPTIONS", *options(c["opts"]))
    body += section("OPTIONS OF EVERY COMMAND", *options(gen_docs.global_opts()))
    body += section("SEE ALSO", f"\\fBken\\fP(1)" + (f", \\fBken\\-{group}\\fP(1)" if group else ""))
    return name, page(name, version, c["summary"], body)


def group_page(group, commands, version):
    name, summary = f"ken-{group['name']}", group["summary"]
    rows = [(f"ken {c['name']} {c['usage']}".strip(), c["summary"]) for c in commands]
    body = section("SYNOPSIS", f"\\fBken {roff(group['name'])}\\fP ACTION [OPTIONS]")
    body += section("DESCRIPTION", roff(sentence(summary)), *entries(rows))
    body += section("SEE ALSO", ",\n".join(f"\\fBken\\-{roff(c['name'].replace(' ', '-'))}\\fP(1)" for c in commands))
    return name, page(name, version, summary, body)


def main_page(commands, version):
    rows = [(f"ken {c['name']} {c['usage']}".strip(), c["summary"]) for c in commands]
    settings = [(s["key"], f"{s['text']} ({', '.join(s['environment'])})") for s in gen_docs.setting_rows()]
    body = section("SYNOPSIS", "\\fBken\\fP COMMAND [OPTIONS]")
    body += section("DESCRIPTION", roff(
        "ken indexes a folder once and answers questions about its code in milliseconds: where something is done, who "
        "uses it, what breaks when it changes. The index is brought up to date before each answer. Each command has a "
        "page of its own, as ken-search(1)."))
    body += section("COMMANDS", *entries(rows))
    body += section("OPTIONS OF EVERY COMMAND", *options(gen_docs.global_opts()))
    body += section("SETTINGS", "Of files and, in brackets, of the environment, which wins.", *entries(settings))
    body += section("ENVIRONMENT", *entries([
        ("NO_COLOR", "when set, no colours"),
        ("CLICOLOR_FORCE", "when set, colours where there is no terminal, too"),
    ]))
    body += section("FILES", *listed(FILES)) + section("EXIT STATUS", *listed(EXIT))
    return "ken", page("ken", version, "finds things in code", body)


def pages(version):
    """(name, text) of each page."""
    commands, groups = gen_docs.command_rows(), gen_docs.groups()
    yield main_page(commands, version)
    for group in groups:
        yield group_page(group, [c for c in commands if c["name"].startswith(group["name"] + " ")], version)
    for c in commands:
        first = c["name"].split()[0]
        yield command_page(c, version, first if " " in c["name"] else "")


def main():
    out, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    out.mkdir(parents=True, exist_ok=True)
    made = dict(pages(version))
    for old in out.glob("*.1"):
        if old.stem not in made:
            old.unlink()
    for name, text in made.items():
        (out / f"{name}.1").write_text(text)


if __name__ == "__main__":
    main()
