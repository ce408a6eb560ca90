#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A PostgreSQL database in the place of files: the same answers, and several servers at one database."""
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

import lab
import pg_lab
from lab import options, put
from pg_lab import HERE, URL, sql


def lab_figures(answer):
    """NDCG@10 and the first relevant place of each question and category; no times."""
    found = {}

    def walk(value, path):
        if isinstance(value, dict):
            for k, v in value.items():
                walk(v, f"{path}{k}.")
        elif isinstance(value, list):
            for i, v in enumerate(value):
                walk(v, f"{path}{i}.")
        elif "ndcg" in path or "rank" in path:
            found[path.rstrip(".")] = value

    walk(answer, "")
    return dict(found, ndcg=max(v for k, v in found.items() if "ndcg" in k))


class Postgres(pg_lab.Postgres):
    def comes_back(self):
        """After a database was away."""

    def test_answers_are_those_of_files(self):
        changes = os.path.join(HERE, "..", "freshness", "changes.py")
        p = subprocess.run([sys.executable, changes, "--ken", options.ken, "--changes", "12", "--database", self.url],
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200)
        self.assertEqual(p.returncode, 0, p.stdout[-4000:])

    def test_servers_may_share_a_data_folder(self):
        """Replicas with one volume, as packaging/ has them."""
        (one, first), (_, second), (_, third) = (self.serve() for _ in range(3))
        self.post(first, "index_repository", {"path": self.folder})
        task = self.post(second, "create_task", {"title": "shared"})["id"]
        one.terminate()
        one.wait(30)
        for url in (second, third):
            self.assertEqual(self.post(url, "search_code", {"query": "alpha", "project": self.folder})["results"][0]["symbol_name"],
                             "alpha")
            self.assertEqual(self.post(url, "get_task", {"task_id": task})["title"], "shared")
        self.post(self.serve()[1], "get_task", {"task_id": task})  # in the place of the first

    def test_servers_share_projects_and_tasks(self):
        first, second = (self.serve(env=self.elsewhere(n))[1] for n in (1, 2))
        self.post(first, "index_repository", {"path": self.folder})
        found = [self.post(url, "search_code", {"query": "alpha", "project": self.folder})["results"]
                 for url in (first, second)]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0][0]["symbol_name"], "alpha")
        put(self.folder, "b.c", "int beta(void)\n{\n    return alpha();\n}\n")
        for url in (second, first):  # who is asked brings it up to date, for both
            answer = self.post(url, "search_code", {"query": "beta", "project": self.folder})
            self.assertEqual(answer["results"][0]["symbol_name"], "beta")
        made = [self.post(url, "create_task", {"title": f"task {i}"}) for i in range(6) for url in (first, second)]
        listed = [self.post(url, "list_tasks", {"limit": 100})["tasks"] for url in (first, second)]
        self.assertEqual(listed[0], listed[1])
        self.assertEqual({t["id"] for t in listed[0]}, {t["id"] for t in made})
        self.assertEqual(sql(self.url, "SELECT count(*) FROM ken.tasks").strip(), "12")

    def agent(self, url, method, **params):
        """What an agent is answered over MCP, in the stateless era."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        heads = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                 "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": params.get("name", "")}
        request = urllib.request.Request(f"{url}/mcp", json.dumps(body).encode(), {k: v for k, v in heads.items() if v})
        try:
            with urllib.request.urlopen(request, timeout=lab.PATIENCE) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as e:
            with e:
                return e.read().decode()

    def test_a_tool_that_is_switched_off_is_so_on_every_server_and_stays_so(self):
        (one, first), (_, second) = (self.serve(env=self.elsewhere(n)) for n in (1, 2))

        def offers(url):
            return '"name":"outline"' in self.agent(url, "tools/list")

        self.assertTrue(offers(first) and offers(second))
        self.post(first, "tools", {"name": "outline", "is_enabled": False})
        self.assertFalse(offers(first))
        self.wait_until(lambda: not offers(second), "the other server does not see it")
        self.assertIn("switched off", self.agent(second, "tools/call", name="outline", arguments={}))
        one.terminate()
        one.wait(lab.PATIENCE)
        third = self.serve(env=self.elsewhere(1))[1]
        self.assertFalse(offers(third))
        self.assertTrue('"name":"search_code"' in self.agent(third, "tools/list"))
        self.post(second, "tools", {"name": "outline", "is_enabled": True})
        self.wait_until(lambda: offers(third), "that it is on again is not seen")

    def test_sizes_by_generation_outlive_the_server(self):
        process, url = self.serve()
        self.post(url, "index_repository", {"path": self.folder})
        put(self.folder, "b.py", "def beta():\n    return 1\n")
        self.post(url, "index_repository", {"path": self.folder})
        process.terminate()
        process.wait(lab.PATIENCE)
        answer = json.loads(self.get(self.serve()[1], f"/api/v1/history?project={self.folder}"))
        first, now = answer["generations"]
        self.assertEqual((first["files"], now["files"]), (1, 2))
        self.assertEqual(now["languages"], [{"language": "python", "files": 1, "bytes": 25}, {"language": "c", "files": 1,
                                            "bytes": first["bytes"]}])
        self.assertGreater(now["segment_bytes"], 0)
        self.assertLess(first["at"], now["at"])

    def test_a_search_over_several_projects_is_that_of_files(self):
        folders = [os.path.join(self.box.name, f"several{i}") for i in range(12)]
        for i, folder in enumerate(folders):
            put(folder, "src/fruit.c", f"// Counts the fruit of basket {i}.\nint fruit_{i}(int a)\n{{\n    return a;\n}}\n")
            put(folder, "src/tree.c", f"// Waters tree {i} where fruit grows.\nint water_{i}(void)\n{{\n    return {i};\n}}\n")
        files = {k: v for k, v in self.env.items() if k != "DATABASE_URL"}
        answers = []
        # Few connections, and a question to more projects than there are.
        for env in (files, dict(self.elsewhere(1), KEN_DATABASE_POOL_SIZE="4", KEN_DATABASE_MAX_OVERFLOW="2")):
            url = self.serve(env=env)[1]
            for folder in folders:
                self.post(url, "index_repository", {"path": folder})
            answers.append([self.post(url, "search_code", {"query": query, "project": project, "limit": 20, **more})
                            for query, project, more in (
                                ("count fruit", "*", {}), ("fruit_7", "*", {}), ("water trees", "several3,several5", {}),
                                ("fruit", "*", {"search_type": "symbol"}), ("basket 4", "*", {"search_type": "text"}))])
        self.assertEqual(*answers)
        self.assertEqual([a["projects_searched"] for a in answers[1]], [12, 12, 2, 12, 12])
        self.assertEqual(answers[1][1]["results"][0]["project"], "several7")
        # A question sees what was saved a moment before, in whichever project.
        put(folders[9], "src/new.c", "// Picks the medlars.\nint medlars(void)\n{\n    return 1;\n}\n")
        answer = self.post(url, "search_code", {"query": "medlars", "project": "*"})
        self.assertEqual(answer["results"][0]["project"], "several9")
        self.assertNotIn("projects_incomplete", answer)
        # One whose index is gone costs its own results.
        name = "index_id IN (SELECT id FROM ken.index ORDER BY id LIMIT 1)"
        sql(self.url, f"UPDATE ken.segment_block SET data = 'x' WHERE {name}")
        url = self.serve(env=self.elsewhere(2))[1]
        answer = self.post(url, "search_code", {"query": "count fruit", "project": "*"})
        self.assertEqual(answer["projects_searched"], 11)
        self.assertEqual([p["project"] for p in answer["projects_left_out"]], ["several0"])

    def test_vectors_are_rows_for_pgvector(self):
        for i in range(40):
            put(self.folder, f"src/f{i}.c", f"// Counts the fruit of basket {i}.\nint fruit_{i}(int a)\n{{\n    return a + {i};\n}}\n")
        on = dict(KEN_DATABASE_VECTORS="on")
        self.assertEqual(self.ken("index")[0], 0)
        plain = self.ken("search", "count fruit", "--json")[1]
        self.assertEqual(sql(self.url, "SELECT to_regclass('ken.embeddings') IS NULL").strip(), "t")
        self.assertEqual(self.ken("index", "--force", **on)[0], 0)
        self.assertEqual(json.loads(self.ken("search", "count fruit", "--json", **on)[1])["results"],
                         json.loads(plain)["results"])
        rows = "SELECT count(*) FROM ken.embeddings"
        n = int(sql(self.url, rows))
        self.assertGreaterEqual(n, 40)
        self.assertEqual(sql(self.url, "SELECT n_dims, ken.embeddings_type() FROM ken.embedding_models").strip(), "192|halfvec")
        self.assertEqual(sql(self.url, "SELECT count(*) FROM ken.embeddings WHERE l2_norm(embedding) = 0").strip(), "0")
        # They go with their contents, and come with new ones.
        os.remove(os.path.join(self.folder, "src/f3.c"))
        put(self.folder, "src/new.c", "// Picks the medlars.\nint medlars(void)\n{\n    return 1;\n}\n")
        self.assertEqual(self.ken("index", **on)[0], 0)
        self.assertEqual(sql(self.url, "SELECT count(*) FROM ken.embeddings e WHERE NOT EXISTS (SELECT FROM ken.content c WHERE "
                                       "c.index_id = e.index_id AND c.id = e.content_id)").strip(), "0")
        # The schema is still what the program made, and doctor says what there is.
        sql(self.url, "SELECT ken.index_embeddings(id, 'halfvec'), ken.measure_recall(id, 10) FROM ken.embedding_models")
        code, out, _ = self.ken("doctor", **on)
        self.assertEqual(code, 0, out)
        self.assertIn("pgvector 0.", out)
        self.assertIn("recall@10 ", out)
        for kind in ("bit", "halfvec"):
            recall = sql(self.url, f"SELECT ken.index_embeddings(1, '{kind}'), ken.measure_recall(1, 20)").strip().split("|")[1]
            self.assertGreaterEqual(float(recall), 0.9, kind)
        # Another model has rows of its own, and its own dimensions.
        other = sql(self.url, "INSERT INTO ken.embedding_models (name, n_dims) VALUES ('other', 3) RETURNING id").strip()
        sql(self.url, f"INSERT INTO ken.embeddings SELECT index_id, content_id, chunk, {other}, '[1,2,3]'::halfvec FROM ken.embeddings")
        sql(self.url, f"SELECT ken.index_embeddings({other}, 'halfvec')")
        near = f"SELECT count(*) FROM ken.near({other}, '[1,2,3]', 5) WHERE distance < 0.01"
        self.assertEqual(sql(self.url, near).strip(), "5")
        self.assertGreaterEqual(float(sql(self.url, "SELECT ken.measure_recall(1, 20)")), 0.9)
        # A wrong dimension names both.
        sql(self.url, "UPDATE ken.embedding_models SET n_dims = 384 WHERE id = 1")
        put(self.folder, "src/more.c", "// Weighs the quinces.\nint quinces(void)\n{\n    return 1;\n}\n")
        code, out, err = self.ken("index", **on)
        self.assertNotEqual(code, 0)
        self.assertIn("384", err)
        self.assertIn("192", err)
        # Without the extension it is said, and the segments answer.
        sql(self.url, "DROP EXTENSION vector CASCADE")
        auto = dict(KEN_DATABASE_VECTORS="auto")
        code, out, _ = self.ken("doctor", **auto)
        self.assertIn("pgvector is not installed", out)
        self.assertEqual(self.ken("index", **auto)[0], 0)
        self.assertIn("quinces", self.ken("search", "weigh quinces", **auto)[1])
        self.assertEqual(self.ken("projects", "remove", self.folder, "--yes")[0], 0)

    def test_runs_write_vectors_while_hnsw_is_built(self):
        on = dict(self.elsewhere(1), KEN_DATABASE_VECTORS="on")
        self.assertEqual(self.ken("index", **on)[0], 0)
        # A model with as many rows as a server builds the index for, and one writer that does not end.
        other = sql(self.url, "INSERT INTO ken.embedding_models (name, n_dims) VALUES ('other', 8) RETURNING id").strip()
        sql(self.url, f"""INSERT INTO ken.embeddings SELECT c.index_id, c.id, i, {other}, (SELECT array_agg(random() + 0 * (d + i))
            FROM generate_series(1, 8) d)::vector::halfvec FROM (SELECT index_id, id FROM ken.content LIMIT 1) c,
            generate_series(1, 20000) i""")
        writer = subprocess.Popen([pg_lab.program("psql"), "-qAt", self.url], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE)
        self.processes.append(writer)
        writer.stdin.write("BEGIN; LOCK TABLE ken.embeddings IN ROW EXCLUSIVE MODE; SELECT 'held';\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), "held\n")
        url = self.serve(env=on)[1]
        put(self.folder, "b.c", "int beta(void)\n{\n    return 2;\n}\n")
        self.post(url, "index_repository", {"path": self.folder})
        is_at_work = lambda: sql(self.url, "SELECT count(*) FROM pg_stat_progress_create_index "
                                               "WHERE datname = current_database()").strip() == "1"
        self.wait_until(is_at_work, "nobody builds")
        indexed = lambda: sql(self.url, f"SELECT indexed_at IS NOT NULL AND recall > 0.8 FROM ken.embedding_models "
                                        f"WHERE id = {other}").strip()
        # Runs of another process, and of the server that builds, commit their vectors meanwhile.
        rows = lambda: int(sql(self.url, f"SELECT count(*) FROM ken.embeddings WHERE model_id <> {other}"))
        for i, run in enumerate((lambda: self.assertEqual(self.ken("index", **on)[0], 0),
                                 lambda: self.post(url, "index_repository", {"path": self.folder}))):
            n = rows()
            put(self.folder, f"new{i}.c", f"// Picks the medlars.\nint medlars_{i}(void)\n{{\n    return {i};\n}}\n")
            run()
            self.assertGreater(rows(), n)
            self.assertTrue(is_at_work())
        # A second server leaves the building to the first.
        second = self.serve(env=dict(self.elsewhere(2), KEN_DATABASE_VECTORS="on"))[1]
        put(self.folder, "new2.c", "int quinces(void)\n{\n    return 2;\n}\n")
        self.post(second, "index_repository", {"path": self.folder})
        self.assertTrue(is_at_work())
        self.assertEqual(indexed(), "f")
        writer.stdin.write("COMMIT;\n")
        writer.stdin.close()
        self.wait_until(lambda: indexed() == "t", "it was not built", 120)
        parts = f"SELECT count(*), bool_and(i.indisvalid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid " \
                f"WHERE c.relname LIKE 'embeddings\\_hnsw\\_{other}\\_%'"
        self.assertEqual(sql(self.url, parts).strip(), "16|t")
        near = f"EXPLAIN SELECT * FROM ken.embeddings WHERE model_id = {other} ORDER BY embedding::halfvec(8) <=> '[1,1,1,1,1,1,1,1]'" \
               " LIMIT 5"
        self.assertIn(f"embeddings_hnsw_{other}_halfvec_", sql(self.url, near))
        # One that was ended in the middle is made anew, and by hand psql runs the same statements.
        sql(self.url, f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ken.embeddings_hnsw_{other}_halfvec_03'::regclass")
        steps = f"SELECT ken.index_steps({other}, 'halfvec')"
        self.assertEqual(len(sql(self.url, steps).splitlines()), 3)
        subprocess.run([pg_lab.program("psql"), "-qAt", "-v", "ON_ERROR_STOP=1", self.url], input=steps + " \\gexec\n", text=True,
                       check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(sql(self.url, steps), "")
        self.assertEqual(sql(self.url, parts).strip(), "16|t")

    def test_a_server_that_ends_does_not_wait_for_hnsw(self):
        on = dict(self.elsewhere(1), KEN_DATABASE_VECTORS="on")
        self.assertEqual(self.ken("index", **on)[0], 0)
        other = sql(self.url, "INSERT INTO ken.embedding_models (name, n_dims) VALUES ('other', 2) RETURNING id").strip()
        sql(self.url, f"""INSERT INTO ken.embeddings SELECT c.index_id, c.id, i, {other}, '[1,2]'::halfvec
            FROM (SELECT index_id, id FROM ken.content LIMIT 1) c, generate_series(1, 20000) i""")
        writer = subprocess.Popen([pg_lab.program("psql"), "-qAt", self.url], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE)
        self.processes.append(writer)
        writer.stdin.write("BEGIN; LOCK TABLE ken.embeddings IN ROW EXCLUSIVE MODE; SELECT 'held';\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), "held\n")
        process, url = self.serve(env=on)
        put(self.folder, "b.c", "int beta(void)\n{\n    return 2;\n}\n")
        self.post(url, "index_repository", {"path": self.folder})
        at_work = "SELECT count(*) FROM pg_stat_progress_create_index WHERE datname = current_database()"
        self.wait_until(lambda: sql(self.url, at_work).strip() == "1", "nobody builds")
        process.terminate()
        self.assertEqual(process.wait(10), 0)
        self.wait_until(lambda: sql(self.url, at_work).strip() == "0", "it goes on")
        writer.stdin.close()

    def test_nothing_but_locks_is_in_the_data_folder(self):
        self.assertEqual(self.ken("index")[0], 0)
        self.assertEqual(self.ken("search", "alpha")[0], 0)
        left = [f for _, _, files in os.walk(self.env["KEN_DATA_DIR"]) for f in files if not f.endswith(".lock")]
        self.assertEqual(left, [])

    def test_files_of_models_lie_in_the_data_folder(self):
        put(self.box.name, "m/model.onnx", "x")
        put(self.box.name, "m/vocab.txt", "[UNK]\n")
        code, out, err = self.ken("model", "add", "mine", "--source", os.path.join(self.box.name, "m/model.onnx"),
                                  "--tokenizer", os.path.join(self.box.name, "m/vocab.txt"), "--json")
        self.assertEqual(code, 0, err)
        self.assertIn(os.path.join(self.env["KEN_DATA_DIR"], "models", "mine", "model.onnx"), out)
        self.assertEqual(os.listdir(self.folder), ["a.c"])

    def test_a_removed_project_leaves_nothing(self):
        self.assertEqual(self.ken("index", KEN_DATABASE_VECTORS="on")[0], 0)
        self.assertEqual(sql(self.url, "SELECT count(*) FROM ken.index").strip(), "1")
        self.assertNotEqual(sql(self.url, "SELECT count(*) FROM ken.embeddings").strip(), "0")
        self.assertEqual(self.ken("projects", "remove", self.folder, "--yes")[0], 0)
        for table in ("index", "content", "file", "segment", "segment_block", "tree", "projects", "embeddings"):
            self.assertEqual(sql(self.url, f"SELECT count(*) FROM ken.{table}").strip(), "0", table)

    def test_connections_that_are_ended_cost_no_answer(self):
        url = self.serve()[1]
        self.post(url, "index_repository", {"path": self.folder})
        for _ in range(5):
            sql(self.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                          "WHERE datname = current_database() AND pid <> pg_backend_pid()")
            answer = self.post(url, "search_code", {"query": "alpha", "project": self.folder})
            self.assertEqual(answer["results"][0]["symbol_name"], "alpha")

    def test_a_database_that_is_away_is_told_and_nothing_is_said_to_be_gone(self):
        self.assertEqual(self.ken("index")[0], 0)
        client = lab.Mcp(self.folder, self.env)
        client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                  "clientInfo": {"name": "test", "version": "1"}})
        ask = lambda tool, **arguments: json.dumps(client.call(tool, **arguments)["result"])
        self.assertIn("alpha", ask("search_code", query="alpha"))
        self.assertNotIn('"isError": true', ask("checkpoint_list"))
        sql(URL, f"ALTER DATABASE {self.name} ALLOW_CONNECTIONS false")
        sql(URL, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'")
        for tool, arguments in (("search_code", {"query": "alpha"}), ("checkpoint_list", {})):
            answer = ask(tool, **arguments)
            self.assertIn('"isError": true', answer)
            self.assertIn(self.name, answer)
            for word in ("removed", "replaced", "not indexed", "damaged"):
                self.assertNotIn(word, answer)
        code, out, _ = self.ken("doctor")
        self.assertNotEqual(code, 0)
        self.assertIn(self.name, out)
        sql(URL, f"ALTER DATABASE {self.name} ALLOW_CONNECTIONS true")
        self.comes_back()
        self.assertIn("alpha", ask("search_code", query="alpha"))
        client.close()
        code, out, _ = self.ken("doctor")
        self.assertEqual(code, 0, out)
        self.assertIn("schema version", out)

    def test_a_commit_is_asked_about_and_kept(self):
        lab.git("init", "-q", "-b", "main", cwd=self.folder)
        lab.git("add", "-A", cwd=self.folder)
        lab.git("commit", "-q", "-m", "one", cwd=self.folder)
        put(self.folder, "a.c", "int gamma(void)\n{\n    return 3;\n}\n")
        self.assertEqual(self.ken("index")[0], 0)
        for _ in range(2):
            code, out, err = self.ken("def", "alpha", "--at", "HEAD")
            self.assertEqual(code, 0, err)
            self.assertIn("a.c:1", out)
        trees = "SELECT count(*) FROM ken.tree WHERE project IS NOT NULL"
        self.assertEqual(sql(self.url, trees).strip(), "1")
        put(self.folder, "b.c", "int delta(void)\n{\n    return 4;\n}\n")
        self.assertIn("b.c:1", self.ken("def", "delta")[1])
        self.assertEqual(sql(self.url, trees).strip(), "1")

    def test_every_key_of_an_index_has_the_index(self):
        """So the tables can be spread by it (packaging/citus.sql)."""
        self.assertEqual(self.ken("projects")[0], 0)
        of_index = """WITH of_index AS (
            SELECT c.oid, c.relname, a.attnum FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'index_id' AND NOT a.attisdropped
                WHERE n.nspname = 'ken' AND c.relkind IN ('r', 'p')) """
        self.assertGreater(int(sql(self.url, of_index + "SELECT count(*) FROM of_index")), 70)  # partitions count
        keys = sql(self.url, of_index + """SELECT i.indexrelid::regclass FROM pg_index i JOIN of_index o
            ON o.oid = i.indrelid WHERE i.indisunique AND NOT o.attnum = ANY (i.indkey)""")
        self.assertEqual(keys, "", "keys without index_id")
        references = sql(self.url, of_index + """SELECT k.conname FROM pg_constraint k JOIN of_index o
            ON o.oid = k.conrelid JOIN of_index t ON t.oid = k.confrelid WHERE k.contype = 'f'
            AND NOT (o.attnum = ANY (k.conkey) AND t.attnum = ANY (k.confkey))""")
        self.assertEqual(references, "", "references between indexes")
        large = sql(self.url, "SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = 'ken'::regnamespace "
                              "AND pg_get_partkeydef(oid) <> 'HASH (index_id)'")
        self.assertEqual(large, "", "partitions by something else")

    def test_search_ranks_as_on_files(self):
        words = ("eval", os.path.join(HERE, "..", "data", "eval_sample.json"), "--root",
                 os.path.join(HERE, "..", "data", "sample"), "--json")
        given = []
        for env in ({"DATABASE_URL": "", "KEN_DATABASE_URL": "none"}, {"DATABASE_URL": self.url}):
            code, out, err = self.ken(*words, XDG_CACHE_HOME=os.path.join(self.box.name, f"cache{len(given)}"), **env)
            self.assertEqual(code, 0, err)
            given.append(json.loads(out))
        figures = [lab_figures(g) for g in given]
        self.assertEqual(figures[0], figures[1])
        self.assertGreater(figures[0]["ndcg"], 0.5)
        self.assertEqual(sql(self.url, "SELECT count(*) FROM ken.index").strip(), "1")

    def test_what_is_shown_has_no_password(self):
        user = URL.split("://", 1)[1].split("@", 1)[0]
        shown = self.url.replace(f"//{user}@", f"//{user}:hunter2@")
        self.env["DATABASE_URL"] = shown
        self.assertEqual(self.ken("index")[0], 0)
        for words in (["status"], ["status", "--json"], ["config", "show"], ["doctor"], ["projects", "--json"]):
            code, out, err = self.ken(*words)
            self.assertEqual(code, 0, (words, out, err))
            self.assertNotIn("hunter2", out + err)
        self.assertIn(self.name, json.loads(self.ken("status", "--json")[1])["index_path"])


if __name__ == "__main__":
    lab.main("postgres")
