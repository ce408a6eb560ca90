// SPDX-License-Identifier: MIT
// Counting tokens without a vocabulary.
//
// A tokenizer cuts a text into pieces by a pattern (words with the one mark or space before them,
// digits by three, marks, white space) and a piece into tokens by its vocabulary. The pattern is
// done here as o200k_base has it; instead of the vocabulary there are trained weights of the form of a
// piece: its length and shape, its runs of four bytes and itself by their hash,
// characters beyond ASCII by theirs. Their sum, put on a curve, is what the piece costs above one
// token. models/fit_tokens.mjs trains the weights and prints how good they are; it must agree with
// this file on every feature.
#include "token/token_count.h"

#include "base/utf8.h"
#include "embed_tokens.h"
#include "token/token_priv.h"

enum {
    BITS_RUN = 15,
    BITS_PIECE = 15,
    BITS_CODE = 14,
    UNIT = 32, // of weights and curve
    CURVE = 64,
    CURVE_FROM = -2 * UNIT,
    CURVE_STEP = UNIT / 8
};

// models/ken-tokens.bin, format 1.
typedef struct token_weights {
    uint8_t head[64];
    uint8_t curve[CURVE]; // tokens above one of each eighth of a sum
    int8_t shape[2048];
    int8_t block[512]; // of 256 characters
    int8_t run[1 << BITS_RUN];
    int8_t piece[1 << BITS_PIECE];
    int8_t code[1 << BITS_CODE];
} token_weights;

_Static_assert(sizeof(token_weights) == 64 + 64 + 2048 + 512 + 2 * 32768 + 16384, "format 1");

#define WEIGHTS ((const token_weights *)(const void *)ken_embed_tokens_ken_tokens_bin)

// Where the shapes of a kind of piece begin.
enum {
    SHAPE_WORD = 0,
    SHAPE_SPACE = 512,
    SHAPE_MARKS = 1400,
    WORD_LENGTHS = 25,
    RUN_LENGTHS = 100
};

enum {
    HASH_START = (int)2166136261u,
    HASH_PRIME = 16777619,
    CAPITALS_SALT = 0x5bd1
};

// The class of a character in the pattern.
typedef enum kind {
    MARK,
    LOWER,
    UPPER,
    LETTER, // of a script without case in the pattern
    DIGIT,
    SPACE,
    BREAK, // \n and \r
    HIGH,  // a byte from 0x80: to be decoded
} kind;

static const uint8_t kinds[256] = {
    ['a'] = LOWER,  ['b'] = LOWER,  ['c'] = LOWER, ['d'] = LOWER,  ['e'] = LOWER,  ['f'] = LOWER,
    ['g'] = LOWER,  ['h'] = LOWER,  ['i'] = LOWER, ['j'] = LOWER,  ['k'] = LOWER,  ['l'] = LOWER,
    ['m'] = LOWER,  ['n'] = LOWER,  ['o'] = LOWER, ['p'] = LOWER,  ['q'] = LOWER,  ['r'] = LOWER,
    ['s'] = LOWER,  ['t'] = LOWER,  ['u'] = LOWER, ['v'] = LOWER,  ['w'] = LOWER,  ['x'] = LOWER,
    ['y'] = LOWER,  ['z'] = LOWER,  ['A'] = UPPER, ['B'] = UPPER,  ['C'] = UPPER,  ['D'] = UPPER,
    ['E'] = UPPER,  ['F'] = UPPER,  ['G'] = UPPER, ['H'] = UPPER,  ['I'] = UPPER,  ['J'] = UPPER,
    ['K'] = UPPER,  ['L'] = UPPER,  ['M'] = UPPER, ['N'] = UPPER,  ['O'] = UPPER,  ['P'] = UPPER,
    ['Q'] = UPPER,  ['R'] = UPPER,  ['S'] = UPPER, ['T'] = UPPER,  ['U'] = UPPER,  ['V'] = UPPER,
    ['W'] = UPPER,  ['X'] = UPPER,  ['Y'] = UPPER, ['Z'] = UPPER,  ['0'] = DIGIT,  ['1'] = DIGIT,
    ['2'] = DIGIT,  ['3'] = DIGIT,  ['4'] = DIGIT, ['5'] = DIGIT,  ['6'] = DIGIT,  ['7'] = DIGIT,
    ['8'] = DIGIT,  ['9'] = DIGIT,  [' '] = SPACE, ['\t'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE,
    ['\n'] = BREAK, ['\r'] = BREAK,
#define HIGH_16(c)                                                                              \
    [c] = HIGH, [c + 1] = HIGH, [c + 2] = HIGH, [c + 3] = HIGH, [c + 4] = HIGH, [c + 5] = HIGH, \
    [c + 6] = HIGH, [c + 7] = HIGH, [c + 8] = HIGH, [c + 9] = HIGH, [c + 10] = HIGH,            \
    [c + 11] = HIGH, [c + 12] = HIGH, [c + 13] = HIGH, [c + 14] = HIGH, [c + 15] = HIGH
    HIGH_16(0x80),  HIGH_16(0x90),  HIGH_16(0xa0), HIGH_16(0xb0),  HIGH_16(0xc0),  HIGH_16(0xd0),
    HIGH_16(0xe0),  HIGH_16(0xf0),
};

typedef const unsigned char *at; // a place in the text

typedef struct counter {
    at end;
    uint64_t sum; // tokens * UNIT
} counter;

static uint32_t hash(uint32_t v, unsigned bits)
{
    return v * 0x9e3779b1u >> (32 - bits);
}

static kind kind_of_code(uint32_t code)
{
    int is = ken_token__kind_of(code);
    return is == KEN_TOKEN__LETTER ? LETTER : is == KEN_TOKEN__SPACE ? SPACE : MARK;
}

// A broken byte counts as its replacement character.
static size_t decode(at p, at end, uint32_t *out_code)
{
    size_t n = ken_utf8_next(ken_str_n((const char *)p, (size_t)(end - p)), out_code);
    if (!n)
        *out_code = 0xfffd;
    return n ? n : 1;
}

// The character at p, which is before the end, and its length.
static kind kind_of_next(at p, at end, size_t *out_len)
{
    *out_len = 1;
    if (kinds[*p] != HIGH)
        return kinds[*p];
    uint32_t code;
    *out_len = decode(p, end, &code);
    return kind_of_code(code);
}

static kind kind_at(at p, at end)
{
    size_t n;
    return p < end ? kind_of_next(p, end, &n) : BREAK;
}

static bool is_letter(kind k)
{
    return k == LOWER || k == UPPER || k == LETTER;
}

// Adds a piece whose weights sum to `w`.
static void add_piece(counter *c, int32_t w)
{
    int32_t bin = w < CURVE_FROM ? 0 : (w - CURVE_FROM) / CURVE_STEP;
    c->sum += UNIT + (uint32_t)(bin < CURVE ? WEIGHTS->curve[bin] : w);
}

// ---- features ----------------------------------------------------------------------------------

// Of all characters of a piece, which may be any.
static int32_t weigh_any(at p, at end, uint32_t salt)
{
    uint32_t run = 0, whole = (uint32_t)HASH_START, last = 0;
    int32_t w = 0;
    for (at from = p; p < end;) {
        uint32_t code = *p;
        at next = p + 1;
        if (code >= 0x80)
            next = p + decode(p, end, &code);
        whole = (whole ^ code) * HASH_PRIME;
        if (code >= 0x80) {
            uint32_t block = code >> 8;
            w += WEIGHTS->code[hash(code, BITS_CODE)];
            w += WEIGHTS->code[hash(code + last * 0x85ebca6bu, BITS_CODE)];
            w += WEIGHTS->block[block < 511 ? block : 511];
            run = 0;
        } else {
            run = run << 8 | (unsigned char)ken_lower((char)code);
            if (p > from)
                w += WEIGHTS->run[hash(run + salt, BITS_RUN)];
        }
        last = code;
        p = next;
    }
    return w + WEIGHTS->piece[hash(whole, BITS_PIECE)];
}

// The same of ASCII: marks, or a word with what may stand before it, whose case `fold` (0x20)
// hides.
static int32_t weigh_ascii(at p, at end, uint32_t salt, uint32_t fold)
{
    uint32_t run = (unsigned char)ken_lower((char)*p);
    uint32_t whole = ((uint32_t)HASH_START ^ *p) * HASH_PRIME;
    int32_t w = 0;
    while (++p < end) {
        whole = (whole ^ *p) * HASH_PRIME;
        run = run << 8 | *p | fold;
        w += WEIGHTS->run[hash(run + salt, BITS_RUN)];
    }
    return w + WEIGHTS->piece[hash(whole, BITS_PIECE)];
}

// ---- pieces ------------------------------------------------------------------------------------

typedef struct word {
    at end;
    uint32_t n, n_upper, n_lower; // characters, and the ASCII ones with case
    bool is_ascii;
} word;

// Takes characters of this case, and of scripts without case.
static void take_case(word *w, at end, kind wanted)
{
    uint32_t *n = wanted == UPPER ? &w->n_upper : &w->n_lower;
    for (; w->end < end; w->n++) {
        if (kinds[*w->end] == wanted) {
            w->end++;
            ++*n;
            continue;
        }
        size_t len;
        if (kinds[*w->end] != HIGH || kind_of_next(w->end, end, &len) != LETTER)
            return;
        w->end += len;
        w->is_ascii = false;
    }
}

// 's 't 'm 'd 're 've 'll belong to the word before them.
static void take_ending(word *w, at end)
{
    if (end - w->end < 2 || *w->end != '\'')
        return;
    char a = ken_lower((char)w->end[1]);
    size_t n = a == 's' || a == 't' || a == 'm' || a == 'd' ? 1 : 0;
    if (!n && end - w->end >= 3) {
        char b = ken_lower((char)w->end[2]);
        n = ((a == 'r' || a == 'v') && b == 'e') || (a == 'l' && b == 'l') ? 2 : 0;
    }
    if (!n)
        return;
    for (size_t i = 1; i <= n; i++)
        ++*(ken_is_upper((char)w->end[i]) ? &w->n_upper : &w->n_lower);
    w->end += n + 1;
    w->n += (uint32_t)n + 1;
}

enum {
    ALL_LOWER,
    ONE_CAPITAL,
    ALL_CAPITALS,
    MIXED_CASE,
    OTHER_SCRIPT,
    N_SHAPES
};

static uint32_t shape_of(const word *w)
{
    if (!w->is_ascii)
        return OTHER_SCRIPT;
    if (!w->n_upper)
        return ALL_LOWER;
    if (!w->n_lower && w->n_upper > 1)
        return ALL_CAPITALS;
    return w->n_upper == 1 ? ONE_CAPITAL : MIXED_CASE;
}

// Capitals, then small letters, with what stands from `p` to `letters` before them.
static at count_word(counter *c, at p, at letters)
{
    word w = { .end = letters, .is_ascii = true };
    take_case(&w, c->end, UPPER);
    take_case(&w, c->end, LOWER);
    take_ending(&w, c->end);
    w.is_ascii = w.is_ascii && *p < 0x80;
    uint32_t shape = shape_of(&w), salt = shape == ALL_CAPITALS ? CAPITALS_SALT : 0;
    uint32_t before = p == letters ? 0 : *p == ' ' ? 1 : 2;
    uint32_t n = w.n < WORD_LENGTHS ? w.n : WORD_LENGTHS - 1;
    int32_t sum = w.is_ascii ? weigh_ascii(p, w.end, salt, 0x20) : weigh_any(p, w.end, salt);
    add_piece(c, sum + WEIGHTS->shape[SHAPE_WORD + (before * N_SHAPES + shape) * WORD_LENGTHS + n]);
    return w.end;
}

// Marks, and the line ends and slashes behind them; p may be a space before the first.
static at count_marks(counter *c, at p)
{
    at q = p + 1;
    size_t len;
    uint32_t n = 1;
    bool is_ascii = kinds[*p] != HIGH;
    if (!is_ascii) {
        (void)kind_of_next(p, c->end, &len);
        q = p + len;
    }
    while (q < c->end && kind_of_next(q, c->end, &len) == MARK) {
        is_ascii = is_ascii && kinds[*q] != HIGH;
        q += len;
        n++;
    }
    while (q < c->end && (kinds[*q] == BREAK || *q == '/')) {
        q++;
        n++;
    }
    n = n < RUN_LENGTHS ? n : RUN_LENGTHS - 1;
    int32_t sum = is_ascii ? weigh_ascii(p, q, 0, 0) : weigh_any(p, q, 0);
    add_piece(c, sum + WEIGHTS->shape[SHAPE_MARKS + n]);
    return q;
}

static at count_digits(counter *c, at p)
{
    at q = p;
    while (q < c->end && kinds[*q] == DIGIT)
        q++;
    c->sum += (uint64_t)(q - p + 2) / 3 * UNIT;
    return q;
}

// The kinds of white space.
static uint32_t space_mark(unsigned char c)
{
    return c == ' ' ? 1 : c == '\t' ? 2 : c == '\n' ? 4 : c == '\r' ? 8 : 16;
}

// White space without the one that belongs to what follows: up to the last line end, else all but
// the last character.
static at count_space(counter *c, at p)
{
    static const uint8_t of_marks[8] = { 0, 0, 1, 5, 2, 3, 4, 5 };
    at q = p, cut = NULL, last = p;
    uint32_t n = 0, n_cut = 0, marks = 0, marks_cut = 0, marks_last = 0;
    for (size_t len; q < c->end; q += len) {
        kind k = kind_of_next(q, c->end, &len);
        if (k != SPACE && k != BREAK)
            break;
        last = q;
        marks_last = marks;
        marks |= space_mark(*q);
        n++;
        if (k == BREAK) {
            cut = q + 1;
            n_cut = n;
            marks_cut = marks;
        }
    }
    if (cut) {
        q = cut;
        n = n_cut;
        marks = marks_cut;
    } else if (q < c->end && n > 1) {
        q = last;
        n--;
        marks = marks_last;
    }
    uint32_t is = marks & 16 ? 7 : marks & 8 ? 6 : of_marks[marks];
    uint32_t length = n < RUN_LENGTHS ? n : RUN_LENGTHS - 1;
    add_piece(c, WEIGHTS->shape[SHAPE_SPACE + is * RUN_LENGTHS + length]);
    c->sum += (uint64_t)(n / RUN_LENGTHS) * UNIT;
    return q;
}

static at count_piece(counter *c, at p)
{
    size_t len;
    kind k = kind_of_next(p, c->end, &len);
    if (is_letter(k))
        return count_word(c, p, p);
    if (k == DIGIT)
        return count_digits(c, p);
    kind next = kind_at(p + len, c->end);
    if (k != BREAK && is_letter(next))
        return count_word(c, p, p + len);
    if (k == MARK || (*p == ' ' && next == MARK))
        return count_marks(c, p);
    return count_space(c, p);
}

uint32_t ken_count_tokens(ken_str text)
{
    if (!text.len)
        return 0;
    at p = (at)text.ptr;
    counter c = { .end = p + text.len };
    while (p < c.end)
        p = count_piece(&c, p);
    uint64_t n = (c.sum + UNIT / 2) / UNIT;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}
