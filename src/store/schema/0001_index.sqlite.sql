-- The index of one project: README.md says what each table is for and what its queries cost.
-- Applied in one transaction; user_version and application_id are set by migrate.c.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID, STRICT;

-- One working tree and its newest generation. Worktrees and branches become further rows.
CREATE TABLE tree (
    id         INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL DEFAULT 0,
    at_ms      INTEGER NOT NULL DEFAULT 0,
    root       TEXT    NOT NULL DEFAULT '',
    git_head   TEXT    NOT NULL DEFAULT '',
    git_branch TEXT    NOT NULL DEFAULT '',
    n_files    INTEGER NOT NULL DEFAULT 0,
    n_chunks   INTEGER NOT NULL DEFAULT 0,
    n_symbols  INTEGER NOT NULL DEFAULT 0,
    n_bytes    INTEGER NOT NULL DEFAULT 0,
    n_lines    INTEGER NOT NULL DEFAULT 0,
    skips_hash INTEGER NOT NULL DEFAULT 0  -- of the rows in `skip`: unchanged lists cost nothing
) STRICT;

INSERT INTO tree (id) VALUES (1);

-- What was learnt of some bytes. Ids only grow and are never used again: segments hold them.
CREATE TABLE content (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256        BLOB    NOT NULL,
    lang          INTEGER NOT NULL,
    feature       INTEGER,           -- NULL: superseded, no key finds it any more
    n_bytes       INTEGER NOT NULL,
    n_lines       INTEGER NOT NULL,
    n_chunks      INTEGER NOT NULL,
    n_symbols     INTEGER NOT NULL,
    n_error_bytes INTEGER NOT NULL,
    is_fallback   INTEGER NOT NULL,
    facts         BLOB    NOT NULL   -- ken_facts_pack
) STRICT;

CREATE UNIQUE INDEX content_key ON content (sha256, lang, feature);

CREATE TABLE file (
    id            INTEGER PRIMARY KEY,
    tree_id       INTEGER NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
    path          TEXT    NOT NULL,
    content_id    INTEGER NOT NULL REFERENCES content (id),
    size          INTEGER NOT NULL,
    mtime_ns      INTEGER NOT NULL,
    inode         INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX file_path ON file (tree_id, path);
CREATE INDEX file_content ON file (content_id);

-- Reasons are words, not numbers: the list of reasons may be put in another order.
CREATE TABLE skip (
    tree_id INTEGER NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
    reason  TEXT    NOT NULL,
    path    TEXT    NOT NULL,
    PRIMARY KEY (tree_id, reason, path)
) WITHOUT ROWID, STRICT;

CREATE TABLE skip_count (
    tree_id INTEGER NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
    reason  TEXT    NOT NULL,
    n       INTEGER NOT NULL,
    PRIMARY KEY (tree_id, reason)
) WITHOUT ROWID, STRICT;

-- Immutable search structures over contents. Ids are never used again, so that a reader with an old
-- list finds its own bytes or none.
CREATE TABLE segment (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       INTEGER NOT NULL DEFAULT 1, -- 1 = lexical
    n_bytes    INTEGER NOT NULL,
    n_contents INTEGER NOT NULL
) STRICT;

CREATE TABLE segment_block (
    id   INTEGER PRIMARY KEY, -- segment << 24 | block
    data BLOB NOT NULL
) STRICT;
