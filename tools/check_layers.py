#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Refuses what the module manifest (src/CMakeLists.txt) does not allow:

- DEPS on a module of the same or a higher layer, or on one that does not exist;
- an #include of a module that is not in DEPS, of a header that is not in that module's HDRS, or of
  a _priv.h from another folder than its own and those in it;
- a .c file included, a quoted include that is not "<module>/<file>.h", headers that include each
  other in a circle;
- a source or public header in a module's folder that the manifest does not list;
- a header without its guard, a file without its SPDX line.
"""

import re
import sys
from pathlib import PurePosixPath

from csource import ROOT, c_files, rel

MANIFEST = ROOT / "src" / "CMakeLists.txt"
KEYS = {"LAYER", "DEPS", "SRCS", "HDRS", "LIBS"}
GENERATED = re.compile(r"^(embed_[a-z0-9_]+|tool_specs)\.h$")  # by ken_embed(), ken_specs()
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


class Module:
    def __init__(self, name, words):
        self.name = name
        self.fields = {k: [] for k in KEYS}
        key = None
        for w in words:
            if w in KEYS:
                key = w
            elif key:
                self.fields[key].append(w)
        self.layer = int(self.fields["LAYER"][0])
        self.deps = self.fields["DEPS"]

    def paths(self, key):
        """Listed files as paths under src/."""
        out = set()
        for f in self.fields[key]:
            inside = f"{self.name}/{f}"
            out.add(inside if (ROOT / "src" / inside).exists() or "/" not in f else f)
        return out


def read_manifest(problems):
    text = re.sub(r"#[^\n]*", "", MANIFEST.read_text())
    modules = {}
    for m in re.finditer(r"\bken_module\s*\(([^)]*)\)", text):
        words = m.group(1).split()
        mod = Module(words[0], words[1:])
        if mod.name in modules:
            problems.append(f"src/CMakeLists.txt: module '{mod.name}' is declared twice")
        for dep in mod.deps:
            if dep not in modules:
                problems.append(
                    f"src/CMakeLists.txt: '{mod.name}' depends on '{dep}', "
                    "which is not declared before it"
                )
            elif modules[dep].layer >= mod.layer:
                problems.append(
                    f"src/CMakeLists.txt: '{mod.name}' (layer {mod.layer}) may not depend on "
                    f"'{dep}' (layer {modules[dep].layer})"
                )
        modules[mod.name] = mod
    return modules


def check_include(path, line, target, modules, problems):
    where = f"{rel(path)}:{line}"
    own = PurePosixPath(rel(path)).relative_to("src").parent
    own_module = own.parts[0] if own.parts else None
    if target.endswith(".c"):
        problems.append(f"{where}: includes a .c file, '{target}'")
        return
    if GENERATED.match(target):
        return
    if "/" not in target or target.startswith("."):
        problems.append(f"{where}: write \"<module>/{target}\", the include path is src/")
        return
    module = target.split("/")[0]
    if not (ROOT / "src" / target).exists():
        problems.append(f"{where}: there is no src/{target}")
        return
    if target.endswith("_priv.h"):
        folder = PurePosixPath(target).parent
        if folder != own and folder not in own.parents:
            problems.append(f"{where}: '{target}' is private to src/{PurePosixPath(target).parent}/")
        return
    if module == own_module or own_module is None:  # main.c may use any public header
        return
    if own_module not in modules:
        return
    if module not in modules[own_module].deps:
        problems.append(
            f"{where}: '{own_module}' does not list '{module}' in its DEPS (src/CMakeLists.txt)"
        )
    elif target not in modules[module].paths("HDRS"):
        problems.append(f"{where}: '{target}' is not in the HDRS of '{module}'")


def check_file(path, modules, includes, problems):
    text = path.read_text(errors="replace")
    name = rel(path)
    if not text.startswith("// SPDX-License-Identifier: MIT\n"):
        problems.append(f"{name}:1: the first line must be '// SPDX-License-Identifier: MIT'")
    if path.suffix == ".h":
        inner = PurePosixPath(name).relative_to("src")
        guard = "KEN_" + re.sub(r"[^A-Z0-9]", "_", str(inner).upper())
        if f"#ifndef {guard}\n#define {guard}\n" not in text:
            problems.append(f"{name}: the guard must be {guard}")
    for n, line in enumerate(text.split("\n"), 1):
        m = INCLUDE.match(line)
        if m:
            check_include(path, n, m.group(1), modules, problems)
            if path.suffix == ".h":
                includes.setdefault(name.removeprefix("src/"), []).append(m.group(1))


def check_cycles(includes, problems):
    done = set()

    def visit(header, trail):
        if header in trail:
            circle = trail[trail.index(header) :] + [header]
            problems.append("headers include each other: " + " -> ".join(circle))
            return
        if header in done:
            return
        for nxt in includes.get(header, []):
            visit(nxt, trail + [header])
        done.add(header)

    for header in sorted(includes):
        visit(header, [])


def check_listed(modules, problems):
    for path in c_files("src"):
        inner = rel(path).removeprefix("src/")
        module = inner.split("/")[0]
        if "/" not in inner:
            continue
        if module not in modules:
            problems.append(f"src/{module}/: not in src/CMakeLists.txt")
        elif path.suffix == ".c" and inner not in modules[module].paths("SRCS"):
            problems.append(f"src/{inner}: not in the SRCS of '{module}'")
        elif (
            path.suffix == ".h"
            and not inner.endswith("_priv.h")
            and inner not in modules[module].paths("HDRS")
        ):
            problems.append(
                f"src/{inner}: not in the HDRS of '{module}'; a private header ends in _priv.h"
            )


def main():
    problems = []
    modules = read_manifest(problems)
    includes = {}
    for path in c_files("src"):
        check_file(path, modules, includes, problems)
    check_cycles(includes, problems)
    check_listed(modules, problems)
    for p in dict.fromkeys(problems):
        print(p)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
