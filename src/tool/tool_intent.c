// SPDX-License-Identifier: MIT
// What search_code makes of a question beside ranking it: its intent, the definitions that it is
// about when a look at the names gives them, a short answer of the graph, and the call that answers
// it better than a search.
#include "query/query_intent.h"
#include "tool/tool_graph_priv.h"

enum {
    DEFINITIONS_MAX = 3,
    USAGES_SHOWN = 8,
    STEPS_SHOWN = 15,
    TRACE_DEPTH = 2,
    GRAPH_BYTES = 3000, // of the graph's answer
};

static json_t *definition_json(const ken_definition *d)
{
    json_t *o = json_object();
    ken_json_set_str(o, "file_path", d->path);
    ken_json_set_u64(o, "start_line", d->first_line + 1);
    ken_json_set_u64(o, "end_line", d->last_line + 1);
    ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(d->kind)));
    ken_json_set_str(o, "qualified_name", d->qualified);
    ken_json_set_str(o, "signature", d->signature);
    return o;
}

// The definitions of the subject, letter by letter. What cannot be looked up is left out: the
// search itself says what is wrong.
static bool add_definitions(const ken_tool_env *env, ken_snapshot *snap, ken_str subject,
                            ken_definition_result *r, json_t *out)
{
    if (!subject.len ||
        ken_find_definition(snap,
                            &(ken_definition_opts){ .name = subject, .limit = DEFINITIONS_MAX },
                            env->arena, r, NULL))
        return false;
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_defs; i++)
        if (r->defs[i].is_exact)
            ken_json_append(list, definition_json(&r->defs[i]));
    if (!json_array_size(list)) {
        json_decref(list);
        return false;
    }
    ken_json_set(out, "definitions", list);
    return true;
}

// ---- the graph's answer ------------------------------------------------------------------------

// Members that the whole has already.
static void drop_known(json_t *answer)
{
    static const char *const known[] = { "definitions", "other_definitions", "hint", "next_offset",
                                         "other_definitions_total" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        json_object_del(answer, known[i]);
}

// The definition whose usages are told stands first.
static void put_meant_first(json_t *definitions, const ken_graph_node *meant)
{
    json_t *first = ken_tool__node_json(meant);
    ken_json_set_str(first, "qualified_name", meant->qualified);
    json_object_del(first, "name");
    for (size_t i = json_array_size(definitions); i-- > 0;) {
        const json_t *d = json_array_get(definitions, i);
        bool is_it = ken_str_eq(ken_tool__member(d, "file_path"), meant->path) &&
                     ken_tool__number(d, "start_line") == (long long)meant->first_line + 1;
        if (is_it || i >= DEFINITIONS_MAX - 1)
            json_array_remove(definitions, i);
    }
    json_array_insert_new(definitions, 0, first);
}

// Who uses it; of a question for a definition, who calls it.
static bool add_usages(const ken_tool_env *env, ken_snapshot *snap, const ken_intent *it,
                       json_t *out)
{
    ken_usages found;
    ken_usages_opts opts = { .name = it->subject, .limit = USAGES_SHOWN, .wants_text = true };
    if (it->kind == KEN_INTENT_FIND_DEFINITION)
        opts.roles = 1U << KEN_REF_CALL | 1U << KEN_REF_NEW;
    if (ken_find_usages(snap, &opts, env->ctx->cancel, env->arena, &found, NULL))
        return false;
    if (found.n_defs && found.n_others)
        put_meant_first(json_object_get(out, "definitions"), &found.defs[0]);
    ken_tool__usages_shape shape = { .name = it->subject, .max_bytes = GRAPH_BYTES };
    json_t *usages = ken_tool__usages_json(&found, &shape);
    drop_known(usages);
    ken_json_set(out, "usages", usages);
    return true;
}

static bool add_trace(const ken_tool_env *env, ken_snapshot *snap, const ken_intent *it,
                      json_t *out)
{
    static const char *const lists[] = { "steps" };
    ken_trace found;
    ken_trace_opts opts = { .entry = it->subject, .to = it->to, .max_nodes = STEPS_SHOWN };
    opts.max_depth = it->to.len ? 0 : TRACE_DEPTH;
    if (ken_trace_execution(snap, &opts, env->ctx->cancel, env->arena, &found, NULL))
        return false;
    json_t *trace = ken_tool__trace_json(&found, &opts);
    drop_known(trace);
    ken_tool__fit_lists(trace, lists, 1, GRAPH_BYTES, "");
    ken_json_set(out, "trace", trace);
    return true;
}

static bool add_graph(const ken_tool_env *env, ken_snapshot *snap, const ken_intent *it,
                      json_t *out)
{
    if (it->kind == KEN_INTENT_FIND_USAGE || it->kind == KEN_INTENT_FIND_DEFINITION)
        return add_usages(env, snap, it, out);
    return it->kind == KEN_INTENT_TRACE_FLOW && add_trace(env, snap, it, out);
}

// ---- the better call ---------------------------------------------------------------------------

static json_t *explain_args(const ken_definition_result *r, bool is_known)
{
    if (!is_known)
        return NULL;
    json_t *args = json_object();
    ken_json_set_str(args, "file_path", r->defs[0].path);
    ken_json_set_u64(args, "line_start", r->defs[0].first_line + 1);
    ken_json_set_u64(args, "line_end", r->defs[0].last_line + 1);
    return args;
}

static json_t *named_args(const char *key, ken_str subject)
{
    if (!subject.len)
        return NULL;
    json_t *args = json_object();
    ken_json_set_str(args, key, subject);
    return args;
}

static json_t *trace_args(const ken_intent *it)
{
    json_t *args = named_args("entry_point", it->subject);
    if (args && it->to.len)
        ken_json_set_str(args, "to", it->to);
    return args;
}

static json_t *similar_args(const ken_intent *it, const ken_definition_result *r, bool is_known)
{
    char line[32];
    json_t *args = named_args("query", it->subject);
    if (is_known) {
        ken_buf place = KEN_BUF_INIT(0);
        snprintf(line, sizeof line, ":%u", r->defs[0].first_line + 1);
        ken_buf_put_str(&place, r->defs[0].path);
        ken_buf_puts(&place, line);
        ken_json_set_str(args, "query", ken_buf_str(&place));
        ken_buf_release(&place);
    } else if (ken_str_find_char(it->subject, ':') == SIZE_MAX) { // no path:line either
        json_decref(args);
        return NULL;
    }
    ken_json_set_str(args, "search_type", KEN_STR("similar"));
    return args;
}

static json_t *next_args(const ken_intent *it, const ken_definition_result *r, bool is_known,
                         const char **out_tool)
{
    switch (it->kind) {
    case KEN_INTENT_FIND_DEFINITION:
        *out_tool = "get_definition";
        return is_known ? named_args("symbol_name", it->subject) : NULL;
    case KEN_INTENT_FIND_USAGE:
        *out_tool = "find_usages";
        return named_args("symbol_name", it->subject);
    case KEN_INTENT_TRACE_FLOW:
        *out_tool = "trace_execution";
        return trace_args(it);
    case KEN_INTENT_FIND_SIMILAR:
        *out_tool = "search_code";
        return it->subject.len ? similar_args(it, r, is_known) : NULL;
    case KEN_INTENT_EXPLAIN_FUNCTION:
        *out_tool = "explain_code";
        return explain_args(r, is_known);
    case KEN_INTENT_ARCHITECTURAL:
        *out_tool = "get_architecture";
        return json_object();
    case KEN_INTENT_NONE:
    case KEN_INTENT_COUNT:
    default:
        return NULL;
    }
}

static void add_next(const ken_tool_env *env, const ken_intent *it, const ken_definition_result *r,
                     bool is_known, json_t *out)
{
    const char *tool = NULL;
    json_t *args = next_args(it, r, is_known, &tool);
    if (!args || !ken_toolset_has(env->ctx->tools, ken_str_c(tool))) {
        json_decref(args);
        return;
    }
    json_t *next = json_object();
    ken_json_set_str(next, "tool", ken_str_c(tool));
    ken_json_set(next, "arguments", args);
    ken_json_set(out, "next", next);
}

// A person who searches for nothing but a name gets many results by words, of which one is meant.
static void add_next_of_name(const ken_tool_env *env, ken_snapshot *snap, ken_str text, json_t *out)
{
    ken_str name = ken_str_trim(text);
    ken_definition_result r;
    bool is_name = name.len > 0;
    for (size_t i = 0; i < name.len; i++)
        is_name = is_name && (ken_is_word(name.ptr[i]) || memchr(".:", name.ptr[i], 2));
    if (!is_name ||
        ken_find_definition(snap, &(ken_definition_opts){ .name = name, .limit = 1 }, env->arena,
                            &r, NULL) ||
        !r.n_defs || !r.defs[0].is_exact)
        return;
    const ken_intent it = { .kind = KEN_INTENT_FIND_DEFINITION, .subject = name };
    add_next(env, &it, &r, true, out);
}

// ---- all of it ---------------------------------------------------------------------------------

static void add_words(uint32_t kinds, ken_intent_kind first, json_t *out)
{
    ken_json_set_str(out, "intent", ken_str_c(ken_intent_word(first)));
    kinds &= ~(1U << first);
    if (!kinds)
        return;
    json_t *also = json_array();
    for (int k = KEN_INTENT_NONE + 1; k < KEN_INTENT_COUNT; k++)
        if (kinds >> k & 1)
            ken_json_append(also, ken_json_str(ken_str_c(ken_intent_word((ken_intent_kind)k))));
    ken_json_set(out, "also_intents", also);
}

const char *ken_tool__add_intent(const ken_tool_env *env, ken_snapshot *snap, ken_str query,
                                 ken_str forced, json_t *out)
{
    ken_str text;
    ken_search_opts opts;
    ken_intent it;
    if (ken_query_parse(query, &(ken_search_opts){ 0 }, env->arena, &text, &opts, NULL) ||
        opts.mode == KEN_SEARCH_SYMBOL)
        return "";
    ken_query_intent(text, &it);
    if (forced.len) {
        it.kind = ken_intent_parse(forced);
        it.all = 1U << it.kind;
    }
    ken_definition_result r = { 0 };
    if (!it.kind && env->is_text && env->ctx->is_command)
        add_next_of_name(env, snap, text, out);
    if (!it.kind)
        return "";
    add_words(it.all, it.kind, out);
    bool is_known =
        it.kind != KEN_INTENT_ARCHITECTURAL && add_definitions(env, snap, it.subject, &r, out);
    bool has_graph = is_known && add_graph(env, snap, &it, out);
    add_next(env, &it, &r, is_known, out);
    return has_graph ? "symbol lookup, dependency traversal, " : is_known ? "symbol lookup, " : "";
}

// ---- text --------------------------------------------------------------------------------------

void ken_tool__intent_text(const json_t *answer, ken_paint *out)
{
    const json_t *usages = json_object_get(answer, "usages"),
                 *trace = json_object_get(answer, "trace"),
                 *definitions = json_object_get(answer, "definitions");
    for (size_t i = 0; i < json_array_size(definitions); i++)
        ken_tool__put_definition(json_array_get(definitions, i), "qualified_name", out);
    if (usages)
        ken_tool__find_usages_text(usages, out);
    if (trace)
        ken_tool__trace_execution_text(trace, out);
}

// Whether the reader types commands: then a tool is shown as one.
static bool is_typed(const ken_paint *out, ken_str tool)
{
    for (size_t i = 0; i < out->n_names; i++)
        if (ken_str_eq_c(tool, out->names[i].name))
            return !ken_str_eq_c(tool, out->names[i].shown);
    return false;
}

static void put_typed(ken_buf *text, ken_str value)
{
    bool is_plain = value.len > 0;
    for (size_t i = 0; i < value.len; i++)
        is_plain = is_plain && (ken_is_word(value.ptr[i]) || strchr("./:@-", value.ptr[i]));
    ken_buf_puts(text, is_plain ? " " : " '");
    for (size_t i = 0; i < value.len; i++)
        ken_buf_printf(text, value.ptr[i] == '\'' ? "'\\''" : "%c", value.ptr[i]);
    ken_buf_puts(text, is_plain ? "" : "'");
}

static void put_option(ken_buf *text, const ken_tool_command *c, const char *param, ken_str value)
{
    for (size_t i = 0; i < c->n_options; i++) {
        const ken_tool_option *o = &c->options[i];
        bool is_it = o->param && !strcmp(o->param, param);
        if (!is_it || (!o->value && !(o->means && ken_str_eq_c(value, o->means))))
            continue;
        ken_buf_printf(text, " --%s", o->name);
        if (o->value)
            put_typed(text, value);
        return;
    }
}

// "ken trace main --to write_reply"
static void put_command(ken_buf *text, const ken_tool_command *c, const json_t *args,
                        const ken_paint *reader)
{
    ken_buf_printf(text, "ken %s", c->name);
    for (size_t i = 0; i < c->n_words; i++) {
        const ken_tool_word *w = &c->words[i];
        ken_str value = w->param ? ken_tool__member(args, w->param) : KEN_STR("");
        if (value.len)
            put_typed(text, value);
        if (w->kind != KEN_WORD_RANGE)
            continue;
        ken_buf_putc(text, ' ');
        ken_paint_path(&(ken_paint){ .out = text, .here = reader->here, .root = reader->root },
                       ken_tool__member(args, "file_path"));
        ken_buf_printf(text, ":%lld-%lld", ken_tool__number(args, "line_start"),
                       ken_tool__number(args, "line_end"));
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)args, name, value) if (json_is_string(value))
        put_option(text, c, name, ken_json_text(value));
}

void ken_tool__next_text(const json_t *answer, ken_paint *out)
{
    const json_t *next = json_object_get(answer, "next");
    if (!next)
        return;
    ken_str tool = ken_tool__member(next, "tool");
    const ken_tool_spec *spec = ken_tool_spec_find(tool);
    if (spec && spec->command && is_typed(out, tool)) {
        ken_buf text = KEN_BUF_INIT(0);
        put_command(&text, spec->command, json_object_get(next, "arguments"), out);
        ken_paint_printf(out, KEN_STYLE_NOTE, "next: " KEN_STR_FMT "\n",
                         KEN_STR_ARG(ken_buf_str(&text)));
        ken_buf_release(&text);
        return;
    }
    ken_buf args = KEN_BUF_INIT(0);
    ken_json_dump(json_object_get(next, "arguments"), &args);
    ken_paint_printf(out, KEN_STYLE_NOTE, "next: " KEN_STR_FMT " " KEN_STR_FMT "\n",
                     KEN_STR_ARG(ken_tool__member(next, "tool")), KEN_STR_ARG(ken_buf_str(&args)));
    ken_buf_release(&args);
}
