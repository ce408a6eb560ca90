#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Questions to many projects at once, of a warm server over HTTP.

Makes projects of files that are taken at random from given trees (code files of at most 64 KB, each with a comment of its own,
so that no two projects share a content), indexes them, and asks them all, three of them, and one.

    wide.py --ken build/release/ken [--projects 100] [--files 1330] [--questions 150] [--database URL] [--asked 0,128] TREE...

With --database, of a server whose text is sorted like SQLite's, everything is in that PostgreSQL database, and the folders are
removed once they are indexed, as for a server elsewhere; --asked are values of search.projects, each with a server of its own.
Words of questions are names of functions of the trees, and pairs of words that stand in one file. Prints one line for each figure.
"""
import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request

ENDS = (".c", ".h", ".go", ".rs", ".py", ".ts", ".js", ".java", ".rb", ".cc", ".cpp", ".tcl", ".lua")
MOST = 64 << 10


def load_files(trees):
    files = []
    for tree in trees:
        for folder, folders, names in os.walk(tree):
            folders[:] = [f for f in folders if not f.startswith(".") and f not in ("vendor", "node_modules")]
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(ENDS) and not os.path.islink(path) and 200 < os.path.getsize(path) <= MOST:
                    with open(path, "rb") as f:
                        files.append((os.path.relpath(path, tree), f.read()))
    return files


def make_project(place, n, files):
    for i, (path, text) in enumerate(files):
        path = os.path.join(place, f"project{n:03}", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mark = b"#" if path.endswith((".py", ".rb", ".tcl")) else b"--" if path.endswith(".lua") else b"//"
        with open(path, "wb") as f:
            f.write(text.rstrip(b"\n") + b"\n" + mark + b" copy %d of %d\n" % (i, n))


def make_questions(files, n, dice):
    words = []
    while len(words) < n:
        found = re.findall(rb"[a-z]+(?:_[a-z]+)+|[a-z]{4,12}", dice.choice(files)[1])
        if len(found) > 20:
            a, b, c = (w.decode() for w in dice.sample(found, 3))
            words.append(a if len(words) % 3 == 0 else f"{a} {b}" if len(words) % 3 == 1 else f"where is {a} {b} {c}")
    return words


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call(url, name, **arguments):
    """The seconds that it took, and the answer."""
    body = json.dumps(arguments).encode()
    request = urllib.request.Request(f"{url}/api/v1/{name}", data=body, headers={"Content-Type": "application/json"})
    began = time.monotonic()
    with urllib.request.urlopen(request) as answer:
        value = json.load(answer)
    return time.monotonic() - began, value


def ask(url, query, project):
    took, answer = call(url, "search_code", query=query, project=project)
    return took, [(r.get("project"), r["file_path"], r["start_line"]) for r in answer["results"]]


def measure(what, url, pid, questions, project):
    print(f"{what:24} first question {ask(url, questions[0], project)[0]:.2f} s", flush=True)
    for query in questions[:10]:
        ask(url, query, project)
    before = cpu_seconds(pid)
    answers = [ask(url, query, project) for query in questions]
    times = sorted(took for took, _ in answers)
    cpu = (cpu_seconds(pid) - before) / len(questions)
    print(f"{what:24} CPU {cpu * 1e3:6.1f} ms  p50 {statistics.median(times) * 1e3:6.1f}  "
          f"p95 {times[int(len(times) * .95)] * 1e3:6.1f}  worst {times[-1] * 1e3:6.1f} ms", flush=True)
    return [results for _, results in answers]


def compare(all_answers, answers):
    first = sum(a[:1] == b[:1] for a, b in zip(all_answers, answers, strict=True)) / len(answers)
    shared = statistics.mean(len(set(a) & set(b)) / len(a) for a, b in zip(all_answers, answers, strict=True) if a)
    print(f"    beside the first: the same first result {first:.1%}, of its results {shared:.1%}", flush=True)


def serve(ken, env, asked, questions, n_projects, with_few):
    # The first question opens all of them, which may take longer than a question may.
    env = dict(env, KEN_SEARCH_PROJECTS=str(asked), KEN_QUERY_TIMEOUT="600", KEN_CACHE_WARM="0")
    process = subprocess.Popen([ken, "serve", "--port", "0", "--json"], env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        url = json.loads(process.stdout.readline())["url"]
        what = f"{asked} of {n_projects} projects" if asked and asked < n_projects else f"{n_projects} projects"
        answers = measure(what, url, process.pid, questions, "*")
        if with_few:
            measure("3 projects", url, process.pid, questions, "project000,project001,project002")
            measure("one project", url, process.pid, questions, "project000")
        with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
            print("memory of the server:", re.search(r"RssAnon:\s*(\d+)", f.read()).group(1), "KB of its own")
        return answers
    finally:
        process.terminate()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--files", type=int, default=1330)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--database")
    parser.add_argument("--asked", default="0")
    parser.add_argument("trees", nargs="+")
    options = parser.parse_args()
    dice = random.Random(7)
    files = load_files(options.trees)
    ken = os.path.abspath(options.ken)
    with tempfile.TemporaryDirectory(prefix="ken-wide-") as place:
        env = {k: v for k, v in os.environ.items() if not k.startswith("KEN_") and k != "DATABASE_URL"}
        env.update(KEN_DATA_DIR=os.path.join(place, "data"), XDG_CONFIG_HOME=os.path.join(place, "config"))
        if options.database:
            env["DATABASE_URL"] = options.database
        n_chunks, began = 0, time.monotonic()
        for n in range(options.projects):
            make_project(place, n, dice.sample(files, min(options.files, len(files))))
            out = subprocess.run([ken, "index", "--json", os.path.join(place, f"project{n:03}")], env=env, check=True,
                                 capture_output=True, text=True).stdout
            n_chunks += json.loads(out)["chunks_created"]
            if options.database:
                shutil.rmtree(os.path.join(place, f"project{n:03}"))
        took = time.monotonic() - began
        print(f"{options.projects} projects, {n_chunks} chunks, made and indexed in {took:.0f} s", flush=True)
        questions = make_questions(files, options.questions, dice)
        first = None
        for asked in (int(n) for n in options.asked.split(",")):
            answers = serve(ken, env, asked, questions, options.projects, first is None)
            if first is not None:
                compare(first, answers)
            first = first or answers


if __name__ == "__main__":
    main()
