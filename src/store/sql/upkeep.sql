-- Checking everything, and what is worked out after rows were put back.

-- :CHECK_PAGES
PRAGMA integrity_check(1);

-- :CHECK_KEYS
PRAGMA foreign_key_check;

-- How many rows there are that no writer of ours makes.
-- :CHECK_CHECKPOINTS
SELECT count(*)
    FROM checkpoint
    WHERE length(uuid) <> 16 OR token_count < 0 OR updated_at_ms < created_at_ms;

-- :CHECK_CHECKPOINT_STATE
SELECT (SELECT count(*)
    FROM checkpoint_state
    WHERE n = (SELECT count(*) FROM checkpoint)
    AND rev >= (SELECT coalesce(max(rev), 0) FROM checkpoint)) <> 1;

-- :CHECK_RULE_DOCUMENTS
SELECT count(*) FROM rule_document WHERE length(sha256) <> 32 OR n_bytes < 0;

-- :CHECK_RULES
SELECT count(*) FROM rule WHERE ordinal < 0 OR first_line < 0 OR last_line < first_line;

-- Rows that no writer of ours makes are not put back.
-- :INDEX_RESTORED
DELETE FROM checkpoint WHERE length(uuid) <> 16 OR token_count < 0 OR updated_at_ms < created_at_ms;
UPDATE checkpoint_state
    SET n = (SELECT count(*) FROM checkpoint),
        rev = max(rev, (SELECT coalesce(max(rev), 0) FROM checkpoint));

-- The last one: records of an earlier version know no licences: those of the models that came with ken, as in schema/catalog_0010.
-- :CATALOG_RESTORED
UPDATE task_clock SET rev = max(rev, (SELECT coalesce(max(rev), 0) FROM task));
DELETE FROM task_count;
INSERT INTO task_count SELECT '', coalesce(project, x''), status, count(*) FROM task GROUP BY 2, 3;
INSERT INTO task_count
    SELECT l.branch_name, coalesce(t.project, x''), t.status, count(*)
    FROM task_branch_link l
    JOIN task t ON t.id = l.task_id
    GROUP BY 1, 2, 3;
UPDATE model SET license = CASE id WHEN 'builtin' THEN 'MIT' WHEN 'bge-small-en-v1.5' THEN 'MIT' ELSE 'Apache-2.0' END
    WHERE id IN ('builtin', 'bge-small-en-v1.5', 'all-MiniLM-L6-v2', 'all-mpnet-base-v2', 'nomic-embed-text')
    AND is_preloaded AND license = '';

-- Numbers of an AUTOINCREMENT that are passed over; there is no row before the first.
-- :SEQUENCE_ADD
INSERT INTO sqlite_sequence (name, seq)
    SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1);

-- :SEQUENCE_SKIP
UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1;

-- :SEQUENCE_LAST
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?1;

-- :CHECKPOINT_SKIP
UPDATE checkpoint_state SET rev = max(rev, ?1);
