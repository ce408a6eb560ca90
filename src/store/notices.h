// SPDX-License-Identifier: MIT
// notices.h -- what a database tells at once: that a job was queued or has changed, that an index has a new
// generation. It is told after the commit, to who listens at that moment; nobody may depend on it.
//
// Ownership: the caller's; close it before the database. Threads: one at a time. Errors: KEN_EUNSUPPORTED behind a
// pooler that gives each transaction another connection, KEN_EIO when the connection is lost, else those of
// database.h.
#ifndef KEN_STORE_NOTICES_H
#define KEN_STORE_NOTICES_H

#include "base/id.h"
#include "store/database.h"

typedef enum ken_notice_kind {
    KEN_NOTICE_NONE = 0,
    KEN_NOTICE_NEW_JOB, // one is queued
    KEN_NOTICE_JOB,     // one has changed
    KEN_NOTICE_INDEX,   // of that project: there is a new generation
} ken_notice_kind;

typedef struct ken_notice {
    ken_notice_kind kind;
    ken_uuid id;
} ken_notice;

// The notice of a payload; NONE for what nobody of ours sends.
ken_notice ken_notice_read(ken_str payload);

typedef struct ken_notices ken_notices;

// A connection of its own, which is none of the pool.
ken_status ken_notices_open(ken_database *db, ken_notices **out, ken_err *err) KEN_MUST_USE;
void ken_notices_close(ken_notices *n); // NULL is fine
// The next, after at most `timeout_ms`; NONE when there was none until then, or `wake_fd` became readable (-1 = none).
ken_status ken_notices_wait(ken_notices *n, int wake_fd, int timeout_ms, ken_notice *out,
                            ken_err *err) KEN_MUST_USE;

#endif
