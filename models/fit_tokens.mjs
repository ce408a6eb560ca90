// SPDX-License-Identifier: MIT
// fit_tokens.mjs -- learns what a piece of text costs in tokens, from a real tokenizer.
//
//   tests/clients/run                                      once: fetches the tokenizer
//   node models/fit_tokens.mjs OUT.bin train NAME=DIR... test NAME=DIR...
//
// The tokenizer (o200k_base) cuts a text into pieces by a pattern and each piece into tokens by its
// vocabulary. ken cuts by the same pattern (src/token/token_count.c) and sums learnt weights of what a
// piece looks like instead of looking into a vocabulary: its length and shape, its runs of four letters
// and itself, the last two by hash. The sum is not yet a number of tokens: a curve makes one of it.
//
// What is read: text files of 1 to 300 KB, at most 4 MB of a folder, evenly spread; some of what is
// learnt from a second time with \r\n. What is printed: how far the weights, as they are written, are from
// the tokenizer in each folder.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(new URL('../tests/clients/package.json', import.meta.url));
const o200k = require('gpt-tokenizer/encoding/o200k_base');

let role = 'train'; // of the folders that follow on the command line

// ---- reading --------------------------------------------------------------------------------------
const TAIL = "(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?";
const PIECE = new RegExp(
  `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+${TAIL}|` +
  `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*${TAIL}|` +
  '\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+', 'gu');
const MAX_FOLDER = 4e6;
const TEXT = /\.(py|pyi|js|jsx|mjs|ts|tsx|go|rs|c|h|cc|cpp|hpp|md|rst|java|kt|kts|cs|swift|scala|hs|rb|php|lua|exs?|zig|bash|bats|sh|json|ya?ml|txt|html|css|toml|sql|xml|csv|[1-8])$/;

const ids = new Map(), pieces = [], cost = []; // all folders together
const files = [];                              // { folder, name, ids, tokens }

function add(folder, name, text) {
  const found = text.match(PIECE) ?? [];
  const list = new Uint32Array(found.length);
  let tokens = 0;
  for (let i = 0; i < found.length; i++) {
    let id = ids.get(found[i]);
    if (id === undefined) {
      id = pieces.length;
      ids.set(found[i], id);
      pieces.push(found[i]);
      cost.push(o200k.countTokens(found[i]));
    }
    list[i] = id;
    tokens += cost[id];
  }
  files.push({ folder, name, ids: list, tokens });
}

function readFolder(folder, dir) {
  const list = [];
  const walk = (at) => {
    for (const e of fs.readdirSync(at, { withFileTypes: true })) {
      const p = path.join(at, e.name);
      if (e.isDirectory() && !['.git', 'build', 'bpeRanks'].includes(e.name)) walk(p);
      else if (e.isFile() && TEXT.test(e.name) && !e.name.includes('lock')) list.push([p, fs.statSync(p).size]);
    }
  };
  walk(dir);
  const fit = list.filter(([, size]) => size > 1000 && size < 300e3).sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const share = Math.min(1, MAX_FOLDER / fit.reduce((sum, [, size]) => sum + size, 0));
  let due = 0;
  for (const [p] of fit) {
    due += share;
    if (due < 0.999) continue;
    due -= 1;
    const text = fs.readFileSync(p, 'utf8');
    if (text.includes('\ufffd')) continue;
    add(folder, p, text);
    if (role === 'train' && files.length % 12 === 0) add('carriage returns', p, text.replace(/\r?\n/g, '\r\n'));
  }
}

// What repositories have too little of: pictures, keys, sums, runs of one mark.
let seed = 1;
function random(n) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 4294967296 * n);
}
function addMade() {
  const pictures = [];
  for (let c = 0x2190; c < 0x1fb00; c++)
    if (/\p{So}|\p{Sm}/u.test(String.fromCodePoint(c))) pictures.push(String.fromCodePoint(c));
  const sets = ['0123456789abcdef', '0123456789ABCDEF', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'];
  let text = '';
  for (let i = 0; i < 12000; i++) {
    const p = pictures[random(pictures.length)];
    text += [p, ` ${p}`, `${p}\ufe0f `, p + pictures[random(pictures.length)]][i % 4] + (i % 3 ? ' ' : 'x');
  }
  for (let i = 0; i < 6000; i++) {
    const set = sets[i % 3], n = 8 + random(60);
    for (let k = 0; k < n; k++) text += set[random(set.length)];
    text += i % 7 ? ' ' : '\n';
  }
  for (const mark of '-=*#_~/.+')
    for (let n = 1; n < 200; n++) text += mark.repeat(n) + (n % 2 ? '\n' : ' ');
  add('made', 'made', text);
}

// ---- what a piece looks like: as token_count.c has it ---------------------------------------------
const BITS_RUN = 15, BITS_PIECE = 15, BITS_CODE = 14;
const N_SHAPE = 2048;
const AT_BLOCK = N_SHAPE, AT_RUN = AT_BLOCK + 512, AT_PIECE = AT_RUN + (1 << BITS_RUN);
const AT_CODE = AT_PIECE + (1 << BITS_PIECE), N_WEIGHTS = AT_CODE + (1 << BITS_CODE);
const hash = (v, bits) => Math.imul(v, 0x9e3779b1) >>> (32 - bits);
const isLower = (c) => c >= 97 && c <= 122, isUpper = (c) => c >= 65 && c <= 90;
const isLetter = (c) => c !== undefined &&
  (isLower(c) || isUpper(c) || (c >= 128 && /[\p{L}\p{M}]/u.test(String.fromCodePoint(c))));

function spaceShape(codes) {
  let marks = 0;
  for (const c of codes) marks |= c === 32 ? 1 : c === 9 ? 2 : c === 10 ? 4 : c === 13 ? 8 : 16;
  const kind = [0, 0, 1, 5, 2, 3, 4, 5][marks] ?? (marks & 16 ? 7 : 6);
  return 512 + kind * 100 + Math.min(99, codes.length);
}

function features(piece) {
  const codes = Array.from(piece, (c) => c.codePointAt(0));
  if (/^\p{N}/u.test(piece) && codes[0] < 128) return null;
  if (/^\s+$/.test(piece)) return [spaceShape(codes)];
  const out = [];
  let salt = 0;
  if (isLetter(codes[0]) || isLetter(codes[1])) {
    const before = isLetter(codes[0]) ? 0 : codes[0] === 32 ? 1 : 2;
    const n = Math.min(24, codes.length - (before ? 1 : 0));
    const upper = codes.filter(isUpper).length, lower = codes.filter(isLower).length;
    let shape = upper === 0 ? 0 : lower === 0 && upper > 1 ? 2 : upper === 1 ? 1 : 3;
    if (codes.some((c) => c >= 128)) shape = 4;
    if (shape === 2) salt = 0x5bd1;
    out.push((before * 5 + shape) * 25 + n);
  } else {
    out.push(1400 + Math.min(99, codes.length));
  }
  let run = 0, whole = 2166136261, last = 0;
  codes.forEach((c, k) => {
    whole = Math.imul(whole ^ c, 16777619);
    if (c >= 128) {
      out.push(AT_CODE + hash(c, BITS_CODE), AT_CODE + hash(c + Math.imul(last, 0x85ebca6b), BITS_CODE));
      out.push(AT_BLOCK + Math.min(511, c >> 8));
      run = 0;
    } else {
      run = (run << 8) | (isUpper(c) ? c | 32 : c);
      if (k > 0) out.push(AT_RUN + hash(run + salt, BITS_RUN));
    }
    last = c;
  });
  out.push(AT_PIECE + hash(whole, BITS_PIECE));
  return out;
}

// ---- learning -------------------------------------------------------------------------------------
const UNIT = 32; // weights are signed bytes of 1/32
const EPOCHS = 30, RATE = 0.4, MOST = 5000;
const link = (z) => (z > 1 ? z : z < -1 ? 0 : (z + 1) * (z + 1) / 4);

function learn(list, feats, times) {
  const w = new Float32Array(N_WEIGHTS), g = new Float32Array(N_WEIGHTS).fill(1);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let i = list.length - 1; i > 0; i--) {
      const j = random(i + 1);
      [list[i], list[j]] = [list[j], list[i]];
    }
    const rate = RATE * (1 - epoch / EPOCHS) + 0.01;
    for (const id of list) {
      const f = feats[id], y = cost[id] - 1;
      let z = 0;
      for (const x of f) z += w[x];
      const slope = z > 1 ? 1 : z < -1 ? 0 : (z + 1) / 2;
      let step = (link(z) - y) * Math.max(slope, y > 0 ? 0.25 : 0);
      if (step === 0) continue;
      step = Math.max(-3, Math.min(3, step)) * Math.sqrt(Math.min(times[id], MOST));
      const norm = rate / Math.sqrt(f.length);
      for (const x of f) {
        const s = step + 1e-4 * w[x];
        g[x] += s * s;
        w[x] -= norm * s / Math.sqrt(g[x]);
      }
    }
  }
  return Int8Array.from(w, (v) => Math.max(-127, Math.min(127, Math.round(v * UNIT))));
}

// The curve: mean tokens above one of the pieces whose sum falls into each quarter of a token, from -2
// to 6, made to rise. Beyond it the sum itself.
const CURVE = 64, CURVE_FROM = -2 * UNIT, CURVE_STEP = UNIT / 8;
const sumOf = (w, f) => f.reduce((s, x) => s + w[x], 0);
const binOf = (s) => Math.max(0, Math.floor((s - CURVE_FROM) / CURVE_STEP));
function curveOf(list, feats, times, w) {
  const parts = [];
  const sum = new Float64Array(CURVE), n = new Float64Array(CURVE).fill(1e-9);
  for (const id of list) {
    const bin = binOf(sumOf(w, feats[id]));
    if (bin >= CURVE) continue;
    sum[bin] += times[id] * (cost[id] - 1);
    n[bin] += times[id];
  }
  for (let b = 0; b < CURVE; b++) {
    parts.push([sum[b], n[b], 1]);
    while (parts.length > 1 && parts.at(-2)[0] / parts.at(-2)[1] >= parts.at(-1)[0] / parts.at(-1)[1]) {
      const top = parts.pop(), under = parts.at(-1);
      for (let k = 0; k < 3; k++) under[k] += top[k];
    }
  }
  return Uint8Array.from(parts.flatMap(([s, m, k]) => Array(k).fill(Math.round(s / m * UNIT))));
}

// ---- the whole ------------------------------------------------------------------------------------
const [out, ...words] = process.argv.slice(2);
const tests = new Set();
for (const word of words) {
  if (word === 'train' || word === 'test') { role = word; continue; }
  const [name, dir] = word.split('=');
  if (role === 'test') tests.add(name);
  readFolder(name, dir);
}
addMade();
const times = new Float64Array(pieces.length);
for (const f of files) if (!tests.has(f.folder)) for (const id of f.ids) times[id]++;
const feats = pieces.map(features);
const list = pieces.map((_, id) => id).filter((id) => times[id] && feats[id]);
const weights = learn(list, feats, times), curve = curveOf(list, feats, times, weights);

const head = Buffer.alloc(64);
head.write('KENT');
head.writeUInt32LE(1, 4);
[BITS_RUN, BITS_PIECE, BITS_CODE, UNIT].forEach((v, i) => head.writeUInt32LE(v, 8 + 4 * i));
fs.writeFileSync(out, Buffer.concat([head, curve, Buffer.from(weights.buffer)]));

const modelled = pieces.map((_, id) => {
  if (!feats[id]) return 1;
  const sum = sumOf(weights, feats[id]), bin = binOf(sum);
  return 1 + (bin < CURVE ? curve[bin] : sum) / UNIT;
});
let all = [];
for (const folder of new Set(files.map((f) => f.folder))) {
  let real = 0, mine = 0;
  const errors = [];
  for (const f of files) {
    if (f.folder !== folder) continue;
    const m = f.ids.reduce((s, id) => s + modelled[id], 0);
    real += f.tokens;
    mine += m;
    if (f.tokens >= 500) errors.push([Math.abs(m / f.tokens - 1), f.name, m / f.tokens - 1]);
  }
  errors.sort((a, b) => a[0] - b[0]);
  const mean = errors.reduce((s, e) => s + e[0], 0) / errors.length;
  if (tests.has(folder)) all.push(...errors);
  console.log((tests.has(folder) ? 'test  ' : 'train ') + folder.padEnd(20), `files ${errors.length}`.padEnd(11),
    `sum ${(100 * (mine / real - 1)).toFixed(2)} %`.padEnd(12), `mean ${(100 * mean).toFixed(2)} %`.padEnd(12),
    `over 5 %: ${errors.filter((e) => e[0] > 0.05).length}`);
}
all.sort((a, b) => b[0] - a[0]);
console.log(`test files ${all.length}: mean ${(100 * all.reduce((s, e) => s + e[0], 0) / all.length).toFixed(2)} %, ` +
  `95th percentile ${(100 * all[Math.floor(all.length / 20)][0]).toFixed(2)} %, over 5 %: ${all.filter((e) => e[0] > 0.05).length}`);
if (process.env.WORST) for (const e of all.slice(0, +process.env.WORST)) console.log((100 * e[2]).toFixed(1), e[1]);
