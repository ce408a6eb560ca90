// SPDX-License-Identifier: MIT
// Whatever happens below a watched folder is told, at once, and nothing is told when nothing happens.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "ktest.h"
#include "watch/watch.h"

static bool decides(ken_str name)
{
    return ken_str_eq(name, KEN_STR(".gitignore"));
}

static ken_watch *w;
static int root_fd;

static void begin(void)
{
    ken_err err = { 0 };
    kt_ok_err(ken_watch_begin(w, &err), &err);
    ken_watch_add(w, root_fd, KEN_STR(""), KEN_STR(""));
    ken_watch_add(w, root_fd, KEN_STR(""), KEN_STR("src/deep"));
}

static void start(void)
{
    ken_err err = { 0 };
    ktest_write("tree/a.c", "int a;\n");
    ktest_write("tree/src/deep/b.c", "int b;\n");
    kt_ok_err(ken_fs_open_dir(ktest_path("tree"), &root_fd, &err), &err);
    w = ken_watch_new(decides);
    kt_eq_i(ken_watch_look(w), KEN_WATCH_BLIND); // until it begins
    begin();
    if (ken_watch_look(w) == KEN_WATCH_BLIND)
        kt_skip("inotify", "the file system of the tests is not a local one");
    kt_eq_u(ken_watch_n(w), 3); // with the folder between
}

static void end(void)
{
    ken_watch_free(w);
    ken_fs_close(root_fd);
}

static void told(ken_watch_news news)
{
    kt_eq_i(ken_watch_look(w), news);
    if (news == KEN_WATCH_TREE)
        begin();
    ken_watch_forget(w);
    kt_eq_i(ken_watch_look(w), KEN_WATCH_QUIET);
}

KEN_TEST(files_are_told)
{
    char text[64];
    start();
    kt_eq_i(ken_watch_look(w), KEN_WATCH_QUIET);
    kt_true(read(open(ktest_path("tree/a.c"), O_RDONLY), text, sizeof text) >
            0); // looking is nothing
    kt_eq_i(ken_watch_look(w), KEN_WATCH_QUIET);
    ktest_write("tree/a.c", "int c;\n");
    told(KEN_WATCH_FILES);
    ktest_write("tree/src/deep/new.c", "int c;\n");
    told(KEN_WATCH_FILES);
    kt_eq_i(rename(ktest_path("tree/a.c"), ktest_path("tree/z.c")), 0);
    told(KEN_WATCH_FILES);
    kt_eq_i(unlink(ktest_path("tree/z.c")), 0);
    told(KEN_WATCH_FILES);
    kt_eq_i(chmod(ktest_path("tree/src/deep/b.c"), 0600), 0);
    told(KEN_WATCH_FILES);
    kt_eq_i(truncate(ktest_path("tree/src/deep/b.c"), 0), 0);
    told(KEN_WATCH_FILES);
    end();
}

KEN_TEST(folders_and_what_decides_are_told_as_the_tree)
{
    start();
    kt_eq_i(mkdir(ktest_path("tree/src/more"), 0755), 0);
    told(KEN_WATCH_TREE);
    kt_eq_i(rename(ktest_path("tree/src/more"), ktest_path("tree/src/less")), 0);
    told(KEN_WATCH_TREE);
    kt_eq_i(rmdir(ktest_path("tree/src/less")), 0);
    told(KEN_WATCH_TREE);
    ktest_write("tree/src/deep/.gitignore", "*.c\n");
    told(KEN_WATCH_TREE);
    kt_eq_i(rename(ktest_path("tree/src"), ktest_path("tree/lib")), 0);
    told(KEN_WATCH_TREE);
    end();
}

KEN_TEST(a_write_under_another_name_is_told_when_the_file_is_watched)
{
    start();
    ken_watch_add_file(w, root_fd, KEN_STR(""), KEN_STR("a.c"), 1, false);
    kt_eq_i(link(ktest_path("tree/a.c"), ktest_path("other.c")), 0);
    told(KEN_WATCH_FILES); // it has a name more
    ktest_write("other.c", "int other;\n");
    told(KEN_WATCH_FILES);
    end();
}

// Else a server with many projects has no watch left for the folders of the last of them.
KEN_TEST(watches_of_one_process_share_what_is_spare)
{
    enum {
        EACH = 5000,
        MOST = 8192
    };
    start();
    for (int i = 0; i < EACH; i++) {
        char name[24];
        snprintf(name, sizeof name, "%d.h", i);
        int fd = openat(root_fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        kt_true(fd >= 0);
        close(fd);
    }
    ken_watch *other = ken_watch_new(decides);
    kt_ok(ken_watch_begin(other, NULL));
    ken_watch_add(other, root_fd, KEN_STR(""), KEN_STR(""));
    for (int i = 0; i < 2 * EACH; i++) {
        char name[24];
        int n = snprintf(name, sizeof name, "%d.h", i / 2);
        ken_watch_add_file(i % 2 ? other : w, root_fd, KEN_STR(""), ken_str_n(name, (size_t)n), 1,
                           false);
    }
    uint32_t n_spare = ken_watch_n(w) + ken_watch_n(other) - 4; // without folders
    kt_true(n_spare > 0 && n_spare <= MOST);
    ktest_write("tree/new.h", "");
    kt_eq_i(ken_watch_look(other), KEN_WATCH_FILES);
    ken_watch_free(other);
    kt_ok(ken_watch_begin(w, NULL)); // gives back what it had
    ken_watch_add(w, root_fd, KEN_STR(""), KEN_STR(""));
    ken_watch_add_file(w, root_fd, KEN_STR(""), KEN_STR("1.h"), 1, false);
    kt_eq_i(ken_watch_n(w), 2);
    end();
}

static void add_name(void *ctx, ken_str path)
{
    ken_buf_put_str(ctx, path);
    ken_buf_putc(ctx, ' ');
}

// The names of one change; order is the map's, so one name at a time.
static void named(const char *want)
{
    ken_buf b = KEN_BUF_INIT(0);
    kt_eq_i(ken_watch_look(w), KEN_WATCH_FILES);
    bool is_known = ken_watch_name(w, add_name, &b);
    ken_buf_puts(&b, is_known ? "" : "?");
    kt_eq_str(b.ptr, want);
    ken_watch_forget(w);
    ken_buf_release(&b);
}

KEN_TEST(files_are_named)
{
    start();
    ktest_write("tree/a.c", "int c;\n");
    named("a.c ");
    ktest_write("tree/src/deep/b.c", "int c;\n");
    named("src/deep/b.c ");
    ken_watch_add_file(w, root_fd, KEN_STR(""), KEN_STR("a.c"), 1, true);
    kt_eq_i(link(ktest_path("tree/a.c"), ktest_path("outside.c")), 0);
    named("a.c ");
    ktest_write("outside.c", "int other;\n");
    named("a.c ");
    kt_eq_i(unlink(ktest_path("outside.c")), 0);
    named("a.c ");
    kt_eq_i(unlink(ktest_path("tree/a.c")), 0); // the last name: the folder tells, and the file
    named("a.c ");
    ktest_write("tree/a.c", "int d;\n"); // perhaps the same number of the file system
    named("a.c ");
    ken_watch_add_file(w, root_fd, KEN_STR(""), KEN_STR("a.c"), 1, true);
    kt_eq_i(link(ktest_path("tree/a.c"), ktest_path("outside.c")), 0);
    named("a.c ");
    ktest_write("outside.c", "int again;\n");
    named("a.c ");
    kt_eq_i(link(ktest_path("tree/a.c"), ktest_path("tree/twin.c")), 0);
    ken_watch_look(w);
    ken_watch_forget(w);
    ken_watch_add_file(w, root_fd, KEN_STR(""), KEN_STR("twin.c"), 1, true);
    ktest_write("outside.c", "int twin;\n"); // of which of the two
    named("?");
    end();
}

KEN_TEST(a_write_through_memory_is_told_when_it_is_unmapped)
{
    start();
    int fd = open(ktest_path("tree/a.c"), O_RDWR);
    char *m = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    kt_true(m != MAP_FAILED);
    close(fd);
    m[0] = 'I';
    munmap(m, 4);
    told(KEN_WATCH_FILES);
    end();
}

KEN_TEST(more_than_the_kernel_queues_is_told_as_the_tree)
{
    start();
    FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
    long most = 0;
    if (!f || fscanf(f, "%ld", &most) != 1 || most > 100000)
        kt_skip("inotify", "the queue is too long to fill it");
    fclose(f);
    const char *a = ktest_path("tree/a.c"), *b = ktest_path("tree/src/deep/b.c");
    for (long i = 0; i < most; i++) { // two of a kind in turn, that are not joined
        kt_eq_i(chmod(a, 0600), 0);
        kt_eq_i(chmod(b, 0600), 0);
    }
    told(KEN_WATCH_TREE);
    end();
}

KEN_TEST(file_systems_of_others_make_it_blind)
{
    int fd = -1;
    start();
    kt_ok(ken_fs_open_dir("/proc/self", &fd, NULL));
    ken_watch_add(w, fd, KEN_STR(""), KEN_STR("fdinfo"));
    kt_eq_i(ken_watch_look(w), KEN_WATCH_BLIND);
    kt_true(ken_watch_why(w).len > 0);
    ken_watch_forget(w);
    kt_eq_i(ken_watch_look(w), KEN_WATCH_BLIND);
    ken_fs_close(fd);
    end();
}

static bool is_readable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, 0) == 1;
}

KEN_TEST(the_descriptor_stays_when_the_watch_begins_anew)
{
    start();
    int fd = ken_watch_fd(w);
    kt_true(fd >= 0);
    kt_false(is_readable(fd));
    for (int i = 0; i < 3; i++) {
        ktest_write("tree/a.c", "int c;\n");
        kt_true(is_readable(fd));
        kt_eq_i(ken_watch_look(w), KEN_WATCH_FILES); // takes it
        kt_false(is_readable(fd));
        kt_eq_i(mkdir(ktest_path("tree/more"), 0755), 0);
        kt_true(is_readable(fd));
        kt_eq_i(rmdir(ktest_path("tree/more")), 0);
        kt_eq_i(ken_watch_look(w), KEN_WATCH_TREE);
        kt_false(is_readable(fd)); // what comes after, too
        begin();
        kt_eq_i(ken_watch_fd(w), fd);
        kt_false(is_readable(fd));
    }
    end();
}

KEN_TEST(files_that_decide_are_watched_outside_of_the_tree)
{
    start();
    ktest_write("git/HEAD", "ref: refs/heads/main\n");
    kt_true(ken_watch_add_control(w, ktest_path("git/HEAD")));
    kt_false(ken_watch_add_control(w, ktest_path("git/absent")));
    kt_false(ken_watch_add_control(w, "/proc/self/status")); // nobody tells of changes there
    kt_eq_i(ken_watch_look(w), KEN_WATCH_QUIET);
    ktest_write("git/HEAD", "ref: refs/heads/other\n");
    told(KEN_WATCH_TREE);
    kt_true(ken_watch_add_control(w, ktest_path("git/HEAD")));
    ktest_write("git/HEAD.lock", "ref: refs/heads/third\n");
    kt_eq_i(ken_watch_look(w), KEN_WATCH_QUIET);
    kt_eq_i(rename(ktest_path("git/HEAD.lock"), ktest_path("git/HEAD")), 0); // as git does it
    told(KEN_WATCH_TREE);
    kt_true(ken_watch_add_control(w, ktest_path("tree/a.c"))); // both
    ktest_write("tree/a.c", "int c;\n");
    told(KEN_WATCH_TREE);
    end();
}
