#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tokens.jsonl and tests/data/tokenizer/: what Hugging Face's own tokenizer makes of texts.

    pip install tokenizers==0.23.3
    tests/golden/embed/make_tokens.py

The vocabulary is made here, from characters and some words of code; the texts are fixed ones that
hurt, and random ones from a fixed seed.
"""

import json
import random
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data" / "tokenizer"

WORDS = """the of int char void return static const struct def class self import from function
retry back off error file path name value token search index query store read write open close
un want ##ed ##ing ##er ##s ##able ##tion ##run ##name ##path ##size runn jump ##ly naive cafe
uber strasse 123 404 ##00 2026""".split()

FIXED = [
    "",
    " ",
    "\t\n",
    "the function returns the name of a file",
    "UNWANTEDable runningly",
    "int main(void) { return 404; } // naïve café Über Straße",
    "snake_case_name camelCaseName kebab-case $var @attr #define a->b x::y",
    "a" * 100,
    "a" * 101,
    "é" * 100 + " " + "é" * 101,
    "e\u0301a\u0300 o\u0308\u0323 \u1e69 \u0130stanbul \u0131 \u00df \u1e9e",
    "中文字符 and 日本語テキスト 한국어 텍스트",
    "\uf900\u2f81a \u3400 \u4dbf \u4e00 \u9fff \U00020000",
    "zero\u200bwidth\u200djoiner\u00adsoft\ufeffbom\u2060",
    "a\u00a0b\u2003c\u3000d\u2028e\u0085f\u000bg\u000ch",
    "\x01\x02control\x7f\x1b[31mred\x1b[0m",
    "“quotes” ‘single’ – dash — em … ¡hola! ¿qué? «x» 、。",
    "€ £ ¥ ₹ © ® ™ ° ± × ÷ ∑ √ ∞ → ← ⇒",
    "^caret `tick ~tilde |pipe +plus =eq <lt >gt $dollar",
    "emoji \U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "Ω Å ﬁ ﬃ ½ ² Ⅷ ① ｆｕｌｌ",
    "ÅNGSTRÖM ÇEDILLA ÑANDÚ ĞÜŞİÖÇ",
    "Привет МИР ёж Ёлка й",
    "Ελληνικά ΆΈΉ ΐ ς Σ \u037e",
    "العربية مُحَمَّد עִבְרִית हिन्दी ไทย",
    "\ufffd replaced \ufffd",
    "\ue000 private \U000f0000",
    "unassigned \u0378 \U000e0fff end",
    "x\u0300\u0301\u0302\u0303y",
    "http://example.com/a/b?c=d&e=f#g 1.5e-10 0xFF 1_000",
    "if (a<b&&c>=d||!e) {x[i]+=y*z%2;}",
]

RANGES = [(0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x2000, 0x22FF),
          (0x4E00, 0x4EFF), (0xAC00, 0xACFF), (0x1E00, 0x1FFF), (0x3000, 0x30FF), (0xFB00, 0xFB06)]


def vocabulary():
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    chars = [chr(c) for c in range(0x21, 0x7F)]
    chars += list("äöüßéèàçñøåæœłıσςабвгдежзийклмнопрстуфхцчшщъыьэюяαβγδεηιλκνοπρτω中文字日本語テキスト한국")
    chars += [chr(c) for c in (0x1112, 0x1161, 0x11AB, 0x110C, 0x1100, 0x20AC, 0x2192, 0x1F600)]
    for c in chars:
        pieces += [c, "##" + c]
    pieces += [w for w in WORDS]
    seen = dict.fromkeys(pieces)
    return {p: i for i, p in enumerate(seen)}


def make(vocab, **normalizer):
    t = Tokenizer(WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = BertNormalizer(**normalizer)
    t.pre_tokenizer = BertPreTokenizer()
    t.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[
        ("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])])
    return t


def random_texts(n):
    rng = random.Random(20261121)
    for _ in range(n):
        parts = []
        for _ in range(rng.randint(1, 8)):
            low, high = rng.choice(RANGES)
            parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 6))))
            if rng.random() < 0.5:
                parts.append(rng.choice(WORDS).lstrip("#"))
        yield rng.choice(["", " "]).join(parts)


def main():
    vocab = vocabulary()
    variants = {
        "uncased.json": dict(lowercase=True),
        "cased.json": dict(lowercase=False, strip_accents=False),
        "accents.json": dict(lowercase=True, strip_accents=False),
        "joined.json": dict(lowercase=False, strip_accents=True, handle_chinese_chars=False,
                            clean_text=False),
    }
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / "vocab.txt").write_text("".join(p + "\n" for p in vocab))
    texts = FIXED + list(random_texts(300))
    lines = []
    for name, options in variants.items():
        t = make(vocab, **options)
        t.save(str(DATA / name), pretty=False)
        for text in texts:
            lines.append({"tokenizer": name, "text": text, "ids": t.encode(text).ids})
    out = "".join(json.dumps(x, separators=(",", ":")) + "\n" for x in lines)
    (HERE / "tokens.jsonl").write_text(out)


if __name__ == "__main__":
    main()
