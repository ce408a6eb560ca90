// SPDX-License-Identifier: MIT
// The score of files and chunks: what must always hold of it, and the formula of lexical_score.h
// said a second time, plainly and in doubles.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ktest.h"
#include "lexical/lexical_score.h"
#include "unit/lexical/lexical_lab.h"

// ---- a corpus from texts -----------------------------------------------------------------------

enum {
    MOST_FILES = 200,
    MOST_PARTS = 4
};

// Some segments with the contents of some files; a content may have several files, or none.
typedef struct score_lab {
    ken_arena arena;
    ken_tokenizer *tokenizer;
    lab_docs docs[MOST_PARTS];
    lab_segment segments[MOST_PARTS];
    ken_lex_part parts[MOST_PARTS];
    ken_lex_corpus corpus;
    uint32_t file_doc[MOST_FILES]; // part << 16 | ordinal
    ken_str paths[MOST_FILES];
    ken_path_index *path_index;
    ken_lex_scores scores;
} score_lab;

static void start(score_lab *l, uint32_t n_parts)
{
    memset(l, 0, sizeof *l);
    ken_arena_init(&l->arena, 0);
    l->tokenizer = ken_tokenizer_new(NULL);
    l->corpus.n_parts = n_parts;
}

// Adds a content; lines that begin with '#' are comments, "def NAME" defines, "---" ends a chunk.
static void add_content(score_lab *l, uint32_t part, const char *text)
{
    lab_docs *docs = &l->docs[part];
    ken_vec_push(docs, ((lab_doc){ .id = (int64_t)(part * 1000 + docs->len) }));
    lab_doc *d = &docs->ptr[docs->len - 1];
    KEN_VEC(ken_chunk) chunks = { 0 };
    KEN_VEC(ken_span) comments = { 0 };
    ken_str all = ken_arena_dup(&l->arena, ken_str_c(text)), rest = all, line;
    uint32_t chunk = 0;
    while (ken_str_line_next(&rest, &line)) {
        uint32_t at = (uint32_t)(line.ptr - all.ptr), end = at + (uint32_t)line.len;
        if (ken_str_eq_c(line, "---")) {
            ken_vec_push(&chunks, ((ken_chunk){ .span = { chunk, end } }));
            chunk = end;
        }
        if (ken_str_starts(line, KEN_STR("#")))
            ken_vec_push(&comments, ((ken_span){ at, end }));
        if (ken_str_starts(line, KEN_STR("def ")))
            ken_vec_push(&d->symbols, ((ken_symbol){ .name = ken_str_sub(line, 4, line.len),
                                                     .kind = KEN_SYMBOL_FUNCTION,
                                                     .span = { at, end },
                                                     .parent = -1 }));
    }
    if (chunk < all.len)
        ken_vec_push(&chunks, ((ken_chunk){ .span = { chunk, (uint32_t)all.len } }));
    ken_facts facts = { .n_bytes = (uint32_t)all.len,
                        .chunks = chunks.ptr,
                        .n_chunks = (uint32_t)chunks.len,
                        .symbols = d->symbols.ptr,
                        .n_symbols = (uint32_t)d->symbols.len };
    ken_tokenize(l->tokenizer, all, &facts, comments.ptr, comments.len, &d->doc);
    ken_vec_release(&chunks);
    ken_vec_release(&comments);
}

static void add_file(score_lab *l, uint32_t part, uint32_t ordinal, const char *path)
{
    uint32_t f = l->corpus.n_files++;
    kt_true(f < MOST_FILES);
    l->file_doc[f] = part << 16 | ordinal;
    l->paths[f] = ken_arena_dup(&l->arena, ken_str_c(path));
}

// A content with one file.
static void add_both(score_lab *l, uint32_t part, const char *path, const char *text)
{
    add_content(l, part, text);
    add_file(l, part, (uint32_t)l->docs[part].len - 1, path);
}

static void finish(score_lab *l, bool has_paths)
{
    ken_lex_corpus *c = &l->corpus;
    c->parts = l->parts;
    c->next_file = KEN_ARENA_ARRAY(&l->arena, int32_t, c->n_files + 1);
    c->file_part = KEN_ARENA_ARRAY(&l->arena, uint32_t, c->n_files + 1);
    c->file_ordinal = KEN_ARENA_ARRAY(&l->arena, uint32_t, c->n_files + 1);
    for (uint32_t p = 0; p < c->n_parts; p++) {
        ken_lex_builder *b = ken_lex_builder_new();
        lab_build(&l->segments[p], &l->docs[p], b);
        ken_lex_builder_free(b);
        kt_ok(lab_open(&l->segments[p], NULL));
        l->parts[p].segment = l->segments[p].s;
        l->parts[p].first_file = KEN_ARENA_ARRAY(&l->arena, int32_t, l->docs[p].len + 1);
        for (size_t i = 0; i < l->docs[p].len; i++)
            l->parts[p].first_file[i] = -1;
    }
    for (uint32_t f = c->n_files; f-- > 0;) {
        c->file_part[f] = l->file_doc[f] >> 16;
        c->file_ordinal[f] = l->file_doc[f] & 0xffff;
        int32_t *first = &l->parts[c->file_part[f]].first_file[c->file_ordinal[f]];
        c->next_file[f] = *first;
        *first = (int32_t)f;
    }
    ken_lex_corpus_measure(c, &l->arena);
    if (has_paths)
        kt_ok(ken_path_index_new(l->paths, c->n_files, &l->path_index, NULL));
}

static void end(score_lab *l)
{
    ken_lex_scores_release(&l->scores);
    ken_path_index_free(l->path_index);
    for (uint32_t p = 0; p < l->corpus.n_parts; p++) {
        lab_release(&l->segments[p]);
        lab_docs_release(&l->docs[p]);
    }
    ken_tokenizer_free(l->tokenizer);
    ken_arena_release(&l->arena);
}

// Asks, and scores the chunks of every file that was touched.
static void ask(score_lab *l, const char *text, ken_lex_query *q)
{
    ken_err err = { 0 };
    ken_lex_query_parse(ken_str_c(text), q);
    kt_ok_err(ken_lex_score_files(&l->corpus, q, l->path_index, NULL, &l->scores, &err), &err);
    kt_ok_err(ken_lex_score_chunks(&l->corpus, q, l->scores.touched.ptr, l->scores.touched.len,
                                   &l->scores, &err),
              &err);
}

typedef struct file_score {
    float words, comments, best, second;
} file_score;

static file_score score_at(const score_lab *l, uint32_t file)
{
    const ken_lex_sum *sum = &l->scores.sums[file];
    const ken_lex_file_score *f = &l->scores.files[file];
    return (file_score){ sum->words, sum->comments, f->best, f->second };
}

static file_score score_of(score_lab *l, const char *path, const char *text)
{
    ken_lex_query q;
    ask(l, text, &q);
    for (size_t i = 0; i < l->scores.touched.len; i++)
        if (ken_str_eq_c(l->paths[l->scores.touched.ptr[i]], path))
            return score_at(l, l->scores.touched.ptr[i]);
    return (file_score){ 0 };
}

// ---- the formula, plainly ----------------------------------------------------------------------

typedef struct plain {
    double words, comments, best, second;
    uint32_t best_chunk;
} plain;

static const double g[KEN_FIELD_COUNT] = { 1, 1, 2 };

static const lab_doc *doc_of(const score_lab *l, uint32_t file)
{
    return &l->docs[l->file_doc[file] >> 16].ptr[l->file_doc[file] & 0xffff];
}

static uint32_t n_files_of(const score_lab *l, uint32_t part, size_t ordinal)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < l->corpus.n_files; f++)
        n += l->file_doc[f] == (part << 16 | ordinal);
    return n;
}

static void add_tf(const lab_doc *d, ken_term term, int32_t chunk, uint32_t tf[KEN_FIELD_COUNT])
{
    for (size_t i = 0; i < d->doc.postings.len; i++) {
        const ken_posting *p = &d->doc.postings.ptr[i];
        if (p->key >> 24 != term || (chunk >= 0 && (p->key & 0xffffff) != (uint32_t)chunk))
            continue;
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            tf[f] += p->tf[f];
    }
}

// How many files hold the term, or how many of their chunks.
static double frequency(const score_lab *l, const ken_query_term *t, bool of_chunks)
{
    double n = 0;
    for (uint32_t k = 0; k < t->n_lookups; k++) {
        for (uint32_t p = 0; p < l->corpus.n_parts; p++) {
            for (size_t i = 0; i < l->docs[p].len; i++) {
                const lab_doc *d = &l->docs[p].ptr[i];
                double n_chunks = 0;
                for (size_t j = 0; j < d->doc.postings.len; j++)
                    n_chunks += d->doc.postings.ptr[j].key >> 24 == t->lookup[k];
                if (n_chunks > 0)
                    n += n_files_of(l, p, i) * (of_chunks ? n_chunks : 1);
            }
        }
    }
    return n;
}

static double plain_idf(double n, double df)
{
    df = df > n ? n : df;
    return log(1 + (n - df + 0.5) / (df + 0.5));
}

static double boost_of(const score_lab *l, uint32_t term, uint32_t file)
{
    const ken_path_match *m = &l->scores.paths;
    double stem = m->file_name[term] ? (double)m->file_name[term][file] : 0;
    double folder = m->folder[term] ? (double)m->folder[term][file] : 0;
    return l->path_index ? 6 * stem + 2 * folder : 0;
}

static double field_sum(const uint32_t tf[KEN_FIELD_COUNT], const double len[KEN_FIELD_COUNT],
                        const double average[KEN_FIELD_COUNT])
{
    double sum = 0;
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        sum += g[f] * tf[f] / (0.25 + 0.75 * len[f] / average[f]);
    return sum;
}

typedef struct averages {
    double file[KEN_FIELD_COUNT], chunk[KEN_FIELD_COUNT], n_chunks;
} averages;

static averages averages_of(const score_lab *l)
{
    averages a = { 0 };
    for (uint32_t i = 0; i < l->corpus.n_files; i++) {
        const lab_doc *d = doc_of(l, i);
        a.n_chunks += d->doc.n_chunks;
        for (int f = 0; f < KEN_FIELD_COUNT; f++)
            a.file[f] += d->doc.len[f];
    }
    for (int f = 0; f < KEN_FIELD_COUNT; f++) {
        a.chunk[f] = a.file[f] > 0 ? a.file[f] / a.n_chunks : 1;
        a.file[f] = a.file[f] > 0 ? a.file[f] / l->corpus.n_files : 1;
    }
    return a;
}

static double chunk_share(const score_lab *l, const averages *a, const ken_query_term *t,
                          uint32_t term, uint32_t file, uint32_t chunk)
{
    const lab_doc *d = doc_of(l, file);
    uint32_t tf[KEN_FIELD_COUNT] = { 0 };
    double len[KEN_FIELD_COUNT], path = boost_of(l, term, file);
    for (uint32_t k = 0; k < t->n_lookups; k++)
        add_tf(d, t->lookup[k], (int32_t)chunk, tf);
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        len[f] = d->doc.lens.ptr[chunk * KEN_FIELD_COUNT + (uint32_t)f];
    double both = field_sum(tf, len, a->chunk) + path;
    return t->weight * plain_idf(a->n_chunks, frequency(l, t, true)) * both / (both + 4);
}

static plain plain_score(const score_lab *l, const ken_lex_query *q, const averages *a,
                         uint32_t file)
{
    const lab_doc *d = doc_of(l, file);
    plain out = { 0 };
    double len[KEN_FIELD_COUNT];
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        len[f] = d->doc.len[f];
    for (uint32_t i = 0; i < q->n_terms; i++) {
        const ken_query_term *t = &q->terms[i];
        uint32_t tf[KEN_FIELD_COUNT] = { 0 };
        for (uint32_t k = 0; k < t->n_lookups; k++)
            add_tf(d, t->lookup[k], -1, tf);
        double x = field_sum(tf, len, a->file) + boost_of(l, i, file);
        out.words += t->weight * plain_idf(l->corpus.n_files, frequency(l, t, false)) * x / (x + 6);
        if (!t->is_whole)
            out.comments += t->weight * plain_idf(a->n_chunks, frequency(l, t, true)) *
                            tf[KEN_FIELD_COMMENT] / (tf[KEN_FIELD_COMMENT] + 2.0);
    }
    for (uint32_t c = 0; c < d->doc.n_chunks; c++) {
        double sum = 0;
        for (uint32_t i = 0; i < q->n_terms; i++)
            sum += chunk_share(l, a, &q->terms[i], i, file, c);
        if (sum > out.best || c == 0) {
            out.second = c ? out.best : 0;
            out.best = sum;
            out.best_chunk = c;
        } else if (sum > out.second) {
            out.second = sum;
        }
    }
    return out;
}

static void same(double got, double want, const char *what, const score_lab *l, uint32_t file)
{
    if (fabs(got - want) > 1e-4 * (1 + fabs(want)))
        kt_fail("%s of " KEN_STR_FMT " is %g, the formula says %g", what,
                KEN_STR_ARG(l->paths[file]), got, want);
}

// Every touched file scores as the formula says; every other one scores nothing.
static void check_question(score_lab *l, const char *text)
{
    ken_lex_query q;
    ask(l, text, &q);
    averages a = averages_of(l);
    for (uint32_t f = 0; f < l->corpus.n_files; f++) {
        plain want = plain_score(l, &q, &a, f);
        bool is_touched = false;
        for (size_t i = 0; i < l->scores.touched.len; i++)
            is_touched = is_touched || l->scores.touched.ptr[i] == f;
        if (!is_touched) {
            same(0, want.words, "what was passed over", l, f);
            continue;
        }
        const file_score got = score_at(l, f);
        same((double)got.words, want.words, "the whole", l, f);
        same((double)got.comments, want.comments, "the comments", l, f);
        same((double)got.best, want.best, "the best chunk", l, f);
        same((double)got.second, want.second, "the second chunk", l, f);
        if (want.best > want.second + 1e-3)
            kt_eq_u(l->scores.files[f].best_chunk, want.best_chunk);
    }
}

static const char *const words[] = { "alpha",         "beta",   "retry",        "retries",
                                     "clientSession", "client", "session",      "http",
                                     "parser",        "buffer", "bufferParser", "filesystem",
                                     "fileSystem",    "queue",  "worker" };
enum {
    N_WORDS = sizeof words / sizeof *words
};

static const char *random_text(ken_buf *b, uint32_t most)
{
    ken_buf_clear(b);
    for (uint32_t n = 1 + lab_pick(most); n; n--) {
        switch (lab_pick(12)) {
        case 0:
            ken_buf_printf(b, "\n# %s %s\n", words[lab_pick(N_WORDS)], words[lab_pick(N_WORDS)]);
            break;
        case 1:
            ken_buf_printf(b, "\ndef %s\n", words[lab_pick(N_WORDS)]);
            break;
        case 2:
            ken_buf_puts(b, "\n---\n");
            break;
        default: // Zipf's law, roughly
            ken_buf_printf(b, "%s ", words[lab_pick(1 + lab_pick(N_WORDS))]);
        }
    }
    return b->ptr;
}

static void random_lab(score_lab *l, ken_buf *b)
{
    start(l, 1 + lab_pick(MOST_PARTS));
    for (uint32_t n = 1 + lab_pick(60), i = 0; i < n; i++) {
        uint32_t part = lab_pick(l->corpus.n_parts);
        add_content(l, part, random_text(b, 80));
        for (uint32_t k = lab_pick(10) ? 1 : lab_pick(4); k; k--) {
            char path[100];
            snprintf(path, sizeof path, "%s/%s_%u_%u.c", words[lab_pick(N_WORDS)],
                     words[lab_pick(N_WORDS)], i, k);
            add_file(l, part, (uint32_t)l->docs[part].len - 1, path);
        }
    }
    finish(l, lab_pick(2));
}

KEN_TEST(scores_follow_the_formula)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (uint64_t seed = 1; seed <= 25; seed++) {
        lab_seed(seed);
        score_lab l;
        random_lab(&l, &b);
        for (int round = 0; round < 8; round++) {
            char text[200];
            snprintf(text, sizeof text, "%s %s %s", words[lab_pick(N_WORDS)],
                     words[lab_pick(N_WORDS)], lab_pick(2) ? words[lab_pick(N_WORDS)] : "");
            check_question(&l, text);
        }
        end(&l);
    }
    ken_buf_release(&b);
}

// Long lists, some of whose contents have several files and some none, and counts beyond a byte.
KEN_TEST(long_lists_follow_the_formula)
{
    ken_buf b = KEN_BUF_INIT(0);
    score_lab l;
    start(&l, 2);
    for (uint32_t i = 0; i < 280; i++) {
        char path[40];
        ken_buf_clear(&b);
        for (uint32_t n = i % 70 == 3 ? 300 : 1 + i % 9; n; n--)
            ken_buf_puts(&b, "queue ");
        ken_buf_puts(&b, i % 4 == 1 ? "\n# worker queue\n---\nworker" : "\nbuffer\n---\nqueue");
        add_content(&l, i % 2, b.ptr);
        snprintf(path, sizeof path, "src/f%u.c", i);
        for (uint32_t n = i % 3 == 0 ? 0 : i % 50 == 1 ? 3 : 1; n && l.corpus.n_files < 199; n--)
            add_file(&l, i % 2, i / 2, path);
    }
    finish(&l, false);
    check_question(&l, "queue");
    check_question(&l, "worker queue buffer");
    end(&l);
    ken_buf_release(&b);
}

// ---- what always holds -------------------------------------------------------------------------

// File i holds the word i times in 40 words.
KEN_TEST(more_occurrences_never_score_lower)
{
    score_lab l;
    start(&l, 1);
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i <= 40; i++) {
        ken_buf_clear(&b);
        for (int k = 0; k < 40; k++)
            ken_buf_puts(&b, k < i ? "needle " : "hay ");
        char path[20];
        snprintf(path, sizeof path, "f%02d.c", i);
        add_both(&l, 0, path, b.ptr);
    }
    finish(&l, false);
    ken_lex_query q;
    ask(&l, "needle", &q);
    kt_eq_u(l.scores.touched.len, 40);
    for (uint32_t f = 2; f <= 40; f++) {
        kt_true(l.scores.sums[f].words > l.scores.sums[f - 1].words);
        kt_true(l.scores.files[f].best > l.scores.files[f - 1].best);
    }
    ken_buf_release(&b);
    end(&l);
}

KEN_TEST(a_name_beats_the_body_and_a_short_text_a_long_one)
{
    score_lab l;
    start(&l, 1);
    add_both(&l, 0, "name.c", "def needle\nhay hay hay hay");
    add_both(&l, 0, "body.c", "use needle\nhay hay hay hay");
    add_both(&l, 0, "long.c",
             "use needle\nhay hay hay hay hay hay hay hay hay hay hay hay hay hay hay");
    add_both(&l, 0, "none.c", "use nothing\nhay hay hay hay");
    add_both(&l, 0, "more.c", "other words entirely here");
    finish(&l, false);
    file_score name = score_of(&l, "name.c", "needle");
    file_score body = score_of(&l, "body.c", "needle");
    file_score longer = score_of(&l, "long.c", "needle");
    kt_true(name.words > body.words && name.best > body.best);
    kt_true(body.words > longer.words && body.best > longer.best);
    kt_near((double)score_of(&l, "none.c", "needle").words, 0, 1e-9);
    end(&l);
}

KEN_TEST(a_rare_word_says_more_than_a_common_one)
{
    score_lab l;
    start(&l, 1);
    add_both(&l, 0, "rare.c", "rareword filler filler");
    for (int i = 0; i < 9; i++) {
        char path[20];
        snprintf(path, sizeof path, "common%d.c", i);
        add_both(&l, 0, path, "common filler filler");
    }
    finish(&l, false);
    kt_true(score_of(&l, "rare.c", "common rareword").words >
            3 * score_of(&l, "common1.c", "common rareword").words);
    end(&l);
}

KEN_TEST(a_word_in_the_path_helps)
{
    score_lab with, without;
    start(&with, 1);
    start(&without, 1);
    for (int i = 0; i < 2; i++) {
        score_lab *l = i ? &with : &without;
        add_both(l, 0, i ? "src/needle.c" : "src/other.c", "needle hay hay");
        add_both(l, 0, "src/b.c", "needle hay hay");
        add_both(l, 0, "src/c.c", "hay hay hay");
        finish(l, true);
    }
    file_score yes = score_of(&with, "src/needle.c", "needle");
    file_score no = score_of(&without, "src/other.c", "needle");
    kt_true(yes.words > no.words && yes.best > no.best);
    end(&with);
    end(&without);
}

// A file whose path alone fits is a candidate, too.
KEN_TEST(a_path_alone_is_enough)
{
    score_lab l;
    start(&l, 1);
    add_both(&l, 0, "src/needle.c", "hay hay hay");
    add_both(&l, 0, "src/b.c", "hay");
    finish(&l, true);
    kt_true(score_of(&l, "src/needle.c", "needle").words > 0);
    end(&l);
}

KEN_TEST(one_content_scores_the_same_in_all_its_files)
{
    score_lab l;
    start(&l, 2);
    add_both(&l, 0, "one.c", "needle hay\n---\nneedle needle");
    add_file(&l, 0, 0, "two.c");
    add_file(&l, 0, 0, "three.c");
    add_both(&l, 1, "other.c", "hay hay");
    finish(&l, false);
    ken_lex_query q;
    ask(&l, "needle", &q);
    kt_eq_u(l.scores.touched.len, 3);
    for (uint32_t f = 1; f < 3; f++) {
        kt_near((double)l.scores.sums[f].words, (double)l.scores.sums[0].words, 1e-9);
        kt_near((double)l.scores.files[f].best, (double)l.scores.files[0].best, 1e-9);
        kt_eq_u(l.scores.files[f].best_chunk, 1);
    }
    end(&l);
}

// The index keeps the contents of earlier versions for a while. They must not make the words of a
// file that is edited often look common.
KEN_TEST(contents_without_a_file_change_no_score)
{
    score_lab clean, full;
    start(&clean, 1);
    start(&full, 2);
    for (int i = 0; i < 2; i++) {
        score_lab *l = i ? &full : &clean;
        add_both(l, 0, "edited.c", "needle hay hay\n# needle\n---\nneedle more");
        add_both(l, 0, "other.c", "hay hay hay common");
        add_both(l, 0, "third.c", "hay common common");
    }
    for (int i = 0; i < 50; i++)
        add_content(&full, (uint32_t)i & 1, "needle hay hay hay hay\n# needle\n---\nneedle more");
    finish(&clean, false);
    finish(&full, false);
    file_score a = score_of(&clean, "edited.c", "needle common");
    file_score b = score_of(&full, "edited.c", "needle common");
    kt_near((double)b.words, (double)a.words, 1e-6);
    kt_near((double)b.comments, (double)a.comments, 1e-6);
    kt_near((double)b.best, (double)a.best, 1e-6);
    kt_near((double)b.second, (double)a.second, 1e-6);
    end(&clean);
    end(&full);
}

KEN_TEST(questions_do_not_leave_traces)
{
    lab_seed(77);
    ken_buf b = KEN_BUF_INIT(0);
    score_lab l;
    random_lab(&l, &b);
    ken_lex_query q;
    ask(&l, "retry parser", &q);
    KEN_VEC(ken_lex_file_score) first = { 0 };
    for (size_t i = 0; i < l.scores.touched.len; i++)
        ken_vec_push(&first, l.scores.files[l.scores.touched.ptr[i]]);
    for (int i = 0; i < N_WORDS; i++)
        ask(&l, words[i], &q);
    ask(&l, "retry parser", &q);
    kt_eq_u(l.scores.touched.len, first.len);
    for (size_t i = 0; i < first.len; i++)
        kt_eq_mem(&l.scores.files[l.scores.touched.ptr[i]], sizeof *first.ptr, &first.ptr[i],
                  sizeof *first.ptr);
    ken_vec_release(&first);
    end(&l);
    ken_buf_release(&b);
}

KEN_TEST(an_unknown_word_or_an_empty_corpus_touches_nothing)
{
    score_lab l;
    start(&l, 1);
    finish(&l, true);
    ken_lex_query q;
    ask(&l, "anything", &q);
    kt_eq_u(l.scores.touched.len, 0);
    end(&l);
    start(&l, 1);
    add_both(&l, 0, "a.c", "hay");
    finish(&l, true);
    ask(&l, "needle", &q);
    kt_eq_u(l.scores.touched.len, 0);
    end(&l);
}

KEN_TEST(a_cancelled_question_stops)
{
    score_lab l;
    start(&l, 1);
    add_both(&l, 0, "a.c", "hay needle");
    finish(&l, true);
    ken_lex_query q;
    ken_err err = { 0 };
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    ken_lex_query_parse(KEN_STR("needle"), &q);
    kt_status(ken_lex_score_files(&l.corpus, &q, l.path_index, &cancel, &l.scores, &err),
              KEN_ECANCELLED);
    end(&l);
}

// A segment that is merged away while a question reads it: the reason must come through.
KEN_TEST(a_segment_that_went_away_is_said_to_be_gone)
{
    score_lab l;
    start(&l, 1);
    l.segments[0].block_bytes = 128;
    for (int i = 0; i < 50; i++) {
        char path[20];
        snprintf(path, sizeof path, "f%d.c", i);
        add_both(&l, 0, path, "needle hay\n---\nneedle");
    }
    finish(&l, false);
    l.segments[0].failure = KEN_ENOTFOUND;
    ken_lex_query q;
    ken_err err = { 0 };
    ken_lex_query_parse(KEN_STR("needle"), &q);
    kt_status(ken_lex_score_files(&l.corpus, &q, NULL, NULL, &l.scores, &err), KEN_ENOTFOUND);
    l.segments[0].failure = KEN_OK;
    ask(&l, "needle", &q);
    kt_eq_u(l.scores.touched.len, 50);
    end(&l);
}

KEN_TEST(damaged_segments_lose_answers_only)
{
    lab_seed(99);
    ken_buf b = KEN_BUF_INIT(0);
    for (int round = 0; round < 400; round++) {
        score_lab l;
        start(&l, 1);
        for (int i = 0; i < 12; i++) {
            char path[20];
            snprintf(path, sizeof path, "f%d.c", i);
            add_both(&l, 0, path, random_text(&b, 60));
        }
        finish(&l, true);
        lab_segment *s = &l.segments[0];
        lab_close(s); // what was read before the damage does not count
        for (uint32_t n = 1 + lab_pick(6); n; n--)
            s->bytes.ptr[128 + lab_pick((uint32_t)s->bytes.len - 128)] = (char)lab_pick(256);
        ken_err err = { 0 };
        if (lab_open(s, &err) || ken_lex_segment_n_contents(s->s) != 12) {
            end(&l);
            continue;
        }
        l.parts[0].segment = s->s;
        for (int i = 0; i < N_WORDS; i++) {
            ken_lex_query q;
            ken_lex_query_parse(ken_str_c(words[i]), &q);
            ken_status st = ken_lex_score_files(&l.corpus, &q, l.path_index, NULL, &l.scores, &err);
            if (!st)
                st = ken_lex_score_chunks(&l.corpus, &q, l.scores.touched.ptr, l.scores.touched.len,
                                          &l.scores, &err);
            kt_true(!st || st == KEN_ECORRUPT);
        }
        end(&l);
    }
    ken_buf_release(&b);
}
