// SPDX-License-Identifier: MIT
// obs_priv.h -- the text of a line, as logs and traces have it: masked as a whole, and cut by its
// line afterwards. Half a token is not known as one.
#ifndef KEN_OBS_OBS_PRIV_H
#define KEN_OBS_OBS_PRIV_H

#include <stdarg.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/str.h"

enum {
    OBS_MESSAGE_SMALL = 2048,
    // More than the longest line and the longest secret (SECRET_PEM_MAX) together, so that a secret
    // that begins in the line is whole.
    OBS_MESSAGE_MAX = 64 << 10
};

typedef struct obs_message {
    char small[OBS_MESSAGE_SMALL];
    char *large; // NULL unless the text is longer
} obs_message;

// Borrowed from `m`; without memory for all of it only its length is told.
ken_str ken_obs__message_format(obs_message *m, const char *fmt, va_list ap) KEN_PRINTF(2, 0);
// The same of a text that is there.
ken_str ken_obs__message_copy(obs_message *m, ken_str text);
void ken_obs__message_release(obs_message *m);

// ---- log_file.c ----
typedef struct obs_put {
    int error;         // errno of the first line that the file did not take; 0 = else
    uint64_t n_missed; // lines that it did not take before this one, which it did
} obs_put;
// One line, its end included, to where the log goes; what the file does not take goes to stderr.
obs_put ken_obs__log_put(ken_str line);

#endif
