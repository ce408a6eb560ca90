// SPDX-License-Identifier: MIT
// tool_graph_priv.h -- what the tools share that ask who uses what (query/query_graph.h).
//
// Each tool is two halves: asking, and the making of JSON from what came back, which is a function
// of its input (ken_tool__<noun>_json). Lines are 0-based in structs and 1-based in JSON; "at" is
// "path:line". Every answer says in words what it found and what could not be resolved.
#ifndef KEN_TOOL_TOOL_GRAPH_PRIV_H
#define KEN_TOOL_TOOL_GRAPH_PRIV_H

#include "query/query_tree.h"
#include "tool/tool_priv.h"
#include "tool_specs.h"

// ---- asking ------------------------------------------------------------------------------------
typedef ken_status ken_tool__ask_fn(ken_snapshot *s, void *ctx, ken_err *err);
// Opens the project that `project` means and asks; what is not found may have been written
// since, so then it asks once more of an index that is up to date. `out` is open on success.
ken_status ken_tool__ask(const ken_tool_env *env, ken_str project, ken_tool__ask_fn *ask, void *ctx,
                         ken_tool__scope *out, ken_err *err) KEN_MUST_USE;
// Bytes that the JSON of an answer may have: of so many tokens as JSON (0 = as the call has), or of so many
// as text, of which its JSON is twice as long. No limit where the call has none.
size_t ken_tool__answer_bytes(const ken_tool_env *env, size_t n_json, size_t n_text);

// ---- JSON --------------------------------------------------------------------------------------
void ken_tool__set_at(json_t *o, const char *key, ken_str path, uint32_t line);
bool ken_tool__is_external(const ken_graph_node *n);
// name, kind, at; what lies outside of the tree has a name only.
json_t *ken_tool__place_json(const ken_graph_node *n);
// The whole of it: name, kind, file_path, start_line, end_line, signature.
json_t *ken_tool__node_json(const ken_graph_node *n);
// Of a qualifier that does not fit: "; nothing of that name is in 'Router', this is Context.Next".
void ken_tool__put_missed(ken_buf *text, ken_str scope, ken_str qualified);
// Definitions that have the name and were not meant, and how to choose among them. `meant` may be NULL.
void ken_tool__set_others(json_t *o, const ken_graph_node *meant, const ken_graph_node *others,
                          size_t n, const ken_graph_chosen *chosen);
// Why commits are counted too low, when the clone is shallow; else empty. In the arena of `env`.
ken_str ken_tool__shallow_text(const ken_tool_env *env, ken_snapshot *s);
void ken_tool__set_class(json_t *o, ken_edge_class class, ken_str evidence);
void ken_tool__set_scope(json_t *o, const ken_tool__scope *scope); // project, index
// Which page of a list an answer holds, once it is as short as it stays: `offset` when it is not the
// first, `truncated` and `next_offset` when it is not the last. `total_key`: the member with the total.
void ken_tool__set_page(json_t *o, const char *list, const char *total_key, uint64_t offset);
ken_tests ken_tool__tests_of(ken_str word); // "include", "exclude", "only"
json_t *ken_tool__strings_json(const ken_str *items, size_t n);
// name, kind, start_line, end_line.
json_t *ken_tool__symbol_json(ken_str qualified, ken_symbol_kind kind, uint32_t first_line,
                              uint32_t last_line);

// A chunk of a file, and which of its definitions it is shown for.
typedef struct ken_tool__chunk {
    const ken_file_view *view;
    uint32_t chunk;
    int32_t symbol;      // -1 = none
    ken_str package;     // of the file
    bool wants_embedded; // with the text that an embedding model is given
} ken_tool__chunk;

// chunk_index, total_chunks, parent, signature, visibility, doc_string, package_name, is_collapsed, symbols[],
// embedded_text; what is empty is left out.
void ken_tool__set_chunk(json_t *o, const ken_tool__chunk *c, ken_arena *arena);
json_t *ken_tool__route_json(const ken_route *r);
// Takes items from the end of the longest of the lists until `result` has at most `max_bytes`; then
// says so, with `hint`. Lists that are no members are passed over.
void ken_tool__fit_lists(json_t *result, const char *const *lists, size_t n_lists, size_t max_bytes,
                         const char *hint);
// The same, but one list after the other: of each what is behind its first `least` goes before the
// next one loses anything. `slack` bytes stay free.
typedef struct ken_tool__fit_step {
    const char *list;
    size_t least;
} ken_tool__fit_step;
void ken_tool__fit_in_order(json_t *result, const ken_tool__fit_step *steps, size_t n_steps,
                            size_t max_bytes, size_t slack, const char *hint);

// ---- the shapes of answers, without project and index ------------------------------------------
typedef struct ken_tool__usages_shape {
    ken_str name;
    uint32_t offset;
    size_t max_bytes;    // of the whole
    size_t n_tail_bytes; // of what comes after
} ken_tool__usages_shape;

json_t *ken_tool__usages_json(const ken_usages *u, const ken_tool__usages_shape *shape);
json_t *ken_tool__trace_json(const ken_trace *t, const ken_trace_opts *o);
typedef struct ken_tool__impact_shape {
    size_t most_changed; // definitions listed
    bool is_diff;        // a change was asked about, not a symbol or a file
    bool is_text;        // what only the other format shows is left out
} ken_tool__impact_shape;

json_t *ken_tool__impact_json(const ken_impact *i, const ken_tool__impact_shape *shape);
// Tests that reach a definition that none uses itself.
typedef struct ken_tool__reaching {
    ken_dependent *tests; // nearest first
    size_t n, n_total;
} ken_tool__reaching;

json_t *ken_tool__explanation_json(const ken_explanation *e, const ken_tool__reaching *through);
json_t *ken_tool__architecture_json(const ken_architecture *a);
// Answers are kept within a size once they are whole.
void ken_tool__fit_impact(json_t *result, size_t max_bytes);
void ken_tool__fit_architecture(json_t *result, size_t max_bytes);

// ---- text --------------------------------------------------------------------------------------
ken_str ken_tool__member(const json_t *o, const char *key);
long long ken_tool__number(const json_t *o, const char *key);
size_t ken_tool__count_lines(ken_str text);
// A list as a table (base/table.h). `members`, one for each head: a member's name, "#name" of a count,
// "@" for the place, "path:line", as it opens from where the reader stands. Nothing for an empty list.
void ken_tool__put_table(const json_t *list, const char *heads, const char *members,
                         ken_paint *out);
// "  files      1,234": what is called `name`; nothing when the value is empty.
void ken_tool__put_row(ken_paint *out, const char *name, ken_str value);
// "169 files parsed with gaps, 2 cut by lines"; only what there is.
ken_str ken_tool__parsing_text(uint64_t n_gaps, uint64_t n_by_lines, ken_arena *arena);
// ": 3 binary, 1 secret" and the end of the line, of an object of counts by reason.
void ken_tool__put_skips(const json_t *skipped, ken_paint *out);
// The summary, on a line of its own.
void ken_tool__put_summary(const json_t *answer, ken_paint *out);
// The head of a list, "callers:"; nothing when the list is empty.
void ken_tool__put_head(const json_t *list, const char *head, ken_paint *out);
// The texts of a list, `between` each two, `head` before and `tail` behind all; nothing for none.
void ken_tool__put_texts(const json_t *list, const char *head, const char *between,
                         const char *tail, ken_paint *out);
// The same for paths: strings, or objects with file_path.
void ken_tool__put_paths(const json_t *list, const char *head, ken_paint *out);
// "path:3-9  method Parser.parse", of file_path, start_line, end_line, kind and a name.
void ken_tool__put_definition(const json_t *d, const char *name_key, ken_paint *out);
// The end of every answer: what else has the name, the note, the hint, where to go on.
void ken_tool__put_tail(const json_t *answer, ken_paint *out);
// The same of a list in pages: "showing 21-40 of 53, next: {offset} 40".
void ken_tool__put_page_tail(const json_t *answer, const char *list, const char *total_key,
                             ken_paint *out);
// " [inferred: why]": how an edge was resolved, where it is less than certain.
void ken_tool__put_class(const json_t *o, ken_paint *out);
void ken_tool__put_routes(const json_t *list, ken_paint *out);

#endif
