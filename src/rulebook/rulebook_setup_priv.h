// SPDX-License-Identifier: MIT
// rulebook_setup_priv.h -- what a setup writes, and how it gets along with what is there.
#ifndef KEN_RULEBOOK_RULEBOOK_SETUP_PRIV_H
#define KEN_RULEBOOK_RULEBOOK_SETUP_PRIV_H

#include "rulebook/rulebook_setup.h"

enum {
    SETUP_FILE_MAX = 1 << 20, // bytes of a file that is there
    SETUP_DIFF_MAX = 4000
};

// ---- rulebook_write.c: findings as text ---------------------------------------------------------
// One generated file. Its head says when it was made and stands apart: it is no part of what is
// merged, or compared.
typedef struct setup_document {
    ken_str path, head, body;
} setup_document;

// Where the code stood: "the work tree at commit 0123456789ab (2026-01-02)"; may be empty.
void ken_rulebook__setup_write_all(ken_snapshot *s, const ken_survey *survey, ken_str architecture,
                                   ken_str at, ken_arena *arena, setup_document **out,
                                   size_t *out_n);
// A text as a YAML scalar in double quotes.
void ken_rulebook__setup_put_yaml(ken_buf *out, ken_str text);
// What follows the head in a file that may have been edited.
ken_str ken_rulebook__setup_body_of(ken_str text);

// ---- rulebook_merge.c: beside what is there -----------------------------------------------------
// Puts one document where it belongs; `root_fd` is the project's folder.
ken_status ken_rulebook__setup_place(int root_fd, ken_str root, const setup_document *d,
                                     bool is_forced, ken_arena *arena, ken_setup_file *out,
                                     ken_err *err) KEN_MUST_USE;

#endif
