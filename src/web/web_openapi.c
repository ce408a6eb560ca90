// SPDX-License-Identifier: MIT
// The OpenAPI document of the API, made of the specifications of the operations, and the reference page.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "embed_pages.h"
#include "web/web_priv.h"

enum {
    PAGE_MAX = 8 * 1024 * 1024,
};

static ken_str page_file(const char *name)
{
    for (size_t i = 0; i < ken_embed_pages_count; i++)
        if (!strcmp(ken_embed_pages_table[i].path, name))
            return ken_str_n((const char *)ken_embed_pages_table[i].data,
                             ken_embed_pages_table[i].len);
    return KEN_STR("");
}

// ---- the document ------------------------------------------------------------------------------

static json_t *reference_to(const char *kind, const char *name)
{
    char path[160];
    json_t *o = json_object();
    snprintf(path, sizeof path, "#/components/%s/%s", kind, name);
    json_object_set_new(o, "$ref", json_string(path));
    return o;
}

static json_t *content_of(json_t *schema)
{
    json_t *content = json_object(), *type = json_object();
    json_object_set_new(type, "schema", schema);
    json_object_set_new(content, "application/json", type);
    return content;
}

static json_t *responses(const char *answer, bool is_get)
{
    json_t *all = json_object(), *ok = json_object();
    json_object_set_new(ok, "description", json_string("The answer"));
    json_object_set_new(ok, "content", content_of(reference_to("schemas", answer)));
    json_object_set_new(all, "200", ok);
    if (is_get)
        json_object_set_new(all, "304", reference_to("responses", "NotModified"));
    json_object_set_new(all, "default", reference_to("responses", "Problem"));
    return all;
}

// "search_code", "Answer" → "SearchCodeAnswer"
static void schema_name(const char *operation, const char *what, char *out, size_t room)
{
    size_t n = 0;
    bool is_first = true;
    for (; *operation && n + 1 < room; operation++) {
        if (*operation == '_') {
            is_first = true;
            continue;
        }
        out[n++] = is_first ? (char)toupper((unsigned char)*operation) : *operation;
        is_first = false;
    }
    snprintf(out + n, room - n, "%s", what);
}

static json_t *operation_of(const ken_tool_spec *spec, const json_t *api, const char *suffix)
{
    json_t *o = json_object(), *tags = json_array();
    char id[128];
    snprintf(id, sizeof id, "%s%s", spec->name, suffix);
    json_object_set_new(o, "operationId", json_string(id));
    json_object_set(o, "summary", json_object_get(api, "title"));
    json_object_set(o, "description", json_object_get(api, "description"));
    json_array_append_new(tags, json_string(*spec->set ? spec->set : "lists"));
    json_object_set_new(o, "tags", tags);
    return o;
}

static bool is_required(const json_t *schema, const char *name)
{
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!strcmp(json_string_value(json_array_get(required, i)), name))
            return true;
    return false;
}

static json_t *query_parameters(json_t *schema)
{
    json_t *all = json_array(), *value;
    const char *name;
    json_object_foreach(json_object_get(schema, "properties"), name, value)
    {
        json_t *p = json_object();
        json_object_set_new(p, "name", json_string(name));
        json_object_set_new(p, "in", json_string("query"));
        if (is_required(schema, name))
            json_object_set_new(p, "required", json_true());
        if (json_object_get(value, "description"))
            json_object_set(p, "description", json_object_get(value, "description"));
        json_object_set(p, "schema", value);
        json_array_append_new(all, p);
    }
    return all;
}

// Of a body: a default makes some generators of clients demand the member.
static json_t *without_defaults(const json_t *schema)
{
    json_t *copy = json_deep_copy(schema), *value;
    const char *name;
    json_object_foreach(json_object_get(copy, "properties"), name, value)
        json_object_del(value, "default");
    return copy;
}

static void put_operation(const ken_tool_spec *spec, json_t *paths, json_t *schemas)
{
    char path[128], arguments[128], answer[128];
    json_t *api = NULL, *item = json_object();
    ken_err err;
    if (ken_json_parse(ken_str_c(spec->api), &api, &err)) {
        json_decref(item);
        return;
    }
    json_t *schema = json_object_get(api, "arguments");
    schema_name(spec->name, "Arguments", arguments, sizeof arguments);
    // An answer that is one of the shared shapes goes by that name.
    const json_t *shared = json_object_get(json_object_get(api, "answer"), "$ref");
    schema_name(spec->name, "Answer", answer, sizeof answer);
    if (shared)
        snprintf(answer, sizeof answer, "%.100s", strrchr(json_string_value(shared), '/') + 1);
    else
        json_object_set(schemas, answer, json_object_get(api, "answer"));
    json_object_set_new(schemas, arguments, without_defaults(schema));
    json_t *post = operation_of(spec, api, ""), *body = json_object();
    json_object_set_new(body, "content", content_of(reference_to("schemas", arguments)));
    if (json_array_size(json_object_get(schema, "required")))
        json_object_set_new(body, "required", json_true());
    json_object_set_new(post, "requestBody", body);
    json_object_set_new(post, "responses", responses(answer, false));
    json_object_set_new(item, "post", post);
    if (spec->is_read_only) {
        json_t *get = operation_of(spec, api, "_get");
        json_object_set_new(get, "parameters", query_parameters(schema));
        json_object_set_new(get, "responses", responses(answer, true));
        json_object_set_new(item, "get", get);
    }
    snprintf(path, sizeof path, "/api/v1/%s", spec->name);
    json_object_set_new(paths, path, item);
    json_decref(api);
}

static json_t *make_document(const char *version)
{
    json_t *doc = NULL;
    ken_err err;
    if (ken_json_parse(page_file("openapi.json"), &doc, &err))
        return json_object();
    json_t *paths = json_object_get(doc, "paths");
    json_t *schemas = json_object_get(json_object_get(doc, "components"), "schemas");
    json_object_set_new(json_object_get(doc, "info"), "version", json_string(version));
    json_t *shared = NULL;
    if (!ken_json_parse(ken_str_c(ken_tool_shared_answers), &shared, &err))
        json_object_update(schemas, shared);
    json_decref(shared);
    const ken_tool_spec *spec;
    for (size_t i = 0; (spec = ken_tool_spec_at(i)); i++)
        put_operation(spec, paths, schemas);
    return doc;
}

static void get_openapi(void *ctx, ken_httpd_request *r)
{
    const ken_web *w = ctx;
    ken_web__answer_json(r, 200, make_document(w->opts.version));
}

// ---- the page ----------------------------------------------------------------------------------

static void put_text(ken_buf *out, const char *text)
{
    for (; text && *text; text++) {
        const char *escaped = *text == '<'   ? "&lt;"
                              : *text == '>' ? "&gt;"
                              : *text == '&' ? "&amp;"
                              : *text == '"' ? "&quot;"
                                             : NULL;
        if (escaped)
            ken_buf_puts(out, escaped);
        else
            ken_buf_putc(out, *text);
    }
}

static void put_parameter(ken_buf *out, const json_t *schema, const char *name, const json_t *value)
{
    const json_t *type = json_object_get(value, "type"),
                 *fallback = json_object_get(value, "default");
    ken_buf_puts(out, "<tr><td><code>");
    put_text(out, name);
    ken_buf_printf(out, "</code>%s</td><td class=dim>", is_required(schema, name) ? " *" : "");
    put_text(out, json_is_string(type) ? json_string_value(type) : "any");
    ken_buf_puts(out, "</td><td>");
    put_text(out, json_string_value(json_object_get(value, "description")));
    if (fallback) {
        ken_buf text = KEN_BUF_INIT(4096);
        ken_json_dump(fallback, &text);
        ken_buf_puts(out, " <span class=dim>(default ");
        put_text(out, text.ptr);
        ken_buf_puts(out, ")</span>");
        ken_buf_release(&text);
    }
    ken_buf_puts(out, "</td></tr>\n");
}

static void put_section(ken_buf *out, const char *path, const json_t *item, const json_t *schemas)
{
    const json_t *post = json_object_get(item, "post"), *get = json_object_get(item, "get");
    const json_t *op = post ? post : get;
    const char *name, *id = json_string_value(json_object_get(op, "operationId"));
    char key[128];
    schema_name(id, "Arguments", key, sizeof key);
    json_t *schema = json_object_get(schemas, key), *value;
    ken_buf_puts(out, "<section id=\"");
    put_text(out, id);
    ken_buf_printf(out, "\"><h2><code>%s%s%s ", post ? "POST" : "", post && get ? ", " : "",
                   get ? "GET" : "");
    put_text(out, path);
    ken_buf_puts(out, "</code></h2><p><b>");
    put_text(out, json_string_value(json_object_get(op, "summary")));
    ken_buf_puts(out, "</b>. ");
    put_text(out, json_string_value(json_object_get(op, "description")));
    ken_buf_puts(out, "</p>\n");
    if (json_object_size(json_object_get(schema, "properties"))) {
        ken_buf_puts(out, "<table>");
        json_object_foreach(json_object_get(schema, "properties"), name, value)
            put_parameter(out, schema, name, value);
        ken_buf_puts(out, "</table>");
    }
    ken_buf_puts(out, "</section>\n");
}

static void get_reference(void *ctx, ken_httpd_request *r)
{
    const ken_web *w = ctx;
    static const ken_httpd_field fields[] = {
        { "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" },
        { "X-Content-Type-Options", "nosniff" },
        { "Cache-Control", "no-cache" },
    };
    json_t *doc = make_document(w->opts.version), *item;
    const json_t *schemas = json_object_get(json_object_get(doc, "components"), "schemas");
    const char *path;
    ken_buf page = KEN_BUF_INIT(PAGE_MAX);
    ken_buf_puts(&page,
                 "<!doctype html><html lang=en><meta charset=utf-8><title>ken: API</title><style>");
    ken_buf_put_str(&page, page_file("reference.css"));
    ken_buf_puts(&page, "</style><h1>API of ken ");
    put_text(&page, w->opts.version);
    ken_buf_puts(&page, "</h1><p>");
    put_text(&page,
             json_string_value(json_object_get(json_object_get(doc, "info"), "description")));
    ken_buf_puts(
        &page,
        " A star marks what must be given. <a href=\"openapi.json\">OpenAPI document</a>.</p>\n");
    json_object_foreach(json_object_get(doc, "paths"), path, item)
        put_section(&page, path, item, schemas);
    json_decref(doc);
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = 200,
                                                  .type = "text/html; charset=utf-8",
                                                  .body = ken_buf_str(&page),
                                                  .may_compress = true,
                                                  .fields = fields,
                                                  .n_fields = 3 });
    ken_buf_release(&page);
}

void ken_web__add_openapi(ken_web *w)
{
    ken_web__add_route(w, "GET", "/api/v1/openapi.json", get_openapi, 0);
    ken_web__add_route(w, "GET", "/api/v1/reference", get_reference, 0);
}
