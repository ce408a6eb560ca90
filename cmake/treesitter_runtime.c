// SPDX-License-Identifier: MIT
// The tree-sitter runtime, with room for scanners that write past the end of what it offers them.
//
// A scanner saves its state into a buffer of 1024 bytes that lies in front of the parser's own
// pointers. Those of YAML, Python and Ruby check their bounds a step late (two bytes over, behind
// 250 nested lists, say), the one of Markdown does not check (four bytes for each open quote or
// list). Files come from strangers, so the runtime, and only the runtime, is built with a larger
// buffer; src/lang refuses Markdown that would fill even this one.
#include <tree_sitter/api.h>

#include "parser.h"

#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE (64 * 1024)

#include "lang/lang_walk.h"
#include "lib.c"

// Ruby's scanner keeps the length of a heredoc's word in one byte. A word of more than 255 would be
// read back as something else, and the scanner ends the program when it notices. It gets no state
// back rather than a wrong one.
static const TSLanguage *ruby;
static TSLanguage guarded_ruby;

static bool reads_back(const unsigned char *state, unsigned n)
{
    unsigned at = 1 + (n ? 5u * state[0] : 0); // literals, five bytes each
    unsigned n_heredocs = at < n ? state[at] : 0;
    for (at++; n_heredocs && at + 4 <= n; n_heredocs--)
        at += 4u + state[at + 3];
    return !n_heredocs && at == n;
}

static unsigned serialize_ruby(void *payload, char *buffer)
{
    unsigned n = ruby->external_scanner.serialize(payload, buffer);
    return reads_back((const unsigned char *)buffer, n) ? n : 0;
}

const TSLanguage *ken_treesitter_guard_ruby(const TSLanguage *language);

const TSLanguage *ken_treesitter_guard_ruby(const TSLanguage *language)
{
    bool has_metadata = language->abi_version >= LANGUAGE_VERSION_WITH_RESERVED_WORDS;
    ruby = language;
    memcpy(&guarded_ruby, language,
           has_metadata ? sizeof guarded_ruby : offsetof(TSLanguage, name));
    guarded_ruby.external_scanner.serialize = serialize_ruby;
    return &guarded_ruby;
}

// ---- the walk of lang/lang_walk.h ---------------------------------------------------------------
// A level is a node, visible or not, whose children are being gone over. They lie in an array in
// front of their parent, small leaves in the array itself, so that most nodes cost a look at eight
// bytes and an addition.
typedef struct walk_level {
    const Subtree *at, *end; // children to come
    const TSSymbol *alias;   // of the next child that is no extra; NULL = none has one
    Length position;         // where the next child begins
    uint32_t depth;          // of visible children
    TSSymbol type;           // of the visible node around them
} walk_level;

enum {
    WALK_AHEAD = 6 // children that are asked for ahead
};

struct ken_walk {
    const TSTree *tree;
    const int16_t *first, *other; // the same one when there is no other
    const Subtree *stop;          // the present one
    Length stop_position;
    Array(walk_level) levels;
};

ken_walk *ken_walk_new(const TSTree *tree, const int16_t *first, const int16_t *other)
{
    ken_walk *w = ts_calloc(1, sizeof *w);
    w->tree = tree;
    w->first = first;
    w->other = other ? other : first;
    return w;
}

void ken_walk_free(ken_walk *w)
{
    if (!w)
        return;
    array_delete(&w->levels);
    ts_free(w);
}

static inline void walk_enter(ken_walk *w, const Subtree *node, Length position, uint32_t depth,
                              TSSymbol type)
{
    uint32_t n = ts_subtree_child_count(*node);
    if (!n || !node->ptr->visible_child_count)
        return;
    const Subtree *children = ts_subtree_children(*node);
    for (uint32_t i = 1; i < n && i < WALK_AHEAD; i++)
        if (!children[i].data.is_inline)
            __builtin_prefetch(children[i].ptr);
    const TSSymbol *alias = ts_language_alias_sequence(w->tree->language, node->ptr->production_id);
    walk_level level = { children, children + n, alias, position, depth, type };
    array_push(&w->levels, level);
}

static inline bool walk_stops(const ken_walk *w, TSSymbol *symbol)
{
    if (*symbol == ts_builtin_sym_error)
        return true;
    *symbol = w->tree->language->public_symbol_map[*symbol];
    return w->first[*symbol] >= 0 || w->other[*symbol] >= 0;
}

static bool walk_begin(ken_walk *w, ken_walk_stop *out)
{
    const Subtree *root = &w->tree->root;
    TSSymbol type = ts_subtree_symbol(*root);
    bool stops = walk_stops(w, &type);
    w->stop = root;
    w->stop_position = ts_subtree_padding(*root);
    *out = (ken_walk_stop){ ts_tree_root_node(w->tree), type, type, 0, 0 };
    return stops;
}

bool ken_walk_next(ken_walk *w, bool wants_below, ken_walk_stop *out)
{
    uint32_t left = UINT32_MAX;
    if (!w->stop) {
        if (walk_begin(w, out))
            return true;
        wants_below = true;
    }
    if (wants_below)
        walk_enter(w, w->stop, w->stop_position, out->depth + 1, out->type);
    while (w->levels.size) {
        walk_level *level = array_back(&w->levels);
        if (level->at == level->end) {
            w->levels.size--;
            continue;
        }
        const Subtree *child = level->at++;
        Length position = level->position;
        TSSymbol alias = level->alias && !ts_subtree_extra(*child) ? *level->alias++ : 0;
        uint32_t depth = level->depth;
        TSSymbol type = level->type;
        if (level->at < level->end)
            level->position = length_add(length_add(position, ts_subtree_size(*child)),
                                         ts_subtree_padding(*level->at));
        if (alias || ts_subtree_visible(*child)) {
            if (depth < left)
                left = depth;
            TSSymbol own = alias ? alias : ts_subtree_symbol(*child);
            if (walk_stops(w, &own)) {
                TSNode node = ts_node_new(w->tree, child, position, alias);
                *out = (ken_walk_stop){ node, own, type, depth, left };
                w->stop = child;
                w->stop_position = position;
                return true;
            }
            type = own;
            depth++;
        }
        walk_enter(w, child, position, depth, type);
    }
    return false;
}
