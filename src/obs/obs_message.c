// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/alloc.h"
#include "obs/obs_priv.h"
#include "secret/secret.h"

ken_str obs_message_format(obs_message *m, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    m->large = NULL;
    char *text = m->small;
    int n = vsnprintf(m->small, sizeof m->small, fmt, ap);
    size_t len = n < 0 ? 0 : (size_t)n;
    if (len >= sizeof m->small) {
        size_t cap = len < OBS_MESSAGE_MAX ? len + 1 : OBS_MESSAGE_MAX;
        text = m->large = ken_try_alloc(cap);
        if (text) {
            (void)vsnprintf(text, cap, fmt, again);
            len = cap - 1;
        } else {
            text = m->small;
            n = snprintf(text, sizeof m->small, "(%zu bytes, and no memory for them)", len);
            len = n < 0 ? 0 : (size_t)n;
        }
    }
    va_end(again);
    ken_secret_mask(text, len);
    return ken_str_n(text, len);
}

void obs_message_release(obs_message *m)
{
    ken_free(m->large);
}
