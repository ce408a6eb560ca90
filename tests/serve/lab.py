# SPDX-License-Identifier: MIT
"""What the tests of ken serve as a process share: the server, clients of it, and of `ken mcp`."""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.request

PATIENCE = 60
options = argparse.Namespace(ken="")


def main(name, *more):
    parser = argparse.ArgumentParser()
    for option in ("--ken", *more):
        parser.add_argument(option, required=option == "--ken", default="")
    _, rest = parser.parse_known_args(namespace=options)
    options.ken = os.path.realpath(options.ken)
    unittest.main(module="__main__", argv=[name, *rest])


def git(*args, cwd, env=None):
    return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *args], cwd=cwd, check=True,
                          env=env, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def put(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)


def may_mount():
    """Whether a test may have a file system of its own, which needs a namespace."""
    return shutil.which("unshare") and not subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode


class Mcp:
    """A client of `ken mcp`."""

    def __init__(self, folder, env):
        self.process = subprocess.Popen([options.ken, "mcp"], env=env, cwd=folder, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.n_asked = 0

    def send(self, method, params=None):
        self.n_asked += 1
        message = {"jsonrpc": "2.0", "id": self.n_asked, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return self.n_asked

    def take(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params=None):
        wanted = self.send(method, params)
        while True:
            answer = self.take()
            if answer.get("id") == wanted:
                return answer

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code


class Serve(unittest.TestCase):
    def setUp(self):
        self.box = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.box.name, "project")
        os.makedirs(self.folder)
        with open(os.path.join(self.folder, "a.c"), "w") as f:
            f.write("int alpha(void)\n{\n    return 1;\n}\n")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KEN_", "NOTIFY_", "LISTEN_"))}
        self.env.update(HOME=self.box.name, KEN_DATA_DIR=os.path.join(self.box.name, "data"))
        self.processes = []

    def tearDown(self):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
            p.wait()
            p.stdout.close()
        self.box.cleanup()

    def serve(self, *words, env=None, before=(), **more):
        """Returns the process and its address. `before`: a program that starts ours."""
        more.setdefault("stderr", subprocess.DEVNULL)
        p = subprocess.Popen([*before, options.ken, "serve", "--port", "0", "--json", *words], env=env or self.env,
                             text=True, stdout=subprocess.PIPE, **more)
        self.processes.append(p)
        return p, json.loads(p.stdout.readline())["url"]

    def post(self, url, operation, arguments):
        request = urllib.request.Request(f"{url}/api/v1/{operation}", json.dumps(arguments).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def get(self, url, path):
        with urllib.request.urlopen(url + path, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def metric(self, url, name):
        """The sum of a metric over its labels; `name` may have some, as a prefix."""
        lines = [line for line in self.get(url, "/metrics").splitlines() if line.startswith(name)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def wait_until(self, is_so, what, seconds=10):
        end = time.monotonic() + seconds
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)
