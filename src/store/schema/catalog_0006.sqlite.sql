-- Jobs of the server. No person wrote them, so the journal has none of them.

CREATE TABLE job (
    id               INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of the queue
    uuid             BLOB    NOT NULL UNIQUE,
    kind             TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    project          BLOB    NOT NULL,           -- x'' = of none
    params           TEXT    NOT NULL,           -- a JSON object
    is_cancel_wanted INTEGER NOT NULL DEFAULT 0,
    n_tries          INTEGER NOT NULL,           -- runs that were interrupted before
    n_done           INTEGER NOT NULL DEFAULT 0,
    n_total          INTEGER NOT NULL DEFAULT 0,
    milli_rate       INTEGER NOT NULL DEFAULT 0,
    created_at_ms    INTEGER NOT NULL,
    started_at_ms    INTEGER NOT NULL DEFAULT 0,
    ended_at_ms      INTEGER NOT NULL DEFAULT 0,
    message          TEXT    NOT NULL DEFAULT '',
    error            TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX idx_jobs_state ON job (state, id);
