// SPDX-License-Identifier: MIT
// route_settings.h -- one value of an application's settings: YAML, or `key=value` lines.
//
// Ownership: the value is in the arena. Threads: pure. Nothing fails: what cannot be read says
// nothing.
#ifndef KEN_ROUTE_ROUTE_SETTINGS_H
#define KEN_ROUTE_ROUTE_SETTINGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

// The value of `key` ("server.servlet.context-path"); capitals, '-' and '_' in keys do not count.
// Of YAML the documents that hold whatever the profile; the last one wins. False when none sets
// it.
bool ken_route_setting(ken_str path, ken_str text, ken_str key, ken_arena *arena, ken_str *out);

#endif
