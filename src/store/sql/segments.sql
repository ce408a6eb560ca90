-- Search segments and their blocks.

-- :SEGMENT_ADD
INSERT INTO segment (kind, n_bytes, n_contents) VALUES (?1, 0, 0);

-- :SEGMENT_END
UPDATE segment SET n_bytes = ?2, n_contents = ?3 WHERE id = ?1;

-- :SEGMENT_REMOVE
DELETE FROM segment WHERE id = ?1;

-- :SEGMENT_SCAN
SELECT id, n_bytes, n_contents FROM segment WHERE kind = ?1 ORDER BY id;

-- :SEGMENT_IDS
SELECT id FROM segment ORDER BY id;

-- :BLOCK_ADD
INSERT INTO segment_block (id, data, n_plain) VALUES (?1, ?2, ?3);

-- :BLOCK_REMOVE
DELETE FROM segment_block WHERE id >= ?1 AND id < ?2;

-- :BLOCK_GET
SELECT data, n_plain FROM segment_block WHERE id = ?1;

-- :BLOCK_LENGTH
SELECT coalesce(n_plain, length(data)) FROM segment_block WHERE id = ?1;

-- :BLOCK_COUNT
SELECT count(*) FROM segment_block WHERE id >= ?1 AND id < ?2;
