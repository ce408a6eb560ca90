// SPDX-License-Identifier: MIT
// watch.h -- whether something below a folder has changed since it was last listed, as the kernel
// reports it (inotify). A question that finds nothing changed costs one system call, however large the tree.
//
// The kernel watches folders one by one, without the folders below them. So whoever lists a tree adds
// each folder before it reads its entries, lists, and asks here before it lists again. An event is
// queued before the call that made the change returns: what was written before one asks is seen.
// Not reported by the kernel: changes made by other machines on network file systems (such a
// folder makes a watch blind), through another name of a file that is not watched by itself, even that it
// got one, and through a memory mapping until it is unmapped. So whoever asks looks for itself now and
// then.
//
// Ownership: a watch owns its descriptor. Threads: one at a time.
#ifndef KEN_WATCH_WATCH_H
#define KEN_WATCH_WATCH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

typedef struct ken_watch ken_watch;

typedef enum ken_watch_news {
    KEN_WATCH_QUIET = 0, // nothing has changed
    KEN_WATCH_FILES,     // files have; all folders are watched still
    KEN_WATCH_TREE,      // folders have, or something that decides which ones count: begin anew
    KEN_WATCH_BLIND,     // not everything can be watched: no answer can be trusted
} ken_watch_news;

// Whether a file or folder of that name decides what becomes of others beside or below it.
typedef bool ken_watch_decides_fn(ken_str name);

ken_watch *ken_watch_new(ken_watch_decides_fn *decides);
void ken_watch_free(ken_watch *w);

// Forgets all folders and all news. KEN_EUNSUPPORTED or KEN_ELIMIT when the kernel gives no watch: it
// is blind then.
ken_status ken_watch_begin(ken_watch *w, ken_err *err) KEN_MUST_USE;
// Watches a folder below `root_fd` ("" = itself) with the folders above it. One that is watched already
// is nothing new, one that is gone is left out. What cannot be watched makes it blind. `mark`: what the
// names of this root's files begin with, before a '/' (base/roots.h); empty = nothing.
void ken_watch_add(ken_watch *w, int root_fd, ken_str mark, ken_str path);
// Watches a file by itself, so that changes under any of its names are reported. `inode`: another file of
// that name is another one. `must`: it has several names; others are left out when there are very many
// (all watches of the process: a sixteenth of what one user may watch, 8,192 at most).
void ken_watch_add_file(ken_watch *w, int root_fd, ken_str mark, ken_str path, uint64_t inode,
                        bool must);
// Watches a file that is no part of the tree, absolute, links followed: what happens to it is TREE. False when it
// is not there or its changes would not be reported; that makes nothing blind.
bool ken_watch_add_control(ken_watch *w, const char *path);
// All events since ken_watch_begin or the last ken_watch_forget. Does not wait.
ken_watch_news ken_watch_look(ken_watch *w);
// A descriptor that poll() finds readable while there are events that ken_watch_look has not taken. It stays
// the same, and open, as long as the watch; it may be waited on by another thread. -1 = there is none.
int ken_watch_fd(ken_watch *w);
// The events until now are being handled. Neither TREE nor BLIND is forgotten.
void ken_watch_forget(ken_watch *w);
// Calls `on_name` for each file that may have changed since ken_watch_begin or the last ken_watch_forget, as
// its path below the root, with its mark; the news must be FILES or QUIET. False when not all of them are known.
typedef void ken_watch_name_fn(void *ctx, ken_str path);
bool ken_watch_name(const ken_watch *w, ken_watch_name_fn *on_name, void *ctx);
// Why it is blind, with what can be done about it; empty when it is not.
ken_str ken_watch_why(const ken_watch *w);
uint32_t ken_watch_n(const ken_watch *w); // watched folders and files

#endif
