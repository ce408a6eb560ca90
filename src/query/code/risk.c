// SPDX-License-Identifier: MIT
// How risky a change is. The rule, which docs/graph.md has in words:
//
// 1. Each of the signs below takes its part of what is left to a certain failure.
// 2. Whatever that gives, a diff is not less than what it breaks: high when it removes or renames
//    what is still named outside of it, medium when what it gives another signature is used outside
//    of it, when a name that it removes or changes stands in places that could not be resolved, and
//    when a changed file could not be compared.
// 3. Below `medium_from` it is "low", from `high_from` on "high".
#include <math.h>

#include "query/code/impact_priv.h"

static const double medium_from = 0.3, high_from = 0.6;

enum {
    REASONS_MAX = 16
};

typedef struct judging {
    impact *m;
    double risk, least;
} judging;

static void add_reason(judging *j, double part, double least, ken_str text)
{
    ken_impact *out = j->m->out;
    j->risk = 1 - (1 - j->risk) * (1 - part);
    j->least = least > j->least ? least : j->least;
    if (out->n_reasons < REASONS_MAX)
        out->reasons[out->n_reasons++] = text;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

// "'f' was removed" or "3 definitions were removed or renamed"
static ken_str what_is_gone(judging *j)
{
    ken_impact *out = j->m->out;
    size_t n_broken = 0;
    const impact_changed *one = NULL;
    for (size_t i = 0; i < j->m->changed.len; i++) {
        const impact_changed *c = &j->m->changed.ptr[i];
        n_broken += c->shown.n_broken > 0;
        one = c->shown.n_broken && !one ? c : one;
    }
    if (!one)
        return KEN_STR("a file was removed or renamed");
    ken_str name = one->shown.was.len && one->shown.change == KEN_DELTA_RENAMED
                       ? one->shown.was
                       : one->shown.node.name;
    if (n_broken == 1 && out->n_broken)
        return ken_arena_printf(j->m->arena, "'" KEN_STR_FMT "' was %s", KEN_STR_ARG(name),
                                ken_delta_kind_word(one->shown.change));
    return ken_arena_printf(j->m->arena, "%zu definitions were removed, renamed or moved",
                            n_broken);
}

static void judge_breaks(judging *j)
{
    ken_impact *out = j->m->out;
    ken_arena *a = j->m->arena;
    if (out->n_broken) {
        ken_str what = what_is_gone(j);
        add_reason(j, 0.6, high_from,
                   ken_arena_printf(a,
                                    KEN_STR_FMT ", which %zu definition%s in %zu file%s outside of "
                                                "the diff still use%s",
                                    KEN_STR_ARG(what), out->n_broken, plural(out->n_broken),
                                    out->n_broken_files, plural(out->n_broken_files),
                                    out->n_broken == 1 ? "s" : ""));
    }
    if (out->n_exposed > out->n_broken) {
        size_t n = out->n_exposed - out->n_broken;
        add_reason(j, 0.3, medium_from,
                   ken_arena_printf(a,
                                    "%zu definition%s outside of the diff use%s what has another "
                                    "signature or another meaning now",
                                    n, plural(n), n == 1 ? "s" : ""));
    }
    size_t n_changed = out->n_by_change[KEN_DELTA_SIGNATURE] + out->n_by_change[KEN_DELTA_RENAMED] +
                       out->n_by_change[KEN_DELTA_REMOVED];
    if (n_changed && out->n_maybe_total) {
        add_reason(j, 0.1, medium_from,
                   ken_arena_printf(a,
                                    "%zu definition%s contain%s a name that the diff removes or "
                                    "changes, in a place that could not be resolved",
                                    out->n_maybe_total, plural(out->n_maybe_total),
                                    out->n_maybe_total == 1 ? "s" : ""));
    }
    if (out->n_uncompared_total)
        add_reason(j, 0.1, medium_from,
                   ken_arena_printf(a, "%zu changed file%s could not be compared",
                                    out->n_uncompared_total, plural(out->n_uncompared_total)));
}

static uint16_t most_complex(const ken_impact *out)
{
    uint16_t most = 0;
    for (size_t i = 0; i < out->n_changed; i++)
        if (out->changed[i].node.complexity > most)
            most = out->changed[i].node.complexity;
    return most;
}

ken_test_files ken_count_test_files(const ken_snapshot *s)
{
    ken_test_files out = { 0, 0 };
    for (uint32_t f = 0; f < s->n_files; f++) {
        const ken_language *lang = ken_lang_at(s->contents[f].lang);
        bool is_prose = lang->role != KEN_LANG_ROLE_CODE || lang->is_markup;
        out.n_parsed += lang->test_marks && !ken_query__is_test(s, f); // may hold some
        if (!ken_query__is_test(s, f) || (is_prose && s->contents[f].lang != KEN_LANG_UNKNOWN))
            continue;
        bool is_parsed = ken_lang_grammar((ken_lang_id)s->contents[f].lang) != NULL;
        out.n_parsed += is_parsed;
        out.n_unparsed += !is_parsed;
    }
    return out;
}

ken_str ken_no_test_text(const ken_test_files *files, uint32_t n_steps, ken_arena *arena)
{
    size_t n = files->n_unparsed;
    ken_str text = KEN_STR("no test was parsed");
    if (files->n_parsed)
        text = ken_arena_printf(arena, "no test reaches it in %u step%s", n_steps, plural(n_steps));
    if (!n)
        return text;
    return ken_arena_printf(arena,
                            KEN_STR_FMT "; %zu file%s that look%s like %stest%s in a language "
                                        "without a grammar, so not looked at",
                            KEN_STR_ARG(text), n, plural(n), n == 1 ? "s" : "", n == 1 ? "a " : "",
                            n == 1 ? " is" : "s are");
}

static void judge_reach(judging *j)
{
    ken_impact *out = j->m->out;
    ken_arena *a = j->m->arena;
    const impact_extent *x = &j->m->extent;
    if (x->n_all)
        add_reason(j, 0.6 * (1 - exp(-(double)x->n_all / 25)), 0,
                   ken_arena_printf(a, "%s%zu definition%s on it within %d steps, %zu directly",
                                    out->is_at_least ? "at least " : "", x->n_all,
                                    x->n_all == 1 ? " depends" : "s depend", IMPACT_RISK_STEPS,
                                    x->n_direct));
    if (x->n_files > 3)
        add_reason(j, 0.2 * (1 - exp(-(double)x->n_files / 20)), 0,
                   ken_arena_printf(a, "what depends on it%s is in %zu files",
                                    x->n_tests ? ", tests included," : "", x->n_files));
    if (x->n_all && !x->n_tests && !out->is_at_least)
        add_reason(j, 0.2, 0, ken_no_test_text(&out->test_files, IMPACT_RISK_STEPS, a));
    if (x->n_routes)
        add_reason(j, 0.15, 0,
                   ken_arena_printf(a, "%zu route%s to it", x->n_routes,
                                    x->n_routes == 1 ? " or event leads" : "s or events lead"));
}

void ken_query__impact_judge(impact *m, uint32_t n_commits)
{
    ken_impact *out = m->out;
    judging j = { .m = m };
    uint16_t complexity = most_complex(out);
    out->reasons = KEN_ARENA_ARRAY(m->arena, ken_str, REASONS_MAX);
    if (!out->n_tests_total)
        out->test_files = ken_count_test_files(m->s);
    judge_breaks(&j);
    judge_reach(&j);
    if (complexity >= 15)
        add_reason(&j, 0.1 + (complexity > 40 ? 0.1 : 0), 0,
                   ken_arena_printf(m->arena, "complexity %u", complexity));
    if (n_commits >= 5)
        add_reason(&j, 0.1, 0,
                   ken_arena_printf(m->arena, "%u commits in the last 90 days changed %s",
                                    n_commits,
                                    m->files.len == 1 ? "its file" : "one of its files"));
    if (out->n_unresolved)
        add_reason(&j, 0.1, 0,
                   ken_arena_printf(m->arena, "%zu place%s use%s %s and could not be resolved",
                                    out->n_unresolved, plural(out->n_unresolved),
                                    out->n_unresolved == 1 ? "s" : "",
                                    out->n_changed_total > 1 ? "one of its names" : "its name"));
    if (out->is_at_least)
        add_reason(&j, 0, medium_from, KEN_STR("the search was stopped before its end"));
    out->risk = j.risk > j.least ? j.risk : j.least;
    out->risk_level = out->risk < medium_from ? "low" : out->risk < high_from ? "medium" : "high";
}
