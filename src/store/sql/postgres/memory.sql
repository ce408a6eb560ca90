-- Checkpoints, and the documents of rules.

-- :CHECKPOINT_GET
SELECT id, uuid, rev, created_at, updated_at, token_count, git_branch, git_commit, summary, git_dirty, context,
    description, tags
    FROM ken.checkpoint
    WHERE index_id = $1
    AND uuid = $2;

-- :CHECKPOINT_NEXT
SELECT id, uuid, rev, created_at, updated_at, token_count, git_branch, git_commit, summary, git_dirty, context,
    description, tags
    FROM ken.checkpoint
    WHERE index_id = $1
    AND id > $2
    ORDER BY id LIMIT 1;

-- :CHECKPOINT_SCAN
SELECT id, uuid, rev, created_at, updated_at, token_count, git_branch, git_commit, summary, git_dirty, context,
    description, tags
    FROM ken.checkpoint
    WHERE index_id = $1
    AND rev > $2
    ORDER BY rev LIMIT $3;

-- :CHECKPOINT_MARKS
SELECT id, uuid, rev, tags FROM ken.checkpoint WHERE index_id = $1 AND rev > $2 ORDER BY rev LIMIT $3;

-- :CHECKPOINT_ADD
INSERT INTO ken.checkpoint (index_id, id, uuid, rev, created_at, updated_at, token_count, git_branch, git_commit,
    summary, git_dirty, context, description, tags)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

-- :CHECKPOINT_PUT
UPDATE ken.checkpoint
    SET uuid = $3, rev = $4, created_at = $5, updated_at = $6, token_count = $7, git_branch = $8, git_commit = $9,
        summary = $10, git_dirty = $11, context = $12, description = $13, tags = $14
    WHERE index_id = $1
    AND id = $2;

-- :CHECKPOINT_REMOVE
DELETE FROM ken.checkpoint WHERE index_id = $1 AND id = $2;

-- :CHECKPOINT_STATE
SELECT checkpoint_rev, n_checkpoints FROM ken.index WHERE id = $1;

-- :RULE_DOCUMENT_CLEAR
DELETE FROM ken.rule_document WHERE index_id = $1;

-- :RULE_DOCUMENT_COPY
COPY ken.rule_document (index_id, id, path, kind, sha256, n_bytes, mtime_ns, weight, indexed_at_ms)
    FROM STDIN (FORMAT binary);

-- :RULE_COPY
COPY ken.rule (index_id, document_id, ordinal, first_line, last_line, heading, text) FROM STDIN (FORMAT binary);

-- :RULE_SCAN
SELECT r.first_line, r.last_line, r.heading, r.text
    FROM ken.rule_document d
    JOIN ken.rule r ON r.index_id = d.index_id AND r.document_id = d.id
    WHERE d.index_id = $1
    AND sha256(d.path) = sha256($2)
    AND d.path = $2
    ORDER BY r.ordinal;

-- :RULE_DOCUMENT_SCAN
SELECT d.path, d.kind, d.sha256, d.n_bytes, d.mtime_ns, d.weight, d.indexed_at_ms,
    (SELECT count(*) FROM ken.rule r WHERE r.index_id = $1 AND r.document_id = d.id)
    FROM ken.rule_document d
    WHERE d.index_id = $1
    ORDER BY d.path;
