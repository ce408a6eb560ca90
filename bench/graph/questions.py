#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""questions.py [--ken BINARY] [--show] [--ours | FOLDER]: questions that an agent asks of a repository.

Each file of tests/quality/questions names a repository, which is FOLDER/<name>, and questions: one or
two tool calls, and what their answers must say, as it was read in the source or said by a compiler
(bench/graph/truth.py). --ours: only those of this tree, which need no FOLDER. The calls go over MCP to one server
per repository, as an agent's would. Repositories that are not there are passed over and said.

Exit code 1 when an answer lacks something. --show prints the answers of those that do.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = ROOT / "tests" / "quality" / "questions"


class Server:
    """`ken mcp` on a checkout, with an index of its own."""

    def __init__(self, ken, checkout, data):
        env = dict(os.environ, KEN_DATA_DIR=data)
        self.process = subprocess.Popen(
            [ken, "mcp", "--format", "json", str(checkout)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=env, text=True)
        self.n_sent = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "questions", "version": "1"}})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.n_sent += 1
        self.say({"jsonrpc": "2.0", "id": self.n_sent, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.n_sent:
                return message.get("result") or message
        raise SystemExit(f"the server ended at {method}")

    def call(self, tool, arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "structuredContent" in result:
            return json.dumps(result["structuredContent"], ensure_ascii=False)
        return "\n".join(c.get("text", "") for c in result.get("content", [])) or json.dumps(result)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def check(server, question):
    """What the answers lack, what they say wrongly, and the answers."""
    answers = [server.call(tool, arguments) for tool, arguments in question["calls"]]
    text = "\n".join(answers)
    lacking = [w for w in question["wants"] if w not in text]
    wrong = [w for w in question.get("never", []) if w in text]
    return lacking, wrong, answers


def is_ours(name):
    """This tree, or a folder of it: always there."""
    return not name or name.startswith("tests/")


def run(ken, folder, path, shows):
    spec = json.loads(path.read_text())
    name = spec["repository"]
    if not is_ours(name) and not folder:
        return 0, 0
    checkout = ROOT / name if is_ours(name) else folder / name
    if not checkout.is_dir():
        print(f"{name}: not there, {len(spec['questions'])} questions passed over")
        return 0, 0
    n_right = 0
    with tempfile.TemporaryDirectory() as data:
        server = Server(ken, checkout, data)
        for question in spec["questions"]:
            lacking, wrong, answers = check(server, question)
            n_right += not lacking and not wrong
            for what, items in (("lacks", lacking), ("says", wrong)):
                if items:
                    print(f"  {question['ask']}  {what} {', '.join(items)}")
            if shows and (lacking or wrong):
                print("\n".join(answers))
        server.close()
    print(f"{name or 'ken'}: {n_right} of {len(spec['questions'])} questions answered")
    return n_right, len(spec["questions"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ken", default=str(ROOT / "build" / "release" / "ken"))
    parser.add_argument("--show", action="store_true", help="print answers that lack something")
    parser.add_argument("--ours", action="store_true", help="only questions about this tree")
    parser.add_argument("folder", type=Path, nargs="?", help="checkouts by name")
    args = parser.parse_args()
    if not args.ours and not args.folder:
        parser.error("a FOLDER of checkouts, or --ours")
    totals = [run(args.ken, args.folder, f, args.show) for f in sorted(QUESTIONS.glob("*.json"))]
    n_right, n = (sum(t[i] for t in totals) for i in (0, 1))
    print(f"{n_right} of {n}")
    return n_right != n


if __name__ == "__main__":
    sys.exit(main())
