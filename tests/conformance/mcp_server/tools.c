// SPDX-License-Identifier: MIT
// Tools that answer by themselves: every kind of content, errors, logging and progress.
#include <time.h>

#include "fixtures.h"
#include "mcp/mcp_priv.h"

#define IMAGE "{\"type\":\"image\",\"data\":\"" PNG_BASE64 "\",\"mimeType\":\"image/png\"}"

void put_text(ken_buf *out, const char *text)
{
    ken_buf_puts(out, "\"content\":[{\"type\":\"text\",\"text\":");
    ken_json_put_quoted(out, ken_str_c(text));
    ken_buf_puts(out, "}]");
}

int fail_text(ken_buf *out, const char *text)
{
    put_text(out, text);
    ken_buf_puts(out, ",\"isError\":true");
    return 0;
}

ken_str argument(const ken_mcp_call *c, const char *name)
{
    return ken_json_text(json_object_get(ken_json_get_object(c->params, "arguments"), name));
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000 * 1000 }, NULL);
}

static int simple_text(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    put_text(out, "This is a simple text response for testing.");
    return 0;
}

static int image(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    ken_buf_puts(out, "\"content\":[" IMAGE "]");
    return 0;
}

// The head of a sound without samples.
static int audio(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    ken_buf_puts(out, "\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":"
                      "\"UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=\"}]");
    return 0;
}

static int embedded_resource(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    ken_buf_puts(out, "\"content\":[{\"type\":\"resource\",\"resource\":{"
                      "\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
                      "\"text\":\"This is an embedded resource content.\"}}]");
    return 0;
}

static int mixed(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    ken_buf_puts(out,
                 "\"content\":[{\"type\":\"text\",\"text\":\"Multiple content types test:\"}," IMAGE
                 ",{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\","
                 "\"mimeType\":\"application/json\","
                 "\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]");
    return 0;
}

static int error(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    return fail_text(out, "This tool intentionally returns an error for testing");
}

static int logging(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    (void)ken_mcp_call_log(c, KEN_STR("info"), KEN_STR("Tool execution started"));
    wait_a_little();
    (void)ken_mcp_call_log(c, KEN_STR("info"), KEN_STR("Tool processing data"));
    wait_a_little();
    (void)ken_mcp_call_log(c, KEN_STR("info"), KEN_STR("Tool execution completed"));
    put_text(out, "Logged three messages.");
    return 0;
}

static int progress(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    ken_mcp_call_progress(c, 0, 100, "begun");
    wait_a_little();
    ken_mcp_call_progress(c, 50, 100, "half done");
    wait_a_little();
    ken_mcp_call_progress(c, 100, 100, "done");
    put_text(out, "Reported progress three times.");
    return 0;
}

// Switches a tool off and on again, as a person may.
static int tool_change(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    ken_mcp_roster *roster = c->own->server->opts.roster;
    (void)err;
    if (!roster)
        return fail_text(out, "The list of tools cannot be changed.");
    ken_mcp_roster_set_off(roster, KEN_STR("outline"));
    ken_mcp_roster_set_off(roster, KEN_STR(""));
    put_text(out, "Changed the list of tools, and changed it back.");
    return 0;
}

// Takes so long that a stream is begun, whose events say how to come back.
static int reconnection(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    nanosleep(&(struct timespec){ .tv_sec = 7 }, NULL);
    put_text(out, "Answered on the stream.");
    return 0;
}

// Only its schema matters.
static int schema(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    put_text(out, "Taken.");
    return 0;
}

#define SCHEMA_2020_12                                                                            \
    "\"inputSchema\":{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","              \
    "\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\"," \
    "\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"         \
    "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"  \
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"                     \
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"                           \
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"            \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"                           \
    "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"                      \
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

const fixture content_tools[] = {
    { "test_simple_text", "Answers with a text", NULL, simple_text },
    { "test_image_content", "Answers with an image", NULL, image },
    { "test_audio_content", "Answers with a sound", NULL, audio },
    { "test_embedded_resource", "Answers with a resource", NULL, embedded_resource },
    { "test_multiple_content_types", "Answers with text, image and resource", NULL, mixed },
    { "test_error_handling", "Always fails", NULL, error },
    { "test_tool_with_logging", "Logs three messages", NULL, logging },
    { "test_logging_tool", "Logs three messages", NULL, logging },
    { "test_tool_with_progress", "Reports progress three times", NULL, progress },
    { "test_trigger_tool_change", "Changes the list of tools", NULL, tool_change },
    { "test_reconnection", "Takes seven seconds", NULL, reconnection },
    { "json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", SCHEMA_2020_12,
      schema },
    { NULL, NULL, NULL, NULL },
};
