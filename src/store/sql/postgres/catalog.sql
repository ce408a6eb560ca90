-- Projects, remotes, values, models and access tokens of the catalog.

-- What cannot be told by a row: writers of one kind take turns until they commit.
-- :CATALOG_LOCK
SELECT pg_advisory_xact_lock($1);

-- :PROJECT_LIST
SELECT id, name, path, created_at, last_indexed_at, is_active, index_of
    FROM ken.projects
    ORDER BY name COLLATE "C", path;

-- :PROJECT_BY_ROOT
SELECT id, name, path, created_at, last_indexed_at, is_active, index_of
    FROM ken.projects
    WHERE sha256(path) = sha256($1)
    AND path = $1;

-- :PROJECT_BY_ID
SELECT id, name, path, created_at, last_indexed_at, is_active, index_of
    FROM ken.projects
    WHERE id = $1;

-- :PROJECT_ADD
INSERT INTO ken.projects (id, name, path, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- :PROJECT_RENAME
UPDATE ken.projects SET name = $2, updated_at = now() WHERE id = $1;

-- :PROJECT_SET_INDEXED
UPDATE ken.projects SET last_indexed_at = $2, updated_at = now() WHERE id = $1;

-- :PROJECT_SET_ACTIVE
UPDATE ken.projects SET is_active = $2, updated_at = now() WHERE id = $1;

-- :PROJECT_SHARE
UPDATE ken.projects SET index_of = $2, updated_at = now() WHERE id = $1;

-- :PROJECT_REMOVE
DELETE FROM ken.projects WHERE id = $1;

-- :CATALOG_COUNT
SELECT (SELECT count(*) FROM ken.projects), (SELECT coalesce(sum(n), 0)::bigint FROM ken.task_counts WHERE branch_name = '');

-- The branch of a row is what was said, else what a sync found.
-- :REMOTE_GET
SELECT r.repository_id, r.url, CASE WHEN r.branch = '' THEN coalesce(s.branch, '') ELSE r.branch END, r.sparse, r.depth,
    r.interval_s, r.branch = '', coalesce(s.current_commit, ''), s.last_synced, s.tried_at, coalesce(s.n_failures, 0),
    coalesce(s.error, '')
    FROM ken.remotes r
    LEFT JOIN ken.remote_states s USING (repository_id)
    WHERE r.repository_id = $1;

-- :REMOTE_LIST
SELECT r.repository_id, r.url, CASE WHEN r.branch = '' THEN coalesce(s.branch, '') ELSE r.branch END, r.sparse, r.depth,
    r.interval_s, r.branch = '', coalesce(s.current_commit, ''), s.last_synced, s.tried_at, coalesce(s.n_failures, 0),
    coalesce(s.error, '')
    FROM ken.remotes r
    JOIN ken.projects p ON p.id = r.repository_id
    LEFT JOIN ken.remote_states s USING (repository_id)
    ORDER BY p.name COLLATE "C", p.path;

-- The name of another project that is a clone of the same.
-- :REMOTE_SAME
SELECT p.name
    FROM ken.remotes r
    JOIN ken.projects p ON p.id = r.repository_id
    LEFT JOIN ken.remote_states s USING (repository_id)
    WHERE r.repository_id <> $1
    AND r.url = $2
    AND r.sparse = $4
    AND (r.branch = $3 OR (r.branch = '' AND s.branch = $3));

-- What syncs found of another url or branch.
-- :REMOTE_FORGET
DELETE FROM ken.remote_states s
    USING ken.remotes r
    WHERE s.repository_id = $1
    AND r.repository_id = $1
    AND (r.url <> $2 OR $3 NOT IN (r.branch, s.branch));

-- :REMOTE_PUT
INSERT INTO ken.remotes (repository_id, url, branch, sparse, depth, interval_s) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (repository_id) DO UPDATE SET url = excluded.url, branch = excluded.branch, sparse = excluded.sparse,
        depth = excluded.depth, interval_s = excluded.interval_s;

-- :REMOTE_SET_SYNCED
INSERT INTO ken.remote_states (repository_id, branch, current_commit, last_synced, tried_at, n_failures, error)
    SELECT repository_id, $2, $3, $4, $5, $6, $7 FROM ken.remotes WHERE repository_id = $1
    ON CONFLICT (repository_id) DO UPDATE SET branch = excluded.branch, current_commit = excluded.current_commit,
        last_synced = excluded.last_synced, tried_at = excluded.tried_at, n_failures = excluded.n_failures,
        error = excluded.error;

-- :REMOTE_REMOVE
DELETE FROM ken.remotes WHERE repository_id = $1;

-- :SETTING_GET
SELECT value FROM ken.settings WHERE name = $1;

-- :SETTING_LIST
SELECT name, value FROM ken.settings ORDER BY name COLLATE "C";

-- :SETTING_PUT
INSERT INTO ken.settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- :SETTING_REMOVE
DELETE FROM ken.settings WHERE name = $1;

-- The columns of models are those of model_record.h, in its order.
-- :MODEL_LIST
SELECT id, label, provider, languages, code_quality, source, tokenizer_source, pooling, document_prefix, query_prefix,
    sha256, license, dims, max_tokens, size_bytes, ram_bytes, latency_ms, status, is_preloaded
    FROM ken.models
    ORDER BY provider <> 'builtin', id COLLATE "C";

-- :MODEL_GET
SELECT id, label, provider, languages, code_quality, source, tokenizer_source, pooling, document_prefix, query_prefix,
    sha256, license, dims, max_tokens, size_bytes, ram_bytes, latency_ms, status, is_preloaded
    FROM ken.models
    WHERE id = $1;

-- :MODEL_PUT
INSERT INTO ken.models (id, label, provider, languages, code_quality, source, tokenizer_source, pooling, document_prefix,
    query_prefix, sha256, license, dims, max_tokens, size_bytes, ram_bytes, latency_ms, status, is_preloaded)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
    ON CONFLICT (id) DO UPDATE SET label = excluded.label, provider = excluded.provider, languages = excluded.languages,
        code_quality = excluded.code_quality, source = excluded.source, tokenizer_source = excluded.tokenizer_source,
        pooling = excluded.pooling, document_prefix = excluded.document_prefix, query_prefix = excluded.query_prefix,
        sha256 = excluded.sha256, license = excluded.license, dims = excluded.dims,
        max_tokens = excluded.max_tokens, size_bytes = excluded.size_bytes, ram_bytes = excluded.ram_bytes, latency_ms = excluded.latency_ms,
        status = excluded.status, is_preloaded = excluded.is_preloaded;

-- :MODEL_REMOVE
DELETE FROM ken.models WHERE id = $1;

-- :TOKEN_LIST
SELECT id, name, sha256, scopes, project, created_at, expires_at FROM ken.access_tokens ORDER BY name COLLATE "C";

-- :TOKEN_COUNT
SELECT count(*) FROM ken.access_tokens;

-- :TOKEN_NAMED
SELECT count(*) FROM ken.access_tokens WHERE name = $1;

-- :TOKEN_ADD
INSERT INTO ken.access_tokens (id, name, sha256, scopes, project, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7);

-- :TOKEN_REMOVE
DELETE FROM ken.access_tokens WHERE id = $1;
