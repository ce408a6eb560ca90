// SPDX-License-Identifier: MIT
// url.h -- the parts of a remote's address, in the forms that git takes: "https://user@host:port/path",
// "user@host:path", and a path for "file".
#ifndef KEN_BASE_URL_H
#define KEN_BASE_URL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

// All borrow from the text.
typedef struct ken_url {
    ken_str protocol; // "https"; "ssh" for user@host:path, "file" for a path
    ken_str user;     // before "@"; a password may be in it
    ken_str host, port;
    ken_str path; // behind the host, with its "/" where it has one
} ken_url;

bool ken_url_parse(ken_str text, ken_url *out); // false: it has none of the forms
// "owner/repo" of the path "/owner/repo.git/". Borrowed.
ken_str ken_url_repository(ken_str path);
// Blanks what stands before the "@" of every URL in a text: a user, and maybe a password or a token.
void ken_url_mask_users(char *text, size_t n);
// The same of a copy, for a message.
ken_str ken_url_masked(ken_str text, ken_arena *arena);

#endif
