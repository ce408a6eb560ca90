// SPDX-License-Identifier: MIT
// Folders that are large, deep or odd.
#include <sys/socket.h>
#include <sys/un.h>

#include "store/store_debug.h"
#include "unit/index/index_lab.h"

static index_lab l;

static bool is_indexed(const char *path)
{
    ken_snapshot *s = lab_open(&l);
    ken_file_view view;
    bool is_there = !ken_view_file(s, ken_str_c(path), &l.arena, &view, &l.err);
    lab_close(s);
    return is_there;
}

// ---- many --------------------------------------------------------------------------------------

static uint32_t n_tiny(void)
{
    return getenv("KEN_TEST_SLOW") ? 50000 : 3000;
}

static void tiny(uint32_t i, int version)
{
    char path[64], text[80];
    snprintf(path, sizeof path, "m%u/n%u/tiny_%u.py", i % 50, i / 50 % 20, i);
    snprintf(text, sizeof text, "def tiny_%u_%d():\n    return %u\n", i, version, i);
    lab_write(&l, path, text);
}

KEN_TEST(thousands_of_tiny_files)
{
    lab_start(&l);
    uint32_t n = n_tiny();
    for (uint32_t i = 0; i < n; i++)
        tiny(i, 0);
    kt_eq_u(lab_run(&l)->n_files, n);
    kt_eq_u(l.report.n_parsed, n);
    kt_eq_u(l.report.n_symbols, n);
    char name[40], want[64];
    for (uint32_t i = 0; i < n; i += n / 7) {
        snprintf(name, sizeof name, "tiny_%u_0", i);
        snprintf(want, sizeof want, "m%u/n%u/tiny_%u.py:1", i % 50, i / 50 % 20, i);
        kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, name), want);
    }
    kt_eq_u(lab_run(&l)->n_unchanged, n);
    tiny(17, 1);
    kt_eq_u(lab_run(&l)->n_modified, 1);
    kt_eq_u(l.report.n_unchanged, n - 1);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "tiny_17_1"), "m17/n0/tiny_17.py:1");
    lab_move(&l, "m3", "moved");
    lab_run(&l);
    kt_eq_u(l.report.n_renamed, n / 50);
    kt_eq_u(l.report.n_parsed, 0);
    kt_ok_err(ken_store_verify(l.store, &l.err), &l.err);
    lab_end(&l);
}

typedef struct store_calls {
    uint32_t n, n_lists, n_loads; // all; of the list of files; of single contents
} store_calls;

static void note_call(void *ctx, ken_str line)
{
    store_calls *c = ctx;
    c->n++;
    c->n_lists += ken_str_starts(line, KEN_STR("load_files"));
    c->n_loads +=
        ken_str_starts(line, KEN_STR("load_info")) || ken_str_starts(line, KEN_STR("load_marks"));
}

// What a run asks of the store after one file among `n` has changed.
static store_calls calls_of_one_change(uint32_t n)
{
    store_calls c = { 0 };
    lab_start(&l);
    for (uint32_t i = 0; i < n; i++)
        tiny(i, 0);
    lab_run(&l);
    tiny(n / 2, 1);
    ken_store_add_trace(l.store, note_call, &c);
    kt_eq_u(lab_run(&l)->n_modified, 1);
    lab_end(&l);
    return c;
}

KEN_TEST(one_change_asks_as_little_of_the_store_among_many_files)
{
    store_calls few = calls_of_one_change(20), many = calls_of_one_change(2500);
    kt_true(many.n <= few.n + 1); // above 2,000 contents, how many are live is kept
    kt_eq_u(many.n_lists, 1);     // to compare it with the folder
    kt_eq_u(many.n_loads, 1);     // what the file had before
}

KEN_TEST(a_small_memory_limit_says_the_same)
{
    lab_start(&l);
    for (uint32_t i = 0; i < 400; i++)
        tiny(i, 0);
    l.opts.memory_limit = 1 << 16;
    kt_eq_u(lab_run(&l)->n_files, 400);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "tiny_399_0"), "m49/n7/tiny_399.py:1");
    ken_segment_info *segments;
    size_t n;
    kt_ok(ken_store_list_segments(l.store, KEN_SEGMENT_WORDS, &l.arena, &segments, &n, &l.err));
    kt_true(n <= 9);
    lab_end(&l);
}

// ---- large, long, deep -------------------------------------------------------------------------

KEN_TEST(a_megabyte_on_one_line)
{
    lab_start(&l);
    l.opts.scan.max_file_bytes = 4 << 20;
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "first_words = [");
    while (b.len < 1 << 20)
        ken_buf_puts(&b, "'a long list of the same few words', ");
    ken_buf_puts(&b, "]\n");
    lab_write(&l, "data.py", b.ptr);
    lab_write(&l, "plain.txt", b.ptr);
    lab_write(&l, "small.py", "def small(): pass\n");
    lab_run(&l);
    // Such a file may be left out as generated, but the others are there and nothing fails.
    kt_eq_u(l.report.n_files + l.report.n_skipped, 3);
    kt_true(is_indexed("small.py"));
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "small"), "small.py:1");
    (void)lab_first(&l, KEN_SEARCH_AUTO, "a long list of words");
    (void)lab_first(&l, KEN_SEARCH_TEXT, "list of the same");
    ken_buf_release(&b);
    lab_end(&l);
}

KEN_TEST(deep_nesting_is_indexed)
{
    lab_start(&l);
    static const char *const pairs[][4] = { { "a.c", "int f(void) {", "{", "}" },
                                            { "b.json", "", "[", "]" },
                                            { "c.py", "x = ", "(", ")" },
                                            { "d.js", "", "(function(){", "})()" },
                                            { "e.html", "", "<div>", "</div>" } };
    for (int i = 0; i < 5; i++) {
        ken_buf b = KEN_BUF_INIT(0);
        ken_buf_puts(&b, pairs[i][1]);
        for (int k = 0; k < 20000; k++)
            ken_buf_printf(&b, "%s%s", pairs[i][2], k % 20 ? "" : "\n");
        for (int k = 0; k < 20000; k++)
            ken_buf_printf(&b, "%s%s", pairs[i][3], k % 20 ? "" : "\n");
        ken_buf_puts(&b, "\n");
        lab_write(&l, pairs[i][0], b.ptr);
        ken_buf_release(&b);
    }
    lab_run(&l);
    kt_eq_u(l.report.n_files, 5);
    lab_end(&l);
}

KEN_TEST(deep_folders)
{
    lab_start(&l);
    char path[2000];
    size_t n = 0;
    for (int i = 0; i < 150; i++)
        n += (size_t)snprintf(path + n, sizeof path - n, "folder%d/", i);
    snprintf(path + n, sizeof path - n, "deep.py");
    lab_write(&l, path, "def found_in_the_deep(): pass\n");
    kt_eq_u(lab_run(&l)->n_files, 1);
    kt_true(strstr(lab_first(&l, KEN_SEARCH_SYMBOL, "found_in_the_deep"), "deep.py:1") != NULL);
    kt_eq_u(lab_run(&l)->n_unchanged, 1);
    lab_end(&l);
}

// ---- odd names ---------------------------------------------------------------------------------

KEN_TEST(odd_but_legal_names_are_indexed)
{
    static const char *const names[] = {
        "with space.py",  "-dash.py",        "--help.py",      "quote'\".py",   "glob[*]?.py",
        "caf\xc3\xa9.py", "\xe6\x97\xa5.py", "percent%s%n.py", "semi;colon.py", "back\\slash.py",
        "dollar$HOME.py", "#hash.py",        "a..b.py",        "...py",         "UPPER.PY",
        "tilde~.py",      "brace{a,b}.py",   "!bang.py",       "at@.py",        "plus+.py",
    };
    enum {
        N = sizeof names / sizeof *names
    };
    lab_start(&l);
    for (int i = 0; i < N; i++) {
        char text[80];
        snprintf(text, sizeof text, "def odd_name_%02d():\n    pass\n", i);
        lab_write(&l, names[i], text);
    }
    char longest[256];
    memset(longest, 'n', 255);
    memcpy(longest + 252, ".py", 4);
    lab_write(&l, longest, "def longest_name():\n    pass\n");
    kt_eq_u(lab_run(&l)->n_files, N + 1);
    for (int i = 0; i < N; i++) {
        char symbol[40], want[80];
        snprintf(symbol, sizeof symbol, "odd_name_%02d", i);
        snprintf(want, sizeof want, "%s:1", names[i]);
        kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, symbol), want);
        kt_true(is_indexed(names[i]));
    }
    kt_eq_u(lab_run(&l)->n_unchanged, N + 1);
    lab_end(&l);
}

KEN_TEST(names_that_are_no_text_are_left_out)
{
    lab_start(&l);
    lab_write(&l, "latin1_\xe9.py", "def hidden(): pass\n");
    lab_write(&l, "new\nline.py", "def hidden(): pass\n");
    lab_write(&l, "bell\a.py", "def hidden(): pass\n");
    lab_write(&l, "good.py", "def shown(): pass\n");
    lab_run(&l);
    kt_eq_u(l.report.n_files, 1);
    kt_eq_u(l.report.skips[KEN_SKIP_NAME], 3);
    kt_eq_u(lab_run(&l)->n_unchanged, 1);
    lab_end(&l);
}

// ---- what is no file ---------------------------------------------------------------------------

KEN_TEST(pipes_sockets_and_links_do_not_stop_a_run)
{
    lab_start(&l);
    lab_write(&l, "real.py", "def real(): pass\n");
    char path[4096];
    lab_path(&l, "pipe.py", path);
    kt_eq_i(mkfifo(path, 0644), 0);
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    lab_path(&l, "s.py", path);
    if (strlen(path) < sizeof addr.sun_path) {
        memcpy(addr.sun_path, path, strlen(path) + 1);
        kt_eq_i(bind(fd, (const struct sockaddr *)&addr, sizeof addr), 0);
    }
    lab_path(&l, "link.py", path);
    kt_eq_i(symlink("real.py", path), 0);
    lab_path(&l, "dangling.py", path);
    kt_eq_i(symlink("nowhere.py", path), 0);
    lab_path(&l, "loop", path);
    kt_eq_i(symlink(".", path), 0);
    lab_path(&l, "up", path);
    kt_eq_i(symlink("../..", path), 0);
    lab_path(&l, "passwd.py", path);
    kt_eq_i(symlink("/etc/passwd", path), 0);
    lab_run(&l);
    kt_eq_u(l.report.n_files, 1);
    kt_eq_u(l.report.skips[KEN_SKIP_SYMLINK], 5);
    kt_true(l.report.skips[KEN_SKIP_SPECIAL] >= 1);
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "root:"), "");
    close(fd);
    lab_end(&l);
}
