// SPDX-License-Identifier: MIT
// The n-th call of every kind fails, for n = 1, 2, 3, …: allocations, reads, writes, syncs, opens,
// renames, stats, maps, locks, threads and children, in every command that matters.
//
// What must hold each time: the answer is that of a run without fault; or it says that something is
// missing; or the command fails and says so in one line. It is never ended by a signal, never takes
// long, never gives another answer as if it were right. And nothing that it acknowledged is lost:
// the commands that follow, without faults, see it, and answer as ever.
//
// A few calls of each kind, chosen by a seed (KEN_FAULT_SEED gives another), of some commands
// where there are sanitizers; all of them with KEN_TEST_SLOW, one fault, as a finding names
// it, with KEN_FAULT_ONLY. Allocations belong to the sanitizer where there is one: the preset gcc
// tries them.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/vec.h"
#include "fault/interpose.h"
#include "git_lab.h"
#include "ktest.h"
#include "proc/proc.h"

#if defined(__SANITIZE_THREAD__)
#define IS_SUPPORTED 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_SUPPORTED 0
#endif
#endif
#ifndef IS_SUPPORTED
#define IS_SUPPORTED 1
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HAS_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif
#ifndef HAS_OWN_ALLOCATOR
#define HAS_OWN_ALLOCATOR 0
#endif

enum {
    TIME_LIMIT_MS = 20000,
    ARGS_MAX = 12,
    FINDINGS_MAX = 60,
};

static const char *const class_words[] = { "none",
#define X(name, word, error) word,
                                           FAULT_CLASSES(X)
#undef X
};
static const int class_errors[] = { 0,
#define X(name, word, error) error,
                                    FAULT_CLASSES(X)
#undef X
};

// What an answer says that is not the usual one. Nothing else excuses a difference.
static const char *const marks[] = {
    "incomplete", "partial",          "could not be", "cannot",
    "not looked", "\"isError\":true", "skipped",      "no vectors were made",
    "opening '",  "changed since",    "warning",      "failed"
};

typedef struct scenario {
    const char *name;
    const char *args[ARGS_MAX]; // of ken
    const char *input;          // a file below the test's folder, on stdin
    bool is_cold;               // nothing is indexed before
    bool is_changed;            // a file has changed since it was indexed
    bool is_asking;             // nothing is written
    bool is_basic;              // tried under sanitizers as well
    bool is_report;             // what is wrong is the answer, on stdout
    const char *kept;           // after success this has to be in the list of tasks or checkpoints
} scenario;

typedef struct outcome {
    ken_buf out, errors;
    int code, signal;
    bool is_late;
} outcome;

typedef struct lab {
    fault_state *state;
    char root[300];
    uint64_t seed;
    outcome usual;  // of the scenario
    ken_buf search; // the answer of a search, when all is well
    size_t n_runs, n_findings;
} lab;

static lab l;

// ---- running ken -------------------------------------------------------------------------------

static void outcome_release(outcome *o)
{
    ken_buf_release(&o->out);
    ken_buf_release(&o->errors);
}

static const char *at(const char *rel)
{
    static char paths[8][400];
    static int next;
    char *p = paths[next++ % 8];
    snprintf(p, sizeof paths[0], "%s/%s", l.root, rel);
    return p;
}

static bool is_unit(const char *p)
{
    static const char *const units[] = { " ms", " s", " KiB", " MiB", " B", "ms", NULL };
    for (size_t i = 0; units[i]; i++)
        if (!strncmp(p, units[i], strlen(units[i])))
            return true;
    return false;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Length of an identifier that differs from run to run (UUIDs, hashes, times), 0 for none.
static size_t volatile_part(const char *p)
{
    size_t n = 0, n_digits = 0;
    while (is_hex(p[n]) || p[n] == '-' || p[n] == ':' || p[n] == 'T' || p[n] == 'Z' ||
           p[n] == '.') {
        n_digits += p[n] >= '0' && p[n] <= '9';
        n++;
    }
    if (n >= 16 && n_digits >= 4)
        return n;
    for (n = 0; (p[n] >= '0' && p[n] <= '9') || p[n] == '.';)
        n++;
    return n && is_unit(p + n) ? n : 0;
}

// What is left of an output when times, sizes and identifiers are taken out of it.
static void normalise(ken_buf *b)
{
    ken_buf to = KEN_BUF_INIT(0);
    ken_buf_putc(b, '\0');
    for (const char *p = b->ptr; *p;) {
        size_t n = p == b->ptr || !is_hex(p[-1]) ? volatile_part(p) : 0;
        ken_buf_putc(&to, n ? '#' : *p);
        p += n ? n : 1;
    }
    ken_buf_release(b);
    *b = to;
}

static void run_ken(const char *const *args, const char *input, bool has_faults, outcome *o)
{
    char data[400], home[400], preload[400], state[400], command[400];
    const char *argv[ARGS_MAX + 4] = { KEN_BINARY };
    size_t n = 1;
    if (input) {
        snprintf(command, sizeof command, "exec \"$0\" \"$@\" <'%s'", at(input));
        argv[0] = "sh";
        argv[1] = "-c";
        argv[2] = command;
        argv[3] = KEN_BINARY;
        n = 4;
    }
    for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
        argv[n++] = args[i];
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s", at("data"));
    snprintf(home, sizeof home, "HOME=%s", at("home"));
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", KEN_FAULT_LIBRARY);
    snprintf(state, sizeof state, "KEN_FAULT_STATE=%s", at("state"));
    const char *const env[] = { data,
                                home,
                                "NO_COLOR=1",
                                "TERM=dumb",
                                "XDG_CONFIG_HOME",
                                has_faults ? preload : "LD_PRELOAD",
                                has_faults ? state : "KEN_FAULT_STATE",
                                "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0",
                                NULL };
    ken_proc_opts opts = {
        .argv = argv, .cwd = at("proj"), .env = env, .timeout_ms = TIME_LIMIT_MS
    };
    ken_proc_result r = { 0 };
    ken_err err = { 0 };
    ken_status st = ken_proc_run(&opts, &r, &err);
    *o = (outcome){ .is_late = st == KEN_ETIMEOUT };
    if (st && !o->is_late)
        kt_fail("%s", err.msg);
    ken_buf_puts(&o->out, "");
    ken_buf_puts(&o->errors, "");
    ken_buf_put_str(&o->out, ken_buf_str(&r.out));
    ken_buf_put_str(&o->errors, ken_buf_str(&r.errors));
    o->code = r.exit_code;
    o->signal = r.signal;
    if (!st)
        ken_proc_result_release(&r);
    normalise(&o->out);
    ken_buf_putc(&o->out, '\0');
    ken_buf_putc(&o->errors, '\0');
    l.n_runs++;
}

// A run without faults that must succeed; its normalised output, to be released.
static ken_buf ask(const char *const *args)
{
    outcome o;
    run_ken(args, NULL, false, &o);
    if (o.code || o.signal || o.is_late)
        kt_fail("ken %s %s: status %d, signal %d: %s", args[0], args[1] ? args[1] : "", o.code,
                o.signal, o.errors.ptr);
    ken_buf_release(&o.errors);
    return o.out;
}

#define ASK(...) ask((const char *const[]){ __VA_ARGS__, NULL })

static void shell(const char *command)
{
    const char *const argv[] = { "sh", "-c", command, NULL };
    ken_proc_result r = { 0 };
    ken_err err = { 0 };
    kt_ok_err(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = l.root }, &r, &err), &err);
    if (r.exit_code)
        kt_fail("%s: %s", command, r.errors.ptr ? r.errors.ptr : "");
    ken_proc_result_release(&r);
}

// ---- the place ---------------------------------------------------------------------------------

static const char requests[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"search_code\","
    "\"arguments\":{\"query\":\"where are retries handled\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"find_usages\","
    "\"arguments\":{\"symbol\":\"delay_of\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"create_task\","
    "\"arguments\":{\"title\":\"made over the wire\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"resources/list\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}\n";

static bool is_thorough(void)
{
    return getenv("KEN_TEST_SLOW") || getenv("KEN_FAULT_ONLY");
}

static void make_place(void)
{
    l = (lab){ .seed = getenv("KEN_TEST_SLOW") ? (uint64_t)ken_clock_mono_ns() : 1 };
    const char *seed = getenv("KEN_FAULT_SEED");
    if (seed)
        l.seed = strtoull(seed, NULL, 10);
    snprintf(l.root, sizeof l.root, "%s", ktest_dir());
    ktest_write("proj/retry.py", "\"\"\"Retries of failed jobs.\"\"\"\nimport time\n\n\n"
                                 "def delay_of(attempt):\n    \"\"\"How long to wait.\"\"\"\n"
                                 "    return 2 ** attempt\n\n\n"
                                 "def run(job):\n    for attempt in range(5):\n"
                                 "        time.sleep(delay_of(attempt))\n        job()\n");
    ktest_write("proj/src/queue.c", "#include \"queue.h\"\n\n/* Takes the next job. */\n"
                                    "int queue_take(struct queue *q)\n{\n    return q->n--;\n}\n");
    ktest_write("proj/src/queue.h",
                "struct queue {\n    int n;\n};\n\nint queue_take(struct queue *q);\n");
    ktest_write("proj/web/app.js", "import { go } from './go.js';\n\nexport function start() {\n"
                                   "  return go(1);\n}\n");
    ktest_write("proj/web/go.js", "export function go(n) {\n  return n + 1;\n}\n");
    ktest_write("proj/README.md", "# Jobs\n\nRetries are handled in `retry.py`.\n");
    ktest_write("home/.keep", "");
    ktest_write("requests", requests);
    shell("cd proj && git init -q && git add . && git -c user.name=t -c user.email=t@example.org "
          "commit -q -m 'first jobs'");
    int fd = open(at("state"), O_RDWR | O_CREAT, 0600);
    kt_true(fd >= 0 && !ftruncate(fd, sizeof *l.state));
    l.state = mmap(NULL, sizeof *l.state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    kt_true(l.state != MAP_FAILED);
    close(fd);
    shell("mkdir data && cp -a data data.cold");
    ken_buf b = ASK("index", ".");
    ken_buf_release(&b);
    b = ASK("task", "new", "kept from before");
    ken_buf_release(&b);
    b = ASK("checkpoint", "save", "stood here before");
    ken_buf_release(&b);
    b = ASK("rules", "setup");
    ken_buf_release(&b);
    b = ASK("rules", "index");
    ken_buf_release(&b);
    b = ASK("index", ".");
    ken_buf_release(&b);
    l.search = ASK("search", "where are retries handled");
    shell("cp -a data data.warm");
}

static void close_place(void)
{
    munmap(l.state, sizeof *l.state);
    ken_buf_release(&l.search);
}

static void reset(const scenario *s)
{
    shell(s->is_cold ? "rm -rf data && cp -a data.cold data"
                     : "rm -rf data && cp -a data.warm data");
}

// ---- what must hold ----------------------------------------------------------------------------

static void find(const scenario *s, const fault_state *f, const outcome *o, const char *what)
{
    l.n_findings++;
    const char *line = strstr(o->errors.ptr, "ken: ");
    printf("%s: fault of %s %llu%s%s: %s; status %d, signal %d; %.300s\n", s->name,
           class_words[f->class], (unsigned long long)f->at, f->is_short ? ", short" : "",
           f->is_from_then_on ? ", from then on" : "", what, o->code, o->signal,
           line ? line : o->errors.ptr);
    printf("    KEN_FAULT_ONLY=%d:%llu:%d:%d:%d\n", (int)f->class, (unsigned long long)f->at,
           f->is_from_then_on, f->is_short, f->error);
    if (!o->code && strcmp(o->out.ptr, l.usual.out.ptr) != 0)
        printf("    instead of: %.40000s\n    came: %.40000s\n", l.usual.out.ptr, o->out.ptr);
}

static bool is_marked(const outcome *o)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(o->out.ptr, marks[i]) || strstr(o->errors.ptr, marks[i]))
            return true;
    return false;
}

static size_t count_lines(const char *text, const char *start)
{
    size_t n = 0, len = strlen(start);
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        n += !strncmp(p, start, len);
    }
    return n;
}

// Lines of answers come in any order.
static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool same_lines(const char *a, const char *b)
{
    enum {
        MAX = 2000
    };
    static const char *x[MAX], *y[MAX];
    size_t n = 0, m = 0;
    char *one = ken_strdup(a), *two = ken_strdup(b);
    for (char *p = strtok(one, "\n"); p && n < MAX; p = strtok(NULL, "\n"))
        x[n++] = p;
    for (char *p = strtok(two, "\n"); p && m < MAX; p = strtok(NULL, "\n"))
        y[m++] = p;
    qsort(x, n, sizeof *x, by_text);
    qsort(y, m, sizeof *y, by_text);
    bool is_same = n == m;
    for (size_t i = 0; i < n && is_same; i++)
        is_same = !strcmp(x[i], y[i]);
    ken_free(one);
    ken_free(two);
    return is_same;
}

static bool is_same_answer(const scenario *s, const outcome *o)
{
    return s->input ? same_lines(o->out.ptr, l.usual.out.ptr)
                    : !strcmp(o->out.ptr, l.usual.out.ptr);
}

static bool tells_damage(const char *text)
{
    static const char *const parts[] = { "damaged", "malformed", "--force" };
    static const char restore[] = "ken restore", later[] = "if it stays so: ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text, parts[i]))
            return true;
    // What to do about an error of the disk that does not go away is no claim of damage.
    for (const char *at = text; (at = strstr(at, restore)) != NULL; at += sizeof restore - 1) {
        size_t n = sizeof later - 1;
        if ((size_t)(at - text) < n || strncmp(at - n, later, n) != 0)
            return true;
    }
    return false;
}

// Nothing here damages a file, so nothing may be called damaged, nor made anew for it. A read that
// comes back short is what a file that was cut off looks like.
static bool is_called_damage(const outcome *o)
{
    return !l.state->is_short && (tells_damage(o->errors.ptr) || tells_damage(o->out.ptr));
}

// What is wrong with this outcome; NULL for nothing.
static const char *judge(const scenario *s, const outcome *o)
{
    if (o->is_late)
        return "it did not end";
    if (o->signal)
        return "ended by a signal";
    if (strstr(o->errors.ptr, "assertion failed") || strstr(o->errors.ptr, "Sanitizer") ||
        strstr(o->errors.ptr, "runtime error"))
        return "a mistake of ours";
    if (s->is_report && (o->code == 0 || o->code == 1))
        return NULL;
    if (is_called_damage(o))
        return "it is called damage";
    size_t n = count_lines(o->errors.ptr, "ken: ");
    if (o->code == l.usual.code)
        return is_same_answer(s, o) || is_marked(o) ? NULL : "another answer, unmarked";
    if (o->code != 1)
        return "another status";
    if (!n)
        return "no error line";
    if (n > 2)
        return "more than one error line";
    return NULL;
}

// Nothing that was acknowledged is lost, and what comes next is as ever.
static const char *judge_after(const scenario *s, const outcome *o)
{
    const char *wrong = NULL;
    ken_buf b = ASK("index", ".");
    ken_buf_release(&b);
    b = ASK("search", "where are retries handled");
    ken_buf_putc(&b, '\0');
    if (strcmp(b.ptr, l.search.ptr) != 0)
        wrong = "the search that follows answers differently";
    ken_buf_release(&b);
    if (s->is_cold)
        return wrong;
    b = ASK("task", "list");
    ken_buf_putc(&b, '\0');
    if (!strstr(b.ptr, "kept from before"))
        wrong = "a task from before is lost";
    if (s->kept && !o->code && !strstr(o->out.ptr, "isError\":true") &&
        !strstr(o->out.ptr, "\"error\":") && strstr(s->name, "task") && !strstr(b.ptr, s->kept))
        wrong = "an acknowledged task is lost";
    ken_buf_release(&b);
    b = ASK("checkpoint", "list");
    ken_buf_putc(&b, '\0');
    if (!strstr(b.ptr, "stood here before"))
        wrong = "a checkpoint from before is lost";
    if (s->kept && !o->code && strstr(s->name, "checkpoint") && !strstr(b.ptr, s->kept))
        wrong = "an acknowledged checkpoint is lost";
    ken_buf_release(&b);
    return wrong;
}

// ---- all faults of a scenario ------------------------------------------------------------------

static uint64_t next_random(void)
{
    l.seed = l.seed * 6364136223846793005u + 1442695040888963407u;
    return l.seed >> 33;
}

static uint64_t run_fault(const scenario *s, const fault_state *f)
{
    outcome o;
    reset(s);
    memcpy(l.state, f, sizeof *f);
    run_ken(s->args, s->input, true, &o);
    uint64_t n_calls = atomic_load(&l.state->n_calls);
    if (f->at && atomic_load(&l.state->n_failed)) {
        const char *wrong = judge(s, &o);
        if (!wrong && !s->is_asking)
            wrong = judge_after(s, &o);
        if (wrong)
            find(s, f, &o, wrong);
    }
    outcome_release(&o);
    return n_calls;
}

static void run_class(const scenario *s, fault_class class, bool is_short, int error)
{
    fault_state f = { .class = class, .error = error, .is_short = is_short };
    uint64_t n = run_fault(s, &f);
    uint64_t most = getenv("KEN_TEST_SLOW") ? n : HAS_OWN_ALLOCATOR ? 1 : 6;
    uint64_t step = n > most ? n / most : 1;
    uint64_t from = n > most ? 1 + next_random() % step : 1;
    for (uint64_t i = from; i <= n && l.n_findings < FINDINGS_MAX; i += step) {
        f.at = i;
        bool both = getenv("KEN_TEST_SLOW");
        bool late = next_random() % 2;
        for (int mode = 0; mode < 2; mode++) {
            f.is_from_then_on = mode && error != EINTR; // nobody is interrupted for ever
            if (both || mode == late)
                run_fault(s, &f);
        }
    }
}

static void run_only(const scenario *s, const char *text)
{
    fault_state f = { 0 };
    unsigned long long n = 0;
    int class = 0, on = 0, is_short = 0, error = 0;
    int got = sscanf(text, "%d:%llu:%d:%d:%d", &class, &n, &on, &is_short, &error);
    if (got == 1) {
        run_class(s, (fault_class) class, false, class_errors[class]);
        return;
    }
    f = (fault_state){ .class = (fault_class) class,
                       .at = n,
                       .is_from_then_on = on,
                       .is_short = is_short,
                       .error = error };
    run_fault(s, &f);
}

static void run_scenario(const scenario *s)
{
    if (HAS_OWN_ALLOCATOR && !s->is_basic && !is_thorough())
        kt_skip("faults", "with a sanitizer they take long: set KEN_TEST_SLOW");
    if (!IS_SUPPORTED)
        kt_skip("faults", "the sanitizer does not stand it");
    make_place();
    uint64_t seed = l.seed;
    if (s->is_changed) {
        ktest_write("proj/web/go.js", "export function go(n) {\n  return stop(n) + 2;\n}\n\n"
                                      "export function stop(n) {\n  return n;\n}\n");
        ken_buf_release(&l.search);
        l.search = ASK("search", "where are retries handled");
        ken_buf_putc(&l.search, '\0');
    } else {
        ken_buf_putc(&l.search, '\0');
    }
    reset(s);
    run_ken(s->args, s->input, false, &l.usual);
    if (l.usual.signal || l.usual.code)
        kt_fail("ken %s: status %d: %s", s->name, l.usual.code, l.usual.errors.ptr);
    if (getenv("KEN_FAULT_ONLY")) {
        run_only(s, getenv("KEN_FAULT_ONLY"));
    } else {
        for (int class = 1; class < FAULT_CLASS_COUNT; class ++) {
            if (class == FAULT_ALLOC && HAS_OWN_ALLOCATOR)
                continue;
            run_class(s, (fault_class) class, false, class_errors[class]);
        }
        run_class(s, FAULT_READ, true, 0);
        run_class(s, FAULT_WRITE, true, 0);
        run_class(s, FAULT_READ, false, EINTR);
        run_class(s, FAULT_WRITE, false, EIO);
        run_class(s, FAULT_OPEN, false, EACCES);
        run_class(s, FAULT_OPEN, false, EIO);
    }
    printf("%s: %zu runs, seed %llu\n", s->name, l.n_runs, (unsigned long long)seed);
    outcome_release(&l.usual);
    close_place();
    if (l.n_findings)
        kt_fail("%zu findings; KEN_FAULT_SEED=%llu repeats them", l.n_findings,
                (unsigned long long)seed);
}

#define SCENARIO(id, ...)                                \
    KEN_TEST(id)                                         \
    {                                                    \
        const scenario s = { .name = #id, __VA_ARGS__ }; \
        run_scenario(&s);                                \
    }

// Each read, since there are few.
KEN_TEST(a_read_that_fails_is_no_damage)
{
    static const scenario s = { .name = "search",
                                .args = { "search", "delay" },
                                .is_asking = true };
    if (!IS_SUPPORTED)
        kt_skip("faults", "the sanitizer does not stand it");
    make_place();
    ken_buf_putc(&l.search, '\0');
    run_ken(s.args, s.input, false, &l.usual);
    fault_state f = { .class = FAULT_READ, .error = EIO };
    uint64_t n = run_fault(&s, &f);
    kt_true(n > 5);
    for (f.at = 1; f.at <= n && f.at <= 40; f.at++)
        run_fault(&s, &f);
    outcome_release(&l.usual);
    close_place();
    kt_eq_u(l.n_findings, 0);
}

// A list of documents that lacks one for a moment is told, whichever open it is.
KEN_TEST(rules_that_cannot_be_opened_are_told)
{
    static const scenario s = { .name = "rules_for",
                                .args = { "rules", "for", "add a table" },
                                .is_asking = true };
    if (!IS_SUPPORTED)
        kt_skip("faults", "the sanitizer does not stand it");
    make_place();
    ken_buf_putc(&l.search, '\0');
    run_ken(s.args, s.input, false, &l.usual);
    fault_state f = { .class = FAULT_OPEN, .error = EMFILE };
    uint64_t n = run_fault(&s, &f);
    kt_true(n > 10);
    for (f.at = 1; f.at <= n && f.at <= 60; f.at++)
        run_fault(&s, &f);
    outcome_release(&l.usual);
    close_place();
    kt_eq_u(l.n_findings, 0);
}

SCENARIO(index_cold, .args = { "index", "." }, .is_cold = true)
SCENARIO(index_one_change, .args = { "index", "." }, .is_changed = true, .is_basic = true)
SCENARIO(search_hybrid, .args = { "search", "where are retries handled" }, .is_asking = true)
SCENARIO(search_text, .args = { "search", "--mode", "text", "delay_of" }, .is_asking = true)
SCENARIO(search_regex, .args = { "search", "--mode", "regex", "delay_o." }, .is_asking = true)
SCENARIO(search_symbol, .args = { "search", "--mode", "symbol", "queue_take" }, .is_asking = true)
SCENARIO(search_changed, .args = { "search", "stop" }, .is_changed = true, .is_asking = true,
         .is_basic = true)
SCENARIO(refs, .args = { "refs", "delay_of" }, .is_asking = true, .is_basic = true)
SCENARIO(impact, .args = { "impact", "src/queue.h" }, .is_asking = true)
SCENARIO(trace, .args = { "trace", "run" }, .is_asking = true)
SCENARIO(context, .args = { "context", "how are retries done" }, .is_asking = true)
SCENARIO(arch, .args = { "arch" }, .is_asking = true)
SCENARIO(status, .args = { "status" }, .is_asking = true)
SCENARIO(doctor, .args = { "doctor" }, .is_asking = true, .is_report = true)
SCENARIO(task_new, .args = { "task", "new", "made under fire" }, .kept = "made under fire",
         .is_basic = true)
SCENARIO(task_list, .args = { "task", "list" }, .is_asking = true)
SCENARIO(checkpoint_save, .args = { "checkpoint", "save", "saved under fire" },
         .kept = "saved under fire", .is_basic = true)
SCENARIO(checkpoint_search, .args = { "checkpoint", "search", "stood" }, .is_asking = true)
SCENARIO(rules_index, .args = { "rules", "index" })
SCENARIO(rules_check, .args = { "rules", "check" })
SCENARIO(mcp_task, .args = { "mcp" }, .input = "requests", .kept = "made over the wire",
         .is_basic = true)
