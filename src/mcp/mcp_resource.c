// SPDX-License-Identifier: MIT
// Resources: the same answers as some tools, under addresses.
//
//   ken://projects                  every project
//   ken://<project>/status          the state of its index
//   ken://<project>/outline/<path>  the symbols of a file
//
// <project> is an id, a name or a path; each part is percent-encoded where it must be.
#include <stdio.h>

#include "mcp/mcp_priv.h"

enum {
    URI_MAX = 8192,
    STATUS_TTL_MS = 0
};

typedef struct address {
    char text[URI_MAX]; // decoded; what follows points into it
    ken_str project, kind, path;
} address;

static int hex_digit(char c)
{
    if (ken_is_digit(c))
        return c - '0';
    c = ken_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Decodes `uri` from *i up to the next '/' (or all the rest) and steps over it. The bytes go to
// *at. ptr NULL when an escape is broken.
static ken_str decode(ken_str uri, size_t *i, bool is_rest, char **at)
{
    char *start = *at;
    while (*i < uri.len && (is_rest || uri.ptr[*i] != '/')) {
        char c = uri.ptr[(*i)++];
        if (c == '%') {
            int high = *i + 1 < uri.len ? hex_digit(uri.ptr[*i]) : -1;
            int low = *i + 1 < uri.len ? hex_digit(uri.ptr[*i + 1]) : -1;
            if (high < 0 || low < 0)
                return (ken_str){ NULL, 0 };
            c = (char)(high * 16 + low);
            *i += 2;
        }
        *(*at)++ = c;
    }
    if (*i < uri.len)
        ++*i;
    return ken_str_n(start, (size_t)(*at - start));
}

static bool parse_address(ken_str uri, address *out)
{
    if (uri.len >= URI_MAX || !ken_str_starts(uri, KEN_STR("ken://")))
        return false;
    char *at = out->text;
    size_t i = 6;
    out->project = decode(uri, &i, false, &at);
    out->kind = decode(uri, &i, false, &at);
    out->path = decode(uri, &i, true, &at);
    return out->project.ptr && out->kind.ptr && out->path.ptr && out->project.len &&
           !memchr(out->text, '\0', (size_t)(at - out->text));
}

// The tool and arguments that answer an address; NULL when there is no such resource.
static const char *tool_of(const address *a, json_t **out_args)
{
    json_t *args = json_object();
    const char *tool = NULL;
    if (ken_str_eq_c(a->project, "projects") && !a->kind.len) {
        tool = "list_projects";
    } else {
        ken_json_set_str(args, "project", a->project);
        if (ken_str_eq_c(a->kind, "status") && !a->path.len)
            tool = "get_repo_status";
        if (ken_str_eq_c(a->kind, "outline") && a->path.len) {
            tool = "outline";
            ken_json_set_str(args, "file_path", a->path);
        }
    }
    *out_args = args;
    return tool;
}

static void answer_absent(const ken_mcp__request *r, ken_str uri, const char *why, ken_buf *out)
{
    ken_buf data = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&data, "{\"uri\":");
    ken_json_put_quoted(&data, ken_str_sub(uri, 0, URI_MAX));
    ken_buf_putc(&data, '}');
    ken_mcp__answer_error(r, r->is_modern ? KEN_MCP__INVALID_PARAMS : KEN_MCP__RESOURCE_NOT_FOUND,
                          why, ken_buf_str(&data), out);
    ken_buf_release(&data);
}

static void put_contents(const ken_mcp__request *r, ken_str uri, const json_t *result, ken_buf *out)
{
    ken_buf text = KEN_BUF_INIT(KEN_MCP_MESSAGE_MAX);
    ken_json_dump(result, &text);
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"contents\":[{\"uri\":");
    ken_json_put_quoted(out, uri);
    ken_buf_puts(out, ",\"mimeType\":\"application/json\",\"text\":");
    ken_json_put_quoted(out, ken_buf_str(&text));
    ken_buf_puts(out, "}]");
    ken_mcp__put_cache_hints(r, STATUS_TTL_MS, "private", out);
    ken_mcp__end_result(out);
    ken_buf_release(&text);
}

void ken_mcp__resources_read(ken_mcp__request *r, ken_buf *out)
{
    const json_t *value = json_object_get(r->msg.params, "uri");
    ken_str uri = ken_json_text(value);
    address a;
    if (!json_is_string(value)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "params.uri must be a string",
                              (ken_str){ NULL, 0 }, out);
        return;
    }
    json_t *args = NULL, *result = NULL;
    const char *tool = parse_address(uri, &a) ? tool_of(&a, &args) : NULL;
    if (!tool) {
        answer_absent(r, uri,
                      "no such resource; resources/list and resources/templates/list show "
                      "what there is",
                      out);
        json_decref(args);
        return;
    }
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ctx.is_reading = true;
    ken_err err = { 0 };
    ken_status st = ken_tool_call(r->server->app, tool, args, &ctx, &result, &err);
    if (st == KEN_ENOTFOUND || st == KEN_EINVAL || st == KEN_EPERM)
        answer_absent(r, uri, err.msg, out);
    else if (st)
        ken_mcp__answer_error(r, KEN_MCP__INTERNAL, err.msg, (ken_str){ NULL, 0 }, out);
    else
        put_contents(r, uri, result, out);
    json_decref(result);
    json_decref(args);
}

static void put_project(const json_t *p, ken_buf *out)
{
    ken_buf title = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&title, "Index status of ");
    ken_buf_put_str(&title, ken_json_text(json_object_get(p, "name")));
    ken_buf_puts(out, ",{\"uri\":\"ken://");
    ken_buf_put_str(out, ken_json_text(json_object_get(p, "id")));
    ken_buf_puts(out, "/status\",\"name\":\"status\",\"title\":");
    ken_json_put_quoted(out, ken_buf_str(&title));
    ken_buf_puts(out, ",\"description\":");
    ken_buf_clear(&title);
    ken_buf_puts(&title, "Commit, counts, languages, skipped files and pending changes of ");
    ken_buf_put_str(&title, ken_json_text(json_object_get(p, "root")));
    ken_json_put_quoted(out, ken_buf_str(&title));
    ken_buf_puts(out, ",\"mimeType\":\"application/json\"}");
    ken_buf_release(&title);
}

void ken_mcp__resources_list(ken_mcp__request *r, ken_buf *out)
{
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ken_err err = { 0 };
    json_t *result = NULL;
    ctx.max_bytes = 1 << 20;
    if (ken_tool_call(r->server->app, "list_projects", NULL, &ctx, &result, &err)) {
        ken_mcp__answer_error(r, KEN_MCP__INTERNAL, err.msg, (ken_str){ NULL, 0 }, out);
        return;
    }
    const json_t *projects = json_object_get(result, "projects");
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"resources\":[{\"uri\":\"ken://projects\",\"name\":\"projects\","
                      "\"title\":\"Projects\",\"description\":\"Every project that ken knows\","
                      "\"mimeType\":\"application/json\"}");
    for (size_t i = 0; i < json_array_size(projects); i++)
        put_project(json_array_get(projects, i), out);
    ken_buf_putc(out, ']');
    ken_mcp__put_cache_hints(r, STATUS_TTL_MS, "private", out);
    ken_mcp__end_result(out);
    json_decref(result);
}

void ken_mcp__resources_templates_list(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"resourceTemplates\":["
                      "{\"uriTemplate\":\"ken://{project}/status\",\"name\":\"status\","
                      "\"title\":\"Index status\",\"description\":\"State of a project's index\","
                      "\"mimeType\":\"application/json\"},"
                      "{\"uriTemplate\":\"ken://{project}/outline/{+path}\",\"name\":\"outline\","
                      "\"title\":\"Outline\",\"description\":\"Symbols of a file\","
                      "\"mimeType\":\"application/json\"}]");
    ken_mcp__put_cache_hints(r, 3600 * 1000, "public", out);
    ken_mcp__end_result(out);
}
