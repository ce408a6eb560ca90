-- The generation of a tree, and values by name.

-- :TREE_GET_NUMBER
SELECT generation FROM tree WHERE id = ?1;

-- :TREE_LOAD
SELECT generation, at_ms, root, git_head, git_branch, n_files, n_chunks, n_symbols, n_bytes, n_lines
    FROM tree
    WHERE id = ?1;

-- :TREE_PUT
UPDATE tree
    SET generation = ?2, at_ms = ?3, root = ?4, git_head = ?5, git_branch = ?6, n_files = ?7,
        n_chunks = ?8, n_symbols = ?9, n_bytes = ?10, n_lines = ?11
    WHERE id = ?1
    AND generation < ?2;

-- :META_GET
SELECT value FROM meta WHERE key = ?1;

-- :META_LIST
SELECT key, length(value) FROM meta ORDER BY key;

-- :META_PUT
INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2);

-- :META_REMOVE
DELETE FROM meta WHERE key = ?1;
