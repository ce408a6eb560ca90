-- The number of the journal's last record.

-- :JOURNAL_SEQ
SELECT seq FROM journal_clock;

-- :JOURNAL_SET_SEQ
UPDATE journal_clock SET seq = ?1;
