// SPDX-License-Identifier: MIT
// Every kind of bad message, and ids of every kind.
#include "mcp_lab.h"

KEN_TEST(ids_come_back_as_they_came)
{
    static const char *const ids[] = {
        "0",
        "-7",
        "7",
        "\"\"",
        "\"a\"",
        "\"7\"",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "123456789012345678901234567890123456789",
        "-99999999999999999999",
        "\"caf\u00e9 \\\" \\u0000\"",
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lab l;
        char text[400], want[400];
        lab_open(&l);
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
        snprintf(want, sizeof want, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", ids[i]);
        lab_put(&l, text);
        kt_eq_u(lab_n_sent(&l), 1);
        kt_eq_str(l.sent.ptr[0], want);
        lab_close(&l);
    }
}

KEN_TEST(ids_that_are_none)
{
    static const char *const ids[] = { "null", "1.5", "1e3", "true", "[1]", "{}", "-" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
        lab_fails(text, i == 6 ? KEN_MCP__PARSE : KEN_MCP__INVALID_REQUEST, "");
    }
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":0000000000000000000000000001,\"method\":\"ping\"}",
              KEN_MCP__PARSE, "");
    char big[4000];
    memset(big, '1', sizeof big);
    memcpy(big, "{\"jsonrpc\":\"2.0\",\"id\":", 22);
    memcpy(big + 3000, ",\"method\":\"ping\"}", 18);
    lab_fails(big, KEN_MCP__INVALID_REQUEST, "");
}

KEN_TEST(text_that_is_no_json)
{
    lab_fails("hello", KEN_MCP__PARSE, "");
    lab_fails("{", KEN_MCP__PARSE, "");
    lab_fails("\"", KEN_MCP__PARSE, "");
    lab_fails("GET / HTTP/1.1", KEN_MCP__PARSE, "");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", KEN_MCP__PARSE, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", KEN_MCP__PARSE, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", KEN_MCP__PARSE, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}",
              KEN_MCP__PARSE, "3");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"a\":\"\\ud800\"}}",
              KEN_MCP__PARSE, "3");
}

KEN_TEST(numbers_of_any_size_are_json)
{
    json_t *v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\","
                        "\"params\":{\"a\":99999999999999999999,\"b\":-1e400}}");
    kt_not_null(json_object_get(v, "result"));
    json_decref(v);
    v = lab_ask("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
                "\"name\":\"echo\",\"arguments\":{\"a\":99999999999999999999}}}");
    const json_t *r = json_object_get(v, "result");
    kt_true(json_is_true(json_object_get(r, "isError")));
    const json_t *text = json_object_get(json_array_get(json_object_get(r, "content"), 0), "text");
    kt_has_str(json_string_value(text), "args.a: 1e20 is not of type string");
    json_decref(v);
}

KEN_TEST(nul_and_binary_bytes)
{
    lab l;
    lab_open(&l);
    static const char nul[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\0\"method\":\"ping\"}";
    ken_mcp_session_receive(l.session, ken_str_n(nul, sizeof nul - 1), NULL);
    char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (char)(255 - i);
    ken_mcp_session_receive(l.session, ken_str_n(all, sizeof all), NULL);
    ken_mcp_session_receive(l.session, ken_str_n("\0\0\0\0", 4), NULL);
    for (size_t i = 0; i < 3; i++) {
        json_t *v = lab_take(&l, i);
        kt_eq_i(lab_code(v), KEN_MCP__PARSE);
        json_decref(v);
    }
    lab_close(&l);
}

KEN_TEST(json_that_is_no_message)
{
    lab_fails("[]", KEN_MCP__INVALID_REQUEST, "");
    lab_fails("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", KEN_MCP__INVALID_REQUEST, "");
    lab_fails("7", KEN_MCP__INVALID_REQUEST, "");
    lab_fails("\"ping\"", KEN_MCP__INVALID_REQUEST, "");
    lab_fails("null", KEN_MCP__INVALID_REQUEST, "");
    lab_fails("{}", KEN_MCP__INVALID_REQUEST, "");
    lab_fails("{\"id\":1,\"method\":\"ping\"}", KEN_MCP__INVALID_REQUEST, "1");
    lab_fails("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", KEN_MCP__INVALID_REQUEST, "1");
    lab_fails("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", KEN_MCP__INVALID_REQUEST, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1}", KEN_MCP__INVALID_REQUEST, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", KEN_MCP__INVALID_REQUEST, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
              KEN_MCP__INVALID_PARAMS, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", KEN_MCP__METHOD_NOT_FOUND, "1");
    lab_fails("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", KEN_MCP__METHOD_NOT_FOUND,
              "1");
}

KEN_TEST(deep_nesting_is_refused)
{
    enum {
        DEPTH = 100000
    };
    char *text = ken_alloc(2 * DEPTH + 200);
    size_t n = (size_t)snprintf(text, 100,
                                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\","
                                "\"params\":{\"a\":");
    memset(text + n, '[', DEPTH);
    memset(text + n + DEPTH, ']', DEPTH);
    memcpy(text + n + 2 * DEPTH, "}}", 3);
    lab_fails(text, KEN_MCP__INVALID_REQUEST, "5");
    ken_free(text);
}

KEN_TEST(a_message_of_a_megabyte_is_fine)
{
    enum {
        SIZE = 1 << 20
    };
    char *text = ken_alloc(SIZE + 200);
    size_t n = (size_t)snprintf(text, 200,
                                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\","
                                "\"params\":{\"name\":\"echo\",\"arguments\":{\"a\":\"");
    memset(text + n, 'x', SIZE);
    memcpy(text + n + SIZE, "\"}}}", 5);
    json_t *v = lab_ask(text);
    const json_t *result = json_object_get(v, "result");
    kt_eq_u(ken_json_text(json_object_get(json_object_get(result, "structuredContent"), "a")).len,
            SIZE);
    json_decref(v);
    ken_free(text);
}

KEN_TEST(what_needs_no_answer_gets_none)
{
    lab_ignores("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no_such\",\"params\":{}}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\"}}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                "\"params\":{\"requestId\":{}}}");
    lab_ignores("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                "\"params\":{\"requestId\":99}}");
}
