// SPDX-License-Identifier: MIT
// Tools that ask the client while they run: sampling and elicitation of the legacy era.
#include "fixtures.h"

static int tell_answer(const char *prefix, const json_t *answer, ken_buf *out)
{
    ken_buf text = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&text, prefix);
    ken_json_dump(answer, &text);
    put_text(out, text.ptr);
    ken_buf_release(&text);
    return 0;
}

static int ask(ken_mcp_call *c, const char *capability, const char *method, ken_str params,
               const char *prefix, ken_buf *out, ken_err *err)
{
    json_t *answer = NULL;
    if (ken_mcp_call_ask(c, capability, method, params, &answer, err))
        return fail_text(out, err->msg);
    (void)tell_answer(prefix, answer, out);
    json_decref(answer);
    return 0;
}

static int elicit(ken_mcp_call *c, ken_str params, const char *prefix, ken_buf *out, ken_err *err)
{
    return ask(c, "elicitation", "elicitation/create", params, prefix, out, err);
}

static int sampling(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    ken_buf params = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&params,
                 "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    ken_json_put_quoted(&params, argument(c, "prompt"));
    ken_buf_puts(&params, "}}],\"maxTokens\":100}");
    int code = ask(c, "sampling", "sampling/createMessage", ken_buf_str(&params),
                   "LLM response: ", out, err);
    ken_buf_release(&params);
    return code;
}

static int elicitation(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    ken_buf params = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&params, "{\"message\":");
    ken_json_put_quoted(&params, argument(c, "message"));
    ken_buf_puts(&params,
                 ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                 "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
                 "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
                 "\"required\":[\"username\",\"email\"]}}");
    int code = elicit(c, ken_buf_str(&params), "User response: ", out, err);
    ken_buf_release(&params);
    return code;
}

static int defaults(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    static const char params[] =
        "{\"message\":\"Please review these values\",\"requestedSchema\":{\"type\":\"object\","
        "\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
        "\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.5},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
        "\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}}}}";
    return elicit(c, ken_str_c(params), "Elicitation completed: ", out, err);
}

#define UNTITLED "\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]"
#define TITLED(what)                                        \
    "[{\"const\":\"value1\",\"title\":\"First " what "\"}," \
    "{\"const\":\"value2\",\"title\":\"Second " what "\"}," \
    "{\"const\":\"value3\",\"title\":\"Third " what "\"}]"

static int enums(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    static const char params[] =
        "{\"message\":\"Please choose\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
        "\"untitledSingle\":{" UNTITLED "},"
        "\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLED(
            "Option") "},"
                      "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
                      "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
                      "\"untitledMulti\":{\"type\":\"array\",\"items\":{" UNTITLED "}},"
                      "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":" TITLED(
                          "Choice") "}}}}}";
    return elicit(c, ken_str_c(params), "Elicitation completed: ", out, err);
}

#define ONE_STRING(name, text)                                                                \
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"string\"," \
    "\"description\":\"" text "\"}},\"required\":[\"" name "\"]}"

const fixture asking_tools[] = {
    { "test_sampling", "Asks the client's model",
      ONE_STRING("prompt", "The prompt to send to the LLM"), sampling },
    { "test_elicitation", "Asks the user", ONE_STRING("message", "The message to show the user"),
      elicitation },
    { "test_elicitation_sep1034_defaults", "Asks the user, with defaults", NULL, defaults },
    { "test_elicitation_sep1330_enums", "Asks the user to choose", NULL, enums },
    { NULL, NULL, NULL, NULL },
};
