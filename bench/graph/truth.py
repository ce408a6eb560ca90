#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the truth of every repository in repositories.tsv, or of those named.

    truth.py CHECKOUTS WORK [NAME...]

CHECKOUTS/<name> is a git checkout that has the commit. WORK gets tools/, src/<name> (the tree of the
commit, with what it depends on installed), <language>/<name>.tsv and INDEX for score.py. Needs git,
node and npm, Python, Go, a JDK with Maven, cargo with rust-analyzer, cmake, make and libclang 14.
"""
import argparse
import csv
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NPM = "@sourcegraph/scip-typescript@0.4.0 @sourcegraph/scip-python@0.6.6 typescript@5.9 pnpm@10.12.1"
PIP = "clang==14.0 compiledb"
GO_TOOLS = "golang.org/x/tools@v0.52.0"
SEMANTICDB = "com.sourcegraph:semanticdb-javac:0.11.1"
LIBCLANG = "/usr/lib/llvm-14/lib/libclang-14.so.1"

JS_FOLDERS = {"fastify": "fastify.js lib test build examples", "express": "index.js lib test examples", "commander": "index.js lib tests examples"}

# What a tree needs before its indexer can read it; a shell line, run in the tree.
PREPARE = {
    "express": "npm install --ignore-scripts --no-audit",
    # what its declarations say of its sources is another truth
    "fastify": "rm -rf fastify.d.ts types && npm install --ignore-scripts --no-audit",
    "hono": "npm install --ignore-scripts --no-audit --legacy-peer-deps",
    "rich": "pip install -q pygments markdown-it-py attrs pytest typing_extensions",
    # the examples bring Electron and Prisma; the engines ask for a newer node than indexing needs
    "trpc": r"printf 'packages:\n  - packages/*\n' > pnpm-workspace.yaml"
    " && find . -name package.json -not -path '*/node_modules/*'"
    " -exec sed -i '/\"engines\": {/,/}/d' {} +"
    " && pnpm install --ignore-scripts --no-frozen-lockfile",
    "zod": "pnpm install --ignore-scripts --no-frozen-lockfile",
    "flask": "pip install -q werkzeug jinja2 click itsdangerous blinker markupsafe typing_extensions pytest"
    " && echo '{\"extraPaths\": [\"src\"]}' > pyrightconfig.json",
    "aiohttp": "pip install -q multidict yarl aiohappyeyeballs aiosignal attrs frozenlist propcache pytest",
    # pyright takes an hour for the tests
    "pydantic": "pip install -q annotated-types typing-inspection typing_extensions"
    ' && echo \'{"include": ["pydantic", "pydantic-core/python"], "extraPaths": ["pydantic-core/python"]}\''
    " > pyrightconfig.json",
    "redis": "make -Bn MALLOC=libc BUILD_TLS=no | compiledb -f -o compile_commands.json",
    # built for real: yacc makes sources, configure makes headers
    "tmux": "sh autogen.sh && ./configure && compiledb make -j2 V=1",
    "jq": "autoreconf -i && ./configure --disable-docs --disable-maintainer-mode && compiledb make -j2 V=1",
    "fmtlib": "cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON && cp build/compile_commands.json .",
    "leveldb": "cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_CXX_STANDARD=17"
    " -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF && cp build/compile_commands.json .",
}
PREPARE["libuv"] = PREPARE["fmtlib"]
# Its library is taken from a checkout beside its own: what the system has is too old. Nothing is built.
PREPARE["re2"] = (
    "mkdir both && printf 'cmake_minimum_required(VERSION 3.16)\\nproject(both CXX)\\n"
    "add_subdirectory(%s absl)\\nadd_subdirectory(.. re2)\\n' \"$CHECKOUTS/abseil-cpp\" > both/CMakeLists.txt"
    " && cmake -S both -B build -DABSL_ENABLE_INSTALL=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_CXX_STANDARD=17"
    " && cp build/compile_commands.json ."
)
PREPARE["redux-toolkit"] = (
    "cd packages/toolkit && npm install --ignore-scripts --no-audit --legacy-peer-deps --no-workspaces"
)
PREPARE["vue"] = "pnpm install --ignore-scripts --no-frozen-lockfile"
PREPARE["black"] = "pip install -q click mypy_extensions packaging pathspec platformdirs pytokens pytest"
TS_PROJECTS = {"redux-toolkit": "packages/toolkit"}  # where there is none at the top
JAVA_ROOTS = {"gson": "gson", "jsoup": ".", "commons-lang": "."}  # the Maven module of the library


class Work:
    def __init__(self, checkouts, folder):
        self.checkouts = os.path.abspath(checkouts)
        self.folder = os.path.realpath(folder)
        self.tools = os.path.join(self.folder, "tools")
        self.venv = os.path.join(self.tools, "venv")
        bins = [os.path.join(self.tools, "node_modules", ".bin"), os.path.join(self.venv, "bin")]
        self.env = {
            **os.environ,
            "PATH": os.pathsep.join([*bins, os.environ["PATH"]]),
            "VIRTUAL_ENV": self.venv,
            "CHECKOUTS": self.checkouts,
            "CARGO_TARGET_DIR": os.path.join(self.tools, "target"),
            "npm_config_manage_package_manager_versions": "false",
            "NODE_OPTIONS": "--max-old-space-size=5000",
        }

    def shell(self, line, where):
        print(f"[{os.path.relpath(where, self.folder)}] {line}", file=sys.stderr)
        done = subprocess.run(["bash", "-c", line], cwd=where, env=self.env, stdout=sys.stderr.fileno())
        if done.returncode:
            raise SystemExit(f"{line}: exit {done.returncode}")

    def install(self):
        os.makedirs(self.tools, exist_ok=True)
        if not os.path.exists(os.path.join(self.tools, "package.json")):
            self.shell(f"npm init -y && npm install --ignore-scripts --no-audit {NPM}", self.tools)
        if not os.path.exists(self.venv):
            self.shell(f"python3 -m venv venv && pip install -q {PIP}", self.tools)

    def source(self, name, commit):
        """The tree of the commit; made once."""
        src = os.path.join(self.folder, "src", name)
        if not os.path.exists(src):
            os.makedirs(src)
            self.shell(f"git -C '{self.checkouts}/{name}' archive {commit} | tar x", src)
            if name in PREPARE:
                self.shell(PREPARE[name], src)
        return src

    def convert(self, script, what, name, src, out, more=""):
        tracked = os.path.join(self.checkouts, name)
        python = os.path.join(self.venv, "bin", "python")
        script = os.path.join(HERE, script)
        self.shell(f"'{python}' '{script}' '{what}' . '{out}' --tracked '{tracked}' {more}", src)

    def typescript(self, name, src, raw, out):
        self.shell(f"scip-typescript index --output '{raw}' {TS_PROJECTS.get(name, '')}", src)
        self.convert("from_scip.py", raw, name, src, out)

    def javascript(self, name, src, raw, out):
        maker = os.path.join(HERE, "from_tsc.js")
        typescript = os.path.join(self.tools, "node_modules", "typescript")
        self.shell(f"node '{maker}' '{typescript}' . {JS_FOLDERS[name]} > '{raw}'", src)
        self.convert("from_rows.py", raw, name, src, out, "--unit utf-16")

    def python(self, name, src, raw, out):
        self.shell(f"scip-python index . --project-name {name} --project-version 0 --output '{raw}'", src)
        self.convert("from_scip.py", raw, name, src, out)

    def go(self, name, src, raw, out):
        maker = os.path.join(self.tools, "go_types")
        if not os.path.exists(maker):
            shutil.copytree(os.path.join(HERE, "go_types"), maker)
            self.shell(f"go mod init truth && go get {GO_TOOLS} && go mod tidy && go build -o truth .", maker)
        self.shell(f"go mod download && '{maker}/truth' . > '{raw}'", src)
        self.convert("from_rows.py", raw, name, src, out)

    def rust(self, name, src, raw, out):
        self.shell(f"rust-analyzer scip . --output '{raw}'", src)
        self.convert("from_scip.py", raw, name, src, out)

    def java(self, name, src, raw, out):
        group, artifact, version = SEMANTICDB.split(":")
        jar = os.path.expanduser(
            f"~/.m2/repository/{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar"
        )
        inside = ("api", "code", "comp", "file", "main", "model", "parser", "processing", "tree", "util")
        exports = " ".join(
            f"-J--add-exports=jdk.compiler/com.sun.tools.javac.{one}=ALL-UNNAMED" for one in inside
        )
        module = os.path.join(src, JAVA_ROOTS[name])
        self.shell(f"mvn -q dependency:get -Dartifact={SEMANTICDB} -Dtransitive=false", src)
        self.shell(f"mvn -q dependency:build-classpath -Dmdep.includeScope=test -Dmdep.outputFile='{raw}.cp'", module)
        self.shell(
            f"rm -rf '{raw}' && mkdir -p '{raw}/classes'"
            f" && find src -name '*.java' ! -name module-info.java > '{raw}.files'"
            f" && javac {exports} -proc:none -nowarn -d '{raw}/classes' -cp \"{jar}:$(cat '{raw}.cp')\""
            f" \"-Xplugin:semanticdb -sourceroot:{src} -targetroot:{raw}\" @'{raw}.files'",
            module,
        )
        self.convert("from_scip.py", raw, name, src, out)

    def c(self, name, src, raw, out):
        self.convert("from_clang.py", "compile_commands.json", name, src, out, f"--lib {LIBCLANG}")

    cpp = c

    def make(self, language, name, commit):
        src = self.source(name, commit)
        os.makedirs(os.path.join(self.folder, "raw"), exist_ok=True)
        os.makedirs(os.path.join(self.folder, language), exist_ok=True)
        raw = os.path.join(self.folder, "raw", name)
        getattr(self, language)(name, src, raw, os.path.join(self.folder, language, name + ".tsv"))

    def write_index(self, entries):
        with open(os.path.join(self.folder, "INDEX"), "w", encoding="utf-8") as file:
            for language, name, _ in entries:
                truth = os.path.join(self.folder, language, name + ".tsv")
                if os.path.exists(truth):
                    file.write(f"{language} {name} {self.checkouts}/{name} {truth}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkouts")
    parser.add_argument("work")
    parser.add_argument("names", nargs="*", metavar="name")
    args = parser.parse_args()
    with open(os.path.join(HERE, "repositories.tsv"), encoding="utf-8") as file:
        entries = [(r["language"], r["name"], r["commit"]) for r in csv.DictReader(file, delimiter="\t")]
    work = Work(args.checkouts, args.work)
    work.install()
    for language, name, commit in entries:
        if not args.names or name in args.names or language in args.names:
            work.make(language, name, commit)
    work.write_index(entries)


if __name__ == "__main__":
    main()
