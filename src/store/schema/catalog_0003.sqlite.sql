-- Settings that outlive a process, and tasks: what is to be done, and on which branches it was done.

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Ids are never used again. `rev` grows with every change of any task and is no two tasks': lists
-- come in its order, newest first, and who keeps tasks in memory asks for what is above the rev he
-- has. Long texts stand last, so that what is before them is read without them.
CREATE TABLE task (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid          BLOB    NOT NULL UNIQUE,     -- 16 bytes
    rev           INTEGER NOT NULL UNIQUE,
    status        TEXT    NOT NULL,
    project       BLOB,                        -- of the table project, or of one that is gone
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,            -- grows with every change of this task
    title         TEXT    NOT NULL,
    description   TEXT,
    notes         TEXT
) STRICT;
CREATE INDEX idx_tasks_status ON task (status, rev);
CREATE INDEX idx_tasks_project ON task (project, rev);
CREATE INDEX idx_tasks_project_status ON task (project, status, rev);

CREATE TABLE task_clock (rev INTEGER NOT NULL) STRICT; -- one row: the last rev given
INSERT INTO task_clock VALUES (0);

-- How many tasks there are, so that totals need no walk: of a branch ('' = of any or none), of a
-- project (x'' = of none), with a status.
CREATE TABLE task_count (
    branch_name TEXT    NOT NULL,
    project     BLOB    NOT NULL,
    status      TEXT    NOT NULL,
    n           INTEGER NOT NULL,
    PRIMARY KEY (branch_name, project, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_status_history (
    id            INTEGER PRIMARY KEY,
    task_id       INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    from_status   TEXT,                        -- NULL in the first row
    to_status     TEXT    NOT NULL,
    changed_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_task_status_history_task_id ON task_status_history (task_id);

CREATE TABLE task_planning_reference (
    id             INTEGER PRIMARY KEY,
    task_id        INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    file_path      TEXT    NOT NULL,
    reference_type TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX idx_task_planning_references_task_id
    ON task_planning_reference (task_id, file_path);

CREATE TABLE task_branch_link (
    id           INTEGER PRIMARY KEY,
    task_id      INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    branch_name  TEXT    NOT NULL,
    linked_at_ms INTEGER NOT NULL,
    rev          INTEGER NOT NULL              -- of the task, so that a branch is listed in order
) STRICT;
CREATE UNIQUE INDEX idx_task_branch_links_task_id ON task_branch_link (task_id, branch_name);
CREATE INDEX idx_task_branch_links_branch ON task_branch_link (branch_name, rev);

CREATE TABLE task_commit_link (
    id             INTEGER PRIMARY KEY,
    task_id        INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    commit_hash    TEXT    NOT NULL,           -- 40 digits, small letters
    commit_message TEXT,                       -- its subject; NULL when no repository knew it
    linked_at_ms   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX idx_task_commit_links_task_id ON task_commit_link (task_id, commit_hash);
