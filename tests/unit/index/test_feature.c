// SPDX-License-Identifier: MIT
// KEN_EXTRACTION_VERSION is the version of everything that turns the bytes of a file into what the index
// keeps of them. When that changes and the number does not, indexes that were made before keep the
// old facts for ever. So tests/golden/index/feature.txt holds, beside the number, a digest of what
// is learnt of each file of the test data:
//
//     <input> <facts> <references> <names> <terms> <path>
//
// A line that differs for the same input needs a larger number; --update does not write it before.
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "index/index_priv.h"
#include "ktest.h"
#include "store/store_facts.h"
#include "store/store_refs_priv.h"
#include "store/store_zip_priv.h"

enum {
    MAX_FILES = 1000,
    INPUT_DIGITS = 12,
    PART_DIGITS = 8,
};

#define GOLDEN "index/feature.txt"

// The scanner of the SQL grammar leaks a few bytes for each $tag$. The sanitizer chose the name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:tree_sitter_sql_external_scanner";
}

// ---- the golden file ----------------------------------------------------------------------------

static unsigned feature_of(ken_str text)
{
    unsigned feature = 0;
    return sscanf(text.ptr, "feature %u\n", &feature) == 1 ? feature : 0;
}

// The line of `text` that begins with the input and ends with the path of `line`; empty when there
// is none.
static ken_str line_of_same_input(ken_str text, ken_str line)
{
    ken_str input = ken_str_sub(line, 0, INPUT_DIGITS), rest = text, l;
    size_t space = line.len;
    while (space && line.ptr[space - 1] != ' ')
        space--;
    ken_str path = ken_str_sub(line, space, line.len);
    while (ken_str_line_next(&rest, &l))
        if (ken_str_starts(l, input) && ken_str_ends(l, path))
            return l;
    return KEN_STR("");
}

// The first line of `now` whose input `kept` has with another outcome; empty when the number was
// raised, or nothing of the kind is there.
static ken_str changed_without_number(ken_str kept, ken_str now)
{
    ken_str rest = now, line;
    if (feature_of(now) > feature_of(kept))
        return KEN_STR("");
    while (ken_str_line_next(&rest, &line)) {
        if (line.len <= INPUT_DIGITS || line.ptr[INPUT_DIGITS] != ' ')
            continue;
        ken_str before = line_of_same_input(kept, line);
        if (before.len && !ken_str_eq(before, line))
            return line;
    }
    return KEN_STR("");
}

// ---- what is learnt -----------------------------------------------------------------------------

static void put_digest(const void *data, size_t n, size_t digits, ken_buf *out)
{
    ken_sha256 sha = ken_sha256_of(data, n);
    char hex[2 * sizeof sha.bytes + 1];
    ken_hex_into(sha.bytes, sizeof sha.bytes, hex);
    ken_buf_put(out, hex, digits);
    ken_buf_putc(out, ' ');
}

static void put_facts(const index_slot *s, ken_buf *out)
{
    ken_buf plain = KEN_BUF_INIT(1 << 24);
    ken_facts_pack(&s->facts, &plain); // the slot has the same, compressed as zstd's version does
    put_digest(plain.ptr, plain.len, PART_DIGITS, out);
    ken_buf_release(&plain);
}

static void put_refs(index_worker *w, const index_slot *s, ken_buf *out)
{
    ken_str packed = ken_buf_str(&s->packed_refs);
    const uint8_t *bytes = (const uint8_t *)packed.ptr;
    if (packed.len && bytes[1] != KEN_REFS_PLAIN) {
        ken_reader r = { .at = bytes + 2, .end = bytes + packed.len };
        bool is_alone = bytes[1] == KEN_REFS_ALONE;
        packed = ken_zip__borrow(w->zip, is_alone ? KEN_ZIP_NONE : KEN_ZIP_REFS_1, &r,
                                 KEN_REFS_MAX_BYTES);
        kt_true(packed.len > 0);
    } else if (packed.len) {
        packed = ken_str_sub(packed, 2, packed.len);
    }
    put_digest(packed.ptr, packed.len, PART_DIGITS, out);
}

// Fields one by one: there may be anything between them.
static void put_terms(const ken_lex_doc *d, ken_buf *out)
{
    ken_buf b = KEN_BUF_INIT(1 << 26);
    for (size_t i = 0; i < d->postings.len; i++) {
        ken_buf_put(&b, &d->postings.ptr[i].key, sizeof d->postings.ptr[i].key);
        ken_buf_put(&b, d->postings.ptr[i].tf, sizeof d->postings.ptr[i].tf);
    }
    ken_buf_put(&b, d->lens.ptr, d->lens.len * sizeof *d->lens.ptr);
    for (size_t i = 0; i < d->bags.words.len; i++) {
        ken_buf_put(&b, &d->bags.words.ptr[i].word, sizeof d->bags.words.ptr[i].word);
        ken_buf_put(&b, d->bags.words.ptr[i].n, sizeof d->bags.words.ptr[i].n);
    }
    ken_buf_put(&b, d->bags.ends.ptr, d->bags.ends.len * sizeof *d->bags.ends.ptr);
    put_digest(b.ptr, b.len, PART_DIGITS, out);
    ken_buf_release(&b);
}

static const char *files[MAX_FILES];
static size_t n_files;

static int note_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    bool is_input = strstr(path, "/data/sample/") || strncmp(path + at->base, "input.", 6) == 0;
    if (type == FTW_F && is_input && n_files < MAX_FILES)
        files[n_files++] = strdup(path);
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// No two chunks of a file have one range of lines.
static void check_ranges(const ken_facts *f, const char *path)
{
    for (uint32_t i = 1; i < f->n_chunks; i++)
        if (f->chunks[i].first_line == f->chunks[i - 1].first_line &&
            f->chunks[i].last_line == f->chunks[i - 1].last_line)
            kt_fail("%s: chunks %u and %u have the same lines", path, i - 1, i);
}

static void put_file(int root_fd, index_worker *w, index_slot *s, const char *path, ken_buf *out)
{
    index_job job = { .roots = { .fd = root_fd }, .max_file_bytes = 1 << 20 };
    if (!ken_index__file_read(&job, ken_str_c(path), s)) {
        ken_buf_printf(out, "left out: %s %s\n", ken_skip_word(s->skip), path);
        return;
    }
    put_digest(s->text.ptr, s->text.len, INPUT_DIGITS, out); // before secrets are masked
    ken_index__file_learn(&job, w, KEN_STR("file"), s);
    check_ranges(&s->facts, path);
    put_facts(s, out);
    put_refs(w, s, out);
    put_digest(s->mentions.ptr, s->mentions.len * sizeof *s->mentions.ptr, PART_DIGITS, out);
    put_terms(&s->doc, out);
    ken_buf_printf(out, "%s\n", path);
}

static void put_all(ken_buf *out)
{
    static const char *const folders[] = { "/data/sample", "/golden/refs", "/golden/symbols" };
    size_t root = strlen(KEN_TEST_SOURCE_DIR) + 1;
    index_worker w = { 0 };
    index_slot slot = { .text = KEN_BUF_INIT(1 << 20),
                        .packed = KEN_BUF_INIT(KEN_FACTS_MAX_BYTES),
                        .packed_refs = KEN_BUF_INIT(KEN_REFS_MAX_BYTES) };
    int fd = open(KEN_TEST_SOURCE_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    kt_true(fd >= 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", KEN_TEST_SOURCE_DIR, folders[i]);
        kt_eq_i(nftw(path, note_file, 16, FTW_PHYS), 0);
    }
    qsort(files, n_files, sizeof *files, by_path);
    const index_memory memory = ken_index__split_memory(0, 0);
    ken_index__worker_init(&w, &memory, 1);
    ken_buf_printf(out, "feature %d\n", KEN_EXTRACTION_VERSION);
    for (size_t i = 0; i < n_files; i++) {
        put_file(fd, &w, &slot, files[i] + root, out);
        free((char *)(uintptr_t)files[i]);
    }
    ken_index__worker_release(&w);
    ken_index__slot_release(&slot);
    close(fd);
}

KEN_TEST(other_facts_of_the_same_bytes_need_a_larger_feature)
{
    ken_buf now = KEN_BUF_INIT(1 << 20);
    put_all(&now);
    kt_true(n_files > 60 && n_files < MAX_FILES);
    if (access(KEN_TEST_SOURCE_DIR "/golden/" GOLDEN, F_OK) == 0) {
        ken_str kept = ktest_read(KEN_TEST_SOURCE_DIR "/golden/" GOLDEN);
        ken_str line = changed_without_number(kept, ken_buf_str(&now));
        if (feature_of(kept) > KEN_EXTRACTION_VERSION) {
            kt_fail("KEN_EXTRACTION_VERSION is %d, tests/golden/%s has %u: it never goes back",
                    KEN_EXTRACTION_VERSION, GOLDEN, feature_of(kept));
        }
        if (line.len) {
            kt_fail(
                "the indexer learns other things of the same bytes than before:\n"
                "   was: " KEN_STR_FMT "\n   now: " KEN_STR_FMT "\n"
                "Indexes of before would keep what they have. When that is meant, raise "
                "KEN_EXTRACTION_VERSION to %u in src/index/index_priv.h, with its line of comment, "
                "then ./dev test --update unit_index; without that --update changes nothing",
                KEN_STR_ARG(line_of_same_input(kept, line)), KEN_STR_ARG(line),
                feature_of(kept) + 1);
        }
    }
    kt_golden(GOLDEN, now.ptr, now.len);
    ken_buf_release(&now);
}

KEN_TEST(only_a_changed_outcome_needs_a_larger_feature)
{
    ken_str kept =
        KEN_STR("feature 4\n0123456789ab 11 22 33 44 a.c\nba9876543210 55 66 77 88 b.c\n");
    struct {
        const char *now, *line;
    } cases[] = {
        { "feature 4\n0123456789ab 11 22 33 44 a.c\n", "" }, // a file less
        { "feature 4\nba9876543210 55 66 77 88 c.c\n", "" }, // a new file
        { "feature 4\n0123456789ff 99 22 33 44 a.c\n", "" }, // an edited file
        { "feature 5\n0123456789ab 11 22 99 44 a.c\n", "" }, // a larger number
        { "feature 4\n0123456789ab 11 22 99 44 a.c\n", "0123456789ab 11 22 99 44 a.c" },
        { "feature 3\nba9876543210 55 66 77 99 b.c\n", "ba9876543210 55 66 77 99 b.c" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        kt_eq_text(changed_without_number(kept, ken_str_c(cases[i].now)), cases[i].line);
}
