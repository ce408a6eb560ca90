-- A worktree whose repository is indexed already has its files in that index: the project of which it is. NULL: its own.
ALTER TABLE project ADD COLUMN index_of BLOB;
