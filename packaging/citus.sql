-- Spreads the tables of indexes over the workers of a Citus cluster (12 or newer), by the index: all rows of one repository
-- lie on one worker. Run once by the owner of the schema, after ken has made its tables and before there are many rows:
--
--     psql -v ON_ERROR_STOP=1 -f packaging/citus.sql "$DATABASE_URL"
--
-- What this relies on is checked without Citus (tests/serve/postgres.py): every primary and unique key of a table that has
-- index_id contains it, every foreign key between such tables contains it on both sides, and no statement of ken reads or
-- writes rows of two indexes in one transaction. The list of indexes is a reference table, as the others name it; projects,
-- tasks, jobs and settings stay on the coordinator.
BEGIN;
CREATE EXTENSION IF NOT EXISTS citus;
SELECT create_reference_table('ken.index');
SELECT create_distributed_table('ken.tree', 'index_id', colocate_with => 'none');

-- The tables that have index_id, those that others name first; all rows of an index go where its trees are.
DO '
DECLARE
    t record;
BEGIN
    FOR t IN
        WITH RECURSIVE tables AS (
            SELECT c.oid, c.oid::regclass::text AS name
                FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = ''index_id'' AND NOT a.attisdropped
                WHERE n.nspname = ''ken''
                AND c.relkind IN (''r'', ''p'')
                AND NOT c.relispartition
                AND c.relname <> ''tree''
        ), ranked AS (
            SELECT oid, name, 0 AS depth FROM tables
            UNION
            SELECT t.oid, t.name, r.depth + 1
                FROM ranked r
                JOIN pg_constraint k ON k.contype = ''f'' AND k.confrelid = r.oid AND k.conparentid = 0
                JOIN tables t ON t.oid = k.conrelid
                WHERE r.depth < 10
                AND t.oid <> r.oid
        )
        SELECT name FROM ranked GROUP BY name ORDER BY max(depth), name
    LOOP
        EXECUTE format(''SELECT create_distributed_table(%L, ''''index_id'''', colocate_with => ''''ken.tree'''')'', t.name);
    END LOOP;
END ';
COMMIT;
