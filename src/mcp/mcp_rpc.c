// SPDX-License-Identifier: MIT
// From the text of one message to its parts.
//
// Ids go back exactly as they came, so they are kept as text: a number may be larger than any
// machine type, 0 is an id like any other, and "1" is not 1. jansson refuses integers beyond 64
// bits; those that are ids are therefore blanked out before it sees them.
#include "base/alloc.h"
#include "mcp/mcp_priv.h"

enum {
    ID_BYTES_MAX = 1024,
    SAFE_DIGITS = 18
};

static bool is_integer(ken_str s)
{
    size_t i = s.len && s.ptr[0] == '-';
    if (i == s.len || (s.ptr[i] == '0' && i + 1 < s.len))
        return false; // JSON has no leading zeros
    for (; i < s.len; i++) {
        if (!ken_is_digit(s.ptr[i]))
            return false;
    }
    return true;
}

static bool is_huge(ken_str raw)
{
    return raw.len > SAFE_DIGITS && is_integer(raw);
}

// A copy of `text` in which `raw`, a part of it, reads 0.
static void blank(ken_buf *copy, ken_str text, ken_str raw)
{
    size_t at = (size_t)(raw.ptr - text.ptr);
    if (!copy->len)
        ken_buf_put_str(copy, text);
    if (copy->is_over)
        return;
    memset(copy->ptr + at, ' ', raw.len);
    copy->ptr[at] = '0';
}

// The id as it is compared and sent back; NULL when it is none. `raw` decides for numbers, the
// parsed value for strings, since those can be written in many ways.
static char *id_text(ken_str raw, const json_t *value)
{
    if (raw.len > ID_BYTES_MAX)
        return NULL;
    if (is_integer(raw))
        return ken_strndup(raw.ptr, raw.len);
    if (!json_is_string(value))
        return NULL;
    ken_buf b = KEN_BUF_INIT(8 * ID_BYTES_MAX);
    ken_json_dump(value, &b);
    return ken_buf_steal(&b);
}

static void set_bad(ken_mcp__message *m, int code, const char *text)
{
    m->kind = KEN_MCP__BAD;
    m->code = code;
    (void)KEN_FAIL(&m->err, KEN_EINVAL, "%s", text);
}

static void parse_failed(ken_mcp__message *m, ken_str raw_id)
{
    m->kind = KEN_MCP__BAD;
    m->code = m->err.status == KEN_ELIMIT ? KEN_MCP__INVALID_REQUEST : KEN_MCP__PARSE;
    // Answers with the id of the request, if the id can be read at all.
    if (is_integer(raw_id) && raw_id.len <= ID_BYTES_MAX)
        m->id = ken_strndup(raw_id.ptr, raw_id.len);
}

static void classify(ken_mcp__message *m, ken_str raw_id)
{
    const json_t *id = json_object_get(m->json, "id");
    const json_t *method = json_object_get(m->json, "method");
    const json_t *params = json_object_get(m->json, "params");
    m->id = id ? id_text(raw_id, id) : NULL;
    if (id && !m->id) {
        set_bad(m, KEN_MCP__INVALID_REQUEST,
                "id must be a string or an integer of at most 1024 "
                "bytes");
        return;
    }
    if (!ken_str_eq_c(ken_json_text(json_object_get(m->json, "jsonrpc")), "2.0")) {
        set_bad(m, KEN_MCP__INVALID_REQUEST, "jsonrpc must be \"2.0\"");
        return;
    }
    if (!method && id &&
        (json_object_get(m->json, "result") || json_object_get(m->json, "error"))) {
        m->kind = KEN_MCP__RESPONSE;
        return;
    }
    if (!json_is_string(method)) {
        set_bad(m, KEN_MCP__INVALID_REQUEST, "method must be a string");
        return;
    }
    if (params && !json_is_object(params)) {
        set_bad(m, KEN_MCP__INVALID_PARAMS, "params must be an object");
        return;
    }
    m->method = ken_json_text(method);
    m->params = params;
    m->kind = id ? KEN_MCP__REQUEST : KEN_MCP__NOTIFICATION;
}

void ken_mcp__message_parse(ken_str text, ken_mcp__message *out)
{
    *out = (ken_mcp__message){ .kind = KEN_MCP__BAD };
    if (ken_json_peek(text) == '[') {
        set_bad(out, KEN_MCP__INVALID_REQUEST,
                "batches are not supported: send one message at a "
                "time");
        return;
    }
    ken_str raw_id = ken_json_find_raw(text, "id");
    ken_str raw_params = ken_json_find_raw(text, "params");
    ken_str raw_request = ken_json_find_raw(raw_params, "requestId");
    ken_str raw_token = ken_json_find_raw(ken_json_find_raw(raw_params, "_meta"), "progressToken");
    ken_buf copy = KEN_BUF_INIT(KEN_MCP_MESSAGE_MAX + 1);
    if (is_huge(raw_id))
        blank(&copy, text, raw_id);
    if (is_huge(raw_request))
        blank(&copy, text, raw_request);
    if (ken_json_parse(copy.len ? ken_buf_str(&copy) : text, &out->json, &out->err)) {
        parse_failed(out, raw_id);
    } else if (!json_is_object(out->json)) {
        set_bad(out, KEN_MCP__INVALID_REQUEST, "a message must be an object");
    } else {
        classify(out, raw_id);
        const json_t *request = json_object_get(out->params, "requestId");
        if (out->kind == KEN_MCP__NOTIFICATION && request)
            out->request_id = id_text(raw_request, request);
        const json_t *token =
            json_object_get(ken_json_get_object(out->params, "_meta"), "progressToken");
        out->token = token ? id_text(raw_token, token) : NULL;
    }
    ken_buf_release(&copy);
}

void ken_mcp__message_release(ken_mcp__message *m)
{
    ken_free(m->id);
    ken_free(m->request_id);
    ken_free(m->token);
    json_decref(m->json);
    *m = (ken_mcp__message){ .kind = KEN_MCP__BAD };
}

void ken_mcp__put_error(ken_buf *out, const char *id, int code, const char *message, ken_str data)
{
    ken_buf_puts(out, "{\"jsonrpc\":\"2.0\",");
    if (id)
        ken_buf_printf(out, "\"id\":%s,", id);
    ken_buf_printf(out, "\"error\":{\"code\":%d,\"message\":", code);
    ken_json_put_quoted(out, ken_str_c(message));
    if (data.len) {
        ken_buf_puts(out, ",\"data\":");
        ken_buf_put_str(out, data);
    }
    ken_buf_puts(out, "}}");
}
