// SPDX-License-Identifier: MIT
// ktest.h -- what cmocka lacks: registration, sandboxes, golden files, typed checks.
//
//     KEN_TEST(splits_on_blank_lines)
//     {
//         kt_eq_str(text_first("a\n\nb"), "a");
//     }
//
// Nothing is registered by hand; ktest.c has the one main. A binary takes substrings of test names
// (any may match), --list, and --update, which rewrites golden files instead of comparing. All
// checks evaluate their arguments once and end the test at the first failure. With KTEST_THREADS_TO it
// writes the names of the tests that had threads to a file of its own in that folder; with KTEST_THREADS_OF it
// runs those alone, or all where there is no such file.
//
// Ownership: paths from ktest_dir() and ktest_path() live until the test ends.
// Threads: the checks belong to the thread that runs the test; others collect, then it checks.
#ifndef KEN_TESTS_KTEST_H
#define KEN_TESTS_KTEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/status.h"
#include "base/str.h"

typedef struct ktest_case {
    const char *name;
    const char *file;
    void (*fn)(void);
    struct ktest_case *next;
    bool has_passed;
    bool is_threaded; // had threads beside its own
} ktest_case;

void ktest_register(ktest_case *c);

#define KEN_TEST(id)                                                                          \
    static void ktest_fn_##id(void);                                                          \
    static ktest_case ktest_case_##id = { #id, __FILE__, ktest_fn_##id, NULL, false, false }; \
    __attribute__((constructor)) static void ktest_add_##id(void)                             \
    {                                                                                         \
        ktest_register(&ktest_case_##id);                                                     \
    }                                                                                         \
    static void ktest_fn_##id(void)

// An empty folder for this test, made at the first call, removed when the test passes; a failed
// test leaves it and prints where it is.
const char *ktest_dir(void);

// ktest_dir()/rel. The folders of rel are made.
const char *ktest_path(const char *rel);

// Writes a file under ktest_dir(), with its folders; returns its path.
const char *ktest_write(const char *rel, const char *text);

// The whole file, NUL-terminated, in memory that lives until the test ends.
ken_str ktest_read(const char *path);

// Our whole environment with `extra` over it ("NAME=value" sets, "NAME" removes; NULL = nothing),
// for children that are to be as we are: ken itself gives its children next to nothing.
// Lives until the next call.
const char *const *ktest_env(const char *const *extra);

// tests/data/<rel>.
const char *ktest_data(const char *rel);

// Compares with tests/golden/<rel>, or with --update writes it.
#define kt_golden(rel, text, len) ktest_golden((rel), (text), (len), __FILE__, __LINE__)
void ktest_golden(const char *rel, const char *text, size_t len, const char *file, int line);

// Ends the test as skipped; a failure when KEN_TEST_REQUIRE (a comma-separated list) names `what`.
#define kt_skip(what, why) ktest_skip((what), (why), __FILE__, __LINE__)
void ktest_skip(const char *what, const char *why, const char *file, int line)
    __attribute__((noreturn));

// Ends the test as failed, with a message.
#define kt_fail(...) ktest_fail(__FILE__, __LINE__, __VA_ARGS__)
void ktest_fail(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));

// kt_not_null also shows compilers and analyzers that nothing comes after a failure.
#define kt_true(x)     ktest_true((x), true, #x, __FILE__, __LINE__)
#define kt_false(x)    ktest_true((x), false, #x, __FILE__, __LINE__)
#define kt_null(x)     ktest_true((x) == NULL, true, #x " == NULL", __FILE__, __LINE__)
#define kt_not_null(x) ((x) ? (void)0 : ktest_fail(__FILE__, __LINE__, "is NULL: %s", #x))

// Whole numbers; the signed form for anything that may be negative. Sizes and enums: kt_eq_u.
#define kt_eq_i(a, b)            ktest_eq_i((a), (b), #a, #b, __FILE__, __LINE__)
#define kt_eq_u(a, b)            ktest_eq_u((a), (b), #a, #b, __FILE__, __LINE__)
#define kt_near(a, b, tolerance) ktest_near((a), (b), (tolerance), #a, #b, __FILE__, __LINE__)

// C strings (either may be NULL); a ken_str against a C string; bytes.
#define kt_eq_str(a, b)  ktest_eq_str((a), (b), #a, #b, __FILE__, __LINE__)
#define kt_eq_text(s, b) ktest_eq_text((s), ken_str_c(b), #s, #b, __FILE__, __LINE__)
#define kt_eq_mem(a, a_len, b, b_len)                                                           \
    ktest_eq_text(ken_str_n((const char *)(a), (a_len)), ken_str_n((const char *)(b), (b_len)), \
                  #a, #b, __FILE__, __LINE__)
#define kt_has_str(text, part) ktest_has_str((text), (part), #text, __FILE__, __LINE__)

// A status. kt_ok_err also prints the message that `err` (a ken_err *) holds.
#define kt_ok(st)           ktest_status((st), KEN_OK, NULL, #st, __FILE__, __LINE__)
#define kt_ok_err(st, err)  ktest_status((st), KEN_OK, (err), #st, __FILE__, __LINE__)
#define kt_status(st, want) ktest_status((st), (want), NULL, #st, __FILE__, __LINE__)

void ktest_true(bool x, bool want, const char *text, const char *file, int line);
void ktest_eq_i(int64_t a, int64_t b, const char *ta, const char *tb, const char *file, int line);
void ktest_eq_u(uint64_t a, uint64_t b, const char *ta, const char *tb, const char *file, int line);
void ktest_near(double a, double b, double tolerance, const char *ta, const char *tb,
                const char *file, int line);
void ktest_eq_str(const char *a, const char *b, const char *ta, const char *tb, const char *file,
                  int line);
void ktest_eq_text(ken_str a, ken_str b, const char *ta, const char *tb, const char *file,
                   int line);
void ktest_has_str(const char *text, const char *part, const char *ttext, const char *file,
                   int line);
void ktest_status(ken_status st, ken_status want, const ken_err *err, const char *text,
                  const char *file, int line);

#endif
