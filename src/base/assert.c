// SPDX-License-Identifier: MIT
#include "base/assert.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void ken_assert_failed(const char *expr, const char *file, int line)
{
    char text[512];
    int n = snprintf(text, sizeof text, "ken: %s:%d: assertion failed: %s\n", file, line, expr);
    if (n > 0)
        (void)!write(STDERR_FILENO, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    void *frames[32];
    backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
    abort();
}
