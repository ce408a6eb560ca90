// SPDX-License-Identifier: MIT
// Resources, one template, and what may be subscribed to.
#include "fixtures.h"

#define TEMPLATE_BEGIN "test://template/"
#define TEMPLATE_END   "/data"
#define WATCHED        "test://watched-resource"

static int contents(const ken_mcp_call *c, const char *type, const char *member, ken_str value,
                    ken_buf *out)
{
    ken_buf_puts(out, "\"contents\":[{\"uri\":");
    ken_json_put_quoted(out, ken_json_text(json_object_get(c->params, "uri")));
    ken_buf_printf(out, ",\"mimeType\":\"%s\",\"%s\":", type, member);
    ken_json_put_quoted(out, value);
    ken_buf_puts(out, "}]");
    if (c->is_modern)
        ken_buf_puts(out, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    return 0;
}

static int text(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    return contents(c, "text/plain", "text",
                    KEN_STR("This is the content of the static text resource."), out);
}

static int binary(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    return contents(c, "image/png", "blob", KEN_STR(PNG_BASE64), out);
}

static int watched(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    return contents(c, "text/plain", "text", KEN_STR("Watched resource content."), out);
}

// What stands for {id}; empty when it is not the template's address.
static ken_str template_id(ken_str uri)
{
    ken_str begin = KEN_STR(TEMPLATE_BEGIN), end = KEN_STR(TEMPLATE_END);
    if (!ken_str_starts(uri, begin) || !ken_str_ends(uri, end))
        return KEN_STR("");
    ken_str id = ken_str_sub(uri, begin.len, uri.len - end.len);
    return ken_str_find_char(id, '/') == SIZE_MAX ? id : KEN_STR("");
}

static int templated(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    (void)err;
    ken_str id = template_id(ken_json_text(json_object_get(c->params, "uri")));
    json_t *data = json_object();
    ken_buf about = KEN_BUF_INIT(16 * 1024), all = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&about, "Data for ID: ");
    ken_buf_put_str(&about, id);
    ken_json_set_str(data, "id", id);
    ken_json_set_bool(data, "templateTest", true);
    ken_json_set_str(data, "data", ken_buf_str(&about));
    ken_json_dump(data, &all);
    (void)contents(c, "application/json", "text", ken_buf_str(&all), out);
    json_decref(data);
    ken_buf_release(&about);
    ken_buf_release(&all);
    return 0;
}

const fixture resources[] = {
    { "test://static-text", "A text that stays", "\"mimeType\":\"text/plain\"", text },
    { "test://static-binary", "An image that stays", "\"mimeType\":\"image/png\"", binary },
    { WATCHED, "A text that may be subscribed to", "\"mimeType\":\"text/plain\"", watched },
    { NULL, NULL, NULL, NULL },
};

const fixture templates[] = {
    { TEMPLATE_BEGIN "{id}" TEMPLATE_END, "Data by number", "\"mimeType\":\"application/json\"",
      templated },
    { NULL, NULL, NULL, NULL },
};

const fixture *find_resource(ken_str uri)
{
    for (const fixture *f = resources; f->name; f++)
        if (ken_str_eq_c(uri, f->name))
            return f;
    return template_id(uri).len ? templates : NULL;
}

bool is_watched(ken_str uri)
{
    return ken_str_eq_c(uri, WATCHED);
}
