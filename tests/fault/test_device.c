// SPDX-License-Identifier: MIT
// A disk that fails: ext4 on a loop device whose image is cut (reads fail with EIO, mapped pages with
// SIGBUS) or has no room behind it (writes are accepted, and syncs fail with EIO). Commands and a
// server end well, with a line that says why; what was acknowledged is there when the disk is back.
//
// Needs root, loop devices and mkfs.ext4; the mounts are of a namespace that ends with the script.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

static ken_proc_result r;

#define PREPARE                                                                                     \
    "mkdir -p ../back ../disk\n"                                                                    \
    "mount -t tmpfs -o size=40m t ../back && truncate -s 24m ../back/img && "                       \
    "mkfs.ext4 -q -F -O ^has_journal ../back/img && mount -o loop ../back/img ../disk || exit 77\n" \
    "again() { umount ../disk && \"$@\" && mount -o loop ../back/img ../disk || exit 78; }\n"       \
    "try() {\n"                                                                                     \
    "  \"$ken\" \"$@\" >../o 2>../e; code=$?\n"                                                     \
    "  [ $code = 0 ] || { [ $code = 1 ] && grep -q '^ken: ' ../e; } || [ \"$1\" = doctor ] || "     \
    "    { echo \"BAD $code: $*\"; cat ../e; }\n"                                                   \
    "  return $code\n"                                                                              \
    "}\n"

static void run_script(const char *script)
{
    char data[500], home[500], program[500];
    const char *const argv[] = { "unshare", "-m", "sh", "-c", script, NULL };
    for (int i = 0; i < 60; i++) {
        char path[100], text[600];
        snprintf(path, sizeof path, "proj/part%d.py", i);
        snprintf(text, sizeof text,
                 "def part_%d_step(x):\n    \"\"\"Tries again %d.\"\"\"\n    return retry_%d(x)\n",
                 i, i, i);
        ktest_write(path, text);
    }
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/disk/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    snprintf(program, sizeof program, "ken=%s", KEN_BINARY);
    const char *const env[] = { data, home, program, "NO_COLOR=1", "ASAN_OPTIONS=handle_sigbus=0",
                                NULL };
    ken_err err = { 0 };
    ken_proc_result_release(&r);
    ken_proc_opts opts = {
        .argv = argv, .cwd = ktest_path("proj"), .env = env, .timeout_ms = 200000
    };
    if (ken_proc_run(&opts, &r, &err))
        kt_skip("unshare", "not there");
    ken_buf_putc(&r.out, '\0');
    ken_buf_putc(&r.errors, '\0');
    if (r.exit_code == 77 || strstr(r.errors.ptr, "unshare:"))
        kt_skip("a loop device with ext4", "not to be had here");
    if (r.exit_code || r.signal || strstr(r.out.ptr, "BAD"))
        kt_fail("status %d, signal %d: %s%s", r.exit_code, r.signal, r.out.ptr, r.errors.ptr);
}

KEN_TEST(a_disk_that_cannot_be_read)
{
    run_script(
        PREPARE
        "\"$ken\" index . && \"$ken\" task new kept && \"$ken\" checkpoint save kept || exit 1\n"
        "\"$ken\" search 'tries again 7' >../want || exit 1\n"
        "again cp ../back/img ../image\n" // and nothing is in the cache
        "mkfifo ../in; \"$ken\" mcp <../in >../out 2>../errors & server=$!\n"
        "exec 3>../in\n"
        "ask() {\n"
        "  printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"arguments\":%s}}\\n' \"$1\" \"$2\" \"$3\" >&3\n"
        "  until grep -q \"\\\"id\\\":$1[,}]\" ../out; do\n"
        "    kill -0 $server 2>/dev/null || { echo \"BAD server\"; return 1; }; sleep 0.02\n"
        "  done\n"
        "}\n"
        "printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}}}' '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}' >&3\n"
        "ask 2 list_tasks '{}'; ask 3 search_code '{\"query\":\"tries again 7\"}'\n"
        "truncate -s 1m ../back/img\n"
        "ask 4 search_code '{\"query\":\"part 9 step\"}'; ask 5 find_usages '{\"symbol\":\"retry_3\"}'\n"
        "ask 6 checkpoint_save '{\"summary\":\"x\"}'; ask 7 create_task '{\"title\":\"x\"}'\n"
        "exec 3>&-; wait $server || echo \"BAD server ended $?\"\n"
        "again cp ../image ../back/img\n" // cold again
        "truncate -s 1m ../back/img\n"
        "try search tries; try refs retry_7; try status; try task list; try task new x\n"
        "try index .; try checkpoint save x; try rules setup; try index . --force; try doctor --deep\n"
        "try restore\n"
        "again cp ../image ../back/img\n"
        "\"$ken\" search 'tries again 7' | cmp - ../want || exit 2\n"
        "\"$ken\" task list | grep -q kept && \"$ken\" checkpoint list | grep -q kept || exit 3\n"
        "try index . || exit 4\n");
}

KEN_TEST(a_disk_that_does_not_keep_what_is_written)
{
    run_script(
        PREPARE
        "\"$ken\" index . && \"$ken\" task new kept && \"$ken\" checkpoint save kept || exit 1\n"
        "sync; head -c 64m /dev/zero >../back/ballast 2>/dev/null\n"
        "truncate -s -40k ../back/ballast; : >../acked; : >../marked\n"
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
        "  try task new \"number $i.\" && echo \"number $i.\" >>../acked\n"
        "  try checkpoint save \"mark $i.\" && echo \"mark $i.\" >>../marked\n"
        "done\n"
        "try rules setup; try index . --force\n"
        "again rm ../back/ballast\n"
        "\"$ken\" index . >/dev/null 2>&1 || \"$ken\" index . --force ||\n"
        "  { \"$ken\" restore && \"$ken\" index . --force; } || exit 2\n"
        "\"$ken\" task list >../tasks || { \"$ken\" restore && \"$ken\" task list >../tasks; } || exit 3\n"
        "\"$ken\" checkpoint list --limit 200 >../marks || exit 4\n"
        "grep -q kept ../tasks && grep -q kept ../marks || exit 5\n"
        "while read -r name; do grep -q \"$name\" ../tasks || echo \"BAD lost $name\"; done <../acked\n"
        "while read -r name; do grep -q \"$name\" ../marks || echo \"BAD lost $name\"; done <../marked\n"
        "wc -l <../acked\n");
    printf("%s", r.out.ptr);
}
