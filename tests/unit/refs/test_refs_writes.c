// SPDX-License-Identifier: MIT
// Which references write: `=`, the operators that assign, `++`, lists on the left, loop targets.
// Of each text, `hits` and `left` are read once in the line that begins with "read", and written
// wherever else they stand.
#include <string.h>

#include "ktest.h"
#include "refs_lab.h"

static bool is_counted(ken_str name)
{
    return ken_str_eq_c(name, "hits") || ken_str_eq_c(name, "left") ||
           ken_str_eq_c(name, "@hits") || ken_str_eq_c(name, "@left");
}

static void check_writes(ken_lang_id lang, const char *text, uint32_t n_writes)
{
    if (!ken_lang_grammar(lang))
        return;
    refs_lab lab;
    refs_lab_open(&lab, lang, ken_str_c(text));
    uint32_t n = 0, n_reads = 0;
    for (uint32_t i = 0; i < lab.refs.n_refs; i++) {
        const ken_ref *r = &lab.refs.refs[i];
        if (!is_counted(lab.refs.exprs[r->expr].name))
            continue;
        n += r->role == KEN_REF_WRITE;
        n_reads += r->role == KEN_REF_READ;
    }
    if (n != n_writes || n_reads != 1)
        kt_fail("%s: %u writes and %u reads, expected %u and 1", ken_lang_name(lang), n, n_reads,
                n_writes);
    refs_lab_close(&lab);
}

KEN_TEST(writes_of_members)
{
    check_writes(KEN_LANG_GO,
                 "package p\n"
                 "type S struct { hits, left int }\n"
                 "func f(s *S, a []S, read func(int)) {\n"
                 "\ts.hits = 5\n\ts.hits += 2\n\ts.hits++\n\t(*s).hits--\n\ta[0].left = 4\n"
                 "\ts.hits, s.left = 1, 2\n\tread(s.hits)\n}\n",
                 7);
    check_writes(KEN_LANG_JAVA,
                 "class S { int hits, left;\n"
                 "  void f(S s) {\n"
                 "    s.hits = 5; s.hits += 2; s.hits++; --s.hits; (s.hits)++; hits++;\n"
                 "    s.hits = s.left = 2;\n    read(s.hits); } }\n",
                 8);
    check_writes(KEN_LANG_C,
                 "struct s { int hits, left; };\n"
                 "void f(struct s *s, struct s a[]) {\n"
                 "  s->hits = 5; s->hits |= 2; s->hits++; --s->hits; (*s).hits = 1; a[0].left++;\n"
                 "  (s->hits)++;\n  read(s->hits); }\n",
                 7);
    check_writes(KEN_LANG_CPP,
                 "struct S { int hits, left; };\n"
                 "void f(S *s, S &t) {\n"
                 "  s->hits = 5; s->hits |= 2; s->hits++; --t.hits; (*s).hits = 1;\n"
                 "  read(s->hits); }\n",
                 5);
    check_writes(KEN_LANG_CSHARP,
                 "class S { int hits, left;\n"
                 "  void f(S s) { s.hits = 5; s.hits += 2; s.hits++; --s.hits; hits++;\n"
                 "    s.hits ?\?= 3;\n    read(s.hits); } }\n",
                 6);
    check_writes(KEN_LANG_KOTLIN,
                 "class S { var hits = 0\n  var left = 0\n"
                 "  fun f(s: S) {\n    s.hits = 5\n    s.hits += 2\n    s.hits++\n"
                 "    hits++\n    read(s.hits)\n  } }\n",
                 4);
    check_writes(KEN_LANG_RUST,
                 "struct S { hits: i32, left: i32 }\n"
                 "fn f(s: &mut S) { s.hits = 5; s.hits += 2; (*s).hits = 3;\n"
                 "  (s.hits, s.left) = (1, 2);\n  read(s.hits); }\n",
                 5);
    check_writes(KEN_LANG_SWIFT,
                 "class S { var hits = 0\n  var left = 0\n"
                 "  func f(s: S) {\n    s.hits = 5\n    s.hits += 2\n"
                 "    (s.hits, s.left) = (1, 2)\n    read(s.hits)\n  } }\n",
                 4);
    check_writes(KEN_LANG_SCALA,
                 "class S { var hits = 0; var left = 0\n"
                 "  def f(s: S): Unit = {\n    s.hits = 5\n    s.hits += 2\n    hits -= 1\n"
                 "    read(s.hits)\n  } }\n",
                 3);
}

KEN_TEST(writes_of_members_where_types_are_not_declared)
{
    check_writes(KEN_LANG_PYTHON,
                 "def f(s):\n    s.hits = 5\n    s.hits += 2\n    s.hits, s.left = 1, 2\n"
                 "    for s.hits in []:\n        pass\n    read(s.hits)\n",
                 5);
    const char *js = "function f(s) {\n  s.hits = 5; s.hits += 2; s.hits++; --s.hits;\n"
                     "  [s.hits, s.left] = [1, 2]; ({ a: s.hits } = {}); s.hits ?\?= 1;\n"
                     "  for (s.hits of []) {}\n  read(s.hits); }\n";
    check_writes(KEN_LANG_JAVASCRIPT, js, 9);
    check_writes(KEN_LANG_TYPESCRIPT, js, 9);
    check_writes(KEN_LANG_PHP,
                 "<?php\nfunction f($s) {\n"
                 "  $s->hits = 5; $s->hits .= 2; $s->hits++; --$s->hits; $s->hits ?\?= 4;\n"
                 "  [$s->hits, $s->left] = [1, 2];\n  read($s->hits); }\n",
                 7);
    check_writes(KEN_LANG_RUBY,
                 "class S\n  def f\n    @hits = 5\n    @hits += 2\n    @hits ||= 3\n"
                 "    read(@hits)\n  end\nend\n",
                 3);
    check_writes(KEN_LANG_LUA, "function f(s)\n  s.hits = 5\n  s.left = 1\n  read(s.hits)\nend\n",
                 2);
    check_writes(KEN_LANG_ZIG,
                 "const S = struct { hits: i32, left: i32 };\n"
                 "fn f(s: *S) void {\n  s.hits = 5;\n  s.hits += 2;\n  read(s.hits);\n}\n",
                 2);
}
