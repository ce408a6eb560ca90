-- Run once on each connection, before the guard is up.

-- What is sorted stays in memory, which is bounded; on a disk it would not be.
PRAGMA temp_store = MEMORY;

-- Views over the virtual tables: the names and columns that other programs' schemas have.

-- The order of a file's symbols, as a tree.
CREATE VIEW outline_nodes AS
SELECT id, file_id, parent_id,
    row_number() OVER (PARTITION BY file_id ORDER BY byte_start, ordinal) - 1 AS position,
    name, kind, depth, signature, line_start, line_end
    FROM symbols;

CREATE VIEW outline_metadata AS
SELECT id AS file_id, indexed_at AS updated_at FROM files;

-- "references" is a word of SQL and has to be quoted.
CREATE VIEW "references" AS
SELECT * FROM refs;

CREATE VIEW dependencies AS
SELECT id, file_id, file_path, module, line, is_export FROM imports;

CREATE VIEW repositories AS
SELECT (SELECT value FROM project_meta WHERE key = 'root') AS path,
    (SELECT url FROM remotes) AS url,
    (SELECT value FROM project_meta WHERE key = 'indexed_at') AS last_indexed_at,
    (SELECT synced_at FROM remotes) AS last_synced_at,
    (SELECT value FROM project_meta WHERE key = 'git_head') AS current_commit,
    1 AS is_active;

-- Files that are gone are marked, as far back as there are events of them.
CREATE VIEW code_files AS
SELECT id, path AS relative_path,
    (SELECT value FROM project_meta WHERE key = 'root') || '/' || path AS path,
    content_hash, size_bytes, language, modified_at, indexed_at, 0 AS is_deleted,
    NULL AS deleted_at
    FROM files
UNION ALL
SELECT NULL, path, (SELECT value FROM project_meta WHERE key = 'root') || '/' || path,
    NULL, NULL, NULL, NULL, NULL, 1, max(detected_at)
    FROM (SELECT path, detected_at FROM change_events WHERE event_type = 'deleted'
        UNION ALL
        SELECT old_path, detected_at FROM change_events WHERE event_type = 'renamed')
    WHERE path NOT IN (SELECT path FROM files)
    GROUP BY path;

CREATE VIEW code_chunks AS
SELECT chunk_id AS id, file_id AS code_file_id, source_code AS content, line_start AS start_line,
    line_end AS end_line, chunk_type
    FROM chunks;

CREATE VIEW file_metadata AS
SELECT f.id AS code_file_id, f.lines AS lines_of_code,
    (SELECT sum(complexity) FROM symbols s WHERE s.file_id = f.id) AS complexity_score
    FROM files f;
