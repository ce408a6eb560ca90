// SPDX-License-Identifier: MIT
// Which of several definitions of one name is meant: the one that most references by the name resolve to, those
// at the top of its own file apart; of those that are used as often, the first in the order of names (code
// before tests and bundled code); of those that are alike in that, too, the longest, when they are in
// different files.
#include "base/map.h"
#include "query/query_refs_priv.h"

enum {
    GROUPED = 64, // definitions that are looked at although nothing names them
    MEASURED = 50 // whose length is compared
};

typedef struct choice {
    ken_snapshot *s;
    ken_graph *g;
    ken_str hint;
    bool is_entry;
    query_names *names;
    ken_arena *arena;
    ken_map group_of; // definition -> its group; a declaration and its definition are of one
    uint32_t *group;  // by name, + 1; 0 = none
    size_t *n_uses;   // by group
    uint32_t n_groups;
} choice;

static ken_graph_def def_of(const query_name *n)
{
    return (ken_graph_def){ n->file, n->symbol };
}

static bool has_hint(const choice *c, const query_name *n)
{
    return c->hint.len && ken_str_find(c->s->rows[n->file].path, c->hint) != SIZE_MAX;
}

static bool can_lead(ken_symbol_kind kind)
{
    return ken_symbol_is_callable(kind) || ken_symbol_is_type(kind);
}

// Only what fits the question as well as the first does competes with it. A trace begins at what can
// lead on, when there is such a thing.
static bool competes(const choice *c, size_t i)
{
    const query_name *first = &c->names->ptr[0], *n = &c->names->ptr[i];
    return n->closeness == first->closeness && ken_str_eq(n->text, first->text) &&
           has_hint(c, n) == has_hint(c, first) &&
           (!c->is_entry || !can_lead(first->kind) || can_lead(n->kind));
}

static void add_group(choice *c, size_t i)
{
    ken_graph_def same[QUERY_TWINS], d = def_of(&c->names->ptr[i]);
    const uint64_t *known = ken_map_find(&c->group_of, query_def_key(&d));
    if (known && *known) {
        c->group[i] = (uint32_t)*known;
        return;
    }
    c->group[i] = ++c->n_groups;
    uint32_t n = ken_graph_twins(c->g, d, same, QUERY_TWINS);
    for (uint32_t k = 0; k < n; k++)
        *ken_map_put(&c->group_of, query_def_key(&same[k]), 0, NULL) = c->n_groups;
}

static ken_status add_groups(choice *c, const query_refs *list, ken_err *err)
{
    for (uint32_t t = 0; t < list->n_targets; t++)
        ken_map_put(&c->group_of, query_def_key(&list->targets[t]), 0, NULL);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < c->names->len; i++) {
        ken_graph_def d = def_of(&c->names->ptr[i]);
        if (!competes(c, i) || (i >= GROUPED && !ken_map_find(&c->group_of, query_def_key(&d))))
            continue;
        st = ken_quota_check(err);
        if (!st)
            add_group(c, i);
    }
    return st;
}

// The group of a target. A script that runs its own `main` says nothing of which one is meant.
static uint64_t group_of(const choice *c, const query_ref *r, const ken_graph_def *target)
{
    const uint64_t *at = ken_map_find(&c->group_of, query_def_key(target));
    bool is_own_start = r->file == target->file && r->within < 0;
    return at && !is_own_start ? *at : 0;
}

// A reference that may mean several counts once for each thing.
static void count_uses(choice *c, const query_refs *list)
{
    for (uint32_t i = 0; i < list->n_refs; i++) {
        const query_ref *r = &list->refs[i];
        const ken_graph_def *targets = &list->targets[r->first_target];
        for (uint32_t k = 0; k < r->n_targets; k++) {
            uint64_t group = group_of(c, r, &targets[k]);
            bool is_again = !group;
            for (uint32_t b = 0; b < k && !is_again; b++)
                is_again = group_of(c, r, &targets[b]) == group;
            c->n_uses[group] += !is_again;
        }
    }
}

static uint32_t lines_of(const choice *c, size_t i)
{
    const query_name *n = &c->names->ptr[i];
    const ken_unit_text *u = ken_graph_unit(c->g, n->file);
    if (!u || n->symbol >= u->facts->n_symbols)
        return 0;
    return u->facts->symbols[n->symbol].last_line - u->facts->symbols[n->symbol].first_line;
}

static size_t uses_of(const choice *c, size_t i)
{
    return c->group[i] ? c->n_uses[c->group[i]] : 0;
}

// The names are in order, so the first of those that are used most is the best of them.
static size_t choose(const choice *c)
{
    size_t best = 0, n_measured = 0;
    for (size_t i = 1; i < c->names->len; i++)
        if (competes(c, i) && uses_of(c, i) > uses_of(c, best))
            best = i;
    uint32_t n_lines = 0;
    double order = c->names->ptr[best].order;
    for (size_t i = best; i < c->names->len && n_measured < MEASURED; i++) {
        const query_name *n = &c->names->ptr[i];
        bool is_same_file = i != best && n->file == c->names->ptr[best].file;
        if (n->order != order || !competes(c, i) || uses_of(c, i) != uses_of(c, best) ||
            is_same_file)
            continue;
        uint32_t its = lines_of(c, i);
        n_measured++;
        if (i == best || its > n_lines) {
            best = i;
            n_lines = its;
        }
    }
    return best;
}

// Another thing of the name is: then no one is the most used.
static bool is_used_as_often(const choice *c, size_t best)
{
    for (size_t i = 0; i < c->names->len; i++)
        if (competes(c, i) && c->group[i] != c->group[best] && uses_of(c, i) == uses_of(c, best))
            return true;
    return false;
}

// Puts the best first and what is the same thing behind it; the rest stays in order.
static void move_first(choice *c, size_t best)
{
    query_names *names = c->names;
    query_name *all = KEN_ARENA_ARRAY(c->arena, query_name, names->len);
    size_t n = 0;
    uint32_t group = c->group[best];
    all[n++] = names->ptr[best];
    for (int is_rest = 0; is_rest < 2; is_rest++)
        for (size_t i = 0; i < names->len; i++)
            if (i != best && (!group || c->group[i] != group) == (is_rest != 0))
                all[n++] = names->ptr[i];
    memcpy(names->ptr, all, n * sizeof *all);
}

static ken_status choose_by_uses(choice *c, size_t *out_n_uses, ken_err *err)
{
    const query_refs *list = NULL;
    ken_str name = ken_query__graph_keep(c->s, c->names->ptr[0].text);
    ken_query__graph_age(c->s);
    ken_status st =
        ken_query__refs_get(c->s, c->g, QUERY_REFS_NAME, &name, 1, NULL, c->arena, &list, err);
    if (st || ken_quota_is_settled()) // what was counted in part says nothing of who is used most
        return st;
    st = add_groups(c, list, err);
    if (st)
        return st;
    c->n_uses = KEN_ARENA_ARRAY(c->arena, size_t, c->n_groups + (size_t)1);
    count_uses(c, list);
    size_t best = choose(c);
    *out_n_uses = is_used_as_often(c, best) ? 0 : uses_of(c, best);
    move_first(c, best);
    return KEN_OK;
}

ken_status ken_query__put_meant_first(ken_snapshot *s, ken_graph *g, ken_str hint, bool is_entry,
                                      ken_arena *arena, query_names *names, size_t *out_n_uses,
                                      ken_err *err)
{
    *out_n_uses = 0;
    if (names->len < 2)
        return KEN_OK;
    choice c = {
        .s = s, .g = g, .hint = hint, .is_entry = is_entry, .names = names, .arena = arena
    };
    size_t n = 0;
    for (size_t i = 0; i < names->len; i++)
        n += competes(&c, i);
    if (n < 2)
        return KEN_OK;
    c.group = KEN_ARENA_ARRAY(arena, uint32_t, names->len);
    ken_map_init(&c.group_of);
    ken_status st = choose_by_uses(&c, out_n_uses, err);
    ken_map_release(&c.group_of);
    return st;
}
