# SPDX-License-Identifier: MIT
"""Reads and checks the specifications of operations, src/tool/specs/*.json.

Everything that is told of an operation comes from here: the JSON schemas of tools/list, the struct of its
arguments in C, the command line's options and help, docs/tools.md, docs/cli.md, man pages and completions.

A specification is an object:
  name, set, order      the tool's name; its toolset ("" = for the command line and the API, not offered over MCP); its
                        place
  scope                 project (default): it is about one project; none: about none, or all
  title, description    for agents
  effect, again         read, write or delete; whether a second call changes nothing more
  open_world            true when it talks to other machines
  rights                admin: over the API it takes a token of scope admin that is bound to no project
  parameters            name -> parameter, in the order of the schema
  command               how the command line offers it; may be absent
  limits                timeout_ms, job, bytes, list (the member that is cut at its end)
  notes, examples, returns   for docs/tools.md
  state                 index: an answer follows from the arguments, the index and the files in it alone, and the same
                        again is the same again until one of them changes; absent: from more (time, git, other files)
  answer                the shape of the JSON answer, from which clients of the API get their types

A parameter: unlisted (true: for the command line and the API, not offered over MCP), type (string, integer, number, boolean, array, object, any), required, enum, min and max (of a number, of
the length of a string or list), default, setting (the setting that holds its default), items, note (a few words in
the schema), text (a sentence for the documents), same_as (another name of that parameter), given (true: the
struct says whether it was given), option ("-k --limit N" on the command line), help (its line there; the text when
absent), means (what a flag stands for), bare (what an option without value stands for).

A shape: an object of members, whose names end in ? where an answer may be without them; [shape] for a list; or a word:
string, integer, number, boolean, any, map (an object of anything), "map of <word>", "<word>|null", "=one|two" (one of
these texts), or the name of a shape in shared/answers.json. The member `and` names a shape whose members belong here too.

A command: name (one or two words), order (its place in help; that of the operation when absent), words (each: name,
to, kind, optional), options (further ones: option, to or setting, means, help, words), ask (what a terminal is asked
unless the parameter `confirm` is given), summary, details. Kinds of words: text (one word), rest (all words that are
left, as one text), place (a folder that names the project; its part below the root goes to `to`), root (the same, its
root goes to `to`), folder (the path itself goes to `to`; without it the root of the project around), file (a file of a
project), target (file, file:line or symbol), range (file:first-last).
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "tool" / "specs"

TYPES = ("string", "integer", "number", "boolean", "array", "object", "any")
KEYS = set(
    "name set order scope title description effect again open_world parameters command limits notes "
    "examples returns answer state rights".split()
)
PARAMETER_KEYS = set(
    "type required enum min max default setting items note text same_as given option help means bare unlisted".split()
)
KINDS = ("text", "rest", "place", "root", "folder", "file", "target", "range")
OPTION = re.compile(r"^(?:-(?P<letter>[a-zA-Z]) )?--(?P<name>[a-z][a-z-]*)(?: (?P<value>\[?[A-Z]+\]?))?$")


class Wrong(Exception):
    """A specification that is not as it should be."""


def c_name(name):
    """nodeSource -> node_source."""
    return re.sub(r"([a-z])([A-Z])", lambda m: f"{m[1]}_{m[2].lower()}", name)


def option_of(text):
    """{letter, name, value, maybe} of "-k --limit N"."""
    m = OPTION.match(text)
    if not m:
        raise Wrong(f"option '{text}' is not '-k --name VALUE'")
    value = m["value"] or ""
    return {
        "letter": m["letter"] or "",
        "name": m["name"],
        "value": value.strip("[]"),
        "maybe": value.startswith("["),
    }


def check_parameter(where, name, p):
    unknown = set(p) - PARAMETER_KEYS
    if unknown:
        raise Wrong(f"{where}: unknown key {sorted(unknown)[0]}")
    if p.get("type") not in TYPES:
        raise Wrong(f"{where}: type is none of {', '.join(TYPES)}")
    if not p.get("text"):
        raise Wrong(f"{where}: no text")
    if not re.fullmatch(r"[a-z][A-Za-z0-9_]*", name):
        raise Wrong(f"{where}: not a name")
    if "option" in p:
        option_of(p["option"])


def check(spec):
    name = spec.get("name", "?")
    unknown = set(spec) - KEYS
    if unknown:
        raise Wrong(f"{name}: unknown key {sorted(unknown)[0]}")
    for key in ("name", "title", "description", "effect", "parameters"):
        if not spec.get(key) and key != "parameters":
            raise Wrong(f"{name}: no {key}")
    params = spec["parameters"]
    for key, p in params.items():
        check_parameter(f"{name}.{key}", key, p)
        if p.get("same_as", key) not in params:
            raise Wrong(f"{name}.{key}: same_as leads to no parameter")
    for word in spec.get("command", {}).get("words", []):
        if word.get("kind", "text") not in KINDS:
            raise Wrong(f"{name}: word {word['name']} has an unknown kind")
        if word.get("to") and word["to"] not in params:
            raise Wrong(f"{name}: word {word['name']} leads to no parameter")
    for extra in spec.get("command", {}).get("options", []):
        option_of(extra["option"])
        if extra.get("to", "") not in params and "setting" not in extra:
            raise Wrong(f"{name}: {extra['option']} leads to no parameter")
    if spec.get("state", "index") != "index":
        raise Wrong(f"{name}: state is index")
    if spec.get("rights", "admin") != "admin":
        raise Wrong(f"{name}: rights is admin")
    if spec.get("scope", "project") not in ("project", "none"):
        raise Wrong(f"{name}: scope is project or none")


def load():
    """All specifications, in their order."""
    specs = []
    for path in sorted(FOLDER.glob("*.json")):
        try:
            spec = json.loads(path.read_text())
            check(spec)
        except (ValueError, KeyError, Wrong) as e:
            sys.exit(f"{path.relative_to(ROOT)}: {e}")
        specs.append(spec)
    return sorted(specs, key=lambda s: (s.get("order", 0), s["name"]))


def schema_type(p):
    """The type, enum, ranges and default of a parameter as JSON schema."""
    out = {}
    kind = p["type"]
    if kind != "any":
        out["type"] = kind
    if kind == "array":
        out["items"] = p.get("items", {})
    if "enum" in p:
        out["enum"] = p["enum"]
    low, high = {
        "string": ("minLength", "maxLength"),
        "array": ("minItems", "maxItems"),
    }.get(kind, ("minimum", "maximum"))
    if "min" in p:
        out[low] = p["min"]
    if "max" in p:
        out[high] = p["max"]
    if "default" in p:
        out["default"] = p["default"]
    return out


def schema(spec, is_full=True):
    """The inputSchema: all that is accepted, and nothing else; `is_full`: with what agents are not offered."""
    props = {}
    for name, p in spec["parameters"].items():
        if p.get("unlisted") and not is_full:
            continue
        props[name] = schema_type(spec["parameters"][p["same_as"]] if "same_as" in p else p)
        note = f"= {p['same_as']}" if "same_as" in p else p.get("note")
        if note:
            props[name]["description"] = note
    out = {"type": "object", "properties": props}
    required = [n for n, p in spec["parameters"].items() if p.get("required")]
    if required:
        out["required"] = required
    return out | {"additionalProperties": False}


def annotations(spec):
    return {
        "readOnlyHint": spec["effect"] == "read",
        "destructiveHint": spec["effect"] == "delete",
        "idempotentHint": bool(spec.get("again")),
        "openWorldHint": bool(spec.get("open_world")),
    }


def listing(spec, is_full=False):
    """The member of tools/list; `is_full`: with what only the command line and the API take."""
    return {
        "name": spec["name"],
        "title": spec["title"],
        "description": spec["description"],
        "inputSchema": schema(spec, is_full),
        "annotations": annotations(spec),
    }


def shared_shapes():
    return json.loads((FOLDER / "shared" / "answers.json").read_text())


def shape_schema(shape, where, shared):
    """JSON schema of a shape; named ones are references."""
    if isinstance(shape, list):
        if len(shape) != 1:
            raise Wrong(f"{where}: a list has one shape")
        return {"type": "array", "items": shape_schema(shape[0], where, shared)}
    if isinstance(shape, dict):
        members = shared[shape["and"]] | shape if "and" in shape else shape
        members = {k: v for k, v in members.items() if k != "and"}
        props = {k.rstrip("?"): shape_schema(v, f"{where}.{k}", shared) for k, v in members.items()}
        required = [k for k in members if not k.endswith("?")]
        return {"type": "object", "properties": props} | ({"required": required} if required else {})
    if shape in shared:
        return {"$ref": f"#/components/schemas/{shape}"}
    if shape == "any":
        return {}
    if shape.startswith("="):
        return {"type": "string", "enum": shape[1:].split("|")}
    if shape.endswith("|null"):
        inner = shape_schema(shape[: -len("|null")], where, shared)
        return inner | {"type": [inner["type"], "null"]} if "type" in inner else {"anyOf": [inner, {"type": "null"}]}
    if shape == "map":
        return {"type": "object", "additionalProperties": True}
    if shape.startswith("map of "):
        return {"type": "object", "additionalProperties": shape_schema(shape[len("map of ") :], where, shared)}
    if shape not in ("string", "integer", "number", "boolean"):
        raise Wrong(f"{where}: '{shape}' is no shape")
    return {"type": shape}


def api_parameter(p):
    """The schema of a parameter for programs: said in full, and no type is left open."""
    out = schema_type(p)
    out["description"] = p["text"]
    if out.get("type") == "object":
        out["additionalProperties"] = True
    if out.get("items") == {}:
        out["items"] = {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": True}]}
    if "enum" in out.get("items", {}):
        out["items"] = {"type": "string"} | out["items"]
    if "default" in p and str(compact(p["default"])).strip('"') not in p["text"]:
        out["description"] += f" (default {compact(p['default'])})"
    return out


def api(spec):
    """What the OpenAPI document says of an operation: each parameter once, by its own name. `format` is left out: asked
    for text, an answer has another shape."""
    params = {n: p for n, p in own_parameters(spec).items() if n != "format"}
    arguments = {"type": "object", "properties": {n: api_parameter(p) for n, p in params.items()}}
    required = [n for n, p in params.items() if p.get("required")]
    if required:
        arguments["required"] = required
    notes = f" {spec['notes']}" if "notes" in spec else ""
    return {
        "title": spec["title"],
        "description": re.sub(r"\{(\w+)\}", r"`\1`", spec["description"] + notes),
        "arguments": arguments,
        "answer": shape_schema(spec["answer"], spec["name"], shared_shapes()),
    }


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def own_parameters(spec):
    """Parameters that are no other name of one."""
    return {n: p for n, p in spec["parameters"].items() if "same_as" not in p}


def options(spec):
    """The command line's options of an operation, each with `to`, `text` and what option_of gives."""
    out = []
    for name, p in own_parameters(spec).items():
        if "option" in p:
            out.append(
                option_of(p["option"])
                | {"to": name, "p": p, "text": p.get("help", p["text"]), "means": p.get("means"), "bare": p.get("bare")}
            )
    for extra in spec.get("command", {}).get("options", []):
        out.append(
            option_of(extra["option"])
            | {
                "to": extra.get("to"),
                "p": spec["parameters"].get(extra.get("to"), {"type": "string"}),
                "text": extra["help"],
                "means": extra.get("means"),
                "bare": extra.get("bare"),
            }
        )
    return out


def is_of_project(spec):
    return spec.get("scope", "project") == "project"


def project_parameter(spec):
    """The parameter that names the project, or None."""
    if "project" in spec["parameters"]:
        return spec["parameters"]["project"].get("same_as", "project")
    words = spec.get("command", {}).get("words", [])
    return next((w["to"] for w in words if w.get("kind") in ("root", "folder") and "to" in w), None)


def is_bound(spec):
    """The command works on a project that is found first, and indexed when it never was."""
    words = spec["command"].get("words", [])
    return is_of_project(spec) and not (words and words[0].get("kind") in ("root", "folder"))


def usage(spec):
    words = []
    for w in spec["command"].get("words", []):
        text = w["name"]
        words.append(f"[{text}]" if w.get("optional") else text)
    return " ".join(words)
