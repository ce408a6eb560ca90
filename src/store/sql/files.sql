-- The files of a tree, and what of it was skipped.

-- In the order of the pages: by the index on paths each row would be looked up by itself.
-- :FILE_SCAN
SELECT id, path, content_id, size, mtime_ns, inode, changed_at_ms, ctime_ns
    FROM file NOT INDEXED WHERE tree_id = ?1;

-- Of a tree that is based on a list: few rows beside very many.
-- :FILE_SCAN_FEW
SELECT id, path, content_id, size, mtime_ns, inode, changed_at_ms, ctime_ns
    FROM file INDEXED BY file_path WHERE tree_id = ?1;

-- :FILE_GET
SELECT id, path, content_id, size, mtime_ns, inode, changed_at_ms, ctime_ns
    FROM file
    WHERE id = ?2
    AND tree_id = ?1;

-- :FILE_COUNT
SELECT count(*) FROM file INDEXED BY file_path WHERE tree_id = ?1;

-- :FILE_COUNT_AT
SELECT count(*)
    FROM file
    WHERE tree_id = ?1
    AND path = ?2
    AND id NOT IN (SELECT file_id FROM file_hidden WHERE tree_id = ?3);

-- :FILE_LIVE
SELECT DISTINCT content_id FROM file INDEXED BY file_content ORDER BY content_id;

-- :FILE_MOVE_ALL
UPDATE file SET tree_id = ?2 WHERE tree_id = ?1;

-- :FILE_REMOVE_ALL
DELETE FROM file WHERE tree_id = ?1;

-- :HIDDEN_ADD
INSERT OR IGNORE INTO file_hidden (tree_id, file_id) VALUES (?1, ?2);

-- :HIDDEN_HAS
SELECT count(*) FROM file_hidden WHERE tree_id = ?1 AND file_id = ?2;

-- :HIDDEN_SCAN
SELECT file_id FROM file_hidden WHERE tree_id = ?1 ORDER BY file_id;

-- :HIDDEN_CLEAR
DELETE FROM file_hidden WHERE tree_id = ?1;

-- :STAMPS_GET
SELECT stamps FROM tree_stamps WHERE tree_id = ?1;

-- :STAMPS_PUT
INSERT OR REPLACE INTO tree_stamps (tree_id, stamps) VALUES (?1, ?2);

-- :STAMPS_CLEAR
DELETE FROM tree_stamps WHERE tree_id = ?1;

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

-- The tree whose rows are the skips of a tree: its own, or the list that it is based on, when those are the same.
-- :SKIP_OWNER
SELECT coalesce(base.id, tree.id)
    FROM tree
    LEFT JOIN tree base ON base.id = tree.base_id AND base.skips_hash = tree.skips_hash
    WHERE tree.id = ?1;

-- :SKIP_MOVE_ALL
UPDATE skip SET tree_id = ?2 WHERE tree_id = ?1;

-- :SKIP_COPY_ALL
INSERT INTO skip (tree_id, reason, path) SELECT ?2, reason, path FROM skip WHERE tree_id = ?1;

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

-- :SKIP_COUNT_CLEAR
DELETE FROM skip_count WHERE tree_id = ?1;

-- :SKIP_COUNT_PUT
INSERT OR REPLACE INTO skip_count (tree_id, reason, n) VALUES (?1, ?2, ?3);
