-- Transactions.

-- :BEGIN_READ
BEGIN;

-- :BEGIN_WRITE
BEGIN IMMEDIATE;

-- :COMMIT
COMMIT;

-- :ROLLBACK
ROLLBACK;

-- One group of rows of a journal's line, all of them or none.
-- :GROUP_BEGIN
SAVEPOINT one_group;

-- :GROUP_UNDO
ROLLBACK TO one_group;

-- :GROUP_END
RELEASE one_group;

-- :COPY_BEGIN
SAVEPOINT whole_copy;

-- :COPY_UNDO
ROLLBACK TO whole_copy;

-- :COPY_END
RELEASE whole_copy;
