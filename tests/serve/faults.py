#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What clients and the system do to ken serve when they fail, or mean harm; each test is bounded in time.

    faults.py --ken build/dev/ken [--faults build/dev/tests/libken_interpose.so]
"""
import contextlib
import errno
import fcntl
import glob
import http.client
import json
import os
import resource
import select
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
import unittest
import urllib.error

import lab

BODY_MAX = 1 << 20  # server.max_body_bytes, where a test sets it
HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                         "clientInfo": {"name": "faults", "version": "1"}}}


class Raw:
    """A connection whose bytes are all our own."""

    def __init__(self, url, seconds=20):
        host, port = url.split("//")[1].split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=seconds)

    def say(self, data):
        self.socket.sendall(data)
        return self

    def hear(self, until=None, seconds=20):
        """What comes until `until`, the end, or a break of the connection."""
        heard = b""
        end = time.monotonic() + seconds
        while not (until and until in heard):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError(f"neither more nor the end after {heard[-200:]!r}")
            try:
                got = self.socket.recv(65536)
            except ConnectionError:
                break
            if not got:
                break
            heard += got
        return heard

    def reset(self):
        """Goes without a word of HTTP or TLS, and with what was sent unread: the other end gets RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def memory_kib(process):
    with open(f"/proc/{process.pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Faults(lab.Serve):
    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.box.name, "log")
        # What is freed shall be gone, so that memory can be measured.
        self.env["ASAN_OPTIONS"] = self.env.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"

    def settings(self, **values):
        return dict(self.env, KEN_LOG_FILE=self.log, **{f"KEN_{k}": str(v) for k, v in values.items()})

    def logged(self, part):
        with open(self.log) as f:
            return sum(part in line for line in f)

    def is_well(self, url):
        self.assertEqual(self.get(url, "/healthz"), "ok\n")

    # ---- bodies ---------------------------------------------------------------------------------

    def test_a_body_that_is_too_large_is_refused_before_it_is_sent(self):
        server, url = self.serve(env=self.settings(SERVER_MAX_BODY_BYTES=BODY_MAX))
        before = memory_kib(server)
        for path in ("/api/v1/search_code", "/mcp", "/webhook/github"):
            for more in (b"", b"Expect: 100-continue\r\n"):
                with Raw(url) as c:
                    began = time.monotonic()
                    c.say(b"POST %s HTTP/1.1\r\n%s%sContent-Length: 1073741824\r\n\r\n" % (path.encode(), HEAD, more))
                    answer = c.hear()
                    self.assertIn(b" 413 ", answer.splitlines()[0], path)
                    self.assertLess(time.monotonic() - began, 2)
        self.assertLess(memory_kib(server) - before, 16 * 1024)
        self.is_well(url)

    def send_chunks(self, url, most):
        """Returns how much was taken."""
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        n = 0
        with Raw(url) as c, contextlib.suppress(OSError):
            c.say(b"POST /api/v1/search_code HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            while n < most:
                c.say(chunk)
                n += 65536
        return n

    def test_a_body_without_end_is_cut_at_the_limit(self):
        server, url = self.serve(env=self.settings(SERVER_MAX_BODY_BYTES=BODY_MAX))
        self.send_chunks(url, 1 << 30)
        before = memory_kib(server)
        for _ in range(20):
            taken = self.send_chunks(url, 1 << 30)
            self.assertLess(taken, 16 * BODY_MAX)  # what the system holds for both ends included
        self.assertLess(memory_kib(server) - before, 16 * 1024)
        self.is_well(url)

    # ---- heads ----------------------------------------------------------------------------------

    def test_floods_of_headers_are_cut(self):
        server, url = self.serve(env=self.settings())
        before = memory_kib(server)
        floods = {
            "many": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-1: 1\r\n" * 20000,
            "one line": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (1 << 20),
            "one name": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"x" * (1 << 20),
            "one path": b"GET /" + b"x" * (1 << 20),
            "empty lines": b"\r\n" * (1 << 19),
            "one method": b"G" * (1 << 20),
        }
        for name, flood in floods.items():
            with Raw(url) as c:
                answer = b""
                with contextlib.suppress(ConnectionError):
                    c.say(flood + b"\r\n\r\n")
                    answer = c.hear()
                if answer:
                    self.assertIn(answer.split(b" ")[1], (b"400", b"414", b"431", b"413"), name)
        self.assertLess(memory_kib(server) - before, 16 * 1024)
        self.is_well(url)

    # ---- smuggling ------------------------------------------------------------------------------

    def test_what_two_ends_may_read_differently_is_refused(self):
        hidden = b"GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n"
        framing = {  # lines of the head, body
            "a length and chunks": (b"Content-Length: 4\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
            "chunks and a length": (b"Transfer-Encoding: chunked\r\nContent-Length: 4", b"0\r\n\r\n"),
            "two lengths": (b"Content-Length: 0\r\nContent-Length: 5", b""),
            "the same length twice": (b"Content-Length: 5\r\nContent-Length: 5", b"hello"),
            "a list of lengths": (b"Content-Length: 5, 5", b"hello"),
            "a length with a sign": (b"Content-Length: +0", b""),
            "a negative length": (b"Content-Length: -1", b""),
            "a length in hex": (b"Content-Length: 0x0", b""),
            "a length that overflows": (b"Content-Length: 18446744073709551616", b""),
            "an empty length": (b"Content-Length:", b""),
            "xchunked": (b"Transfer-Encoding: xchunked", b"0\r\n\r\n"),
            "chunked, identity": (b"Transfer-Encoding: chunked, identity", b"0\r\n\r\n"),
            "identity": (b"Transfer-Encoding: identity", b""),
            "gzip, chunked": (b"Transfer-Encoding: gzip, chunked", b"0\r\n\r\n"),
            "chunked twice": (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
            "a quoted coding": (b'Transfer-Encoding: "chunked"', b"0\r\n\r\n"),
            "a coding after a tab of another": (b"Transfer-Encoding: x\tchunked", b"0\r\n\r\n"),
            "a space before the colon": (b"Content-Length : 5", b"hello"),
            "a coding with a space before the colon": (b"Transfer-Encoding : chunked", b"0\r\n\r\n"),
            "a folded coding": (b"Transfer-Encoding:\r\n chunked", b"0\r\n\r\n"),
            "a folded header": (b"X: a\r\n Content-Length: 5", b"hello"),
            "two hosts": (b"Host: localhost", b""),
            "a name with a space": (b"Content Length: 5", b"hello"),
            "a line without a colon": (b"chunked", b""),
            "a bare CR in a value": (b"X: a\rTransfer-Encoding: chunked", b"0\r\n\r\n"),
        }
        _, url = self.serve(env=self.settings())
        for name, (lines, body) in framing.items():
            with self.subTest(name), Raw(url) as c:
                c.say(b"POST /api/v1/list_projects HTTP/1.1\r\n" + HEAD + lines + b"\r\n\r\n" + body + hidden)
                answer = c.hear()
                self.assertNotIn(b"uptime", answer)
                # The library writes the head of some of its refusals twice.
                self.assertLessEqual({part[:1] for part in answer.split(b"HTTP/1.1 ")[1:]}, {b"4"}, answer)
        self.is_well(url)

    def test_chunks_are_read_by_the_letter(self):
        bodies = {  # what follows the head; None: it is no body
            "one": (b"2\r\n{}\r\n0\r\n\r\n", b"200"),
            "bytes": (b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", b"200"),
            "zeros before": (b"0002\r\n{}\r\n0\r\n\r\n", b"200"),
            "an extension": (b"2;a=b\r\n{}\r\n0\r\n\r\n", b"200"),
            "trailers": (b"2\r\n{}\r\n0\r\nX-Late: 1\r\n\r\n", b"200"),
            "no length": (b"\r\n{}\r\n0\r\n\r\n", None),
            "no hex": (b"zz\r\n{}\r\n0\r\n\r\n", None),
            "a sign": (b"+2\r\n{}\r\n0\r\n\r\n", None),
            "minus": (b"-2\r\n{}\r\n0\r\n\r\n", None),
            "a prefix": (b"0x2\r\n{}\r\n0\r\n\r\n", None),
            "overflow": (b"10000000000000002\r\n{}\r\n0\r\n\r\n", None),
            "larger than all": (b"ffffffffffffffff\r\n{}\r\n0\r\n\r\n", None),
            "longer than said": (b"1\r\n{}\r\n0\r\n\r\n", None),
            "an endless extension": (b"2;" + b"x" * (1 << 20) + b"\r\n{}\r\n0\r\n\r\n", None),
        }
        _, url = self.serve(env=self.settings(SERVER_BODY_SECONDS=1))
        for name, (body, wanted) in bodies.items():
            with self.subTest(name), Raw(url) as c:
                answer = b""
                with contextlib.suppress(ConnectionError):
                    c.say(b"POST /api/v1/list_projects HTTP/1.1\r\n" + HEAD +
                          b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
                    answer = c.hear()
                if wanted:
                    self.assertEqual(answer.split(b" ")[1], wanted, answer)
                elif answer:
                    self.assertEqual(answer.split(b" ")[1][:1], b"4", answer)
                self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1)
        self.is_well(url)

    def test_garbage_after_a_request_ends_the_connection(self):
        _, url = self.serve(env=self.settings(SERVER_IDLE_SECONDS=1))
        good = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)), b"\x00" * 5000,
                        os.urandom(9000), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                        b"GET\r\n\r\n", b"{}\r\n\r\n", b"GET http://[::1 HTTP/1.1\r\n\r\n"):
            with Raw(url) as c:
                answer = b""
                with contextlib.suppress(ConnectionError):
                    c.say(good * 3 + garbage)
                    answer = c.hear()
                self.assertLessEqual(answer.count(b"HTTP/1.1 200"), 3)
        self.is_well(url)

    # ---- slow clients ---------------------------------------------------------------------------

    def drip(self, connections, seconds):
        """A byte of each at a time; returns how many were cut within the time."""
        open_ones = dict(connections)
        end = time.monotonic() + seconds
        while open_ones and time.monotonic() < end:
            for c, data in list(open_ones.items()):
                gone = select.select([c.socket], [], [], 0)[0] and not c.hear(seconds=1)
                try:
                    c.socket.send(data)
                except OSError:
                    gone = True
                if gone:
                    del open_ones[c]
            time.sleep(0.05)
        return len(connections) - len(open_ones)

    def test_slow_and_silent_clients_are_cut_and_others_are_answered(self):
        _, url = self.serve(env=self.settings(SERVER_IDLE_SECONDS=2, SERVER_BODY_SECONDS=2))
        slow = {}
        for _ in range(20):
            slow[Raw(url)] = b"a"
            head = Raw(url)
            slow[head.say(b"GET /healthz HTTP/1.1\r\nX: ")] = b"a"
            body = Raw(url)
            slow[body.say(b"POST /api/v1/search_code HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\n")] = b"a"
            chunks = Raw(url)
            chunks.say(b"POST /mcp HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            slow[chunks] = b"1\r\na\r\n"
            kept = Raw(url)
            kept.say(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").hear(b"ok\n")
            slow[kept] = b""
        took = []

        def ask():
            while len(took) < 20:
                began = time.monotonic()
                self.is_well(url)
                took.append(time.monotonic() - began)
                time.sleep(0.1)

        other = threading.Thread(target=ask)
        other.start()
        n_cut = self.drip(slow, 6)
        other.join()
        self.assertEqual(n_cut, len(slow))
        self.assertLess(max(took), 2)
        self.assertEqual(self.metric(url, "ken_http_connections_cut_total"), len(slow))
        for c in slow:
            c.socket.close()

    def certificate(self):
        cert, key = (os.path.join(self.box.name, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"], check=True,
                       capture_output=True)
        return cert, key

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate with")
    def test_handshakes_that_never_end_are_cut(self):
        cert, key = self.certificate()
        _, url = self.serve("--tls-cert", cert, "--tls-key", key, env=self.settings(SERVER_IDLE_SECONDS=2))
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        hello = trust.wrap_bio(incoming, outgoing)
        with contextlib.suppress(ssl.SSLWantReadError):
            hello.do_handshake()
        first = outgoing.read()
        began = time.monotonic()
        silent = [Raw(url) for _ in range(10)] + [Raw(url).say(first[:20]) for _ in range(10)] + \
            [Raw(url).say(first) for _ in range(10)]
        port = int(url.rsplit(":", 1)[1])
        client = http.client.HTTPSConnection("127.0.0.1", port, context=trust, timeout=10)
        client.request("GET", "/healthz")
        self.assertEqual(client.getresponse().read(), b"ok\n")
        self.assertLess(time.monotonic() - began, 2)
        for c in silent:
            c.hear(seconds=5)
            c.socket.close()
        client.close()

    def test_peers_that_are_gone_without_a_word_are_looked_for(self):
        _, url = self.serve(env=self.settings())
        with Raw(url) as c:
            c.say(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n").hear(b"mcp:tools")
            local, remote = (f"{address[1]:04X}" for address in (c.socket.getpeername(), c.socket.getsockname()))
            with open("/proc/net/tcp") as f:
                ends = [line.split() for line in f if f":{local} " in line and f":{remote} " in line]
        timers = {e[1].rsplit(":", 1)[1]: e[5].split(":")[0] for e in ends}
        self.assertIn(timers[local], ("01", "02"))  # data that is not acknowledged, or the next probe

    # ---- clients that go away -------------------------------------------------------------------

    def mcp(self, url, message, session=None):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if session:
            headers.update({"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"})
        client = http.client.HTTPConnection(url.split("//")[1], timeout=20)
        client.request("POST", "/mcp", json.dumps(message), headers)
        answer = client.getresponse()
        answer.read()
        client.close()
        return answer

    def listen(self):
        """The body of a request of the stateless era whose answer is a stream."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        return {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                "params": {"_meta": meta, "notifications": {"toolsListChanged": True}}}

    def stateless(self, message):
        name = message["params"].get("name")
        body = json.dumps(message).encode()
        return (b"POST /mcp HTTP/1.1\r\n" + HEAD + b"Accept: application/json, text/event-stream\r\n"
                b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + message["method"].encode() + b"\r\n" +
                (b"Mcp-Name: " + name.encode() + b"\r\n" if name else b"") +
                b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def grow(self, n):
        """Files whose indexing takes a while."""
        for i in range(n):
            with open(os.path.join(self.folder, f"part{i}.c"), "w") as f:
                f.write("".join(f"int f{i}_{k}(int a)\n{{\n    return f{i}_{k + 1}(a) + {k};\n}}\n"
                                for k in range(200)))

    def test_streams_of_clients_that_are_gone_are_freed(self):
        _, url = self.serve(env=self.settings())
        session = self.mcp(url, INITIALIZE).headers["Mcp-Session-Id"]
        self.mcp(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
        self.post(url, "index_repository", {"repo_path": self.folder})
        lock, = glob.glob(os.path.join(self.env["KEN_DATA_DIR"], "indexes", "*.db.lock"))
        held = open(lock, "r+")
        self.addCleanup(held.close)
        fcntl.flock(held, fcntl.LOCK_EX)  # as another process that indexes: the job waits for it
        job = self.post(url, "jobs", {"kind": "index", "project": self.folder, "force": True})["id"]
        streams = {
            "job": b"GET /api/v1/jobs/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n" % job.encode(),
            "events": b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "mcp": b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                   b"MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session.encode() + b"\r\n\r\n",
            "listen": self.stateless(self.listen()),
        }
        for name, request in streams.items():
            for go in (Raw.reset, lambda c: c.socket.close()):
                clients = [Raw(url).say(request) for _ in range(10)]
                for c in clients:
                    self.assertIn(b"text/event-stream", c.hear(b"\r\n\r\n"), name)
                if name != "mcp":  # the newest reader takes the place of the one before
                    self.assertEqual(self.metric(url, "ken_http_requests_in_flight"), 11, name)
                for c in clients:
                    go(c)
                self.wait_until(lambda: self.metric(url, "ken_http_requests_in_flight") == 1, name)
        self.wait_until(lambda: self.metric(url, "ken_http_connections") <= 1, "connections")

    def test_what_a_client_asked_for_that_dies_is_cancelled(self):
        _, url = self.serve(env=self.settings())
        self.grow(1000)
        arguments = {"repo_path": self.folder}
        body = json.dumps(arguments).encode()
        call = self.listen()
        call.update(method="tools/call")
        call["params"].update(name="index_repository", arguments=arguments)
        for n, request in enumerate((b"POST /api/v1/index_repository HTTP/1.1\r\n" + HEAD +
                                     b"Content-Length: %d\r\n\r\n" % len(body) + body, self.stateless(call)), 1):
            c = Raw(url).say(request)
            self.wait_until(lambda: self.metric(url, "ken_index_runs_in_flight") == 1, "it runs")
            c.reset()
            cancelled = 'ken_tool_calls_total{tool="index_repository",status="ECANCELLED"}'
            self.wait_until(lambda n=n: self.metric(url, cancelled) == n, "it is cancelled")
            self.assertEqual(self.metric(url, "ken_tool_calls_in_flight"), 0)
        self.assertEqual(self.metric(url, 'ken_tool_calls_total{tool="index_repository"'), 2)
        self.is_well(url)

    # ---- without descriptors --------------------------------------------------------------------

    STARVED = "all file descriptors are used"

    def starve(self, url, path):
        """Connections to `path`, or to the address, until no descriptor is left."""
        clients = []
        for _ in range(150):
            if path:
                c = socket.socket(socket.AF_UNIX)
                c.settimeout(1)
                with contextlib.suppress(OSError):
                    c.connect(path)
            else:
                c = Raw(url).socket
            clients.append(c)
        return clients

    def rests(self, server):
        before = processor_seconds(server)
        time.sleep(1.5)
        self.assertLess(processor_seconds(server) - before, 0.5)

    def test_without_descriptors_connections_wait(self):
        server, url = self.serve(env=self.settings(),
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
        sock = os.path.join(self.env["KEN_DATA_DIR"], "server.sock")
        stream = Raw(url).say(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stream.hear(b"mcp:tools")
        n_starved = 0
        # The last without any connection to the address: then the library tries again and again.
        for path in ("", sock, os.path.join(self.env["KEN_DATA_DIR"], "mcp.sock"), sock + ":alone"):
            if path.endswith(":alone"):
                stream.reset()
                path = sock
            clients = self.starve(url, path)
            late = Raw(url).say(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.rests(server)
            self.assertIsNone(server.poll())
            for c in clients:
                c.close()
            self.assertIn(b"ok\n", late.hear(b"ok\n", seconds=5))
            late.socket.close()
            self.is_well(url)
            now = self.metric(url, "ken_http_connections_starved_total")
            if "mcp" not in path:  # who does not greet there is cut after a second
                self.assertGreater(now, n_starved, path)
            n_starved = now
        self.assertEqual(self.logged(self.STARVED), 1)

    def test_connections_beyond_the_limit_wait_for_their_turn(self):
        server, url = self.serve(env=self.settings(SERVER_MAX_CONNECTIONS=10))
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        clients = [Raw(url).say(request) for _ in range(10)]
        for c in clients:
            c.hear(b"ok\n")
        late = [Raw(url).say(request) for _ in range(3)]
        self.rests(server)
        self.assertFalse(select.select([c.socket for c in late], [], [], 0)[0])
        for c, waiting in zip(clients, late):
            c.socket.close()
            self.assertIn(b"ok\n", waiting.hear(b"ok\n", seconds=5))
        self.assertEqual(self.logged("as many as server.max_connections says"), 1)
        for c in clients + late:
            c.socket.close()
        self.is_well(url)

    # ---- without space --------------------------------------------------------------------------

    def on_small_disk(self, size):
        """The words that start a program with a file system of its own at the folder."""
        disk = os.path.join(self.box.name, "disk")
        os.makedirs(disk)
        return disk, ("unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size={size} tmpfs "$0" && exec "$@"', disk)

    @unittest.skipUnless(lab.may_mount(), "no namespaces here")
    def test_a_full_disk_under_the_log_stops_nothing(self):
        disk, before = self.on_small_disk("64k")
        env = dict(self.env, KEN_LOG_FILE=os.path.join(disk, "log"), KEN_LOG_LEVEL="info", KEN_LOG_FORMAT="json")
        errors = os.path.join(self.box.name, "errors")
        with open(errors, "w") as f:
            server, url = self.serve(env=env, before=before, stderr=f)
        inside = f"/proc/{server.pid}/root{disk}"
        with open(os.path.join(inside, "ballast"), "wb") as f:
            f.write(b"x" * 32768)
        for _ in range(300):
            self.is_well(url)
        with open(errors) as f:
            lines = f.readlines()
        self.assertEqual(sum("log.file cannot be written (No space left on device)" in line for line in lines), 1)
        self.assertGreater(sum('"message":"request"' in line for line in lines), 50)
        os.remove(os.path.join(inside, "ballast"))
        for _ in range(10):
            self.is_well(url)
        with open(os.path.join(inside, "log")) as f:
            lines = f.readlines()
        self.assertEqual(sum("lines are missing here" in line for line in lines), 1)
        n_torn = 0
        for line in lines:
            try:
                json.loads(line)
            except ValueError:
                n_torn += 1
        self.assertLessEqual(n_torn, 1)

    def refused(self, url, operation, arguments):
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.post(url, operation, arguments)
        with refused.exception as answer:
            return answer.code, json.load(answer)

    def is_full(self, refused):
        status, problem = refused
        self.assertEqual((status, problem["code"]), (507, "ENOSPC"), problem)

    @unittest.skipUnless(lab.may_mount(), "no namespaces here")
    def test_a_full_disk_under_the_data_is_said_and_passes(self):
        disk, before = self.on_small_disk("16m")
        server, url = self.serve(env=dict(self.settings(), KEN_DATA_DIR=disk), before=before)
        self.post(url, "index_repository", {"repo_path": self.folder})
        self.post(url, "create_task", {"title": "before", "project": self.folder})
        ballast = f"/proc/{server.pid}/root{disk}/ballast"
        with open(ballast, "wb", buffering=0) as f, contextlib.suppress(OSError):
            while True:
                f.write(b"x" * 4096)
        task = {"title": "in vain", "description": "x" * 50000, "project": self.folder}
        for _ in range(3):
            self.is_full(self.refused(url, "create_task", task))
        self.is_well(url)
        try:
            self.assertIn("a.c", str(self.post(url, "search_code", {"query": "alpha", "project": self.folder})))
        except urllib.error.HTTPError as refused:  # to open an index takes a little room
            with refused:
                self.is_full((refused.code, json.load(refused)))
        os.remove(ballast)
        self.post(url, "create_task", {"title": "after", "project": self.folder})
        titles = [t["title"] for t in self.post(url, "list_tasks", {"project": self.folder})["tasks"]]
        self.assertEqual(sorted(titles), ["after", "before"])
        self.assertEqual(self.get(url, "/readyz"), "ok\n")

    # ---- a system that fails, a clock that is set -----------------------------------------------

    def with_faults(self, **values):
        """Settings of a server whose calls can be made to fail, and what makes them."""
        if not lab.options.faults:
            self.skipTest("--faults names no library")
        path = os.path.join(self.box.name, "state")
        with open(path, "wb") as f:
            f.write(bytes(64))
        env = self.settings(**values)
        env.update(LD_PRELOAD=lab.options.faults, KEN_FAULT_STATE=path,
                   ASAN_OPTIONS=env["ASAN_OPTIONS"] + ":verify_asan_link_order=0:detect_leaks=0")

        def fail(kind=0, error=0, clock_step_s=0):
            """What fails from now on; returns how many calls have failed (fault/interpose.h)."""
            with open(path, "r+b") as f:
                n_failed = struct.unpack_from("=q", f.read(48), 32)[0]
                f.seek(0)
                f.write(struct.pack("=i4xQ??2xiQQq", kind, 1 if kind else 0, True, False, error, 0, 0, clock_step_s))
            return n_failed
        return env, fail

    def test_a_store_that_fails_is_said_and_passes(self):
        env, fail = self.with_faults()
        _, url = self.serve(env=env)
        self.post(url, "index_repository", {"repo_path": self.folder})
        kinds = {"read": 2, "write": 3, "sync": 4, "open": 5}
        for name, kind in kinds.items():
            fail(kind, errno.EIO)
            tried = {"create_task": {"title": f"task {name}", "project": self.folder},
                     "index_repository": {"repo_path": self.folder, "force_reindex": True},
                     "search_code": {"query": "alpha", "project": self.folder}}
            for operation, arguments in tried.items():
                try:
                    self.post(url, operation, arguments)
                except urllib.error.HTTPError as refused:
                    with refused:
                        problem = json.load(refused)
                    self.assertGreaterEqual(refused.code, 500, problem)
                    self.assertRegex(problem["code"], "^E[A-Z]+$")
                    self.assertNotIn(problem["code"], ("EINVAL", "EINTERNAL", "ECORRUPT"), problem)
            self.assertGreater(fail(), 0, f"{name}: nothing failed")
            self.is_well(url)
            self.assertIn("a.c", str(self.post(url, "search_code", {"query": "alpha", "project": self.folder})), name)
            self.post(url, "create_task", {"title": f"after {name}", "project": self.folder})
        titles = [t["title"] for t in self.post(url, "list_tasks", {"project": self.folder})["tasks"]]
        self.assertLessEqual({f"after {name}" for name in kinds}, set(titles))

    def test_a_clock_that_is_set_changes_no_time_that_passes(self):
        env, set_clock = self.with_faults(SERVER_IDLE_SECONDS=2, SERVER_RATE_LIMIT=200)
        self.grow(100)
        _, url = self.serve(env=env)
        self.post(url, "index_repository", {"repo_path": self.folder})
        session = self.mcp(url, INITIALIZE).headers["Mcp-Session-Id"]
        stream = Raw(url).say(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        years = 10 * 365 * 86400
        for step in (years, -years, 0):
            job = self.post(url, "jobs", {"kind": "index", "project": self.folder, "force": True})["id"]

            def job_now(job=job):
                return json.loads(self.get(url, f"/api/v1/jobs/{job}"))

            self.wait_until(lambda: job_now()["state"] in ("running", "done"), "it runs")
            set_clock(clock_step_s=step)  # in the midst of it
            slow = Raw(url).say(b"GET /healthz HTTP/1.1\r\nX")
            began = time.monotonic()
            self.assertIn("a.c", str(self.post(url, "search_code", {"query": "alpha", "project": self.folder})))
            self.assertEqual(self.mcp(url, {"jsonrpc": "2.0", "id": 2, "method": "ping"}, session).status, 200)
            self.wait_until(lambda: job_now()["state"] == "done", step)
            year = time.gmtime(time.time() + step).tm_year
            self.assertIn(str(year), job_now()["ended_at"])
            stream.hear(b"mcp:status", seconds=5)
            slow.hear(seconds=5)
            self.assertGreater(time.monotonic() - began, 1.5)
            slow.socket.close()
        for name in ("job", "job_wait", "tool_call", "http_request"):
            self.assertLess(self.metric(url, f"ken_{name}_seconds_sum"), 120)
        stream.socket.close()

    # ---- the start ------------------------------------------------------------------------------

    def test_a_port_that_is_taken_is_said(self):
        _, url = self.serve(env=self.settings())
        port = url.rsplit(":", 1)[1]
        second = subprocess.run([lab.options.ken, "serve", "--port", port], text=True, capture_output=True, timeout=20,
                                env=dict(self.env, KEN_DATA_DIR=os.path.join(self.box.name, "other")))
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"server.port: {port} of 127.0.0.1 is in use", second.stderr)
        self.assertIn("--port", second.stderr)
        self.assertEqual(len(second.stderr.splitlines()), 1)
        self.is_well(url)


if __name__ == "__main__":
    lab.main("faults.py", "--faults")
