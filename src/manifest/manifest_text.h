// SPDX-License-Identifier: MIT
// manifest_text.h -- pieces of manifests: TOML, go.mod, JSON with comments, tags. Enough of each
// format for names, paths and dependencies; what is not known is passed over.
//
// Ownership: results point into the text, or into the arena given. Threads: pure. Nothing fails.
#ifndef KEN_MANIFEST_MANIFEST_TEXT_H
#define KEN_MANIFEST_MANIFEST_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "json/json.h"

// The keys of a TOML text, one at a time. A value that is a list goes to its closing bracket, other
// values are seen up to the end of their first line.
typedef struct ken_manifest_toml {
    ken_str rest;  // set this to the text
    ken_str table; // "dependencies.foo" of [dependencies.foo] and [[…]]
    ken_str key, value;
} ken_manifest_toml;

bool ken_manifest_toml_next(ken_manifest_toml *t);
ken_str ken_manifest_toml_string(ken_str value); // empty when it is none
// The text of an inline table's member.
ken_str ken_manifest_toml_member(ken_str value, const char *key);

// The lines of one directive of go.mod or go.work, alone or in a block: `use ./a`, `replace ( … )`.
typedef struct ken_manifest_go {
    ken_str rest; // set this to the text
    const char *directive;
    ken_str comment; // of the line
    bool is_in_block;
} ken_manifest_go;

bool ken_manifest_go_next(ken_manifest_go *at, ken_str *out);

// A manifest as JSON, in which comments, commas before a closing bracket and a byte order mark are
// passed over. NULL when it is none; else the caller's to json_decref.
json_t *ken_manifest_json(ken_str text, ken_arena *arena);

// The value of an attribute in double quotes (`name`: "Include=") of the next tag that has it
// (`tag`: "<ProjectReference"); `rest` goes behind the tag.
bool ken_manifest_attribute_next(ken_str *rest, const char *tag, const char *name, ken_str *out);

// The next text in double quotes; `rest` goes behind it.
bool ken_manifest_quoted_next(ken_str *rest, ken_str *out);
// Takes the next word off the front: a run of bytes that are neither white space nor in `stops`.
bool ken_manifest_word_next(ken_str *rest, const char *stops, ken_str *out);
// The text behind the first `needle`, ptr NULL when there is none.
ken_str ken_manifest_behind(ken_str text, const char *needle);

#endif
