// SPDX-License-Identifier: MIT
// facts_priv.h -- what the lists of query_facts.h share.
#ifndef KEN_QUERY_FACTS_FACTS_PRIV_H
#define KEN_QUERY_FACTS_FACTS_PRIV_H

#include "query/query_facts.h"
#include "query/query_graph_priv.h"

// Files in scope, by number; KEN_EINVAL for a bad glob.
ken_status ken_query__scope_files(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                                  uint32_t **out, size_t *out_n, ken_err *err) KEN_MUST_USE;
// The same as a mark by file.
ken_status ken_query__scope_marks(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                                  uint8_t **out, ken_err *err) KEN_MUST_USE;

// The facts of a file as it is on disk now; *out_unit NULL when it has none. What an earlier call
// gave may be gone.
ken_status ken_query__unit_now(ken_snapshot *s, uint32_t file, ken_graph **out_graph,
                               const ken_unit_text **out_unit, ken_err *err) KEN_MUST_USE;

// The text of a file and where its lines begin, in the arena.
typedef struct query_lines {
    ken_str text;
    uint32_t *starts, n;
} query_lines;

bool ken_query__lines_of(ken_snapshot *s, uint32_t file, ken_arena *arena, query_lines *out);
ken_fact_place ken_query__place_at(const query_lines *l, uint32_t byte);
// A name with its qualifiers, as written: "a?.b.c" for the place of "c". Borrowed from the
// text.
ken_str ken_query__written(ken_str text, uint32_t byte, ken_str name);

#endif
