-- The list of projects, one for all of a user's data.

CREATE TABLE project (
    id            BLOB    PRIMARY KEY, -- UUID, 16 bytes
    name          TEXT    NOT NULL,
    root          TEXT    NOT NULL UNIQUE,
    db_file       TEXT    NOT NULL,    -- name inside <data>/indexes
    created_at_ms INTEGER NOT NULL,
    indexed_at_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
