// SPDX-License-Identifier: MIT
// Prompts, and the completion of their arguments.
#include "fixtures.h"

#define MESSAGE(content) "{\"role\":\"user\",\"content\":" content "}"
#define WORDS(words)     MESSAGE("{\"type\":\"text\",\"text\":\"" words "\"}")

static int simple(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    ken_buf_puts(out, "\"messages\":[" WORDS("This is a simple prompt for testing.") "]");
    return 0;
}

static int with_arguments(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    ken_str one = argument(c, "arg1"), two = argument(c, "arg2");
    ken_buf words = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(&words, "Prompt with arguments: arg1='" KEN_STR_FMT "', arg2='" KEN_STR_FMT "'",
                   KEN_STR_ARG(one), KEN_STR_ARG(two));
    ken_buf_puts(out, "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    ken_json_put_quoted(out, ken_buf_str(&words));
    ken_buf_puts(out, "}}]");
    ken_buf_release(&words);
    return 0;
}

static int with_resource(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    ken_buf_puts(out, "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\","
                      "\"resource\":{\"uri\":");
    ken_json_put_quoted(out, argument(c, "resourceUri"));
    ken_buf_puts(out, ",\"mimeType\":\"text/plain\","
                      "\"text\":\"Embedded resource content for testing.\"}}}," WORDS(
                          "Please process the embedded resource above.") "]");
    return 0;
}

static int with_image(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)c;
    (void)err;
    ken_buf_puts(
        out,
        "\"messages\":[" MESSAGE(
            "{\"type\":\"image\",\"data\":\"" PNG_BASE64
            "\",\"mimeType\":\"image/png\"}") "," WORDS("Please analyze the image above.") "]");
    return 0;
}

#define ARGUMENT(name, text) \
    "{\"name\":\"" name "\",\"description\":\"" text "\",\"required\":true}"

const fixture prompts[] = {
    { "test_simple_prompt", "A prompt without arguments", NULL, simple },
    { "test_prompt_with_arguments", "A prompt with two arguments",
      "\"arguments\":[" ARGUMENT("arg1", "First test argument") "," ARGUMENT(
          "arg2", "Second test argument") "]",
      with_arguments },
    { "test_prompt_with_embedded_resource", "A prompt with a resource",
      "\"arguments\":[" ARGUMENT("resourceUri", "URI of the resource to embed") "]",
      with_resource },
    { "test_prompt_with_image", "A prompt with an image", NULL, with_image },
    { NULL, NULL, NULL, NULL },
};

bool is_completed(const ken_mcp_call *c)
{
    const json_t *ref = ken_json_get_object(c->params, "ref");
    return ken_str_eq_c(ken_json_text(json_object_get(ref, "name")),
                        "test_prompt_with_arguments") ||
           ken_str_eq_c(ken_json_text(json_object_get(ref, "uri")), templates->name);
}
