#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every answer is what a fresh index of the tree would give.

Changes a copy of a tree at random, the way people, editors, git and builds do, and after each change
asks the same questions of a server that has run all along, of a new process with the same index, and
of a new index. All answers must agree, generation numbers and times aside.

    changes.py --ken build/release/ken [--tree DIR] [--changes N] [--seed N] [--seconds S]

The seed is printed; the same seed makes the same changes. Exits with 1 at the first difference.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = (".c", ".h", ".go", ".py", ".ts", ".tsx", ".rs", ".js", ".java", ".rb")
# What differs between two indexes of one tree, and says nothing about the tree.
VOLATILE = {"generation", "indexed_at", "id", "project_id", "took_ms", "timestamp", "last_sync", "checked_at"}


def clean(value):
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, list):
        return [clean(v) for v in value]
    return value


class Server:
    """One `ken mcp` over stdio."""

    def __init__(self, ken, root, data, **settings):
        env = dict(os.environ, KEN_DATA_DIR=data, KEN_LOG="error", **settings)
        self.p = subprocess.Popen([ken, "mcp", "--format", "json"], cwd=root, env=env, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.n = 0
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                 "clientInfo": {"name": "changes", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.p.stdin.write(json.dumps(message).encode() + b"\n")
        self.p.stdin.flush()

    def call(self, method, params):
        self.n += 1
        self.send({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params})
        while True:
            line = self.p.stdout.readline()
            if not line:
                raise RuntimeError(f"the server ended ({self.p.poll()}) in {method} {params}")
            answer = json.loads(line)
            if answer.get("id") == self.n:
                return answer.get("result", answer.get("error"))

    def ask(self, tool, args):
        result = self.call("tools/call", {"name": tool, "arguments": args})
        if "structuredContent" in result and not result.get("isError"):
            return clean(result["structuredContent"])
        text = result.get("content", [{}])[0].get("text", "")
        try:
            return clean(json.loads(text))
        except ValueError:
            return {"text": text, "is_error": result.get("isError")}

    def close(self):
        self.p.stdin.close()
        self.p.wait(timeout=60)
        self.p.stdout.close()


class Tree:
    """The tree, and what can happen to it."""

    def __init__(self, source, root, rng):
        self.root, self.rng, self.n = root, rng, 0
        shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")
        self.outside = root + ".outside"
        os.makedirs(self.outside)

    def git(self, *args):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com",
                               "-c", "commit.gpgsign=false", "-c", "gc.auto=0", *args],
                              cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def path(self, rel):
        return os.path.join(self.root, rel)

    def files(self):
        out = []
        for folder, names, files in os.walk(self.root):
            names[:] = sorted(n for n in names if n != ".git")
            for f in sorted(files):
                full = os.path.join(folder, f)
                if not os.path.islink(full):
                    out.append(os.path.relpath(full, self.root))
        return out

    def folders(self):
        out = [""]
        for folder, names, _ in os.walk(self.root):
            names[:] = sorted(n for n in names if n != ".git")
            out += [os.path.relpath(os.path.join(folder, n), self.root) for n in names]
        return out

    def a_file(self):
        files = [f for f in self.files() if f.endswith(SOURCE)]
        return self.rng.choice(files) if files else self.new_file()

    def fresh(self, prefix="made"):
        self.n += 1
        return f"{prefix}{self.n}"

    def code(self, ext):
        """A definition that calls one that is there."""
        name, n = self.fresh("fig"), self.rng.randrange(1000)
        callee = self.rng.choice(self.names or ["main"])
        if ext == ".py":
            return f"\n\ndef {name}(a):\n    # Counts basket {n}.\n    return {callee}(a) + {n}\n"
        if ext == ".go":
            return f"\n// {name} counts basket {n}.\nfunc {name}(a int) int {{\n\treturn {callee}(a) + {n}\n}}\n"
        if ext == ".rs":
            return f"\n/// Counts basket {n}.\npub fn {name}(a: i32) -> i32 {{\n    {callee}(a) + {n}\n}}\n"
        if ext in (".ts", ".tsx", ".js"):
            return f"\nexport function {name}(a) {{\n  return {callee}(a) + {n};\n}}\n"
        return f"\n/* Counts basket {n}. */\nint {name}(int a)\n{{\n    return {callee}(a) + {n};\n}}\n"

    names = []

    def read(self, rel):
        with open(self.path(rel), "rb") as f:
            return f.read()

    def write(self, rel, data, mode="wb"):
        os.makedirs(os.path.dirname(self.path(rel)), exist_ok=True)
        with open(self.path(rel), mode) as f:
            f.write(data if isinstance(data, bytes) else data.encode())

    # ---- what happens ----

    def new_file(self):
        ext = self.rng.choice([".py", ".go", ".c", ".ts", ".rs"])
        rel = os.path.join(self.rng.choice(self.folders()), self.fresh() + ext)
        self.write(rel, ("package made\n" if ext == ".go" else "") + self.code(ext))
        return rel

    def new_folder_with_file(self):
        rel = os.path.join(self.rng.choice(self.folders()), self.fresh("dir"), self.fresh("dir"))
        self.write(os.path.join(rel, "deep.py"), self.code(".py"))

    def empty_folder(self):
        os.makedirs(self.path(os.path.join(self.rng.choice(self.folders()), self.fresh("empty"))))

    def append(self):
        f = self.a_file()
        self.write(f, self.code(os.path.splitext(f)[1]), "ab")

    def edit_same_size_and_time(self):
        f = self.a_file()
        data, st = bytearray(self.read(f)), os.stat(self.path(f))
        digits = [i for i, b in enumerate(data) if 48 <= b < 58]
        if digits:
            i = self.rng.choice(digits)
            data[i] = 48 + (data[i] - 48 + 1) % 10
        self.write(f, bytes(data))
        os.utime(self.path(f), ns=(st.st_atime_ns, st.st_mtime_ns))

    def through_rename(self):
        f = self.a_file()
        self.write(f + ".tmp~", self.read(f) + self.code(os.path.splitext(f)[1]).encode())
        os.replace(self.path(f + ".tmp~"), self.path(f))

    def delete(self):
        os.unlink(self.path(self.a_file()))

    def rename(self):
        f = self.a_file()
        base, ext = os.path.splitext(f)
        os.rename(self.path(f), self.path(base + self.fresh("x") + ext))

    def swap_two(self):
        a, b = self.a_file(), self.a_file()
        if a != b:
            os.rename(self.path(a), self.path("swap.tmp"))
            os.rename(self.path(b), self.path(a))
            os.rename(self.path("swap.tmp"), self.path(b))

    def rename_folder(self):
        folders = self.folders()[1:]
        if folders:
            f = self.rng.choice(folders)
            os.rename(self.path(f), self.path(f + self.fresh("r")))

    def delete_folder(self):
        folders = [f for f in self.folders()[1:] if f.count("/") > 0]
        if folders:
            shutil.rmtree(self.path(self.rng.choice(folders)))

    def empty_and_refill(self):
        f = self.a_file()
        data = self.read(f)
        self.write(f, b"")
        self.between()
        self.write(f, data + self.code(os.path.splitext(f)[1]).encode())

    def empty_out(self):
        self.write(self.a_file(), b"")

    def binary(self):
        self.write(self.a_file(), bytes(self.rng.randrange(256) for _ in range(600)) + b"\0\0")

    def touch(self):
        os.utime(self.path(self.a_file()))

    def ignore(self):
        line = self.rng.choice(["*.rs", "made*.py", "web/", "dir*/", "!made*.py", "server/*.go", ""])
        where = self.rng.choice(self.folders())
        self.write(os.path.join(where, ".gitignore"), line + "\n", self.rng.choice(["wb", "ab"]))

    def ignore_nothing(self):
        for folder in self.folders():
            if os.path.exists(self.path(os.path.join(folder, ".gitignore"))):
                os.unlink(self.path(os.path.join(folder, ".gitignore")))
                return

    def exclude(self):
        self.write(".git/info/exclude", self.rng.choice(["*.tsx\n", "made*\n", "", "worker/\n"]))

    def exclude_for_user(self):
        folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "git")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "ignore"), "w") as f:
            f.write(self.rng.choice(["*.ts\n", "made*.c\n", ""]))

    def add(self):
        self.git("add", "-A")

    def add_ignored(self):
        self.git("add", "-f", self.a_file())

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", self.fresh("c"))

    def branch(self):
        self.commit()
        self.git("checkout", "-q", "-b", self.fresh("b"))

    def switch(self):
        self.commit()
        names = self.git("branch", "--format=%(refname:short)").stdout.decode().split()
        self.git("checkout", "-q", self.rng.choice(names))

    def back(self):
        self.commit()
        self.git("checkout", "-q", "HEAD~1")

    def stash(self):
        self.git("stash", "-u")

    def reset(self):
        self.git("reset", "-q", "--hard", "HEAD")

    def untrack(self):
        self.git("rm", "-q", "--cached", self.a_file())

    def link_to_file(self):
        f = self.a_file()
        data = self.read(f)
        os.unlink(self.path(f))
        with open(os.path.join(self.outside, "target"), "wb") as out:
            out.write(data)
        os.symlink(os.path.join(self.outside, "target"), self.path(f))

    def write_through_another_name(self):
        f = self.a_file()
        other = os.path.join(self.outside, self.fresh("hard"))
        os.link(self.path(f), other)
        self.between()
        with open(other, "ab") as out:
            out.write(self.code(os.path.splitext(f)[1]).encode())

    def nested_repository(self):
        rel = os.path.join(self.rng.choice(self.folders()), self.fresh("repo"))
        self.write(os.path.join(rel, "inner.py"), self.code(".py"))
        self.between()
        if self.rng.random() < 0.5:  # it is one once what is in .git is whole
            os.mkdir(self.path(os.path.join(rel, ".git")))
            self.between()
        subprocess.run(["git", "init", "-q"], cwd=self.path(rel), check=True)

    def environment(self):
        rel = os.path.join(self.rng.choice(self.folders()), self.fresh("env"))
        self.write(os.path.join(rel, "lib.py"), self.code(".py"))
        self.between()
        self.write(os.path.join(rel, "pyvenv.cfg"), "home = /usr\n")

    def build(self):
        for i in range(40):
            self.write(f"build/out{i}.c", self.code(".c"))
        if self.rng.random() < 0.5:
            shutil.rmtree(self.path("build"))

    def settings(self):
        self.write(".ken.yaml", self.rng.choice(
            ["indexing:\n  exclude: ['*.tsx']\n", "indexing:\n  max_file_size: 600\n", ""]))

    def file_to_folder(self):
        f = self.a_file()
        os.unlink(self.path(f))
        self.write(os.path.join(f, "inside.py"), self.code(".py"))

    def mapped(self):
        import mmap
        f = self.a_file()
        if os.path.getsize(self.path(f)) < 8:
            return
        with open(self.path(f), "r+b") as fd:
            m = mmap.mmap(fd.fileno(), 0)
            at = bytes(m).find(b"return")
            if at >= 0:
                m[at:at + 6] = b"reTurn"
            m.close()

    def several(self):
        for _ in range(self.rng.randrange(2, 6)):
            self.one(allow_several=False)

    between = staticmethod(lambda: None)

    def one(self, allow_several=True):
        kinds = [self.new_file] * 4 + [self.append] * 6 + [self.through_rename] * 4 + [
            self.delete, self.delete, self.rename, self.rename, self.swap_two, self.rename_folder,
            self.new_folder_with_file, self.new_folder_with_file, self.empty_folder, self.empty_folder,
            self.edit_same_size_and_time, self.edit_same_size_and_time, self.edit_same_size_and_time,
            self.delete_folder, self.empty_and_refill, self.empty_out, self.binary, self.touch,
            self.ignore, self.ignore, self.ignore_nothing, self.ignore_nothing, self.exclude,
            self.exclude_for_user, self.exclude_for_user, self.add,
            self.add_ignored, self.commit, self.branch, self.switch, self.switch, self.back, self.stash,
            self.reset, self.reset, self.untrack, self.link_to_file, self.write_through_another_name,
            self.nested_repository, self.environment, self.build, self.settings, self.file_to_folder,
            self.mapped]
        if allow_several:
            kinds += [self.several] * 3
        kind = self.rng.choice(kinds)
        try:
            kind()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, FileExistsError) as e:
            return f"{kind.__name__} ({type(e).__name__})"
        return kind.__name__


def definitions(tree, rng):
    import re
    found = set()
    for f in tree.files():
        if f.endswith(SOURCE):
            text = tree.read(f)
            found.update(m.decode() for m in re.findall(
                rb"(?:def|func|fn|function|int|void|static)\s+([A-Za-z_]\w{3,})\s*\(", text))
    return sorted(found)


def questions(tree, rng):
    names = definitions(tree, rng)
    tree.names = names
    name = rng.choice(names or ["main"])
    last = f"fig{tree.n}" if tree.n else name
    word = rng.choice(["basket", "retry policy", "rate limit", "session", "parse date", "return"])
    return [
        ("search_code", {"query": f"counts {word}", "limit": 8}),
        ("search_code", {"query": rng.choice([name, last]), "search_type": "symbol"}),
        ("search_code", {"query": rng.choice(["basket", name]), "search_type": "text", "limit": 20}),
        ("get_definition", {"symbol_name": rng.choice([name, last])}),
        ("find_usages", {"symbol_name": name}),
        ("query_impact", {"symbol_name": name}),
        ("get_architecture", {}),
        ("outline", {"file_path": rng.choice(tree.files() or ["x"])}),
    ]


def one_shot(ken, root, data, name, **settings):
    env = dict(os.environ, KEN_DATA_DIR=data, **settings)
    p = subprocess.run([ken, "refs", "--json", name], cwd=root, env=env, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    try:
        return clean(json.loads(p.stdout))
    except ValueError:
        return p.stderr.decode()


def begin(doc, name, *options):
    """What the programs that change trees at random begin with: their options, a folder of their own as home, and the
    dice, whose seed is printed. `options`: further ones, as (name, default)."""
    ap = argparse.ArgumentParser(description=doc)
    here = os.path.dirname(os.path.abspath(__file__))
    ap.add_argument("--ken", required=True)
    ap.add_argument("--tree", default=os.path.join(here, "..", "data", "sample"))
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--seconds", type=float, default=0, help="stop after so many, 0 = never")
    for option, default in options:
        ap.add_argument(option, type=type(default), default=default)
    a = ap.parse_args()
    a.seed = a.seed or random.SystemRandom().randrange(1, 1 << 31)
    a.ken, a.tree = os.path.abspath(a.ken), os.path.abspath(a.tree)
    top = os.path.realpath(tempfile.mkdtemp(prefix=f"ken-{name}-"))
    os.environ.update(HOME=top, XDG_CONFIG_HOME=os.path.join(top, "config"))
    os.environ.pop("KEN_DATA_DIR", None)
    print(f"seed {a.seed}", flush=True)
    return a, top, random.Random(a.seed)


def main():
    # --database: the URL of a PostgreSQL that keeps what is compared with a new index.
    a, top, rng = begin(__doc__, "changes", ("--changes", 40), ("--database", "none"))
    ken, seed = a.ken, a.seed
    tree = Tree(a.tree, os.path.join(top, "tree"), rng)
    data, new = os.path.join(top, "data"), os.path.join(top, "new")
    server = Server(ken, tree.root, data, KEN_DATABASE_URL=a.database)
    began, n_answers, trail = time.time(), 0, []
    server.ask("search_code", {"query": "basket"})
    tree.between = lambda: server.ask("search_code", {"query": "basket", "search_type": "text"})
    try:
        for i in range(a.changes):
            trail.append(tree.one())
            asked = questions(tree, rng)
            got = [server.ask(*q) for q in asked]
            again = server.ask(*asked[0])
            shutil.rmtree(new, ignore_errors=True)
            reference = Server(ken, tree.root, new, KEN_DATABASE_URL="none")
            want = [reference.ask(*q) for q in asked]
            reference.close()
            name = asked[4][1]["symbol_name"]
            one = one_shot(ken, tree.root, data, name, KEN_DATABASE_URL=a.database)
            one_new = one_shot(ken, tree.root, new, name, KEN_DATABASE_URL="none")
            n_answers += len(asked) + 2
            checks = list(zip(asked, got, want)) + [(("again",) + asked[0], again, want[0]),
                                                    (("one-shot", name), one, one_new)]
            for q, g, w in checks:
                if g != w:
                    print(f"change {i} of seed {seed}: {trail[-3:]}\n  question {json.dumps(q)}\n"
                          f"  got  {json.dumps(g)[:3000]}\n  want {json.dumps(w)[:3000]}")
                    print(f"  tree kept: {top}")
                    return 1
            if len(trail) % 100 == 0:
                print(f"{len(trail)} changes, {n_answers} answers, {time.time() - began:.0f} s",
                      flush=True)
            if a.seconds and time.time() - began > a.seconds:
                break
        server.close()
    except BaseException:
        print(f"change {len(trail)} of seed {seed}: {trail[-3:]}; tree kept: {top}", file=sys.stderr)
        raise
    shutil.rmtree(top)
    print(f"{len(trail)} changes, {n_answers} answers, 0 differences, "
          f"{time.time() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
