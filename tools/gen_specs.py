#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gen_specs.py OUT: writes OUT/tool_specs.h and OUT/tool_specs.c from src/tool/specs, at each build.

For each operation: the struct of its arguments, the table that fills it, its listing for tools/list, its
command with options, and its row in the table of built-in operations.
"""

import pathlib
import sys

import specs

FIELD = {
    "string": ("ken_str", "KEN_ARG_STR"),
    "integer": ("uint64_t", "KEN_ARG_U64"),
    "number": ("double", "KEN_ARG_REAL"),
    "boolean": ("bool", "KEN_ARG_BOOL"),
    "array": ("const json_t *", "KEN_ARG_JSON"),
    "object": ("const json_t *", "KEN_ARG_JSON"),
    "any": ("const json_t *", "KEN_ARG_JSON"),
}
EFFECTS = {"read": "true", "write": "false", "delete": "false"}
KINDS = {k: f"KEN_WORD_{k.upper()}" for k in specs.KINDS}
KEYWORDS = {"default", "register", "int", "for", "if"}


def c_string(text):
    """A C string literal of UTF-8 text."""
    if text is None:
        return "NULL"
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def field(name):
    name = specs.c_name(name)
    return name + "_" if name in KEYWORDS else name


def struct(spec):
    name = specs.c_name(spec["name"])
    lines = [f"typedef struct ken_args_{name} {{"]
    params = specs.own_parameters(spec)
    for key, p in params.items():
        kind = FIELD[p["type"]][0]
        lines.append(f"    {kind}{'' if kind.endswith('*') else ' '}{field(key)};")
    lines += [f"    bool has_{field(k)};" for k, p in params.items() if p.get("given")]
    if not params:
        lines.append("    char nothing;")
    return "\n".join(lines + [f"}} ken_args_{name};"])


def default_of(p):
    value = p.get("default")
    if p["type"] == "string":
        return f".text = {c_string(value)}" if value is not None else ".number = 0"
    if FIELD[p["type"]][1] == "KEN_ARG_JSON":
        return ".number = 0"
    return f".number = {int(value) if isinstance(value, bool) else value or 0}"


def args_table(spec):
    name = specs.c_name(spec["name"])
    own = specs.own_parameters(spec)
    rows = []
    for key, p in own.items():
        given = f"offsetof(ken_args_{name}, has_{field(key)})" if p.get("given") else "SIZE_MAX"
        rows.append(
            f"    {{ {c_string(key)}, {FIELD[p['type']][1]}, offsetof(ken_args_{name}, {field(key)}), "
            f"{given}, {{ {default_of(p)} }} }},"
        )
    if not rows:
        return "", "NULL", 0
    table = f"static const ken_tool_arg args_{name}[] = {{\n" + "\n".join(rows) + "\n};\n"
    return table, f"args_{name}", len(rows)


def alias_table(spec):
    name = specs.c_name(spec["name"])
    rows = [f"    {{ {c_string(n)}, {c_string(p['same_as'])} }},\n" for n, p in spec["parameters"].items() if "same_as" in p]
    if not rows:
        return "", "NULL", 0
    return f"static const ken_tool_alias aliases_{name}[] = {{\n{''.join(rows)}}};\n", f"aliases_{name}", len(rows)


def option_row(o):
    p = o["p"]
    enum = "|".join(p["enum"]) if "enum" in p and o["value"] else None
    means = o["means"] if o["means"] is None or isinstance(o["means"], str) else specs.compact(o["means"])
    return (
        f"    {{ {c_string(o['name'])}, {repr(o['letter']) if o['letter'] else 0}, {c_string(o['to'])}, "
        f"{c_string(o['value'] or None)}, {c_string(o['text'])}, {c_string(enum)}, {c_string(means)}, "
        f"{c_string(o['bare'])}, {'true' if o['maybe'] else 'false'}, "
        f"{'true' if p['type'] == 'array' else 'false'}, {FIELD[p['type']][1]} }},\n"
    )


def command(spec):
    if "command" not in spec:
        return "", "NULL"
    name, c = specs.c_name(spec["name"]), spec["command"]
    options = "".join(option_row(o) for o in specs.options(spec))
    words = "".join(
        f"    {{ {c_string(w['name'])}, {c_string(w.get('to'))}, {KINDS[w.get('kind', 'text')]}, "
        f"{'true' if w.get('optional') else 'false'} }},\n"
        for w in c.get("words", [])
    )
    out = ""
    if options:
        out += f"static const ken_tool_option options_{name}[] = {{\n{options}}};\n"
    if words:
        out += f"static const ken_tool_word words_{name}[] = {{\n{words}}};\n"
    out += (
        f"static const ken_tool_command command_{name} = {{\n    {c_string(c['name'])}, {c_string(specs.usage(spec))}, "
        f"{c_string(c['summary'])}, {c_string(c.get('details'))},\n"
        f"    {f'options_{name}' if options else 'NULL'}, {options.count(chr(10))}, "
        f"{f'words_{name}' if words else 'NULL'}, {words.count(chr(10))},\n"
        f"    {c_string(c.get('ask'))}, {c.get('order', spec.get('order', 0))}, "
        f"{'true' if specs.is_bound(spec) else 'false'}\n}};\n"
    )
    return out, f"&command_{name}"


def full(spec):
    whole = specs.listing(spec, is_full=True)
    return "NULL" if whole == specs.listing(spec) else c_string(specs.compact(whole))


def operation(spec):
    name = specs.c_name(spec["name"])
    table, args, n_args = args_table(spec)
    alias, aliases, n_aliases = alias_table(spec)
    text, cmd = command(spec)
    limits = spec.get("limits", {})
    return (
        table
        + alias
        + text
        + f"static const ken_tool_spec spec_{name} = {{\n"
        f"    .name = {c_string(spec['name'])}, .set = {c_string(spec['set'])},\n"
        f"    .listing = {c_string(specs.compact(specs.listing(spec)))},\n"
        f"    .full = {full(spec)}, .is_of_project = {'true' if specs.is_of_project(spec) else 'false'},\n"
        f"    .api = {c_string(specs.compact(specs.api(spec)))},\n"
        f"    .is_of_index = {'true' if 'state' in spec else 'false'},\n"
        f"    .project_arg = {c_string(specs.project_parameter(spec))},\n"
        f"    .list = {c_string(limits.get('list'))}, .timeout_ms = {limits.get('timeout_ms', 600000)},\n"
        f"    .max_bytes = {limits.get('bytes', 0)}, .is_job = {'true' if limits.get('job') else 'false'},\n"
        f"    .takes_several = {'true' if limits.get('several') else 'false'},\n"
        f"    .is_read_only = {EFFECTS[spec['effect']]}, .needs_admin = {'true' if 'rights' in spec else 'false'},\n"
        f"    .args = {args}, .n_args = {n_args}, .args_size = sizeof(ken_args_{name}),\n"
        f"    .aliases = {aliases}, .n_aliases = {n_aliases}, .command = {cmd},\n}};\n"
    )


HEAD = "// Made by tools/gen_specs.py from src/tool/specs; do not edit.\n"


def functions(spec):
    name = specs.c_name(spec["name"])
    return f"\nken_tool_fn ken_tool__{name};\nken_tool_text_fn ken_tool__{name}_text;"


def header(all_specs):
    return (
        HEAD
        + "#ifndef KEN_TOOL_SPECS_H\n#define KEN_TOOL_SPECS_H\n\n"
        + '#include "tool/tool.h"\n\n'
        + "\n\n".join(struct(s) + functions(s) for s in all_specs)
        + "\n\n#endif\n"
    )


def source(all_specs):
    out = [
        HEAD,
        '#include "tool_specs.h"\n\n#include "tool/tool_priv.h"\n\n',
        "#if defined(__clang__) || defined(__GNUC__)\n"
        '#pragma GCC diagnostic ignored "-Woverlength-strings"\n#endif\n\n',
    ]
    out += [operation(s) + "\n" for s in all_specs]
    shared = specs.shared_shapes()
    schemas = {n: specs.shape_schema(s, n, shared) for n, s in shared.items()}
    out.append(f"\nconst char *const ken_tool_shared_answers = {c_string(specs.compact(schemas))};\n")
    out.append("\nconst ken_tool_def ken_tool__builtin[] = {\n")
    for s in all_specs:
        name = specs.c_name(s["name"])
        out.append(f"    {{ &spec_{name}, ken_tool__{name}, ken_tool__{name}_text }},\n")
    out.append("};\n\nconst size_t ken_tool__n_builtin = sizeof ken_tool__builtin / sizeof *ken_tool__builtin;\n")
    return "".join(out)


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    all_specs = specs.load()
    write(out / "tool_specs.h", header(all_specs))
    write(out / "tool_specs.c", source(all_specs))


if __name__ == "__main__":
    main()
