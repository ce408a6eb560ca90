#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the table of docs/quality.md: every row that a program can judge and that no other load falsifies (times,
what people judge).

    bench/quality.py WORK [--build build/release] [--only WORD] [--out DIR]

WORK holds what the questions are asked of (docs/quality.md says where each comes from):

    checkouts/<name>         git checkouts at the commits of the sets of questions
    annotations/<name>.json  the annotated questions of the benchmark
    truth/INDEX              what bench/graph/truth.py wrote
    history/<owner>+<name>   git repositories with the commits of bench/graph/commits.tsv
    withheld/corpus          what models/collect.py wrote for bench/retrieval-words-withheld
    agent/{flask,redis}      the two checkouts of bench/agent

A row whose part of WORK is missing says so and is left out. What the programs print is kept in DIR (default
WORK/out). The table comes last, below it that of docs/graph.md. Exits with 1 when a row is below its bar.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
WITHHELD = TREE / "bench" / "retrieval-words-withheld"
GRAPH = TREE / "bench" / "graph"
NODE_MODULES = TREE / "tests" / "clients" / "node_modules"
GROUPS = ("calls", "symbols", "all")
EACH = (95, 85)  # precision and recall of every repository on its own
N_SEARCH = 11  # tools of the set `search`, the first of the list

# On a machine that does other work an answer is late, not another one.
PATIENT = {**os.environ, "KEN_QUERY_TIMEOUT": "600", "KEN_CATCH_UP": "600"}

Result = namedtuple("Result", "measure bar reached holds")  # holds: None where there is no bar
LANGUAGES = {
    "c": "C", "cpp": "C++", "go": "Go", "java": "Java", "javascript": "JavaScript", "python": "Python", "rust": "Rust",
    "typescript": "TypeScript",
}


class Missing(Exception):
    """A row cannot be measured: what it says is missing."""


class Bench:
    """Where everything is, and how a program is run."""

    def __init__(self, work, build, out):
        self.work, self.build, self.out = work, build, out
        self.ken = build / "ken"
        self.measured = {}  # of the graph, by repository

    def need(self, name):
        path = self.work / name
        if not path.exists():
            raise Missing(f"{path} is missing")
        return path

    def program(self, name):
        return self.build / "bench" / name

    def annotations(self):
        return sorted(self.need("annotations").glob("*.json"))

    def run(self, name, *words):
        """What the command prints, which is kept as well. Some benchmarks end with 1 below their own bar."""
        words = [str(word) for word in words]
        done = subprocess.run(words, cwd=TREE, env=PATIENT, capture_output=True, encoding="utf-8", errors="replace",
                              check=False)
        (self.out / f"{name}.txt").write_text(done.stdout)
        (self.out / f"{name}.err").write_text(f"{shlex.join(words)}\n{done.stderr}")
        if not done.stdout.strip():
            raise Missing(f"nothing was printed; see {self.out / name}.err")
        return done.stdout

    def index(self):
        """(language, name, tree, truth) of each repository with a compiler's truth."""
        return [line.split() for line in self.need("truth/INDEX").read_text().splitlines()]


def numbers(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise Missing(f"what was printed has no '{pattern}'")
    return [float(group.replace(",", "")) for group in found.groups()]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


# --- fresh answers -------------------------------------------------------------------------------


def changes(bench, name, *more):
    text = bench.run(name, sys.executable, "tests/freshness/changes.py", "--ken", bench.ken, *more)
    n_changes, n_answers, n_wrong = numbers(r"^(\d+) changes, (\d+) answers, (\d+) differences", text)
    return f"{n_wrong:.0f} of {n_answers:,.0f} answers, {n_changes:,.0f} changes", n_wrong == 0


def fresh(bench):
    yield Result("random changes: differences", "0", *changes(bench, "changes", "--changes", 2000, "--seed", 7))


def fresh_large(bench):
    tree = bench.need("checkouts/trpc")
    told = changes(bench, "changes-trpc", "--tree", tree, "--changes", 60, "--seed", 21)
    yield Result("the same on trpc", "0", *told)


# --- search --------------------------------------------------------------------------------------


def ndcg(text, which="all"):
    return numbers(rf"^ *{which} +\d+ +([\d.]+)", text)[0]


def annotated(bench):
    roots = bench.need("checkouts")
    for name, measure, bar, more in (
        ("roots", "NDCG@10, annotated roots", 0.93, ()),
        ("whole", "NDCG@10, whole checkouts", 0.91, ("--whole",)),
    ):
        value = ndcg(bench.run(name, bench.ken, "eval", *bench.annotations(), "--roots", roots, *more))
        yield Result(measure, bar, f"{value:.3f}", value >= bar)


def second_sets():
    return sorted((TREE / "bench/retrieval-checkouts/queries").glob("*.json"))


def left_out(bench):
    text = bench.run("rank", bench.program("bench_rank"), "--json", "--file", bench.need("checkouts"),
                     *bench.annotations())
    value = json.loads(text)["left_out"]["roots"]
    yield Result("NDCG@10, roots, the repository left out of the fit", 0.93, f"{value:.3f}", value >= 0.93)


def second_set(bench):
    text = bench.run("second", bench.ken, "eval", *second_sets(), "--roots", bench.need("checkouts"))
    value, architecture = ndcg(text), ndcg(text, "architecture")
    yield Result("NDCG@10, second set; its architecture", "0.92; 0.88", f"{value:.3f}; {architecture:.3f}",
                 value >= 0.92 and architecture >= 0.88)


def names(bench):
    trees = [bench.need(f"checkouts/{path.stem}") for path in second_sets()]
    told = json.loads(bench.run("names", bench.program("bench_names"), "--json", *trees))
    shapes = {key: value for key, value in told.items() if isinstance(value, dict) and key not in ("other", "all")}
    low, high = (choose(shape["first"] for shape in shapes.values()) for choose in (min, max))
    n = told["all"]["names"]
    yield Result("unique names first, each shape", "0.98", f"{low:.3f} to {high:.3f}, {n:,} names", low >= 0.98)


def confidence(bench):
    text = bench.run("confidence", bench.program("bench_confidence"), "--json", "--file", bench.need("checkouts"),
                     "--only", TREE / "bench/retrieval-nothing/questions.txt", *bench.annotations(), *second_sets())
    bands = json.loads(text)["bands"]
    n_annotated, n_nothing = (sum(band[key] for band in bands) for key in ("annotated", "nothing"))
    # One question of five has no answer, as in the benchmark itself.
    part = 0.25 * n_annotated / n_nothing
    weights = [band["annotated"] + part * band["nothing"] for band in bands]

    def off(chosen):
        chosen = [(weight, abs(band["said"] - band["held"])) for weight, band in chosen if weight]
        return 100 * sum(weight * by for weight, by in chosen) / sum(weight for weight, _ in chosen)

    whole = list(zip(weights, bands))
    value = off(whole)
    yield Result("confidence, points off in the mean; from 0.1 to 0.6", "5", f"{value:.1f}; {off(whole[1:6]):.1f}",
                 value <= 5)


def tokens(bench):
    roots = bench.need("checkouts")
    annotated_sets = bench.annotations()
    for name, measure, sets, more in (
        ("tokens-roots", "roots", annotated_sets, ()),
        ("tokens-whole", "whole checkouts", annotated_sets, ("--whole",)),
        ("tokens-second", "second set", second_sets(), ()),
    ):
        text = bench.run(name, bench.ken, "eval", *sets, "--roots", roots, "--tokens", *more)
        values = numbers(r"mean ([\d,]+); within 500: ([\d.]+); within 1000: ([\d.]+); within 2000: ([\d.]+)", text)
        holds = values[0] <= 300 and all(value >= bar for value, bar in zip(values[1:], (0.92, 0.97, 0.99)))
        yield Result(f"tokens until the first right file, {measure}", "300; 0.92, 0.97, 0.99",
                     f"{values[0]:.0f}; {', '.join(f'{value:.3f}' for value in values[1:])}", holds)


def withheld(bench):
    corpus = bench.need("withheld/corpus").resolve()
    made = bench.out / "withheld"
    for part in ("trees", "queries"):
        subprocess.run(["rm", "-rf", made / part], check=True)
        (made / part).mkdir(parents=True)
    head, *rows = (WITHHELD / "repositories.tsv").read_text().splitlines()
    there = [row for row in rows if (corpus / row.split("\t")[0].replace("/", "+")).is_dir()]
    (made / "repositories.tsv").write_text("\n".join([head, *there]) + "\n")
    bench.run("withheld-make", bench.program("ken-words-withheld"), made / "repositories.tsv", corpus, made / "trees",
              made / "queries")
    value = {}
    for mode in ("lexical", "semantic", "hybrid"):
        sets = sorted((made / "queries").glob("*.json"))
        text = bench.run(f"withheld-{mode}", bench.ken, "eval", *sets, "--roots", made / "trees", "--mode", mode)
        n, value[mode] = numbers(r"^all +(\d+) +[\d.]+ +([\d.]+)", text)
    ratio = value["hybrid"] / value["lexical"]
    yield Result("words withheld, hybrid over lexical", 1.5,
                 f"{ratio:.2f} ({value['hybrid']:.3f} over {value['lexical']:.3f}, {n:.0f} questions)", ratio >= 1.5)


# --- the graph -----------------------------------------------------------------------------------


def edges(bench):
    text = bench.run("edges", sys.executable, GRAPH / "score.py", "--index", bench.need("truth/INDEX"), "--dump",
                     bench.program("bench_graph"))
    repository = None
    for line in text.splitlines():
        if head := re.match(r"^\w+ ([\w-]+)$", line):
            repository = bench.measured.setdefault(head[1], {})
        elif row := re.match(r"^  (calls|symbols|all) +([\d.]+) +([\d.]+) +\S+ +\d+ +\d+ +([\d.]+) +([\d.]+)$", line):
            values = [float(value) for value in row.groups()[1:]]
            repository[row[1]], repository["strictly " + row[1]] = values[:2], values[2:]
    for group in GROUPS:
        yield of_graph(bench, f"edges, strictly: {group}", "strictly " + group)


def of_graph(bench, measure, key):
    """Precision and recall in the mean, and who is below on its own."""
    known = {name: values[key] for name, values in bench.measured.items() if key in values}
    precision, recall = (mean(pair[i] for pair in known.values()) for i in (0, 1))
    below = [name for name, (p, r) in known.items() if p < EACH[0] or r < EACH[1]]
    told = f"{precision:.1f} / {recall:.1f} ({len(known)} repositories)"
    told += f"; below: {', '.join(below)}" if below else ""
    return Result(measure, "97 / 90; 95 / 85 on each", told, precision >= 97 and recall >= 90 and not below)


def product(bench):
    silent = {}
    for _, name, tree, truth in bench.index():
        text = bench.run(f"product-{name}", sys.executable, GRAPH / "product.py", truth, tree, "--ken", bench.ken,
                         "--zeros", 3000, "--score", 0, "--list", 12)
        asked, zeros = numbers(r"(\d+) functions that are used; (\d+) silent", text)
        shown = numbers(r"precision +([\d.]+) +recall +([\d.]+)", text)
        bench.measured.setdefault(name, {}).update(product=shown, asked=asked, silent=zeros)
        if zeros:
            silent[name] = zeros
    yield of_graph(bench, "edges through the product", "product")
    n_asked = sum(values.get("asked", 0) for values in bench.measured.values())
    told = f"{sum(silent.values()):.0f} of {n_asked:,.0f}"
    told += f": {', '.join(f'{name} {n:.0f}' for name, n in silent.items())}" if silent else ""
    yield Result("silent zeros", "0", told, not silent)


def dead(bench):
    index = bench.need("truth/INDEX")
    text = bench.run("dead", sys.executable, GRAPH / "dead.py", "--index", index, "--ken", bench.ken)
    listed, unused, used = numbers(r"^all\t\t(\d+)\t(\d+)\t(\d+)\t", text)
    judged = unused + used
    told = f"{unused / judged:.3f} ({unused:.0f} of {judged:.0f} judged, {listed:.0f} listed)"
    yield Result("`dead`, precision", "0.95", told, unused / judged >= 0.95)


def commits(bench):
    history = bench.need("history")
    text = bench.run("commits", sys.executable, GRAPH / "commits.py", "score", history, "--ken", bench.ken)
    n, files, named, recall, low = numbers(
        r"^(\d+) commits, (\d+) files to change, (\d+) named \(recall ([\d.]+)\).*low: (\d+)", text)
    yield Result(f"{n:.0f} commits: files that break, named", "0.9, none low",
                 f"{recall:.3f} ({named:.0f} of {files:.0f}), {low:.0f} low", recall >= 0.9 and low == 0)


# --- rules and agents ----------------------------------------------------------------------------


def rules(bench):
    text = bench.run("rules", bench.program("bench_rules"), TREE / "bench/rules", bench.need("checkouts"))
    value = {half: numbers(rf"^all +{half} .*? @3 ([\d.]+)", text)[0] for half in ("tune", "held out")}
    yield Result("the rule among the first three, held out; the half to tune with", "0.85",
                 f"{value['held out']:.2f}; {value['tune']:.2f}", value["held out"] >= 0.85)


def agent(bench):
    def trees(part, names):
        return [f"{name}={bench.need(f'{part}/{name}')}" for name in names]

    words = [sys.executable, TREE / "bench/agent/run.py", "--ken", bench.ken, "--exact", NODE_MODULES]
    second = ["--tasks", TREE / "bench/agent/tasks_2.json"]
    for name, measure, wanted, more in (
        ("agent", "25 tasks of an agent, one call each", 23, trees("agent", ("flask", "redis"))),
        ("agent-2", "10 further tasks", 9, second + trees("checkouts", ("hono", "jekyll"))),
    ):
        right, _, cost = numbers(r"(\d+) of (\d+) right, ([\d,]+) tokens", bench.run(name, *words, *more))
        bar = f"{wanted} right" + ("; 20,000 tokens" if name == "agent" else "")
        yield Result(measure, bar, f"{right:.0f} right, {cost:,.0f} tokens", right >= wanted and cost <= 20000)


def tools(bench):
    sys.path.insert(0, str(TREE / "bench/agent"))
    import run  # pylint: disable=import-outside-toplevel

    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "tree").mkdir()
        server = run.Server(bench.ken, Path(scratch) / "tree", Path(scratch) / "data")
        listed = server.call("tools/list", {})["tools"]
        server.close()
    texts = [json.dumps(some, ensure_ascii=False, separators=(",", ":")) for some in (listed, listed[:N_SEARCH])]
    n_all, n_search = run.count_tokens(texts, NODE_MODULES)
    yield Result("tokens of the list of all tools, of the set `search`", "5,000; 2,200", f"{n_all:,}; {n_search:,}",
                 n_all <= 5000 and n_search <= 2200)


# --- the table -----------------------------------------------------------------------------------

ROWS = (
    annotated, left_out, second_set, names, confidence, tokens, withheld, rules, agent, tools, commits, edges, product,
    dead, fresh_large, fresh,
)


def cell(pair):
    texts = ("100" if value == 100 else f"{value:.1f}" for value in pair)
    marked = (f"**{text}**" if value < bar else text for text, value, bar in zip(texts, pair, EACH))
    return " / ".join(marked)


def print_graph(bench):
    """The rows of docs/graph.md."""
    keys = (*GROUPS, *(f"strictly {group}" for group in GROUPS), "product")
    heads = ("language", "repository", *GROUPS, "strictly: calls", "symbols", "all", "product", "silent zeros")
    print(f"\n| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for language, name, _, _ in bench.index():
        of = bench.measured.get(name, {})
        cells = [cell(of[key]) if key in of else "" for key in keys]
        zeros = f"{of['silent']:.0f} of {of['asked']:,.0f}" if "silent" in of else ""
        print(f"| {LANGUAGES[language]} | {name} | {' | '.join(cells)} | {zeros} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--build", type=Path, default=TREE / "build/release")
    parser.add_argument("--only", help="the rows whose name has this word: " + ", ".join(row.__name__ for row in ROWS))
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    bench = Bench(args.work.resolve(), args.build.resolve(), (args.out or args.work / "out").resolve())
    bench.out.mkdir(parents=True, exist_ok=True)
    results = []
    for row in ROWS:
        if args.only and args.only not in row.__name__:
            continue
        began = time.monotonic()
        try:
            results += row(bench)
        except Missing as why:
            results.append(Result(row.__name__, "", f"not measured: {why}", None))
        print(f"{row.__name__}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print("| measure | bar | reached | |\n|---|---|---|---|")
    for r in results:
        print(f"| {r.measure} | {r.bar} | {r.reached} | {'below' if r.holds is False else ''} |")
    if bench.measured:
        print_graph(bench)
    return any(r.holds is False for r in results)


if __name__ == "__main__":
    sys.exit(main())
