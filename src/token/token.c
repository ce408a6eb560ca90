// SPDX-License-Identifier: MIT
#include "token/token.h"

// The class of a byte of a token, or the second byte of a letter that has case.
enum {
    SECOND_BYTE = KEN_TOKEN_OTHER + 1
};

enum {
    FINAL_SIGMA = 0x3c2 // folds, but is small
};

#define TIMES_4(c)  c, c, c, c
#define TIMES_10(c) TIMES_4(c), TIMES_4(c), c, c
#define TIMES_26(c) TIMES_10(c), TIMES_10(c), TIMES_4(c), c, c
#define TIMES_32(c) TIMES_26(c), TIMES_4(c), c, c
#define NONE        KEN_TOKEN_NONE
#define MARK        KEN_TOKEN_MARK

const uint8_t ken_token_classes[256] = {
    TIMES_32(NONE),            // controls
    TIMES_4(NONE),             // space to #
    MARK,                      // $
    TIMES_10(NONE),            // % to .
    NONE,                      // the slash
    TIMES_10(KEN_TOKEN_DIGIT), // 0 to 9
    TIMES_4(NONE),             // : to =
    NONE,                      // >
    NONE,                      // ?
    NONE,                      // @
    TIMES_26(KEN_TOKEN_UPPER), // A to Z
    TIMES_4(NONE),             // [ to ^
    MARK,                      // _
    NONE,                      // `
    TIMES_26(KEN_TOKEN_LOWER), // a to z
    TIMES_4(NONE),             // { to ~
    NONE,                      // delete
    TIMES_32(KEN_TOKEN_OTHER), // 0x80
    TIMES_32(KEN_TOKEN_OTHER), // 0xa0
    TIMES_32(KEN_TOKEN_OTHER), // 0xc0
    TIMES_32(KEN_TOKEN_OTHER), // 0xe0
};

bool ken_token_next(ken_str *rest, ken_str *out_token)
{
    const char *p = rest->ptr, *end = p + rest->len;
    while (p < end && !ken_token_class(*p))
        p++;
    const char *from = p;
    bool is_number = p < end && ken_token_class(*p) == KEN_TOKEN_DIGIT;
    while (p < end && ken_token_class(*p) && !(is_number && ken_token_class(*p) == KEN_TOKEN_MARK))
        p++;
    *out_token = ken_str_n(from, (size_t)(p - from));
    *rest = ken_str_n(p, (size_t)(end - p));
    return out_token->len > 0;
}

// ---- case --------------------------------------------------------------------------------------

// Simple case folding (CaseFolding.txt of Unicode, status C) as far as two bytes stay two. With a
// step of two capitals and small letters alternate.
static const struct {
    uint16_t first, last, step;
    int16_t distance;
} folds[] = {
    { 0xc0, 0xd6, 1, 32 },     { 0xd8, 0xde, 1, 32 },   { 0x100, 0x12e, 2, 1 },
    { 0x132, 0x136, 2, 1 },    { 0x139, 0x147, 2, 1 },  { 0x14a, 0x176, 2, 1 },
    { 0x178, 0x178, 1, -121 }, { 0x179, 0x17d, 2, 1 },  { 0x386, 0x386, 1, 38 },
    { 0x388, 0x38a, 1, 37 },   { 0x38c, 0x38c, 1, 64 }, { 0x38e, 0x38f, 1, 63 },
    { 0x391, 0x3a1, 1, 32 },   { 0x3a3, 0x3ab, 1, 32 }, { FINAL_SIGMA, FINAL_SIGMA, 1, 1 },
    { 0x3d8, 0x3ee, 2, 1 },    { 0x400, 0x40f, 1, 80 }, { 0x410, 0x42f, 1, 32 },
    { 0x460, 0x480, 2, 1 },    { 0x48a, 0x4be, 2, 1 },  { 0x4c0, 0x4c0, 1, 15 },
    { 0x4c1, 0x4cd, 2, 1 },    { 0x4d0, 0x52e, 2, 1 },
};

static uint32_t fold_code(uint32_t code)
{
    for (size_t i = 0; i < sizeof folds / sizeof *folds && folds[i].first <= code; i++)
        if (code <= folds[i].last && (code - folds[i].first) % folds[i].step == 0)
            return (uint32_t)((int32_t)code + folds[i].distance);
    return code;
}

// The letter of two bytes at the front, of a script that has case; else 0.
static uint32_t wide_letter(const char *at, size_t len)
{
    unsigned char a = (unsigned char)at[0], b = len > 1 ? (unsigned char)at[1] : 0;
    uint32_t code = (a & 0x1fu) << 6 | (b & 0x3fu);
    bool is_letter = a >= 0xc3 && a <= 0xd4 && (b & 0xc0) == 0x80 && code < 0x530 &&
                     !(code >= 0x2b0 && code < 0x370); // modifiers and combining marks
    return is_letter ? code : 0;
}

// Folds text[0, len) in place; `kinds` gets the class of each byte before that, and may be NULL.
static void fold(char *text, size_t len, uint8_t *kinds)
{
    uint8_t unwanted[2] = { 0 };
    for (size_t i = 0; i < len; i++) {
        uint8_t *kind = kinds ? kinds + i : unwanted;
        *kind = ken_token_class(text[i]);
        if (*kind == KEN_TOKEN_UPPER)
            text[i] = ken_lower(text[i]);
        uint32_t code = *kind == KEN_TOKEN_OTHER ? wide_letter(text + i, len - i) : 0;
        if (!code)
            continue;
        uint32_t small = fold_code(code);
        kind[0] = small == code || code == FINAL_SIGMA ? KEN_TOKEN_LOWER : KEN_TOKEN_UPPER;
        kind[1] = SECOND_BYTE;
        text[i] = (char)(0xc0 | small >> 6);
        text[++i] = (char)(0x80 | (small & 0x3f));
    }
}

void ken_token_fold(char *text, size_t len)
{
    fold(text, len, NULL);
}

// ---- parts -------------------------------------------------------------------------------------

// Of URLs and IDs: what follows the capitals is an "s", and with it the word ends.
static bool is_plural(const char *text, const uint8_t *kinds, size_t n, size_t len)
{
    return text[n] == 's' &&
           (n + 1 == len || (kinds[n + 1] != KEN_TOKEN_LOWER && kinds[n + 1] != KEN_TOKEN_OTHER));
}

// Length of the part at the front: [A-Z]+(?![a-z]) | [A-Z]{2,}s(?![a-z]) | [A-Z]?[a-z]+ | [0-9]+;
// letters without case go with small ones.
static size_t part_len(const char *text, const uint8_t *kinds, size_t len)
{
    size_t n = 1, last = 0;
    if (kinds[0] == KEN_TOKEN_DIGIT) {
        while (n < len && kinds[n] == KEN_TOKEN_DIGIT)
            n++;
        return n;
    }
    if (kinds[0] == KEN_TOKEN_UPPER) {
        for (; n < len && (kinds[n] == KEN_TOKEN_UPPER || kinds[n] == SECOND_BYTE); n++)
            if (kinds[n] == KEN_TOKEN_UPPER)
                last = n;
        if (n == len || kinds[n] != KEN_TOKEN_LOWER)
            return n;
        if (last)
            return is_plural(text, kinds, n, len) ? n + 1 : last; // HTTPServer: HTTP, Server
    }
    while (n < len && (kinds[n] == KEN_TOKEN_LOWER || kinds[n] >= KEN_TOKEN_OTHER))
        n++;
    return n;
}

void ken_token_split(ken_str token, ken_token_parts *out)
{
    char folded[KEN_TOKEN_MAX];
    uint8_t kinds[KEN_TOKEN_MAX];
    size_t end = token.len < KEN_TOKEN_MAX ? token.len : KEN_TOKEN_MAX;
    out->n_parts = 0;
    size_t len = 0, n_seen = 0;
    if (end)
        memcpy(folded, token.ptr, end);
    fold(folded, end, kinds);
    for (size_t at = 0, n; at < end && out->n_parts < KEN_TOKEN_PARTS; at += n) {
        n = 1;
        if (kinds[at] == KEN_TOKEN_MARK)
            continue;
        n = part_len(folded + at, kinds + at, end - at);
        memcpy(out->text + len, folded + at, n);
        n_seen++;
        if (n > 1 || kinds[at] == KEN_TOKEN_DIGIT) {
            out->part[out->n_parts].start = (uint8_t)len;
            out->part[out->n_parts].len = (uint8_t)n;
            out->n_parts++;
        }
        len += n;
    }
    out->text[len] = '\0';
    out->is_compound = n_seen > 1;
}
