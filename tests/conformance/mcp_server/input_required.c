// SPDX-License-Identifier: MIT
// Tools and a prompt of the stateless era that need answers of the client's: they end with what they
// want to know, and are called again with it. What they must remember goes to the client and back, so
// it is signed, bound to the tool, and holds for ten minutes.
#include <pthread.h>
#include <stdio.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "fixtures.h"

enum {
    STATE_MS = 10 * 60 * 1000,
    STATE_BYTES = 128,
    ROUNDS_MAX = 2,
    PER_ROUND = 3,
};

typedef struct question {
    const char *key, *capability, *method;
    const char *member; // what an answer to it has at least
    const char *params; // JSON
} question;

#define FORM(message, name, type)                                                            \
    "{\"message\":\"" message "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"" name "\":{\"type\":\"" type "\"}},\"required\":[\"" name "\"]}}"
#define ELICIT(key, message, name, type)                                              \
    {                                                                                 \
        key, "elicitation", "elicitation/create", "action", FORM(message, name, type) \
    }
#define SAMPLE(key, words, tokens)                                                               \
    {                                                                                            \
        key, "sampling", "sampling/createMessage", "content",                                    \
            "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" words \
            "\"}}],\"maxTokens\":" tokens "}"                                                    \
    }
#define ROOTS(key)                                \
    {                                             \
        key, "roots", "roots/list", "roots", "{}" \
    }

typedef struct flow {
    const char *name;
    const char *done; // what the answers are told with at the end
    bool has_state;
    bool is_streamed; // says something before it ends
    question rounds[ROUNDS_MAX][PER_ROUND];
} flow;

static const flow flows[] = {
    { "test_input_required_result_elicitation",
      "Hello: ",
      false,
      false,
      { { ELICIT("user_name", "What is your name?", "name", "string") } } },
    { "test_input_required_result_sampling",
      "The model says: ",
      false,
      false,
      { { SAMPLE("capital_question", "What is the capital of France?", "100") } } },
    { "test_input_required_result_list_roots",
      "Your roots: ",
      false,
      false,
      { { ROOTS("client_roots") } } },
    { "test_input_required_result_request_state",
      "state-ok: ",
      true,
      false,
      { { ELICIT("confirm", "Please confirm", "ok", "boolean") } } },
    { "test_input_required_result_multiple_inputs",
      "All of it: ",
      true,
      false,
      { { ELICIT("user_name", "What is your name?", "name", "string"),
          SAMPLE("greeting", "Generate a greeting", "50"), ROOTS("client_roots") } } },
    { "test_input_required_result_multi_round",
      "Both rounds: ",
      true,
      false,
      { { ELICIT("step1", "Step 1: What is your name?", "name", "string") },
        { ELICIT("step2", "Step 2: What is your favorite color?", "color", "string") } } },
    { "test_input_required_result_tampered_state",
      "Untouched: ",
      true,
      false,
      { { ELICIT("confirm", "Please confirm", "ok", "boolean") } } },
    { "test_input_required_result_capabilities",
      "What you can: ",
      false,
      false,
      { { ELICIT("user_name", "What is your name?", "name", "string"),
          SAMPLE("greeting", "Generate a greeting", "50") } } },
    { "test_streaming_elicitation",
      "Streamed: ",
      false,
      true,
      { { ELICIT("user_name", "What is your name?", "name", "string") } } },
    { "test_missing_capability",
      "Sampled: ",
      false,
      false,
      { { SAMPLE("greeting", "Generate a greeting", "50") } } },
    { "test_input_required_result_prompt",
      "Context: ",
      false,
      false,
      { { ELICIT("user_context", "What context should the prompt use?", "context", "string") } } },
};

// ---- what goes to the client and back: "<round>.<expiry>.<signature>" ---------------------------

static uint8_t key[32];
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    ken_random_into(key, sizeof key);
}

static void sign(const flow *f, size_t round, int64_t expires_ms, char out[STATE_BYTES])
{
    char text[STATE_BYTES], signature[KEN_BASE64URL_LEN(32) + 1];
    pthread_once(&key_made, make_key);
    snprintf(text, sizeof text, "%s %zu %lld", f->name, round, (long long)expires_ms);
    ken_sha256 mac = ken_hmac_sha256(ken_str_n((const char *)key, sizeof key), ken_str_c(text));
    ken_base64url_into(mac.bytes, sizeof mac.bytes, signature);
    snprintf(out, STATE_BYTES, "%zu.%lld.%s", round, (long long)expires_ms, signature);
}

// The round that `state` is of. False: it is not ours, of another tool, changed, or too old.
static bool check_state(const flow *f, ken_str state, size_t *out_round)
{
    char wanted[STATE_BYTES];
    ken_str rest = state, part;
    uint64_t round, expires_ms;
    if (!ken_str_split_next(&rest, '.', &part) || !ken_str_parse_u64(part, &round) ||
        !ken_str_split_next(&rest, '.', &part) || !ken_str_parse_u64(part, &expires_ms))
        return false;
    sign(f, round, (int64_t)expires_ms, wanted);
    if (state.len != strlen(wanted) || !ken_is_same_secret(state.ptr, wanted, state.len))
        return false;
    *out_round = round;
    return (int64_t)expires_ms > ken_clock_wall_ms();
}

// ---- questions and answers ---------------------------------------------------------------------

static bool can_ask(const ken_mcp_call *c, const question *q)
{
    return q->key && json_is_object(json_object_get(c->client_capabilities, q->capability));
}

static int refuse_client(const char *capability, ken_buf *out, ken_err *err)
{
    ken_buf_printf(out, "{\"requiredCapabilities\":{\"%s\":{}}}", capability);
    (void)KEN_FAIL(err, KEN_EUNSUPPORTED, "the client must have the capability '%s'", capability);
    return FIXTURE_MISSING_CAPABILITY;
}

// Those of the round that the client can answer.
static int put_questions(ken_mcp_call *c, const flow *f, size_t round, ken_buf *out, ken_err *err)
{
    const question *all = f->rounds[round];
    const char *comma = "";
    ken_buf_puts(out, "\"inputRequests\":{");
    for (size_t i = 0; i < PER_ROUND; i++) {
        if (!can_ask(c, &all[i]))
            continue;
        ken_buf_printf(out, "%s\"%s\":{\"method\":\"%s\",\"params\":%s}", comma, all[i].key,
                       all[i].method, all[i].params);
        comma = ",";
    }
    ken_buf_putc(out, '}');
    if (!*comma) {
        ken_buf_clear(out);
        return refuse_client(all->capability, out, err);
    }
    if (f->has_state) {
        char state[STATE_BYTES];
        sign(f, round, ken_clock_wall_ms() + STATE_MS, state);
        ken_buf_printf(out, ",\"requestState\":\"%s\"", state);
    }
    c->result_type = "input_required";
    return 0;
}

// Whether there is an answer to each of these questions, and to one at least. Others are passed over.
static bool has_answers(const ken_mcp_call *c, const flow *f, size_t round, const json_t *answers)
{
    size_t n = 0;
    for (size_t i = 0; i < PER_ROUND; i++) {
        const question *q = &f->rounds[round][i];
        if (!can_ask(c, q))
            continue;
        if (!json_object_get(json_object_get(answers, q->key), q->member))
            return false;
        n++;
    }
    return n > 0;
}

static void put_done(const ken_mcp_call *c, const flow *f, const json_t *answers, ken_buf *out)
{
    ken_buf text = KEN_BUF_INIT(64 * 1024);
    ken_buf_puts(&text, f->done);
    ken_json_dump(answers, &text);
    if (ken_str_eq_c(c->method, "prompts/get")) {
        ken_buf_puts(out,
                     "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
        ken_json_put_quoted(out, ken_buf_str(&text));
        ken_buf_puts(out, "}}]");
    } else {
        put_text(out, text.ptr);
    }
    ken_buf_release(&text);
}

static int run(ken_mcp_call *c, ken_buf *out, ken_err *err)
{
    ken_str name = ken_json_text(json_object_get(c->params, "name"));
    const flow *f = flows;
    while (!ken_str_eq_c(name, f->name))
        f++;
    if (!c->is_modern)
        return fail_text(out, "this tool needs the stateless era");
    const json_t *answers = ken_json_get_object(c->params, "inputResponses");
    const json_t *state = json_object_get(c->params, "requestState");
    size_t round = 0;
    if (f->has_state && state && !check_state(f, ken_json_text(state), &round)) {
        (void)KEN_FAIL(err, KEN_EINVAL, "params.requestState is not one of ours, or too old");
        return FIXTURE_INVALID_PARAMS;
    }
    if (f->is_streamed)
        ken_mcp_call_progress(c, 1, 2, "one question is left");
    bool is_first = f->has_state && !state;
    if (is_first || !has_answers(c, f, round, answers))
        return put_questions(c, f, round, out, err);
    if (round + 1 < ROUNDS_MAX && f->rounds[round + 1]->key)
        return put_questions(c, f, round + 1, out, err);
    put_done(c, f, answers, out);
    return 0;
}

#define TOOL(name)                                         \
    {                                                      \
        name, "Needs an answer of the client's", NULL, run \
    }

const fixture input_tools[] = {
    TOOL("test_input_required_result_elicitation"),
    TOOL("test_input_required_result_sampling"),
    TOOL("test_input_required_result_list_roots"),
    TOOL("test_input_required_result_request_state"),
    TOOL("test_input_required_result_multiple_inputs"),
    TOOL("test_input_required_result_multi_round"),
    TOOL("test_input_required_result_tampered_state"),
    TOOL("test_input_required_result_capabilities"),
    TOOL("test_streaming_elicitation"),
    TOOL("test_missing_capability"),
    { NULL, NULL, NULL, NULL },
};

const fixture input_prompts[] = { TOOL("test_input_required_result_prompt"),
                                  { NULL, NULL, NULL, NULL } };
