#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks an agent's questions of `ken mcp`, one call each with default parameters, and checks the
answers against truths that were read from the code. See README.md.

    bench/agent/run.py flask=PATH redis=PATH [--ken PROGRAM] [--exact NODE_MODULES]
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
BYTES_PER_TOKEN = 3.6

COUNT = """
const { createRequire } = require('module');
const path = require('path');
const load = createRequire(path.join(path.resolve(process.argv[1]), 'x.js'));
const { countTokens } = load('gpt-tokenizer/encoding/o200k_base');
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map((text) => countTokens(text))));
"""


class Server:
    """`ken mcp` of one folder, on pipes."""

    def __init__(self, program, root, data):
        env = dict(os.environ, KEN_DATA_DIR=str(data))
        self.process = subprocess.Popen(
            [str(program), "mcp", str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=env)
        self.last_id = 0
        self.call("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench-agent", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method, params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.last_id and "method" not in message:
                return message.get("result") or {"error": message.get("error")}
        raise SystemExit(f"ken mcp ended without an answer to {method}")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def received(result):
    """What the agent gets to read: the text blocks, or the error."""
    if "error" in result:
        return json.dumps(result["error"])
    return "\n".join(c.get("text", "") for c in result.get("content", []))


def says_place(text, path, line):
    """`path:line`, or the line under the path that heads a group of lines."""
    if re.search(rf"(?<![\w/.-]){re.escape(path)}:{line}(?!\d)", text):
        return True
    inside = False
    for row in text.splitlines():
        if not row.startswith(" "):
            inside = bool(re.match(rf"(?:[#*-]+ )?{re.escape(path)}(?![\w/.-])", row))
        elif inside and re.match(rf"\s+{line}(?!\d)", row):
            return True
    return False


def holds(text, want):
    place = re.fullmatch(r"(\S+\.\w+):(\d+)", want)
    if place:
        return says_place(text, place[1], int(place[2]))
    return re.search(rf"(?<![\w]){re.escape(want)}(?![\w])", text) is not None


def check_revision(name, root, revision):
    got = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], check=True,
                         capture_output=True, text=True).stdout.strip()
    if got != revision:
        raise SystemExit(f"{name}: {root} is at {got}; the truths are of {revision}")


def count_tokens(texts, node_modules):
    if node_modules is None:
        return [round(len(t.encode()) / BYTES_PER_TOKEN) for t in texts]
    out = subprocess.run(["node", "-e", COUNT, str(node_modules)], input=json.dumps(texts),
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", nargs="+", metavar="NAME=PATH", help="a work tree of a repository")
    parser.add_argument("--ken", type=Path, default=TREE / "build" / "release" / "ken")
    parser.add_argument("--tasks", type=Path, default=HERE / "tasks.json")
    parser.add_argument("--data", type=Path, help="folder of the indexes; a new one unless given")
    parser.add_argument("--exact", type=Path, metavar="NODE_MODULES",
                        help="count with gpt-tokenizer's o200k_base, through node")
    parser.add_argument("--answers", type=Path, metavar="DIR", help="write every answer there")
    return parser.parse_args()


def ask_all(tasks, roots, repositories, program, data):
    texts = {}
    for name, root in roots.items():
        check_revision(name, root, repositories[name]["revision"])
        server = Server(program, root, data)
        for task in tasks:
            if task["repository"] == name:
                result = server.call(
                    "tools/call", {"name": task["tool"], "arguments": task["arguments"]})
                texts[task["id"]] = received(result)
        server.close()
    return texts


def main():
    args = parse_arguments()
    book = json.loads(args.tasks.read_text())
    roots = dict(r.split("=", 1) for r in args.roots)
    for name in roots:
        if name not in book["repositories"]:
            raise SystemExit(f"unknown repository {name}; there are {', '.join(book['repositories'])}")
    tasks = [t for t in book["tasks"] if t["repository"] in roots]
    with tempfile.TemporaryDirectory() as fresh:
        texts = ask_all(tasks, roots, book["repositories"], args.ken.resolve(), args.data or fresh)
    tokens = count_tokens([texts[t["id"]] for t in tasks], args.exact)
    right = 0
    for task, cost in zip(tasks, tokens):
        text = texts[task["id"]]
        missing = [w for w in task["wants"] if not holds(text, w)]
        right += not missing
        print(f"{'wrong' if missing else 'right'} {cost:6} {task['id']:8} {task['kind']:10}"
              f" {task['tool']:15} {'not there: ' + ', '.join(missing) if missing else ''}".rstrip())
        if args.answers:
            args.answers.mkdir(parents=True, exist_ok=True)
            (args.answers / f"{task['id']}.txt").write_text(text)
    how = "o200k_base" if args.exact else f"UTF-8 bytes / {BYTES_PER_TOKEN}"
    print(f"{right} of {len(tasks)} right, {sum(tokens):,} tokens ({how})")
    whole = len(tasks) == len(book["tasks"])
    return int(whole and (right < book["right_at_least"] or sum(tokens) > book["tokens_at_most"]))


if __name__ == "__main__":
    sys.exit(main())
