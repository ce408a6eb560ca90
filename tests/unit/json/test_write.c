// SPDX-License-Identifier: MIT
// Whatever goes in, what comes out is valid JSON in valid UTF-8.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "json/json.h"
#include "ktest.h"

static void dumps_as(json_t *v, const char *want)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_json_dump(v, &b);
    kt_eq_text(ken_buf_str(&b), want);
    kt_eq_u(ken_json_dump_size(v), b.len);
    ken_buf_release(&b);
    json_decref(v);
}

KEN_TEST(dumps_compact_and_in_order)
{
    json_t *v = json_object();
    ken_json_set_str(v, "z", KEN_STR("x\"\n"));
    ken_json_set_u64(v, "a", UINT64_MAX);
    ken_json_set_bool(v, "b", true);
    ken_json_set_real(v, "r", 0.82);
    ken_json_set_real(v, "nan", (double)NAN);
    ken_json_set_time(v, "t", 0);
    ken_json_set_time(v, "u", 1000);
    json_t *list = json_array();
    ken_json_append(list, json_integer(1));
    ken_json_set(v, "l", list);
    ken_json_set(v, "n", NULL);
    dumps_as(v, "{\"z\":\"x\\\"\\n\",\"a\":9223372036854775807,\"b\":true,\"r\":0.82,\"nan\":null,"
                "\"t\":null,\"u\":\"1970-01-01T00:00:01Z\",\"l\":[1],\"n\":null}");
}

KEN_TEST(repairs_broken_utf8)
{
    dumps_as(ken_json_str(KEN_STR("a\xff"
                                  "b")),
             "\"a\uFFFDb\"");
    dumps_as(ken_json_str(ken_str_n("a\0b", 3)), "\"a\\u0000b\"");
    dumps_as(ken_json_str((ken_str){ NULL, 0 }), "\"\"");
    dumps_as(ken_json_str(KEN_STR("\xed\xa0\x80")), "\"\uFFFD\uFFFD\uFFFD\"");
}

// What Jansson's own writer makes of a value.
static void dumps_like_jansson(const char *text)
{
    json_t *v = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    kt_not_null(v);
    char *want = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    kt_not_null(want);
    dumps_as(v, want);
    ken_free(want);
}

KEN_TEST(dumps_what_jansson_dumps)
{
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-9223372036854775808",
        "9223372036854775807",
        "0.0",
        "-1.5e-9",
        "1e300",
        "123456.789",
        "1234567.0",
        "{}",
        "[]",
        "[[],{},[[]],\"\"]",
        "{\"b\":1,\"a\":[true,false,null,{\"\":\"\"}],\"\\n\":0.5}",
        "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/\\u007f\\u0080\\u2028\\ud83d\\ude00\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        dumps_like_jansson(texts[i]);
}

KEN_TEST(quotes_like_the_dump)
{
    char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    ken_buf b = KEN_BUF_INIT(0);
    ken_json_put_quoted(&b, ken_str_n(all, sizeof all));
    kt_true(ken_utf8_is_valid(ken_buf_str(&b)));
    json_t *back = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_buf_str(&b), &back, &err), &err);
    json_t *same = ken_json_str(ken_str_n(all, sizeof all));
    kt_true(json_equal(back, same));
    json_decref(same);
    json_decref(back);
    ken_buf_clear(&b);
    ken_json_put_quoted(&b, (ken_str){ NULL, 0 });
    kt_eq_text(ken_buf_str(&b), "\"\"");
    ken_buf_clear(&b);
    ken_json_put_quoted(&b, KEN_STR("plain \u00e9 \U0001F600"));
    kt_eq_text(ken_buf_str(&b), "\"plain \u00e9 \U0001F600\"");
    ken_buf_release(&b);
}
