-- When a file's content or attributes last changed, by the file system's own clock: unlike the time
-- of modification nobody can set it. 0: not known, as in all rows that were written before; their
-- files are compared once more. What was kept of skipped files has no such time, so it goes.

ALTER TABLE file ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;

DELETE FROM meta WHERE key = 'index.late_skips';
