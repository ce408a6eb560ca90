-- Projects, values and models of the catalog.

-- :PROJECT_LIST
SELECT id, name, root, db_file, created_at_ms, indexed_at_ms, is_active, index_of
    FROM project
    ORDER BY name, root;

-- :PROJECT_BY_ROOT
SELECT id, name, root, db_file, created_at_ms, indexed_at_ms, is_active, index_of
    FROM project
    WHERE root = ?1;

-- :PROJECT_BY_ID
SELECT id, name, root, db_file, created_at_ms, indexed_at_ms, is_active, index_of
    FROM project
    WHERE id = ?1;

-- :PROJECT_ADD
INSERT INTO project (id, name, root, db_file, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5);

-- :PROJECT_RENAME
UPDATE project SET name = ?2 WHERE id = ?1;

-- :PROJECT_SET_INDEXED
UPDATE project SET indexed_at_ms = ?2 WHERE id = ?1;

-- :PROJECT_SET_ACTIVE
UPDATE project SET is_active = ?2 WHERE id = ?1;

-- :PROJECT_SHARE
UPDATE project SET index_of = ?2 WHERE id = ?1;

-- :PROJECT_REMOVE
DELETE FROM project WHERE id = ?1;

-- :PROJECT_COUNT
SELECT count(*) FROM project;

-- :TASK_COUNT
SELECT count(*) FROM task;

-- :SETTING_GET
SELECT value FROM setting WHERE name = ?1;

-- :SETTING_LIST
SELECT name, value FROM setting ORDER BY name;

-- :SETTING_PUT
INSERT OR REPLACE INTO setting VALUES (?1, ?2);

-- :SETTING_REMOVE
DELETE FROM setting WHERE name = ?1;

-- The columns of models are those of model_record.h, in its order.
-- :MODEL_LIST
SELECT id, label, provider, languages, code_quality, source, tokenizer_source, pooling,
    document_prefix, query_prefix, sha256, license, dims, max_tokens, size_bytes, ram_bytes, latency_ms, status,
    is_preloaded
    FROM model
    ORDER BY provider <> 'builtin', id;

-- :MODEL_GET
SELECT id, label, provider, languages, code_quality, source, tokenizer_source, pooling,
    document_prefix, query_prefix, sha256, license, dims, max_tokens, size_bytes, ram_bytes, latency_ms, status,
    is_preloaded
    FROM model
    WHERE id = ?1;

-- :MODEL_PUT
INSERT OR REPLACE INTO model (id, label, provider, languages, code_quality, source, tokenizer_source, pooling,
    document_prefix, query_prefix, sha256, license, dims, max_tokens, size_bytes, ram_bytes, latency_ms, status,
    is_preloaded)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19);

-- :MODEL_REMOVE
DELETE FROM model WHERE id = ?1;
