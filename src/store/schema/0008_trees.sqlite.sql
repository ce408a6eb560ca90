-- Several working trees of one repository in one index: contents and segments are shared as they are, and the list of
-- files of one tree may be based on a list that others are based on, too. Such a list never changes.
ALTER TABLE tree ADD COLUMN project BLOB;                             -- NULL: the first tree, or a list
ALTER TABLE tree ADD COLUMN base_id INTEGER REFERENCES tree (id);     -- the list; NULL: all files are rows of its own
ALTER TABLE tree ADD COLUMN last_id INTEGER NOT NULL DEFAULT 1;       -- of the first tree: the highest there ever was
CREATE UNIQUE INDEX tree_project ON tree (project) WHERE project IS NOT NULL;

-- Files of the list that the tree does not have, or has otherwise, in a row of its own.
CREATE TABLE file_hidden (
    tree_id INTEGER NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL,
    PRIMARY KEY (tree_id, file_id)
) WITHOUT ROWID, STRICT;

-- Times and inodes that the files of the list have in the tree. Without a row they are those of the list.
CREATE TABLE tree_stamps (
    tree_id INTEGER PRIMARY KEY REFERENCES tree (id) ON DELETE CASCADE,
    stamps  BLOB    NOT NULL              -- sqlite_stamps.c
) STRICT;
