-- Checkpoints, their tags, and the state that counts their writes.

-- :CHECKPOINT_GET
SELECT id, uuid, rev, created_at_ms, updated_at_ms, token_count, git_branch, git_commit, summary,
    git_dirty, context, description
    FROM checkpoint
    WHERE uuid = ?1;

-- :CHECKPOINT_NEXT
SELECT id, uuid, rev, created_at_ms, updated_at_ms, token_count, git_branch, git_commit, summary,
    git_dirty, context, description
    FROM checkpoint
    WHERE id > ?1
    ORDER BY id LIMIT 1;

-- :CHECKPOINT_MARKS
SELECT id, uuid, rev FROM checkpoint WHERE rev > ?1 ORDER BY rev LIMIT ?2;

-- :CHECKPOINT_SCAN
SELECT id, uuid, rev, created_at_ms, updated_at_ms, token_count, git_branch, git_commit, summary,
    git_dirty, context, description
    FROM checkpoint
    WHERE rev > ?1
    ORDER BY rev LIMIT ?2;

-- :CHECKPOINT_ADD
INSERT INTO checkpoint (uuid, rev, created_at_ms, updated_at_ms, token_count, git_branch,
    git_commit, summary, git_dirty, context, description)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);

-- :CHECKPOINT_PUT
UPDATE checkpoint
    SET uuid = ?1, rev = ?2, created_at_ms = ?3, updated_at_ms = ?4, token_count = ?5,
        git_branch = ?6, git_commit = ?7, summary = ?8, git_dirty = ?9, context = ?10,
        description = ?11
    WHERE id = ?12;

-- :CHECKPOINT_REMOVE
DELETE FROM checkpoint WHERE id = ?1;

-- :CHECKPOINT_BUMP
UPDATE checkpoint_state SET rev = rev + 1, n = n + ?1;

-- :CHECKPOINT_STATE
SELECT rev, n FROM checkpoint_state;

-- :TAG_SCAN
SELECT tag FROM checkpoint_tag WHERE checkpoint = ?1 ORDER BY tag;

-- :TAG_CLEAR
DELETE FROM checkpoint_tag WHERE checkpoint = ?1;

-- :TAG_ADD
INSERT INTO checkpoint_tag (tag, checkpoint) VALUES (?1, ?2);
