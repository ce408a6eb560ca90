// SPDX-License-Identifier: MIT
// What the scripting languages share.
#include "base/alloc.h"
#include "base/path.h"
#include "graph/graph_modules_script_priv.h"
#include "manifest/manifest_text.h"

enum {
    RANK_NONE = 255
};

// ---- files -------------------------------------------------------------------------------------
static uint32_t rank_of(ken_str ending, const char *const *endings)
{
    for (uint32_t i = 0; endings[i]; i++)
        if (ken_str_eq_c(ending, endings[i]))
            return i;
    return RANK_NONE;
}

// The first file of the folder whose base name is not before `base`.
static uint32_t first_from(const ken_modules *m, const module_folder *f, ken_str base)
{
    uint32_t from = 0, to = f->n_files;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (ken_str_cmp(ken_path_base(m->tree->paths[f->files[mid]]), base) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

uint32_t ken_modules__ending(const ken_modules *m, ken_str path, const char *const *endings)
{
    ken_str base = ken_path_base(path);
    uint32_t folder = path.ptr ? ken_modules__folder(m, ken_path_dir(path)) : MODULE_NONE;
    if (folder == MODULE_NONE || !base.len)
        return MODULE_NONE;
    const module_folder *f = &m->folders[folder];
    uint32_t best = RANK_NONE, found = MODULE_NONE;
    for (uint32_t i = first_from(m, f, base); i < f->n_files; i++) {
        ken_str name = ken_path_base(m->tree->paths[f->files[i]]);
        if (!ken_str_starts(name, base))
            break;
        uint32_t rank = rank_of(ken_str_sub(name, base.len, name.len), endings);
        if (rank < best) {
            best = rank;
            found = f->files[i];
        }
    }
    return found;
}

uint32_t ken_modules__above(ken_modules *m, ken_str dir, const char *const *folders, ken_str path,
                            const char *const *endings)
{
    for (;; dir = ken_path_dir(dir)) {
        for (uint32_t i = 0; folders[i]; i++) {
            ken_str root = ken_path_join(&m->scratch, dir, ken_str_c(folders[i]));
            uint32_t file = ken_modules__ending(m, ken_modules__join(m, root, path), endings);
            if (file != MODULE_NONE)
                return file;
        }
        if (!dir.len)
            return MODULE_NONE;
    }
}

bool ken_modules__has_below(ken_modules *m, ken_str folder)
{
    if (ken_modules__folder(m, folder) != MODULE_NONE)
        return true;
    module_range r = ken_modules__below(m, folder);
    return r.from < r.to;
}

uint32_t ken_modules__shared(ken_str a, ken_str b)
{
    uint32_t n = 0;
    for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++)
        n += a.ptr[i] == '/';
    return n;
}

// ---- texts -------------------------------------------------------------------------------------
ken_str ken_modules__concat(ken_modules *m, ken_str a, const char *sep, ken_str b)
{
    if (!a.len)
        return b;
    if (!b.len)
        return a;
    return ken_arena_printf(&m->scratch, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(a), sep,
                            KEN_STR_ARG(b));
}

// An upper-case letter begins a word after a lower-case one or a digit, and before a lower-case
// one.
static bool begins_word(ken_str name, size_t i)
{
    if (!i || !ken_is_upper(name.ptr[i]) || !ken_is_word(name.ptr[i - 1]))
        return false;
    char before = name.ptr[i - 1];
    bool is_before_lower =
        i + 1 < name.len && ken_is_alpha(name.ptr[i + 1]) && !ken_is_upper(name.ptr[i + 1]);
    return before != '_' && (!ken_is_upper(before) || is_before_lower);
}

ken_str ken_modules__underscore(ken_modules *m, ken_str name, ken_str separator)
{
    char *out = ken_arena_alloc(&m->scratch, name.len * 2 + 1);
    size_t len = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (ken_str_starts(ken_str_sub(name, i, name.len), separator)) {
            out[len++] = '/';
            i += separator.len - 1;
            continue;
        }
        if (begins_word(name, i))
            out[len++] = '_';
        out[len++] = ken_lower(name.ptr[i]);
    }
    return ken_str_n(out, len);
}

ken_str ken_modules__without_query(ken_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '?' || (text.ptr[i] == '#' && i))
            return ken_str_sub(text, 0, i);
    return text;
}

bool ken_modules__has_scheme(ken_str text)
{
    size_t i = 0;
    while (i < text.len && (ken_is_word(text.ptr[i]) || text.ptr[i] == '+' || text.ptr[i] == '-'))
        i++;
    return i > 1 && i < text.len && text.ptr[i] == ':' && ken_is_alpha(text.ptr[0]);
}

void *ken_modules__state(ken_modules *m, uint32_t lang, size_t n_bytes, bool *out_is_new)
{
    *out_is_new = !m->state[lang];
    if (*out_is_new)
        m->state[lang] = ken_arena_zalloc(&m->arena, n_bytes);
    return m->state[lang];
}

json_t *ken_modules__json(ken_modules *m, uint32_t file)
{
    return ken_manifest_json(ken_modules__peek(m, file), &m->scratch);
}

ken_str ken_modules__dup_text(ken_modules *m, const json_t *value)
{
    return ken_arena_dup(&m->arena, ken_json_text(value));
}

// ---- texts with one '*' ------------------------------------------------------------------------
module_pattern ken_modules__pattern(ken_str text)
{
    size_t star = ken_str_find_char(text, '*');
    if (star == SIZE_MAX)
        return (module_pattern){ .prefix = text };
    return (module_pattern){ .prefix = ken_str_sub(text, 0, star),
                             .suffix = ken_str_sub(text, star + 1, text.len),
                             .has_star = true };
}

static bool fits(const module_pattern *p, ken_str text)
{
    if (!p->has_star)
        return ken_str_eq(p->prefix, text);
    return text.len >= p->prefix.len + p->suffix.len && ken_str_starts(text, p->prefix) &&
           ken_str_ends(text, p->suffix);
}

const module_pattern *ken_modules__match(const module_patterns *p, ken_str text, ken_str *out_star)
{
    const module_pattern *best = NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        const module_pattern *one = &p->ptr[i];
        if (!fits(one, text))
            continue;
        if (!one->has_star) {
            best = one;
            break;
        }
        if (!best || one->prefix.len > best->prefix.len)
            best = one;
    }
    if (best && best->has_star)
        *out_star = ken_str_sub(text, best->prefix.len, text.len - best->suffix.len);
    else
        *out_star = KEN_STR("");
    return best;
}

ken_str ken_modules__fill(ken_modules *m, ken_str target, ken_str star)
{
    size_t at = ken_str_find_char(target, '*');
    if (at == SIZE_MAX)
        return target;
    ken_str head = ken_str_sub(target, 0, at), tail = ken_str_sub(target, at + 1, target.len);
    return ken_arena_printf(&m->scratch, KEN_STR_FMT KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(head),
                            KEN_STR_ARG(star), KEN_STR_ARG(tail));
}
