// SPDX-License-Identifier: MIT
// Resources: the same answers as some tools, and files, under addresses.
//
//   ken://projects                  every project
//   ken://<project>/status          the state of its index
//   ken://<project>/architecture    its parts and how they depend on each other
//   ken://<project>/outline/<path>  the symbols of a file
//   ken://<project>/file/<path>     its text, secrets masked
//
// <project> is an id, a name or a path; each part is percent-encoded where it must be.
#include <stdio.h>

#include "base/escape.h"
#include "mcp/mcp_priv.h"

enum {
    URI_MAX = 8192,
    STATUS_TTL_MS = 0
};

typedef struct address {
    char text[URI_MAX]; // decoded; what follows points into it
    ken_str project, kind, path;
} address;

// Decodes `uri` from *i up to the next '/' (or all the rest) and steps over it. The bytes go to
// *at. ptr NULL when an escape is broken.
static ken_str decode(ken_str uri, size_t *i, bool is_rest, char **at)
{
    char *start = *at;
    while (*i < uri.len && (is_rest || uri.ptr[*i] != '/')) {
        char c = uri.ptr[(*i)++];
        if (c == '%') {
            if (!ken_percent_at(uri, *i - 1, &c))
                return (ken_str){ NULL, 0 };
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

uint64_t ken_mcp__resource_state(ken_mcp_server *s, ken_str project, ken_str uri)
{
    address a;
    uint64_t state = 0;
    ken_err err;
    const ken_tool_ctx ctx = { .project = project, .is_reading = true };
    if (!parse_address(uri, &a))
        return 0;
    bool is_file = ken_str_eq_c(a.kind, "file") || ken_str_eq_c(a.kind, "outline");
    ken_status st =
        ken_str_eq_c(a.project, "projects") && !a.kind.len
            ? ken_tool_projects_state(s->app, &state, &err)
            : ken_tool_state(s->app, a.project, is_file ? a.path : KEN_STR(""), &ctx, &state, &err);
    return st ? 0 : state + 1;
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
        if (ken_str_eq_c(a->kind, "architecture") && !a->path.len)
            tool = "get_architecture";
        if (ken_str_eq_c(a->kind, "outline") && a->path.len) {
            tool = "outline";
            ken_json_set_str(args, "file_path", a->path);
        }
    }
    *out_args = args;
    return tool;
}

bool ken_mcp__resource_is_ours(ken_str uri)
{
    address a;
    json_t *args = NULL;
    bool is_ours = parse_address(uri, &a) &&
                   (tool_of(&a, &args) || (ken_str_eq_c(a.kind, "file") && a.path.len));
    json_decref(args);
    return is_ours;
}

ken_str ken_mcp__resource_project(ken_str uri, ken_arena *arena)
{
    address a;
    bool has_project = parse_address(uri, &a) && a.kind.len;
    return has_project ? ken_arena_dup(arena, a.project) : (ken_str){ NULL, 0 };
}

static void answer_absent(ken_mcp__request *r, ken_str uri, const char *why, ken_buf *out)
{
    ken_buf data = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&data, "{\"uri\":");
    ken_json_put_quoted(&data, ken_str_sub(uri, 0, URI_MAX));
    ken_buf_putc(&data, '}');
    ken_mcp__answer_error(r, r->is_modern ? KEN_MCP__INVALID_PARAMS : KEN_MCP__RESOURCE_NOT_FOUND,
                          why, ken_buf_str(&data), out);
    ken_buf_release(&data);
}

static void put_contents(const ken_mcp__request *r, ken_str uri, const char *type, ken_str text,
                         ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"contents\":[{\"uri\":");
    ken_json_put_quoted(out, uri);
    ken_buf_printf(out, ",\"mimeType\":\"%s\",\"text\":", type);
    ken_json_put_quoted(out, text);
    ken_buf_puts(out, "}]");
    ken_mcp__put_cache_hints(r, STATUS_TTL_MS, "private", out);
    ken_mcp__end_result(out);
}

static void answer_failure(ken_mcp__request *r, ken_str uri, ken_status st, const ken_err *err,
                           ken_buf *out)
{
    if (st == KEN_ENOTFOUND || st == KEN_EINVAL || st == KEN_EPERM)
        answer_absent(r, uri, err->msg, out);
    else
        ken_mcp__answer_error(r, KEN_MCP__INTERNAL, err->msg, (ken_str){ NULL, 0 }, out);
}

static void read_file(ken_mcp__request *r, ken_str uri, const address *a, ken_buf *out)
{
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ken_err err = { 0 };
    ken_str text;
    ken_arena arena;
    ctx.is_reading = true;
    ken_arena_init(&arena, 0);
    ken_status st =
        ken_tool_read_file(r->server->app, a->project, a->path, &ctx, &arena, &text, &err);
    if (st)
        answer_failure(r, uri, st, &err, out);
    else
        put_contents(r, uri, "text/plain", text, out);
    ken_arena_release(&arena);
}

static void read_answer(ken_mcp__request *r, ken_str uri, const char *tool, const json_t *args,
                        ken_buf *out)
{
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ken_err err = { 0 };
    json_t *result = NULL;
    ctx.is_reading = true;
    ken_status st = ken_tool_call(r->server->app, tool, args, &ctx, &result, &err);
    if (st) {
        answer_failure(r, uri, st, &err, out);
        return;
    }
    ken_buf text = KEN_BUF_INIT(KEN_MCP_MESSAGE_MAX);
    ken_json_dump(result, &text);
    put_contents(r, uri, "application/json", ken_buf_str(&text), out);
    ken_buf_release(&text);
    json_decref(result);
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
    json_t *args = NULL;
    bool is_address = parse_address(uri, &a);
    const char *tool = is_address ? tool_of(&a, &args) : NULL;
    if (is_address && ken_str_eq_c(a.kind, "file") && a.path.len)
        read_file(r, uri, &a, out);
    else if (tool)
        read_answer(r, uri, tool, args, out);
    else
        answer_absent(
            r, uri,
            "no such resource; resources/list and resources/templates/list show what there is",
            out);
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
    ken_mcp__put_extension(r->server, KEN_MCP_RESOURCES, false, out);
    ken_buf_putc(out, ']');
    ken_mcp__put_cache_hints(r, STATUS_TTL_MS, "private", out);
    ken_mcp__end_result(out);
    json_decref(result);
}

// Variables are {project} and, last, {+path}.
static const struct {
    const char *uri, *name, *title, *text, *type;
} templates[] = {
    { "ken://{project}/status", "status", "Index status", "State of a project's index",
      "application/json" },
    { "ken://{project}/architecture", "architecture", "Architecture",
      "Parts, dependencies, entry points and hot spots", "application/json" },
    { "ken://{project}/outline/{+path}", "outline", "Outline", "Symbols of a file",
      "application/json" },
    { "ken://{project}/file/{+path}", "file", "File", "Text of a file, secrets masked",
      "text/plain" },
};

void ken_mcp__resources_templates_list(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"resourceTemplates\":[");
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        ken_buf_printf(out,
                       "%s{\"uriTemplate\":\"%s\",\"name\":\"%s\",\"title\":\"%s\","
                       "\"description\":\"%s\",\"mimeType\":\"%s\"}",
                       i ? "," : "", templates[i].uri, templates[i].name, templates[i].title,
                       templates[i].text, templates[i].type);
    ken_mcp__put_extension(r->server, KEN_MCP_TEMPLATES, false, out);
    ken_buf_putc(out, ']');
    ken_mcp__put_cache_hints(r, 3600 * 1000, "public", out);
    ken_mcp__end_result(out);
}

bool ken_mcp__template_completes(ken_str uri, ken_str name, ken_tool_complete_kind *out)
{
    const char *known = NULL;
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        if (ken_str_eq_c(uri, templates[i].uri))
            known = templates[i].uri;
    if (!known)
        return false;
    bool is_path = ken_str_eq_c(name, "path") && strstr(known, "{+path}");
    if (!is_path && !ken_str_eq_c(name, "project"))
        return false;
    *out = is_path ? KEN_COMPLETE_PATH : KEN_COMPLETE_PROJECT;
    return true;
}
