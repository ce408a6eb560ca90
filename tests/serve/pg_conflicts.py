#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each statement that changes a table is refused once, in turn, as PostgreSQL refuses one of two transactions that cannot both
be kept: a serialization failure, a deadlock. Nobody notices; and when it goes on for longer, what is said can be tried again.
"""
import json
import sys
import urllib.error

import lab
import pg_lab
from lab import put
from pg_lab import sql

REFUSE = """
CREATE SEQUENCE public.changes;
CREATE TABLE public.refused (first bigint, last bigint, code text);
CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    n bigint := nextval('public.changes'); -- which a rollback does not take back
    r record;
BEGIN
    FOR r IN SELECT * FROM public.refused WHERE n BETWEEN first AND last LOOP
        RAISE EXCEPTION 'this transaction cannot be kept' USING ERRCODE = r.code;
    END LOOP;
    RETURN NULL;
END $$;
DO $$
DECLARE
    t regclass;
BEGIN
    FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'ken'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition LOOP
        EXECUTE format('CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON %s EXECUTE FUNCTION public.refuse()', t);
    END LOOP;
END $$;
"""


class Conflicts(pg_lab.Postgres):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.ken("index")[0], 0)
        sql(self.url, REFUSE)
        self.server = self.serve()[1]
        self.n = 0

    def refuse(self, first, last, code):
        sql(self.url, "TRUNCATE public.refused; ALTER SEQUENCE public.changes RESTART; "
                      f"INSERT INTO public.refused VALUES ({first}, {last}, '{code}')")

    def n_changes(self):
        return int(sql(self.url, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.changes"))

    def ask(self, operation, **arguments):
        return self.post(self.server, operation, arguments)

    def work(self):
        """A task from its beginning to its end, a checkpoint, a changed file. What each leaves is looked at."""
        self.n += 1
        mine = {"project": self.folder}
        task = self.ask("create_task", title=f"task {self.n}", **mine)
        self.ask("update_task", task_id=task["id"], status="in-progress", if_updated_at=task["updated_at"])
        self.assertEqual(self.ask("get_task", task_id=task["id"])["status"], "in-progress")
        self.ask("delete_task", task_id=task["id"])
        self.assertEqual(self.ask("list_tasks", **mine)["total"], 0)
        here = {"project_path": self.folder}
        kept = self.ask("checkpoint_save", summary="half of it is done", description=f"round {self.n}", **here)["id"]
        self.assertIn(f"round {self.n}", json.dumps(self.ask("checkpoint_get", checkpoint_id=kept, **here)))
        self.ask("checkpoint_delete", checkpoint_id=kept, **here)
        put(self.folder, "b.c", f"int changed_{self.n}(void)\n{{\n    return {self.n};\n}}\n")
        self.index()
        self.assertIn("b.c", json.dumps(self.ask("get_definition", symbol_name=f"changed_{self.n}", **mine)))
        self.assertEqual(sql(self.url, "SELECT count(*) FROM ken.files").strip(), "2")

    def index(self):
        self.ask("index_repository", repo_path=self.folder)

    def test_each_change_is_refused_once_and_nobody_notices(self):
        for code in ("40001", "40P01"):
            at = 1
            while True:
                self.refuse(at, at, code)
                with self.subTest(code=code, change=at):
                    self.work()
                if self.n_changes() < at:
                    break
                at += 1
            self.assertGreater(at, 15)

    def test_a_forced_run_that_is_begun_again_leaves_each_content_once(self):
        for i in range(8):
            put(self.folder, f"f{i}.c", f"int f{i}(void)\n{{\n    return {i};\n}}\n")
        self.index()
        facts = "SELECT file_path, type, name FROM ken.symbols ORDER BY 1, 2, 3"
        before = sql(self.url, facts)
        at = 1
        while True:
            self.refuse(at, at, "40001")
            self.ask("index_repository", repo_path=self.folder, force_reindex=True)
            self.assertEqual(sql(self.url, facts), before)
            twice = "SELECT count(*) - count(DISTINCT sha256) FROM ken.content WHERE feature IS NOT NULL"
            self.assertEqual(sql(self.url, twice).strip(), "0", at)
            if self.n_changes() < at:
                break
            at += 1
        self.assertGreater(at, 10)

    def test_what_goes_on_for_longer_is_said_and_can_be_tried_again(self):
        self.work()
        self.refuse(1, 1000000, "40001")
        put(self.folder, "b.c", "int gamma(void)\n{\n    return 1;\n}\n")
        for act in (lambda: self.ask("create_task", title="one", project=self.folder), self.index):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                act()
            with refused.exception as answer:
                self.assertIn("try again", answer.read().decode())
        sql(self.url, "TRUNCATE public.refused")
        self.work()


if __name__ == "__main__":
    lab.main(sys.argv[0])
