// SPDX-License-Identifier: MIT
#include "model/grant.h"

static const struct {
    const char *word;
    unsigned flag;
} scopes[] = {
    { "read", KEN_SCOPE_F_READ },
    { "write", KEN_SCOPE_F_WRITE },
    { "admin", KEN_SCOPE_F_ADMIN },
};

enum {
    N_SCOPES = sizeof scopes / sizeof *scopes
};

// The scope and those before it; 0 when there is none of that name.
static unsigned scope_of(ken_str word)
{
    unsigned flags = 0;
    for (size_t i = 0; i < N_SCOPES; i++) {
        flags |= scopes[i].flag;
        if (ken_str_eq_c(word, scopes[i].word))
            return flags;
    }
    return 0;
}

bool ken_scopes_parse(ken_str text, unsigned *out)
{
    unsigned flags = 0;
    ken_str part, word;
    while (ken_str_split_next(&text, ',', &part)) {
        while (ken_str_split_next(&part, ' ', &word)) {
            unsigned found = scope_of(word);
            if (word.len && !found)
                return false;
            flags |= found;
        }
    }
    if (flags)
        *out = flags;
    return flags;
}

ken_str ken_scopes_format(unsigned flags, ken_arena *arena)
{
    ken_str list = KEN_STR("");
    for (size_t i = 0; i < N_SCOPES; i++)
        if (flags & scopes[i].flag)
            list = ken_arena_printf(arena, KEN_STR_FMT "%s%s", KEN_STR_ARG(list),
                                    list.len ? "," : "", scopes[i].word);
    return list;
}

bool ken_grant_allows(const ken_grant *g, unsigned wanted, const ken_uuid *project)
{
    bool is_meant = !g->is_bound || (project && ken_uuid_eq(*project, g->project));
    return is_meant && (g->scopes & wanted) == wanted;
}
