-- Jobs. The columns are those of JOB_GET, in its order. Who changes a row tells it on the channel `ken`: "new ID" of
-- one that is queued, "job ID" of all others. Nobody depends on hearing it.

-- :JOB_GET
SELECT id, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate, created_at, started_at,
    ended_at, message, error, fence, worker, due_at, changed_at
    FROM ken.jobs
    WHERE id = $1;

-- :JOB_QUEUED_SAME
SELECT id, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate, created_at, started_at,
    ended_at, message, error, fence, worker, due_at, changed_at
    FROM ken.jobs
    WHERE state = 'queued'
    AND kind = $1
    AND project IS NOT DISTINCT FROM $2
    AND params = $3;

-- A project of NULL and a state of '' are all of them.
-- :JOB_LIST
SELECT id, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate, created_at, started_at,
    ended_at, message, error, fence, worker, due_at, changed_at
    FROM ken.jobs
    WHERE ($1 IS NULL OR project = $1)
    AND ($2 = '' OR state = $2)
    AND ($4 = 0 OR (state = 'running' AND (lease_until IS NULL OR lease_until < clock_timestamp())))
    AND ($5 IS NULL OR changed_at >= $5)
    ORDER BY place DESC LIMIT $3;

-- :JOB_COUNT
SELECT kind, count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'running')
    FROM ken.jobs
    WHERE state IN ('queued', 'running')
    AND ($1 IS NULL OR project = $1)
    GROUP BY kind;

-- :JOB_COUNT_QUEUED
SELECT count(*) FROM ken.jobs WHERE state = 'queued';

-- Who queues takes turns with who takes, for one project.
-- :JOB_TURN_LOCK
INSERT INTO ken.job_turns (project)
    VALUES (coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid))
    ON CONFLICT (project) DO UPDATE SET project = excluded.project;

-- :JOB_TURN_LOCK_OF
SELECT count(*) FROM (
    SELECT 1 FROM ken.job_turns t
        WHERE t.project = (SELECT turn_of FROM ken.jobs WHERE id = $1)
        FOR NO KEY UPDATE) AS locked;

-- :JOB_ADD
WITH added AS (
    INSERT INTO ken.jobs (id, kind, state, project, params, n_tries, created_at)
        VALUES ($1, $2, 'queued', $3, $4, $5, $6)
        RETURNING id
)
SELECT pg_notify('ken', 'new ' || id) FROM added;

-- :JOB_PUT
WITH put AS (
    INSERT INTO ken.jobs (id, kind, state, project, params, n_tries, n_done, n_total, milli_rate, created_at, started_at,
        ended_at, message, error)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
        WHERE $3 <> 'queued'
        OR NOT EXISTS (SELECT 1 FROM ken.jobs other WHERE other.state = 'queued' AND other.kind = $2 AND
            other.project IS NOT DISTINCT FROM $4 AND other.params = $5)
        ON CONFLICT (id) DO NOTHING
        RETURNING id, state
)
SELECT pg_notify('ken', CASE WHEN state = 'queued' THEN 'new ' ELSE 'job ' END || id) FROM put;

-- The project whose turn it is. Those that somebody else is at are passed over, not waited for.
-- :JOB_NEXT_TURN
SELECT t.project
    FROM ken.job_turns t
    JOIN (SELECT turn_of, min(place) AS place FROM ken.jobs
        WHERE state = 'queued' AND (due_at IS NULL OR due_at <= clock_timestamp())
        GROUP BY turn_of) AS q ON q.turn_of = t.project
    WHERE NOT EXISTS (SELECT 1 FROM ken.jobs r WHERE r.state = 'running' AND r.turn_of = t.project)
    ORDER BY t.served_at, q.place LIMIT 1
    FOR NO KEY UPDATE OF t SKIP LOCKED;

-- With the row of the project locked: what was seen before may have changed until then.
-- :JOB_CLAIM
UPDATE ken.jobs
    SET state = 'running', started_at = $2, fence = fence + 1, worker = $3, due_at = NULL, error = '',
        lease_until = clock_timestamp() + $4 * interval '1 millisecond', changed_at = clock_timestamp()
    WHERE id = (
        SELECT q.id FROM ken.jobs q
            WHERE q.turn_of = $1
            AND q.state = 'queued'
            AND (q.due_at IS NULL OR q.due_at <= clock_timestamp())
            AND NOT EXISTS (SELECT 1 FROM ken.jobs r WHERE r.state = 'running' AND r.turn_of = $1)
            ORDER BY q.place LIMIT 1)
    AND state = 'queued'
    RETURNING id, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate, created_at,
        started_at, ended_at, message, error, fence, worker, due_at, changed_at, pg_notify('ken', 'job ' || id);

-- :JOB_SERVED
UPDATE ken.job_turns SET served_at = clock_timestamp() WHERE project = $1;

-- :JOB_NOTE
UPDATE ken.jobs
    SET n_done = $3, n_total = $4, milli_rate = $5, message = $6,
        lease_until = clock_timestamp() + $7 * interval '1 millisecond',
        changed_at = clock_timestamp()
    WHERE id = $1
    AND fence = $2
    AND state = 'running'
    RETURNING is_cancel_wanted, pg_notify('ken', 'job ' || id);

-- :JOB_END
WITH ended AS (
    UPDATE ken.jobs
        SET state = CASE WHEN is_cancel_wanted AND $3 = 'interrupted' THEN 'cancelled' ELSE $3 END, ended_at = $4,
            message = $5, error = $6, lease_until = NULL, changed_at = clock_timestamp()
        WHERE id = $1
        AND fence = $2
        AND (state = 'running' OR (state = 'queued' AND $8 <> 0))
        AND ($7 = 0 OR lease_until IS NULL OR lease_until < clock_timestamp())
        RETURNING id
)
SELECT pg_notify('ken', 'job ' || id) FROM ended;

-- Its turn is over all the same.
-- :JOB_AGAIN
WITH again AS (
    UPDATE ken.jobs old
        SET state = 'queued', n_tries = n_tries + $3, n_done = 0, n_total = 0, milli_rate = 0, message = '', error = $4,
            worker = '', lease_until = NULL, changed_at = clock_timestamp(),
            due_at = CASE WHEN $5 > 0 THEN clock_timestamp() + $5 * interval '1 millisecond' END
        WHERE id = $1
        AND fence = $2
        AND state = 'running'
        AND NOT is_cancel_wanted
        AND ($6 = 0 OR lease_until IS NULL OR lease_until < clock_timestamp())
        AND NOT EXISTS (SELECT 1 FROM ken.jobs other WHERE other.state = 'queued' AND other.kind = old.kind AND
            other.turn_of = old.turn_of AND other.params = old.params)
        RETURNING id
)
SELECT pg_notify('ken', 'new ' || id) FROM again;

-- :JOB_CANCEL
WITH cancelled AS (
    UPDATE ken.jobs
        SET ended_at = CASE WHEN state = 'queued' THEN $2 ELSE ended_at END,
            is_cancel_wanted = is_cancel_wanted OR state = 'running',
            state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END,
            changed_at = clock_timestamp()
        WHERE id = $1
        AND state IN ('queued', 'running')
        RETURNING id
)
SELECT pg_notify('ken', 'job ' || id) FROM cancelled;

-- :JOB_PRUNE
DELETE FROM ken.jobs
    WHERE state NOT IN ('queued', 'running')
    AND (ended_at < $1 OR id NOT IN (
        SELECT id FROM ken.jobs
            WHERE state NOT IN ('queued', 'running')
            ORDER BY ended_at DESC NULLS LAST, place DESC LIMIT $2));

-- Who runs jobs.
-- :WORKER_PUT
INSERT INTO ken.workers (id, name, kind, version, max_running, n_running, n_done, n_failed, seen_at, lease_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), clock_timestamp() + $9 * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET max_running = excluded.max_running, n_running = excluded.n_running,
        n_done = excluded.n_done, n_failed = excluded.n_failed, seen_at = excluded.seen_at,
        lease_until = excluded.lease_until;

-- :WORKER_PRUNE
DELETE FROM ken.workers WHERE lease_until < clock_timestamp() - interval '1 day';

-- :WORKER_REMOVE
DELETE FROM ken.workers WHERE id = $1;

-- :WORKER_LIST
SELECT id, name, kind, version, max_running, n_running, n_done, n_failed, started_at, seen_at,
    lease_until >= clock_timestamp()
    FROM ken.workers
    ORDER BY lease_until < clock_timestamp(), name COLLATE "C", id LIMIT 1000;

-- :WORKER_COUNT
SELECT count(*) FROM ken.workers WHERE lease_until >= clock_timestamp() AND max_running > 0;

-- Who writes an index. The lease of who holds the same lock file as we do now is over, too: its process is gone.
-- :RUN_FIND
SELECT holder, note, lease_until < clock_timestamp() OR (place <> '' AND place = $2), session
    FROM ken.index_runs
    WHERE name = $1;

-- :RUN_TAKE
INSERT INTO ken.index_runs (name, place, run, holder, session, lease_until)
    VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
    ON CONFLICT (name) DO UPDATE SET run = excluded.run, holder = excluded.holder, place = excluded.place,
        session = excluded.session, note = '', lease_until = excluded.lease_until
        WHERE index_runs.lease_until < clock_timestamp()
        OR (excluded.place <> '' AND index_runs.place = excluded.place);

-- Transactions that a process left open which says nothing any more: between two statements, or in the middle of a
-- COPY. They would hold up who comes after it.
-- :RUN_EVICT
SELECT count(pg_terminate_backend(pid))
    FROM pg_stat_activity
    WHERE application_name = $1
    AND datname = current_database()
    AND usename = current_user
    AND (state IN ('idle in transaction', 'idle in transaction (aborted)')
        OR (state = 'active' AND wait_event_type = 'Client'))
    AND state_change < clock_timestamp() - $2 * interval '1 millisecond';

-- :RUN_KEEP
UPDATE ken.index_runs
    SET lease_until = clock_timestamp() + $4 * interval '1 millisecond', note = $3
    WHERE name = $1
    AND run = $2;

-- :RUN_END
DELETE FROM ken.index_runs WHERE name = $1 AND run = $2;

-- In the transaction that commits to the index: nobody takes the run away before it has ended.
-- :RUN_CHECK
SELECT count(*) FROM (SELECT 1 FROM ken.index_runs WHERE name = $1 AND run = $2 FOR SHARE) AS held;

-- :NOTIFY_INDEX
SELECT pg_notify('ken', 'index ' || $1);
