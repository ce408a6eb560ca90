// SPDX-License-Identifier: MIT
// rulebook_setup.h -- the rules of a project written down for the first time, and again.
//
// A setup surveys the code (survey.h) and writes what it found into the project: ARCHITECTURE.yml,
// docs/patterns/*.md for what has evidence, and .rag/ with the folder of collections and the
// settings. Nothing outside of these is touched, and no link is followed.
//
// A file that is there stays as it is, unless the setup is forced. Then what a person changed in it
// since it was last written (a copy is kept in .rag/generated/last) is kept: both sets of changes
// are merged, line by line, and where they meet the person's lines win. Without git, or without
// that copy, the file stays, and the new text goes beside it, into .rag/generated/new. Each file is
// written whole or not at all; a second run over the same tree writes nothing.
//
// Ownership: results live in the arena passed. Threads: as the snapshot's. Errors: KEN_ENOTFOUND,
// KEN_EINVAL and KEN_EPERM for the root or a folder given (the message names it), KEN_EINVAL with
// line and column for an ARCHITECTURE.yml that is not YAML; then nothing was written.
#ifndef KEN_RULEBOOK_RULEBOOK_SETUP_H
#define KEN_RULEBOOK_RULEBOOK_SETUP_H

#include "survey/survey.h"

typedef struct ken_setup_opts {
    ken_str root;                        // absolute
    ken_str frontend_path, backend_path; // relative to the root or absolute below it; empty = look
    bool is_forced;
    const ken_cancel *cancel;
} ken_setup_opts;

// id, word
#define KEN_SETUP_ACTION_TABLE(X) \
    X(WRITTEN, "written")         \
    X(MERGED, "merged")           \
    X(UNCHANGED, "unchanged")     \
    X(KEPT, "kept")               \
    X(BESIDE, "beside")

typedef enum ken_setup_action {
    KEN_SETUP_NONE = 0,
#define X(id, word) KEN_SETUP_##id,
    KEN_SETUP_ACTION_TABLE(X)
#undef X
    KEN_SETUP_ACTION_COUNT
} ken_setup_action;

const char *ken_setup_action_word(ken_setup_action a);

typedef struct ken_setup_file {
    ken_str path; // relative to the root
    ken_setup_action action;
    uint32_t n_conflicts; // places where a person's lines won
    ken_str diff;         // what a forced run changed in a file that was there; bounded
    ken_str note;         // why it is as it is, and where the new text went; may be empty
} ken_setup_file;

typedef struct ken_setup {
    ken_survey survey;
    ken_setup_file *files;
    size_t n_files;
    ken_str collections; // absolute
} ken_setup;

ken_status ken_rulebook_setup(ken_snapshot *s, const ken_setup_opts *o, ken_arena *arena,
                              ken_setup *out, ken_err *err) KEN_MUST_USE;

#endif
