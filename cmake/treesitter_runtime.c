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
