// SPDX-License-Identifier: MIT
// From text to tokens, from tokens to parts.
#include "base/utf8.h"
#include "ktest.h"
#include "token/token.h"

// ---- finding tokens ----------------------------------------------------------------------------

static void tokens_are(const char *text, const char *want)
{
    ken_buf got = KEN_BUF_INIT(0);
    ken_str rest = ken_str_c(text), token;
    while (ken_token_next(&rest, &token))
        ken_buf_printf(&got, "%s" KEN_STR_FMT, got.len ? "|" : "", KEN_STR_ARG(token));
    kt_eq_text(ken_buf_str(&got), want);
    ken_buf_release(&got);
}

KEN_TEST(tokens_are_identifiers_words_and_numbers)
{
    tokens_are("", "");
    tokens_are(" \t\n+-*/(){}", "");
    tokens_are("if (a_b == $x) { return fooBar; }", "if|a_b|$x|return|fooBar");
    tokens_are("x=42;y = 3.14", "x|42|y|3|14");
    tokens_are("sha256sum 2fa 0x1F", "sha256sum|2fa|0x1F");
    tokens_are("a.b->c::d", "a|b|c|d");
    tokens_are("na\xc3\xafve caf\xc3\xa9", "na\xc3\xafve|caf\xc3\xa9");
    tokens_are("end", "end");
}

// "1_000" is a number and not a name.
KEN_TEST(numbers_end_at_an_underscore)
{
    tokens_are("1_000", "1|_000");
    tokens_are("10$", "10|$");
}

KEN_TEST(nul_bytes_and_broken_utf8_are_only_bytes)
{
    ken_str rest = ken_str_n("ab\0cd\xff\xfe"
                             "e",
                             8),
            token;
    kt_true(ken_token_next(&rest, &token));
    kt_eq_text(token, "ab");
    kt_true(ken_token_next(&rest, &token));
    kt_eq_text(token, "cd\xff\xfe"
                      "e");
    kt_false(ken_token_next(&rest, &token));
    kt_false(ken_token_next(&rest, &token));
}

KEN_TEST(every_byte_has_its_class)
{
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        int want = i >= 0x80              ? KEN_TOKEN_OTHER
                   : ken_is_upper(c)      ? KEN_TOKEN_UPPER
                   : ken_is_alpha(c)      ? KEN_TOKEN_LOWER
                   : ken_is_digit(c)      ? KEN_TOKEN_DIGIT
                   : c == '_' || c == '$' ? KEN_TOKEN_MARK
                                          : KEN_TOKEN_NONE;
        kt_eq_i(ken_token_class(c), want);
    }
}

// ---- splitting ---------------------------------------------------------------------------------

// "http server|httpserver": the parts, and after a bar the whole of a compound.
static void splits_into(const char *token, const char *want)
{
    ken_token_parts p;
    ken_token_split(ken_str_c(token), &p);
    ken_buf got = KEN_BUF_INIT(0);
    for (uint32_t i = 0; i < p.n_parts; i++)
        ken_buf_printf(&got, "%s%.*s", i ? " " : "", p.part[i].len, p.text + p.part[i].start);
    if (p.is_compound)
        ken_buf_printf(&got, "|%s", p.text);
    if (!ken_str_eq_c(ken_buf_str(&got), want))
        kt_fail("'%s' became '" KEN_STR_FMT "', not '%s'", token, KEN_STR_ARG(ken_buf_str(&got)),
                want);
    ken_buf_release(&got);
}

KEN_TEST(splits_at_case)
{
    splits_into("camelCase", "camel case|camelcase");
    splits_into("PascalCase", "pascal case|pascalcase");
    splits_into("HTTPServer", "http server|httpserver");
    splits_into("parseHTTPHeader", "parse http header|parsehttpheader");
    splits_into("getURL", "get url|geturl");
    splits_into("lower", "lower");
    splits_into("UPPER", "upper");
    splits_into("Title", "title");
}

KEN_TEST(splits_at_marks)
{
    splits_into("snake_case_name", "snake case name|snakecasename");
    splits_into("SCREAMING_SNAKE", "screaming snake|screamingsnake");
    splits_into("__init__", "init");
    splits_into("_private", "private");
    splits_into("$scope", "scope");
    splits_into("a$b", "|ab");
    splits_into("jquery$plugin", "jquery plugin|jqueryplugin");
    splits_into("_", "");
    splits_into("$$__", "");
}

KEN_TEST(splits_at_digits_and_keeps_them)
{
    splits_into("sha256sum", "sha 256 sum|sha256sum");
    splits_into("utf8", "utf 8|utf8");
    splits_into("Base64Encoder", "base 64 encoder|base64encoder");
    splits_into("x86_64", "86 64|x8664");
    splits_into("7", "7");
    splits_into("2fa", "2 fa|2fa");
}

// A single letter says nothing by itself, but belongs to the whole.
KEN_TEST(single_letters_are_no_parts)
{
    splits_into("x", "");
    splits_into("i_max", "max|imax");
    splits_into("aB", "|ab");
    splits_into("ObjectC", "object|objectc");
    splits_into("getX", "get|getx");
    splits_into("XRay", "ray|xray");
}

KEN_TEST(other_scripts_stay_together)
{
    splits_into("na\xc3\xafve", "na\xc3\xafve");
    splits_into("caf\xc3\xa9_menu", "caf\xc3\xa9 menu|caf\xc3\xa9menu");
    splits_into("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e");
    splits_into("str\xc3\xb6mungsMesser", "str\xc3\xb6mungs messer|str\xc3\xb6mungsmesser");
}

// Many of something short: URLs are urls, as people ask for them.
KEN_TEST(plurals_of_capitals_keep_their_s)
{
    splits_into("URLs", "urls");
    splits_into("IDs", "ids");
    splits_into("getURLs", "get urls|geturls");
    splits_into("URLsToFetch", "urls to fetch|urlstofetch");
    splits_into("userIDs2", "user ids 2|userids2");
    splits_into("IDs_seen", "ids seen|idsseen");
    splits_into("DNSserver", "dn sserver|dnsserver");
    splits_into("HTTPServer", "http server|httpserver");
    splits_into("Is", "is");
    splits_into("isOKsir", "is ksir|isoksir");
    splits_into("OKso", "kso|okso");
}

// Capitals of Latin, Greek and Cyrillic are read like those of ASCII.
KEN_TEST(capitals_outside_ascii_are_folded)
{
    splits_into("\u00c4pfel", "\u00e4pfel");
    splits_into("\u00c4PFEL", "\u00e4pfel");
    splits_into("gr\u00f6\u00dfe\u00c4ndern",
                "gr\u00f6\u00dfe \u00e4ndern|gr\u00f6\u00dfe\u00e4ndern");
    splits_into(
        "\u015a\u0106IE\u017bKA_\u0141\u00d3D\u0179",
        "\u015b\u0107ie\u017cka \u0142\u00f3d\u017a|\u015b\u0107ie\u017cka\u0142\u00f3d\u017a");
    splits_into("\u0178", "\u00ff");
    splits_into("\u041f\u0440\u0438\u0432\u0435\u0442\u041c\u0438\u0440",
                "\u043f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440|"
                "\u043f\u0440\u0438\u0432\u0435\u0442\u043c\u0438\u0440");
    splits_into("\u0401\u0416", "\u0451\u0436");
    // A sigma is one letter, at the end of a word too.
    splits_into("\u039b\u038c\u0393\u039f\u03a3", "\u03bb\u03cc\u03b3\u03bf\u03c3");
    splits_into("\u03bb\u03cc\u03b3\u03bf\u03c2", "\u03bb\u03cc\u03b3\u03bf\u03c3");
    // Scripts without case stay with what is before them.
    splits_into("HTTP\u65e5\u672c", "http \u65e5\u672c|http\u65e5\u672c");
}

KEN_TEST(every_fold_keeps_its_length_and_is_final)
{
    for (uint32_t code = 0x80; code < 0x800; code++) {
        char text[2] = { (char)(0xc0 | code >> 6), (char)(0x80 | (code & 0x3f)) };
        ken_token_fold(text, 2);
        char again[2] = { text[0], text[1] };
        ken_token_fold(again, 2);
        uint32_t small;
        kt_eq_u(ken_utf8_next(ken_str_n(text, 2), &small), 2);
        kt_true(memcmp(again, text, 2) == 0);
    }
}

KEN_TEST(long_tokens_are_cut_and_never_overflow)
{
    char text[400];
    memset(text, 'a', sizeof text);
    ken_token_parts p;
    ken_token_split(ken_str_n(text, sizeof text), &p);
    kt_eq_u(p.n_parts, 1);
    kt_eq_u(p.part[0].len, KEN_TOKEN_MAX);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "aB"[i & 1];
    ken_token_split(ken_str_n(text, sizeof text), &p);
    kt_true(p.is_compound);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "abC_9x"[i % 6];
    ken_token_split(ken_str_n(text, sizeof text), &p);
    kt_eq_u(p.n_parts, KEN_TOKEN_PARTS);
    ken_token_split(KEN_STR(""), &p);
    kt_eq_u(p.n_parts, 0);
    kt_false(p.is_compound);
}
