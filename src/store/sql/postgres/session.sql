-- Sessions and the schema they meet. What stands before LAST_UNNAMED is sent as a text each time.

-- :BEGIN_READ
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- :BEGIN_WRITE
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;

-- :COMMIT
COMMIT;

-- :ROLLBACK
ROLLBACK;

-- For the transaction: behind a pooler the next one may be on another connection.
-- :SET_LIMITS
SELECT set_config('lock_timeout', $1, true),
    set_config('statement_timeout', $2, true),
    set_config('idle_in_transaction_session_timeout', $3, true);

-- :SET_SYNC
SELECT set_config('synchronous_commit', $1, true);

-- :SCHEMA_LOCK
SELECT pg_advisory_xact_lock(5424460341);

-- :SCHEMA_EXISTS
SELECT to_regclass('ken.schema_version') IS NOT NULL;

-- Those of extensions belong to nobody else.
-- :SCHEMA_COUNT_OTHERS
SELECT count(*)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'ken')
    AND n.nspname NOT LIKE 'pg\_%'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e');

-- :SCHEMA_NEWEST
SELECT coalesce(max(version), 0) FROM ken.schema_version;

-- :SCHEMA_ADD
INSERT INTO ken.schema_version (version, fingerprint) VALUES ($1, '');

-- :SCHEMA_REMOVE
DELETE FROM ken.schema_version WHERE version = $1;

-- :SCHEMA_SEAL
UPDATE ken.schema_version SET fingerprint = $2 WHERE version = $1;

-- :SCHEMA_SEALED
SELECT fingerprint FROM ken.schema_version WHERE version = $1;

-- What the tables are: columns, keys, checks and indexes; but for that which pgvector needs. Another database with the same answer has the same schema.
-- :SCHEMA_FINGERPRINT
SELECT encode(sha256(convert_to(string_agg(line, E'\n' ORDER BY line COLLATE "C"), 'UTF8')), 'hex')
    FROM (
        SELECT format('column %s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                      a.attstorage) AS line
            FROM pg_attribute a
            JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'ken' AND c.relname !~ '^embeddings(_[0-9]+)?$' AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
            FROM pg_constraint
            WHERE connamespace = 'ken'::regnamespace AND contype <> 'n'
            AND conrelid::regclass::text !~ '^(ken[.])?embeddings(_[0-9]+)?$'
        UNION ALL
        SELECT format('index %s', indexdef) FROM pg_indexes
            WHERE schemaname = 'ken' AND tablename !~ '^embeddings(_[0-9]+)?$'
    ) AS lines;

-- :LAST_UNNAMED
SELECT 1;

-- How far a log is: of a primary what is on its disk, as a generation is when its commit returns; of a replica what it has
-- replayed. And its timeline, of a replica that of what it receives, where it may be seen.
-- :LOG_STATE
SELECT pg_is_in_recovery(),
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint,
    CASE WHEN pg_is_in_recovery() THEN coalesce((SELECT received_tli FROM pg_stat_wal_receiver), 0)::bigint
        ELSE ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::bigint END;

-- Which server it is; and the newest timeline that a replica has reached.
-- :LOG_IDENTITY
SELECT s.system_identifier, greatest(c.timeline_id, r.min_recovery_end_timeline)::bigint
    FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r;
