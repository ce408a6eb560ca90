// SPDX-License-Identifier: MIT
// What a path says of a file, what a question forgives, and how evidence adds up.
#include <math.h>
#include <string.h>

#include "ktest.h"
#include "lang/lang.h"
#include "rank/rank.h"

// ---- paths -------------------------------------------------------------------------------------

enum {
    T = KEN_PATH_TEST,
    X = KEN_PATH_EXAMPLE,
    C = KEN_PATH_COMPAT,
    I = KEN_PATH_INTERNAL,
    P = KEN_PATH_PLATFORM,
    H = KEN_WAIVED_HALF_TEST,
};

typedef struct path_row {
    const char *path;
    uint32_t bits;
} path_row;

static void check_rows(const path_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ken_str path = ken_str_c(rows[i].path);
        const ken_language *lang = ken_lang_at((uint16_t)ken_lang_of(path, KEN_STR("")));
        uint32_t got = ken_rank_path(path, lang->test_names, false, false);
        if (got != rows[i].bits)
            kt_fail("'%s' has bits %#x, not %#x", rows[i].path, got, rows[i].bits);
    }
}

#define CHECK(rows) check_rows((rows), sizeof(rows) / sizeof *(rows))

KEN_TEST(ordinary_code_has_no_bits)
{
    static const path_row rows[] = {
        { "main.c", 0 },
        { "src/auth/session.ts", 0 },
        { "lib/retry_policy.py", 0 },
        { "cmd/server/main.go", 0 },
        { "", 0 },
        { "Makefile", 0 },
        { "a.b.c.d", 0 },
    };
    CHECK(rows);
}

KEN_TEST(tests_by_folder)
{
    static const path_row rows[] = {
        { "test/a.c", T },
        { "src/__tests__/api.js", T },
        { "spec/models/user.rb", T },
        { "pkg/testdata/input.go", T },
        { "app/fixtures/users.py", T },
        { "web/e2e/login.ts", T },
        { "src/mocks/handlers.ts", T },
        { "Tests/AppTests/Helpers.swift", T }, // Swift and C# write it so
        { "src/Shop.Core.Tests/Orders.cs", T },
        { "shop/src/commonTest/kotlin/Orders.kt", T },
        { "regress/cursor.sh", T },
        { "transforms/__testfixtures__/basic.input.ts", T },
        { "transforms/__tests__/basic.ts", T },
        { "src/contest/a.c", 0 },
        { "src/Latest/a.c", 0 },
        { "src/Test/Support.cs", T },
        { "src/testing_tools/run.c", 0 },
        { "contest/entry.c", 0 },
        { "latest/build.c", 0 },
    };
    CHECK(rows);
}

KEN_TEST(tests_by_name)
{
    static const path_row rows[] = {
        { "auth_test.go", T },
        { "src/queue_test.cc", T },
        { "lib/user_spec.rb", T },
        { "test_queue.py", T },
        { "conftest.py", T },
        { "conftest.c", 0 }, // of autoconf
        { "src/api.test.ts", T },
        { "src/Button.spec.tsx", T },
        { "RetryTest.java", T },
        { "QueueTests.swift", T },
        { "src/UserTests.cs", T },
        { "lib/parser_test.exs", T },
        // Names that only sound like it.
        { "src/latest.py", 0 },
        { "contest.go", 0 },
        { "attest.java", 0 },
        { "src/protest.rb", 0 },
        { "test_functions.bash", 0 },
        { "testing.c", 0 },
        { "src/inspect.js", 0 },
        { "Contest.java", 0 },
    };
    CHECK(rows);
}

KEN_TEST(examples_docs_and_benchmarks)
{
    static const path_row rows[] = {
        { "examples/hello.c", X },   { "doc/conf.py", X },       { "docs/snippets/a.py", X },
        { "benchmarks/run.rs", X },  { "tutorial/step1.go", X }, { "Example/App.swift", X },
        { "sample/app.js", X },      { "src/sampler.c", 0 },     { "src/docker.c", 0 },
        { "src/demonstrate.py", 0 }, { "docs.py", 0 },
    };
    CHECK(rows);
}

KEN_TEST(compat_generated_and_vendored)
{
    static const path_row rows[] = {
        { "vendor/lib/a.c", C },    { "third_party/zlib/a.c", C },
        { "src/compat/strl.c", C }, { "src/legacy/api.py", C },
        { "api.pb.go", C },         { "model.generated.cs", C },
        { "app.min.js", C },        { "types/index.d.ts", C },
        { "src/gen/api.ts", C },    { "src/generator.c", 0 },
        { "src/compatible.c", 0 },  { "legacy.c", 0 },
    };
    CHECK(rows);
}

KEN_TEST(internal_code)
{
    static const path_row rows[] = {
        { "internal/cache/lru.go", I },
        { "pydantic/_internal/a.py", I },
        { "src/detail/impl.hpp", I },
        { "pkg/_private/x.py", I },
        { "src/_helpers.py", I },
        { "src/impl/a.java", I },
        { "src/unstable/a.rs", I },
        { "src/internals.md.c", 0 },
        { "_/a.c", 0 },
        { "src/_.js", 0 },
    };
    CHECK(rows);
}

// Whether a file only re-exports is for its content to say: mod.rs and index.ts hold code as often.
KEN_TEST(names_of_package_files_say_nothing)
{
    static const path_row rows[] = {
        { "pkg/__init__.py", 0 }, { "src/index.ts", 0 }, { "process/mod.rs", 0 },
        { "src/lib.rs", 0 },      { "index.js", 0 },     { "src/exports.ts", 0 },
    };
    CHECK(rows);
}

KEN_TEST(platform_variants)
{
    static const path_row rows[] = {
        { "src/win32/pipe.c", P },
        { "src/unix/kqueue_freebsd.c", P },
        { "file_windows.go", P },
        { "term-win32.c", P },
        { "src/darwin/main.m", P },
        { "src/openbsd/a.c", P },
        { "core/iosMain/kotlin/A.kt", P },
        { "core/darwinMain/kotlin/A.kt", P },
        { "core/macosArm64Main/A.kt", P },
        { "macosity/a.kt", 0 },
        { "core/androidMain/kotlin/A.kt", P },
        { "src/wasm32/a.c", P },
        { "ios/App.swift", P },
        { "src/unix/linux-core.c", 0 },
        { "src/unix/core.c", 0 },
        { "src/windowing.c", 0 },
        { "src/iostream/read.cc", 0 }, // begins like a platform and is none
        { "src/window/resize.c", 0 },
    };
    CHECK(rows);
}

KEN_TEST(bits_add_up)
{
    static const path_row rows[] = {
        { "internal/foo_test.go", I | T },
        { "vendor/x/docs/a.c", C | X },
        { "tests/win32/__init__.py", T | P },
    };
    CHECK(rows);
    kt_eq_u(ken_rank_path(KEN_STR("docs/a.md"), NULL, true, false),
            KEN_PATH_DOC | KEN_PATH_EXAMPLE);
    kt_eq_u(ken_rank_path(KEN_STR("a.yaml"), NULL, false, true), KEN_PATH_DATA);
}

// Paths of any length and any bytes.
KEN_TEST(odd_paths_are_only_text)
{
    char text[5000];
    memset(text, 'x', sizeof text);
    for (size_t i = 3; i < sizeof text; i += 40)
        text[i] = '/';
    kt_eq_u(ken_rank_path(ken_str_n(text, sizeof text), NULL, false, false), 0);
    uint64_t seed = 42;
    for (int round = 0; round < 2000; round++) {
        char path[200];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t n = seed >> 32 & 127;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            path[i] = seed >> 62 ? "/._-testwin32bsd"[seed >> 33 & 15] : (char)(seed >> 40);
        }
        (void)ken_rank_path(ken_str_n(path, n), "test_*.py *_test.c", false, false);
        (void)ken_rank_waived(ken_str_n(path, n));
    }
}

// ---- what a question forgives ------------------------------------------------------------------

typedef struct waiver_row {
    const char *query;
    uint32_t bits;
} waiver_row;

KEN_TEST(naming_a_kind_of_file_forgives_it)
{
    static const waiver_row rows[] = {
        { "tests for the retry policy", T },
        { "where is the queue tested", T },
        { "test_helper setup", H },
        { "mock of the http client", T },
        { "FooTest", H },
        { "how is a test file preprocessed", H },
        { "how does skip abort a test", H },
        { "tests of the test client", T | H },
        { "user spec", T },
        { "example of a custom handler", X | KEN_PATH_DOC },
        { "documentation of the wire format", X | KEN_PATH_DOC },
        { "benchmarks for hashing", X | KEN_PATH_DOC },
        { "legacy session format", C },
        { "deprecated endpoints", C },
        { "generated parser tables", C },
        { "v2 routes", C },
        { "internal cache", I },
        { "windows console input", P },
        { "darwin event loop", P },
        { "yaml configuration of the server", KEN_PATH_DATA },
        { "Dockerfile base image", KEN_PATH_DATA },
        { "Makefile targets", KEN_PATH_DATA },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got = ken_rank_waived(ken_str_c(rows[i].query));
        if (got != rows[i].bits)
            kt_fail("'%s' forgives %#x, not %#x", rows[i].query, got, rows[i].bits);
    }
}

// Words that hold such a word but mean something else.
KEN_TEST(other_words_forgive_nothing)
{
    static const char *const queries[] = {
        "where are retries handled",
        "latest version of a file",
        "fastest route",
        "specific error messages",
        "inspect a request",
        "special characters",
        "dock the window pane",
        "demote a leader",
        "what makes a session expire",
        "attestation of keys",
        "",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        uint32_t got = ken_rank_waived(ken_str_c(queries[i]));
        if (got)
            kt_fail("'%s' forgives %#x", queries[i], got);
    }
}

KEN_TEST(long_questions_are_read_to_a_limit)
{
    char text[3000];
    memset(text, 'a', sizeof text);
    memcpy(text, "tests ", 6);
    kt_eq_u(ken_rank_waived(ken_str_n(text, sizeof text)), T);
}

// ---- the sum -----------------------------------------------------------------------------------

KEN_TEST(every_feature_has_a_weight_and_a_text)
{
    for (int f = 0; f < KEN_RANK_COUNT; f++) {
        kt_true(ken_rank_weight((ken_rank_feature)f) != 0);
        kt_true(strlen(ken_rank_text((ken_rank_feature)f)) > 2);
        for (int other = 0; other < f; other++)
            kt_true(strcmp(ken_rank_text((ken_rank_feature)f),
                           ken_rank_text((ken_rank_feature)other)) != 0);
    }
}

KEN_TEST(words_of_a_chunk_weigh_most_and_penalties_are_below_zero)
{
    for (int f = 0; f < KEN_RANK_COUNT; f++) {
        double w = ken_rank_weight((ken_rank_feature)f);
        kt_true(f == KEN_RANK_MEANING || f == KEN_RANK_NAMED ||
                w <= ken_rank_weight(KEN_RANK_CHUNK));
        kt_true((f >= KEN_RANK_TEST) == (w < 0));
    }
    kt_true(ken_rank_weight(KEN_RANK_CHUNK2) < ken_rank_weight(KEN_RANK_CHUNK));
}

KEN_TEST(a_score_is_the_sum_of_its_terms)
{
    ken_rank_vector v = { 0 };
    kt_near(ken_rank_score(&v), 0, 1e-12);
    double sum = 0;
    for (int f = 0; f < KEN_RANK_COUNT; f++) {
        v.value[f] = (float)(f + 1) / 32;
        sum += (double)v.value[f] * ken_rank_weight((ken_rank_feature)f);
        kt_near(ken_rank_score(&v), sum, 1e-9);
    }
}

KEN_TEST(the_best_score_has_all_evidence_and_no_penalty)
{
    ken_rank_vector v = { 0 };
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        v.value[f] = ken_rank_weight((ken_rank_feature)f) > 0 && f != KEN_RANK_NAMED;
    kt_near(ken_rank_score(&v), ken_rank_best(), 1e-9);
}

// More evidence is never less sure, and the figure is a share.
KEN_TEST(confidence_rises_with_evidence)
{
    static const ken_rank_feature features[] = { KEN_RANK_FILE, KEN_RANK_COMMENTS, KEN_RANK_MEANING,
                                                 KEN_RANK_NAMED };
    ken_rank_vector none = { 0 }, all = { 0 };
    for (size_t f = 0; f < sizeof features / sizeof *features; f++) {
        double before = -1;
        for (int i = 0; i <= 20; i++) {
            ken_rank_vector v = { .value = { [KEN_RANK_FILE] = 0.3F } };
            v.value[features[f]] = (float)i / 10;
            double c = ken_rank_confidence(&v);
            kt_true(c >= before && c >= 0 && c <= 1);
            before = c;
        }
        all.value[features[f]] = 1;
    }
    kt_true(ken_rank_confidence(&none) < KEN_RANK_FITS);
    kt_true(ken_rank_confidence(&all) > 0.95);
}

// Where tests are asked for, whatever is none has their penalty.
KEN_TEST(wanted_tests_turn_the_penalty_round)
{
    for (uint32_t bits = 0; bits < 1 << 7; bits++) {
        ken_rank_vector v = { .value = { 0 } };
        uint32_t waived = KEN_WANTED_TEST | (bits & 1 ? KEN_WAIVED_HALF_TEST : 0);
        ken_rank_set_path(&v, bits, waived);
        kt_near((double)v.value[KEN_RANK_TEST], bits & T ? 0 : 1, 1e-9);
        kt_near(ken_rank_score(&v), ken_rank_path_points(bits, waived), 1e-9);
    }
}

KEN_TEST(path_features_follow_the_bits)
{
    static const ken_rank_feature features[] = { KEN_RANK_TEST,     KEN_RANK_EXAMPLE,
                                                 KEN_RANK_COMPAT,   KEN_RANK_INTERNAL,
                                                 KEN_RANK_PLATFORM, KEN_RANK_DOC,
                                                 KEN_RANK_DATA };
    for (uint32_t bits = 0; bits < 1 << 7; bits++) {
        for (uint32_t waived = 0; waived < 1 << 8; waived += 37) {
            ken_rank_vector v = { .value = { [KEN_RANK_CHUNK] = 0.5F } };
            ken_rank_set_path(&v, bits, waived);
            for (int i = 0; i < 7; i++)
                kt_true((v.value[features[i]] > 0) == ((bits >> i & 1) && !(waived >> i & 1)));
            if (v.value[KEN_RANK_TEST] > 0)
                kt_near((double)v.value[KEN_RANK_TEST], waived & H ? 0.5 : 1, 1e-9);
            kt_near((double)v.value[KEN_RANK_CHUNK], 0.5, 1e-9);
            v.value[KEN_RANK_CHUNK] = 0;
            kt_near(ken_rank_score(&v), ken_rank_path_points(bits, waived), 1e-9);
        }
    }
}
