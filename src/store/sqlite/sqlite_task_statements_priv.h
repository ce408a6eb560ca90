// SPDX-License-Identifier: MIT
// sqlite_task_statements_priv.h -- every SQL text about tasks, with its name.
#ifndef KEN_STORE_SQLITE_SQLITE_TASK_STATEMENTS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_TASK_STATEMENTS_PRIV_H

#define KEN_SQ_TASK                                                                         \
    "t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title, " \
    "t.description, t.notes"
#define KEN_SQ_TASK_PAGE " ORDER BY t.rev DESC LIMIT ?4 OFFSET ?5"

// ?1 status, ?2 project, ?3 branch; a list by branch has the other two or NULL.
#define KEN_SQ_TASK_STATEMENTS(X)                                                                  \
    X(TASK_GET, "SELECT " KEN_SQ_TASK " FROM task t WHERE t.uuid = ?1")                            \
    X(TASK_GET_BY_ID, "SELECT " KEN_SQ_TASK " FROM task t WHERE t.id = ?1")                        \
    X(TASK_FIND, "SELECT " KEN_SQ_TASK " FROM task t WHERE t.uuid BETWEEN ?1 AND ?2 "              \
                 "ORDER BY t.uuid LIMIT ?3")                                                       \
    X(TASK_LIST, "SELECT " KEN_SQ_TASK " FROM task t" KEN_SQ_TASK_PAGE)                            \
    X(TASK_LIST_STATUS, "SELECT " KEN_SQ_TASK " FROM task t WHERE t.status = ?1" KEN_SQ_TASK_PAGE) \
    X(TASK_LIST_PROJECT,                                                                           \
      "SELECT " KEN_SQ_TASK " FROM task t WHERE t.project = ?2" KEN_SQ_TASK_PAGE)                  \
    X(TASK_LIST_PROJECT_STATUS, "SELECT " KEN_SQ_TASK " FROM task t WHERE t.project = ?2 "         \
                                "AND t.status = ?1" KEN_SQ_TASK_PAGE)                              \
    X(TASK_LIST_BRANCH, "SELECT " KEN_SQ_TASK " FROM task_branch_link l CROSS JOIN task t "        \
                        "ON t.id = l.task_id WHERE l.branch_name = ?3 "                            \
                        "AND (?1 IS NULL OR t.status = ?1) "                                       \
                        "AND (?2 IS NULL OR t.project = ?2) "                                      \
                        "ORDER BY l.rev DESC LIMIT ?4 OFFSET ?5")                                  \
    X(TASK_TOTAL, "SELECT coalesce(sum(n), 0) FROM task_count WHERE branch_name = ?3 "             \
                  "AND (?2 IS NULL OR project = ?2) AND (?1 IS NULL OR status = ?1)")              \
    X(TASK_SCAN, "SELECT " KEN_SQ_TASK ", (SELECT group_concat(branch_name, char(10)) FROM "       \
                 "task_branch_link WHERE task_id = t.id) FROM task t WHERE t.rev > ?1 "            \
                 "ORDER BY t.rev")                                                                 \
    X(TASK_REFERENCES, "SELECT file_path, reference_type, created_at_ms FROM "                     \
                       "task_planning_reference WHERE task_id = ?1 ORDER BY id")                   \
    X(TASK_BRANCHES, "SELECT branch_name, linked_at_ms FROM task_branch_link "                     \
                     "WHERE task_id = ?1 ORDER BY id")                                             \
    X(TASK_COMMITS, "SELECT commit_hash, commit_message, linked_at_ms FROM task_commit_link "      \
                    "WHERE task_id = ?1 ORDER BY id")                                              \
    X(TASK_CHANGES, "SELECT from_status, to_status, changed_at_ms FROM task_status_history "       \
                    "WHERE task_id = ?1 ORDER BY id")                                              \
    X(TASK_CLOCK_GET, "SELECT rev FROM task_clock")                                                \
    X(TASK_CLOCK_TICK, "UPDATE task_clock SET rev = rev + 1")                                      \
    X(TASK_ADD, "INSERT INTO task (uuid, rev, status, project, created_at_ms, updated_at_ms, "     \
                "title, description, notes) VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")         \
    X(TASK_PUT, "UPDATE task SET rev = ?3, status = ?4, project = ?5, updated_at_ms = ?7, "        \
                "title = ?8, description = ?9, notes = ?10 WHERE id = ?1")                         \
    X(TASK_REMOVE, "DELETE FROM task WHERE id = ?1")                                               \
    X(TASK_REFERENCE_ADD,                                                                          \
      "INSERT OR IGNORE INTO task_planning_reference (task_id, file_path, reference_type, "        \
      "created_at_ms) VALUES (?1, ?2, ?3, ?4)")                                                    \
    X(TASK_REFERENCES_REMOVE, "DELETE FROM task_planning_reference WHERE task_id = ?1")            \
    X(TASK_BRANCH_ADD, "INSERT INTO task_branch_link (task_id, branch_name, linked_at_ms, "        \
                       "rev) VALUES (?1, ?2, ?3, 0)")                                              \
    X(TASK_BRANCHES_MOVE, "UPDATE task_branch_link SET rev = ?2 WHERE task_id = ?1")               \
    X(TASK_COMMIT_ADD, "INSERT INTO task_commit_link (task_id, commit_hash, commit_message, "      \
                       "linked_at_ms) VALUES (?1, ?2, ?3, ?4)")                                    \
    X(TASK_CHANGE_ADD, "INSERT INTO task_status_history (task_id, from_status, to_status, "        \
                       "changed_at_ms) VALUES (?1, ?2, ?3, ?4)")                                   \
    X(TASK_COUNT_ADD, "INSERT INTO task_count VALUES (?1, ?2, ?3, 1) "                             \
                      "ON CONFLICT DO UPDATE SET n = n + 1")                                       \
    X(TASK_COUNT_TAKE, "UPDATE task_count SET n = n - 1 WHERE branch_name = ?1 "                   \
                       "AND project = ?2 AND status = ?3")                                         \
    X(TASK_COUNT_CLEAN, "DELETE FROM task_count WHERE branch_name = ?1 AND project = ?2 "          \
                        "AND status = ?3 AND n < 1")

#endif
