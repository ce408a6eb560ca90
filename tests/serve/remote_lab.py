# SPDX-License-Identifier: MIT
"""What the tests of remote repositories share: git http-backend behind a server, git daemon, and what is pushed to them."""
import base64
import http.server
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import lab
from lab import PATIENCE


DAY = 1760000000  # of the first commit


def start_daemon(folder, env=None):
    """A `git daemon` of the repositories in `folder`: its port, once it listens, and what ends it."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    daemon = subprocess.Popen(["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", "--export-all",
                               f"--base-path={folder}"], env=env, process_group=0, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    return port, lambda: (os.killpg(daemon.pid, signal.SIGTERM), daemon.wait())


class Backend(http.server.BaseHTTPRequestHandler):
    """git http-backend as CGI."""

    protocol_version = "HTTP/1.1"
    root, password = "", None
    seen = []
    before = staticmethod(lambda words: None)  # of each request: its path and body
    send = None  # how a body is sent; else at once

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self):
        body = self.read_body()
        type(self).seen.append(self.headers.get("Authorization"))
        if self.password:
            wanted = "Basic " + base64.b64encode(self.password.encode()).decode()
            if self.headers.get("Authorization") != wanted:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="here"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        self.before(self.path.encode() + b" " + body)
        path, _, query = self.path.partition("?")
        env = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": self.root, "GIT_HTTP_EXPORT_ALL": "1",
               "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
               "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
               "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")}
        out = subprocess.run(["git", "http-backend"], input=body, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             check=False).stdout
        head, _, rest = out.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(v.split()[0]) for k, v in fields if k == "Status"), 200)
        self.send_response(status)
        for key, value in fields:
            if key != "Status":
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if self.send:
            self.send(self.wfile, rest)
        else:
            self.wfile.write(rest)


class RemoteLab(unittest.TestCase):
    """A remote repository with one branch, served on loopback, and a ken with a data folder of its own."""

    before_ken = ()  # a program that starts ours

    def setUp(self):
        self.box = tempfile.mkdtemp()
        self.bare, self.work = os.path.join(self.box, "srv/shop.git"), os.path.join(self.box, "work")
        self.home = os.path.join(self.box, "home")
        os.makedirs(self.home)
        self.env = {"PATH": os.environ["PATH"], "HOME": self.home, "KEN_DATA_DIR": os.path.join(self.box, "data"),
                    "KEN_SYNC_PROTOCOLS": "https,http,git", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        self.git("init", "-q", "--bare", "-b", "main", self.bare, cwd=self.box)
        self.git("config", "uploadpack.allowFilter", "true", cwd=self.bare)
        os.makedirs(self.work)
        self.git("init", "-q", "-b", "main")
        self.n_commits = 0
        self.put("src/cart.py", "def add_to_cart(item):\n    return item\n")
        self.put("docs/read.md", "# Shop\n")
        self.push("one")
        self.servers = []

    def tearDown(self):
        for stop in self.servers:
            stop()
        shutil.rmtree(self.box)

    def git(self, *args, cwd=None):
        return lab.git(*args, cwd=cwd or self.work, env=self.env)

    def put(self, path, text):
        lab.put(self.work, path, text)

    def push(self, message, branch="main"):
        self.n_commits += 1  # a second apart: git counts no less
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, f"--date=@{DAY + self.n_commits}")
        self.git("push", "-q", "--force", self.bare, f"HEAD:refs/heads/{branch}")

    def serve_http(self, password=None, tls=None):
        handler = type("Handler", (Backend,), {"root": os.path.dirname(self.bare), "password": password, "seen": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.handle_error = lambda *_: None  # a client that went away
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(lambda: (server.shutdown(), server.server_close()))
        self.handler = handler
        return server.server_address[1]

    def serve_daemon(self):
        port, stop = start_daemon(os.path.dirname(self.bare), self.env)
        self.servers.append(stop)
        return port

    def ken(self, *args, code=0, env=None):
        done = subprocess.run([*self.before_ken, lab.options.ken, *args], cwd=self.box, env=dict(self.env, **(env or {})),
                              timeout=PATIENCE, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertNotIn("Sanitizer", done.stderr)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def ask(self, *args, **more):
        return json.loads(self.ken(*args, "--json", **more).stdout)

    def found(self, name):
        answer = self.ken("def", name, "--project", "shop", "--json", code=None)
        return answer.returncode == 0 and name in answer.stdout

    def start_server(self, **env):
        server = subprocess.Popen([lab.options.ken, "serve", "--port", "0", "--json"], env=dict(self.env, **env), cwd=self.box,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.servers.append(lambda: (server.terminate(), server.wait(PATIENCE), server.stdout.close()))
        return json.loads(server.stdout.readline())["url"]

    def post(self, url, body, **headers):
        request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json", **headers})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
