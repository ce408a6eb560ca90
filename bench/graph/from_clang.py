#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes rows of truth for C and C++ with libclang, from a compilation database.

    from_clang.py COMPILE_COMMANDS ROOT OUT --lib LIBCLANG [--tracked CHECKOUT]

Every declaration of a symbol counts as its definition's place: prototype and body both answer.
What stands in a macro's body is no place of the file and is left out; a macro's arguments are.
"""
import argparse
import ctypes
import json
import os
import re
import shlex
import sys
from collections import defaultdict

from clang import cindex
from clang.cindex import CursorKind as K

import rows
from from_scip import tracked

REFERENCES = {
    K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.TYPE_REF, K.TEMPLATE_REF, K.NAMESPACE_REF, K.MEMBER_REF,
    K.OVERLOADED_DECL_REF, K.VARIABLE_REF, K.MACRO_INSTANTIATION,
}
KINDS = {
    K.FUNCTION_DECL: "function", K.CXX_METHOD: "method", K.CONSTRUCTOR: "constructor",
    K.DESTRUCTOR: "method", K.CONVERSION_FUNCTION: "method", K.FUNCTION_TEMPLATE: "function",
    K.STRUCT_DECL: "class", K.UNION_DECL: "class", K.ENUM_DECL: "class", K.CLASS_DECL: "class",
    K.CLASS_TEMPLATE: "class", K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: "class",
    K.TYPEDEF_DECL: "class", K.TYPE_ALIAS_DECL: "class", K.TYPE_ALIAS_TEMPLATE_DECL: "class",
    K.FIELD_DECL: "field", K.VAR_DECL: "variable", K.PARM_DECL: "local",
    K.ENUM_CONSTANT_DECL: "constant", K.MACRO_DEFINITION: "macro", K.NAMESPACE: "module",
    K.NAMESPACE_ALIAS: "module", K.TEMPLATE_TYPE_PARAMETER: "local",
    K.TEMPLATE_NON_TYPE_PARAMETER: "local", K.TEMPLATE_TEMPLATE_PARAMETER: "local",
}
SUFFIXES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".inl")  # others are of no language
DEFINE = re.compile(rb"\s*#\s*define\s+(\w+)")
WORD_CHAR = re.compile(rb"\w")
FUNCTIONS = {
    K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.FUNCTION_TEMPLATE,
    K.LAMBDA_EXPR, K.CONVERSION_FUNCTION,
}
RECORDS = {K.STRUCT_DECL, K.UNION_DECL, K.ENUM_DECL, K.CLASS_DECL}
TYPEDEFS = {K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL}
SPECIALIZABLE = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.STRUCT_DECL, K.CLASS_DECL}


def kind_of(cursor):
    kind = KINDS.get(cursor.kind, "variable")
    parent = cursor.semantic_parent
    if kind in ("variable", "class", "constant") and parent and parent.kind in FUNCTIONS:
        return "local"
    if cursor.kind == K.FUNCTION_TEMPLATE and parent and parent.kind not in (
        K.NAMESPACE, K.TRANSLATION_UNIT, K.LINKAGE_SPEC
    ):
        return "method"
    return kind


def qualified(cursor, place):
    """The name that overloads share; what a file keeps to itself begins with the file."""
    names, at = [], cursor
    while at and at.kind not in (K.TRANSLATION_UNIT, K.INVALID_FILE):
        if at.kind != K.LINKAGE_SPEC:
            names.insert(0, at.spelling.replace(" ", "") or "(anonymous)")
        at = at.semantic_parent
    internal = cursor.linkage == cindex.LinkageKind.INTERNAL
    return (f"{place[0]}:" if internal and place else "") + "::".join(names)


class Truth:
    def __init__(self, root, sources):
        self.root = root + "/"
        self.sources = sources
        self.paths = {}  # file name -> path in the tree, or None
        self.sites = defaultdict(set)  # symbol -> {(path, line, col, kind)}
        self.uses = set()  # (path, line, col, end, symbol, kind)
        self.also = defaultdict(set)  # symbol -> symbols whose sites answer it too
        self.generated = set()  # symbols that some macro's expansion defines
        self.macros = {}  # path -> name -> sites of '#define name'
        self.done = set()  # headers walked in an earlier unit
        self.lib = cindex.conf.lib
        self.lib.clang_getFileLocation.argtypes = [cindex.SourceLocation] + [
            ctypes.POINTER(t) for t in (ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint)
        ]
        self.names = {}  # file handle -> path in the tree

    def inside(self, file_name):
        if file_name not in self.paths:
            full = os.path.realpath(file_name)
            path = full[len(self.root):] if full.startswith(self.root) else ""
            self.paths[file_name] = path if path.endswith(SUFFIXES) and self.sources.has(path) else None
        return self.paths[file_name]

    def place(self, location):
        """Where the file has it: a macro's argument where it is written."""
        file = ctypes.c_void_p()
        line, col, offset = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        self.lib.clang_getFileLocation(
            location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(col), ctypes.byref(offset)
        )
        if not file.value:
            return None
        if file.value not in self.names:
            handle = cindex.c_object_p.from_buffer(file)
            self.names[file.value] = self.inside(cindex.File(handle).name)
        path = self.names[file.value]
        return (path, line.value - 1, col.value - 1) if path else None

    def written(self, place, name):
        end = place[2] + len(name.encode())
        line = self.sources.line(place[0], place[1])
        return line[place[2]:end] == name.encode() and not WORD_CHAR.match(line[end:])

    def symbol_of(self, cursor):
        """The symbol that stands for a cursor; its declarations are noted on the way."""
        place = self.place(cursor.location)
        usr = qualified(cursor, place) + " " + "".join((cursor.get_usr() or f"{place}").split())
        kind = kind_of(cursor)
        if usr not in self.sites:
            self.sites[usr] = set()
            for other in self.others(cursor):
                if other and other.get_usr() != cursor.get_usr():
                    self.also[usr].add(self.symbol_of(other))
        if not place or cursor.spelling.startswith("__builtin_"):
            return usr
        if not self.bears(place, cursor.spelling):
            self.generated.add(usr)
        elif kind == "macro":
            self.sites[usr] |= {(*place, kind)} | self.alternatives(place[0], cursor.spelling)
        else:
            self.sites[usr].add((*place, kind))
        return usr

    def bears(self, place, name):
        """Whether the name is written there: a macro's expansion defines names that stand nowhere."""
        plain = name.split("<")[0]
        return name.startswith(("operator", "(")) or not plain or self.written(place, plain)

    def alternatives(self, path, name):
        """The other definitions of a macro in its file, for other sides of an #if."""
        if path not in self.macros:
            found = self.macros[path] = defaultdict(set)
            for line, text in enumerate(self.sources.lines(path)):
                match = DEFINE.match(text)
                if match:
                    found[match[1].decode()].add((path, line, match.start(1), "macro"))
        return self.macros[path][name]

    def others(self, cursor):
        """What a reader means as well: a template behind a specialization, the record a typedef
        of the same name (or of no other name) stands for, the class of a constructor."""
        if cursor.kind in SPECIALIZABLE:
            template = cursor.specialized_template() if hasattr(cursor, "specialized_template") else None
            template = template or self.lib.clang_getSpecializedCursorTemplate(cursor)
            if template and template.kind.is_declaration():
                yield template
        if cursor.kind == K.CONSTRUCTOR:
            yield cursor.semantic_parent
        if cursor.kind in TYPEDEFS:
            record = cursor.underlying_typedef_type.get_declaration()
            if record.kind in RECORDS and record.spelling in ("", cursor.spelling):
                yield record

    def walk(self, unit):
        fresh = set()
        self.names = {}  # handles are of one unit
        for top in unit.cursor.get_children():
            place = self.place(top.location)
            if place and place[0] not in self.done:
                fresh.add(place[0])
                self.visit(top)
        self.done |= fresh

    def visit(self, top):
        stack = [top]
        while stack:
            cursor = stack.pop()
            if cursor.kind in REFERENCES:
                self.use(cursor)
            elif cursor.kind in KINDS:
                self.declare(cursor)
            if cursor.kind != K.MACRO_INSTANTIATION:
                stack.extend(cursor.get_children())

    def declare(self, cursor):
        place = self.place(cursor.location)
        name = cursor.spelling
        if place and name and self.written(place, name):
            symbol = self.symbol_of(cursor)
            end = place[2] + len(name.encode())
            self.uses.add((*place, end, "def", symbol, kind_of(cursor)))

    def use(self, cursor):
        place = self.place(cursor.location)
        if not place:
            return
        for target in self.targets(cursor):
            name = target.spelling
            if target.kind in (K.CONSTRUCTOR, K.DESTRUCTOR) and not self.written(place, name):
                name = name.split("<")[0].lstrip("~")
            if name and self.written(place, name):
                end = place[2] + len(name.encode())
                # a member in a constructor's list of initializers is no call: 'C() : member(1)'
                role = "member" if cursor.kind == K.MEMBER_REF else "ref"
                self.uses.add((*place, end, role, self.symbol_of(target), kind_of(target)))

    def targets(self, cursor):
        if cursor.kind == K.OVERLOADED_DECL_REF:
            count = self.lib.clang_getNumOverloadedDecls(cursor)
            return [self.lib.clang_getOverloadedDecl(cursor, i) for i in range(count)]
        target = cursor.referenced
        if not target:
            return []
        definition = target.get_definition()
        if definition and definition != target:
            self.symbol_of(definition)
        return [target]

    def rows(self):
        for path, line, col, end, role, symbol, kind in self.uses:
            if role == "ref" and self.sources.is_call(path, line, end):
                role = "call"
            role = "ref" if role == "member" else role
            sites = set(self.sites[symbol])
            for other in self.also[symbol]:
                sites |= self.sites[other]
            if not sites and symbol in self.generated:
                continue
            if role == "def":
                sites = {(path, line, col, kind)}
            if kind == "module":  # a namespace is opened in every file: one place stands for all
                sites = set(sorted(sites)[:1])
            name = self.sources.text(path, line, col, end)
            for site in sites or {(*rows.EXTERNAL, kind)}:
                yield rows.Row(path, line, col, end, role, symbol, *site[:3], kind, name)


def commands(path):
    """(file, arguments) of each source once, without what says where the object goes."""
    seen = set()
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        words = entry.get("arguments") or shlex.split(entry["command"])
        if source in seen:
            continue
        seen.add(source)
        args, at = [], 1
        while at < len(words):
            if words[at] in ("-o", "-MF", "-MT", "-MQ"):
                at += 1
            elif words[at] not in ("-c", "-MMD", "-MD", entry["file"]):
                args.append(words[at])
            at += 1
        yield source, ["-working-directory=" + entry["directory"], *args]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile_commands")
    parser.add_argument("root")
    parser.add_argument("out")
    parser.add_argument("--lib", required=True)
    parser.add_argument("--tracked")
    args = parser.parse_args()
    cindex.Config.set_library_file(args.lib)
    root = os.path.realpath(args.root)
    out = os.path.abspath(args.out)  # libclang may change the working directory
    truth = Truth(root, rows.Sources(root, tracked(root, args.tracked)))
    index = cindex.Index.create()
    for source, flags in commands(args.compile_commands):
        try:
            unit = index.parse(source, flags, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        except cindex.TranslationUnitLoadError:
            print(f"{source}: not parsed", file=sys.stderr)
            continue
        errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            print(f"{source}: {len(errors)} errors, first {errors[0].spelling}", file=sys.stderr)
        truth.walk(unit)
    rows.write(truth.rows(), out)


if __name__ == "__main__":
    main()
