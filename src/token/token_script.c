// SPDX-License-Identifier: MIT
// The characters beyond ASCII that are letters (categories L and M of Unicode), as ranges. Rare exceptions
// inside the block of a script are left out: they change the count of a text by a token or so.
// (A bisection of its own: clang's analyzer takes a constant table read by base/sorted.h for garbage.)
#include <stddef.h>

#include "token/token_priv.h"

#define O KEN_TOKEN__OTHER
#define L KEN_TOKEN__LETTER
#define S KEN_TOKEN__SPACE

// Each range goes to the start of the next.
static const struct {
    uint32_t from;
    int kind;
} ranges[] = {
    { 0x80, O },    { 0x85, S },    { 0x86, O },    { 0xa0, S },    { 0xa1, O },    { 0xaa, L },
    { 0xab, O },    { 0xb5, L },    { 0xb6, O },    { 0xba, L },    { 0xbb, O },    { 0xc0, L },
    { 0xd7, O },    { 0xd8, L },    { 0xf7, O },    { 0xf8, L },    { 0x2c2, O },   { 0x2c6, L },
    { 0x2d2, O },   { 0x2e0, L },   { 0x2e5, O },   { 0x300, L },   { 0x375, O },   { 0x376, L },
    { 0x37e, O },   { 0x37f, L },   { 0x384, O },   { 0x386, L },   { 0x387, O },   { 0x388, L },
    { 0x3f6, O },   { 0x3f7, L },   { 0x482, O },   { 0x483, L },   { 0x55a, O },   { 0x560, L },
    { 0x589, O },   { 0x591, L },   { 0x5be, O },   { 0x5bf, L },   { 0x5f3, O },   { 0x610, L },
    { 0x61b, O },   { 0x620, L },   { 0x660, O },   { 0x66e, L },   { 0x6d4, O },   { 0x6d5, L },
    { 0x6dd, O },   { 0x6df, L },   { 0x6f0, O },   { 0x6fa, L },   { 0x700, O },   { 0x710, L },
    { 0x964, O },   { 0x971, L },   { 0xe4f, O },   { 0xe80, L },   { 0x166d, O },  { 0x166f, L },
    { 0x1680, S },  { 0x1681, L },  { 0x17d4, O },  { 0x17d7, L },  { 0x17e0, O },  { 0x180b, L },
    { 0x2000, S },  { 0x200b, O },  { 0x2028, S },  { 0x202a, O },  { 0x202f, S },  { 0x2030, O },
    { 0x205f, S },  { 0x2060, O },  { 0x2071, L },  { 0x2072, O },  { 0x207f, L },  { 0x2080, O },
    { 0x2090, L },  { 0x20a0, O },  { 0x20d0, L },  { 0x2100, O },  { 0x210a, L },  { 0x2114, O },
    { 0x2c00, L },  { 0x2ce5, O },  { 0x2ceb, L },  { 0x2cf9, O },  { 0x2d00, L },  { 0x2e00, O },
    { 0x3000, S },  { 0x3001, O },  { 0x3005, L },  { 0x3007, O },  { 0x302a, L },  { 0x3030, O },
    { 0x3031, L },  { 0x3036, O },  { 0x3041, L },  { 0x309b, O },  { 0x309d, L },  { 0x30a0, O },
    { 0x30a1, L },  { 0x30fb, O },  { 0x30fc, L },  { 0x3190, O },  { 0x31a0, L },  { 0x31c0, O },
    { 0x31f0, L },  { 0x3200, O },  { 0x3400, L },  { 0x4dc0, O },  { 0x4e00, L },  { 0xa490, O },
    { 0xa4d0, L },  { 0xa4fe, O },  { 0xa500, L },  { 0xe000, O },  { 0xf900, L },  { 0xfd3e, O },
    { 0xfd50, L },  { 0xfdfc, O },  { 0xfe00, L },  { 0xfe10, O },  { 0xfe20, L },  { 0xfe30, O },
    { 0xfe70, L },  { 0xfeff, O },  { 0xff21, L },  { 0xff3b, O },  { 0xff41, L },  { 0xff5b, O },
    { 0xff66, L },  { 0xffe0, O },  { 0x10000, L }, { 0x1d000, O }, { 0x1d400, L }, { 0x1d7ce, O },
    { 0x1e000, L }, { 0x1f000, O }, { 0x20000, L }, { 0xe0000, O }, { 0xe0100, L }, { 0xe01f0, O },
};

int ken_token__kind_of(uint32_t code)
{
    size_t low = 0, high = sizeof ranges / sizeof *ranges;
    while (high - low > 1) {
        size_t mid = (low + high) / 2;
        if (ranges[mid].from <= code)
            low = mid;
        else
            high = mid;
    }
    return ranges[low].kind;
}
