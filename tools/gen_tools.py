#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/tools.md from src/tool/specs/*.json; --check only says whether it is up to date.

Also checks what the C side cannot see: that every parameter is documented, that every alias leads to a
parameter, that every tool has examples which its own schema accepts, and that the lists stay within their
budgets (a token is counted as four bytes).
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPECS = ROOT / "src" / "tool" / "specs"
PAGE = ROOT / "docs" / "tools.md"
LISTED = ("name", "title", "description", "inputSchema", "annotations")
ORDER = (
    "search_code search get_definition find_usages explain_code trace_execution get_architecture "
    "query_impact build_context outline nodeSource "
    "index_repository get_repo_status list_projects "
    "create_task get_task list_tasks update_task delete_task "
    "checkpoint_save checkpoint_search checkpoint_list checkpoint_get checkpoint_delete "
    "rag_setup rag_index rag_check_constraints rag_query_impact rag_health_check rag_status"
).split()
SETS = {
    "search": "asking about code",
    "index": "projects and their indexes",
    "tasks": "what is to be done",
    "checkpoints": "where work stood",
    "rules": "what a change must obey",
}
BUDGETS = {"search": 1500, "tasks": 700, "checkpoints": 700, "rules": 1400, "all": 5000}
BOUNDS = ("minimum", "maximum", "minLength", "maxLength")

HEAD = """\
# Tools

<!-- Made by tools/gen_tools.py from src/tool/specs; do not edit. -->

What `ken mcp` offers to agents; `ken … --json` prints the same objects. `--toolsets search,tasks` (setting
`mcp.toolsets`) chooses sets, `--read-only` (`mcp.read_only`) leaves only tools that change nothing, and then no
index is made on first use either.

For every tool: unknown parameters are refused with the nearest known name, strings are trimmed, `null` is the
same as leaving a parameter out, and a single value may stand where a list is wanted. The text block and
`structuredContent` carry the same JSON; with `format: "text"` there is text only. An answer stays under 25,000
characters by dropping whole results from its end (`truncated`, `hint`). A call that would take more
than `query.timeout_seconds` (10) or `query.memory_limit` (128 MiB) is stopped: what was found until then comes with
`truncated`, `budget` (`time`, `memory`, `steps`) and `budget_hint`, and its counts are least ones; where a part would
say something wrong, it is an error. What cannot be done is a result with
`isError` whose text starts with `Error: ` and says what to do next.

A parameter with a · is understood, but left out of the list that clients get: the list is read by models at every
start, and every word of it costs. So do the ranges, which are here and in the refusals.
"""


def load():
    specs = [json.loads(p.read_text()) for p in sorted(SPECS.glob("*.json"))]
    names = [s["name"] for s in specs]
    unknown = sorted(set(names) ^ set(ORDER))
    if unknown:
        sys.exit(f"gen_tools: ORDER in {__file__} and the specs differ: {', '.join(unknown)}")
    return sorted(specs, key=lambda s: ORDER.index(s["name"]))


def listed(spec):
    """The spec as tools/list shows it (tool.c: make_listed)."""
    schema = json.loads(json.dumps(spec["inputSchema"]))
    props = schema["properties"]
    for name in spec.get("unlisted", []):
        del props[name]
    for p in props.values():
        for bound in BOUNDS:
            p.pop(bound, None)
    if not schema.get("required"):
        schema.pop("required", None)
    return {k: spec[k] for k in LISTED} | {"inputSchema": schema}


PYTHON_TYPES = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}


def types_of(p):
    """The types a schema names; none when it takes any."""
    t = p.get("type", [])
    return [t] if isinstance(t, str) else t


def has_type(v, name):
    if isinstance(v, bool):
        return name == "boolean"
    return isinstance(v, PYTHON_TYPES[name])


def outside(p, v):
    """What a bound of the schema says against a value (json_schema.c has the same keywords)."""
    sizes = []
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        sizes = [("minimum", "maximum", v)]
    elif isinstance(v, str):
        sizes = [("minLength", "maxLength", len(v))]
    elif isinstance(v, list):
        sizes = [("minItems", "maxItems", len(v))]
    for low, high, size in sizes:
        if size < p.get(low, size):
            yield f"{size} is under {low} {p[low]}"
        if size > p.get(high, size):
            yield f"{size} is over {high} {p[high]}"


def refusals(p, v, path):
    """Why the schema does not accept a value; nothing when it does."""
    types = types_of(p)
    if types and not any(has_type(v, t) for t in types):
        yield f"{path}: {json.dumps(v)} is not of type {' or '.join(types)}"
        return
    if "enum" in p and v not in p["enum"]:
        yield f"{path}: {json.dumps(v)} is none of {', '.join(map(str, p['enum']))}"
    for text in outside(p, v):
        yield f"{path}: {text}"
    if isinstance(v, list):
        for i, item in enumerate(v):
            yield from refusals(p.get("items", {}), item, f"{path}[{i}]")
    elif isinstance(v, dict):
        props = p.get("properties", {})
        for name, member in v.items():
            if name in props:
                yield from refusals(props[name], member, f"{path}.{name}")
            elif p.get("additionalProperties") is False:
                yield f"{path}: unknown name '{name}'"
        for name in p.get("required", []):
            if name not in v:
                yield f"{path}.{name} is required"


def example_problems(s):
    if not s.get("examples"):
        yield f"{s['name']}: no examples"
    for i, e in enumerate(s.get("examples", [])):
        if set(e) != {"arguments", "note"} or not e["note"]:
            yield f"{s['name']}: examples[{i}] must have arguments and a note, and nothing else"
            continue
        for text in refusals(s["inputSchema"], e["arguments"], f"examples[{i}].arguments"):
            yield f"{s['name']}: {text}"


def problems(specs):
    for s in specs:
        yield from example_problems(s)
        props = s["inputSchema"]["properties"]
        docs = s.get("docs", {})
        for name in sorted(set(props) ^ set(docs)):
            yield f"{s['name']}: parameter '{name}' is not in both inputSchema and docs"
        for name in s.get("unlisted", []):
            if name not in props or name in s["inputSchema"].get("required", []):
                yield f"{s['name']}: unlisted '{name}' is no parameter, or a required one"
        for alias, name in s.get("aliases", {}).items():
            if name not in props:
                yield f"{s['name']}: alias '{alias}' leads to '{name}', which is no parameter"
        if len(s["description"]) > 1000:
            yield f"{s['name']}: the description is longer than 1,000 characters"
    for name, budget in BUDGETS.items():
        tools = [listed(s) for s in specs if name in ("all", s["toolset"])]
        size = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())
        if size / 4 > budget:
            yield f"set {name}: {size / 4:.0f} tokens are more than {budget}"


def span(low, high, unit):
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {low:,}{unit}" if low else ""
    return f"{low:,} to {high:,}{unit}" if low is not None else f"at most {high:,}{unit}"


def range_of(p):
    """What values a parameter may have, in words; of a list how many, and what each of them may be."""
    if "enum" in p:
        return ", ".join(f"`{w}`" for w in p["enum"])
    parts = [
        span(p.get("minimum"), p.get("maximum"), ""),
        span(p.get("minLength"), p.get("maxLength"), " characters"),
        span(p.get("minItems"), p.get("maxItems"), " items"),
    ]
    each = range_of(p["items"]) if "items" in p else ""
    parts.append(f"each {each}" if each else "")
    return "; ".join(part for part in parts if part).replace("at least 1 characters", "not empty")


def type_of(p):
    if types_of(p) == ["array"]:
        item = type_of(p.get("items", {}))
        return f"({item})[]" if " or " in item else f"{item}[]"
    return " or ".join(types_of(p)) or "any"


def one_line(arguments):
    return json.dumps(arguments, ensure_ascii=False)


def section(s):
    schema = s["inputSchema"]
    out = [f"### {s['name']}", "", s["description"], ""]
    if s.get("notes"):
        out += [s["notes"], ""]
    out += ["| parameter | type | range | meaning |", "|---|---|---|---|"]
    for name, p in schema["properties"].items():
        need = " **(required)**" if name in schema.get("required", []) else ""
        need += " ·" if name in s.get("unlisted", []) else ""
        out.append(f"| `{name}`{need} | {type_of(p)} | {range_of(p)} | {s['docs'][name]} |")
    hidden = {a: n for a, n in s.get("aliases", {}).items() if a not in schema["properties"]}
    if hidden:
        out += ["", "Also understood: " + ", ".join(f"`{a}` for `{n}`" for a, n in hidden.items()) + "."]
    out += ["", "Examples:", ""]
    out += [f"* `{one_line(e['arguments'])}`: {e['note']}" for e in s["examples"]]
    out += ["", f"Returns {s['returns']}.", ""]
    return "\n".join(out)


def page(specs):
    parts = [HEAD]
    for name, text in SETS.items():
        parts.append(f"## Set `{name}`: {text}\n")
        parts += [section(s) for s in specs if s["toolset"] == name]
    return "\n".join(parts).rstrip() + "\n"


def main():
    specs = load()
    found = list(problems(specs))
    if found:
        print("\n".join(found))
        return 1
    text = page(specs)
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            print("docs/tools.md is not up to date; run tools/gen_tools.py")
            return 1
    else:
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
