#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_gguf.py FOLDER OUT.gguf: a BERT-like sentence encoder, as its authors publish it
(config.json, vocab.txt, model.safetensors), as the GGUF file that llama.cpp and Ollama read.

Numbers stay 32-bit floats, which are the fastest on a processor that the server was not built for.
Needs the PyPI packages gguf and numpy.
"""

import json
import struct
import sys
from pathlib import Path

import gguf
import numpy

TYPES = {"F32": numpy.float32, "F16": numpy.float16}
NORMAL, CONTROL = 1, 3
SPACE = "\u2581"

# What comes before ".weight" and ".bias", theirs and GGUF's; "{}" is the number of a layer.
WHOLE = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def tensors(path):
    """name -> array, of a safetensors file."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    for name, t in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and t["dtype"] in TYPES:
            begin, end = t["data_offsets"]
            raw = data[8 + size + begin:8 + size + end]
            yield name, numpy.frombuffer(raw, TYPES[t["dtype"]]).reshape(t["shape"])


def their_name(name):
    """The name in GGUF; None for what llama.cpp has no use for: the pooler of BERT's training."""
    stem, kind = name.rsplit(".", 1)
    if stem in WHOLE:
        return f"{WHOLE[stem]}.{kind}"
    if not stem.startswith("encoder.layer."):
        return None
    _, _, number, rest = stem.split(".", 3)
    return f"blk.{number}.{LAYER[rest]}.{kind}"


def piece(word):
    """BERT marks how words go on, GGUF how they begin."""
    if word.startswith("[") and word.endswith("]"):
        return word
    return word[2:] if word.startswith("##") else SPACE + word


def put_tokens(w, folder):
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    special = {f"[{s}]": words.index(f"[{s}]") for s in ("UNK", "SEP", "PAD", "CLS", "MASK")}
    w.add_tokenizer_model("bert")
    w.add_token_list([piece(word) for word in words])
    w.add_token_types([CONTROL if word in special else NORMAL for word in words])
    w.add_token_type_count(2)
    w.add_unk_token_id(special["[UNK]"])
    w.add_sep_token_id(special["[SEP]"])
    w.add_pad_token_id(special["[PAD]"])
    w.add_mask_token_id(special["[MASK]"])
    w.add_bos_token_id(special["[CLS]"])
    w.add_eos_token_id(special["[SEP]"])


def main():
    folder, out = Path(sys.argv[1]), sys.argv[2]
    config = json.loads((folder / "config.json").read_text())
    w = gguf.GGUFWriter(out, "bert")
    w.add_name("all-MiniLM-L6-v2")
    w.add_block_count(config["num_hidden_layers"])
    w.add_context_length(config["max_position_embeddings"])
    w.add_embedding_length(config["hidden_size"])
    w.add_feed_forward_length(config["intermediate_size"])
    w.add_head_count(config["num_attention_heads"])
    w.add_layer_norm_eps(config["layer_norm_eps"])
    w.add_causal_attention(False)
    w.add_pooling_type(gguf.PoolingType.MEAN)
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    put_tokens(w, folder)
    for name, values in tensors(folder / "model.safetensors"):
        theirs = their_name(name)
        if not theirs:
            continue
        w.add_tensor(theirs, values.astype(numpy.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


if __name__ == "__main__":
    main()
