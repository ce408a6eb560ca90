// SPDX-License-Identifier: MIT
// Prompts: the everyday questions about a code base. Each is one message: what the model is asked to do,
// and under it what ken knows about it now, as the tools answer.
#include "mcp/mcp_priv.h"

enum {
    ARGS_MAX = 3,
    CALLS_MAX = 2,
    PAIRS_MAX = 2,
    PROMPT_BYTES = 256 * 1024,
};

typedef struct prompt_arg {
    const char *name, *text;
    bool is_required;
    ken_tool_complete_kind completes;
} prompt_arg;

// A tool whose answer stands in the message.
typedef struct prompt_call {
    const char *tool, *heading;
    struct {
        const char *param, *value; // value: the name of an argument; "=text" is that text
    } pairs[PAIRS_MAX];
    bool may_fail; // then why stands in its place
} prompt_call;

typedef struct prompt {
    const char *name, *title, *description;
    prompt_arg args[ARGS_MAX];
    const char *task; // "{name}" stands for an argument; what is in brackets falls away without it
    prompt_call calls[CALLS_MAX];
} prompt;

static const prompt prompts[] = {
    { "tour",
      "Tour of the code base",
      "Parts, main flows and where to start reading, for someone new",
      { { "directory", "only this folder", false, KEN_COMPLETE_NOTHING } },
      "Give a tour of this code base to an engineer who is new to it: what it is for, its parts and how "
      "they depend on each other, the main flows, and which three files to read first. Look at code "
      "where the overview does not say enough.[ Only `{directory}` matters.]",
      { { "get_architecture", "Overview", { { "directory", "directory" } }, false } } },
    { "find",
      "Find where something is done",
      "The places of a behaviour or concept",
      { { "question", "what is looked for, in plain words", true, KEN_COMPLETE_NOTHING } },
      "Find where this is done and explain how: {question}\nName the files and lines that decide it. The "
      "results below are a search; read on where they are not enough.",
      { { "search_code", "Search", { { "query", "question" } }, false } } },
    { "explain",
      "Explain a symbol",
      "What it does, how it is used, what to know before changing it",
      { { "symbol", "a function, type or variable", true, KEN_COMPLETE_SYMBOL } },
      "Explain `{symbol}`: what it does and why, what it expects and promises, who uses it, and what one "
      "should know before changing it.",
      { { "build_context", "Code", { { "query", "symbol" } }, false },
        { "find_usages", "Usages", { { "symbol_name", "symbol" } }, true } } },
    { "trace",
      "Follow a flow",
      "How execution gets from one function to others, or to a certain one",
      { { "from", "the function where it begins", true, KEN_COMPLETE_SYMBOL },
        { "to", "the function that it should reach", false, KEN_COMPLETE_SYMBOL } },
      "Describe step by step what happens from `{from}` on, with files and lines.[ Show how it gets to `{to}`.]",
      { { "trace_execution", "Calls", { { "entry_point", "from" }, { "to", "to" } }, false } } },
    { "impact",
      "What would a change break",
      "Dependents and tests of a symbol",
      { { "symbol", "what will be changed", true, KEN_COMPLETE_SYMBOL } },
      "`{symbol}` is going to change. Say what depends on it, what would break and how one would notice, "
      "and which tests to run. Keep what is certain apart from what is inferred.",
      { { "query_impact", "Impact", { { "symbol", "symbol" } }, false } } },
    { "plan_change",
      "Plan a change",
      "Where to change what, in which order, by the rules of the code base",
      { { "change", "what should be different afterwards", true, KEN_COMPLETE_NOTHING } },
      "Plan this change: {change}\nList the files and functions to touch in order, what each step does, "
      "what could break, and the tests to write and to run. Follow the rules below. Do not write the "
      "code yet.",
      { { "build_context", "Code that matters", { { "query", "change" } }, false },
        { "rag_check_constraints", "Rules", { { "change_description", "change" } }, true } } },
    { "review",
      "Review a diff against the rules",
      "What a diff may break, and which rules it does not follow",
      { { "diff", "uncommitted (default), a revision, or A..B", false, KEN_COMPLETE_NOTHING } },
      "Review this change. Read the diff itself with git, then say, worst first: what it breaks, which "
      "rules it does not follow, which tests are missing. Say what you did not look at.[ The change: {diff}.]",
      { { "query_impact", "What it may break", { { "diff", "diff" } }, false },
        { "check_rules", "Rules that it breaks", { { "diff", "diff" } }, true } } },
    { "tests",
      "Find or write tests",
      "Which tests reach a symbol, and what they leave out",
      { { "symbol", "what is to be tested", true, KEN_COMPLETE_SYMBOL } },
      "Say which tests cover `{symbol}` and what they leave out, then write the tests that are missing, "
      "in the style of those that are there.",
      { { "tests_for", "Tests that reach it", { { "symbol", "symbol" } }, false },
        { "build_context", "Code", { { "query", "symbol" } }, true } } },
};

static const prompt_arg project_arg = { "project", "id, name or path of the project", false,
                                        KEN_COMPLETE_PROJECT };

static const prompt *find_prompt(ken_str name)
{
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
        if (ken_str_eq_c(name, prompts[i].name))
            return &prompts[i];
    return NULL;
}

// Its own arguments, and the project last.
static size_t count_args(const prompt *p)
{
    size_t n = 0;
    while (n < ARGS_MAX && p->args[n].name)
        n++;
    return n + 1;
}

static const prompt_arg *arg_at(const prompt *p, size_t i)
{
    return i < ARGS_MAX && p->args[i].name ? &p->args[i] : &project_arg;
}

bool ken_mcp__prompt_completes(ken_str prompt_name, ken_str name, ken_tool_complete_kind *out)
{
    const prompt *p = find_prompt(prompt_name);
    for (size_t i = 0; p && i < count_args(p); i++) {
        if (!ken_str_eq_c(name, arg_at(p, i)->name))
            continue;
        *out = arg_at(p, i)->completes;
        return true;
    }
    return false;
}

// ---- prompts/list ------------------------------------------------------------------------------

static void put_member(ken_buf *out, const char *name, const char *value)
{
    ken_buf_printf(out, "\"%s\":", name);
    ken_json_put_quoted(out, ken_str_c(value));
}

static void put_prompt(const prompt *p, ken_buf *out)
{
    ken_buf_putc(out, '{');
    put_member(out, "name", p->name);
    ken_buf_putc(out, ',');
    put_member(out, "title", p->title);
    ken_buf_putc(out, ',');
    put_member(out, "description", p->description);
    ken_buf_puts(out, ",\"arguments\":[");
    for (size_t i = 0; i < count_args(p); i++) {
        const prompt_arg *a = arg_at(p, i);
        ken_buf_puts(out, i ? ",{" : "{");
        put_member(out, "name", a->name);
        ken_buf_putc(out, ',');
        put_member(out, "description", a->text);
        ken_buf_printf(out, ",\"required\":%s}", a->is_required ? "true" : "false");
    }
    ken_buf_puts(out, "]}");
}

void ken_mcp__prompts_list(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"prompts\":[");
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        if (i)
            ken_buf_putc(out, ',');
        put_prompt(&prompts[i], out);
    }
    ken_mcp__put_extension(r->server, KEN_MCP_PROMPTS, false, out);
    ken_buf_putc(out, ']');
    ken_mcp__put_cache_hints(r, 3600 * 1000, "public", out);
    ken_mcp__end_result(out);
}

// ---- prompts/get -------------------------------------------------------------------------------

static ken_str given_value(const json_t *args, const char *name)
{
    return ken_str_trim(ken_json_text(json_object_get(args, name)));
}

// Arguments are known, texts, and there as far as they are needed.
static ken_status check_args(const prompt *p, const json_t *args, ken_err *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)args, name, value)
    {
        ken_tool_complete_kind unused;
        if (!ken_mcp__prompt_completes(ken_str_c(p->name), ken_str_c(name), &unused))
            return KEN_FAIL(err, KEN_EINVAL, "prompt '%s' has no argument '%.80s'", p->name, name);
        if (!json_is_string(value))
            return KEN_FAIL(err, KEN_EINVAL, "argument '%s' must be a string", name);
    }
    for (size_t i = 0; i < count_args(p); i++)
        if (arg_at(p, i)->is_required && !given_value(args, arg_at(p, i)->name).len)
            return KEN_FAIL(err, KEN_EINVAL, "prompt '%s' needs the argument '%s': %s", p->name,
                            arg_at(p, i)->name, arg_at(p, i)->text);
    return KEN_OK;
}

// A part without brackets, its arguments put in. False when one of them is empty.
static bool put_part(ken_str part, const json_t *args, ken_buf *out)
{
    bool is_full = true;
    size_t open;
    while ((open = ken_str_find_char(part, '{')) != SIZE_MAX) {
        char name[32];
        size_t close = ken_str_find_char(part, '}');
        snprintf(name, sizeof name, KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(part, open + 1, close)));
        ken_str value = given_value(args, name);
        ken_buf_put_str(out, ken_str_sub(part, 0, open));
        ken_buf_put_str(out, value);
        is_full = is_full && value.len;
        part = ken_str_sub(part, close + 1, part.len);
    }
    ken_buf_put_str(out, part);
    return is_full;
}

static void put_task(const char *task, const json_t *args, ken_buf *out)
{
    ken_str rest = ken_str_c(task);
    size_t open;
    while ((open = ken_str_find_char(rest, '[')) != SIZE_MAX) {
        size_t close = ken_str_find_char(rest, ']');
        (void)put_part(ken_str_sub(rest, 0, open), args, out);
        size_t before = out->len;
        if (!put_part(ken_str_sub(rest, open + 1, close), args, out))
            out->len = before;
        rest = ken_str_sub(rest, close + 1, rest.len);
    }
    (void)put_part(rest, args, out);
}

static json_t *call_args(const prompt_call *c, const json_t *args)
{
    json_t *given = json_object();
    for (size_t i = 0; i < PAIRS_MAX && c->pairs[i].param; i++) {
        const char *value = c->pairs[i].value;
        ken_str text = given_value(args, value);
        if (!text.len && !strcmp(c->pairs[i].param, "diff"))
            text = KEN_STR("uncommitted");
        if (text.len)
            ken_json_set_str(given, c->pairs[i].param, text);
    }
    ken_str project = given_value(args, "project");
    if (project.len)
        ken_json_set_str(given, "project", project);
    return given;
}

static ken_status put_call(ken_mcp__request *r, const prompt_call *c, const json_t *args,
                           ken_buf *out, ken_err *err)
{
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ken_err why = { 0 };
    json_t *given = call_args(c, args), *answer = NULL;
    ctx.is_text = true;
    ken_status st = ken_tool_call(r->server->app, c->tool, given, &ctx, &answer, &why);
    json_decref(given);
    if (st && !c->may_fail) {
        *err = why;
        return st;
    }
    ken_buf_printf(out, "\n\n## %s\n\n", c->heading);
    if (st)
        ken_buf_printf(out, "Not available: %s", why.msg);
    else
        ken_buf_put_str(out, ken_json_text(answer));
    json_decref(answer);
    return KEN_OK;
}

static void put_message(const ken_mcp__request *r, const prompt *p, ken_str text, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    put_member(out, "description", p->description);
    ken_buf_puts(out, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    ken_json_put_quoted(out, text);
    ken_buf_puts(out, "}}]");
    ken_mcp__end_result(out);
}

// The prompt that params name; NULL, and why, when they do not call one rightly.
static const prompt *read_call(const json_t *params, const json_t **out_args, ken_err *err)
{
    const json_t *name = json_object_get(params, "name");
    const json_t *args = json_object_get(params, "arguments");
    const prompt *p = find_prompt(ken_json_text(name));
    ken_status st = KEN_OK;
    if (!json_is_string(name))
        st = KEN_FAIL(err, KEN_EINVAL, "params.name must be a string");
    else if (!p)
        st = KEN_FAIL(err, KEN_EINVAL, "no prompt '%.80s'; prompts/list shows those there are",
                      json_string_value(name));
    else if (args && !json_is_null(args) && !json_is_object(args))
        st = KEN_FAIL(err, KEN_EINVAL, "params.arguments must be an object");
    else
        st = check_args(p, args, err);
    *out_args = args;
    return st ? NULL : p;
}

void ken_mcp__prompts_get(ken_mcp__request *r, ken_buf *out)
{
    const json_t *args = NULL;
    ken_err err = { 0 };
    const prompt *p = read_call(r->msg.params, &args, &err);
    ken_status st = p ? KEN_OK : KEN_EINVAL;
    ken_buf text = KEN_BUF_INIT(PROMPT_BYTES);
    if (p)
        put_task(p->task, args, &text);
    for (size_t i = 0; p && i < CALLS_MAX && !st && p->calls[i].tool; i++)
        st = put_call(r, &p->calls[i], args, &text, &err);
    if (p && !st)
        put_message(r, p, ken_buf_str(&text), out);
    else
        ken_mcp__answer_error(r, st == KEN_EINTERNAL ? KEN_MCP__INTERNAL : KEN_MCP__INVALID_PARAMS,
                              err.msg, (ken_str){ NULL, 0 }, out);
    ken_buf_release(&text);
}
