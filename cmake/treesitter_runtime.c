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
