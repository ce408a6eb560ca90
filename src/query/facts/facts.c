// SPDX-License-Identifier: MIT
// Shared by the lists of facts: files in scope, their current facts, the place of a byte.
#include "base/map.h"
#include "base/path.h"
#include "query/facts/facts_priv.h"
#include "query/query_facts.h"
#include "scan/scan.h"

enum {
    WRITTEN_MAX = 160 // bytes of a name with its qualifiers
};

// ---- scope --------------------------------------------------------------------------------------

bool ken_globs_match(const ken_str_list *globs, ken_str path)
{
    for (size_t i = 0; i < globs->n; i++)
        if (ken_glob_means(globs->items[i], path))
            return true;
    return false;
}

ken_status ken_globs_check(const ken_str_list *globs, ken_err *err)
{
    for (size_t i = 0; i < globs->n; i++) {
        if (!globs->items[i].len)
            return KEN_FAIL(err, KEN_EINVAL, "a glob is empty");
        if (ken_glob_check(globs->items[i], err))
            return KEN_EINVAL;
    }
    return KEN_OK;
}

static bool is_in_scope(const ken_snapshot *s, uint32_t file, const ken_facts_scope *scope)
{
    ken_str path = s->rows[file].path;
    if (scope->without_tests && ken_query__is_test(s, file))
        return false;
    if (!scope->only.n && !scope->with_generated &&
        ken_query__is_generated(s, file)) // nobody's habits
        return false;
    if (scope->in.n && !ken_globs_match(&scope->in, path))
        return false;
    return !ken_globs_match(&scope->except, path);
}

ken_status ken_query__scope_files(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                                  uint32_t **out, size_t *out_n, ken_err *err)
{
    query_check_pin(s);
    if (ken_globs_check(&scope->in, err) || ken_globs_check(&scope->except, err))
        return KEN_EINVAL;
    uint32_t *files = KEN_ARENA_ARRAY(arena, uint32_t, s->n_files + (size_t)1);
    size_t n = 0;
    ken_map only;
    ken_map_init(&only);
    for (size_t i = 0; i < scope->only.n; i++)
        ken_map_put(&only, scope->only.items[i], 1, NULL);
    for (uint32_t f = 0; f < s->n_files; f++)
        if ((!scope->only.n || ken_map_find(&only, s->rows[f].path)) && is_in_scope(s, f, scope))
            files[n++] = f;
    ken_map_release(&only);
    *out = files;
    *out_n = n;
    return KEN_OK;
}

ken_status ken_query__scope_marks(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                                  uint8_t **out, ken_err *err)
{
    uint32_t *files;
    size_t n;
    ken_status st = ken_query__scope_files(s, scope, arena, &files, &n, err);
    if (st)
        return st;
    *out = ken_arena_zalloc(arena, s->n_files + (size_t)1);
    for (size_t i = 0; i < n; i++)
        (*out)[files[i]] = 1;
    return KEN_OK;
}

ken_status ken_list_files(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                          ken_file_fact **out, size_t *out_n, ken_err *err)
{
    uint32_t *files;
    ken_status st = ken_query__scope_files(s, scope, arena, &files, out_n, err);
    if (st)
        return st;
    *out = KEN_ARENA_ARRAY(arena, ken_file_fact, *out_n + 1);
    for (size_t i = 0; i < *out_n; i++) {
        (*out)[i] = (ken_file_fact){
            .path = s->rows[files[i]].path,
            .language = ken_str_c(ken_lang_name((ken_lang_id)s->contents[files[i]].lang)),
            .n_lines = s->contents[files[i]].n_lines,
            .n_chunks = s->contents[files[i]].n_chunks,
            .is_test = ken_query__is_test(s, files[i]),
            .is_generated = ken_query__is_generated(s, files[i]),
        };
    }
    return KEN_OK;
}

ken_status ken_list_paths(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                          ken_str **out, size_t *out_n, ken_err *err)
{
    uint32_t *files;
    ken_status st = ken_query__scope_files(s, scope, arena, &files, out_n, err);
    if (st)
        return st;
    *out = KEN_ARENA_ARRAY(arena, ken_str, *out_n + 1);
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] = ken_arena_dup(arena, s->rows[files[i]].path);
    return KEN_OK;
}

// ---- facts of a file ----------------------------------------------------------------------------

ken_status ken_query__unit_now(ken_snapshot *s, uint32_t file, ken_graph **out_graph,
                               const ken_unit_text **out_unit, ken_err *err)
{
    if (ken_query__graph_is_stale(s, file))
        ken_query__graph_close(s);
    ken_status st = ken_query__graph_open(s, out_graph, err);
    if (!st)
        *out_unit = ken_graph_unit(*out_graph, file);
    return st;
}

bool ken_query__lines_of(ken_snapshot *s, uint32_t file, ken_arena *arena, query_lines *out)
{
    query_text t;
    if (ken_query__load_text(s, file, arena, &t, NULL))
        return false;
    bool is_read = ken_query__need_text(&t);
    ken_query__close_text(&t);
    if (!is_read)
        return false;
    out->text = t.text;
    out->n = ken_line_starts(t.text, NULL, 0);
    out->starts = KEN_ARENA_ARRAY(arena, uint32_t, out->n + (size_t)1);
    ken_line_starts(t.text, out->starts, out->n);
    return true;
}

ken_fact_place ken_query__place_at(const query_lines *l, uint32_t byte)
{
    ken_fact_place p = { 0, 0 };
    if (!l->n || byte >= l->text.len)
        return p;
    p.line = ken_line_of(l->starts, l->n, byte);
    p.column = byte - l->starts[p.line];
    return p;
}

// Where the separator that ends at `at` begins, or `at` when there is none.
static size_t before_separator(ken_str text, size_t at)
{
    static const char *const separators[] = { "?.", "!.", "::", "->", "." };
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        ken_str sep = ken_str_c(separators[i]);
        if (ken_str_ends(ken_str_sub(text, 0, at), sep))
            return at - sep.len;
    }
    return at;
}

static size_t before_word(ken_str text, size_t at)
{
    while (at > 0 && (ken_is_word(text.ptr[at - 1]) || text.ptr[at - 1] == '$' ||
                      (unsigned char)text.ptr[at - 1] >= 0x80))
        at--;
    return at;
}

static size_t behind_word(ken_str text, size_t at)
{
    while (at < text.len && (ken_is_word(text.ptr[at]) || text.ptr[at] == '$' ||
                             (unsigned char)text.ptr[at] >= 0x80))
        at++;
    return at;
}

ken_str ken_query__written(ken_str text, uint32_t byte, ken_str name)
{
    if (byte >= text.len)
        return name;
    bool is_it = ken_str_starts(ken_str_sub(text, byte, text.len), name);
    size_t end = is_it ? byte + name.len : behind_word(text, byte);
    size_t from = byte;
    for (;;) {
        size_t sep = before_separator(text, from);
        size_t word = before_word(text, sep);
        if (sep == from || word == sep || end - word > WRITTEN_MAX)
            return ken_str_sub(text, from, end);
        from = word;
    }
}
