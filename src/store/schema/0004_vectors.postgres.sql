-- Vectors of chunks for pgvector, beside the segments that questions scan, where database.vectors says so. The table with
-- the vectors needs the extension, so it is made when that is there: ken.make_embeddings. Vectors of several models stand
-- side by side, told apart by model_id; what names their dimension is the index that searches them.

CREATE TABLE ken.embedding_models (
    id          bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text             NOT NULL UNIQUE,
    n_dims      bigint           NOT NULL CHECK (n_dims BETWEEN 1 AND 4096),
    kind        text             NOT NULL DEFAULT '' CHECK (kind IN ('', 'halfvec', 'vector', 'bit')), -- of its HNSW index
    indexed_at  timestamptz,                -- NULL: it has none, and is scanned
    recall      double precision,           -- of the ten nearest, beside the exact scan
    measured_at timestamptz
);

-- Once for a database. `kind`: halfvec or vector; the type that the table has is kept.
CREATE FUNCTION ken.make_embeddings(kind text) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
    home text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
BEGIN
    IF to_regclass('ken.embeddings') IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE ken.embeddings (
        index_id   bigint NOT NULL,
        content_id bigint NOT NULL,
        chunk      bigint NOT NULL,
        model_id   bigint NOT NULL,
        embedding  %I.%I  NOT NULL,
        PRIMARY KEY (index_id, content_id, chunk, model_id),
        FOREIGN KEY (index_id, content_id) REFERENCES ken.content ON DELETE CASCADE
    ) PARTITION BY HASH (index_id)', home, kind);
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE ken.%I PARTITION OF ken.embeddings FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                       'embeddings_' || lpad(part::text, 2, '0'), part);
    END LOOP;
END $make$;

-- The type of the table: halfvec or vector.
CREATE FUNCTION ken.embeddings_type() RETURNS text LANGUAGE sql STABLE AS $type$
    SELECT t.typname::text FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = to_regclass('ken.embeddings') AND a.attname = 'embedding'
$type$;

-- Builds the HNSW index of a model, after its vectors were loaded; `kind`: halfvec, vector (as the table is) or bit.
CREATE FUNCTION ken.index_embeddings(model bigint, kind text) RETURNS void LANGUAGE plpgsql AS $index$
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

-- The rows nearest to a vector, as text of pgvector, nearest first. With bits, twenty times as many are taken by their
-- signs and scored exactly.
CREATE FUNCTION ken.near(model bigint, question text, k integer)
    RETURNS TABLE (index_id bigint, content_id bigint, chunk bigint, distance double precision) LANGUAGE plpgsql STABLE AS $near$
DECLARE
    m ken.embedding_models := (SELECT r FROM ken.embedding_models r WHERE r.id = model);
    held text := format('%s(%s)', ken.embeddings_type(), m.n_dims);
BEGIN
    IF m.kind = 'bit' THEN
        RETURN QUERY EXECUTE format('SELECT c.index_id, c.content_id, c.chunk, c.embedding::%s <=> $1::%s AS d FROM (
                SELECT e.* FROM ken.embeddings e WHERE e.model_id = %s
                    ORDER BY binary_quantize(e.embedding)::bit(%s) <~> binary_quantize($1::%s)::bit(%s) LIMIT %s) c
            ORDER BY d LIMIT %s', held, held, model, m.n_dims, held, m.n_dims, 20 * k, k) USING question;
    ELSE
        RETURN QUERY EXECUTE format('SELECT e.index_id, e.content_id, e.chunk, (e.embedding::%s) <=> $1::%s AS d
            FROM ken.embeddings e WHERE e.model_id = %s ORDER BY (e.embedding::%s) <=> $1::%s LIMIT %s',
            held, held, model, held, held, k) USING question;
    END IF;
END $near$;

-- The share of the ten nearest by the exact scan that the index finds, over `n` vectors of the table as questions. Of rows
-- that are equally near any will do.
CREATE FUNCTION ken.measure_recall(model bigint, n integer) RETURNS double precision LANGUAGE plpgsql AS $recall$
DECLARE
    question text;
    farthest double precision;
    n_near bigint;
    n_exact bigint := 0;
    n_found bigint := 0;
BEGIN
    FOR question IN SELECT embedding::text FROM ken.embeddings WHERE model_id = model
            ORDER BY hashint8(index_id * 1000003 + content_id * 101 + chunk) LIMIT n LOOP
        PERFORM set_config('enable_indexscan', 'off', true);
        SELECT max(r.distance), count(*) INTO farthest, n_near FROM ken.near(model, question, 10) r;
        n_exact := n_exact + n_near;
        PERFORM set_config('enable_indexscan', 'on', true);
        n_found := n_found + (SELECT count(*) FROM ken.near(model, question, 10) r WHERE r.distance <= farthest + 1e-6);
    END LOOP;
    UPDATE ken.embedding_models SET recall = n_found::double precision / nullif(n_exact, 0), measured_at = now() WHERE id = model;
    RETURN n_found::double precision / nullif(n_exact, 0);
END $recall$;
