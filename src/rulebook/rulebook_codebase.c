// SPDX-License-Identifier: MIT
// The collection "codebase": the files of the index that .rag/config.json lets be examples. The index
// itself stays whole, for every other tool asks it, too.
#include "base/path.h"
#include "lang/lang.h"
#include "query/query_facts.h"
#include "rulebook/rulebook_priv.h"

static bool has_text(const ken_str_list *l, ken_str text)
{
    for (size_t i = 0; i < l->n; i++)
        if (ken_str_eq(l->items[i], text))
            return true;
    return false;
}

static bool lies_in_one_of(ken_str path, const ken_str_list *folders)
{
    ken_str rest = ken_path_dir(path), part;
    while (ken_str_split_next(&rest, '/', &part))
        if (has_text(folders, part))
            return true;
    return false;
}

// ".ts" of "src/a.ts"; empty when there is none.
static ken_str dotted_ext(ken_str path)
{
    ken_str ext = ken_path_ext(path);
    return ext.len ? ken_str_n(ext.ptr - 1, ext.len + 1) : ext;
}

// The default names the languages of one program; here it stands for all that are programmed in.
static bool is_program(ken_str language)
{
    ken_lang_id id = ken_lang_by_name(language);
    return id != KEN_LANG_COUNT && ken_lang_role_of(id) == KEN_LANG_ROLE_CODE &&
           !ken_lang_at((uint16_t)id)->is_markup;
}

bool ken_rulebook__is_in_codebase(const ken_rulebook_config *c, ken_str path, ken_str language)
{
    if (ken_rules_kind_of(path, NULL) != KEN_RULE_NONE || lies_in_one_of(path, &c->exclude_dirs))
        return false;
    return has_text(&c->include_extensions, dotted_ext(path)) ||
           (c->has_default_extensions && is_program(language));
}

ken_status ken_rulebook__count_code(ken_rulebook *b, uint64_t *out_files, uint64_t *out_chunks,
                                    ken_err *err)
{
    ken_facts_scope all = { .with_generated = true };
    ken_file_fact *files = NULL;
    size_t n = 0;
    uint64_t n_files = 0, n_chunks = 0;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_status st = ken_list_files(b->snapshot, &all, &scratch, &files, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        if (!ken_rulebook__is_in_codebase(&b->config, files[i].path, files[i].language))
            continue;
        n_files++;
        n_chunks += files[i].n_chunks;
    }
    ken_arena_release(&scratch);
    if (!st) {
        *out_files = n_files;
        *out_chunks = n_chunks;
    }
    return st;
}
