-- Tasks, their links and totals. In the lists: $1 limit, $2 offset, then what they are filtered by.

-- Held until the commit.
-- :TASK_CLOCK_LOCK
SELECT rev FROM ken.task_clock FOR UPDATE;

-- :TASK_CLOCK_GET
SELECT rev FROM ken.task_clock;

-- :TASK_CLOCK_SET
UPDATE ken.task_clock SET rev = $1;

-- :TASK_GET
SELECT number, id, rev, status, project, created_at, updated_at, title, description, notes
    FROM ken.tasks
    WHERE id = $1;

-- :TASK_FIND
SELECT number, id, rev, status, project, created_at, updated_at, title, description, notes
    FROM ken.tasks
    WHERE id BETWEEN $1 AND $2
    ORDER BY id LIMIT $3;

-- :TASK_BY_NUMBERS
SELECT t.number, t.id, t.rev, t.status, t.project, t.created_at, t.updated_at, t.title, t.description, t.notes
    FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (number, at)
    JOIN ken.tasks t ON t.number = wanted.number
    ORDER BY wanted.at;

-- :TASK_LIST
SELECT number, id, rev, status, project, created_at, updated_at, title, description, notes
    FROM ken.tasks
    ORDER BY rev DESC LIMIT $1 OFFSET $2;

-- :TASK_LIST_STATUS
SELECT number, id, rev, status, project, created_at, updated_at, title, description, notes
    FROM ken.tasks
    WHERE status = $3
    ORDER BY rev DESC LIMIT $1 OFFSET $2;

-- :TASK_LIST_PROJECT
SELECT number, id, rev, status, project, created_at, updated_at, title, description, notes
    FROM ken.tasks
    WHERE project = $3
    ORDER BY rev DESC LIMIT $1 OFFSET $2;

-- :TASK_LIST_PROJECT_STATUS
SELECT number, id, rev, status, project, created_at, updated_at, title, description, notes
    FROM ken.tasks
    WHERE project = $3
    AND status = $4
    ORDER BY rev DESC LIMIT $1 OFFSET $2;

-- :TASK_LIST_BRANCH
SELECT t.number, t.id, t.rev, t.status, t.project, t.created_at, t.updated_at, t.title, t.description, t.notes
    FROM ken.task_branch_links l
    JOIN ken.tasks t ON t.id = l.task_id
    WHERE l.branch_name = $3
    AND ($4 IS NULL OR t.project = $4)
    AND ($5 IS NULL OR t.status = $5)
    ORDER BY l.rev DESC LIMIT $1 OFFSET $2;

-- :TASK_TOTAL
SELECT coalesce(sum(n), 0)::bigint
    FROM ken.task_counts
    WHERE branch_name = $1
    AND ($2 IS NULL OR project = $2)
    AND ($3 IS NULL OR status = $3);

-- :TASK_SCAN
SELECT t.number, t.id, t.rev, t.status, t.project, t.created_at, t.updated_at, t.title, t.description, t.notes,
    (SELECT string_agg(l.branch_name, E'\n' ORDER BY l.ordinal) FROM ken.task_branch_links l WHERE l.task_id = t.id)
    FROM ken.tasks t
    WHERE t.rev > $1
    ORDER BY t.rev LIMIT 1000;

-- What hangs on some tasks: kind of list, two texts and a time. The history only where $2 says so.
-- :TASK_LINKS
SELECT task_id, kind, first, second, at
    FROM (
        SELECT task_id, 0 AS kind, file_path AS first, reference_type AS second, created_at AS at, ordinal
            FROM ken.task_planning_references
            WHERE task_id = ANY ($1::uuid[])
        UNION ALL
        SELECT task_id, 1, branch_name, NULL, linked_at, ordinal
            FROM ken.task_branch_links
            WHERE task_id = ANY ($1::uuid[])
        UNION ALL
        SELECT task_id, 2, commit_hash, commit_message, linked_at, ordinal
            FROM ken.task_commit_links
            WHERE task_id = ANY ($1::uuid[])
        UNION ALL
        SELECT task_id, 3, to_status, from_status, changed_at, ordinal
            FROM ken.task_status_history
            WHERE $2
            AND task_id = ANY ($1::uuid[])
    ) AS links
    ORDER BY task_id, kind, ordinal;

-- :TASK_ADD
INSERT INTO ken.tasks (id, rev, status, project, created_at, updated_at, title, description, notes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- :TASK_PUT
UPDATE ken.tasks
    SET rev = $2, status = $3, project = $4, created_at = $5, updated_at = $6, title = $7, description = $8, notes = $9
    WHERE id = $1;

-- :TASK_REMOVE
DELETE FROM ken.tasks WHERE id = $1;

-- :TASK_REFERENCE_ADD
INSERT INTO ken.task_planning_references (task_id, file_path, reference_type, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING;

-- :TASK_REFERENCES_REMOVE
DELETE FROM ken.task_planning_references WHERE task_id = $1;

-- :TASK_BRANCH_ADD
INSERT INTO ken.task_branch_links (task_id, branch_name, linked_at, rev) VALUES ($1, $2, $3, $4);

-- :TASK_BRANCH_REMOVE
DELETE FROM ken.task_branch_links WHERE task_id = $1 AND branch_name = $2;

-- :TASK_BRANCHES_MOVE
UPDATE ken.task_branch_links SET rev = $2 WHERE task_id = $1;

-- :TASK_COMMIT_ADD
INSERT INTO ken.task_commit_links (task_id, commit_hash, commit_message, linked_at) VALUES ($1, $2, $3, $4);

-- :TASK_COMMIT_REMOVE
DELETE FROM ken.task_commit_links WHERE task_id = $1 AND commit_hash = $2;

-- :TASK_CHANGE_ADD
INSERT INTO ken.task_status_history (task_id, from_status, to_status, changed_at) VALUES ($1, $2, $3, $4);

-- Of all the branches in $1.
-- :TASK_COUNT_ADD
INSERT INTO ken.task_counts AS c (branch_name, project, status, n)
    SELECT unnest($1), $2, $3, 1
    ON CONFLICT (branch_name, project, status) DO UPDATE SET n = c.n + 1;

-- :TASK_COUNT_TAKE
UPDATE ken.task_counts SET n = n - 1 WHERE branch_name = ANY ($1) AND project = $2 AND status = $3;

-- :TASK_COUNT_CLEAN
DELETE FROM ken.task_counts WHERE branch_name = ANY ($1) AND project = $2 AND status = $3 AND n < 1;
