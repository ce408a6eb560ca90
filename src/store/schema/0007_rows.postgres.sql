-- Rows of vectors have no foreign key either: it was looked up for each of them, which took half of the time of a bulk load
-- (docs/decisions/0022-relational-model.md). The statements that remove contents remove them.

-- Of these contents of an index, of all of them when `contents` is NULL. The table is there only where pgvector is.
CREATE FUNCTION ken.remove_embeddings(index bigint, contents bigint[]) RETURNS void LANGUAGE plpgsql AS $remove$
BEGIN
    IF to_regclass('ken.embeddings') IS NULL THEN
        RETURN;
    END IF;
    IF contents IS NULL THEN
        DELETE FROM ken.embeddings WHERE index_id = index;
    ELSE
        DELETE FROM ken.embeddings WHERE index_id = index AND content_id = ANY (contents);
    END IF;
END $remove$;

CREATE OR REPLACE FUNCTION ken.make_embeddings(kind text) RETURNS void LANGUAGE plpgsql AS $make$
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
        PRIMARY KEY (index_id, content_id, chunk, model_id)
    ) PARTITION BY HASH (index_id)', home, kind);
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE ken.%I PARTITION OF ken.embeddings FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                       'embeddings_' || lpad(part::text, 2, '0'), part);
    END LOOP;
END $make$;

DO '
BEGIN
    IF to_regclass(''ken.embeddings'') IS NOT NULL THEN
        ALTER TABLE ken.embeddings DROP CONSTRAINT embeddings_index_id_content_id_fkey;
    END IF;
END ';
