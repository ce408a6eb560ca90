// SPDX-License-Identifier: MIT
// Makes the benchmark "words withheld": the first sentence of a doc comment is to find its
// function, in a tree without that comment and without the words of the function's name.
//
//   ken-words-withheld LIST CORPUS TREES DATASETS [bare]
//
// LIST is repositories.tsv; CORPUS holds one folder for each of its repositories, named owner+name,
// as models/collect.py lays it out. Written are TREES/owner+name, the source with the comments of
// the chosen functions blanked (`bare`: of all definitions), and DATASETS/owner+name.json. The same
// trees give the same files.
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/path.h"
#include "base/vec.h"
#include "json/json.h"
#include "learn/learn.h"
#include "rank/rank.h"
#include "scan/scan.h"
#include "sentence.h"

enum {
    FILE_BYTES_MAX = 256 * 1024,
    LIST_BYTES_MAX = 1024 * 1024,
    BODY_LINES_MIN = 5,
    CHOSEN_MIN = 10, // of one repository; with fewer it is left out
    CHOSEN_MAX = 60,
};

typedef struct source {
    ken_str path, text;
    char *bytes;    // of the text, a copy that is blanked in the end
    ken_str tokens; // between two spaces each, in small letters
} source;

// A function with a sentence.
typedef struct candidate {
    uint64_t order;
    uint32_t file;
    ken_span doc;
    uint32_t first_line, last_line; // 1-based
    ken_str sentence, question;
    bool is_chosen;
} candidate;

typedef struct comment {
    uint32_t file;
    ken_span span;
} comment;

typedef struct make {
    ken_learner *learner;
    ken_arena arena; // of one repository
    KEN_VEC(source) files;
    KEN_VEC(candidate) candidates;
    KEN_VEC(comment) comments; // to be blanked
    bool is_bare;
    ken_buf buf, sentence, question;
    uint32_t n_chosen;
    const char *corpus, *trees, *datasets;
    uint32_t n_queries, n_repositories;
} make;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

// ---- functions ----

static ken_str text_of(const source *s, ken_span span)
{
    return ken_str_sub(s->text, span.start, span.end);
}

// Lines with something on them, behind the signature and outside the doc comment.
static uint32_t body_lines(const source *s, const ken_symbol *y)
{
    uint32_t n = 0, at = y->signature.end > y->span.start ? y->signature.end : y->span.start;
    bool has_text = false;
    for (; at < y->span.end; at++) {
        if (at >= y->doc.start && at < y->doc.end)
            continue;
        if (s->text.ptr[at] == '\n') {
            n += has_text;
            has_text = false;
        } else if (!ken_is_space(s->text.ptr[at])) {
            has_text = true;
        }
    }
    return n + has_text;
}

// What the name is written behind: `Owner::`, `owner.`, and the receiver of a Go method.
static ken_str qualifier_of(const source *s, const ken_symbol *y)
{
    ken_str head = text_of(s, y->signature.end > y->signature.start ? y->signature : y->span);
    size_t name = ken_str_find(head, y->name), from = name;
    if (name == SIZE_MAX)
        return (ken_str){ 0 };
    if (ken_str_starts(head, KEN_STR("func (")))
        return ken_str_sub(head, 5, name);
    while (from && (ken_is_word(head.ptr[from - 1]) || strchr(":.", head.ptr[from - 1])))
        from--;
    return ken_str_sub(head, from, name);
}

// The words that the question must not hold: of the name, of its owners, of the file's name.
static void withhold(const source *s, const ken_facts *facts, const ken_symbol *y, ken_map *out)
{
    add_stems(out, ken_path_stem(s->path));
    add_stems(out, y->name);
    add_stems(out, qualifier_of(s, y));
    for (int32_t up = y->parent; up >= 0; up = facts->symbols[up].parent)
        add_stems(out, facts->symbols[up].name);
}

// A macro before its name makes some grammars take a class for a function.
static bool is_class(ken_str text)
{
    return ken_str_starts(text, KEN_STR("class ")) || ken_str_starts(text, KEN_STR("struct "));
}

static void take_function(make *m, uint32_t file, const ken_facts *facts, const ken_symbol *y)
{
    const source *s = &m->files.ptr[file];
    if (!ken_symbol_is_callable(y->kind) || y->kind == KEN_SYMBOL_MACRO ||
        is_class(text_of(s, y->span)) || y->doc.end <= y->doc.start ||
        body_lines(s, y) < BODY_LINES_MIN || !sentence_of(text_of(s, y->doc), &m->sentence))
        return;
    ken_map withheld;
    ken_map_init(&withheld);
    withhold(s, facts, y, &withheld);
    if (question_of(ken_buf_str(&m->sentence), &withheld, &m->question)) {
        ken_str sentence = ken_arena_dup(&m->arena, ken_buf_str(&m->sentence));
        ken_str key = ken_arena_printf(&m->arena, KEN_STR_FMT "\n" KEN_STR_FMT,
                                       KEN_STR_ARG(s->path), KEN_STR_ARG(sentence));
        candidate c = {
            .order = ken_hash_str(key),
            .file = file,
            .doc = y->doc,
            .first_line = y->first_line + 1,
            .last_line = y->last_line + 1,
            .sentence = sentence,
            .question = ken_arena_dup(&m->arena, ken_buf_str(&m->question)),
        };
        ken_vec_push(&m->candidates, c);
    }
    ken_map_release(&withheld);
}

// ---- files ----

static bool is_apart(ken_str path)
{
    static const char *const names[] = {
        "fixtures", "fixture",     "testdata", "__snapshots__", "generated",
        "assets",   "third_party", "vendor",   "third-party",   "vendored",
        "external", "deps",        "bench",    "benchmarks",
    };
    ken_str part;
    while (ken_str_split_next(&path, '/', &part))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (ken_str_eq_fold(part, ken_str_c(names[i])))
                return true;
    return false;
}

static bool may_be_asked_for(const source *s, ken_lang_id lang)
{
    uint32_t bits = ken_rank_path(s->path, ken_lang_at((uint16_t)lang)->test_names, false, false);
    return ken_lang_role_of(lang) == KEN_LANG_ROLE_CODE && !is_apart(s->path) &&
           !(bits & (KEN_PATH_TEST | KEN_PATH_EXAMPLE | KEN_PATH_COMPAT)) &&
           !ken_scan_classify_content(s->path, s->text);
}

static void take_functions(make *m, uint32_t file, ken_lang_id lang)
{
    ken_arena arena = { 0 };
    ken_facts facts = { 0 };
    const source *s = &m->files.ptr[file];
    bool is_wanted = may_be_asked_for(s, lang);
    if (!is_wanted && !m->is_bare)
        return;
    ken_learn(m->learner, lang, s->text, NULL, &arena, &facts, NULL);
    for (uint32_t i = 0; i < facts.n_symbols; i++) {
        const ken_symbol *y = &facts.symbols[i];
        if (m->is_bare && y->doc.end > y->doc.start)
            ken_vec_push(&m->comments, ((comment){ file, y->doc }));
        if (is_wanted)
            take_function(m, file, &facts, y);
    }
    ken_arena_release(&arena);
}

// Prose is left out of the tree: it often says the same as a comment, in nearly the same words.
static void take_file(make *m, int root, ken_str path)
{
    ken_err err = { 0 };
    m->buf.max = FILE_BYTES_MAX + 1;
    if (ken_fs_read_under(root, path, FILE_BYTES_MAX, &m->buf, NULL, &err))
        return;
    source s = { .path = path, .bytes = ken_arena_alloc(&m->arena, m->buf.len + 1) };
    if (m->buf.len)
        memcpy(s.bytes, m->buf.ptr, m->buf.len);
    s.text = ken_str_n(s.bytes, m->buf.len);
    ken_lang_id lang = ken_lang_of(path, s.text);
    if (ken_lang_role_of(lang) == KEN_LANG_ROLE_DOC)
        return;
    ken_buf_clear(&m->buf);
    m->buf.max = 8 * FILE_BYTES_MAX;
    put_tokens(s.text, &m->buf);
    s.tokens = ken_arena_dup(&m->arena, ken_buf_str(&m->buf));
    ken_vec_push(&m->files, s);
    take_functions(m, (uint32_t)m->files.len - 1, lang);
}

static void read_tree(make *m, const char *folder)
{
    ken_scan_result found = { 0 };
    ken_err err = { 0 };
    int root = -1;
    ken_scan_opts opts = { .without_git = true, .home = "/nonexistent" };
    if (ken_scan(folder, &opts, NULL, &m->arena, &found, &err) ||
        ken_fs_open_dir(folder, &root, &err))
        die(folder, err.msg);
    for (size_t i = 0; i < found.n_files; i++)
        take_file(m, root, found.files[i].path);
    ken_fs_close(root);
}

// ---- the choice ----

static int by_order(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_place(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->first_line > y->first_line) - (x->first_line < y->first_line);
}

static size_t count_in(ken_str text, ken_str what)
{
    size_t n = 0, at;
    while ((at = ken_str_find(text, what)) != SIZE_MAX) {
        text = ken_str_sub(text, at + what.len, text.len);
        n++;
    }
    return n;
}

// True when the sentence stands nowhere but in its own comment, whatever the line breaks.
static bool is_unique(make *m, const candidate *c)
{
    size_t n = 0;
    ken_buf_clear(&m->buf);
    put_tokens(c->sentence, &m->buf);
    for (size_t i = 0; i < m->files.len && n < 2; i++)
        n += count_in(m->files.ptr[i].tokens, ken_buf_str(&m->buf));
    return n == 1;
}

static void choose(make *m)
{
    m->n_chosen = 0;
    qsort(m->candidates.ptr, m->candidates.len, sizeof *m->candidates.ptr, by_order);
    for (size_t i = 0; i < m->candidates.len && m->n_chosen < CHOSEN_MAX; i++) {
        candidate *c = &m->candidates.ptr[i];
        c->is_chosen = is_unique(m, c);
        m->n_chosen += c->is_chosen;
    }
    qsort(m->candidates.ptr, m->candidates.len, sizeof *m->candidates.ptr, by_place);
}

static void blank(make *m)
{
    for (size_t i = 0; i < m->candidates.len; i++)
        if (m->candidates.ptr[i].is_chosen)
            ken_vec_push(&m->comments,
                         ((comment){ m->candidates.ptr[i].file, m->candidates.ptr[i].doc }));
    for (size_t i = 0; i < m->comments.len; i++) {
        char *text = m->files.ptr[m->comments.ptr[i].file].bytes;
        ken_span span = m->comments.ptr[i].span;
        for (uint32_t at = span.start; at < span.end; at++)
            if (text[at] != '\n' && text[at] != '\r')
                text[at] = ' ';
    }
}

// ---- writing ----

static void write_file(make *m, const char *folder, ken_str path, ken_str text)
{
    ken_err err = { 0 };
    ken_str full = ken_path_join(&m->arena, ken_str_c(folder), path);
    ken_str dir = ken_arena_dup(&m->arena, ken_path_dir(full));
    if (ken_fs_make_dirs(dir.ptr, 0755, &err))
        die(dir.ptr, err.msg);
    FILE *f = fopen(full.ptr, "wb");
    if (!f || fwrite(text.ptr, 1, text.len, f) != text.len || fclose(f))
        die(full.ptr, "cannot be written");
}

static void put_query(make *m, const candidate *c, ken_buf *out)
{
    ken_buf_puts(out, "    {\"query\": ");
    ken_json_put_quoted(out, c->question);
    ken_buf_puts(out, ", \"category\": \"doc\", \"relevant\": [");
    ken_json_put_quoted(out, ken_arena_printf(&m->arena, KEN_STR_FMT ":%u-%u",
                                              KEN_STR_ARG(m->files.ptr[c->file].path),
                                              c->first_line, c->last_line));
    ken_buf_puts(out, "], \"secondary\": []}");
}

static void write_dataset(make *m, ken_str folder, ken_str url, ken_str revision)
{
    ken_buf out = KEN_BUF_INIT(LIST_BYTES_MAX);
    const char *comma = "\n";
    ken_buf_printf(&out,
                   "{\n  \"name\": \"" KEN_STR_FMT "\",\n  \"url\": \"" KEN_STR_FMT
                   "\",\n  \"revision\": \"" KEN_STR_FMT "\",\n  \"root\": \"\",\n  \"queries\": [",
                   KEN_STR_ARG(folder), KEN_STR_ARG(url), KEN_STR_ARG(revision));
    for (size_t i = 0; i < m->candidates.len; i++) {
        if (!m->candidates.ptr[i].is_chosen)
            continue;
        ken_buf_puts(&out, comma);
        put_query(m, &m->candidates.ptr[i], &out);
        comma = ",\n";
    }
    ken_buf_puts(&out, "\n  ]\n}\n");
    write_file(m, m->datasets,
               ken_arena_printf(&m->arena, KEN_STR_FMT ".json", KEN_STR_ARG(folder)),
               ken_buf_str(&out));
    ken_buf_release(&out);
}

static void make_repository(make *m, ken_str name, ken_str url, ken_str revision)
{
    size_t slash = ken_str_find_char(name, '/');
    ken_str owner = ken_str_sub(name, 0, slash), base = ken_str_sub(name, slash + 1, name.len);
    ken_str folder = ken_arena_printf(&m->arena, KEN_STR_FMT "+" KEN_STR_FMT, KEN_STR_ARG(owner),
                                      KEN_STR_ARG(base));
    ken_vec_clear(&m->files);
    ken_vec_clear(&m->candidates);
    ken_vec_clear(&m->comments);
    read_tree(m, ken_path_join(&m->arena, ken_str_c(m->corpus), folder).ptr);
    choose(m);
    printf(KEN_STR_FMT "\t%zu files\t%zu sentences\t%u chosen\n", KEN_STR_ARG(name), m->files.len,
           m->candidates.len, m->n_chosen);
    if (m->n_chosen < CHOSEN_MIN)
        return;
    blank(m);
    const char *tree = ken_path_join(&m->arena, ken_str_c(m->trees), folder).ptr;
    for (size_t i = 0; i < m->files.len; i++)
        write_file(m, tree, m->files.ptr[i].path, m->files.ptr[i].text);
    write_dataset(m, folder, url, revision);
    m->n_queries += m->n_chosen;
    m->n_repositories++;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6 || (argc == 6 && strcmp(argv[5], "bare") != 0))
        die(argv[0], "usage: LIST CORPUS TREES DATASETS [bare]");
    static make m;
    m.is_bare = argc == 6;
    ken_buf list = KEN_BUF_INIT(LIST_BYTES_MAX);
    ken_err err = { 0 };
    m.learner = ken_learner_new();
    m.corpus = argv[2];
    m.trees = argv[3];
    m.datasets = argv[4];
    if (ken_fs_read_own(argv[1], LIST_BYTES_MAX, &list, &err))
        die(argv[1], err.msg);
    ken_str rest = ken_buf_str(&list), line, name, url, revision;
    while (ken_str_line_next(&rest, &line)) {
        if (!ken_str_split_next(&line, '\t', &name) || ken_str_find_char(name, '/') == SIZE_MAX ||
            !ken_str_split_next(&line, '\t', &url) || !ken_str_split_next(&line, '\t', &revision))
            continue;
        make_repository(&m, name, url, revision);
        ken_arena_reset(&m.arena);
    }
    printf("%u repositories, %u queries\n", m.n_repositories, m.n_queries);
    ken_learner_free(m.learner);
    return 0;
}
