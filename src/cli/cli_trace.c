// SPDX-License-Identifier: MIT
// ken trace: the tree of callees or callers, drawn.
#include "base/alloc.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    DEPTH_MAX = 10 // as trace_execution has it
};

static long long depth_of(const json_t *steps, size_t i)
{
    return ken_cli__number(json_array_get(steps, i), "depth");
}

// Whether another step of this depth follows below the same parent: from the end to the front.
static bool *find_followed(const json_t *steps, ken_arena *arena)
{
    bool has_next[DEPTH_MAX + 1] = { false };
    size_t n = json_array_size(steps);
    bool *followed = KEN_ARENA_ARRAY(arena, bool, n + 1);
    for (size_t i = n; i-- > 0;) {
        long long depth = depth_of(steps, i);
        if (depth < 0 || depth > DEPTH_MAX)
            continue;
        followed[i] = has_next[depth];
        has_next[depth] = true;
        for (long long d = depth + 1; d <= DEPTH_MAX; d++)
            has_next[d] = false;
    }
    return followed;
}

static void print_branch(const cli *x, const bool *open, long long depth, bool is_followed)
{
    for (long long d = 1; d < depth && d <= DEPTH_MAX; d++)
        ken_cli__paint(x, CLI_DIM, "%s", open[d] ? "\xe2\x94\x82  " : "   "); // │
    if (depth > 0)                                                            // ├─ └─
        ken_cli__paint(x, CLI_DIM, "%s",
                       is_followed ? "\xe2\x94\x9c\xe2\x94\x80 " : "\xe2\x94\x94\xe2\x94\x80 ");
}

static void print_counts(const cli *x, const json_t *step, size_t number)
{
    const json_t *seen = json_object_get(step, "seen_at");
    if (json_object_get(step, "sites"))
        ken_cli__paint(x, CLI_DIM, "  %lld calls", ken_cli__number(step, "sites"));
    if (json_object_get(step, "cycle"))
        ken_cli__paint(x, CLI_NOTE, "  cycle");
    else if (seen)
        ken_cli__paint(x, CLI_DIM, "  as %s",
                       json_integer_value(seen) < (json_int_t)number ? "above" : "below");
    if (json_object_get(step, "cut"))
        ken_cli__paint(x, CLI_NOTE, "  and %lld more", ken_cli__number(step, "cut"));
    if (json_object_get(step, "unresolved"))
        ken_cli__paint(x, CLI_NOTE, "  %lld unresolved", ken_cli__number(step, "unresolved"));
}

static void print_step(const cli *x, const json_t *step, size_t number)
{
    ken_str at = ken_cli__member(step, "at");
    ken_cli__paint_text(x, at.len ? CLI_NAME : CLI_PLAIN, ken_cli__member(step, "name"));
    if (at.len) {
        ken_cli__print("  ");
        ken_cli__print_at(x, at);
    }
    ken_cli__print_class(x, step);
    print_counts(x, step, number);
    ken_cli__print("\n");
}

static void show_trace(const cli *x, const json_t *answer)
{
    const json_t *steps = json_object_get(answer, "steps");
    ken_arena arena;
    bool open[DEPTH_MAX + 1] = { false };
    ken_arena_init(&arena, 0);
    const bool *followed = find_followed(steps, &arena);
    ken_cli__print_summary(x, answer);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        long long depth = depth_of(steps, i);
        print_branch(x, open, depth, followed[i]);
        print_step(x, json_array_get(steps, i), i);
        if (depth >= 0 && depth <= DEPTH_MAX)
            open[depth] = followed[i];
    }
    ken_arena_release(&arena);
}

ken_status ken_cli__run_trace(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *args = json_object();
    ken_json_set_str(args, "entry_point", ken_str_c(x->args.words[0]));
    if (ken_cli__args_has(&x->args, "callers"))
        ken_json_set_str(args, "direction", KEN_STR("callers"));
    if (ken_cli__args_has(&x->args, "external"))
        ken_json_set_bool(args, "external", true);
    ken_cli__set_arg(x, args, "to", "to");
    ken_status st = ken_cli__set_number(x, args, "depth", "max_depth", 1, DEPTH_MAX, err);
    if (!st)
        st = ken_cli__set_number(x, args, "limit", "max_nodes", 1, 1000, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    if (st) {
        json_decref(args);
        return st;
    }
    if (place.below.len)
        ken_json_set_str(args, "file_hint", place.below);
    ken_cli__set_arg(x, args, "file", "file_hint");
    return ken_cli__answer(x, &place, "trace_execution", args, show_trace, err);
}
