// SPDX-License-Identifier: MIT
// fuzz_temp.h -- a folder for what a target writes, which goes with the process.
#ifndef KEN_FUZZ_TEMP_H
#define KEN_FUZZ_TEMP_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"

static char fuzz_temp[] = "/tmp/ken-fuzz-XXXXXX";

static inline int fuzz_temp_remove_one(const char *path, const struct stat *st, int kind,
                                       struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void fuzz_temp_remove(void)
{
    (void)nftw(fuzz_temp, fuzz_temp_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// Once a process.
static inline const char *fuzz_temp_make(void)
{
    KEN_ASSERT(mkdtemp(fuzz_temp) && !atexit(fuzz_temp_remove));
    return fuzz_temp;
}

#endif
