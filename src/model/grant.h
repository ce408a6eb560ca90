// SPDX-License-Identifier: MIT
// grant.h -- what the holder of an access token may do.
//
// A value without pointers: it is copied along with a request.
#ifndef KEN_MODEL_GRANT_H
#define KEN_MODEL_GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"

enum {
    KEN_SCOPE_F_READ = 1 << 0,  // ask
    KEN_SCOPE_F_WRITE = 1 << 1, // index, tasks, checkpoints, rules, jobs
    KEN_SCOPE_F_ADMIN = 1 << 2, // projects, models, settings, jobs of others
    KEN_SCOPES_ALL = KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE | KEN_SCOPE_F_ADMIN,
    KEN_GRANT_NAME_MAX = 64,
};

typedef struct ken_grant {
    unsigned scopes;                   // KEN_SCOPE_F_…
    bool is_bound;                     // to `project`; else it holds for all
    ken_uuid project;                  // where is_bound
    ken_uuid token;                    // of our own tokens; else all 0
    char name[KEN_GRANT_NAME_MAX + 1]; // of the token, or of who was granted it
} ken_grant;

// "read,write" or "read write"; each scope includes those before it in read, write, admin. False for
// an unknown word, or none.
bool ken_scopes_parse(ken_str text, unsigned *out);
// "read,write"
ken_str ken_scopes_format(unsigned scopes, ken_arena *arena);
// Whether it has all of `scopes`, and holds for `project`; NULL = for what is of no one project.
bool ken_grant_allows(const ken_grant *g, unsigned scopes, const ken_uuid *project);

#endif
