// SPDX-License-Identifier: MIT
// The counts that ken's own are tested against (tests/golden/tokens/counts.tsv) are those of the real
// tokenizer. After a change of one of the files: node tests/clients/tokens.test.mjs write
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';

const root = path.join(import.meta.dirname, '..', '..');
const golden = path.join(root, 'tests/golden/tokens/counts.tsv');
// Of files that nobody edits while working on something else.
const folders = [
  'bench/retrieval-words-withheld/queries', 'tests/data/tokenizer',
  'tests/golden/embed', 'tests/golden/tokens',
];

function counts() {
  const lines = [];
  for (const folder of folders) {
    for (const name of fs.readdirSync(path.join(root, folder)).sort()) {
      const file = path.join(root, folder, name);
      if (file === golden || !fs.statSync(file).isFile()) continue;
      const text = fs.readFileSync(file, 'utf8');
      lines.push([`${folder}/${name}`, Buffer.byteLength(text), o200k(text), cl100k(text)].join('\t'));
    }
  }
  return `file\tbytes\to200k_base\tcl100k_base\n${lines.join('\n')}\n`;
}

if (process.argv[2] === 'write') {
  fs.writeFileSync(golden, counts());
} else {
  test('the reference counts are those of the tokenizer', () => {
    assert.equal(counts(), fs.readFileSync(golden, 'utf8'));
  });
}
