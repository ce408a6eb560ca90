// SPDX-License-Identifier: MIT
// rag_check_constraints: what a planned change must obey, how it is done here, and where it was
// done.
#include "obs/log.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

enum {
    SUMMARY_SLACK = 160, // bytes that the summary may grow by when something was cut
    VIOLATIONS_LEAST = 5,
};

// What readers of the log look for.
#define WARNING "[codebase_rag_mcp] Warning: "

// What goes first when not all fits: code can be searched for, rules cannot.
static const ken_tool__fit_step steps[] = {
    { "examples", 0 },   { "violations", VIOLATIONS_LEAST },
    { "patterns", 0 },   { "constraints", 0 },
    { "violations", 0 },
};

// ---- JSON --------------------------------------------------------------------------------------

static void set_lines(json_t *o, uint32_t first, uint32_t last)
{
    ken_json_set_u64(o, "startLine", first + 1);
    ken_json_set_u64(o, "endLine", last + 1);
}

static void set_text(json_t *o, const char *key, ken_str text)
{
    if (text.len)
        ken_json_set_str(o, key, text);
}

static json_t *found_json(const ken_rulebook_found *f)
{
    const ken_rule *r = f->rule;
    json_t *o = json_object();
    ken_json_set_str(o, "content", r->text);
    ken_json_set_str(o, "filePath", r->path);
    ken_json_set_str(o, "type", ken_str_c(ken_rule_kind_word(r->kind)));
    ken_json_set_real(o, "relevance", f->relevance);
    set_lines(o, r->first_line, r->last_line);
    set_text(o, "heading", r->heading);
    set_text(o, "id", r->id);
    if (r->severity != KEN_RULE_ERROR)
        ken_json_set_str(o, "severity", ken_str_c(ken_rule_severity_word(r->severity)));
    set_text(o, "scope", r->scope);
    if (r->globs.n)
        ken_json_set(o, "appliesTo", ken_tool__texts_json(r->globs.items, r->globs.n));
    set_text(o, "evidence", r->evidence);
    set_text(o, "example", r->example);
    if (r->check.kind != KEN_CHECK_NONE)
        ken_json_set_str(o, "check", ken_str_c(ken_rule_check_word(r->check.kind)));
    return o;
}

static json_t *constraints_json(const ken_rulebook_advice *a)
{
    json_t *list = json_array();
    ken_rules_keys *keys = ken_rules_keys_new();
    for (size_t i = 0; i < a->n_constraints; i++) {
        ken_str found[KEN_RULES_KEYS_MAX];
        json_t *o = found_json(&a->constraints[i]);
        size_t n = ken_rules_extract_keys(keys, a->constraints[i].rule->text, found);
        ken_json_set(o, "keyRules", ken_tool__texts_json(found, n));
        ken_json_append(list, o);
    }
    ken_rules_keys_free(keys);
    return list;
}

static json_t *patterns_json(const ken_rulebook_advice *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_patterns; i++)
        ken_json_append(list, found_json(&a->patterns[i]));
    return list;
}

static json_t *examples_json(const ken_tool_env *env, const ken_rulebook_advice *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_examples; i++) {
        const ken_hit *h = &a->examples[i];
        json_t *o = json_object();
        ken_json_set_str(o, "content", ken_tool__clip_lines(h->content, a->example_bytes, false));
        ken_json_set_str(o, "filePath", h->path);
        ken_json_set_str(o, "type", KEN_STR("code"));
        ken_json_set_str(o, "header",
                         ken_arena_printf(env->arena, "# File: " KEN_STR_FMT " (chunk %u/%u)",
                                          KEN_STR_ARG(h->path), h->chunk_index + 1, h->n_chunks));
        ken_json_set_str(o, "language", h->language);
        ken_json_set_u64(o, "chunkIndex", h->chunk_index);
        ken_json_set_u64(o, "totalChunks", h->n_chunks);
        ken_json_set_real(o, "relevance", a->relevances[i]);
        set_lines(o, h->first_line, h->last_line);
        set_text(o, "symbol", h->symbol);
        ken_json_append(list, o);
    }
    return list;
}

// " 12 of 20 examples are shown."
static void put_cut(ken_buf *out, const json_t *o, const char *list, size_t n)
{
    size_t n_shown = json_array_size(json_object_get(o, list));
    if (n_shown < n)
        ken_buf_printf(out, " %zu of %zu %s are shown.", n_shown, n, list);
}

static void set_summary(json_t *o, const ken_rulebook_advice *a)
{
    ken_buf text = KEN_BUF_INIT(400);
    ken_buf_puts(&text, "Found ");
    ken_tool__put_count(&text, a->n_constraints, "constraint");
    ken_buf_puts(&text, ", ");
    ken_tool__put_count(&text, a->n_patterns, "pattern");
    ken_buf_puts(&text, ", ");
    ken_tool__put_count(&text, a->n_examples, "example");
    ken_buf_puts(&text, " for this change.");
    put_cut(&text, o, "constraints", a->n_constraints);
    put_cut(&text, o, "patterns", a->n_patterns);
    put_cut(&text, o, "examples", a->n_examples);
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

// Documents that say nothing because of how they are written must not go unseen.
static void set_problems(json_t *o, const ken_rulebook *b)
{
    json_t *problems = json_array();
    size_t n = 0;
    const ken_rulebook_document *docs = ken_rulebook_documents(b, &n);
    for (size_t i = 0; i < n; i++)
        if (docs[i].error.len)
            ken_json_append(problems, ken_json_str(docs[i].error));
    if (json_array_size(problems))
        ken_json_set(o, "problems", problems);
    else
        json_decref(problems);
}

static ken_status answer(const ken_tool_env *env, const ken_tool__scope *scope, ken_rulebook *book,
                         const ken_rulebook_advice *advice, const ken_args_rag_check_constraints *a,
                         json_t *o, ken_err *err)
{
    json_t *constraints = constraints_json(advice);
    ken_json_set(o, "constraints", constraints);
    ken_json_set(o, "patterns", patterns_json(advice));
    ken_json_set(o, "examples", examples_json(env, advice));
    set_summary(o, advice);
    set_text(o, "note", advice->note);
    set_problems(o, book);
    ken_tool__tell_rules_project(env, &scope->project, a->project, o);
    ken_status st = ken_tool__set_findings(env, book, advice, constraints, err);
    if (!st && a->diff.len)
        st = ken_tool__set_diff(env, scope->snap, book, a->diff, o, err);
    if (st)
        return st;
    ken_tool__fit_in_order(o, steps, sizeof steps / sizeof *steps, env->ctx->max_bytes,
                           SUMMARY_SLACK,
                           "Response truncated. Use filters or smaller num_results to reduce "
                           "output.");
    set_summary(o, advice);
    return KEN_OK;
}

// For who reads the log of a server; people at a terminal are shown what there is.
static void warn(const ken_tool_env *env, const ken_rulebook_advice *a, const json_t *answer)
{
    const json_t *problems = json_object_get(answer, "problems");
    if (env->ctx->here.len)
        return;
    if (!a->n_constraints)
        KEN_LOG_WARNING("rules", WARNING "collection 'constraints' has nothing for this change");
    if (!a->n_patterns)
        KEN_LOG_WARNING("rules", WARNING "collection 'patterns' has nothing for this change");
    if (a->note.len)
        KEN_LOG_WARNING("rules", WARNING KEN_STR_FMT, KEN_STR_ARG(a->note));
    for (size_t i = 0; i < json_array_size(problems); i++)
        KEN_LOG_WARNING("rules", WARNING "%s", json_string_value(json_array_get(problems, i)));
}

ken_status ken_tool__rag_check_constraints(const ken_tool_env *env, const void *args, json_t **out,
                                           ken_err *err)
{
    const ken_args_rag_check_constraints *a = args;
    ken_tool__scope scope;
    ken_rulebook *book = NULL;
    ken_rulebook_advice advice;
    ken_status st = ken_tool__open_rules(env, a->project, &scope, &book, err);
    if (st)
        return st;
    st = ken_rulebook_check(book, a->change_description,
                            a->num_results ? a->num_results : KEN_RULEBOOK_AS_SET, env->ctx->cancel,
                            env->arena, &advice, err);
    if (!st) {
        json_t *o = ken_tool__success_json();
        ken_json_set_str(o, "query", a->change_description);
        st = answer(env, &scope, book, &advice, a, o, err);
        if (st) {
            json_decref(o);
        } else {
            warn(env, &advice, o);
            *out = o;
        }
    }
    ken_tool__close(env, &scope);
    return st;
}

// ---- text --------------------------------------------------------------------------------------

static void put_place(const json_t *o, ken_paint *out)
{
    ken_paint_path(out, ken_tool__member(o, "filePath"));
    ken_paint_puts(out, ":");
    ken_paint_printf(out, KEN_STYLE_LINE, "%lld", ken_tool__number(o, "startLine"));
}

static void put_violations(const json_t *list, const char *head, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        ken_paint_printf(out, KEN_STYLE_BAD, "%s: ", head);
        put_place(v, out);
        ken_paint_puts(out, " ");
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(v, "message"));
        ken_paint_puts(out, "\n");
    }
}

static void put_rules(const json_t *list, const char *head, ken_paint *out)
{
    ken_tool__put_head(list, head, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        ken_str heading = ken_tool__member(r, "heading"), text = ken_tool__member(r, "content"),
                line;
        ken_paint_puts(out, "  ");
        put_place(r, out);
        if (heading.len)
            ken_paint_printf(out, KEN_STYLE_DIM, "  [" KEN_STR_FMT "]", KEN_STR_ARG(heading));
        ken_paint_puts(out, "\n");
        while (ken_str_line_next(&text, &line)) {
            ken_paint_puts(out, "    ");
            ken_paint_str(out, KEN_STYLE_PLAIN, line);
            ken_paint_puts(out, "\n");
        }
        put_violations(json_object_get(json_object_get(r, "violations"), "first"), "    broken",
                       out);
    }
}

void ken_tool__rag_check_constraints_text(const json_t *answer, ken_paint *out)
{
    const json_t *examples = json_object_get(answer, "examples");
    const json_t *problems = json_object_get(answer, "problems");
    ken_tool__put_summary(answer, out);
    ken_tool__put_rules_project(answer, out);
    ken_tool__put_texts(problems, "problem: ", "\nproblem: ", "\n", out);
    put_violations(json_object_get(answer, "violations"), "violation", out);
    put_rules(json_object_get(answer, "constraints"), "constraints", out);
    put_rules(json_object_get(answer, "patterns"), "patterns", out);
    ken_tool__put_head(examples, "examples", out);
    for (size_t i = 0; i < json_array_size(examples); i++) {
        const json_t *e = json_array_get(examples, i);
        ken_paint_puts(out, "  ");
        put_place(e, out);
        ken_paint_printf(out, KEN_STYLE_LINE, "-%lld", ken_tool__number(e, "endLine"));
        ken_paint_puts(out, " ");
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(e, "symbol"));
        ken_paint_puts(out, "\n");
    }
    ken_tool__put_tail(answer, out);
}
