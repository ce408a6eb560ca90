-- One index: its name, its trees, values, contents, files and segments.

-- :INDEX_FIND
SELECT id FROM ken.index WHERE name = $1;

-- :INDEX_ADD
INSERT INTO ken.index (name) VALUES ($1) ON CONFLICT DO NOTHING;

-- :INDEX_REMOVE
WITH gone AS (
    DELETE FROM ken.index WHERE name = $1 RETURNING id
), files AS (
    DELETE FROM ken.file r USING gone WHERE r.index_id = gone.id
), contents AS (
    DELETE FROM ken.content r USING gone WHERE r.index_id = gone.id
), symbols AS (
    DELETE FROM ken.content_symbol r USING gone WHERE r.index_id = gone.id
), chunks AS (
    DELETE FROM ken.content_chunk r USING gone WHERE r.index_id = gone.id
), imports AS (
    DELETE FROM ken.content_import r USING gone WHERE r.index_id = gone.id
), refs AS (
    DELETE FROM ken.content_ref r USING gone WHERE r.index_id = gone.id
), texts AS (
    DELETE FROM ken.content_text r USING gone WHERE r.index_id = gone.id
)
SELECT count(*), count(ken.remove_embeddings(id, NULL)) FROM gone;

-- :INDEX_LOCK
SELECT last_content, last_segment, last_file, last_checkpoint, checkpoint_rev, n_checkpoints
    FROM ken.index
    WHERE id = $1
    FOR NO KEY UPDATE;

-- :INDEX_LAST
SELECT last_content, last_segment, checkpoint_rev FROM ken.index WHERE id = $1;

-- :INDEX_SET_LAST
UPDATE ken.index
    SET last_content = $2, last_segment = $3, last_file = $4, last_checkpoint = $5, checkpoint_rev = $6,
        n_checkpoints = $7
    WHERE id = $1;

-- Lengths are those of pointers: nothing is fetched.
-- :INDEX_SIZE
SELECT 8192
    + coalesce((SELECT sum(octet_length(facts) + coalesce(octet_length(refs), 0) + 200) FROM ken.content WHERE index_id = $1), 0)
    + coalesce((SELECT sum(octet_length(path) + 150) FROM ken.file WHERE index_id = $1), 0)
    + coalesce((SELECT sum(octet_length(data) + 60) FROM ken.segment_block WHERE index_id = $1), 0)::bigint;

-- :TREE_ADD_FIRST
INSERT INTO ken.tree (index_id, id) SELECT id, 1 FROM ken.index WHERE name = $1 ON CONFLICT DO NOTHING;

-- :TREE_FIND
SELECT id, generation FROM ken.tree WHERE index_id = $1 AND project IS NOT DISTINCT FROM $2;

-- :TREE_NEXT_ID
UPDATE ken.index SET last_tree = last_tree + 1 WHERE id = $1 RETURNING last_tree;

-- :TREE_ADD
INSERT INTO ken.tree (index_id, id, project) VALUES ($1, $2, $3);

-- The files of the tree that was indexed last, with times that no file has: a run reads them all.
-- :TREE_FILL
WITH newest AS (
    SELECT id FROM ken.tree
        WHERE index_id = $1
        AND generation > 0
        ORDER BY at_ms DESC, id DESC LIMIT 1
), filled AS (
    INSERT INTO ken.file (index_id, tree_id, id, path, content_id, size, mtime_ns, ctime_ns, inode, changed_at_ms)
        SELECT f.index_id, $2, i.last_file + row_number() OVER (ORDER BY f.id), f.path, f.content_id, f.size, 0, 0, 0,
            f.changed_at_ms
        FROM ken.file f, ken.index i
        WHERE f.index_id = $1
        AND f.tree_id = (SELECT id FROM newest)
        AND i.id = $1
        RETURNING 1
)
UPDATE ken.index SET last_file = last_file + (SELECT count(*) FROM filled) WHERE id = $1;

-- :TREE_LIST
SELECT id, project, generation, at_ms, root, n_files FROM ken.tree WHERE index_id = $1 ORDER BY id;

-- :TREE_REMOVE
WITH files AS (
    DELETE FROM ken.file WHERE index_id = $1 AND tree_id = $2
)
DELETE FROM ken.tree WHERE index_id = $1 AND id = $2;

-- :TREE_EMPTY
UPDATE ken.tree
    SET generation = 0, at_ms = 0, root = '', git_head = '', git_branch = '', n_files = 0, n_chunks = 0, n_symbols = 0,
        n_bytes = 0, n_lines = 0, skips_hash = 0
    WHERE index_id = $1
    AND id = $2;

-- :TREE_GET_NUMBER
SELECT generation FROM ken.tree WHERE index_id = $1 AND id = $2;

-- :TREE_LOAD
SELECT generation, at_ms, root, git_head, git_branch, n_files, n_chunks, n_symbols, n_bytes, n_lines
    FROM ken.tree
    WHERE index_id = $1
    AND id = $2;

-- :TREE_PUT
UPDATE ken.tree
    SET generation = $3, at_ms = $4, root = $5, git_head = $6, git_branch = $7, n_files = $8, n_chunks = $9,
        n_symbols = $10, n_bytes = $11, n_lines = $12
    WHERE index_id = $1
    AND id = $2
    AND generation < $3;

-- :META_GET
SELECT value FROM ken.meta WHERE index_id = $1 AND tree_id = $2 AND key = $3;

-- :META_PUT
INSERT INTO ken.meta (index_id, tree_id, key, value) VALUES ($1, $2, $3, $4)
    ON CONFLICT (index_id, tree_id, key) DO UPDATE SET value = excluded.value;

-- :META_REMOVE
DELETE FROM ken.meta WHERE index_id = $1 AND tree_id = $2 AND key = $3;

-- :META_CLEAR
DELETE FROM ken.meta WHERE index_id = $1 AND tree_id = $2;

-- :META_LIST
SELECT key, octet_length(value)::bigint FROM ken.meta
    WHERE index_id = $1
    AND tree_id IN (0, $2)
    ORDER BY key COLLATE "C";

-- :CONTENT_FIND
SELECT id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, marks
    FROM ken.content
    WHERE index_id = $1
    AND sha256 = $2
    AND lang = $3
    AND feature = $4;

-- :CONTENT_HASHES
SELECT substring(sha256 FROM 1 FOR 8) FROM ken.content WHERE index_id = $1 AND feature IS NOT NULL;

-- :CONTENT_GET
SELECT id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, marks
    FROM ken.content
    WHERE index_id = $1
    AND id = $2;

-- :CONTENT_SUPERSEDE
UPDATE ken.content SET feature = NULL
    WHERE index_id = $1
    AND sha256 = $2
    AND lang = $3
    AND feature = $4;

-- Several keys, each once.
-- :CONTENT_SUPERSEDE_MANY
UPDATE ken.content c SET feature = NULL
    FROM unnest($2, $3, $4) AS k (sha256, lang, feature)
    WHERE c.index_id = $1
    AND c.sha256 = k.sha256
    AND c.lang = k.lang
    AND c.feature = k.feature;

-- :CONTENT_COPY
COPY ken.content (index_id, id, sha256, lang, feature, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, marks,
    facts, refs, language)
    FROM STDIN (FORMAT binary);

-- :CONTENT_FACTS
SELECT facts FROM ken.content WHERE index_id = $1 AND id = $2;

-- :CONTENT_REFS
SELECT coalesce(refs, '') FROM ken.content WHERE index_id = $1 AND id = $2;

-- Several of them; $3: with references, $4: with the text, where it is kept.
-- :CONTENT_EXPECTED
SELECT c.id, c.facts, CASE WHEN $3 THEN coalesce(c.refs, '') END,
    CASE WHEN $4 THEN (SELECT t.text FROM ken.content_text t WHERE t.index_id = $1 AND t.content_id = c.id) END
    FROM ken.content c
    WHERE c.index_id = $1
    AND c.id = ANY ($2)
    ORDER BY c.id;

-- :CONTENT_SHA
SELECT sha256 FROM ken.content WHERE index_id = $1 AND id = $2;

-- Of many.
-- :CONTENT_MARKS
SELECT id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, marks, sha256
    FROM ken.content
    WHERE index_id = $1
    AND id = ANY ($2);

-- Without a feature when it is superseded.
-- :CONTENT_KEY
SELECT sha256, lang, coalesce(feature, 0) FROM ken.content WHERE index_id = $1 AND id = $2;

-- :CONTENT_BATCH
SELECT id, facts, n_bytes, coalesce(refs, '')
    FROM ken.content
    WHERE index_id = $1
    AND id > $2
    ORDER BY id LIMIT 256;

-- :CONTENT_COLLECT
WITH gone AS (
    DELETE FROM ken.content c
        WHERE c.index_id = $1
        AND NOT EXISTS (SELECT 1 FROM ken.file f WHERE f.index_id = $1 AND f.content_id = c.id)
        RETURNING c.id
), symbols AS (
    DELETE FROM ken.content_symbol r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), chunks AS (
    DELETE FROM ken.content_chunk r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), imports AS (
    DELETE FROM ken.content_import r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), refs AS (
    DELETE FROM ken.content_ref r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), texts AS (
    DELETE FROM ken.content_text r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
)
SELECT count(*), ken.remove_embeddings($1, array_agg(id)) FROM gone;

-- :CONTENT_COLLECT_SOME
WITH gone AS (
    DELETE FROM ken.content c
        WHERE c.index_id = $1
        AND c.id = ANY ($2)
        AND NOT EXISTS (SELECT 1 FROM ken.file f WHERE f.index_id = $1 AND f.content_id = c.id)
        RETURNING c.id
), symbols AS (
    DELETE FROM ken.content_symbol r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), chunks AS (
    DELETE FROM ken.content_chunk r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), imports AS (
    DELETE FROM ken.content_import r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), refs AS (
    DELETE FROM ken.content_ref r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
), texts AS (
    DELETE FROM ken.content_text r USING gone WHERE r.index_id = $1 AND r.content_id = gone.id
)
SELECT count(*), ken.remove_embeddings($1, array_agg(id)) FROM gone;

-- :FILE_SCAN
SELECT id, path, content_id, size, mtime_ns, ctime_ns, inode, changed_at_ms
    FROM ken.file
    WHERE index_id = $1
    AND tree_id = $2
    ORDER BY path;

-- :FILE_CONTENTS
SELECT c.id, c.n_bytes, c.n_lines, c.n_chunks, c.n_symbols, c.n_error_bytes, c.lang, c.marks
    FROM ken.file f
    JOIN ken.content c ON c.index_id = $1 AND c.id = f.content_id
    WHERE f.index_id = $1
    AND f.tree_id = $2
    ORDER BY f.path;

-- :FILE_LIVE
SELECT DISTINCT content_id FROM ken.file WHERE index_id = $1 ORDER BY content_id;

-- :FILE_ADD
INSERT INTO ken.file (index_id, tree_id, id, path, content_id, size, mtime_ns, ctime_ns, inode, changed_at_ms)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    WHERE EXISTS (SELECT 1 FROM ken.content WHERE index_id = $1 AND id = $5);

-- :FILE_COPY
COPY ken.file (index_id, tree_id, id, path, content_id, size, mtime_ns, ctime_ns, inode, changed_at_ms)
    FROM STDIN (FORMAT binary);

-- :FILE_PATHS
SELECT path FROM ken.file WHERE index_id = $1 AND tree_id = $2;

-- :FILE_PUT
UPDATE ken.file
    SET path = $4, content_id = $5, size = $6, mtime_ns = $7, ctime_ns = $8, inode = $9, changed_at_ms = $10
    WHERE index_id = $1
    AND tree_id = $2
    AND id = $3
    AND EXISTS (SELECT 1 FROM ken.content WHERE index_id = $1 AND id = $5);

-- Several that keep their paths; which of them were.
-- :FILE_PUT_MANY
UPDATE ken.file f
    SET content_id = n.content_id, size = n.size, mtime_ns = n.mtime_ns, ctime_ns = n.ctime_ns, inode = n.inode,
        changed_at_ms = n.changed_at_ms
    FROM unnest($3, $4, $5, $6, $7, $8, $9, $10) AS n (id, path, content_id, size, mtime_ns, ctime_ns, inode, changed_at_ms)
    WHERE f.index_id = $1
    AND f.tree_id = $2
    AND f.id = n.id
    AND f.path = n.path
    AND EXISTS (SELECT 1 FROM ken.content c WHERE c.index_id = $1 AND c.id = n.content_id)
    RETURNING f.id;

-- Files whose content is not there, from an id on.
-- :FILE_ORPHANS
SELECT count(*)
    FROM ken.file f
    WHERE f.index_id = $1
    AND f.id >= $2
    AND NOT EXISTS (SELECT 1 FROM ken.content c WHERE c.index_id = $1 AND c.id = f.content_id);

-- :FILE_REMOVE
DELETE FROM ken.file WHERE index_id = $1 AND tree_id = $2 AND id = $3;

-- :FILE_REMOVE_MANY
DELETE FROM ken.file WHERE index_id = $1 AND tree_id = $2 AND id = ANY ($3);

-- :FILE_CLEAR
DELETE FROM ken.file WHERE index_id = $1 AND tree_id = $2;

-- :SKIP_GET_HASH
SELECT skips_hash FROM ken.tree WHERE index_id = $1 AND id = $2;

-- :SKIP_SET_HASH
UPDATE ken.tree SET skips_hash = $3 WHERE index_id = $1 AND id = $2;

-- :SKIP_CLEAR
DELETE FROM ken.skip WHERE index_id = $1 AND tree_id = $2;

-- :SKIP_COPY
COPY ken.skip (index_id, tree_id, ordinal, reason, path) FROM STDIN (FORMAT binary);

-- :SKIP_SCAN
SELECT reason, path FROM ken.skip
    WHERE index_id = $1
    AND tree_id = $2
    AND ($4 = '' OR reason = $4)
    ORDER BY reason COLLATE "C", path LIMIT $3;

-- :SKIP_COUNT_SCAN
SELECT reason, n FROM ken.skip_count WHERE index_id = $1 AND tree_id = $2;

-- :SKIP_COUNT_CLEAR
DELETE FROM ken.skip_count WHERE index_id = $1 AND tree_id = $2;

-- :SKIP_COUNT_COPY
COPY ken.skip_count (index_id, tree_id, reason, n) FROM STDIN (FORMAT binary);

-- :SEGMENT_ADD
INSERT INTO ken.segment (index_id, id, kind) VALUES ($1, $2, $3);

-- :SEGMENT_END
UPDATE ken.segment SET n_bytes = $3, n_contents = $4 WHERE index_id = $1 AND id = $2;

-- :SEGMENT_REMOVE
DELETE FROM ken.segment WHERE index_id = $1 AND id = $2;

-- Sizes are true, or the row is not taken: who reads a segment takes memory for its size.
-- :SEGMENT_SCAN
SELECT s.id, s.n_bytes, s.n_contents,
    coalesce((SELECT coalesce(b.n_plain, octet_length(b.data)) FROM ken.segment_block b
        WHERE b.index_id = $1 AND b.segment_id = s.id AND b.block = (s.n_bytes - 1) / 65536), 0)
    FROM ken.segment s
    WHERE s.index_id = $1
    AND s.kind = $2
    ORDER BY s.id;

-- :SEGMENT_IDS
SELECT id FROM ken.segment WHERE index_id = $1 ORDER BY id;

-- :BLOCK_COPY
COPY ken.segment_block (index_id, segment_id, block, n_plain, data) FROM STDIN (FORMAT binary);

-- :BLOCK_GET
SELECT block, data, n_plain
    FROM ken.segment_block
    WHERE index_id = $1
    AND segment_id = $2
    AND block >= $3
    AND block < $4
    ORDER BY block;

-- :BLOCK_COUNT
SELECT count(*) FROM ken.segment_block WHERE index_id = $1 AND segment_id = $2;
