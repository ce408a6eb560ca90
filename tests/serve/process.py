#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ken serve as a process: what a service manager sees of it, and `ken mcp` beside it.

    process.py --ken build/dev/ken
"""
import ctypes
import json
import os
import signal
import socket
import subprocess
import threading
import urllib.error

import lab
from lab import PATIENCE, Mcp


class Process(lab.Serve):
    def connections(self):
        data = os.path.join(self.env["KEN_DATA_DIR"], "mcp.sock")
        with open("/proc/net/unix") as f:
            return sum(line.rstrip().endswith(data) for line in f)

    def test_mcp_is_answered_by_the_server_and_goes_on_without_it(self):
        server, url = self.serve()
        self.post(url, "index_repository", {"repo_path": self.folder})
        clients = [Mcp(self.folder, self.env) for _ in range(8)]
        for c in clients:
            c.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
            self.assertIn("alpha", str(c.call("search_code", query="alpha")))
        self.assertGreater(self.connections(), 1)  # one listens; on a busy machine some work alone
        server.send_signal(signal.SIGKILL)
        server.wait()
        for c in clients:
            self.assertIn("a.c:1", str(c.call("search_code", query="alpha")))
            self.assertEqual(c.close(), 0)

    def test_what_was_asked_of_a_server_that_ends_is_answered(self):
        server, url = self.serve()
        self.post(url, "index_repository", {"repo_path": self.folder})
        client = Mcp(self.folder, self.env)
        client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
        server.send_signal(signal.SIGSTOP)
        read = client.send("tools/call", {"name": "search_code", "arguments": {"query": "alpha"}})
        write = client.send("tools/call", {"name": "create_task", "arguments": {"title": "once"}})
        threading.Timer(0.3, lambda: server.send_signal(signal.SIGKILL)).start()
        answers = {a["id"]: a for a in (client.take(), client.take())}
        self.assertIn("a.c:1", str(answers[read]))
        self.assertIn("look before you repeat it", answers[write]["error"]["message"])
        self.assertNotIn("once", str(client.call("list_tasks")))
        self.assertEqual(client.close(), 0)

    def test_stats_say_what_caches_found(self):
        _, url = self.serve()
        self.post(url, "index_repository", {"repo_path": self.folder})
        for _ in range(3):
            self.post(url, "find_usages", {"symbol_name": "alpha"})
        caches = {c["name"]: c for c in self.post(url, "stats", {"format": "json"})["caches"]}
        self.assertGreaterEqual(caches["index"]["hits"], 2)
        self.assertGreater(caches["graph"]["hits"] + caches["graph"]["misses"], 0)
        self.assertGreater(caches["graph"]["bytes"], 0)
        alone = subprocess.run([lab.options.ken, "stats", "--json"], cwd=self.folder, env=self.env, capture_output=True)
        self.assertNotIn("caches", json.loads(alone.stdout))

    def test_a_process_with_other_settings_works_alone(self):
        _, url = self.serve()
        self.post(url, "index_repository", {"repo_path": self.folder})
        client = Mcp(self.folder, dict(self.env, KEN_SEARCH_LIMIT="3"))
        self.assertIn("alpha", str(client.call("search_code", query="alpha")))
        self.assertEqual(self.connections(), 1)
        self.assertEqual(client.close(), 0)

    def test_a_strict_sandbox_reads_known_projects_alone(self):
        if ctypes.CDLL(None).syscall(444, None, 0, 1) <= 0:  # landlock_create_ruleset: its version
            self.skipTest("this kernel has no Landlock")
        other = os.path.join(self.box.name, "other")
        os.makedirs(other)
        with open(os.path.join(other, "b.c"), "w") as f:
            f.write("int beta(void)\n{\n    return 2;\n}\n")
        subprocess.run([lab.options.ken, "index", self.folder], env=self.env, check=True, stdout=subprocess.DEVNULL)
        temporary = os.path.join(self.box.name, "tmp")  # which may be read and written
        os.makedirs(temporary)
        _, url = self.serve("--sandbox", "strict", env=dict(self.env, TMPDIR=temporary))
        self.assertIn("a.c", str(self.post(url, "search_code", {"query": "alpha", "project": self.folder})))
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.post(url, "index_repository", {"repo_path": other})
        self.assertNotIn("beta", refused.exception.read().decode())

    def test_one_server_for_one_data_folder(self):
        self.serve()
        second = subprocess.run([lab.options.ken, "serve", "--port", "0"], env=self.env, text=True,
                                capture_output=True, timeout=PATIENCE)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another ken serve", second.stderr)

    def test_sigterm_ends_it_and_frees_its_folder(self):
        for _ in range(2):
            server, url = self.serve()
            self.post(url, "list_projects", {})
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
        self.assertFalse([f for f in os.listdir(self.env["KEN_DATA_DIR"]) if f.endswith(".sock")])

    def test_a_service_manager_is_told(self):
        path = os.path.join(self.box.name, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(PATIENCE)
            server, _ = self.serve(env=dict(self.env, NOTIFY_SOCKET=path, WATCHDOG_USEC="200000"))
            self.assertEqual(manager.recv(100), b"READY=1")
            self.assertEqual(manager.recv(100), b"WATCHDOG=1")
            server.send_signal(signal.SIGHUP)
            told = {manager.recv(100) for _ in range(4)}
            self.assertIn(b"RELOADING=1", told)
            server.send_signal(signal.SIGTERM)
            while manager.recv(100) != b"STOPPING=1":
                pass
            self.assertEqual(server.wait(PATIENCE), 0)

    def test_a_socket_that_was_passed_is_taken(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
            fd = listener.detach()

            # The pid is known in the child alone, so a shell says it.
            p = subprocess.Popen(["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" serve --json', lab.options.ken],
                                 env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 close_fds=False, preexec_fn=lambda: (os.dup2(fd, 3), os.set_inheritable(3, True)))
            os.close(fd)
            self.processes.append(p)
            self.assertTrue(json.loads(p.stdout.readline())["url"].endswith(f":{port}"))
            self.assertEqual(self.post(f"http://127.0.0.1:{port}", "list_projects", {})["projects"], [])


if __name__ == "__main__":
    lab.main("process.py")
