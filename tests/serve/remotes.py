#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Remote repositories over real transports: git http-backend behind a server, with and without TLS and a password,
and git daemon. All on loopback.

    remotes.py --ken build/dev/ken
"""
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import time

import lab
from lab import PATIENCE
from remote_lab import RemoteLab

SECRET = "hook secret"


class Remotes(RemoteLab):
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
        # One that follows the default is not held on the branch that is it now.
        refused = self.ken("repo", "add", url, "--branch", "main", code=1).stderr
        self.assertIn("project 'shop' has this url with the same branch", refused)
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
        port = self.serve_daemon()
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
