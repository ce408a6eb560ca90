// SPDX-License-Identifier: MIT
// Settings that were given and have no effect are logged where work begins: one line for each reason.
#include "app/app_priv.h"
#include "obs/log.h"

static bool is_first_of_its_reason(const ken_config_note *notes, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (ken_str_eq(notes[i].text, notes[at].text))
            return false;
    return true;
}

static void log_reason(const ken_config_note *notes, size_t at, size_t n)
{
    ken_buf names = KEN_BUF_INIT(1024);
    for (size_t i = at; i < n; i++)
        if (ken_str_eq(notes[i].text, notes[at].text))
            ken_buf_printf(&names, "%s'" KEN_STR_FMT "'", names.len ? ", " : "",
                           KEN_STR_ARG(notes[i].name));
    KEN_LOG_WARNING("config", "without effect: " KEN_STR_FMT ": " KEN_STR_FMT,
                    KEN_STR_ARG(ken_buf_str(&names)), KEN_STR_ARG(notes[at].text));
    ken_buf_release(&names);
}

void ken_app_log_notes(const ken_app *app)
{
    const ken_config_note *notes;
    size_t n = ken_config_notes(app->config, &notes);
    for (size_t i = 0; i < n; i++)
        if (is_first_of_its_reason(notes, i))
            log_reason(notes, i, n);
}
