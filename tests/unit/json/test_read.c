// SPDX-License-Identifier: MIT
// Parsing with limits, raw members, typed reads.
#include <string.h>

#include "base/alloc.h"
#include "json/json.h"
#include "ktest.h"

static json_t *parse(const char *text)
{
    json_t *v = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_str_c(text), &v, &err), &err);
    return v;
}

static void refuses(ken_str text, ken_status want)
{
    json_t *v = NULL;
    ken_err err = { 0 };
    kt_status(ken_json_parse(text, &v, &err), want);
    kt_null(v);
    kt_true(err.msg[0] != '\0');
}

KEN_TEST(parses_any_value)
{
    static const char *const texts[] = {
        "{}", "[]", "1", "-1.5", "\"x\"", "true", "null", " {} \n"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_decref(parse(texts[i]));
}

// JSON does not bound numbers; what no machine type holds is still a number, and out of range.
KEN_TEST(numbers_beyond_the_machine_are_numbers)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        { "[9223372036854775807]", 9223372036854775807.0 },
        { "[9223372036854775808]", 9223372036854775808.0 },
        { "[-9223372036854775809]", -9223372036854775809.0 },
        { "[99999999999999999999,\"99999999999999999999\"]", 1e20 },
        { "[ 1234567890123456789012345678901234567890 ]", 1.234567890123456789e39 },
        { "[1e999]", 9e307 },
        { "[-1.25E+4000]", -9e307 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *v = parse(rows[i].text);
        double got = json_number_value(json_array_get(v, 0)), want = rows[i].value;
        kt_true(got / want > 0.999999 && got / want < 1.000001);
        json_decref(v);
    }
    char long_one[1000] = "[";
    memset(long_one + 1, '7', 900);
    long_one[901] = ']';
    json_t *v = parse(long_one);
    kt_true(json_number_value(json_array_get(v, 0)) > 1e307);
    uint64_t n = 5;
    ken_err err = { 0 };
    json_t *o = parse("{\"n\":99999999999999999999}");
    kt_status(ken_json_read_u64(o, "args", "n", &n, &err), KEN_EINVAL);
    kt_eq_str(err.msg, "args.n is too large: 1e+20");
    json_decref(o);
    json_decref(v);
    static const char *const broken[] = { "[099999999999999999999]", "[99999999999999999999.]",
                                          "[1e999e]", "[99999999999999999999 \"", "[1e999" };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        refuses(ken_str_c(broken[i]), KEN_EINVAL);
}

KEN_TEST(refuses_broken_text)
{
    static const char *const texts[] = {
        "",
        "{",
        "}",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "[1 2]",
        "tru",
        "\"\xff\"",
        "{'a':1}",
        "\"\\ud800\"",
        "{\"a\":1}{\"b\":2}",
        "nan",
        "01",
        "\"a\nb\"",
        "{\"a\":1,\"a\":2}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuses(ken_str_c(texts[i]), KEN_EINVAL);
    refuses(ken_str_n("{\"a\":\0}", 7), KEN_EINVAL);
    refuses(ken_str_n("\0\0\0", 3), KEN_EINVAL);
}

KEN_TEST(refuses_deep_nesting)
{
    enum {
        DEPTH = 200000
    };
    char *text = ken_alloc(2 * DEPTH);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    refuses(ken_str_n(text, 2 * DEPTH), KEN_ELIMIT);
    refuses(ken_str_n(text + DEPTH - KEN_JSON_DEPTH_MAX - 1, 2 * (KEN_JSON_DEPTH_MAX + 1)),
            KEN_ELIMIT);
    json_t *v = NULL;
    kt_ok(ken_json_parse(ken_str_n(text + DEPTH - KEN_JSON_DEPTH_MAX, 2 * KEN_JSON_DEPTH_MAX), &v,
                         NULL));
    json_decref(v);
    refuses(ken_str_n(text, DEPTH), KEN_ELIMIT); // never closed
    memset(text, '[', 2 * DEPTH);
    refuses(ken_str_n(text, 2 * DEPTH), KEN_ELIMIT);
    ken_free(text);
}

KEN_TEST(brackets_in_strings_are_not_depth)
{
    char text[400];
    memset(text, '[', sizeof text);
    text[0] = text[sizeof text - 1] = '"';
    json_t *v = NULL;
    kt_ok(ken_json_parse(ken_str_n(text, sizeof text), &v, NULL));
    json_decref(v);
}

KEN_TEST(finds_raw_members)
{
    ken_str t =
        KEN_STR(" { \"a\" : {\"id\":7,\"x\":[1,2]} , \"id\" : 123456789012345678901234567890,"
                " \"s\":\"q\\\"}\", \"t\":true}");
    kt_eq_text(ken_json_find_raw(t, "id"), "123456789012345678901234567890");
    kt_eq_text(ken_json_find_raw(t, "a"), "{\"id\":7,\"x\":[1,2]}");
    kt_eq_text(ken_json_find_raw(t, "s"), "\"q\\\"}\"");
    kt_eq_text(ken_json_find_raw(t, "t"), "true");
    kt_null(ken_json_find_raw(t, "x").ptr);
    kt_eq_text(ken_json_find_raw(ken_json_find_raw(t, "a"), "id"), "7");
}

KEN_TEST(finds_nothing_in_broken_text)
{
    static const char *const texts[] = { "",         "[",         "{",           "{\"id\"",
                                         "{\"id\":", "{\"id\" 1", "{\"id\":\"x", "{\"id\":[1",
                                         "{id:1}",   "{\"a\":1" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        kt_null(ken_json_find_raw(ken_str_c(texts[i]), "id").ptr);
    kt_eq_text(ken_json_find_raw(KEN_STR("{\"id\":5, broken"), "id"), "5");
}

KEN_TEST(peeks_at_the_kind)
{
    kt_eq_i(ken_json_peek(KEN_STR("  [1]")), '[');
    kt_eq_i(ken_json_peek(KEN_STR("-1")), '0');
    kt_eq_i(ken_json_peek(KEN_STR("x")), 0);
    kt_eq_i(ken_json_peek(KEN_STR("")), 0);
    kt_eq_i(ken_json_peek(ken_str_n("\0", 1)), 0);
}

KEN_TEST(reads_by_type)
{
    json_t *v = parse("{\"s\":\"x\",\"n\":7,\"r\":2.0,\"h\":2.5,\"b\":true,\"z\":null,\"m\":-1}");
    ken_err err = { 0 };
    ken_str s = KEN_STR("default");
    uint64_t n = 1;
    bool b = false;
    kt_ok(ken_json_read_str(v, "args", "absent", &s, NULL));
    kt_ok(ken_json_read_str(v, "args", "z", &s, NULL));
    kt_eq_text(s, "default");
    kt_ok(ken_json_read_str(v, "args", "s", &s, NULL));
    kt_eq_text(s, "x");
    kt_ok(ken_json_read_u64(v, "args", "n", &n, NULL));
    kt_eq_u(n, 7);
    kt_ok(ken_json_read_u64(v, "args", "r", &n, NULL));
    kt_eq_u(n, 2);
    kt_ok(ken_json_read_bool(v, "args", "b", &b, NULL));
    kt_true(b);
    kt_status(ken_json_read_u64(v, "args", "h", &n, &err), KEN_EINVAL);
    kt_eq_str(err.msg, "args.h must be a whole number, not a number");
    kt_status(ken_json_read_u64(v, "args", "m", &n, &err), KEN_EINVAL);
    kt_status(ken_json_read_bool(v, "args", "s", &b, &err), KEN_EINVAL);
    kt_eq_str(err.msg, "args.s must be true or false, not a string");
    kt_status(ken_json_read_str(v, "args", "n", &s, &err), KEN_EINVAL);
    kt_eq_u(n, 2);
    json_decref(v);
}
