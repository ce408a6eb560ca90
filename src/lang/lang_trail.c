// SPDX-License-Identifier: MIT
#include "lang/lang_trail.h"

#include "lang/lang_ref_rules.h"
#include "lang/lang_rules.h"

enum {
    MAX_KEPT = 1 << 16 // stops that there is room for between files: 3 MB
};

void ken_trail_clear(ken_trail *t)
{
    if (t->stops.cap > MAX_KEPT)
        ken_vec_release(&t->stops);
    ken_vec_clear(&t->stops);
}

void ken_trail_release(ken_trail *t)
{
    ken_vec_release(&t->stops);
}

ken_trail_part ken_trail_add(ken_trail *t, ken_lang_id lang, const TSTree *tree)
{
    const ken_ref_rules *refs = ken_lang_ref_rules(lang);
    ken_trail_part part = { .trail = t, .first = t->stops.len };
    ken_walk *walk = ken_walk_new(tree, ken_lang_rules(lang)->first, refs ? refs->first : NULL);
    ken_walk_stop at;
    while (ken_walk_next(walk, true, &at))
        ken_vec_push(&t->stops, at);
    ken_walk_free(walk);
    part.end = t->stops.len;
    return part;
}

ken_trail_reader ken_trail_read(ken_trail_part part, const int16_t *rules)
{
    const ken_walk_stop *stops = part.trail->stops.ptr;
    if (part.first == part.end)
        return (ken_trail_reader){ .rules = rules };
    return (ken_trail_reader){ .at = stops + part.first, .end = stops + part.end, .rules = rules };
}

// The walk goes down before it goes on: as long as nothing at the depth of the last stop or above
// it went by, all is below that.
const ken_walk_stop *ken_trail_next(ken_trail_reader *r, bool wants_below)
{
    uint32_t unwanted = wants_below ? UINT32_MAX : r->depth, left = UINT32_MAX;
    for (const ken_walk_stop *s = r->at; s < r->end; s++) {
        left = s->left < left ? s->left : left;
        if (left > unwanted || (s->type != UINT16_MAX && r->rules[s->type] < 0))
            continue;
        r->at = s + 1;
        r->depth = s->depth;
        r->left = left;
        return s;
    }
    r->at = r->end;
    return NULL;
}
