// SPDX-License-Identifier: MIT
// The subset of JSON Schema that tools use.
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "ktest.h"

static const char *const schema_text =
    "{\"type\":\"object\",\"properties\":{"
    "\"query\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5},"
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50},"
    "\"ratio\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1},"
    "\"mode\":{\"type\":\"string\",\"enum\":[\"text\",\"regex\"]},"
    "\"flag\":{\"type\":\"boolean\"},"
    "\"max_results\":{\"type\":\"integer\"},"
    "\"list\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":2},"
    "\"either\":{\"type\":[\"string\",\"null\"]}"
    "},\"required\":[\"query\"],\"additionalProperties\":false}";

static json_t *load(const char *text)
{
    json_t *v = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_str_c(text), &v, &err), &err);
    return v;
}

static void check(const char *value, const char *want_message)
{
    json_t *schema = load(schema_text), *v = load(value);
    ken_err err = { 0 };
    ken_status st = ken_json_check(schema, v, "args", &err);
    json_decref(schema);
    json_decref(v);
    if (!want_message) {
        kt_ok_err(st, &err);
        return;
    }
    kt_status(st, KEN_EINVAL);
    kt_eq_str(err.msg, want_message);
}

KEN_TEST(accepts_what_fits)
{
    check("{\"query\":\"x\"}", NULL);
    check(
        "{\"query\":\"\u00e9\u00e9\u00e9\u00e9\u00e9\",\"limit\":50,\"ratio\":0.5,\"mode\":\"text\","
        "\"flag\":false,\"list\":[\"a\"],\"either\":null}",
        NULL);
    check("{\"query\":\"x\",\"limit\":10.0}", NULL);
}

KEN_TEST(names_the_place_and_the_rule)
{
    check("{}", "args.query is required");
    check("[]", "args: [] is not of type object");
    check("{\"query\":\"\"}", "args.query must not be empty");
    check("{\"query\":\"123456\"}", "args.query: 6 characters are more than 5");
    check("{\"query\":\"x\",\"limit\":99}", "args.limit: 99 is over 50");
    check("{\"query\":\"x\",\"limit\":0}", "args.limit: 0 is under 1");
    check("{\"query\":\"x\",\"limit\":1.5}", "args.limit: 1.5 is not of type integer");
    check("{\"query\":\"x\",\"limit\":\"5\"}", "args.limit: \"5\" is not of type integer");
    check("{\"query\":\"x\",\"mode\":\"fuzzy\"}", "args.mode: \"fuzzy\" is none of text, regex");
    check("{\"query\":\"x\",\"flag\":1}", "args.flag: 1 is not of type boolean");
    check("{\"query\":\"x\",\"list\":[1]}", "args.list[0]: 1 is not of type string");
    check("{\"query\":\"x\",\"list\":[\"a\",\"b\",\"c\"]}", "args.list: 3 items are more than 2");
    check("{\"query\":\"x\",\"either\":1}", "args.either: 1 has the wrong type");
    check("{\"query\":null}", "args.query: null is not of type string");
}

KEN_TEST(suggests_the_nearest_name)
{
    check("{\"qeury\":\"x\"}", "args: unknown name 'qeury'; did you mean 'query'?");
    check("{\"query\":\"x\",\"maxResults\":1}",
          "args: unknown name 'maxResults'; did you mean 'max_results'?");
    check("{\"query\":\"x\",\"results\":1}",
          "args: unknown name 'results'; did you mean 'max_results'?");
    check("{\"query\":\"x\",\"zzzzzzzz\":1}",
          "args: unknown name 'zzzzzzzz'; known are query, limit, ratio, mode, flag, max_results, "
          "list, either");
}

KEN_TEST(long_values_are_cut_in_messages)
{
    char text[4000], *p = text;
    p += snprintf(p, 40, "{\"query\":\"x\",\"mode\":\"");
    for (int i = 0; i < 1000; i++)
        p += snprintf(p, 4, "\u00e9");
    snprintf(p, 4, "\"}");
    json_t *schema = load(schema_text), *v = load(text);
    ken_err err = { 0 };
    kt_status(ken_json_check(schema, v, "args", &err), KEN_EINVAL);
    kt_true(strlen(err.msg) < 120);
    json_decref(schema);
    json_decref(v);
}

KEN_TEST(a_schema_may_use_only_what_is_checked)
{
    json_t *good = load(schema_text);
    kt_ok(ken_json_check_schema(good, "schema", NULL));
    json_decref(good);
    static const char *const bad[] = {
        "{\"pattern\":\"x\"}",
        "{\"properties\":{\"a\":{\"oneOf\":[]}}}",
        "{\"items\":{\"format\":\"uri\"}}",
        "{\"additionalProperties\":{}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *v = load(bad[i]);
        kt_status(ken_json_check_schema(v, "schema", NULL), KEN_EUNSUPPORTED);
        json_decref(v);
    }
}
