#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Questions to more projects of a database than one question is put to."""
import os
import sys

import lab
import pg_lab
from lab import put
from pg_lab import sql

# Of each project: a name, and what only it is about.
SUBJECTS = {
    "mailer": "send a postcard to every subscriber of the newsletter",
    "orbit": "rotate a quaternion around the axis of the satellite",
    "kiln": "fire the glaze of a ceramic bowl at a temperature",
    "ledger": "post an invoice to the accounts of a debtor",
    "reef": "count the polyps of a coral colony under water",
}


class Picked(pg_lab.Postgres):
    def setUp(self):
        super().setUp()
        for name, about in SUBJECTS.items():
            verb = about.split()[0]
            for i in range(4):
                put(self.box.name, f"{name}/{name}{i}.c", f"// {about.capitalize()}, part {i}.\n"
                    f"int {verb}_{name}_{i}(int status)\n{{\n    return status + {i};\n}}\n")
            self.index(name)

    def index(self, name, **env):
        code, _, err = self.ken("index", folder=os.path.join(self.box.name, name), **env)
        self.assertEqual(code, 0, err)

    def told(self):
        return int(sql(self.url, "SELECT count(*) FROM ken.segment_words"))

    def ask(self, url, query, **more):
        return self.post(url, "search_code", {"query": query, "project": "*", "limit": 3, **more})

    def few(self, n=2, **env):
        return self.serve(env=dict(self.env, KEN_SEARCH_PROJECTS=str(n), **env))[1]

    def test_a_question_finds_the_project_that_it_is_about(self):
        self.assertEqual(self.told(), len(SUBJECTS))
        url = self.few()
        for name, about in SUBJECTS.items():
            answer = self.ask(url, about)
            self.assertEqual(answer["results"][0]["project"], name)
            self.assertIn(answer["projects_searched"], (1, 2))
            self.assertEqual(answer["projects_picked"]["from"], len(SUBJECTS))
            self.assertEqual(answer["projects_picked"]["by"], "words")

    def test_no_project_without_a_word_is_asked_and_that_is_said(self):
        answer = self.ask(self.few(), "quaternion")
        self.assertEqual((answer["projects_searched"], answer["projects_picked"]["matching"]), (1, 1))
        code, out, _ = self.ken("search", "quaternion", "--project", "*", KEN_SEARCH_PROJECTS="2")
        self.assertEqual(code, 0)
        self.assertIn("searched 1 of 5 projects: no other has a word of the question in its indexed code", out)
        code, out, _ = self.ken("search", "status of a part", "--project", "*", KEN_SEARCH_PROJECTS="2")
        self.assertIn("searched 2 of 5 projects: those whose words fit the question best; name projects", out)

    def test_words_are_looked_up_in_their_index_however_few_rows_there_are(self):
        sql(self.url, "ANALYZE")
        looked = lambda: int(sql(self.url, "SELECT sum(idx_scan) FROM pg_stat_user_indexes "
                                           "WHERE indexrelname LIKE 'segment\\_words\\_%words\\_idx'"))
        before, url = looked(), self.few()
        self.assertEqual(self.ask(url, "quaternion")["projects_searched"], 1)
        # A session tells its counts when it has been idle for ten seconds.
        self.wait_until(lambda: looked() > before, "the rows were read", 30)

    def test_nobody_has_any_word(self):
        answer = self.ask(self.few(), "zyzzyva")
        self.assertEqual((answer["projects_searched"], answer["results"]), (0, []))

    def test_as_many_as_there_are_and_named_ones_are_all_asked(self):
        answer = self.ask(self.few(5), "status of a part")
        self.assertEqual(answer["projects_searched"], 5)
        self.assertNotIn("projects_picked", answer)
        answer = self.ask(self.few(), "status", project="reef,kiln")
        self.assertEqual(answer["projects_searched"], 2)
        self.assertNotIn("projects_picked", answer)

    def test_what_is_no_word_is_looked_for_everywhere(self):
        answer = self.ask(self.few(), "quatern", search_type="text")
        self.assertEqual((answer["projects_searched"], answer["results"][0]["project"]), (5, "orbit"))
        answer = self.ask(self.few(), '"ate a quatern"')
        self.assertEqual((answer["projects_searched"], answer["results"][0]["project"]), (5, "orbit"))

    def test_filters_are_said_to_come_later(self):
        picked = self.ask(self.few(), "status of a part lang:c")["projects_picked"]
        self.assertTrue(picked["filtered_later"])
        code, out, _ = self.ken("search", "status of a part lang:c", "--project", "*", KEN_SEARCH_PROJECTS="2")
        self.assertIn("(its filters came later)", out)

    def test_near_vectors_of_others_say_nothing_of_those_that_are_asked(self):
        self.index("mailer", KEN_DATABASE_VECTORS="on")
        sql(self.url, "SELECT ken.index_embeddings(id, 'halfvec') FROM ken.embedding_models")
        url = self.few(KEN_DATABASE_VECTORS="on")
        answer = self.ask(url, "email delivery", search_type="semantic", project="orbit,kiln,reef")
        self.assertEqual(answer["projects_searched"], 3)
        self.assertNotIn("projects_picked", answer)

    def test_a_changed_project_is_found_by_its_new_words(self):
        put(self.box.name, "kiln/new.c", "// The zyzzyva is a weevil.\nint zyzzyva(void)\n{\n    return 1;\n}\n")
        self.index("kiln")
        self.assertEqual(self.ask(self.few(), "zyzzyva")["results"][0]["project"], "kiln")

    def test_a_project_whose_words_are_not_known_is_asked_and_told_behind(self):
        sql(self.url, "DELETE FROM ken.segment_words WHERE index_id = (SELECT index_id FROM ken.repository_trees t "
                      "JOIN ken.projects p ON p.id = t.repository_id WHERE p.name = 'orbit')")
        url = self.few(4)
        answer = self.ask(url, "rotate a quaternion")
        self.assertEqual(answer["results"][0]["project"], "orbit")
        self.assertEqual(answer["projects_picked"]["unknown"], 1)
        self.wait_until(lambda: self.told() == len(SUBJECTS), "it is not told")
        answer = self.ask(url, "rotate a quaternion")
        self.assertEqual(answer["results"][0]["project"], "orbit")
        self.assertNotIn("unknown", answer["projects_picked"])

    def test_by_meaning_alone_all_are_asked_where_no_vectors_are_found(self):
        answer = self.ask(self.few(), "email delivery", search_type="semantic")
        self.assertEqual(answer["projects_searched"], 5)
        self.assertNotIn("projects_picked", answer)

    def test_near_vectors_bring_projects_up_that_have_no_word_of_it(self):
        for name in SUBJECTS:
            self.index(name, KEN_DATABASE_VECTORS="on")
        sql(self.url, "SELECT ken.index_embeddings(id, 'halfvec') FROM ken.embedding_models")
        url = self.few(KEN_DATABASE_VECTORS="on")
        answer = self.ask(url, "email delivery", search_type="semantic")
        self.assertEqual(answer["projects_picked"]["by"], "vectors")
        self.assertEqual(answer["projects_searched"], 2)
        whole = self.ask(self.few(5, KEN_DATABASE_VECTORS="on"), "email delivery", search_type="semantic")
        self.assertEqual(answer["results"][0], whole["results"][0])


if __name__ == "__main__":
    sys.exit(lab.main("pg_picked"))
