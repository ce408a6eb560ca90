// SPDX-License-Identifier: MIT
// ken token, the real binary.
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

static char out[16 * 1024], errors[4096];

static void copy_text(char *to, size_t max, const ken_buf *from)
{
    size_t n = from->len < max - 1 ? from->len : max - 1;
    if (n)
        memcpy(to, from->ptr, n);
    to[n] = '\0';
}

// Runs `ken` with the words of `line`; its exit code.
static int ken(const char *line)
{
    static char data[600], home[600], words[1000];
    const char *argv[24] = { KEN_BINARY };
    const char *const env[] = { data, home, "NO_COLOR=1", "TERM=dumb", NULL };
    snprintf(words, sizeof words, "%s", line);
    size_t n = 1;
    for (char *w = strtok(words, " "); w && n < 23; w = strtok(NULL, " "))
        argv[n++] = w;
    argv[n] = NULL;
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    ken_err err = { 0 };
    ken_proc_result r;
    kt_ok_err(
        ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir(), .env = ktest_env(env) },
                     &r, &err),
        &err);
    copy_text(out, sizeof out, &r.out);
    copy_text(errors, sizeof errors, &r.errors);
    int code = r.exit_code;
    ken_proc_result_release(&r);
    return code;
}

static json_t *parsed(void)
{
    json_t *o = json_loads(out, 0, NULL);
    kt_not_null(o);
    return o;
}

KEN_TEST(a_token_is_shown_once)
{
    char secret[64];
    kt_eq_i(ken("token add ci --scope write --expires 90d"), 0);
    kt_eq_u(strlen(out), 48); // the secret and its line end: T=$(ken token add ci)
    snprintf(secret, sizeof secret, "%.47s", out);
    kt_has_str(errors, "'ci' may read,write");
    kt_null(strstr(errors, secret));
    static const char *const later[] = { "token",  "token list --json", "token add ci",
                                         "doctor", "config show",       "token revoke ci --json" };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        (void)ken(later[i]);
        kt_null(strstr(out, secret));
        kt_null(strstr(errors, secret));
    }
}

KEN_TEST(tokens_are_listed_and_revoked)
{
    ktest_write("repo/a.c", "int a;\n");
    kt_eq_i(ken("index repo"), 0);
    kt_eq_i(ken("token add one --project repo --json"), 0);
    json_t *o = parsed();
    kt_eq_str(json_string_value(json_object_get(json_object_get(o, "token"), "scopes")), "read");
    kt_eq_u(strlen(json_string_value(json_object_get(o, "secret"))), 47);
    json_decref(o);
    kt_eq_i(ken("token add all --scope read,admin"), 0);
    kt_eq_i(ken("token list"), 0);
    kt_has_str(out, "read,write,admin");
    kt_has_str(out, "repo");
    kt_eq_i(ken("token list --json"), 0);
    o = parsed();
    kt_eq_i(json_integer_value(json_object_get(o, "total")), 2);
    const json_t *first = json_array_get(json_object_get(o, "tokens"), 1);
    char line[100];
    snprintf(line, sizeof line, "token revoke %s", json_string_value(json_object_get(first, "id")));
    json_decref(o);
    kt_eq_i(ken(line), 0);
    kt_has_str(errors, "revoked 'one'");
    kt_eq_i(ken(line), 1);
    kt_has_str(errors, "ken token list");
}

KEN_TEST(what_was_typed_wrong)
{
    kt_eq_i(ken("token add"), 2);
    kt_eq_i(ken("token add x --scope root"), 2);
    kt_has_str(errors, "read, write or admin");
    kt_eq_i(ken("token add x --expires soon"), 2);
    kt_has_str(errors, "90d");
    kt_eq_i(ken("token add x --expires 2001-01-01"), 2);
    kt_eq_i(ken("token add a/b"), 2);
    kt_eq_i(ken("token add x --project nowhere"), 1);
    kt_has_str(errors, "no project 'nowhere'");
    kt_eq_i(ken("token list --json"), 0);
    kt_has_str(out, "\"total\": 0");
}
