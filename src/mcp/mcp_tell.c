// SPDX-License-Identifier: MIT
// What a client is told while its request runs: how far it is, and what happens.
#include "mcp/mcp_priv.h"

static const char *const level_words[] = { "",
#define X(name, word) word,
                                           KEN_MCP__LEVEL_TABLE(X)
#undef X
};

bool ken_mcp__level_parse(ken_str word, ken_mcp__level *out)
{
    for (size_t i = 1; i < sizeof level_words / sizeof *level_words; i++) {
        if (ken_str_eq_c(word, level_words[i])) {
            *out = (ken_mcp__level)i;
            return true;
        }
    }
    return false;
}

void ken_mcp__tell_progress(ken_mcp__request *r, double done, double total, const char *message)
{
    if (!r->msg.token || done <= r->last_progress || ken_cancel_is_set(&r->cancel))
        return;
    r->last_progress = done;
    ken_buf out = KEN_BUF_INIT(16 * 1024);
    ken_buf_puts(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                       "\"params\":{\"progressToken\":");
    ken_buf_puts(&out, r->msg.token);
    ken_buf_printf(&out, ",\"progress\":%.6g", done);
    if (total > 0)
        ken_buf_printf(&out, ",\"total\":%.6g", total);
    ken_buf_puts(&out, ",\"message\":");
    ken_json_put_quoted(&out, ken_str_c(message ? message : ""));
    ken_buf_puts(&out, "}}");
    ken_mcp__tell(r, &out);
    ken_buf_release(&out);
}

// The least that is told about this request: in the stateless era each says it for itself.
static ken_mcp__level level_of(ken_mcp__request *r)
{
    ken_mcp__level level = KEN_MCP__LEVEL_NONE;
    if (r->is_modern) {
        const json_t *meta = ken_json_get_object(r->msg.params, "_meta");
        (void)ken_mcp__level_parse(
            ken_json_text(json_object_get(meta, KEN_MCP__META_PREFIX "logLevel")), &level);
        return level;
    }
    pthread_mutex_lock(&r->session->lock);
    level = r->session->level;
    pthread_mutex_unlock(&r->session->lock);
    return level;
}

void ken_mcp__tell_log(ken_mcp__request *r, ken_mcp__level level, ken_str text)
{
    ken_mcp__level least = level_of(r);
    if (!least || level < least || ken_cancel_is_set(&r->cancel))
        return;
    ken_buf out = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(&out,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
                   "\"level\":\"%s\",\"logger\":\"ken\",\"data\":",
                   level_words[level]);
    ken_json_put_quoted(&out, text);
    ken_buf_puts(&out, "}}");
    ken_mcp__tell(r, &out);
    ken_buf_release(&out);
}
