#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Remote repositories over real transports: git http-backend behind a server, with and without TLS and a password,
and git daemon. All on loopback.

    remotes.py --ken build/dev/ken
"""
import base64
import hashlib
import hmac
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

SECRET = "hook secret"


class Backend(http.server.BaseHTTPRequestHandler):
    """git http-backend as CGI."""

    protocol_version = "HTTP/1.1"
    root, password = "", None
    seen = []

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
        path, _, query = self.path.partition("?")
        env = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": self.root, "GIT_HTTP_EXPORT_ALL": "1",
               "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
               "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
               "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")}
        out = subprocess.run(["git", "http-backend"], input=body, env=env, stdout=subprocess.PIPE, check=False).stdout
        head, _, rest = out.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(v.split()[0]) for k, v in fields if k == "Status"), 200)
        self.send_response(status)
        for key, value in fields:
            if key != "Status":
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest)


class Remotes(unittest.TestCase):
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
        self.put("src/cart.py", "def add_to_cart(item):\n    return item\n")
        self.put("docs/read.md", "# Shop\n")
        self.push("one")
        self.servers = []

    def tearDown(self):
        for stop in self.servers:
            stop()
        shutil.rmtree(self.box)

    def git(self, *args, cwd=None):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *args], cwd=cwd or self.work,
                       check=True, env=self.env, stdout=subprocess.DEVNULL)

    def put(self, path, text):
        full = os.path.join(self.work, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
            f.write(text)

    def push(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        self.git("push", "-q", "--force", self.bare, "HEAD:refs/heads/main")

    def serve_http(self, password=None, tls=None):
        handler = type("Handler", (Backend,), {"root": os.path.dirname(self.bare), "password": password, "seen": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(lambda: (server.shutdown(), server.server_close()))
        self.handler = handler
        return server.server_address[1]

    def ken(self, *args, code=0, env=None):
        done = subprocess.run([lab.options.ken, *args], cwd=self.box, env=dict(self.env, **(env or {})), timeout=PATIENCE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def ask(self, *args, **more):
        return json.loads(self.ken(*args, "--json", **more).stdout)

    def found(self, name):
        answer = self.ken("def", name, "--project", "shop", "--json", code=None)
        return answer.returncode == 0 and name in answer.stdout

    def test_a_repository_is_added_followed_and_removed(self):
        port = self.serve_http()
        added = self.ask("repo", "add", f"http://127.0.0.1:{port}/shop.git")
        self.assertEqual(added["status"], "synced")
        self.assertEqual(added["remote"]["branch"], "main")
        self.assertTrue(self.found("add_to_cart"))

        self.put("src/pay.py", "def pay_now():\n    return 1\n")
        self.git("mv", "src/cart.py", "src/basket.py")
        self.git("rm", "-q", "docs/read.md")
        self.push("two")
        synced = self.ask("repo", "sync", "shop")
        self.assertEqual(synced["added"], ["src/pay.py"])
        self.assertEqual(synced["deleted"], ["docs/read.md"])
        self.assertEqual(synced["renamed"], [{"old": "src/cart.py", "new": "src/basket.py"}])
        self.assertEqual((synced["modified"], synced["total"]), ([], 3))
        self.assertTrue(self.found("pay_now"))
        self.assertEqual(self.ask("repo", "sync", "shop")["status"], "up_to_date")

        [row] = self.ask("repo", "list")["repositories"]
        self.assertEqual((row["state"], row["commit"], row["failures"]), ("synced", synced["to_commit"], 0))
        status = self.ask("status", row["project"]["root"])
        self.assertEqual((status["branch"], status["remote"]["url"]), ("main", row["url"]))
        self.ken("repo", "remove", "shop", code=2)
        self.ken("repo", "remove", "shop", "--yes")
        self.assertFalse(os.path.exists(row["project"]["root"]))
        self.assertEqual(self.ask("repo", "list")["total"], 0)

    def test_without_a_branch_the_default_is_meant_whatever_it_becomes(self):
        self.git("push", "-q", self.bare, "HEAD:refs/heads/dev")
        url = f"http://127.0.0.1:{self.serve_http()}/shop.git"
        self.assertEqual(self.ask("repo", "add", url, "--branch", "dev", "--name", "dev")["remote"]["branch"], "dev")
        added = self.ask("repo", "add", url)
        self.assertEqual((added["remote"]["branch"], added["project"]["name"]), ("main", "shop"))
        self.assertEqual(self.ask("repo", "add", url)["status"], "up_to_date")
        self.assertEqual(self.ask("repo", "list")["total"], 2)

        self.put("src/pay.py", "def pay_now():\n    return 1\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "two")
        self.git("push", "-q", self.bare, "HEAD:refs/heads/trunk")
        self.git("symbolic-ref", "HEAD", "refs/heads/trunk", cwd=self.bare)
        self.git("update-ref", "-d", "refs/heads/main", cwd=self.bare)
        synced = self.ask("repo", "sync", "shop")
        self.assertEqual((synced["remote"]["branch"], synced["added"]), ("trunk", ["src/pay.py"]))
        self.assertTrue(self.found("pay_now"))

    def test_the_history_of_a_clone_is_fetched_or_said_to_be_missing(self):
        for i in range(3):
            self.put("src/cart.py", f"def add_to_cart(item):\n    return item + {i}\n")
            self.push(f"change {i}")
        url = f"http://127.0.0.1:{self.serve_http()}/shop.git"
        self.ken("repo", "add", url)
        [found] = self.ask("search", "add_to_cart", "--project", "shop", "--history", "-k", "1")["results"]
        self.assertNotIn("last", found["history"])
        self.assertIn("a shallow clone: 2 lines", found["history"]["reason"])
        self.ken("repo", "add", url, "--depth", "0")
        [found] = self.ask("search", "add_to_cart", "--project", "shop", "--history", "-k", "1")["results"]
        self.assertEqual((found["history"]["last"]["subject"], found["history"]["commits"]), ("change 2", 2))
        self.assertNotIn("reason", found["history"])
        status = self.ask("status", "--project", "shop")
        self.assertEqual((status["upstream"], status["ahead"], status["behind"]), ("origin/main", 0, 0))

    def test_a_data_folder_that_was_moved_harms_no_folder(self):
        port = self.serve_http()
        added = self.ask("repo", "add", f"http://127.0.0.1:{port}/shop.git")
        data, moved = self.env["KEN_DATA_DIR"], os.path.join(self.box, "moved")
        shutil.copytree(data, moved, symlinks=True)
        self.env["KEN_DATA_DIR"] = moved
        self.assertIn("data folder was moved", self.ken("repo", "sync", "shop", code=1).stderr)
        self.ken("repo", "remove", "shop", "--yes")
        self.assertTrue(os.path.exists(added["project"]["root"] + "/src/cart.py"))
        self.assertEqual(self.ask("repo", "list")["total"], 0)

    def test_a_local_folder_is_indexed_and_left_alone(self):
        self.ken("index", self.work)
        head = os.path.join(self.work, ".git/HEAD")
        before = os.stat(head).st_mtime_ns
        self.assertEqual(self.ask("repo", "sync", "work")["status"], "indexed")
        self.assertEqual(os.stat(head).st_mtime_ns, before)
        self.assertIn("folder of yours", self.ken("repo", "remove", "work", "--yes", code=1).stderr)
        self.assertIn("no project 'none'", self.ken("repo", "remove", "none", "--yes", code=1).stderr)

    def test_what_is_not_there_and_what_fails(self):
        port = self.serve_http()
        self.assertIn("not found", self.ken("repo", "add", f"http://127.0.0.1:{port}/none.git", code=1).stderr)
        self.assertEqual(self.ask("repo", "list")["total"], 0)
        self.assertIn("branch", self.ken("repo", "add", f"http://127.0.0.1:{port}/shop.git", "--branch", "no..pe",
                                         code=2).stderr)
        self.assertIn("nope", self.ken("repo", "add", f"http://127.0.0.1:{port}/shop.git", "--branch", "nope",
                                       code=1).stderr)
        wrong = self.ken("repo", "add", f"http://u:hunter2@127.0.0.1:{port}/shop.git", code=2)
        self.assertNotIn("hunter2", wrong.stdout + wrong.stderr)
        for url in ("ext::sh -c touch% x", "file:///etc", "--upload-pack=x", "ssh://-oProxyCommand=x/y"):
            self.assertIn(self.ken("repo", "add", "--", url, code=None).returncode, (1, 2))

        self.ken("repo", "add", f"http://127.0.0.1:{port}/shop.git", "--branch", "main")
        self.servers.pop()()
        self.assertIn("git fetch failed", self.ken("repo", "sync", "shop", code=1).stderr)
        self.assertTrue(self.found("add_to_cart"))
        [row] = self.ask("repo", "list")["repositories"]
        self.assertEqual((row["state"], row["failures"]), ("failing", 1))
        self.assertIn("git fetch failed", row["error"])

    def test_git_daemon_and_a_part_of_the_tree(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        daemon = subprocess.Popen(["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", "--export-all",
                                   f"--base-path={os.path.dirname(self.bare)}"], env=self.env, process_group=0,
                                  stderr=subprocess.DEVNULL)
        self.servers.append(lambda: (os.killpg(daemon.pid, signal.SIGTERM), daemon.wait()))
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        added = self.ask("repo", "add", f"git://127.0.0.1:{port}/shop.git", "--sparse", "/src/", "--name", "shop")
        self.assertEqual(added["files_indexed"], 1)
        root = added["project"]["root"]
        self.assertEqual(sorted(os.listdir(root)), [".git", "src"])

    def test_a_token_of_the_environment_goes_to_its_host_alone(self):
        pem = os.path.join(self.box, "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", pem, "-out", pem + ".crt",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                       check=True, stderr=subprocess.DEVNULL)
        with open(pem, "a") as f, open(pem + ".crt") as crt:
            f.write(crt.read())
        port = self.serve_http(password="x-access-token:s3cret-value", tls=pem)
        url = f"https://localhost:{port}/shop.git"
        trust = {"GIT_SSL_CAINFO": pem + ".crt"}
        refused = json.loads(self.ken("repo", "add", url, "--json", code=1, env=trust).stdout)
        self.assertEqual(refused["error"]["code"], "EPERM")
        other = dict(trust, KEN_GIT_TOKEN_EXAMPLE_ORG="s3cret-value")
        self.ken("repo", "add", url, code=1, env=other)
        self.assertFalse([a for a in self.handler.seen if a])
        self.ken("repo", "add", url, env=dict(trust, **{f"KEN_GIT_TOKEN_LOCALHOST_{port}": "s3cret-value"}))
        self.assertTrue(self.found("add_to_cart"))
        for folder, _, files in os.walk(self.env["KEN_DATA_DIR"]):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(b"s3cret-value", f.read(), name)

    def test_a_helper_of_the_user_gives_the_password(self):
        with open(os.path.join(self.home, ".gitconfig"), "w") as f:
            f.write('[credential]\n\thelper = "!f() { echo username=u; echo password=p4ss; }; f"\n')
        port = self.serve_http(password="u:p4ss")
        self.ken("repo", "add", f"http://127.0.0.1:{port}/shop.git")
        self.assertTrue(self.found("add_to_cart"))

    def test_a_clone_that_was_killed_is_taken_up(self):
        for i in range(300):
            self.put(f"src/m{i}.py", f"def f{i}():\n    return {i}\n" * 20)
        self.push("many")
        port = self.serve_http()
        for wait in (0.05, 0.15, 0.3, 0.6):
            p = subprocess.Popen([lab.options.ken, "repo", "add", f"http://127.0.0.1:{port}/shop.git"], env=self.env, cwd=self.box,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(wait)
            p.kill()
            p.wait()
        added = self.ask("repo", "add", f"http://127.0.0.1:{port}/shop.git")
        self.assertEqual(added["files_indexed"], 302)
        self.assertEqual(self.ask("repo", "list")["total"], 1)

    def start_server(self, **env):
        server = subprocess.Popen([lab.options.ken, "serve", "--port", "0", "--json"], env=dict(self.env, **env), cwd=self.box,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.servers.append(lambda: (server.terminate(), server.wait(PATIENCE), server.stdout.close()))
        return json.loads(server.stdout.readline())["url"]

    def post(self, url, body, **headers):
        request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json", **headers})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def wait_until_found(self, name):
        until = time.monotonic() + PATIENCE
        while not self.found(name):
            self.assertLess(time.monotonic(), until, f"'{name}' was not found in time")
            time.sleep(0.2)

    def test_a_push_and_the_time_make_a_server_sync(self):
        port = self.serve_http()
        url = self.start_server(GITHUB_WEBHOOK_SECRET=SECRET)
        self.post(f"{url}/api/v1/add_repository", json.dumps({"url": f"http://127.0.0.1:{port}/shop.git",
                                                               "interval_seconds": 0}).encode())
        self.put("src/pay.py", "def pay_by_card():\n    return 1\n")
        self.push("two")
        body = json.dumps({"ref": "refs/heads/main", "repository": {"full_name": "shop"}}).encode()
        sign = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        answer = self.post(f"{url}/webhook/github", body, **{"X-Hub-Signature-256": sign, "X-GitHub-Event": "push"})
        self.assertEqual((answer["status"], answer["job"]["kind"]), ("queued", "sync"))
        self.wait_until_found("pay_by_card")

        self.put("src/refund.py", "def refund_all():\n    return 2\n")
        self.push("three")
        self.ken("repo", "add", f"http://127.0.0.1:{port}/shop.git", "--interval", "1")
        self.put("src/void.py", "def void_payment():\n    return 3\n")
        self.push("four")
        self.wait_until_found("void_payment")


    def test_a_question_to_ken_mcp_starts_a_sync_that_is_due(self):
        port = self.serve_http()
        added = self.ask("repo", "add", f"http://127.0.0.1:{port}/shop.git", "--interval", "1")
        self.put("src/refund.py", "def refund_all():\n    return 2\n")
        self.push("two")
        mcp = lab.Mcp(added["project"]["root"], self.env)
        self.servers.append(mcp.close)
        mcp.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                               "clientInfo": {"name": "t", "version": "1"}})
        until = time.monotonic() + PATIENCE
        while "refund.py" not in json.dumps(mcp.call("search_code", query="refund_all")):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.2)


if __name__ == "__main__":
    lab.main("remotes.py")
