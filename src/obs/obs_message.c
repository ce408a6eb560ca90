// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/alloc.h"
#include "obs/obs_priv.h"
#include "secret/secret.h"

ken_str ken_obs__message_format(obs_message *m, const char *fmt, va_list ap)
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

ken_str ken_obs__message_copy(obs_message *m, ken_str text)
{
    size_t len = text.len < OBS_MESSAGE_MAX ? text.len : OBS_MESSAGE_MAX;
    m->large = len > sizeof m->small ? ken_try_alloc(len) : NULL;
    char *copy = m->large ? m->large : m->small;
    if (!m->large && len > sizeof m->small)
        len = 0; // no memory for all of it
    if (len)
        memcpy(copy, text.ptr, len);
    ken_secret_mask(copy, len);
    return ken_str_n(copy, len);
}

void ken_obs__message_release(obs_message *m)
{
    ken_free(m->large);
}
