-- Remote repositories. The branch of a row is what was said, else what a sync found.

-- :REMOTE_GET
SELECT r.project, r.url, iif(r.branch = '', coalesce(s.branch, ''), r.branch), r.sparse, r.depth, r.interval_s,
    r.branch = '', coalesce(s.commit_hash, ''), coalesce(s.synced_at_ms, 0), coalesce(s.tried_at_ms, 0),
    coalesce(s.n_failures, 0), coalesce(s.error, '')
    FROM remote r
    LEFT JOIN remote_state s ON s.project = r.project
    WHERE r.project = ?1;

-- :REMOTE_LIST
SELECT r.project, r.url, iif(r.branch = '', coalesce(s.branch, ''), r.branch), r.sparse, r.depth, r.interval_s,
    r.branch = '', coalesce(s.commit_hash, ''), coalesce(s.synced_at_ms, 0), coalesce(s.tried_at_ms, 0),
    coalesce(s.n_failures, 0), coalesce(s.error, '')
    FROM remote r
    JOIN project p ON p.id = r.project
    LEFT JOIN remote_state s ON s.project = r.project
    ORDER BY p.name, p.root;

-- The name of another project that is a clone of the same.
-- :REMOTE_SAME
SELECT p.name
    FROM remote r
    JOIN project p ON p.id = r.project
    LEFT JOIN remote_state s ON s.project = r.project
    WHERE r.project <> ?1 AND r.url = ?2 AND r.sparse = ?4 AND
        (r.branch = ?3 OR (r.branch = '' AND s.branch = ?3));

-- What syncs found of another url or branch.
-- :REMOTE_FORGET
DELETE FROM remote_state AS s
    WHERE project = ?1 AND EXISTS (SELECT 1 FROM remote r WHERE r.project = ?1 AND
        (r.url <> ?2 OR ?3 NOT IN (r.branch, s.branch)));

-- :REMOTE_PUT
INSERT INTO remote (project, url, branch, sparse, depth, interval_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (project) DO UPDATE SET url = excluded.url, branch = excluded.branch,
        sparse = excluded.sparse, depth = excluded.depth, interval_s = excluded.interval_s;

-- :REMOTE_SET_SYNCED
INSERT INTO remote_state (project, branch, commit_hash, synced_at_ms, tried_at_ms, n_failures, error)
    SELECT project, ?2, ?3, ?4, ?5, ?6, ?7 FROM remote WHERE project = ?1
    ON CONFLICT (project) DO UPDATE SET branch = excluded.branch, commit_hash = excluded.commit_hash,
        synced_at_ms = excluded.synced_at_ms, tried_at_ms = excluded.tried_at_ms,
        n_failures = excluded.n_failures, error = excluded.error;

-- :REMOTE_REMOVE
DELETE FROM remote WHERE project = ?1;
