# SPDX-License-Identifier: MIT
"""bench/graph: what the scorer counts, and what the readers of indexes make of their input."""
import os
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "graph")
sys.path.insert(0, os.path.normpath(BENCH))

import branches  # noqa: E402
import from_scip  # noqa: E402
import protobuf  # noqa: E402
import rows  # noqa: E402
import scip  # noqa: E402
import score  # noqa: E402


def row(place, role, symbol, target, kind="function", name="f"):
    path, line, col = place
    return rows.Row(path, line, col, col + len(name), role, symbol, *target, kind, name)


def edge(place, cls, target=None, name="f", target_name="f"):
    path, line, col = place
    target = target or ("", -1, -1)
    return score.Edge(path, line, col, name, "call", cls, *target, target_name if target[0] else "")


A, B, C = ("a.py", 0, 4), ("b.py", 0, 4), ("c.py", 0, 4)
CALL, OTHER = ("a.py", 5, 2), ("a.py", 6, 2)
EXTERNAL = ("-", 0, 0)


class Score(unittest.TestCase):
    def tally(self, truth, edges):
        return score.score(score.Truth(truth), edges)

    def test_right_and_missed(self):
        truth = [row(A, "def", "p f", A), row(CALL, "call", "p f", A), row(OTHER, "call", "p f", A)]
        got = self.tally(truth, [edge(CALL, "scoped", A), edge(OTHER, "unresolved")])
        self.assertEqual((got.right["calls"], got.wrong["calls"]), (1, 0))
        self.assertEqual((got.found["calls"], got.wanted["calls"]), (1, 2))
        self.assertIn("missed, unresolved: call function", got.mistakes)
        self.assertEqual(got.notes["wanted in files without any edge"], 0)
        self.assertEqual(self.tally(truth, []).notes["wanted in files without any edge"], 2)
        self.assertEqual((got.left_out["all"], self.tally(truth, []).left_out["all"]), (0, 2))

    def test_wrong_counts_against_precision_and_recall(self):
        truth = [row(CALL, "call", "p f", A), row(B, "def", "q f", B)]
        got = self.tally(truth, [edge(CALL, "imported", B)])
        self.assertEqual((got.right["calls"], got.wrong["calls"], got.found["calls"]), (0, 1, 0))
        self.assertEqual(got.wrong["imported"], 1)

    def test_any_of_several_definitions(self):
        truth = [row(CALL, "call", "p f", A), row(CALL, "call", "p f", B)]
        got = self.tally(truth, [edge(CALL, "exact", B)])
        self.assertEqual((got.right["all"], got.wanted["all"]), (1, 1))

    def test_another_overload(self):
        truth = [row(CALL, "call", "x y z . C#f(+1).", A), row(B, "def", "x y z . C#f().", B)]
        got = self.tally(truth, [edge(CALL, "exact", B)])
        self.assertEqual(got.by["overload"], 1)

    def test_alias_must_lead_to_the_definition(self):
        truth = [row(CALL, "call", "p f", A), row(C, "ref", "p f", A), row(B, "ref", "p g", C)]
        self.assertEqual(self.tally(truth, [edge(CALL, "imported", C)]).by["alias"], 1)
        self.assertEqual(self.tally(truth, [edge(CALL, "imported", B)]).wrong["calls"], 1)

    def test_external_taken_for_ours(self):
        truth = [row(CALL, "call", "e f", EXTERNAL), row(A, "def", "p f", A)]
        got = self.tally(truth, [edge(CALL, "scoped", A)])
        self.assertEqual((got.wrong["calls"], got.wanted["calls"]), (1, 0))
        self.assertEqual(got.notes["external taken for ours, resolved"], 1)

    def test_inferred_is_counted_apart(self):
        truth = [row(CALL, "call", "p f", A)]
        got = self.tally(truth, [edge(CALL, "inferred", A)])
        self.assertEqual((got.right["calls"], got.right["inferred"]), (0, 1))
        self.assertEqual((got.found["calls"], got.found_inferred["calls"]), (0, 1))

    def test_locals_count_only_when_taken_for_something_else(self):
        local = ("a.py", 4, 2)
        truth = [row(CALL, "ref", "local 1", local, "local"), row(A, "def", "p f", A)]
        self.assertEqual(self.tally(truth, [edge(CALL, "scoped", local)]).right["all"], 0)
        self.assertEqual(self.tally(truth, [edge(CALL, "scoped", A)]).wrong["all"], 1)

    def test_strictly_another_overload_is_wrong(self):
        truth = [row(CALL, "call", "x y z . C#f(+1).", A), row(B, "def", "x y z . C#f().", B)]
        got = self.tally(truth, [edge(CALL, "exact", B)])
        self.assertEqual((got.right["calls"], got.strict["wrong"]["calls"]), (1, 1))
        self.assertEqual((got.found["calls"], got.strict["found"]["calls"]), (1, 0))

    def test_strictly_a_hit_among_several_is_a_share(self):
        truth = [row(CALL, "call", "p f", A), row(B, "def", "q f", B), row(C, "def", "r f", C)]
        got = self.tally(truth, [edge(CALL, "scoped", A), edge(CALL, "scoped", B), edge(CALL, "scoped", C)])
        self.assertEqual((got.strict["right"]["calls"], got.strict["wrong"]["calls"]), (1, 2))
        self.assertAlmostEqual(got.strict_recall("calls"), 1 / 3)

    def test_strictly_calls_of_local_functions_are_wanted(self):
        local, value = ("a.py", 4, 8), ("a.py", 3, 4)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.py"), "w", encoding="utf-8") as file:
                file.write("\n\n\n    f = 1\n    def f(): pass\n  f()\n  f()\n")
            truth = [row(CALL, "call", "local 1", local, "local"), row(OTHER, "call", "local 2", value, "local")]
            whole = score.Truth(truth, rows.Sources(folder))
            got = score.score(whole, [edge(CALL, "scoped", local)])
            none = score.score(whole, [])
        self.assertEqual((got.strict["found"]["calls"], got.strict["wanted"]["calls"]), (1, 1))
        self.assertEqual((none.strict["found"]["calls"], none.strict["wanted"]["calls"]), (0, 1))
        self.assertEqual((got.right["calls"], got.wanted["calls"]), (0, 0))

    def test_an_edge_elsewhere_on_the_line_is_not_judged(self):
        """'self.f = f': truth may know one of the two only."""
        truth = [row(CALL, "call", "p f", A)]
        got = self.tally(truth, [edge(("a.py", 5, 1), "exact", B)])
        self.assertEqual((got.wrong["calls"], got.wanted["calls"]), (0, 1))
        self.assertEqual(got.notes["places truth does not know"], 1)

    def test_a_file_that_truth_did_not_compile_is_no_mistake_and_no_find(self):
        truth = [row(CALL, "call", "p f", A), row(A, "def", "p f", A)]
        got = self.tally(truth, [edge(CALL, "imported", ("win/a.c", 3, 0))])
        self.assertEqual((got.wrong["calls"], got.found["calls"], got.wanted["calls"]), (0, 0, 1))

    def test_edges_are_read_or_refused(self):
        line = "a.py\t5\t2\tf\tcall\tunresolved\t\t\t\t\n"
        self.assertEqual(list(score.read_edges([line])), [edge(CALL, "unresolved")])
        with self.assertRaises(ValueError):
            list(score.read_edges(["a.py\t5\t2\n"]))
        with self.assertRaises(ValueError):
            list(score.read_edges([line.replace("unresolved", "surely")]))


def message(*fields):
    """Protobuf by hand: (number, int | bytes)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += bytes([number << 3]) + varint(value)
        else:
            out += bytes([number << 3 | 2]) + varint(len(value)) + value
    return out


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


class Branches(unittest.TestCase):
    def test_both_sides_of_an_if_in_one_scope(self):
        source = b"if a:\n    def f(): pass\nelse:\n    f = 1\nclass C:\n    def f(self): pass\n"
        found = branches.alternatives(source.split(b"\n"))
        self.assertEqual(found, {("f", 1): {1, 3}, ("f", 3): {1, 3}})
        self.assertEqual(branches.alternatives([b"def f(:"]), {})


class Scip(unittest.TestCase):
    def test_descriptors(self):
        found = scip.descriptors("s npm @a/b 1.0 src/`x.ts`/C#`<constructor>`().(opts)")
        self.assertEqual(
            found,
            [("src", "/"), ("x.ts", "/"), ("C", "#"), ("<constructor>", "()."), ("opts", "()")],
        )
        self.assertEqual(scip.descriptors("r cargo b 1 impl#[`S<T>`]go().")[1:], [("S<T>", "[]"), ("go", "().")])

    def test_a_number_of_several_bytes(self):
        self.assertEqual(list(protobuf.fields(message((1, 300), (2, b"x")))), [(1, 300), (2, b"x")])

    def test_index_becomes_rows(self):
        """Columns are UTF-16 in the index and bytes in the rows; parameters stay locals."""
        source = 'def f():\n    pass\n"é"; f(g)\n'.encode()
        places = [
            (bytes([0, 4, 5]), b"s pip us 1 m/f().", 1),
            (bytes([2, 5, 6]), b"s pip us 1 m/f().", 0),
            (bytes([2, 7, 8]), b"s pip them 1 n/g.", 0),
        ]
        occurrences = [(2, message((1, at), (2, symbol), (3, role))) for at, symbol, role in places]
        index = message((2, message((1, b"m.py"), *occurrences)))
        with tempfile.TemporaryDirectory() as root:
            for name, data in (("m.py", source), ("index.scip", index)):
                with open(os.path.join(root, name), "wb") as file:
                    file.write(data)
            made = from_scip.Index(os.path.join(root, "index.scip"), rows.Sources(root))
            out = os.path.join(root, "out.tsv")
            rows.write(made.rows(), out)
            found = [(r.line, r.col, r.role, r.def_path, r.kind, r.name) for r in rows.read(out)]
        self.assertEqual(
            found,
            [
                (0, 4, "def", "m.py", "function", "f"),
                (2, 6, "call", "m.py", "function", "f"),
                (2, 8, "ref", "-", "variable", "g"),
            ],
        )


if __name__ == "__main__":
    unittest.main()
