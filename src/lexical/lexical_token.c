// SPDX-License-Identifier: MIT
// From bytes to counted terms. Identifiers repeat: each tokenizer keeps a table from the identifier
// as written to the terms it stands for, so that splitting, stemming and hashing happen once for
// each distinct identifier, and a token costs a scan, a hash and a probe. Counts live in arrays
// indexed by the tokenizer's own dense term numbers, stamped with the chunk they belong to, so that
// nothing is cleared between chunks.
#include "base/alloc.h"
#include "base/attr.h"
#include "base/hash.h"
#include "base/slots.h"
#include "lexical/lexical.h"

enum {
    LINE_MAX_BYTES = 2000, // the rest of a longer line is not text that anybody wrote
    MAX_IDENTS = 1 << 18,  // then the table starts anew
    MIN_IDENTS = 1 << 12,
    IDENT_BYTES = 128, // that an identifier takes in all tables, about
};

static ken_term term_of(char name_space, ken_str text)
{
    char key[KEN_TOKEN_MAX + 2];
    size_t n = text.len < KEN_TOKEN_MAX ? text.len : KEN_TOKEN_MAX;
    key[0] = name_space;
    memcpy(key + 1, text.ptr, n);
    return ken_hash64(key, n + 1) >> 24;
}

ken_term ken_term_of_word(ken_str lower_stemmed)
{
    return term_of('.', lower_stemmed);
}

ken_term ken_term_of_whole(ken_str lower)
{
    return term_of('=', lower);
}

// ---- the tokenizer ---------------------------------------------------------------------------

// Known by its hash alone: of 2^18 identifiers two have the same with a chance of 2^-29.
typedef struct ident {
    uint64_t hash;              // 0 = free
    uint32_t first_term;        // in `ident_terms`
    uint8_t n_parts, has_whole; // the whole follows the parts
} ident;

typedef struct counter {
    uint32_t stamp; // chunk it counts for
    uint8_t tf[KEN_FIELD_COUNT];
} counter;

typedef struct word_counter {
    uint32_t stamp;
    uint16_t n[KEN_BAG_COUNT]; // saturate
} word_counter;

struct ken_tokenizer {
    ident *idents; // open addressing
    size_t n_slots, n_idents, max_idents;
    KEN_VEC(uint32_t) ident_terms;
    ken_vocabulary vocabulary;     // find NULL = none is counted
    KEN_VEC(uint32_t) ident_words; // of the vocabulary, beside ident_terms
    word_counter *words;           // by word of the vocabulary
    ken_vec_u32 touched_words;     // of this chunk
    ken_slots dict;                // of terms
    KEN_VEC(ken_term) terms;
    KEN_VEC(counter) counters; // one per dense number
    uint32_t stamp;
    KEN_VEC(uint32_t) touched; // dense numbers met in this chunk
    KEN_VEC(int32_t) chunk_head, symbol_next;
    uint32_t len[KEN_FIELD_COUNT];
};

enum {
    FIRST_SLOTS = 1 << 12
};

static void reset_cache(ken_tokenizer *t)
{
    ken_free(t->idents);
    t->n_slots = FIRST_SLOTS;
    t->idents = ken_zalloc(t->n_slots * sizeof *t->idents);
    ken_slots_make(&t->dict, FIRST_SLOTS);
    t->n_idents = 0;
    ken_vec_release(&t->ident_terms);
    ken_vec_release(&t->ident_words);
    ken_vec_release(&t->terms);
    ken_vec_release(&t->counters);
    t->stamp = 0;
    if (t->words)
        memset(t->words, 0, ken_mul_size(t->vocabulary.n_words, sizeof *t->words));
}

ken_tokenizer *ken_tokenizer_new(const ken_vocabulary *vocabulary)
{
    ken_tokenizer *t = ken_zalloc(sizeof *t);
    t->max_idents = MAX_IDENTS;
    if (vocabulary) {
        t->vocabulary = *vocabulary;
        t->words = ken_zalloc(ken_mul_size(vocabulary->n_words, sizeof *t->words));
    }
    reset_cache(t);
    return t;
}

void ken_tokenizer_free(ken_tokenizer *t)
{
    if (!t)
        return;
    ken_free(t->idents);
    ken_slots_release(&t->dict);
    ken_vec_release(&t->ident_terms);
    ken_vec_release(&t->ident_words);
    ken_vec_release(&t->touched_words);
    ken_free(t->words);
    ken_vec_release(&t->terms);
    ken_vec_release(&t->counters);
    ken_vec_release(&t->touched);
    ken_vec_release(&t->chunk_head);
    ken_vec_release(&t->symbol_next);
    ken_free(t);
}

void ken_tokenizer_limit(ken_tokenizer *t, uint64_t n_bytes)
{
    uint64_t n = n_bytes / IDENT_BYTES;
    t->max_idents = n < MIN_IDENTS ? MIN_IDENTS : n > MAX_IDENTS ? MAX_IDENTS : (size_t)n;
}

size_t ken_tokenizer_bytes(const ken_tokenizer *t)
{
    return t->n_slots * sizeof *t->idents + ken_slots_bytes(&t->dict) +
           t->ident_terms.cap * sizeof *t->ident_terms.ptr +
           t->ident_words.cap * sizeof *t->ident_words.ptr + t->terms.cap * sizeof *t->terms.ptr +
           t->counters.cap * sizeof *t->counters.ptr;
}

static bool is_term(const void *terms, uint32_t number, const void *term)
{
    return ((const ken_term *)terms)[number] == *(const ken_term *)term;
}

static uint32_t number_of(ken_tokenizer *t, ken_term term)
{
    if (!ken_slots_has_room(&t->dict, t->terms.len + 1)) {
        ken_slots_make(&t->dict, t->dict.n * 2);
        for (size_t n = 0; n < t->terms.len; n++)
            ken_slots_enter(&t->dict, t->terms.ptr[n], (uint32_t)n);
    }
    uint32_t *slot = ken_slots_find(&t->dict, term, is_term, t->terms.ptr, &term);
    if (!*slot) {
        ken_vec_push(&t->terms, term);
        ken_vec_push(&t->counters, ((counter){ 0 }));
        *slot = (uint32_t)t->terms.len;
    }
    return *slot - 1;
}

static void grow_idents(ken_tokenizer *t)
{
    ident *old = t->idents;
    size_t n_old = t->n_slots;
    t->n_slots *= 2;
    t->idents = ken_zalloc(t->n_slots * sizeof *t->idents);
    for (size_t k = 0; k < n_old; k++) {
        if (!old[k].hash)
            continue;
        size_t i = old[k].hash & (t->n_slots - 1);
        while (t->idents[i].hash)
            i = (i + 1) & (t->n_slots - 1);
        t->idents[i] = old[k];
    }
    ken_free(old);
}

static void learn_terms(ken_tokenizer *t, ken_str token, ident *id)
{
    ken_token_parts parts;
    ken_token_split(token, &parts);
    id->first_term = (uint32_t)t->ident_terms.len;
    id->n_parts = (uint8_t)parts.n_parts;
    id->has_whole = parts.is_compound;
    for (uint32_t i = 0; i < parts.n_parts; i++) {
        char word[KEN_TOKEN_MAX + 2];
        size_t n = parts.part[i].len;
        memcpy(word, parts.text + parts.part[i].start, n);
        if (t->words)
            ken_vec_push(&t->ident_words,
                         t->vocabulary.find(t->vocabulary.ctx, ken_str_n(word, n)));
        n = ken_stem(word, n);
        ken_vec_push(&t->ident_terms, number_of(t, ken_term_of_word(ken_str_n(word, n))));
    }
    if (parts.is_compound)
        ken_vec_push(&t->ident_terms, number_of(t, ken_term_of_whole(ken_str_c(parts.text))));
    if (parts.is_compound && t->words)
        ken_vec_push(&t->ident_words, KEN_WORD_NONE);
}

static uint64_t hash_of(ken_str token)
{
    uint64_t hash = ken_hash_str(token);
    return hash ? hash : 1;
}

static const ident *ident_of(ken_tokenizer *t, ken_str token, uint64_t hash)
{
    if ((t->n_idents + 1) * 2 > t->n_slots)
        grow_idents(t);
    size_t i = hash & (t->n_slots - 1);
    for (; t->idents[i].hash; i = (i + 1) & (t->n_slots - 1))
        if (t->idents[i].hash == hash)
            return &t->idents[i];
    ident *id = &t->idents[i];
    *id = (ident){ .hash = hash };
    learn_terms(t, token, id);
    t->n_idents++;
    return id;
}

static void count(ken_tokenizer *t, uint32_t number, int field, uint32_t weight)
{
    counter *c = &t->counters.ptr[number];
    if (c->stamp != t->stamp) {
        *c = (counter){ .stamp = t->stamp };
        ken_vec_push(&t->touched, number);
    }
    uint32_t tf = c->tf[field] + weight;
    c->tf[field] = tf > UINT8_MAX ? UINT8_MAX : (uint8_t)tf;
}

static void count_words(ken_tokenizer *t, const ident *id, ken_bag bag)
{
    if (!id->n_parts) // there may be no table yet
        return;
    const uint32_t *words = t->ident_words.ptr + id->first_term;
    for (uint32_t i = 0; i < id->n_parts; i++) {
        if (words[i] == KEN_WORD_NONE)
            continue;
        word_counter *c = &t->words[words[i]];
        if (c->stamp != t->stamp) {
            *c = (word_counter){ .stamp = t->stamp };
            ken_vec_push(&t->touched_words, words[i]);
        }
        uint16_t *n = &c->n[bag];
        *n = (uint16_t)(*n + (*n < UINT16_MAX));
    }
}

static void count_ident(ken_tokenizer *t, const ident *id, int field, uint32_t weight)
{
    static const ken_bag bag_of[KEN_FIELD_COUNT] = { [KEN_FIELD_BODY] = KEN_BAG_CODE,
                                                     [KEN_FIELD_COMMENT] = KEN_BAG_COMMENT,
                                                     [KEN_FIELD_NAME] = KEN_BAG_NAME };
    if (t->words && (field != KEN_FIELD_NAME || weight > 1)) // variables are no names of a chunk
        count_words(t, id, bag_of[field]);
    uint32_t n = (uint32_t)id->n_parts + id->has_whole;
    t->len[field] += weight * id->n_parts;
    for (uint32_t i = 0; i < n; i++)
        count(t, t->ident_terms.ptr[id->first_term + i], field, weight);
}

// The tables are some megabytes, read at random, so entries are prefetched: a token waits
// between the moment its slot is asked for, the moment its terms are known and asked for, and the
// moment they are counted.
enum {
    AHEAD = 16,
    NEAR = 8,
};

typedef struct waiting {
    ken_str token;
    uint64_t hash;
    ident id; // from NEAR on
    int field;
} waiting;

static inline void find_terms(ken_tokenizer *t, waiting *w)
{
    w->id = *ident_of(t, w->token, w->hash);
    if (!w->id.n_parts)
        return;
    KEN_PREFETCH(&t->ident_terms.ptr[w->id.first_term]);
    if (t->words)
        KEN_PREFETCH(&t->ident_words.ptr[w->id.first_term]);
}

// Token number `next` is about to come, or nothing is, behind the `n` that came.
static inline void move_up(ken_tokenizer *t, waiting *ring, uint32_t next, uint32_t n)
{
    if (next >= NEAR && next - NEAR < n)
        find_terms(t, &ring[(next - NEAR) % AHEAD]);
    if (next >= AHEAD && next - AHEAD < n)
        count_ident(t, &ring[next % AHEAD].id, ring[next % AHEAD].field, 1);
}

// Counts the tokens of text[span], each as a comment's or the body's.
static void count_text(ken_tokenizer *t, ken_str text, ken_span span, const ken_span *comments,
                       size_t n_comments)
{
    const char *at = text.ptr + span.start, *end = text.ptr + span.end, *line = at;
    const ken_span *c = comments, *c_end = n_comments ? comments + n_comments : comments;
    waiting ring[AHEAD];
    uint32_t n = 0;
    while (at < end) {
        uint8_t kind = ken_token_class(*at);
        if (!kind) {
            if (*at++ == '\n')
                line = at;
            continue;
        }
        const char *from = at++;
        while (at < end && ken_token_class(*at) &&
               !(kind == KEN_TOKEN_DIGIT && ken_token_class(*at) == KEN_TOKEN_MARK))
            at++;
        size_t len = (size_t)(at - from);
        if (from - line >= LINE_MAX_BYTES || len > KEN_TOKEN_MAX || len < 2)
            continue;
        uint32_t offset = (uint32_t)(from - text.ptr);
        while (c < c_end && c->end <= offset)
            c++;
        int field = c < c_end && c->start <= offset ? KEN_FIELD_COMMENT : KEN_FIELD_BODY;
        move_up(t, ring, n, n);
        waiting *w = &ring[n++ % AHEAD];
        w->token = ken_str_n(from, len);
        w->hash = hash_of(w->token);
        w->field = field;
        KEN_PREFETCH(&t->idents[w->hash & (t->n_slots - 1)]);
    }
    for (uint32_t next = n; next < n + AHEAD; next++)
        move_up(t, ring, next, n);
}

static void count_names(ken_tokenizer *t, const ken_facts *facts, uint32_t chunk)
{
    for (int32_t s = t->chunk_head.ptr[chunk]; s >= 0; s = t->symbol_next.ptr[s]) {
        const ken_symbol *symbol = &facts->symbols[s];
        uint32_t weight = ken_symbol_is_variable(symbol->kind) ? 1 : 2;
        ken_str rest = symbol->name, token;
        while (ken_token_next(&rest, &token))
            count_ident(t, ident_of(t, token, hash_of(token)), KEN_FIELD_NAME, weight);
    }
}

// Definitions that hold the beginning of a chunk: those around `before`, the last symbol that began
// ahead of it.
static void count_owners(ken_tokenizer *t, const ken_facts *facts, ken_span chunk, int32_t before)
{
    for (int32_t s = before; t->words && s >= 0; s = facts->symbols[s].parent) {
        const ken_symbol *symbol = &facts->symbols[s];
        if (symbol->span.end <= chunk.start || ken_symbol_is_variable(symbol->kind))
            continue;
        ken_str rest = symbol->name, token;
        while (ken_token_next(&rest, &token))
            count_words(t, ident_of(t, token, hash_of(token)), KEN_BAG_OWNER);
    }
}

// The last symbol that begins in a chunk, or `before` when none does.
static int32_t last_symbol(const ken_tokenizer *t, uint32_t chunk, int32_t before)
{
    for (int32_t s = t->chunk_head.ptr[chunk]; s >= 0; s = t->symbol_next.ptr[s])
        before = s;
    return before;
}

// Links each symbol to the chunk in which it begins.
static void place_symbols(ken_tokenizer *t, const ken_facts *facts)
{
    ken_vec_reserve(&t->chunk_head, facts->n_chunks + 1);
    ken_vec_reserve(&t->symbol_next, facts->n_symbols + 1);
    for (uint32_t i = 0; i < facts->n_chunks; i++)
        t->chunk_head.ptr[i] = -1;
    for (uint32_t s = facts->n_symbols; s-- > 0;) {
        uint32_t lo = 0, hi = facts->n_chunks;
        while (hi - lo > 1) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (facts->chunks[mid].span.start <= facts->symbols[s].span.start)
                lo = mid;
            else
                hi = mid;
        }
        t->symbol_next.ptr[s] = facts->n_chunks ? t->chunk_head.ptr[lo] : -1;
        if (facts->n_chunks)
            t->chunk_head.ptr[lo] = (int32_t)s;
    }
}

static uint16_t clip16(uint32_t n)
{
    return n > UINT16_MAX ? UINT16_MAX : (uint16_t)n;
}

static void put_chunk(ken_tokenizer *t, uint32_t chunk, ken_lex_doc *out)
{
    for (size_t i = 0; i < t->touched.len; i++) {
        uint32_t number = t->touched.ptr[i];
        const counter *c = &t->counters.ptr[number];
        ken_posting p = { .key = t->terms.ptr[number] << 24 | chunk };
        memcpy(p.tf, c->tf, sizeof p.tf);
        ken_vec_push(&out->postings, p);
    }
    for (int f = 0; f < KEN_FIELD_COUNT; f++) {
        ken_vec_push(&out->lens, clip16(t->len[f]));
        out->len[f] += t->len[f];
    }
    for (size_t i = 0; t->words && i < t->touched_words.len; i++) {
        uint32_t word = t->touched_words.ptr[i];
        const word_counter *c = &t->words[word];
        ken_word_count count = { .word = word };
        memcpy(count.n, c->n, sizeof count.n);
        ken_vec_push(&out->bags.words, count);
    }
    ken_vec_push(&out->bags.ends, (uint32_t)out->bags.words.len);
}

void ken_tokenize(ken_tokenizer *t, ken_str text, const ken_facts *facts, const ken_span *comments,
                  size_t n_comments, ken_lex_doc *out)
{
    if (t->n_idents > t->max_idents)
        reset_cache(t);
    ken_vec_clear(&out->postings);
    ken_vec_clear(&out->lens);
    ken_bags_clear(&out->bags);
    memset(out->len, 0, sizeof out->len);
    out->n_chunks = facts->n_chunks;
    place_symbols(t, facts);
    size_t c = 0;
    int32_t before = -1;
    for (uint32_t i = 0; i < facts->n_chunks; i++) {
        ken_span span = facts->chunks[i].span;
        t->stamp++;
        ken_vec_clear(&t->touched);
        ken_vec_clear(&t->touched_words);
        memset(t->len, 0, sizeof t->len);
        while (c && comments[c - 1].end > span.start) // overlapping chunks go back a little
            c--;
        while (c < n_comments && comments[c].end <= span.start)
            c++;
        count_text(t, text, span, n_comments ? comments + c : comments, n_comments - c);
        count_names(t, facts, i);
        count_owners(t, facts, span, before);
        before = last_symbol(t, i, before);
        put_chunk(t, i, out);
    }
}

void ken_lex_doc_release(ken_lex_doc *d)
{
    ken_vec_release(&d->postings);
    ken_vec_release(&d->lens);
    ken_bags_release(&d->bags);
}
