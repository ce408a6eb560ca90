-- The files of a tree, and what of it was skipped.

-- In the order of the pages: by the index on paths each row would be looked up by itself.
-- :FILE_SCAN
SELECT id, path, content_id, size, mtime_ns, inode, changed_at_ms, ctime_ns
    FROM file NOT INDEXED WHERE tree_id = ?1;

-- :FILE_ADD
INSERT INTO file (tree_id, path, content_id, size, mtime_ns, inode, changed_at_ms, ctime_ns)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- :FILE_PUT
UPDATE file
    SET path = ?2, content_id = ?3, size = ?4, mtime_ns = ?5, inode = ?6, changed_at_ms = ?7,
        ctime_ns = ?8
    WHERE tree_id = ?1
    AND id = ?9;

-- :FILE_REMOVE
DELETE FROM file WHERE tree_id = ?1 AND id = ?2;

-- :SKIP_GET_HASH
SELECT skips_hash FROM tree WHERE id = ?1;

-- :SKIP_SET_HASH
UPDATE tree SET skips_hash = ?2 WHERE id = ?1;

-- :SKIP_CLEAR
DELETE FROM skip WHERE tree_id = ?1;

-- :SKIP_ADD
INSERT OR IGNORE INTO skip (tree_id, reason, path) VALUES (?1, ?2, ?3);

-- :SKIP_SCAN
SELECT reason, path FROM skip WHERE tree_id = ?1 ORDER BY reason, path LIMIT ?2;

-- :SKIP_SCAN_REASON
SELECT reason, path FROM skip WHERE tree_id = ?1 AND reason = ?3 ORDER BY path LIMIT ?2;

-- :SKIP_COUNT_SCAN
SELECT reason, n FROM skip_count WHERE tree_id = ?1;

-- :SKIP_COUNT_PUT
INSERT OR REPLACE INTO skip_count (tree_id, reason, n) VALUES (?1, ?2, ?3);
