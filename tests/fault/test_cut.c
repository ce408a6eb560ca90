// SPDX-License-Identifier: MIT
// Somebody cuts the files of an index while a server has them mapped. The server is not ended by a
// signal: it answers, with what is right or with an error, and the next command mends what is left.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

static ken_proc_result r;

static void shell(const char *command, const char *argument)
{
    char data[500], home[500];
    const char *const argv[] = { "sh", "-c", command, KEN_BINARY, argument, NULL };
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s", ktest_path("data"));
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    // The sanitizer would take the signal for itself.
    const char *const env[] = { data, home, "NO_COLOR=1", "ASAN_OPTIONS=handle_sigbus=0", NULL };
    ken_err err = { 0 };
    ken_proc_result_release(&r);
    ken_proc_opts opts = {
        .argv = argv, .cwd = ktest_path("proj"), .env = env, .timeout_ms = 120000
    };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
    ken_buf_putc(&r.out, '\0');
    ken_buf_putc(&r.errors, '\0');
}

static void make_project(void)
{
    for (int i = 0; i < 120; i++) {
        char path[100], text[600];
        snprintf(path, sizeof path, "proj/part%d.py", i);
        snprintf(text, sizeof text,
                 "def part_%d_step(x):\n    \"\"\"Tries again %d.\"\"\"\n    return retry_%d(x)\n",
                 i, i, i);
        ktest_write(path, text);
    }
    shell("\"$0\" index . && \"$0\" task new kept && \"$0\" checkpoint save kept", NULL);
    kt_eq_i(r.exit_code, 0);
}

// A server that is asked, has its files cut by "$1", and is asked again, by reading and by writing.
static const char session[] =
    "ask() {\n"
    "  printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
    "\"arguments\":%s}}\\n' \"$1\" \"$2\" \"$3\" >&3\n"
    "  until grep -q \"\\\"id\\\":$1[,}]\" ../out; do\n"
    "    kill -0 $server 2>/dev/null || return 1; sleep 0.02\n"
    "  done\n"
    "}\n"
    "rm -f ../in ../out; mkfifo ../in; \"$0\" mcp <../in >../out 2>../errors & server=$!\n"
    "exec 3>../in\n"
    "printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
    "\"version\":\"1\"}}}' '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}' >&3\n"
    "ask 2 search_code '{\"query\":\"tries again 7\"}'\n"
    "ask 3 list_tasks '{}'\n"
    "eval \"$1\"\n"
    "ask 4 search_code '{\"query\":\"part 9 step\"}'\n"
    "ask 5 find_usages '{\"symbol\":\"retry_3\"}'\n"
    "ask 6 checkpoint_save '{\"summary\":\"made in the dark\"}'\n"
    "ask 7 create_task '{\"title\":\"made in the dark\"}'\n"
    "ask 8 search_code '{\"query\":\"part 11 step\"}'\n"
    "exec 3>&-; wait $server; echo \"ended $?\"; cat ../errors >&2\n";

static void cut(const char *how)
{
    make_project();
    shell(session, how);
    if (!strstr(r.out.ptr, "ended 0"))
        kt_fail("%s: %s%s", how, r.out.ptr, r.errors.ptr);
    shell(
        "\"$0\" index . --force >/dev/null; \"$0\" restore >/dev/null; \"$0\" search 'tries again 7'",
        NULL);
    kt_eq_i(r.exit_code, 0);
    kt_has_str(r.out.ptr, "part7.py");
    shell("\"$0\" task list; \"$0\" checkpoint list", NULL);
    kt_has_str(r.out.ptr, "kept");
}

KEN_TEST(the_shared_memory_of_a_log_is_cut)
{
    cut("for f in ../data/indexes/*-shm; do truncate -s 0 $f; done");
}

KEN_TEST(an_index_is_cut_to_a_page)
{
    cut("truncate -s 8192 ../data/indexes/*.db");
}

KEN_TEST(an_index_is_cut_in_the_middle)
{
    cut("truncate -s 65536 ../data/indexes/*.db");
}

KEN_TEST(an_index_is_emptied)
{
    cut("truncate -s 0 ../data/indexes/*.db");
}

KEN_TEST(the_list_of_projects_is_cut)
{
    cut("truncate -s 8192 ../data/config/projects.db");
}

KEN_TEST(the_shared_memory_of_the_list_of_projects_is_cut)
{
    cut("for f in ../data/config/*-shm; do truncate -s 0 $f; done");
}
