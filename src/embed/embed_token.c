// SPDX-License-Identifier: MIT
// The text is read once, character by character; what is left of each goes into `word`, which is
// looked up when it ends. So the work stops where the output is full, however long the text is.
#include "embed/embed_token.h"

#include <utf8proc.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/utf8.h"
#include "json/json.h"

enum {
    WORD_BYTES = 4 * KEN_WORDPIECE_WORD_MAX,
    PIECE_MAX = 512,     // bytes of a piece in a vocabulary
    VOCAB_MAX = 1000000, // pieces
    DECOMPOSED_MAX = 32, // code points of one character
};

struct ken_wordpiece {
    ken_map heads, tails; // pieces that begin a word, and, without their "##", those that go on
    size_t longest;       // bytes of the longest piece
    size_t size;
    int64_t start, end, unknown, pad;
    bool is_cased, keeps_accents, keeps_controls, joins_cjk;
};

// ---- running ---------------------------------------------------------------------------------

typedef struct run {
    const ken_wordpiece *t;
    int64_t *out;
    size_t n, max; // max: without the end
    char word[WORD_BYTES];
    size_t len, n_chars; // n_chars may go beyond what `word` holds
} run;

// The longest piece that `rest` begins with; its bytes, 0 = there is none.
static size_t find_piece(const ken_wordpiece *t, const ken_map *pieces, ken_str rest, int64_t *out)
{
    size_t n = rest.len < t->longest ? rest.len : t->longest;
    for (; n; n--) {
        if (n < rest.len && ((unsigned char)rest.ptr[n] & 0xc0) == 0x80)
            continue; // inside a character
        const uint64_t *id = ken_map_find(pieces, ken_str_n(rest.ptr, n));
        if (id) {
            *out = (int64_t)*id;
            return n;
        }
    }
    return 0;
}

static void put(run *r, int64_t id)
{
    if (r->n < r->max)
        r->out[r->n++] = id;
}

static void end_word(run *r)
{
    if (!r->n_chars)
        return;
    ken_str rest = ken_str_n(r->word, r->len);
    size_t first = r->n;
    bool is_known = r->n_chars <= KEN_WORDPIECE_WORD_MAX;
    int64_t ids[WORD_BYTES];
    size_t n_ids = 0;
    while (is_known && rest.len) {
        size_t n = find_piece(r->t, n_ids ? &r->t->tails : &r->t->heads, rest, &ids[n_ids]);
        is_known = n != 0;
        n_ids++;
        rest = ken_str_sub(rest, n, rest.len);
    }
    if (!is_known)
        put(r, r->t->unknown);
    for (size_t i = 0; is_known && i < n_ids && first + i < r->max; i++)
        put(r, ids[i]);
    r->len = r->n_chars = 0;
}

static void add_char(run *r, uint32_t code)
{
    utf8proc_uint8_t bytes[4];
    r->n_chars++;
    if (r->n_chars > KEN_WORDPIECE_WORD_MAX)
        return;
    size_t n = (size_t)utf8proc_encode_char((utf8proc_int32_t)code, bytes);
    memcpy(r->word + r->len, bytes, n);
    r->len += n;
}

static bool is_punctuation(uint32_t code)
{
    if (code < 0x80)
        return code > ' ' && code < 0x7f && !ken_is_alpha((char)code) && !ken_is_digit((char)code);
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_PO;
}

static bool is_space(uint32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

static bool is_dropped(uint32_t code)
{
    if (code == '\t' || code == '\n' || code == '\r')
        return false;
    if (code < 0x7f)
        return code < ' ';
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return code == 0xfffd || c == UTF8PROC_CATEGORY_CC || c == UTF8PROC_CATEGORY_CF ||
           c == UTF8PROC_CATEGORY_CO || c == UTF8PROC_CATEGORY_CS;
}

// Ideographs, which stand for words without spaces between them.
static bool is_cjk(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        { 0x4e00, 0x9fff },   { 0x3400, 0x4dbf },   { 0x20000, 0x2a6df }, { 0x2a700, 0x2b73f },
        { 0x2b740, 0x2b81f }, { 0x2b920, 0x2ceaf }, { 0xf900, 0xfaff },   { 0x2f800, 0x2fa1f },
    };
    for (size_t i = 0; code >= 0x3400 && i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

// One character after normalising.
static void take(run *r, uint32_t code)
{
    if (is_space(code)) {
        end_word(r);
    } else if (is_punctuation(code)) {
        end_word(r);
        add_char(r, code);
        end_word(r);
    } else {
        add_char(r, code);
    }
}

static void take_folded(run *r, uint32_t code)
{
    const uint32_t dotted_capital_i = 0x130, dot_above = 0x307;
    if (!r->t->is_cased && code == dotted_capital_i) { // the only one that becomes two
        take(r, 'i');
        take(r, dot_above);
        return;
    }
    take(r, r->t->is_cased ? code : (uint32_t)utf8proc_tolower((utf8proc_int32_t)code));
}

static void take_decomposed(run *r, uint32_t code)
{
    utf8proc_int32_t parts[DECOMPOSED_MAX];
    int boundary = 0;
    utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, parts, DECOMPOSED_MAX,
                                                 UTF8PROC_DECOMPOSE | UTF8PROC_STABLE, &boundary);
    for (utf8proc_ssize_t i = 0; i < n && i < DECOMPOSED_MAX; i++)
        if (utf8proc_category(parts[i]) != UTF8PROC_CATEGORY_MN)
            take_folded(r, (uint32_t)parts[i]);
}

static void take_raw(run *r, uint32_t code)
{
    const ken_wordpiece *t = r->t;
    if (code < 0x80) {
        if (t->keeps_controls || !is_dropped(code))
            take_folded(r, code);
        return;
    }
    if (!t->keeps_controls && is_dropped(code))
        return;
    bool is_apart = !t->joins_cjk && is_cjk(code);
    if (is_apart)
        end_word(r);
    if (t->keeps_accents)
        take_folded(r, code);
    else
        take_decomposed(r, code);
    if (is_apart)
        end_word(r);
}

size_t ken_wordpiece_run(const ken_wordpiece *t, ken_str text, int64_t *out, size_t max)
{
    run r = { .t = t, .out = out, .max = max - 1 };
    put(&r, t->start);
    for (size_t at = 0; at < text.len && r.n < r.max;) {
        uint32_t code = 0xfffd;
        size_t n = ken_utf8_next(ken_str_sub(text, at, text.len), &code);
        take_raw(&r, n ? code : 0xfffd);
        at += n ? n : 1;
    }
    end_word(&r);
    out[r.n++] = t->end;
    return r.n;
}

int64_t ken_wordpiece_pad(const ken_wordpiece *t)
{
    return t->pad;
}

size_t ken_wordpiece_size(const ken_wordpiece *t)
{
    return t->size;
}

// ---- loading ---------------------------------------------------------------------------------

static ken_wordpiece *new_tokenizer(void)
{
    ken_wordpiece *t = ken_zalloc(sizeof *t);
    ken_map_init(&t->heads);
    ken_map_init(&t->tails);
    return t;
}

void ken_wordpiece_free(ken_wordpiece *t)
{
    if (!t)
        return;
    ken_map_release(&t->heads);
    ken_map_release(&t->tails);
    ken_free(t);
}

static ken_status add_piece(ken_wordpiece *t, ken_str piece, uint64_t id, const char *name,
                            ken_err *err)
{
    if (piece.len > PIECE_MAX || id >= VOCAB_MAX)
        return KEN_FAIL(err, KEN_ELIMIT,
                        "tokenizer '%.200s' has a piece of %zu bytes with number %llu; limits are "
                        "%d bytes and %d pieces",
                        name, piece.len, (unsigned long long)id, PIECE_MAX, VOCAB_MAX);
    bool is_tail = piece.len > 2 && ken_str_starts(piece, KEN_STR("##"));
    ken_str key = is_tail ? ken_str_sub(piece, 2, piece.len) : piece;
    if (id >= t->size)
        t->size = (size_t)id + 1;
    if (key.len > t->longest)
        t->longest = key.len;
    if (key.len)
        (void)ken_map_put(is_tail ? &t->tails : &t->heads, key, id, NULL);
    return KEN_OK;
}

// The number of the first of these names that the vocabulary has.
static ken_status find_special(const ken_wordpiece *t, const char *name, const char *words,
                               int64_t *out, ken_err *err)
{
    ken_str rest = ken_str_c(words), word;
    while (ken_str_split_next(&rest, ' ', &word)) {
        const uint64_t *id = ken_map_find(&t->heads, word);
        if (id) {
            *out = (int64_t)*id;
            return KEN_OK;
        }
    }
    return KEN_FAIL(err, KEN_ECORRUPT, "tokenizer '%.200s' has none of the tokens %s", name, words);
}

static ken_status find_specials(ken_wordpiece *t, const char *name, ken_err *err)
{
    ken_status st = find_special(t, name, "[CLS] <s>", &t->start, err);
    if (!st)
        st = find_special(t, name, "[SEP] </s>", &t->end, err);
    if (!st)
        st = find_special(t, name, "[UNK] <unk>", &t->unknown, err);
    if (!st)
        st = find_special(t, name, "[PAD] <pad>", &t->pad, err);
    return st;
}

static ken_status read_lines(ken_wordpiece *t, ken_str text, const char *name, ken_err *err)
{
    ken_str line;
    ken_status st = KEN_OK;
    for (uint64_t id = 0; !st && ken_str_line_next(&text, &line); id++)
        st = add_piece(t, line, id, name, err);
    return st;
}

static ken_status fail_kind(const char *name, const char *what, ken_str kind, ken_err *err)
{
    return KEN_FAIL(err, KEN_EUNSUPPORTED,
                    "tokenizer '%.200s' has the %s '" KEN_STR_FMT "'; only WordPiece as BERT has "
                    "it is supported",
                    name, what, KEN_STR_ARG(ken_str_sub(kind, 0, 40)));
}

// {"model": {"type": "WordPiece", "vocab": {piece: number}}}
static ken_status read_vocab(ken_wordpiece *t, json_t *model, const char *name, ken_err *err)
{
    ken_str kind = ken_json_text(json_object_get(model, "type"));
    if (kind.len && !ken_str_eq_c(kind, "WordPiece"))
        return fail_kind(name, "model", kind, err);
    json_t *vocab = json_object_get(model, "vocab"), *number;
    if (!json_is_object(vocab))
        return KEN_FAIL(err, KEN_ECORRUPT, "tokenizer '%.200s' has no model.vocab", name);
    const char *piece;
    ken_status st = KEN_OK;
    json_object_foreach(vocab, piece, number)
    {
        if (!st && (!json_is_integer(number) || json_integer_value(number) < 0))
            st = KEN_FAIL(err, KEN_ECORRUPT,
                          "tokenizer '%.200s': the number of the piece '%.80s' is not a whole "
                          "number from 0",
                          name, piece);
        if (!st)
            st = add_piece(t, ken_str_c(piece), (uint64_t)json_integer_value(number), name, err);
    }
    return st;
}

static ken_status read_normaliser(ken_wordpiece *t, const json_t *n, const char *name, ken_err *err)
{
    ken_str kind = ken_json_text(json_object_get(n, "type"));
    if (!ken_str_eq_c(kind, "BertNormalizer"))
        return fail_kind(name, "normalizer", kind, err);
    bool lowers = true, cleans = true, cuts_cjk = true;
    ken_status st = ken_json_read_bool(n, "normalizer", "lowercase", &lowers, err);
    bool strips = lowers;
    if (!st)
        st = ken_json_read_bool(n, "normalizer", "strip_accents", &strips, err);
    if (!st)
        st = ken_json_read_bool(n, "normalizer", "clean_text", &cleans, err);
    if (!st)
        st = ken_json_read_bool(n, "normalizer", "handle_chinese_chars", &cuts_cjk, err);
    t->is_cased = !lowers;
    t->keeps_accents = !strips;
    t->keeps_controls = !cleans;
    t->joins_cjk = !cuts_cjk;
    return st;
}

static ken_status read_json(ken_wordpiece *t, ken_str text, const char *name, ken_err *err)
{
    json_t *top = NULL;
    ken_status st = ken_json_parse(text, &top, err);
    if (st) {
        (void)ken_err_wrap(err, "tokenizer '%.200s'", name);
        return st == KEN_EINVAL ? KEN_ECORRUPT : st;
    }
    ken_str cutter = ken_json_text(json_object_get(json_object_get(top, "pre_tokenizer"), "type"));
    st = read_vocab(t, json_object_get(top, "model"), name, err);
    if (!st && !ken_str_eq_c(cutter, "BertPreTokenizer"))
        st = fail_kind(name, "pre_tokenizer", cutter, err);
    if (!st)
        st = read_normaliser(t, json_object_get(top, "normalizer"), name, err);
    json_decref(top);
    return st;
}

ken_status ken_wordpiece_parse(ken_str text, const char *name, ken_wordpiece **out, ken_err *err)
{
    ken_wordpiece *t = new_tokenizer();
    bool is_json = text.len && text.ptr[0] == '{';
    ken_status st = is_json ? read_json(t, text, name, err) : read_lines(t, text, name, err);
    if (!st)
        st = find_specials(t, name, err);
    if (st) {
        ken_wordpiece_free(t);
        return st;
    }
    *out = t;
    return KEN_OK;
}

ken_status ken_wordpiece_load(const char *path, ken_wordpiece **out, ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(KEN_WORDPIECE_FILE_MAX + 1);
    ken_status st = ken_fs_read_own(path, KEN_WORDPIECE_FILE_MAX, &text, err);
    if (!st)
        st = ken_wordpiece_parse(ken_buf_str(&text), path, out, err);
    ken_buf_release(&text);
    return st;
}
