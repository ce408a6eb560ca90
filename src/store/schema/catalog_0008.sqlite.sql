-- Remote repositories that projects are clones of. What people said of one is recorded in the journal with the row of
-- the project, and goes with it.
CREATE TABLE remote (
    project    BLOB    PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    url        TEXT    NOT NULL,           -- without password
    branch     TEXT    NOT NULL,           -- '' = the remote's own default
    sparse     TEXT    NOT NULL,           -- paths, one a line; '' = everything
    depth      INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 4294967295),      -- commits; 0 = all
    interval_s INTEGER NOT NULL CHECK (interval_s BETWEEN 0 AND 4294967295), -- 0 = no sync on its own
    UNIQUE (url, branch, sparse)
) STRICT;

-- What syncs found: it can be found again, so the journal has none of it.
CREATE TABLE remote_state (
    project      BLOB    PRIMARY KEY REFERENCES remote (project) ON DELETE CASCADE,
    branch       TEXT    NOT NULL,         -- that the clone follows; '' = not known
    commit_hash  TEXT    NOT NULL,         -- 40 or 64 digits, small letters; '' = none yet
    synced_at_ms INTEGER NOT NULL,         -- 0 = never
    tried_at_ms  INTEGER NOT NULL,
    n_failures   INTEGER NOT NULL,         -- in a row
    error        TEXT    NOT NULL          -- of the last one
) STRICT;
