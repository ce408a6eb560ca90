// SPDX-License-Identifier: MIT
// survey_text_priv.h -- reading a few lines of code without its grammar: arguments of a call, the
// first thing a body calls, the keys of an object. For where references say too little.
#ifndef KEN_SURVEY_SURVEY_TEXT_PRIV_H
#define KEN_SURVEY_SURVEY_TEXT_PRIV_H

#include "base/arena.h"
#include "base/str.h"

enum {
    TEXT_ARGS_MAX = 16
};

// A copy in which comments and the insides of strings are spaces; offsets and line breaks stay.
// `has_hash`: comments begin with '#', and three quotes are a string.
ken_str ken_survey__text_bare(ken_arena *arena, ken_str text, bool has_hash);

// All below take such a text.

// The byte after the bracket that closes the one at `open`; SIZE_MAX when none does.
size_t ken_survey__text_close(ken_str bare, size_t open);
// The arguments of the call whose bracket is at `open`, as spans of `bare`; how many.
size_t ken_survey__text_args(ken_str bare, size_t open, ken_str out[TEXT_ARGS_MAX]);
// "a.b.c" of "a.b.c(d)" or of "a.b.c"; empty when it does not begin with a name.
ken_str ken_survey__text_name(ken_str bare);
// Where `needle` stands as it is, not inside of a longer word; SIZE_MAX when it does not.
size_t ken_survey__text_find(ken_str bare, ken_str needle);
// The name that a chain of calls ending at `end` begins with: "res" of "res.status(201)".
ken_str ken_survey__text_root(ken_str bare, size_t end);
// Keys at the top of the object whose '{' is at `open`; "…" (spread) and computed ones are left
// out.
size_t ken_survey__text_keys(ken_str bare, ken_str raw, size_t open, ken_str out[TEXT_ARGS_MAX]);

#endif
