// SPDX-License-Identifier: MIT
// calls_lab.h -- what tests of calls share: a small project, indexed and opened.
#ifndef KEN_TESTS_CALLS_LAB_H
#define KEN_TESTS_CALLS_LAB_H

#include "query/query_tree.h"
#include "unit/index/index_lab.h"

static index_lab l;
static ken_snapshot *snap;

static inline void start(const char *path, const char *text)
{
    lab_start(&l);
    lab_write(&l, path, text);
}

static inline void go(void)
{
    lab_run(&l);
    snap = lab_open(&l);
}

static inline void end(void)
{
    lab_close(snap);
    lab_end(&l);
}

#endif
