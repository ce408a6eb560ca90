// SPDX-License-Identifier: MIT
// The names of a segment, in folded order, sixteen to a block. A binary search over the first
// names' eight-byte keys finds the block; the names inside are front-coded. For those that are only
// nearly asked for there are four bytes a name, which leave few blocks to be read.
#include "base/alloc.h"
#include "base/assert.h"
#include "lexical/lexical_priv.h"

typedef seg_names name_reader;

static bool read_number(name_reader *r, uint64_t max, uint32_t *out)
{
    uint64_t v;
    if (!ken_varint_get(&r->at, r->end, &v) || v > max)
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool read_postings(name_reader *r)
{
    uint32_t n, content = 0, n_contents = ken_lex_segment_n_contents(r->s);
    if (!read_number(r, (uint64_t)(r->end - r->at), &n))
        return false;
    ken_vec_clear(&r->places);
    for (uint32_t i = 0; i < n; i++) {
        ken_name_posting p;
        uint32_t delta;
        if (!read_number(r, UINT32_MAX, &delta) || !read_number(r, UINT32_MAX, &p.symbol) ||
            r->end - r->at < 2)
            return false;
        content += delta;
        p.content = content;
        p.kind = (ken_symbol_kind)*r->at++;
        p.depth = *r->at++;
        if (content >= n_contents || (unsigned)p.kind >= KEN_SYMBOL_KIND_COUNT)
            return false;
        ken_vec_push(&r->places, p);
    }
    return true;
}

static bool read_name(name_reader *r)
{
    uint32_t shared, rest;
    if (!read_number(r, r->len, &shared) || !read_number(r, sizeof r->text, &rest) ||
        shared + rest > sizeof r->text || rest > (size_t)(r->end - r->at))
        return false;
    memcpy(r->text + shared, r->at, rest);
    r->at += rest;
    r->len = shared + rest;
    return read_postings(r);
}

// The block in which names with `key` may begin: the last one whose first key is smaller.
static uint32_t first_block(const uint8_t *keys, uint32_t n_blocks, uint64_t key)
{
    uint32_t lo = 0, hi = n_blocks;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ken_get64(keys + (size_t)mid * SEG_NAME_KEY_BYTES) < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : 0;
}

// Walks names from the first that may be >= `prefix` while they begin with it (folded).
static ken_status walk(ken_lex_segment *s, ken_str prefix, bool wants_equal, ken_name_fn *fn,
                       void *ctx, ken_err *err)
{
    ken_lex__names names;
    ken_status st = ken_lex__names_section(s, &names, err);
    if (st || !names.n_blocks)
        return st;
    uint32_t block = first_block(names.keys, names.n_blocks, seg_name_key(prefix));
    name_reader r = { .s = s };
    bool goes_on = true;
    for (; goes_on && !st && block < names.n_blocks; block++) {
        st = ken_lex__names_block(s, &names, block, &r.at, &r.end, err);
        r.len = 0;
        while (goes_on && !st && r.at < r.end) {
            if (!read_name(&r)) {
                st = KEN_FAIL(err, KEN_ECORRUPT, "a search segment's names are damaged");
                break;
            }
            ken_str name = ken_str_n(r.text, r.len);
            ken_str head = ken_str_sub(name, 0, prefix.len);
            int order = ken_str_cmp_fold(head, prefix);
            if (order > 0)
                goes_on = false;
            else if (order == 0 && (!wants_equal || name.len == prefix.len))
                goes_on = fn(ctx, name, r.places.ptr, (uint32_t)r.places.len);
        }
    }
    ken_lex__names_release(&r);
    return st;
}

ken_status ken_lex_names_equal(ken_lex_segment *s, ken_str name, ken_name_fn *fn, void *ctx,
                               ken_err *err)
{
    return walk(s, name, true, fn, ctx, err);
}

ken_status ken_lex_names_prefix(ken_lex_segment *s, ken_str prefix, ken_name_fn *fn, void *ctx,
                                ken_err *err)
{
    return walk(s, prefix, false, fn, ctx, err);
}

// ---- from end to end ---------------------------------------------------------------------------

int ken_lex__name_cmp(ken_str a, ken_str b)
{
    int c = ken_str_cmp_fold(a, b);
    return c ? c : ken_str_cmp(a, b);
}

bool ken_lex__next_name(seg_names *n, ken_status *st, ken_err *err)
{
    while (n->at == n->end) {
        if (!ken_lex__next_names_block(n->s, n->block, &n->at, &n->end, st, err))
            return false;
        n->block++;
        n->len = 0;
    }
    if (read_name(n))
        return true;
    *st = KEN_FAIL(err, KEN_ECORRUPT, "a search segment's names are damaged");
    return false;
}

void ken_lex__names_release(seg_names *n)
{
    ken_vec_release(&n->places);
}

// ---- near names --------------------------------------------------------------------------------

static const uint32_t letters_mask = (1u << SEG_LETTERS_LEN) - 1;

typedef struct near_name {
    uint32_t letters, min_len, max_len, len; // lengths as SEG_LETTERS_LEN has them
    uint32_t keep;                           // 0 for two edits, all bits for one
} near_name;

static near_name near_to(ken_str name, uint32_t n_edits)
{
    size_t most = SEG_LETTERS_LEN_MAX, least = name.len > n_edits ? name.len - n_edits : 0;
    uint32_t letters = seg_name_letters(name);
    return (near_name){ .letters = letters & letters_mask,
                        .min_len = (uint32_t)(least < most ? least : most),
                        .max_len =
                            (uint32_t)(name.len + n_edits < most ? name.len + n_edits : most),
                        .len = letters >> SEG_LETTERS_LEN,
                        .keep = n_edits > 1 ? 0 : UINT32_MAX };
}

// The letters without the first bits, as many as edits are allowed.
static inline uint32_t less_edits(uint32_t set, uint32_t keep)
{
    set &= set - 1;
    return set & ((set - 1) | keep);
}

// Each edit takes away or adds at most one kind of letter on either side: zero when these are few.
static inline uint32_t too_many(const near_name *w, uint32_t of_name)
{
    return less_edits(w->letters & ~of_name, w->keep) |
           less_edits(of_name & letters_mask & ~w->letters, w->keep);
}

// Lengths fit, or it is longer and has all letters of what it may hold.
static bool has_length(const near_name *w, uint32_t of_name)
{
    uint32_t len = of_name >> SEG_LETTERS_LEN;
    return len >= w->min_len && (len <= w->max_len || !(w->letters & ~of_name));
}

// With how few edits what begins a name may become any beginning of `name`: those that follow in the
// name add to it, so it is a lower bound of the distance between the two. The bytes are the first of
// `key`, folded; at most `max` + 1.
static uint32_t head_edits(uint64_t key, uint32_t n_bytes, ken_str name, uint32_t max)
{
    enum {
        MOST = SEG_NAME_KEY_CHARS + 4 // of `name`: a longer beginning is farther away than `max`
    };
    uint32_t rows[3][MOST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    uint32_t width = name.len < n_bytes + max ? (uint32_t)name.len : n_bytes + max;
    KEN_ASSERT(width <= MOST);
    for (uint32_t j = 0; j <= width; j++)
        last[j] = j;
    uint32_t least = 0;
    char x_before = 0;
    for (uint32_t i = 1; i <= n_bytes && least <= max; i++) {
        char x = (char)(key >> (8 * (SEG_NAME_KEY_CHARS - i)));
        least = now[0] = i;
        for (uint32_t j = 1; j <= width; j++) {
            char y = ken_lower(name.ptr[j - 1]);
            uint32_t best = last[j - 1] + (x != y);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && x == ken_lower(name.ptr[j - 2]) && y == x_before &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
            least = best < least ? best : least;
        }
        uint32_t *swap = before;
        before = last;
        last = now;
        now = swap;
        x_before = x;
    }
    return least;
}

// The names of a block lie between its key and the next one's, so they begin with what both have in
// common. True when that is too far from every beginning of `name`.
static bool is_far_block(const ken_lex__names *names, uint32_t block, ken_str name,
                         uint32_t n_edits)
{
    if (block + 1 == names->n_blocks)
        return false;
    const uint8_t *at = names->keys + (size_t)block * SEG_NAME_KEY_BYTES;
    uint64_t key = ken_get64(at), next = ken_get64(at + SEG_NAME_KEY_BYTES);
    uint32_t n = 0;
    for (; n < SEG_NAME_KEY_CHARS; n++) {
        uint32_t shift = 8 * (SEG_NAME_KEY_CHARS - 1 - n);
        if ((key ^ next) >> shift || !(key >> shift & 0xff))
            break;
    }
    return head_edits(key, n, name, n_edits) > n_edits;
}

// Of a block's names those that are no longer than a near one: what holds `name` is not among them.
static uint32_t short_in_block(const near_name *w, const uint8_t *letters)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < SEG_NAMES_PER_BLOCK; i++) {
        uint32_t len = ken_get32(letters + 4 * i) >> SEG_LETTERS_LEN;
        set |= (uint32_t)(len <= w->max_len && len < SEG_LETTERS_LEN_MAX) << i;
    }
    return set;
}

// One bit for each name of a block. Nearly all blocks end after the first loop, which has no branch
// and becomes vector instructions.
static uint32_t near_in_block(const near_name *w, const uint8_t *letters)
{
    uint32_t of_name[SEG_NAMES_PER_BLOCK], n_near = 0, set = 0;
    for (int i = 0; i < SEG_NAMES_PER_BLOCK; i++)
        of_name[i] = ken_get32(letters + 4 * i);
    for (int i = 0; i < SEG_NAMES_PER_BLOCK; i++)
        n_near += too_many(w, of_name[i]) == 0;
    for (uint32_t i = 0; i < SEG_NAMES_PER_BLOCK && n_near; i++)
        set |= (uint32_t)(!too_many(w, of_name[i]) && has_length(w, of_name[i])) << i;
    return set;
}

ken_status ken_lex_names_near(ken_lex_segment *s, ken_str name, uint32_t n_edits, ken_name_fn *fn,
                              void *ctx, ken_err *err)
{
    ken_lex__names names;
    near_name wanted = near_to(name, n_edits);
    ken_status st = ken_lex__names_section(s, &names, err);
    if (!st)
        st = ken_lex__names_letters(s, &names, err);
    name_reader r = { .s = s };
    bool goes_on = true;
    for (uint32_t block = 0; goes_on && !st && block < names.n_blocks; block++) {
        uint32_t set = UINT32_MAX;
        if (names.letters)
            set = near_in_block(&wanted, names.letters + (size_t)block * SEG_LETTERS_BYTES);
        if (set && names.letters && is_far_block(&names, block, name, n_edits))
            set &= ~short_in_block(&wanted, names.letters + (size_t)block * SEG_LETTERS_BYTES);
        if (!set)
            continue;
        st = ken_lex__names_block(s, &names, block, &r.at, &r.end, err);
        r.len = 0;
        for (; goes_on && !st && set && r.at < r.end; set >>= 1) {
            if (!read_name(&r))
                st = KEN_FAIL(err, KEN_ECORRUPT, "a search segment's names are damaged");
            else if (set & 1)
                goes_on = fn(ctx, ken_str_n(r.text, r.len), r.places.ptr, (uint32_t)r.places.len);
        }
    }
    ken_lex__names_release(&r);
    return st;
}
