// SPDX-License-Identifier: MIT
// base64url, and what else tokens and signatures are made of.
#include <string.h>

#include "base/base64.h"
#include "base/hash.h"
#include "base/id.h"
#include "ktest.h"

KEN_TEST(base64url_there_and_back)
{
    static const struct {
        const char *plain, *coded; // RFC 4648, section 10, without padding
    } cases[] = {
        { "", "" },           { "f", "Zg" },          { "fo", "Zm8" },         { "foo", "Zm9v" },
        { "foob", "Zm9vYg" }, { "fooba", "Zm9vYmE" }, { "foobar", "Zm9vYmFy" }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        uint8_t bytes[16];
        size_t n = 0, len = strlen(cases[i].plain);
        ken_base64url_into(cases[i].plain, len, text);
        kt_eq_str(text, cases[i].coded);
        kt_eq_u(strlen(text), KEN_BASE64URL_LEN(len));
        kt_true(ken_base64url_parse(ken_str_c(text), bytes, sizeof bytes, &n));
        kt_eq_mem(bytes, n, cases[i].plain, len);
        kt_eq_i(ken_base64url_parse(ken_str_c(text), bytes, len ? len - 1 : 0, &n), !len);
    }
    uint8_t high[3] = { 0xfb, 0xff, 0xfe };
    char text[8];
    ken_base64url_into(high, sizeof high, text);
    kt_eq_str(text, "-__-");
}

KEN_TEST(base64_is_padded)
{
    static const struct {
        const char *plain, *text;
    } cases[] = {
        { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "\xfb\xff?", "+/8/" }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[KEN_BASE64_LEN(3) + 1];
        ken_base64_into(cases[i].plain, strlen(cases[i].plain), text);
        kt_eq_str(text, cases[i].text);
    }
}

KEN_TEST(base64url_has_one_text_for_one_value)
{
    static const char *const bad[] = {
        "Z", "Zh", "Zm9", "Zg==", "Zm 9v", "Zm9v\n", "+//+", "Zm9vY"
    };
    uint8_t bytes[16];
    size_t n = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ken_base64url_parse(ken_str_c(bad[i]), bytes, sizeof bytes, &n))
            kt_fail("'%s' was taken", bad[i]);
    kt_false(ken_base64url_parse(ken_str_n("Zm\0v", 4), bytes, sizeof bytes, &n));
}

// RFC 4231, cases 2 and 6.
KEN_TEST(hmac_of_the_examples)
{
    char hex[65], key[131];
    ken_sha256 h = ken_hmac_sha256(KEN_STR("Jefe"), KEN_STR("what do ya want for nothing?"));
    ken_hex_into(h.bytes, sizeof h.bytes, hex);
    kt_eq_str(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    h = ken_hmac_sha256(ken_str_n(key, sizeof key),
                        KEN_STR("Test Using Larger Than Block-Size Key - Hash Key First"));
    ken_hex_into(h.bytes, sizeof h.bytes, hex);
    kt_eq_str(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    (void)ken_hmac_sha256(KEN_STR(""), KEN_STR(""));
}

KEN_TEST(secrets_are_compared_and_made)
{
    kt_true(ken_is_same_secret("abcd", "abcd", 4));
    kt_false(ken_is_same_secret("abcd", "abce", 4));
    uint8_t a[32] = { 0 }, b[32] = { 0 };
    ken_random_into(a, sizeof a);
    ken_random_into(b, sizeof b);
    kt_true(memcmp(a, b, sizeof a) != 0);
}
