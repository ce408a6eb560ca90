-- The number of the journal's last record.

-- :JOURNAL_SEQ
SELECT seq FROM journal_clock;

-- :JOURNAL_SET_SEQ
UPDATE journal_clock SET seq = ?1;

-- Rows of any table that the journal records: {words} are the names of tables and columns.
-- :ROWS_OF_KEY
SELECT * FROM {table} WHERE {key} = ?1;

-- :ROWS_ALL
SELECT * FROM {table};

-- :KEYS_ALL
SELECT {key} FROM {table} ORDER BY 1;

-- :ROWS_EXIST
SELECT EXISTS (SELECT 1 FROM {table});

-- :ROWS_REMOVE_KEY
DELETE FROM {table} WHERE {key} = ?1;

-- :ROWS_REMOVE_ALL
DELETE FROM {table};

-- A row whose deletion was lost with its line gives way.
-- :ROW_PUT
INSERT OR REPLACE INTO {table} ({columns}) VALUES ({values});
