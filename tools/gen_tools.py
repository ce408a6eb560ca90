#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/tools.md from src/tool/specs; --check only says whether it is up to date.

Also checks what the C side cannot see: that every tool has examples which its own schema accepts, and that the
lists stay within their budgets (a token is counted as four bytes; tests/clients counts real ones).
"""
import json
import sys

import specs

PAGE = specs.ROOT / "docs" / "tools.md"
SETS = {
    "search": "asking about code",
    "index": "projects and their indexes",
    "tasks": "what is to be done",
    "checkpoints": "where work stood",
    "rules": "what a change must obey",
}
COMMANDS = """\
## Not offered to agents

These operations are for the command line and the HTTP API. Agents are not offered them, so that the list of tools
stays short; the same holds of parameters that are marked *not offered to agents*.
"""
BUDGETS = {"search": 2200, "tasks": 750, "checkpoints": 950, "rules": 1000, "all": 5200}

HEAD = """\
# Tools

<!-- Made by tools/gen_tools.py from src/tool/specs; do not edit. -->

What `ken mcp` offers to agents; `ken … --json` prints the same objects, `ken …` the same text. `--toolsets search,tasks`
(setting `mcp.toolsets`) chooses sets, `--read-only` (`mcp.read_only`) leaves only tools that change nothing, and then no
index is made on first use either. Single tools are switched off on the page of `ken serve`
(`/api/v1/tools`), for all clients of servers that have this list of projects, and for a `ken mcp` that begins after it.

For every tool: unknown parameters are refused with the nearest known name, strings are trimmed, `null` is the
same as leaving a parameter out, and a single value may stand where a list is wanted. An answer is text in few tokens;
with `format: "json"` (or `--format json` at start, setting `mcp.format`) the text block and `structuredContent` carry the
same JSON. An answer stays under 25,000 characters by dropping whole results from its end (`truncated`, `hint`). A call
that would take more than `query.timeout_seconds` (10) or `query.memory_limit` (128 MiB) is stopped: what was found until
then comes with `truncated`, `budget` (`time`, `memory`, `steps`) and `budget_hint`, and its counts are least ones; where
a part would be wrong, it is an error. What cannot be done is a result with `isError` whose text starts with `Error: ` and
says what to do next; its `structuredContent` is `{"error": {"code", "message"}}`, as `ken --json` prints it. The codes:
`EINVAL` (an argument), `ENOTFOUND`, `EPERM` (not allowed here), `EBUSY`, `ETIMEOUT`, `ENOMEM`, `ENOSPC`, `EIO`, `ECORRUPT`,
`EVERSION`, `ECANCELLED`, `EUNSUPPORTED`, `EREMOTE` (another host is not reached, or fails).
"""


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
    schema = specs.schema(s)
    if not s.get("examples"):
        yield f"{s['name']}: no examples"
    for i, e in enumerate(s.get("examples", [])):
        if set(e) != {"arguments", "note"} or not e["note"]:
            yield f"{s['name']}: examples[{i}] must have arguments and a note, and nothing else"
            continue
        for text in refusals(schema, e["arguments"], f"examples[{i}].arguments"):
            yield f"{s['name']}: {text}"


def problems(tools):
    for s in tools:
        yield from example_problems(s)
        if len(s["description"]) > 1000:
            yield f"{s['name']}: the description is longer than 1,000 characters"
    for name, budget in BUDGETS.items():
        listed = [specs.listing(s) for s in tools if s["set"] and name in ("all", s["set"])]
        size = len(specs.compact(listed).encode())
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


def meaning_of(p):
    text = p["text"]
    if "default" in p and p["type"] != "boolean":
        text += f" (default `{p['default']}`)"
    return text + (" *(not offered to agents)*" if p.get("unlisted") else "")


def section(s):
    schema = specs.schema(s)
    out = [f"### {s['name']}", "", s["description"], ""]
    if s.get("notes"):
        out += [s["notes"], ""]
    if "command" in s:
        out += [f"Command: [`ken {s['command']['name']}`](cli.md).", ""]
    if s["parameters"]:
        out += ["| parameter | type | range | meaning |", "|---|---|---|---|"]
    for name, p in s["parameters"].items():
        need = " **(required)**" if p.get("required") else ""
        shown = schema["properties"][name]
        out.append(f"| `{name}`{need} | {type_of(shown)} | {range_of(shown)} | {meaning_of(p)} |")
    out += ["", "Examples:", ""]
    out += [f"* `{one_line(e['arguments'])}`: {e['note']}" for e in s["examples"]]
    out += ["", f"With `format: \"json\"` it returns {s['returns']}.", ""]
    return "\n".join(out)


def page(tools):
    parts = [HEAD]
    for name, text in SETS.items():
        parts.append(f"## Set `{name}`: {text}\n")
        parts += [section(s) for s in tools if s["set"] == name]
    parts.append(COMMANDS)
    parts += [section(s) for s in tools if not s["set"]]
    return "\n".join(parts).rstrip() + "\n"


def main():
    tools = specs.load()
    found = list(problems(tools))
    if found:
        print("\n".join(found))
        return 1
    text = page(tools)
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            print("docs/tools.md is not up to date; run tools/gen_tools.py")
            return 1
    else:
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
