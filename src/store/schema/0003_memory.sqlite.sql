-- What people and agents said, and what the project's own documents say. Checkpoints are not derived
-- from files: nothing can learn them again, so whoever puts an index aside carries them over.

CREATE TABLE checkpoint (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid          BLOB    NOT NULL UNIQUE,
    rev           INTEGER NOT NULL, -- of the write that made it what it is
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    token_count   INTEGER NOT NULL,
    git_branch    TEXT    NOT NULL,
    git_commit    TEXT    NOT NULL,
    summary       TEXT    NOT NULL,
    git_dirty     TEXT    NOT NULL, -- a JSON list of paths
    context       TEXT    NOT NULL, -- a JSON object
    description   TEXT    NOT NULL
) STRICT;

CREATE INDEX checkpoint_rev ON checkpoint (rev, uuid);

CREATE TABLE checkpoint_tag (
    tag        TEXT    NOT NULL,
    checkpoint INTEGER NOT NULL REFERENCES checkpoint (id) ON DELETE CASCADE,
    PRIMARY KEY (tag, checkpoint)
) WITHOUT ROWID, STRICT;

CREATE INDEX checkpoint_tag_of ON checkpoint_tag (checkpoint);

-- Every write, removals included, raises `rev`: who remembers the last one sees at one row whether
-- anything changed, and by `n` whether something is gone.
CREATE TABLE checkpoint_state (
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    rev INTEGER NOT NULL,
    n   INTEGER NOT NULL
) STRICT;

INSERT INTO checkpoint_state (id, rev, n) VALUES (1, 0, 0);

-- Documents that state rules, and the rules in them. Derived: made again from the files.
CREATE TABLE rule_document (
    id            INTEGER PRIMARY KEY,
    path          TEXT    NOT NULL UNIQUE,
    kind          INTEGER NOT NULL,
    sha256        BLOB    NOT NULL,
    n_bytes       INTEGER NOT NULL,
    mtime_ns      INTEGER NOT NULL,
    weight        REAL    NOT NULL,
    indexed_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE rule (
    id         INTEGER PRIMARY KEY,
    document   INTEGER NOT NULL REFERENCES rule_document (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL,
    heading    TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    UNIQUE (document, ordinal)
) STRICT;
