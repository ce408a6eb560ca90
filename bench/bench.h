// SPDX-License-Identifier: MIT
// bench.h -- what the benchmarks share: arguments, clocks, samples, temporary folders, children.
//
// A benchmark measures what it can in a child process of its own, so that memory and caches of one
// measurement do not reach the next, and compares ratios inside one run: on a shared machine
// nothing else holds. Whatever cannot work ends the program with a message.
#ifndef KEN_BENCH_BENCH_H
#define KEN_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "json/json.h"

// The main function of bench_<name>.c, which all.c calls.
#define BENCH_MAIN(name)                            \
    int bench_##name##_main(int argc, char **argv); \
    int bench_##name##_main(int argc, char **argv)

enum {
    BENCH_PATHS = 64
};

typedef struct bench_args {
    bool is_json;            // --json: one JSON value on stdout
    bool is_child;           // --child: one measurement for the parent, as JSON
    bool wants_instructions; // --instructions: count them with callgrind instead of timing
    bool wants_ratio;        // --ratio: only the comparison
    bool wants_whole;        // --whole: whole checkouts beside the roots of datasets
    uint32_t n_runs;         // --runs N; 0 = the benchmark's own choice
    uint32_t pause_ms;       // --pause MS: between measurements, for CPU budgets to recover
    uint32_t n_jobs;         // --jobs N; 0 = one per core
    uint64_t n_queries;      // --queries N
    uint64_t n_chunks;       // --chunks N
    const char *temp;        // --temp DIR: where temporary folders are made
    const char *keep;        // --keep DIR: a corpus that is made once and used again
    const char *ken;         // --ken FILE: the program; default: beside the benchmarks
    const char *file;        // --file FILE, what the benchmark says
    const char *only;        // --only NAME: one of several measurements
    const char *paths[BENCH_PATHS];
    size_t n_paths;
} bench_args;

// `what`: the lines that --help prints.
void bench_args_parse(int argc, char **argv, const char *what, bench_args *out);
unsigned bench_jobs(const bench_args *a); // what 0 stands for filled in
// The only path; the working directory when there is none. Absolute.
const char *bench_path(const bench_args *a, ken_arena *arena);

KEN_NORETURN void bench_die(const char *fmt, ...) KEN_PRINTF(1, 2);
void bench_check(ken_status st, const ken_err *err); // ends the program on failure

// ---- texts -------------------------------------------------------------------------------------
typedef KEN_VEC(ken_str) bench_lines;
typedef bool bench_line_fn(ken_str line);

// The lines, trimmed, of the files of a tree for which `is_wanted`, until `max_bytes` were read;
// they live in the arena. Ends the program when there are none. Release `out`.
void bench_read_lines(const char *root, size_t max_bytes, bench_line_fn *is_wanted,
                      ken_arena *arena, bench_lines *out);
bool bench_is_prose(ken_str line); // five words and more
ken_str bench_first_words(ken_str line, size_t n);

// ---- clocks ------------------------------------------------------------------------------------
int64_t bench_cpu_ns(void);        // user and system time of this process and its ended children
int64_t bench_thread_cpu_ns(void); // of this thread, fine enough for single questions
uint64_t bench_peak_bytes(void);   // largest resident set since the program was started

typedef KEN_VEC(double) bench_samples;

double bench_median(bench_samples *s); // 0 without samples
double bench_quantile(bench_samples *s, double q);
double bench_ms(int64_t ns);
// {"p50_ms", "p95_ms", "p99_ms", "max_ms", "n"} of samples in ms.
json_t *bench_quantiles(bench_samples *s);

// ---- folders -----------------------------------------------------------------------------------
// One folder, removed when the program ends. `a` may be NULL.
const char *bench_temp(const bench_args *a, ken_arena *arena);
void bench_remove_tree(const char *path);
// Copies with times and modes kept. `with_git` false leaves .git out, so that the copy is walked.
void bench_copy_tree(const char *from, const char *to, bool with_git);
void bench_append(const char *path, const char *text);
void bench_append_all(const char *root, const char *text); // to every file below

// ---- children ----------------------------------------------------------------------------------
const char *bench_beside(ken_arena *arena, const char *name); // a program in our own folder
const char *bench_ken(const bench_args *a, ken_arena *arena); // the program under test
// Runs it and returns the JSON value it printed.
json_t *bench_child(const char *const *argv);
// Instructions it executes, all threads, under callgrind; only inside the function `toggle` when it
// is not NULL. The program must print JSON. Needs valgrind.
uint64_t bench_count_instructions(const char *const *argv, const char *toggle);
double bench_real(const json_t *object, const char *key); // a number; ends the program without it

// ---- questions ---------------------------------------------------------------------------------
// The words of the first sentence of a comment, one space apart; empty when there are few. What
// people ask sounds like it.
ken_str bench_sentence(ken_str doc, ken_arena *arena);

// ---- answers -----------------------------------------------------------------------------------
// A new object with "bench", "cores" and, when there is one, "path" (its last part only).
json_t *bench_report(const char *name, const char *path);
void bench_print(json_t *report); // as one line; drops the reference

#endif
