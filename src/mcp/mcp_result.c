// SPDX-License-Identifier: MIT
// The frame of an answer: a result with what its era adds, or an error.
#include "mcp/mcp_priv.h"

void ken_mcp__begin_result(const ken_mcp__request *r, ken_buf *out)
{
    ken_buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", r->msg.id);
    if (r->is_modern) {
        ken_buf_printf(out,
                       "\"resultType\":\"%s\",\"_meta\":{\"" KEN_MCP__META_PREFIX "serverInfo\":",
                       r->result_type ? r->result_type : "complete");
        ken_buf_put_str(out, ken_buf_str(&r->server->server_info));
        ken_buf_puts(out, "},");
    }
}

void ken_mcp__put_cache_hints(const ken_mcp__request *r, int64_t ttl_ms, const char *scope,
                              ken_buf *out)
{
    if (r->is_modern)
        ken_buf_printf(out, ",\"ttlMs\":%lld,\"cacheScope\":\"%s\"", (long long)ttl_ms, scope);
}

void ken_mcp__end_result(ken_buf *out)
{
    ken_buf_puts(out, "}}");
}

void ken_mcp__answer_error(ken_mcp__request *r, int code, const char *message, ken_str data,
                           ken_buf *out)
{
    r->code = code;
    ken_buf_clear(out);
    ken_mcp__put_error(out, r->msg.id, code, message, data);
}
