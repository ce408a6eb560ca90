// SPDX-License-Identifier: MIT
// route_text.h -- the parts of route calls beside their first text: arguments, options, what is
// chained to them, what a variable was given.
//
// Texts are source as it was read, and may end anywhere. Ownership: results point into the text.
// Threads: pure. Nothing fails; what is not understood is empty.
#ifndef KEN_ROUTE_ROUTE_TEXT_H
#define KEN_ROUTE_ROUTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum {
    KEN_ROUTE_ARGS = 16, // of one call that are read
    KEN_ROUTE_REACH = 64 * 1024
};

// Whether comments of a file begin with `#` (Python, Ruby) and not with slashes.
bool ken_route_has_hash(ken_str path);
// Behind a text in quotes or a comment that begins at `at`; `at` itself when none does.
size_t ken_route_behind_quiet(ken_str text, size_t at, bool has_hash);
// Behind the bracket that closes the one at `open`, or the end of the text.
size_t ken_route_behind(ken_str text, size_t open, bool has_hash);
// The bracket of a call that a byte of its first argument stands in; SIZE_MAX when there is none.
size_t ken_route_open(ken_str text, size_t byte);
// The arguments of a call, at most KEN_ROUTE_ARGS, without space around them.
size_t ken_route_args(ken_str text, size_t open, bool has_hash, ken_str out[KEN_ROUTE_ARGS]);
// The value of an option among arguments: `name=x`, `{ name: x }`, `['name' => x]`; empty = none.
ken_str ken_route_option(const ken_str *args, size_t n, ken_str name, bool has_hash);
// The text between the quotes; false when the value is more than a plain text.
bool ken_route_plain(ken_str value, ken_str *out);
// The texts, or last parts of names (`RequestMethod.PUT`), of a value or of a list of them.
size_t ken_route_words(ken_str value, ken_str out[KEN_ROUTE_ARGS]);
// Where the chain begins that a name at `byte` is part of: "r" of `r.with(x).get`. Its first name.
ken_str ken_route_root(ken_str text, size_t byte, size_t *out_start);
// The next link behind `at`: the name in `.name(`, and its bracket; false when the chain is over.
bool ken_route_link(ken_str text, size_t at, ken_str *out_name, size_t *out_open);
// Where the last value begins that a variable is given in [from, before): `name = …`, `name := …`,
// `name: T = …`; 0 = nowhere.
size_t ken_route_given(ken_str text, ken_str name, size_t from, size_t before);
// A value from where it begins to the end of its statement.
ken_str ken_route_value(ken_str text, size_t at, bool has_hash);

#endif
