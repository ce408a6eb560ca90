-- Vectors for pgvector.

-- :VECTOR_VERSION
SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), ''),
    coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), ''),
    coalesce(ken.embeddings_type(), '');

-- :VECTOR_INSTALL
CREATE EXTENSION IF NOT EXISTS vector;

-- :VECTOR_MAKE
SELECT ken.make_embeddings($1);

-- :VECTOR_MODEL_ADD
INSERT INTO ken.embedding_models (name, n_dims) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING;

-- :VECTOR_MODEL_GET
SELECT id, n_dims FROM ken.embedding_models WHERE name = $1;

-- :VECTOR_COPY
COPY ken.embeddings (index_id, content_id, chunk, model_id, embedding) FROM STDIN (FORMAT binary);

-- :VECTOR_DROP
DELETE FROM ken.embeddings e
    USING ken.embedding_models m
    WHERE e.index_id = $1
    AND m.id = e.model_id
    AND m.name <> $2;

-- :VECTOR_STATE
SELECT (SELECT count(*) FROM ken.embeddings), count(*), count(indexed_at), min(recall)
    FROM ken.embedding_models;

-- A model whose vectors were loaded and have no index of their own yet.
-- :VECTOR_DUE
SELECT m.id
    FROM ken.embedding_models m
    WHERE m.indexed_at IS NULL
    AND (SELECT count(*) FROM (SELECT 1 FROM ken.embeddings e WHERE e.model_id = m.id LIMIT $1) few) >= $1
    ORDER BY m.id
    LIMIT 1;

-- :VECTOR_TUNE
SELECT set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', $2, true),
    set_config('statement_timeout', '0', true);

-- None while another process is at it.
-- :VECTOR_STEPS
SELECT ken.index_steps($1, $2)
    WHERE NOT EXISTS (SELECT FROM pg_stat_progress_create_index b JOIN pg_inherits h ON h.inhrelid = b.relid
        WHERE h.inhparent = 'ken.embeddings'::regclass);

-- :VECTOR_MEASURE
SELECT ken.measure_recall($1, 50);
