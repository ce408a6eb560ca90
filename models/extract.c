// SPDX-License-Identifier: MIT
// Reads repositories as ken does and writes what can be learnt from them: pairs of what people call
// a piece of code (its doc comment, name, path, heading) and the words of that code.
//
//   ken-model-extract LIST CORPUS OUT [APART...]
//
// LIST is repositories.tsv; CORPUS holds one folder for each of its repositories, named
// owner+name. Files whose content also lies below a folder APART, or under a name of the benchmark,
// are left out, as is every content after its first. The order of everything is fixed, so the same
// trees give the same pairs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "base/vec.h"
#include "learn/learn.h"
#include "pairs.h"
#include "rank/rank.h"
#include "scan/scan.h"
#include "token/token.h"

enum {
    FILE_BYTES_MAX = 256 * 1024,
    LIST_BYTES_MAX = 4 * 1024 * 1024,
    DOC_TOKENS_MAX = 400, // identifiers of one document
    DOC_WORDS_MAX = 250,  // distinct
    QUERY_WORDS_MAX = 28, // identifiers of one question
    BODY_LINES_MAX = 40,
    BODY_LINES_MIN = 4,
    NAME_LETTERS_MIN = 6,
    COMMENT_LINES = 10,
    COMMENTS_MAX = 12, // of one file
    COMMENT_WORDS_MIN = 4,
    HEADER_LINES = 60,
    CHUNKS_MAX = 3, // of one file, asked for by its path
    KEEP_TESTS_ONE_IN = 5,
};

typedef ken_vec_u32 words;

typedef struct extract {
    ken_map dict;   // word -> number
    ken_map hashes; // contents that are not wanted (again)
    FILE *pairs, *words;
    uint32_t repository;
    ken_learner *learner;
    ken_arena arena;
    ken_buf text;
    words query, content, path;
    ken_vec_u32 counts; // by word, zero between bags
    uint64_t n[PAIRS_TYPES], n_files, n_left_out;
    uint64_t n_of[KEN_LANG_COUNT][PAIRS_TYPES];
    ken_lang_id lang;
} extract;

// One file while it is read.
typedef struct source {
    ken_str path, text;
    ken_facts facts;
    const ken_span *comments;
    size_t n_comments;
    bool is_test, is_doc;
} source;

// ---- words ----

static uint32_t number_of(extract *x, ken_str word)
{
    bool is_new;
    uint32_t n = (uint32_t)*ken_map_put(&x->dict, word, x->dict.len, &is_new);
    if (is_new) {
        fwrite(word.ptr, 1, word.len, x->words);
        fputc('\n', x->words);
        ken_vec_push(&x->counts, 0);
    }
    return n;
}

// Appends the parts of one token, which a model knows as words of their own.
static void add_parts(extract *x, ken_str token, words *out)
{
    ken_token_parts parts;
    ken_token_split(token, &parts);
    for (uint32_t i = 0; i < parts.n_parts; i++)
        if (parts.part[i].len >= 2)
            ken_vec_push(
                out, number_of(x, ken_str_n(parts.text + parts.part[i].start, parts.part[i].len)));
}

// Appends the words of at most `max` tokens that are not `blank`.
static void add_text(extract *x, ken_str text, size_t max, ken_str blank, words *out)
{
    ken_str token;
    for (size_t n = 0; n < max && ken_token_next(&text, &token); n++)
        if (!blank.len || !ken_str_eq_fold(token, blank))
            add_parts(x, token, out);
}

// Makes distinct words with counts out of a list, in the order of their first place.
static void count_words(extract *x, words *list, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < list->len; i++) {
        uint32_t word = list->ptr[i], *count = &x->counts.ptr[word];
        if (*count) {
            *count += *count < PAIRS_COUNT_MAX;
        } else if (n < max) {
            *count = 1;
            list->ptr[n++] = word;
        }
    }
    list->len = n;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = list->ptr[i];
        list->ptr[i] = word << PAIRS_COUNT_BITS | x->counts.ptr[word];
        x->counts.ptr[word] = 0;
    }
}

static void put_u32(extract *x, uint32_t value)
{
    fwrite(&value, sizeof value, 1, x->pairs);
}

static void put_words(extract *x, const words *list)
{
    put_u32(x, (uint32_t)list->len);
    fwrite(list->ptr, sizeof *list->ptr, list->len, x->pairs);
}

// ---- pairs ----

static ken_str text_of(const source *s, ken_span span)
{
    return ken_str_sub(s->text, span.start, span.end);
}

// Writes the pair of x->query and the code of `span`, of which `hole` and `blank` are not shown.
static void put_pair(extract *x, const source *s, pairs_type type, ken_span span, ken_span hole,
                     ken_str blank)
{
    ken_vec_clear(&x->content);
    if (hole.end > hole.start) {
        add_text(x, text_of(s, (ken_span){ span.start, hole.start }), DOC_TOKENS_MAX, blank,
                 &x->content);
        span.start = hole.end;
    }
    add_text(x, text_of(s, span), DOC_TOKENS_MAX, blank, &x->content);
    count_words(x, &x->content, DOC_WORDS_MAX);
    if (x->content.len < 4 || !x->query.len)
        return;
    put_u32(x, PAIRS_TAG_PAIR);
    put_u32(x, type);
    put_words(x, &x->query);
    put_words(x, &x->content);
    x->n[type]++;
    x->n_of[x->lang][type]++;
}

// The span cut to a number of lines.
static ken_span cut_lines(const source *s, ken_span span, uint32_t n_lines)
{
    uint32_t at = span.start;
    while (at < span.end && n_lines) {
        n_lines -= s->text.ptr[at] == '\n';
        at++;
    }
    return (ken_span){ span.start, at };
}

static uint32_t lines_of(const source *s, ken_span span)
{
    uint32_t n = 1;
    for (uint32_t at = span.start; at < span.end; at++)
        n += s->text.ptr[at] == '\n';
    return n;
}

static uint64_t hash_of(ken_str a, uint32_t salt)
{
    return ken_hash_str(a) ^ ken_hash64(&salt, sizeof salt);
}

// True for one in `n` of everything that is called `a`, always for the same ones.
static bool draw(ken_str a, uint32_t salt, uint64_t n)
{
    return ken_hash64(&(uint64_t){ hash_of(a, salt) }, sizeof(uint64_t)) % n == 0;
}

// ---- what people write of code ----

static bool is_mark(char c)
{
    return ken_is_space(c) || strchr("/*#!-;%\"'<>{|=~.", c) != NULL;
}

// True for the lines after which a comment lists parameters, examples or rights.
static bool ends_prose(ken_str line)
{
    static const char *const starts[] = { "@",       ":param",  ":return", "\\param",    "Args:",
                                          "Returns", "Example", "Params",  "Parameters", "```",
                                          "Raises",  "iex>",    ">>>",     "SPDX" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (ken_str_starts(line, ken_str_c(starts[i])))
            return true;
    return false;
}

static bool is_about_rights(ken_str text)
{
    static const char *const marks[] = { "opyright", "icense", "SPDX",   "ll rights reserved",
                                         "eslint",   "noqa",   "NOLINT", "TODO",
                                         "FIXME" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (ken_str_find(text, ken_str_c(marks[i])) != SIZE_MAX)
            return true;
    return false;
}

// Length of the sentence at the front.
static size_t sentence_len(ken_str line, bool *out_ends)
{
    for (size_t i = 0; i + 1 < line.len; i++)
        if (line.ptr[i] == '.' && ken_is_space(line.ptr[i + 1])) {
            *out_ends = true;
            return i;
        }
    *out_ends = line.len && line.ptr[line.len - 1] == '.';
    return line.len;
}

// Drops <tags> in place; such comments are written in XML.
static void add_prose(extract *x, ken_str line, size_t *left)
{
    while (line.len && *left) {
        size_t open = ken_str_find_char(line, '<');
        ken_str plain = ken_str_sub(line, 0, open), token;
        while (*left && ken_token_next(&plain, &token)) {
            add_parts(x, token, &x->query);
            (*left)--;
        }
        if (open == SIZE_MAX)
            return;
        size_t close = ken_str_find_char(ken_str_sub(line, open, line.len), '>');
        line = close == SIZE_MAX ? ken_str_sub(line, open + 1, line.len)
                                 : ken_str_sub(line, open + close + 1, line.len);
    }
}

// Elixir's comments are attributes: @doc """ ... """.
static ken_str without_attribute(ken_str comment)
{
    return ken_str_starts(comment, KEN_STR("@"))
               ? ken_str_sub(comment, ken_str_find_char(comment, '"'), comment.len)
               : comment;
}

// Sets x->query to the first sentence of a comment; false when it says too little.
static bool ask_comment(extract *x, ken_str comment)
{
    ken_vec_clear(&x->query);
    comment = without_attribute(comment);
    size_t left = QUERY_WORDS_MAX;
    ken_str line;
    bool ends = false, has_text = false;
    while (!ends && left && ken_str_line_next(&comment, &line)) {
        while (line.len && is_mark(line.ptr[0]))
            line = ken_str_sub(line, 1, line.len);
        line = ken_str_trim(line);
        if (ends_prose(line) || (has_text && !line.len))
            break;
        has_text |= line.len > 0;
        size_t n = sentence_len(line, &ends);
        add_prose(x, ken_str_sub(line, 0, n), &left);
    }
    return QUERY_WORDS_MAX - left >= 3;
}

static bool is_definition(const ken_symbol *y)
{
    return ken_symbol_is_callable(y->kind) || ken_symbol_is_type(y->kind) ||
           y->kind == KEN_SYMBOL_TEST;
}

static void pair_definition(extract *x, const source *s, const ken_symbol *y)
{
    ken_span body = cut_lines(s, y->span, BODY_LINES_MAX), doc = y->doc, hole = { 0 };
    if (doc.start >= body.start && doc.end <= body.end)
        hole = doc;
    if (doc.end > doc.start && !is_about_rights(text_of(s, doc)) && ask_comment(x, text_of(s, doc)))
        put_pair(x, s, PAIRS_DOC, body, hole, (ken_str){ 0 });
    if (y->name.len < NAME_LETTERS_MIN || lines_of(s, body) < BODY_LINES_MIN)
        return;
    ken_vec_clear(&x->query);
    add_text(x, y->name, QUERY_WORDS_MAX, (ken_str){ 0 }, &x->query);
    bool is_blank = !draw(y->name, y->span.start, 5) && !draw(y->name, y->span.end, 4);
    put_pair(x, s, s->is_test ? PAIRS_TEST : PAIRS_NAME, body, (ken_span){ 0 },
             is_blank ? y->name : (ken_str){ 0 });
}

static void pair_definitions(extract *x, const source *s)
{
    for (uint32_t i = 0; i < s->facts.n_symbols; i++)
        if (is_definition(&s->facts.symbols[i]))
            pair_definition(x, s, &s->facts.symbols[i]);
}

static void pair_sections(extract *x, const source *s)
{
    for (uint32_t i = 0; i < s->facts.n_symbols; i++) {
        const ken_symbol *y = &s->facts.symbols[i];
        if (y->kind != KEN_SYMBOL_SECTION || y->name.len < 4)
            continue;
        ken_vec_clear(&x->query);
        if (y->parent >= 0 && draw(y->name, y->span.start, 3))
            add_text(x, s->facts.symbols[y->parent].name, 8, (ken_str){ 0 }, &x->query);
        add_text(x, y->name, QUERY_WORDS_MAX, (ken_str){ 0 }, &x->query);
        ken_span span = cut_lines(s, y->span, BODY_LINES_MAX), title = cut_lines(s, span, 1);
        put_pair(x, s, PAIRS_SECTION, (ken_span){ title.end, span.end }, (ken_span){ 0 }, y->name);
    }
}

static bool is_doc_of_symbol(const source *s, ken_span c)
{
    for (uint32_t i = 0; i < s->facts.n_symbols; i++)
        if (c.start >= s->facts.symbols[i].doc.start && c.start < s->facts.symbols[i].doc.end)
            return true;
    return false;
}

static bool is_indented(const source *s, uint32_t at)
{
    return at && (s->text.ptr[at - 1] == ' ' || s->text.ptr[at - 1] == '\t');
}

// Comments of adjacent lines are one.
static ken_span join_comments(const source *s, size_t *i)
{
    ken_span c = s->comments[*i];
    while (*i + 1 < s->n_comments) {
        ken_str gap = text_of(s, (ken_span){ c.end, s->comments[*i + 1].start });
        if (ken_str_trim(gap).len ||
            lines_of(s, (ken_span){ c.end, s->comments[*i + 1].start }) > 2)
            break;
        c.end = s->comments[++*i].end;
    }
    return c;
}

static void pair_comments(extract *x, const source *s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s->n_comments && n < COMMENTS_MAX; i++) {
        ken_span c = join_comments(s, &i);
        if (!is_indented(s, c.start) || is_doc_of_symbol(s, c) || is_about_rights(text_of(s, c)) ||
            !ask_comment(x, text_of(s, c)) || x->query.len < COMMENT_WORDS_MIN)
            continue;
        ken_span after = { c.end, (uint32_t)s->text.len };
        put_pair(x, s, PAIRS_COMMENT, cut_lines(s, after, COMMENT_LINES + 1), (ken_span){ 0 },
                 (ken_str){ 0 });
        n++;
    }
}

static void pair_header(extract *x, const source *s)
{
    for (size_t i = 0; i < s->n_comments; i++) {
        ken_span c = join_comments(s, &i);
        if (lines_of(s, (ken_span){ 0, c.start }) > 30)
            return;
        if (is_about_rights(text_of(s, c)) || is_indented(s, c.start))
            continue;
        if (!is_doc_of_symbol(s, c) && ask_comment(x, text_of(s, c)) &&
            x->query.len >= COMMENT_WORDS_MIN)
            put_pair(x, s, PAIRS_HEADER,
                     cut_lines(s, (ken_span){ c.end, (uint32_t)s->text.len }, HEADER_LINES),
                     (ken_span){ 0 }, (ken_str){ 0 });
        return;
    }
}

// The last one or two parts of the path, without extension.
static void pair_path(extract *x, const source *s)
{
    ken_str stem = ken_path_stem(s->path), dir = ken_path_base(ken_path_dir(s->path));
    for (uint32_t n = 0; n < CHUNKS_MAX && n < s->facts.n_chunks; n++) {
        uint32_t i = n ? (uint32_t)(hash_of(s->path, n) % s->facts.n_chunks) : 0;
        ken_vec_clear(&x->query);
        if (draw(s->path, n + 7, 2))
            add_text(x, dir, 8, (ken_str){ 0 }, &x->query);
        add_text(x, stem, 8, (ken_str){ 0 }, &x->query);
        put_pair(x, s, PAIRS_PATH, s->facts.chunks[i].span, (ken_span){ 0 }, (ken_str){ 0 });
    }
}

// ---- files ----

static void put_file(extract *x, const source *s)
{
    ken_vec_clear(&x->path);
    add_text(x, s->path, DOC_TOKENS_MAX, (ken_str){ 0 }, &x->path);
    count_words(x, &x->path, DOC_WORDS_MAX);
    put_u32(x, PAIRS_TAG_FILE);
    put_u32(x, x->repository);
    put_words(x, &x->path);
    x->n_files++;
}

static void read_source(extract *x, source *s)
{
    ken_arena_reset(&x->arena);
    ken_learn(x->learner, x->lang, s->text, NULL, &x->arena, &s->facts, NULL);
    s->comments = ken_learner_comments(x->learner, &s->n_comments);
    put_file(x, s);
    if (s->is_doc) {
        pair_sections(x, s);
        return;
    }
    pair_definitions(x, s);
    if (s->is_test)
        return;
    pair_comments(x, s);
    pair_header(x, s);
    pair_path(x, s);
}

// Names of the benchmark's repositories that no ordinary folder has.
static const char *const apart_names[] = {
    "abseil-cpp",
    "absl",
    "aeson",
    "aiohttp",
    "alamofire",
    "axios",
    "axum",
    "bash-it",
    "bats-core",
    "bats",
    "chi",
    "circe",
    "cobra",
    "commons-lang",
    "commons-lang3",
    "curl",
    "dapper",
    "ecto",
    "exposed",
    "fastapi",
    "flask",
    "fmtlib",
    "gson",
    "guzzle",
    "guzzlehttp",
    "http4s",
    "httpx",
    "jackson-databind",
    "kotlinx-coroutines",
    "kotlinx.coroutines",
    "ktor",
    "lazy.nvim",
    "libuv",
    "messagepack-csharp",
    "mini.nvim",
    "model2vec",
    "monolog",
    "newtonsoft-json",
    "newtonsoft.json",
    "nlohmann-json",
    "nlohmann",
    "nvm",
    "pandoc",
    "pydantic",
    "redux",
    "serde",
    "sinatra",
    "snapkit",
    "starlette",
    "telescope.nvim",
    "tokio",
    "trpc",
    "vapor",
    "vitest",
    "xmonad",
    "zig-clap",
    "zls",
    "zod",
    "hiredis",
};
static const char *const build_names[] = { "third_party", "thirdparty", "external",      "extern",
                                           "third-party", "3rdparty",   "_vendor",       "deps",
                                           "fixtures",    "fixture",    "locales",       "assets",
                                           "generated",   "testdata",   "__snapshots__", "vendor",
                                           "vendored",    "bundled",    "submodules" };

static bool is_named(ken_str name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_fold(name, ken_str_c(list[i])))
            return true;
    return false;
}

static bool is_apart(ken_str path)
{
    ken_str part;
    while (ken_str_split_next(&path, '/', &part))
        if (is_named(part, apart_names, sizeof apart_names / sizeof *apart_names) ||
            is_named(part, build_names, sizeof build_names / sizeof *build_names))
            return true;
    return false;
}

// True when the content is seen for the first time.
static bool take_content(extract *x, ken_str text)
{
    ken_sha256 sha = ken_sha256_of(text.ptr, text.len);
    bool is_new;
    ken_map_put(&x->hashes, ken_str_n((const char *)sha.bytes, sizeof sha.bytes), 0, &is_new);
    return is_new;
}

static bool read_file(extract *x, int root, ken_str path)
{
    ken_err err = { 0 };
    x->text.max = FILE_BYTES_MAX + 1;
    return !ken_fs_read_under(root, path, FILE_BYTES_MAX, &x->text, NULL, &err);
}

static void take_file(extract *x, int root, ken_str path)
{
    if (is_apart(path) || !read_file(x, root, path))
        return;
    source s = { .path = path, .text = ken_buf_str(&x->text) };
    x->lang = ken_lang_of(path, s.text);
    ken_lang_role role = ken_lang_role_of(x->lang);
    s.is_doc = role == KEN_LANG_ROLE_DOC;
    if ((role != KEN_LANG_ROLE_CODE && !s.is_doc) || ken_scan_classify_content(path, s.text))
        return;
    const char *test_names = ken_lang_at((uint16_t)x->lang)->test_names;
    s.is_test = (ken_rank_path(path, test_names, s.is_doc, false) & KEN_PATH_TEST) != 0;
    if (s.is_test && !draw(path, 1, KEEP_TESTS_ONE_IN))
        return;
    if (!take_content(x, s.text)) {
        x->n_left_out++;
        return;
    }
    read_source(x, &s);
}

typedef void file_fn(extract *x, int root, ken_str path);

static void each_file(extract *x, const char *folder, file_fn *fn)
{
    ken_arena arena = { 0 };
    ken_scan_result found = { 0 };
    ken_err err = { 0 };
    int root = -1;
    ken_scan_opts opts = { .without_git = true, .home = "/nonexistent" };
    ken_status st = ken_scan(folder, &opts, NULL, &arena, &found, &err);
    if (!st)
        st = ken_fs_open_dir(folder, &root, &err);
    if (st)
        fprintf(stderr, "%s: %s\n", folder, err.msg);
    for (size_t i = 0; !st && i < found.n_files; i++)
        fn(x, root, found.files[i].path);
    if (root >= 0)
        ken_fs_close(root);
    ken_arena_release(&arena);
}

static void put_apart(extract *x, int root, ken_str path)
{
    if (read_file(x, root, path))
        take_content(x, ken_buf_str(&x->text));
}

// ---- the list ----

static void read_list(extract *x, const char *list, const char *corpus)
{
    ken_buf text = KEN_BUF_INIT(LIST_BYTES_MAX);
    ken_err err = { 0 };
    if (ken_fs_read_own(list, LIST_BYTES_MAX, &text, &err))
        fprintf(stderr, "%s\n", err.msg);
    ken_str rest = ken_buf_str(&text), line, name;
    while (ken_str_line_next(&rest, &line)) {
        char folder[4096];
        if (!ken_str_split_next(&line, '\t', &name) || ken_str_find_char(name, '/') == SIZE_MAX)
            continue;
        int n = snprintf(folder, sizeof folder, "%s/" KEN_STR_FMT, corpus, KEN_STR_ARG(name));
        folder[(size_t)n - name.len + ken_str_find_char(name, '/')] = '+';
        each_file(x, folder, take_file);
        x->repository++;
    }
    ken_buf_release(&text);
}

static void print_counts(const extract *x)
{
    for (int lang = 0; lang < KEN_LANG_COUNT; lang++) {
        uint64_t sum = 0;
        for (int t = 0; t < PAIRS_TYPES; t++)
            sum += x->n_of[lang][t];
        if (!sum)
            continue;
        printf("%s", ken_lang_name((ken_lang_id)lang));
        for (int t = 0; t < PAIRS_TYPES; t++)
            printf("\t%llu", (unsigned long long)x->n_of[lang][t]);
        printf("\t%llu\n", (unsigned long long)sum);
    }
    printf("%u repositories, %llu files, %llu left out as known, %zu words\n", x->repository,
           (unsigned long long)x->n_files, (unsigned long long)x->n_left_out, x->dict.len);
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(1);
    }
    return f;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s LIST CORPUS OUT [APART...]\n", argv[0]);
        return 2;
    }
    static extract x;
    ken_map_init(&x.dict);
    ken_map_init(&x.hashes);
    x.learner = ken_learner_new();
    x.pairs = create(argv[3], "pairs.bin");
    x.words = create(argv[3], "words.txt");
    for (int i = 4; i < argc; i++)
        each_file(&x, argv[i], put_apart);
    read_list(&x, argv[1], argv[2]);
    print_counts(&x);
    return fclose(x.pairs) || fclose(x.words);
}
