-- From here on the last 8 bytes of each page hold its checksum (sqlite/sqlite_vfs.c), and what people
-- wrote is also in a journal beside the database: `seq` is the number of its last record.

CREATE TABLE journal_clock (
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO journal_clock (id, seq) VALUES (1, 0);
