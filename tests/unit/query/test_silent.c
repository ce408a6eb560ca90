// SPDX-License-Identifier: MIT
// An answer without a caller says what else has the name: places that could not be resolved, that
// lead elsewhere or out of the tree, and lines where no reference is known.
#include "unit/query/calls_lab.h"

static ken_usages usages_of(const char *name)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(name), .wants_text = true };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    return u;
}

KEN_TEST(a_call_without_a_prototype_is_unresolved_whatever_is_included)
{
    start("beep.c", "void beep(int times) { }\n"
                    "static int hidden(void) { return 1; }\n");
    lab_write(&l, "main.c",
              "#include <stdio.h>\n"
              "int main(void) { beep(3); hidden(); printf(\"\"); return 0; }\n");
    go();
    ken_usages u = usages_of("beep");
    kt_eq_u(u.n_total, 0);
    kt_eq_u(u.n_unresolved, 1);
    u = usages_of("hidden"); // another file cannot link to it
    kt_eq_u(u.n_unresolved, 0);
    kt_eq_u(u.n_outside, 1);
    end();
}

KEN_TEST(places_that_lead_elsewhere_are_counted_where_nothing_calls)
{
    start("a.py", "def load():\n    pass\n");
    lab_write(&l, "b.py", "def load():\n    pass\n\ndef run():\n    load()\n");
    lab_write(&l, "c.py", "from pkg import load\n\nload()\n");
    go();
    ken_usages_opts o = { .name = KEN_STR("load"), .file_hint = KEN_STR("a.py") };
    ken_usages u;
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, 0);
    kt_eq_u(u.n_elsewhere, 1);
    kt_true(u.n_outside >= 1);
    kt_eq_u(u.in_text.n_lines, 0); // there is something else to tell
    o.file_hint = KEN_STR("b.py");
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(u.n_total, 1);
    kt_eq_u(u.n_outside, 0); // it has a caller: nothing is added
    end();
}

KEN_TEST(a_result_of_a_package_may_be_of_the_tree)
{
    start("a.py", "from copy import copy\n"
                  "import os\n"
                  "class Lamp:\n"
                  "    def shine(self): pass\n"
                  "    def path(self): pass\n"
                  "copy(Lamp()).shine()\n"
                  "os.path\n");
    go();
    kt_eq_u(usages_of("shine").n_unresolved, 1);
    ken_usages u = usages_of("Lamp.path");
    kt_eq_u(u.n_unresolved, 0); // an import says what it is
    kt_eq_u(u.n_outside, 1);
    end();
}

KEN_TEST(a_name_of_a_library_has_usages_without_a_definition)
{
    start("a.py", "import os\n"
                  "from shelf import lamp\n"
                  "def a():\n"
                  "    return os.shine(1)\n"
                  "def b(x):\n"
                  "    lamp()\n"
                  "    return x.shine(2)\n");
    lab_write(&l, "b.py", "import os\n\nos.shine(3)\n");
    go();
    ken_usages u = usages_of("shine");
    kt_eq_u(u.n_defs, 0);
    kt_eq_text(u.undefined, "no definition of 'shine' is in the index");
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 3);
    kt_eq_u(u.n_files, 2);
    u = usages_of("os.shine"); // x may be anything
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 2);
    kt_eq_text(u.files[0].usages[0].within, "a");
    u = usages_of("shelf.lamp");
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 1);
    ken_usages_opts o = { .name = KEN_STR("other.lamp") };
    kt_status(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), KEN_ENOTFOUND);
    o.name = KEN_STR("shime"); // nobody says it
    kt_status(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), KEN_ENOTFOUND);
    o.name = KEN_STR("a.py:shine"); // asks for a definition in a file
    kt_status(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), KEN_ENOTFOUND);
    end();
}

KEN_TEST(a_library_s_name_is_not_the_tree_s_own_in_another_case)
{
    start("a.js", "import { useState } from \"react\";\n"
                  "export function usestate() { return 1; }\n"
                  "usestate();\n"
                  "export function view() { return useState(3); }\n");
    lab_write(&l, "b.py",
              "import os\n"
              "class Os:\n"
              "    def path(self): pass\n"
              "print(os.path)\n"
              "Os().path()\n");
    go();
    ken_usages u = usages_of("useState");
    kt_eq_u(u.n_defs, 0);
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 1);
    kt_eq_text(u.files[0].usages[u.files[0].n - 1].within, "view");
    kt_eq_u(u.n_others, 1); // told as another definition
    u = usages_of("os.path");
    kt_eq_u(u.n_defs, 0);
    kt_eq_u(u.n_by_role[KEN_REF_READ], 1);
    kt_eq_u(usages_of("usestate").n_by_role[KEN_REF_CALL], 1);
    kt_eq_u(usages_of("Os.path").n_by_role[KEN_REF_CALL], 1);
    u = usages_of("USESTATE"); // nobody writes it so: the nearest is meant
    kt_eq_u(u.n_defs, 1);
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 1);
    end();
}

KEN_TEST(a_file_that_the_grammar_rejects_hides_no_name)
{
    start("call.cpp", "int hidden_fn(int);\nint caller() { return hidden_fn(3); }\n");
    lab_write(&l, "broken.cpp",
              "@@@ %%% ((((((\n@@@ %%% ((((((\nint hidden_fn(int a) { return a; }\n}}}}}\n");
    lab_write(&l, "remark.c", "// the word onlyhere stands here\nint one;\n");
    go();
    ken_usages u = usages_of("hidden_fn");
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 1);
    u = usages_of("onlyhere");
    kt_eq_u(u.n_total, 0);
    kt_eq_u(u.in_text.n_lines, 1);
    end();
}

KEN_TEST(lines_that_have_the_word_are_told_when_no_place_has_the_name)
{
    start("a.c", "// calls glow sometimes\n"
                 "int glow(void) { return 1; }\n"
                 "int glowing;\n"
                 "const char *what = \"glow\";\n");
    lab_write(&l, "gen.min.js", "function g(){return glow()}\n");
    lab_write(&l, "note.md", "glow is a function\n");
    go();
    ken_usages u = usages_of("glow");
    kt_eq_u(u.n_total + u.n_unresolved + u.n_elsewhere + u.n_outside, 0);
    kt_eq_u(u.in_text.n_lines, 3);
    kt_eq_u(u.in_text.n_files, 2);
    kt_eq_u(u.in_text.n_left_out, 1);
    kt_eq_u(u.in_text.n_places, 3);
    kt_true(ken_str_eq(u.in_text.places[2].path, KEN_STR("gen.min.js")));
    kt_true(u.in_text.places[2].is_left_out && !u.in_text.places[2].text.len);
    kt_true(!u.in_text.is_cut);
    end();
}

KEN_TEST(a_qualifier_that_does_not_fit_is_said_and_nothing_is_exact)
{
    start("app/go.py", "class Context:\n"
                       "    def next(self): pass\n"
                       "class Router:\n"
                       "    pass\n"
                       "Context().next()\n");
    go();
    ken_usages u = usages_of("Router.next");
    kt_eq_text(u.missed_scope, "Router");
    kt_eq_text(u.defs[0].qualified, "Context.next");
    kt_eq_u(usages_of("Context.next").missed_scope.len, 0);
    kt_eq_u(usages_of("app/go.py:next").missed_scope.len, 0);
    ken_definition_result r;
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("Nope.next"), .limit = 5 },
                              &l.arena, &r, NULL));
    kt_eq_u(r.n_defs, 1);
    kt_false(r.defs[0].is_exact);
    kt_eq_text(r.missed_scope, "Nope");
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("Context.next"), .limit = 5 },
                              &l.arena, &r, NULL));
    kt_true(r.defs[0].is_exact);
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("go.py:next"), .limit = 5 },
                              &l.arena, &r, NULL));
    kt_true(r.defs[0].is_exact && !r.missed_scope.len);
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("Router.next"), .direction = KEN_TRACE_CALLERS };
    kt_ok(ken_trace_execution(snap, &o, NULL, &l.arena, &t, NULL));
    kt_eq_text(t.missed_scope, "Router");
    end();
}
