DO '
BEGIN
    IF to_regclass(''ken.embeddings'') IS NOT NULL THEN
        ALTER TABLE ken.embeddings ADD CONSTRAINT embeddings_index_id_content_id_fkey
            FOREIGN KEY (index_id, content_id) REFERENCES ken.content ON DELETE CASCADE;
    END IF;
END ';

DROP FUNCTION ken.remove_embeddings(bigint, bigint[]);

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
        PRIMARY KEY (index_id, content_id, chunk, model_id),
        FOREIGN KEY (index_id, content_id) REFERENCES ken.content ON DELETE CASCADE
    ) PARTITION BY HASH (index_id)', home, kind);
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE ken.%I PARTITION OF ken.embeddings FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                       'embeddings_' || lpad(part::text, 2, '0'), part);
    END LOOP;
END $make$;
