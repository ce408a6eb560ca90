-- The HNSW index of a model is one index of each partition, each made by CREATE INDEX CONCURRENTLY: runs go on writing vectors
-- while it is at work. There is none over all partitions, for to make it would lock them all.

-- What is still to be done until a model has its index, in order: each a statement to be run outside of a transaction, as
-- `\gexec` of psql does it; with `is_gentle` false they may be run in one, and hold up whoever writes vectors until it ends.
-- An index that was left half made is made anew. `kind`: halfvec, vector (as the table is) or bit.
CREATE FUNCTION ken.index_steps(model bigint, kind text, is_gentle boolean DEFAULT true) RETURNS SETOF text LANGUAGE plpgsql STABLE
AS $steps$
DECLARE
    m ken.embedding_models := (SELECT r FROM ken.embedding_models r WHERE r.id = model);
    held text := ken.embeddings_type();
    made text := CASE kind WHEN 'bit' THEN 'bit' ELSE held END;
    expr text := format('(embedding::%s(%s)) %s_cosine_ops', held, m.n_dims, held);
    how text := CASE WHEN is_gentle THEN ' CONCURRENTLY' ELSE '' END;
    part record;
    other record;
    name text;
    n_made integer := 0;
BEGIN
    IF made = 'bit' THEN
        expr := format('(binary_quantize(embedding)::bit(%s)) bit_hamming_ops', m.n_dims);
    END IF;
    FOR part IN SELECT c.relname, c.oid FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
            WHERE h.inhparent = 'ken.embeddings'::regclass ORDER BY c.relname LOOP
        name := format('embeddings_hnsw_%s_%s_%s', model, made, substring(part.relname FROM '[0-9]+$'));
        CONTINUE WHEN EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE i.indrelid = part.oid AND c.relname = name AND i.indisvalid);
        IF to_regclass(format('ken.%I', name)) IS NOT NULL THEN
            RETURN NEXT format('DROP INDEX%s ken.%I', how, name);
        END IF;
        RETURN NEXT format('CREATE INDEX%s %I ON ken.%I USING hnsw (%s) WITH (m = 16, ef_construction = 64) WHERE model_id = %s',
                           how, name, part.relname, expr, model);
        n_made := n_made + 1;
    END LOOP;
    IF n_made = 0 AND m.kind = made AND m.indexed_at IS NOT NULL THEN
        RETURN;
    END IF;
    RETURN NEXT format('UPDATE ken.embedding_models SET kind = %L, indexed_at = now(), recall = NULL, measured_at = NULL '
                       'WHERE id = %s', made, model);
    -- Those of another kind, and the one over all partitions that earlier versions made.
    FOR other IN SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_inherits h ON h.inhrelid = c.oid
            WHERE n.nspname = 'ken' AND c.relkind IN ('i', 'I') AND h.inhrelid IS NULL
            AND c.relname ~ format('^embeddings_hnsw_%s(_|$)', model)
            AND c.relname !~ format('^embeddings_hnsw_%s_%s_', model, made) LOOP
        RETURN NEXT format('DROP INDEX%s ken.%I', CASE other.relkind WHEN 'i' THEN how ELSE '' END, other.relname);
    END LOOP;
END $steps$;

-- The same in one transaction.
CREATE OR REPLACE FUNCTION ken.index_embeddings(model bigint, kind text) RETURNS void LANGUAGE plpgsql AS $index$
DECLARE
    step text;
BEGIN
    FOR step IN SELECT ken.index_steps(model, kind, false) LOOP
        EXECUTE step;
    END LOOP;
END $index$;
