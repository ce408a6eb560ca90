-- Jobs. The columns are those of JOB_GET, in its order.

-- :JOB_GET
SELECT uuid, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate,
    created_at_ms, started_at_ms, ended_at_ms, message, error
    FROM job WHERE uuid = ?1;

-- :JOB_QUEUED_SAME
SELECT uuid, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate,
    created_at_ms, started_at_ms, ended_at_ms, message, error
    FROM job WHERE state = 'queued' AND kind = ?1 AND project = ?2 AND params = ?3;

-- A project of NULL and a state of '' are all of them.
-- :JOB_LIST
SELECT uuid, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate,
    created_at_ms, started_at_ms, ended_at_ms, message, error
    FROM job WHERE (?1 IS NULL OR project = ?1) AND (?2 = '' OR state = ?2)
    ORDER BY id DESC LIMIT ?3;

-- :JOB_COUNT
SELECT kind, sum(state = 'queued'), sum(state = 'running')
    FROM job WHERE state IN ('queued', 'running') AND (?1 IS NULL OR project = ?1) GROUP BY kind;

-- Projects take turns; one that was never served is first.
-- :JOB_NEXT
SELECT uuid, kind, state, project, params, is_cancel_wanted, n_tries, n_done, n_total, milli_rate,
    created_at_ms, started_at_ms, ended_at_ms, message, error
    FROM job WHERE id = (
        SELECT first_id FROM (
            SELECT min(CASE WHEN state = 'queued' THEN id END) AS first_id, max(started_at_ms) AS served_at_ms
                FROM job GROUP BY project HAVING max(state = 'running') = 0)
            WHERE first_id IS NOT NULL ORDER BY served_at_ms, first_id LIMIT 1);

-- :JOB_COUNT_QUEUED
SELECT count(*) FROM job WHERE state = 'queued';

-- :JOB_ADD
INSERT INTO job (uuid, kind, state, project, params, n_tries, created_at_ms)
    VALUES (?1, ?2, 'queued', ?3, ?4, ?5, ?6);

-- :JOB_PUT
INSERT OR IGNORE INTO job (uuid, kind, state, project, params, n_tries, n_done, n_total, milli_rate, created_at_ms,
    started_at_ms, ended_at_ms, message, error)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
    WHERE ?3 <> 'queued' OR NOT EXISTS (SELECT 1 FROM job AS other WHERE other.state = 'queued' AND
        other.kind = ?2 AND other.project = ?4 AND other.params = ?5);

-- Its turn is over all the same: started_at_ms stays.
-- :JOB_AGAIN
UPDATE job AS old SET state = 'queued', n_tries = n_tries + ?2, n_done = 0, n_total = 0, milli_rate = 0,
    message = '', error = ?3
    WHERE uuid = ?1 AND state = 'running' AND NOT is_cancel_wanted AND NOT EXISTS (SELECT 1 FROM job AS other
        WHERE other.state = 'queued' AND other.kind = old.kind AND other.project = old.project AND
        other.params = old.params);

-- :JOB_START
UPDATE job SET state = 'running', started_at_ms = ?2, error = '' WHERE uuid = ?1 AND state = 'queued';

-- :JOB_NOTE
UPDATE job SET n_done = ?2, n_total = ?3, milli_rate = ?4, message = ?5
    WHERE uuid = ?1 AND state = 'running' RETURNING is_cancel_wanted;

-- :JOB_END
UPDATE job SET state = iif(is_cancel_wanted AND ?2 = 'interrupted', 'cancelled', ?2), ended_at_ms = ?3,
    message = ?4, error = ?5
    WHERE uuid = ?1 AND state IN ('queued', 'running');

-- :JOB_CANCEL_QUEUED
UPDATE job SET state = 'cancelled', ended_at_ms = ?2 WHERE uuid = ?1 AND state = 'queued';

-- :JOB_CANCEL_RUNNING
UPDATE job SET is_cancel_wanted = 1 WHERE uuid = ?1 AND state = 'running';

-- :JOB_PRUNE
DELETE FROM job WHERE state NOT IN ('queued', 'running') AND (ended_at_ms < ?1 OR id NOT IN
    (SELECT id FROM job WHERE state NOT IN ('queued', 'running') ORDER BY ended_at_ms DESC, id DESC
        LIMIT ?2));
