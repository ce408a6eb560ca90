-- Indexes of partitions go: version 5 knows none, and builds its own.
DO '
DECLARE
    old text;
BEGIN
    FOR old IN SELECT relname FROM pg_class WHERE relnamespace = ''ken''::regnamespace AND relkind = ''i''
            AND relname ~ ''^embeddings_hnsw_[0-9]+_(halfvec|vector|bit)_[0-9]+$'' LOOP
        EXECUTE format(''DROP INDEX ken.%I'', old);
    END LOOP;
    UPDATE ken.embedding_models m SET kind = '''', indexed_at = NULL, recall = NULL, measured_at = NULL
        WHERE to_regclass(''ken.embeddings_hnsw_'' || m.id) IS NULL;
END ';

DROP FUNCTION ken.index_steps(bigint, text, boolean);

CREATE OR REPLACE FUNCTION ken.index_embeddings(model bigint, kind text) RETURNS void LANGUAGE plpgsql AS $index$
DECLARE
    dims bigint := (SELECT n_dims FROM ken.embedding_models WHERE id = model);
    held text := ken.embeddings_type();
    expr text := format('(embedding::%s(%s)) %s_cosine_ops', held, dims, held);
BEGIN
    IF kind = 'bit' THEN
        expr := format('(binary_quantize(embedding)::bit(%s)) bit_hamming_ops', dims);
    END IF;
    EXECUTE format('DROP INDEX IF EXISTS ken.%I', 'embeddings_hnsw_' || model);
    EXECUTE format('CREATE INDEX %I ON ken.embeddings USING hnsw (%s) WITH (m = 16, ef_construction = 64) WHERE model_id = %s',
                   'embeddings_hnsw_' || model, expr, model);
    UPDATE ken.embedding_models SET kind = CASE index_embeddings.kind WHEN 'bit' THEN 'bit' ELSE held END, indexed_at = now(),
        recall = NULL, measured_at = NULL WHERE id = model;
END $index$;
