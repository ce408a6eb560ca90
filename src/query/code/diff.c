// SPDX-License-Identifier: MIT
// The impact of a diff. Definitions of both sides are compared (code/delta.c). Those that still exist
// are followed by code/impact.c like any symbol. Removed ones have no edges any more: their users are
// those of the base, less those that the diff changes too. The references of these users are resolved
// in the current tree: one that leads nowhere is broken.
#include "base/path.h"
#include "query/code/impact_priv.h"
#include "query/query_base_priv.h"
#include "query/query_refs_priv.h"

enum {
    UNCOMPARED_MAX = 20,
    OVERRIDERS_MAX = 64
};

// The definitions of a changed file, as they are in the index.
typedef struct matched {
    int64_t *now; // by definition of `old`; NULL = not worked out yet
    bool *reads_same;
    int64_t *current; // by definition of `now`
} matched;

typedef struct diff {
    impact *m;
    query_base base;
    query_deltas deltas;
    ken_graph *was;              // the graph of the base
    matched *matched;            // by file of the base's list
    KEN_VEC(ken_graph_def) gone; // of the base
    KEN_VEC(size_t) gone_at;     // their entries among the changed ones, SIZE_MAX = none
    query_edges edges, unresolved;
} diff;

static matched *match_of(diff *d, const query_base_file *f)
{
    matched *m = &d->matched[f - d->base.files];
    if (!m->now)
        ken_query__match(&f->old, f->current, d->m->arena, &m->now, &m->reads_same);
    return m;
}

// The number in the index of a definition of the newer side; -1 = it is not there.
static int64_t current_def(diff *d, const query_base_file *f, int64_t def)
{
    bool *unused;
    if (d->base.has_work_tree || def < 0)
        return def;
    matched *m = &d->matched[f - d->base.files];
    if (!m->current)
        ken_query__match(&f->now, f->current, d->m->arena, &m->current, &unused);
    return m->current[def];
}

// ---- what is gone -------------------------------------------------------------------------------

static void set_place(const query_delta *t, ken_arena *arena, ken_graph_node *out)
{
    ken_unit_text u = { &t->file->old.facts, &t->file->old.refs, t->file->old_path,
                        t->file->old.facts.lang };
    out->path = ken_arena_dup(arena, t->file->old_path);
    out->language = ken_str_c(ken_lang_name((ken_lang_id)u.lang));
    if (t->old_def < 0)
        return;
    out->kind = ken_graph_kind(&u, (ken_def_id)t->old_def);
    if (t->old_def >= u.facts->n_symbols)
        return;
    const ken_symbol *s = &u.facts->symbols[t->old_def];
    out->qualified = ken_view_qualified(arena, u.facts, (uint32_t)t->old_def);
    out->visibility = s->visibility;
    out->first_line = s->first_line;
    out->last_line = s->last_line;
}

// A definition that has another name or place now is shown where it is, and followed in the base.
static void add_gone(diff *d, const query_delta *t)
{
    impact *m = d->m;
    int64_t def = t->new_def < 0 || t->to->file < 0 ? -1 : current_def(d, t->to, t->new_def);
    impact_changed *c = NULL;
    if (def >= 0) {
        ken_graph_def id = { (uint32_t)t->to->file, (ken_def_id)def };
        c = ken_query__impact_add_changed(m, id, t->change);
        if (c)
            c->shown.was = t->change == KEN_DELTA_RENAMED
                               ? ken_query__repaired(m->arena, ken_arena_dup(m->arena, t->name))
                               : ken_arena_dup(m->arena, t->file->old_path);
    } else if (!t->is_part && !t->is_passed_on) {
        c = ken_query__impact_add_gone(m, KEN_DELTA_REMOVED, t->name);
        if (c)
            set_place(t, m->arena, &c->shown.node);
    }
    if (t->old_def < 0 || d->gone.len >= IMPACT_CHANGED_MAX)
        return;
    ken_graph_def was = { 0, (ken_def_id)t->old_def }; // its file is numbered when the base is open
    was.file = (uint32_t)(t->file - d->base.files);
    ken_vec_push(&d->gone, was);
    ken_vec_push(&d->gone_at, c ? (size_t)(c - m->changed.ptr) : SIZE_MAX);
}

static void add_delta(diff *d, const query_delta *t)
{
    if (t->change >= KEN_DELTA_MOVED) {
        add_gone(d, t);
        return;
    }
    int64_t def = t->to->file < 0 ? -1 : current_def(d, t->to, t->new_def);
    if (def >= 0 && !(t->change == KEN_DELTA_ADDED && t->is_part))
        ken_query__impact_add_changed(
            d->m, (ken_graph_def){ (uint32_t)t->to->file, (ken_def_id)def }, t->change);
}

// ---- who used it --------------------------------------------------------------------------------

// A user in the current tree, and whether its reference still resolves.
typedef struct user {
    ken_graph_def id;
    uint32_t ref; // UINT32_MAX = none at hand
    bool is_broken;
} user;

static bool leads_somewhere(diff *d, uint32_t file, uint32_t ref)
{
    const ken_unit_text *u = ken_graph_unit(d->m->g, file);
    ken_targets t = { .n = 0 };
    if (u && ref < u->refs->n_refs)
        ken_graph_resolve_ref(d->m->g, file, &u->refs->refs[ref], &t);
    return t.n > 0;
}

// In a changed file, too: the definition around it must be unchanged and still contain the name.
static bool find_in_changed(diff *d, const query_base_file *f, int32_t holder, ken_str name,
                            user *out)
{
    const ken_unit_text *u =
        f->file < 0 || !f->is_known ? NULL : ken_graph_unit(d->m->g, (uint32_t)f->file);
    if (!u)
        return false;
    int64_t now = -1;
    if (holder >= 0) {
        matched *m = match_of(d, f);
        now = m->reads_same[holder] ? m->now[holder] : -1;
        if (now < 0 || now >= u->facts->n_symbols)
            return false;
    }
    ken_span span = now < 0 ? (ken_span){ 0, UINT32_MAX } : u->facts->symbols[now].span;
    bool is_found = false;
    for (uint32_t i = ken_query__first_ref(u->refs, span.start);
         i < u->refs->n_refs && u->refs->refs[i].byte < span.end; i++) {
        const ken_ref *r = &u->refs->refs[i];
        if (!ken_str_eq(u->refs->exprs[r->expr].name, name) ||
            (now < 0 && ken_graph_within(d->m->g, (uint32_t)f->file, r->byte) >= 0))
            continue;
        bool is_broken = !leads_somewhere(d, (uint32_t)f->file, i);
        if (is_found && !(is_broken && !out->is_broken))
            continue;
        *out =
            (user){ { (uint32_t)f->file, now < 0 ? UINT32_MAX : (ken_def_id)now }, i, is_broken };
        is_found = true;
    }
    return is_found;
}

// The current definition that corresponds to the user in an edge of the base.
static bool find_user(diff *d, const query_edge *e, user *out)
{
    const query_base_file *f = ken_query__overlay_of(d->base.snapshot, e->file);
    if (f) {
        const ken_unit_text *u = ken_graph_unit(d->was, e->file);
        return u && find_in_changed(d, f, e->holder,
                                    u->refs->exprs[u->refs->refs[e->ref].expr].name, out);
    }
    uint32_t now = d->base.to_now[e->file];
    if (now == UINT32_MAX)
        return false;
    *out = (user){ { now, e->holder < 0 ? UINT32_MAX : (ken_def_id)e->holder },
                   e->ref,
                   !leads_somewhere(d, now, e->ref) };
    return true;
}

static void add_user(diff *d, const user *u, size_t at, ken_edge_class class, ken_delta_kind change)
{
    impact *m = d->m;
    ken_changed_def *c = at == SIZE_MAX ? NULL : &m->changed.ptr[at].shown;
    if (change == KEN_DELTA_MOVED && !u->is_broken) // it is found where it is now
        return;
    impact_reached *r = ken_query__impact_reach_user(m, u->id, class);
    if (!r)
        return;
    if (c) {
        c->n_users++;
        c->n_broken += u->is_broken;
    }
    if (change > r->change || u->is_broken)
        r->change = change > r->change ? change : r->change;
    bool is_worse = u->is_broken && !r->is_broken;
    if (is_worse || (u->is_broken == r->is_broken && u->ref < r->ref))
        r->ref = u->ref;
    r->is_broken = r->is_broken || u->is_broken;
}

static ken_delta_kind change_at(const diff *d, size_t at)
{
    return at == SIZE_MAX ? KEN_DELTA_REMOVED : d->m->changed.ptr[at].shown.change;
}

// Which of those that are gone an edge names; SIZE_MAX = it is not held.
static size_t gone_of(const diff *d, const query_edge *e)
{
    for (size_t i = 0; i < d->gone.len; i++)
        if (ken_graph_def_eq(d->gone.ptr[i], e->to))
            return d->gone_at.ptr[i];
    return SIZE_MAX;
}

// Methods that override one with another signature do not any more.
static void add_overriding(impact *m)
{
    size_t n_changed = m->changed.len;
    for (size_t i = 0; i < n_changed; i++) {
        ken_graph_def over[OVERRIDERS_MAX], id = m->changed.ptr[i].id;
        if (m->changed.ptr[i].shown.change != KEN_DELTA_SIGNATURE)
            continue;
        uint32_t n = ken_graph_overriders(m->g, id, over, OVERRIDERS_MAX);
        for (uint32_t k = 0; k < n; k++) {
            impact_reached *r = ken_query__impact_reach_user(m, over[k], KEN_EDGE_INFERRED);
            if (!r)
                continue;
            r->change = KEN_DELTA_SIGNATURE > r->change ? KEN_DELTA_SIGNATURE : r->change;
            m->changed.ptr[i].shown.n_users++;
        }
    }
}

// Methods that overrode what is gone override nothing now.
static void add_overriders(diff *d)
{
    for (size_t i = 0; i < d->gone.len; i++) {
        ken_graph_def over[OVERRIDERS_MAX];
        uint32_t n = ken_graph_overriders(d->was, d->gone.ptr[i], over, OVERRIDERS_MAX);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t now = d->base.to_now[over[k].file];
            if (now == UINT32_MAX || ken_query__overlay_of(d->base.snapshot, over[k].file))
                continue;
            user u = { { now, over[k].def }, UINT32_MAX, false };
            add_user(d, &u, d->gone_at.ptr[i], KEN_EDGE_INFERRED, change_at(d, d->gone_at.ptr[i]));
        }
    }
}

// Places with the name of a removed definition that were unresolved in the base.
static void add_unresolved(diff *d)
{
    impact *m = d->m;
    ken_map names; // of what has no such name any more
    ken_map_init(&names);
    for (size_t i = 0; i < d->gone.len; i++) {
        const ken_unit_text *u = ken_graph_unit(d->was, d->gone.ptr[i].file);
        if (u && change_at(d, d->gone_at.ptr[i]) != KEN_DELTA_MOVED)
            ken_map_put(&names, ken_graph_name(u, d->gone.ptr[i].def), 1, NULL);
    }
    for (size_t i = 0; i < d->unresolved.len; i++) {
        const query_edge *e = &d->unresolved.ptr[i];
        const ken_unit_text *text = ken_graph_unit(d->was, e->file);
        user u;
        if (!text || !ken_map_find(&names, text->refs->exprs[text->refs->refs[e->ref].expr].name) ||
            !find_user(d, e, &u))
            continue;
        ken_query__impact_add_maybe(m, u.id, u.ref);
        query_edge place = { .file = u.id.file, .ref = u.ref, .holder = -1, .within = -1 };
        ken_vec_push(&m->unresolved, place);
    }
    ken_map_release(&names);
}

static ken_status follow_gone(diff *d, ken_err *err)
{
    impact *m = d->m;
    for (size_t i = 0; i < d->gone.len; i++)
        d->gone.ptr[i].file = (uint32_t)d->base.files[d->gone.ptr[i].file].base_file;
    ken_status st =
        ken_query__edges_to(d->base.snapshot, d->was, d->gone.ptr, (uint32_t)d->gone.len, m->cancel,
                            m->arena, &d->edges, &d->unresolved, err);
    for (size_t i = 0; !st && i < d->edges.len; i++) {
        user u;
        size_t at = gone_of(d, &d->edges.ptr[i]);
        if (ken_query__impact_is_use(&d->edges, i) && find_user(d, &d->edges.ptr[i], &u))
            add_user(d, &u, at, d->edges.ptr[i].class, change_at(d, at));
    }
    if (!st) {
        add_overriders(d);
        add_unresolved(d);
    }
    return st;
}

// ---- what was passed on -------------------------------------------------------------------------

// References by a name that led into the tree through what the file passed on.
static ken_status follow_passed_on(diff *d, const query_delta *t, ken_err *err)
{
    impact *m = d->m;
    const query_refs *said = NULL;
    ken_str name = ken_query__graph_keep(d->base.snapshot, t->name);
    ken_status st = ken_query__refs_get(d->base.snapshot, d->was, QUERY_REFS_NAME, &name, 1,
                                        m->cancel, m->arena, &said, err);
    for (uint32_t i = 0; !st && said && i < said->n_refs; i++) {
        const query_ref *r = &said->refs[i];
        query_edge e = { .file = r->file,
                         .ref = r->ref,
                         .holder = r->holder,
                         .class = (ken_edge_class)r->class };
        user u;
        if (r->n_targets && find_user(d, &e, &u) && u.is_broken)
            add_user(d, &u, SIZE_MAX, e.class, KEN_DELTA_REMOVED);
    }
    return st;
}

// ---- files that are gone ------------------------------------------------------------------------

static bool is_only(const ken_module *m, int64_t file)
{
    return m->kind == KEN_MODULE_FILES && m->n_files == 1 && m->files[0] == file;
}

static bool has_files(const ken_module *m)
{
    return m->kind == KEN_MODULE_FILES && m->n_files;
}

// Whether an import of a file led to the one that is gone, and leads nowhere now.
static bool has_lost(diff *d, uint32_t file, uint32_t now, const query_base_file *gone)
{
    const ken_unit_text *u = ken_graph_unit(d->was, file);
    for (uint32_t i = 0; u && i < u->refs->n_binds; i++) {
        ken_module module, inner;
        if (!u->refs->binds[i].module.len)
            continue;
        ken_graph_bind(d->was, file, i, &module, &inner);
        if (!is_only(&module, gone->base_file) && !is_only(&inner, gone->base_file))
            continue;
        ken_graph_bind(d->m->g, now, i, &module, &inner);
        if (!has_files(&module) && !has_files(&inner))
            return true;
    }
    return false;
}

// The name of a file where it is imported.
static ken_str stem_of(ken_str path)
{
    ken_str stem = ken_path_stem(ken_path_base(path));
    stem = ken_str_sub(stem, 0, ken_str_find_char(stem, '.'));
    const char *folder = ken_lang_at((uint16_t)ken_lang_of(path, KEN_STR("")))->folder_stem;
    bool is_folder = folder && ken_str_eq_c(stem, folder);
    return is_folder && ken_path_dir(path).len ? ken_path_base(ken_path_dir(path)) : stem;
}

static bool has_broken(const impact *m, uint32_t file)
{
    for (size_t i = 0; i < m->reached.len; i++)
        if (m->reached.ptr[i].id.file == file && m->reached.ptr[i].is_broken)
            return true;
    return false;
}

static ken_status follow_file(diff *d, const query_base_file *gone, ken_err *err)
{
    impact *m = d->m;
    uint32_t *files;
    size_t n;
    ken_status st = ken_query__graph_files_with(d->base.snapshot, stem_of(gone->old_path), m->arena,
                                                &files, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        uint32_t now = d->base.to_now[files[i]];
        st = ken_cancel_check(m->cancel, err);
        if (st || now == UINT32_MAX || ken_query__overlay_of(d->base.snapshot, files[i]) ||
            !has_lost(d, files[i], now, gone))
            continue;
        user u = { { now, UINT32_MAX }, UINT32_MAX, true };
        if (!has_broken(m, now)) // a place is more precise than the file
            add_user(d, &u, SIZE_MAX, KEN_EDGE_IMPORTED, KEN_DELTA_REMOVED);
    }
    return st;
}

// ---- the whole ----------------------------------------------------------------------------------

static bool is_gone(const query_base_file *f)
{
    return f->is_known && f->base_file >= 0 &&
           (f->kind == KEN_CHANGE_DELETED || f->kind == KEN_CHANGE_RENAMED);
}

static ken_status follow_all(diff *d, ken_err *err)
{
    bool has_gone = d->gone.len > 0;
    for (size_t i = 0; i < d->base.n_files; i++)
        has_gone = has_gone || d->base.files[i].kind == KEN_CHANGE_DELETED ||
                   d->base.files[i].kind == KEN_CHANGE_RENAMED;
    for (size_t i = 0; i < d->deltas.len; i++)
        has_gone = has_gone || d->deltas.ptr[i].is_passed_on;
    if (!has_gone)
        return KEN_OK;
    ken_status st = ken_query__base_open(&d->base, d->m->s, d->m->arena, &d->was, err);
    if (!st && d->gone.len)
        st = follow_gone(d, err);
    for (size_t i = 0; !st && i < d->deltas.len; i++)
        if (d->deltas.ptr[i].is_passed_on)
            st = follow_passed_on(d, &d->deltas.ptr[i], err);
    for (size_t i = 0; !st && i < d->base.n_files; i++)
        if (is_gone(&d->base.files[i]))
            st = follow_file(d, &d->base.files[i], err);
    return st;
}

// Files of which a side could not be read count as a whole, and are reported.
static void add_uncompared(diff *d, const ken_changes *changes)
{
    impact *m = d->m;
    m->out->uncompared = KEN_ARENA_ARRAY(m->arena, ken_str, UNCOMPARED_MAX);
    for (size_t i = 0; i < d->base.n_files; i++) {
        const query_base_file *f = &d->base.files[i];
        if (f->is_known)
            continue;
        m->out->n_uncompared_total++;
        if (m->out->n_uncompared < UNCOMPARED_MAX)
            m->out->uncompared[m->out->n_uncompared++] =
                ken_arena_printf(m->arena, KEN_STR_FMT " %s", KEN_STR_ARG(f->path),
                                 f->why ? f->why : "could not be read");
        for (size_t k = 0; f->file >= 0 && k < changes->n_files; k++) {
            const ken_changed_file *c = &changes->files[k];
            if (!ken_str_eq(c->path, f->path))
                continue;
            for (size_t l = 0; l < c->n_changes; l++)
                ken_query__impact_add_lines(
                    m, (uint32_t)f->file, c->changes[l].first,
                    c->changes[l].first + (c->changes[l].n_lines ? c->changes[l].n_lines - 1 : 0));
            if (!c->n_changes)
                ken_query__impact_add_lines(m, (uint32_t)f->file, 0, UINT32_MAX - 1);
        }
    }
}

static ken_status compare(diff *d, const ken_changes *changes, ken_err *err)
{
    impact *m = d->m;
    ken_status st = ken_query__base_load(m->s, changes, m->cancel, m->arena, &d->base, err);
    if (!st)
        st = ken_query__find_deltas(&d->base, m->cancel, &d->deltas, err);
    if (st)
        return st;
    d->matched = KEN_ARENA_ARRAY(m->arena, matched, d->base.n_files + 1);
    for (int change = KEN_DELTA_KIND_COUNT - 1; change > KEN_DELTA_NONE; change--)
        for (size_t i = 0; i < d->deltas.len; i++) // the worst first: there is a bound
            if ((int)d->deltas.ptr[i].change == change)
                add_delta(d, &d->deltas.ptr[i]);
    add_uncompared(d, changes);
    add_overriding(m);
    st = follow_all(d, err);
    ken_query__base_close(&d->base, m->s);
    return st;
}

ken_status ken_query__impact_change_diff(impact *m, ken_err *err)
{
    ken_changes changes;
    ken_status st = ken_snapshot_changes(m->s, m->o->diff, m->cancel, m->arena, &changes, err);
    if (st)
        return st;
    m->out->is_at_least = m->out->is_at_least || changes.is_truncated;
    for (size_t i = 0; i < changes.n_files; i++) {
        ken_vec_push(&m->files, changes.files[i].path);
        if (changes.files[i].old_path.len)
            ken_vec_push(&m->files, changes.files[i].old_path);
    }
    diff d = { .m = m };
    st = compare(&d, &changes, err);
    ken_vec_release(&d.deltas);
    ken_vec_release(&d.gone);
    ken_vec_release(&d.gone_at);
    ken_vec_release(&d.edges);
    ken_vec_release(&d.unresolved);
    return st;
}
