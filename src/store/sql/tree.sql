-- The generation of a tree, and values by name.

-- :TREE_GET_NUMBER
SELECT generation FROM tree WHERE id = ?1;

-- :TREE_LOAD
SELECT generation, at_ms, root, git_head, git_branch, n_files, n_chunks, n_symbols, n_bytes, n_lines,
    base_id IS NOT NULL
    FROM tree
    WHERE id = ?1;

-- :TREE_PUT
UPDATE tree
    SET generation = ?2, at_ms = ?3, root = ?4, git_head = ?5, git_branch = ?6, n_files = ?7,
        n_chunks = ?8, n_symbols = ?9, n_bytes = ?10, n_lines = ?11
    WHERE id = ?1
    AND generation < ?2;

-- :TREE_OF_PROJECT
SELECT id FROM tree WHERE project = ?1;

-- :TREE_GET_BASE
SELECT coalesce(base_id, 0) FROM tree WHERE id = ?1;

-- :TREE_SET_BASE
UPDATE tree SET base_id = nullif(?2, 0) WHERE id = ?1;

-- Ids are never used again: a reader of a tree that is gone must not come upon another.
-- :TREE_NEXT_ID
UPDATE tree SET last_id = last_id + 1 WHERE id = 1 RETURNING last_id;

-- :TREE_ADD
INSERT INTO tree (id, project, base_id) VALUES (?3, ?1, nullif(?2, 0));

-- A list takes the counts and skips of the tree that it is made of.
-- :TREE_ADD_LIST
INSERT INTO tree (id, n_files, skips_hash)
    SELECT ?2, (SELECT count(*) FROM file INDEXED BY file_path WHERE tree_id = ?1), skips_hash
    FROM tree
    WHERE id = ?1;

-- What a new tree is based on: the list that the newest generation is based on, else that tree.
-- :TREE_NEWEST
SELECT id, coalesce(base_id, 0) FROM tree WHERE generation > 0 ORDER BY at_ms DESC, id DESC LIMIT 1;

-- :TREE_LIST
SELECT id, project, generation, at_ms, root, n_files, base_id IS NOT NULL
    FROM tree
    WHERE id = 1
    OR project IS NOT NULL
    ORDER BY id;

-- :TREE_REMOVE
DELETE FROM tree WHERE id = ?1;

-- The first one stays, without files.
-- :TREE_EMPTY
UPDATE tree
    SET generation = 0, at_ms = 0, root = '', git_head = '', git_branch = '', n_files = 0, n_chunks = 0,
        n_symbols = 0, n_bytes = 0, n_lines = 0, skips_hash = 0, base_id = NULL
    WHERE id = ?1;

-- :TREE_REMOVE_LISTS
DELETE FROM tree
    WHERE id <> 1
    AND project IS NULL
    AND id NOT IN (SELECT base_id FROM tree WHERE base_id IS NOT NULL);

-- :META_REMOVE_ALL
DELETE FROM meta WHERE key GLOB ?1;

-- :META_GET
SELECT value FROM meta WHERE key = ?1;

-- :META_LIST
SELECT key, length(value) FROM meta ORDER BY key;

-- :META_PUT
INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2);

-- :META_REMOVE
DELETE FROM meta WHERE key = ?1;
