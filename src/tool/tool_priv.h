// SPDX-License-Identifier: MIT
// tool_priv.h -- what the tools of this folder share: scope, limits, small readers.
#ifndef KEN_TOOL_TOOL_PRIV_H
#define KEN_TOOL_TOOL_PRIV_H

#include "app/remotes.h"
#include "base/map.h"
#include "json/json.h"
#include "query/query.h"
#include "tool/tool.h"

// ---- tool_scope.c: which project, and its snapshot ---------------------------------------------
// The project that `args.project` and the call's context mean. A folder that is not known yet becomes
// a project only when it is the git work tree that the client works in.
ken_status ken_tool__find_project(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                                  ken_err *err) KEN_MUST_USE;
// The project around the folder that the client works in: known, or its git work tree. KEN_ENOTFOUND
// without a message when there is none.
ken_status ken_tool__find_served(const ken_tool_env *env, ken_project_info *out, ken_err *err)
    KEN_MUST_USE;
// For calls that are made to index: the project around an absolute path, or a new one of that folder
// when there is none and the endpoint is not bound to one.
ken_status ken_tool__find_or_add(const ken_tool_env *env, ken_str path, ken_project_info *out,
                                 ken_err *err) KEN_MUST_USE;

// The git work tree around the folder `dir`; ptr NULL when there is none.
ken_str ken_tool__find_work_tree(ken_arena *arena, ken_str dir);

typedef struct ken_tool__scope {
    ken_project_info project;
    ken_snapshot *snap;
    ken_snapshot_head head;
    int64_t began_ns,
        opening_ns; // when it was asked for; what bringing it up to date and opening took
} ken_tool__scope;

// Finds the project, indexes it when it never was and that is allowed, borrows a snapshot.
ken_status ken_tool__open(const ken_tool_env *env, ken_str ref, ken_tool__scope *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_tool__open_project(const ken_tool_env *env, const ken_project_info *project,
                                  ken_tool__scope *out, ken_err *err) KEN_MUST_USE;
// Brings the project's index up to date, all of it, when that is allowed; the question does not pay.
ken_status ken_tool__index_now(const ken_tool_env *env, const ken_project_info *project,
                               ken_err *err) KEN_MUST_USE;
void ken_tool__close(const ken_tool_env *env, ken_tool__scope *scope);

// An absolute path for what a caller named: as it is, or below the context's cwd.
ken_str ken_tool__absolute(const ken_tool_env *env, ken_str path);

// {id, name, root}, and {generation, indexed_at, commit}.
json_t *ken_tool__project_json(const ken_project_info *p);
// What some process is at (`indexing`): {pid, stage, files_done, files_total, seconds_left}, and that in words:
// "indexing, 3,200 of 78,000 files, about 40 s left".
json_t *ken_tool__run_json(const ken_app_run *run);
ken_str ken_tool__run_text(const json_t *run, ken_arena *a);
json_t *ken_tool__index_json(const ken_tool__scope *scope);

// Its first `most` languages: {language, files, lines}, with their bytes where those are wanted.
json_t *ken_tool__langs_json(const ken_snapshot_stats *s, size_t most, bool has_bytes);

// Reports an indexing run's progress through the context.
void ken_tool__on_index(void *env, const ken_index_progress *p);
ken_app_indexing ken_tool__indexing(const ken_tool_env *env, bool is_forced);

// ---- tool_args.c: from what a caller sent to what a tool reads ----------------------------------
ken_status ken_tool__prepare_args(const ken_tool_spec *spec, const json_t *schema,
                                  const json_t *args, json_t **out, ken_err *err) KEN_MUST_USE;
// Fills the struct of spec->args_size bytes from arguments that were made ready.
void ken_tool__read_args(const ken_tool_spec *spec, const json_t *given, void *out);

// `total`, whether it is a lower bound, `confidence` when the answer has one, the hint that nothing fits.
void ken_tool__add_totals(json_t *out, const ken_search_result *r);
// The same as a line of text, with the strategy and how many files are not as they were indexed.
void ken_tool__account_text(const json_t *answer, ken_paint *out);

// ---- tool_log.c: what is written down of a call: log, metrics, trace ------------------------------
// name, word; in the order in which they come
#define KEN_TOOL__PHASE_TABLE(X) \
    X(CATCH_UP, "catch_up")      \
    X(OPEN, "open")              \
    X(WORDS, "words")            \
    X(EMBED, "embed")            \
    X(VECTORS, "vectors")        \
    X(RANK, "rank")              \
    X(SHOW, "show")

typedef enum ken_tool__phase {
#define X(name, word) KEN_TOOL__##name,
    KEN_TOOL__PHASE_TABLE(X)
#undef X
    KEN_TOOL__PHASES
} ken_tool__phase;

typedef struct ken_tool__time {
    int64_t began_ns, ns; // 0, 0 = it did not come to that
} ken_tool__time;

enum {
    KEN_TOOL__NAME_MAX = 80 // bytes of a project's name that are kept
};

typedef struct ken_tool__notes {
    int64_t began_ns;
    ken_otel_span span; // begun
    ken_tool__time times[KEN_TOOL__PHASES];
    char project_id[KEN_UUID_TEXT]; // "" = about none
    char project[KEN_TOOL__NAME_MAX + 1];
} ken_tool__notes;

// Whether there is anybody who wants to know.
bool ken_tool__is_noted(const ken_tool_ctx *ctx);
void ken_tool__note_project(const ken_tool_env *env, const ken_project_info *project);
// A phase that comes twice, in a search over all projects, is one that took both times.
void ken_tool__note_time(const ken_tool_env *env, ken_tool__phase phase, int64_t began_ns,
                         int64_t ns);
// A search that has ended: its record, and its phases.
void ken_tool__note_search(const ken_tool_env *env, const ken_tool__scope *scope, ken_str query,
                           const ken_search_result *r);
// The end of a call, and of its span. `tool`: static, NULL = there is no such tool; `result`: NULL when
// it failed.
void ken_tool__note_end(ken_tool__notes *notes, const char *tool, const ken_tool_ctx *ctx,
                        const json_t *result, ken_status st, const ken_err *err);

// ---- tool_remove_project.c ----------------------------------------------------------------------
ken_status ken_tool__remove(const ken_tool_env *env, const ken_project_info *project, json_t **out,
                            ken_err *err) KEN_MUST_USE;

// ---- tool_repository.c: remote repositories -----------------------------------------------------
// ken_app_remote_json, with `state` and `next_sync`.
json_t *ken_tool__remote_json(const ken_remote *r);

// ---- tool_fit.c: staying within a size ---------------------------------------------------------
// Bytes of an answer as text. The generation of its index counts as a long number, so that what an
// answer has room for does not depend on how often the tree was indexed.
size_t ken_tool__size(const json_t *result);
// Drops trailing members of the array `list` until `result` has at most `max_bytes` as text; sets
// `truncated` and `hint` when it did. Returns how many are left.
size_t ken_tool__fit(json_t *result, const char *list, size_t max_bytes, const char *hint);
// At most `max_bytes` of `text`, whole lines when there are any; from the end when `keeps_end`.
ken_str ken_tool__clip_lines(ken_str text, size_t max_bytes, bool keeps_end);

// ---- tool_intent.c: what a question wants -------------------------------------------------------
// Adds `intent`, `definitions`, `usages` or `trace`, and `next`, as far as the question has them.
// Returns what was done for that, to stand before the strategy of the search: "symbol lookup, ", or
// empty. `forced`: a word of ken_intent_word, or empty: as the question says.
const char *ken_tool__add_intent(const ken_tool_env *env, ken_snapshot *snap, ken_str query,
                                 ken_str forced, json_t *out);
// What the graph says of the question; and the call that answers it better.
void ken_tool__intent_text(const json_t *answer, ken_paint *out);
void ken_tool__next_text(const json_t *answer, ken_paint *out);

// ---- tool_history.c: who changed lines -----------------------------------------------------------
// Sets `history` of a result: who changed these lines (0-based) last, and all their authors. What cannot
// be read is told in its `reason`; only that it was cancelled is an error.
ken_status ken_tool__set_history(const ken_tool_env *env, const ken_tool__scope *scope,
                                 ken_str path, uint32_t first_line, uint32_t last_line,
                                 json_t *result, ken_err *err) KEN_MUST_USE;
void ken_tool__history_text(const json_t *result, ken_paint *out);
// Sets `upstream`, `ahead` and `behind`, where they are known: beside the branch that HEAD's follows, of a
// clone of ours (`r`, else NULL) the one that is synced.
void ken_tool__set_upstream(const ken_tool_env *env, const ken_project_info *project,
                            const ken_remote *r, json_t *o);

// ---- tool_link.c: where a hosted remote shows a place ------------------------------------------
typedef struct ken_tool__link ken_tool__link;
struct ken_tool__link {
    ken_str
        base; // "https://host/owner/repo", empty when there is no remote that is known to show code
    ken_str blob;         // between base and commit: "/blob/"
    ken_str commit;       // before the commit where it stands behind the path: "?at="; else empty
    ken_str line;         // before line numbers: "#L", "#lines-"
    ken_str to;           // between two line numbers: "-L", "-", ":"
    ken_roots roots;      // further ones of the project
    ken_tool__link *more; // of each of these; their commits are those of the moment
    ken_str head;         // of one of these
};

// By the host's name, or what the setting repository.hosts says of it.
ken_tool__link ken_tool__find_link(const ken_config *settings, ken_arena *arena,
                                   const ken_project_info *project);
// The commit that a file of the index is of: `commit` in the first root, else its own root's.
ken_str ken_tool__commit_of(const ken_tool__link *link, ken_str commit, ken_str path);
// NULL when there is nothing to show. Lines are 0-based.
json_t *ken_tool__url(const ken_tool__link *link, ken_str commit, ken_str path, uint32_t first_line,
                      uint32_t last_line);

// The name of a symbol that tells it from the others of its file: qualified, "~2" for the second …
// Call it for every symbol in order, with one `seen` per file.
ken_str ken_tool__node_name(ken_arena *arena, ken_map *seen, const ken_facts *facts,
                            uint32_t symbol);

// ---- the tools: made of specs/ (tool_specs.c in the build folder) -------------------------------
extern const ken_tool_def ken_tool__builtin[];
extern const size_t ken_tool__n_builtin;

#endif
