-- Tasks, their links and totals. In the lists: ?1 status, ?2 project, ?3 branch, ?4 limit,
-- ?5 offset; a list by branch has the other two or NULL.

-- :TASK_GET
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    WHERE t.uuid = ?1;

-- :TASK_GET_BY_ID
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    WHERE t.id = ?1;

-- :TASK_FIND
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    WHERE t.uuid BETWEEN ?1 AND ?2
    ORDER BY t.uuid LIMIT ?3;

-- :TASK_LIST
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    ORDER BY t.rev DESC LIMIT ?4 OFFSET ?5;

-- :TASK_LIST_STATUS
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    WHERE t.status = ?1
    ORDER BY t.rev DESC LIMIT ?4 OFFSET ?5;

-- :TASK_LIST_PROJECT
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    WHERE t.project = ?2
    ORDER BY t.rev DESC LIMIT ?4 OFFSET ?5;

-- :TASK_LIST_PROJECT_STATUS
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task t
    WHERE t.project = ?2
    AND t.status = ?1
    ORDER BY t.rev DESC LIMIT ?4 OFFSET ?5;

-- :TASK_LIST_BRANCH
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes
    FROM task_branch_link l
    CROSS JOIN task t ON t.id = l.task_id
    WHERE l.branch_name = ?3
    AND (?1 IS NULL OR t.status = ?1)
    AND (?2 IS NULL OR t.project = ?2)
    ORDER BY l.rev DESC LIMIT ?4 OFFSET ?5;

-- :TASK_TOTAL
SELECT coalesce(sum(n), 0)
    FROM task_count
    WHERE branch_name = ?3
    AND (?2 IS NULL OR project = ?2)
    AND (?1 IS NULL OR status = ?1);

-- :TASK_SCAN
SELECT t.id, t.uuid, t.rev, t.status, t.project, t.created_at_ms, t.updated_at_ms, t.title,
    t.description, t.notes,
    (SELECT group_concat(branch_name, char(10)) FROM task_branch_link WHERE task_id = t.id)
    FROM task t
    WHERE t.rev > ?1
    ORDER BY t.rev;

-- :TASK_REFERENCES
SELECT file_path, reference_type, created_at_ms
    FROM task_planning_reference
    WHERE task_id = ?1
    ORDER BY id;

-- :TASK_BRANCHES
SELECT branch_name, linked_at_ms FROM task_branch_link WHERE task_id = ?1 ORDER BY id;

-- :TASK_COMMITS
SELECT commit_hash, commit_message, linked_at_ms
    FROM task_commit_link
    WHERE task_id = ?1
    ORDER BY id;

-- :TASK_CHANGES
SELECT from_status, to_status, changed_at_ms FROM task_status_history WHERE task_id = ?1 ORDER BY id;

-- :TASK_CLOCK_GET
SELECT rev FROM task_clock;

-- :TASK_CLOCK_TICK
UPDATE task_clock SET rev = rev + 1;

-- :TASK_CLOCK_SKIP
UPDATE task_clock SET rev = max(rev, ?1);

-- :TASK_ADD
INSERT INTO task (uuid, rev, status, project, created_at_ms, updated_at_ms, title, description,
    notes)
    VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- :TASK_PUT
UPDATE task
    SET rev = ?3, status = ?4, project = ?5, updated_at_ms = ?7, title = ?8, description = ?9,
        notes = ?10
    WHERE id = ?1;

-- :TASK_REMOVE
DELETE FROM task WHERE id = ?1;

-- :TASK_REFERENCE_ADD
INSERT OR IGNORE INTO task_planning_reference (task_id, file_path, reference_type, created_at_ms)
    VALUES (?1, ?2, ?3, ?4);

-- :TASK_REFERENCES_REMOVE
DELETE FROM task_planning_reference WHERE task_id = ?1;

-- :TASK_BRANCH_ADD
INSERT INTO task_branch_link (task_id, branch_name, linked_at_ms, rev) VALUES (?1, ?2, ?3, 0);

-- :TASK_BRANCH_REMOVE
DELETE FROM task_branch_link WHERE task_id = ?1 AND branch_name = ?2;

-- :TASK_COMMIT_REMOVE
DELETE FROM task_commit_link WHERE task_id = ?1 AND commit_hash = ?2;

-- :TASK_BRANCHES_MOVE
UPDATE task_branch_link SET rev = ?2 WHERE task_id = ?1;

-- :TASK_COMMIT_ADD
INSERT INTO task_commit_link (task_id, commit_hash, commit_message, linked_at_ms)
    VALUES (?1, ?2, ?3, ?4);

-- :TASK_CHANGE_ADD
INSERT INTO task_status_history (task_id, from_status, to_status, changed_at_ms)
    VALUES (?1, ?2, ?3, ?4);

-- :TASK_COUNT_ADD
INSERT INTO task_count VALUES (?1, ?2, ?3, 1) ON CONFLICT DO UPDATE SET n = n + 1;

-- :TASK_COUNT_TAKE
UPDATE task_count SET n = n - 1 WHERE branch_name = ?1 AND project = ?2 AND status = ?3;

-- :TASK_COUNT_CLEAN
DELETE FROM task_count WHERE branch_name = ?1 AND project = ?2 AND status = ?3 AND n < 1;
