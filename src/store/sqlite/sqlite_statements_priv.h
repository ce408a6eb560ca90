// SPDX-License-Identifier: MIT
// sqlite_statements_priv.h -- the names of all prepared statements. Their texts are in sql/*.sql,
// one file per topic: each stands after a line "-- :NAME". README.md says what each costs.
#ifndef KEN_STORE_SQLITE_SQLITE_STATEMENTS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_STATEMENTS_PRIV_H

// clang-format off
#define KEN_SQ_STATEMENTS(X)                                                                      \
    X(BEGIN_READ) X(BEGIN_WRITE) X(COMMIT)                                                        \
    X(CONTENT_FIND) X(CONTENT_GET) X(CONTENT_SCAN) X(CONTENT_SUPERSEDE) X(CONTENT_ADD)            \
    X(CONTENT_FACTS) X(CONTENT_SHA) X(CONTENT_FACTS_SCAN) X(REFS_ADD) X(REFS_GET)                 \
    X(CONTENT_COLLECT) X(CONTENT_COLLECT_ONE) X(SEGMENT_END)                                      \
    X(FILE_SCAN) X(FILE_ADD) X(FILE_PUT) X(FILE_REMOVE) X(SKIP_GET_HASH) X(SKIP_SET_HASH)         \
    X(SKIP_CLEAR) X(SKIP_ADD) X(SKIP_SCAN) X(SKIP_SCAN_REASON) X(SKIP_COUNT_SCAN)                 \
    X(SKIP_COUNT_PUT)                                                                             \
    X(SEGMENT_ADD) X(SEGMENT_REMOVE) X(SEGMENT_SCAN) X(BLOCK_ADD) X(BLOCK_REMOVE) X(BLOCK_GET)    \
    X(BLOCK_LENGTH) X(BLOCK_COUNT)                                                                \
    X(TREE_GET_NUMBER) X(TREE_LOAD) X(TREE_PUT) X(META_GET) X(META_LIST) X(META_PUT) X(META_REMOVE)            \
    X(CHECKPOINT_GET) X(CHECKPOINT_NEXT) X(CHECKPOINT_MARKS) X(CHECKPOINT_SCAN)                   \
    X(CHECKPOINT_ADD) X(CHECKPOINT_PUT) X(CHECKPOINT_REMOVE) X(CHECKPOINT_BUMP)                   \
    X(CHECKPOINT_STATE) X(TAG_SCAN) X(TAG_CLEAR) X(TAG_ADD)                                       \
    X(RULE_DOCUMENT_CLEAR) X(RULE_DOCUMENT_ADD) X(RULE_DOCUMENT_SCAN) X(RULE_ADD)                 \
    X(TASK_GET) X(TASK_GET_BY_ID) X(TASK_FIND) X(TASK_LIST) X(TASK_LIST_STATUS)                   \
    X(TASK_LIST_PROJECT) X(TASK_LIST_PROJECT_STATUS) X(TASK_LIST_BRANCH) X(TASK_TOTAL)            \
    X(TASK_SCAN) X(TASK_REFERENCES) X(TASK_BRANCHES) X(TASK_COMMITS) X(TASK_CHANGES)              \
    X(TASK_CLOCK_GET) X(TASK_CLOCK_TICK) X(TASK_ADD) X(TASK_PUT) X(TASK_REMOVE)                   \
    X(TASK_REFERENCE_ADD) X(TASK_REFERENCES_REMOVE) X(TASK_BRANCH_ADD) X(TASK_BRANCHES_MOVE)      \
    X(TASK_COMMIT_ADD) X(TASK_CHANGE_ADD) X(TASK_COUNT_ADD) X(TASK_COUNT_TAKE)                    \
    X(TASK_COUNT_CLEAN) X(JOURNAL_SEQ) X(JOURNAL_SET_SEQ)
// clang-format on

#endif
