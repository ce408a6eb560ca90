// SPDX-License-Identifier: MIT
// Masking takes time in proportion to the text, whatever is in it: on texts that repeat what makes a
// finder look far ahead, the characters that are looked at are counted. Each text is doubled, and
// neither the steps for a byte nor their growth may be large.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "secret/secret_priv.h"
#include "secret/secret_rules_priv.h"

#define BEGIN_KEY "-----BEGIN PRIVATE KEY-----"
#define END_KEY   "-----END PRIVATE KEY-----"
#define RUN32     "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"

enum {
    SMALL = 64 << 10,
    LARGE = 4 * SMALL,
    // For each byte. A run may be walked 16 times in vain (SPENT_MAX) and judged in a few ways each time,
    // in each of 8 passes; in a text of ordinary code it is 1 to 3.
    STEPS_MAX = 1000
};

uint64_t secret_n_steps;

static uint64_t steps_for(const char *head, const char *part, const char *tail, size_t n)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, head);
    while (b.len < n)
        ken_buf_puts(&b, part);
    ken_buf_puts(&b, tail);
    secret_n_steps = 0;
    ken_secret_mask(b.ptr, b.len);
    ken_buf_release(&b);
    return secret_n_steps;
}

static void check_linear(const char *head, const char *part, const char *tail)
{
    uint64_t small = steps_for(head, part, tail, SMALL), large = steps_for(head, part, tail, LARGE);
    if (large > (uint64_t)STEPS_MAX * LARGE || large > 6 * small + LARGE)
        kt_fail("'%.40s' '%.60s' '%.40s': %.1f steps for a byte of %d KiB, %.1f of %d KiB", head,
                part, tail, (double)small / SMALL, SMALL >> 10, (double)large / LARGE, LARGE >> 10);
}

KEN_TEST(keys_and_their_headers)
{
    static const char *const parts[] = {
        BEGIN_KEY,
        BEGIN_KEY "\n",
        BEGIN_KEY "\n" RUN32 "\n",
        BEGIN_KEY "\n" RUN32 "\nab ",
        BEGIN_KEY "Comment: " RUN32,
        "Comment: " BEGIN_KEY RUN32 "\n",
        "Comment: " BEGIN_KEY RUN32,
        BEGIN_KEY "\\n" RUN32 "\\n",
        BEGIN_KEY "\n\n\n\n",
        "ab\n",
        "ab==\n",
        "f'",
        "Private-Lines: 400\n",
        "Private-Lines: 400\n" RUN32 "\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        check_linear("", parts[i], "");
        check_linear("", parts[i], END_KEY);
        check_linear("", parts[i], "----- END PRIVATE KEY -----");
        check_linear(BEGIN_KEY "\n" RUN32 "\n", parts[i], END_KEY);
        check_linear("Private-Lines: 400\n", parts[i], "");
    }
}

KEN_TEST(urls_and_names_one_in_the_other)
{
    static const char *const parts[] = {
        "://",           "://a:b",      ":\\/\\/",      "%3A%2F%2F",    ":%2F%2Fa:b",
        "&#58;//",       "password=",   "password:",    "password=x1",  "\"password=",
        "token=secret=", "auth=",       "Basic ",       "auth=dXNlcjp", "Basic%20dXNl",
        "sig=AAAA",      "eyJhbGciOiJ", "eyJhbGciOiJ.", "key\\\\\\\\",  "&quot;token",
        "pwd%3D",        "login ",      "aws_secret",   "=&amp;=",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        check_linear("", parts[i], "");
        check_linear("password=\"", parts[i], "\"");
    }
}

// Every head of a rule, followed by what its body begins with or by nothing.
KEN_TEST(the_head_of_every_rule)
{
    static const char *const heads[] = {
#define X(kind, how, head, body) head,
        SECRET_RULES(X)
#undef X
    };
    static const char *const rests[] = { "", "=", "a1B2", "_" };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
            char part[100];
            snprintf(part, sizeof part, "%s%s", heads[i], rests[k]);
            uint64_t n = steps_for("", part, "", SMALL);
            if (n > (uint64_t)STEPS_MAX * SMALL)
                kt_fail("'%s': %.1f steps for a byte", part, (double)n / SMALL);
        }
    }
}
