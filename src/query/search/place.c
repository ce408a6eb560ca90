// SPDX-License-Identifier: MIT
// A path where a symbol is expected: `src/net/retry.c` reads as the member `c` of `retry`, and a field of
// that name somewhere else would be an answer to another question.
#include "base/path.h"
#include "base/sorted.h"
#include "lang/lang.h"
#include "query/query_priv.h"

enum {
    SHOWN_MAX = 3
};

static bool is_folder(const ken_snapshot *s, ken_str path, ken_arena *arena)
{
    ken_str inside = ken_arena_printf(arena, KEN_STR_FMT "/", KEN_STR_ARG(path));
    size_t lo = KEN_FIRST_STR(ken_file_row, path, s->rows, s->n_files, inside);
    return lo < s->n_files && ken_str_starts(s->rows[lo].path, inside);
}

// "'a/x.c', 'b/x.c' and 2 more": the files whose path ends with it, or empty.
static ken_str files_ending(const ken_snapshot *s, ken_str path, ken_arena *arena)
{
    ken_str end = ken_arena_printf(arena, "/" KEN_STR_FMT, KEN_STR_ARG(path)), text = { "", 0 };
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_files; i++) {
        ken_str p = s->rows[i].path;
        if (!ken_str_ends(p, end) || n++ >= SHOWN_MAX)
            continue;
        text = ken_arena_printf(arena, KEN_STR_FMT "%s'" KEN_STR_FMT "'", KEN_STR_ARG(text),
                                n > 1 ? ", " : "", KEN_STR_ARG(p));
    }
    if (n > SHOWN_MAX)
        text =
            ken_arena_printf(arena, KEN_STR_FMT " and %zu more", KEN_STR_ARG(text), n - SHOWN_MAX);
    return text;
}

static ken_str say_file(ken_str files, ken_arena *arena)
{
    return ken_arena_printf(arena, "it is a file, " KEN_STR_FMT "; outline lists what it defines",
                            KEN_STR_ARG(files));
}

// Its ending is that of code and no file has it: moved, misspelt, or left out.
static ken_str say_gone(const ken_snapshot *s, ken_str path, ken_arena *arena)
{
    ken_str near = files_ending(s, ken_path_base(path), arena);
    return ken_arena_printf(arena,
                            "it reads as a path, and no file of the index has it%s" KEN_STR_FMT,
                            near.len ? "; near paths: " : "", KEN_STR_ARG(near));
}

// `bin/run` may be the function `run` of a file `bin`, `retry.c` the member `c` of a type `retry`.
static bool is_asked_as_path(bool has_folder, bool has_ending, query_fit fit)
{
    if (has_folder && has_ending)
        return true;
    return fit < (has_ending ? QUERY_FIT_OWNER : QUERY_FIT_PATH);
}

ken_str ken_query__say_path(const ken_snapshot *s, ken_str name, query_fit fit, ken_arena *arena)
{
    ken_str scope, last = ken_query__last_name(name, &scope), none = KEN_STR("");
    size_t at = (size_t)(last.ptr - name.ptr);
    char before = at ? name.ptr[at - 1] : '\0';
    bool has_folder = ken_str_find_char(name, '/') != SIZE_MAX, has_ending = before == '.';
    if ((before != '/' && !has_ending) || ken_str_find_char(name, ':') != SIZE_MAX)
        return none;
    if (!is_asked_as_path(has_folder, has_ending, fit))
        return none;
    ken_str path = ken_query__relative_path(s, name, arena);
    if (!path.ptr || !path.len)
        return none;
    if (ken_query__file_index(s, path) >= 0)
        return say_file(ken_arena_printf(arena, "'" KEN_STR_FMT "'", KEN_STR_ARG(path)), arena);
    ken_str ending = files_ending(s, path, arena);
    if (ending.len)
        return say_file(ending, arena);
    if (has_folder && is_folder(s, path, arena))
        return ken_str_c("it is a folder");
    bool is_gone = has_folder && has_ending && fit == QUERY_FIT_NONE && ken_lang_is_code_path(path);
    return is_gone ? say_gone(s, path, arena) : none;
}
