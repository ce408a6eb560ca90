// SPDX-License-Identifier: MIT
#include "base/status.h"

typedef struct status_row {
    const char *name, *text;
    int exit_code;
} status_row;

static const status_row rows[] = {
#define X(name, text, exit_code) { #name, text, exit_code },
    KEN_STATUS_TABLE(X)
#undef X
};

static const status_row *row_of(ken_status st)
{
    static const status_row unknown = { "UNKNOWN", "unknown status", 1 };
    return (unsigned)st < KEN_STATUS_COUNT ? &rows[st] : &unknown;
}

const char *ken_status_name(ken_status st)
{
    return row_of(st)->name;
}

const char *ken_status_text(ken_status st)
{
    return row_of(st)->text;
}

int ken_status_exit_code(ken_status st)
{
    return row_of(st)->exit_code;
}
