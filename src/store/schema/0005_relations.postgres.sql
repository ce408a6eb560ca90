-- The relational model: what is packed in `content`, as rows for people and other programs, and views with the names
-- and columns that such programs know. Rows are kept once for each content and removed with it by the statements
-- that remove contents: a foreign key is looked up for every row, which costs more than the row
-- (docs/decisions/0022-relational-model.md).

ALTER TABLE ken.file DROP CONSTRAINT file_index_id_content_id_fkey;
ALTER TABLE ken.file DROP CONSTRAINT file_index_id_tree_id_fkey;
ALTER TABLE ken.content DROP CONSTRAINT content_index_id_fkey;
ALTER TABLE ken.file ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE ken.content ADD COLUMN language text NOT NULL DEFAULT '';
ALTER TABLE ken.repositories RENAME TO projects;

-- Lines are from 1, bytes from 0; a span ends behind its last byte.
CREATE TABLE ken.content_symbol (
    index_id        bigint  NOT NULL,
    content_id      bigint  NOT NULL,
    ordinal         integer NOT NULL,
    parent          integer,                     -- ordinal of what it stands in
    depth           integer NOT NULL,
    line_start      integer NOT NULL,
    line_end        integer NOT NULL,
    byte_start      integer NOT NULL,
    byte_end        integer NOT NULL,
    signature_start integer NOT NULL,
    signature_end   integer NOT NULL,
    doc_start       integer NOT NULL,
    doc_end         integer NOT NULL,
    complexity      integer,                     -- of what can be called
    name            text    NOT NULL,
    type            text    NOT NULL,
    visibility      text,
    PRIMARY KEY (index_id, content_id, ordinal)
) PARTITION BY HASH (index_id);

CREATE TABLE ken.content_chunk (
    index_id    bigint  NOT NULL,
    content_id  bigint  NOT NULL,
    ordinal     integer NOT NULL,
    symbol      integer,                         -- ordinal of its main definition
    line_start  integer NOT NULL,
    line_end    integer NOT NULL,
    byte_start  integer NOT NULL,
    byte_end    integer NOT NULL,
    token_count integer NOT NULL,
    chunk_type  text    NOT NULL,
    PRIMARY KEY (index_id, content_id, ordinal)
) PARTITION BY HASH (index_id);

CREATE TABLE ken.content_import (
    index_id    bigint  NOT NULL,
    content_id  bigint  NOT NULL,
    ordinal     integer NOT NULL,
    line        integer NOT NULL,
    is_export   boolean NOT NULL,
    module      text    NOT NULL,
    import_type text    NOT NULL,
    names       text[]  NOT NULL,                -- that it brings, as they are called there
    PRIMARY KEY (index_id, content_id, ordinal)
) PARTITION BY HASH (index_id);

CREATE TABLE ken.content_ref (
    index_id   bigint  NOT NULL,
    content_id bigint  NOT NULL,
    ordinal    integer NOT NULL,
    symbol     integer,                          -- ordinal of the definition around it
    line       integer,                          -- NULL: the text was not at hand
    byte       integer NOT NULL,
    name       text    NOT NULL,
    role       text    NOT NULL,
    PRIMARY KEY (index_id, content_id, ordinal)
) PARTITION BY HASH (index_id);

-- The whole text of a content, with its secrets masked.
CREATE TABLE ken.content_text (
    index_id   bigint  NOT NULL,
    content_id bigint  NOT NULL,
    is_utf8    boolean NOT NULL,
    text       bytea   NOT NULL,
    PRIMARY KEY (index_id, content_id)
) PARTITION BY HASH (index_id);

CREATE INDEX idx_symbols_name ON ken.content_symbol (index_id, name);
CREATE INDEX idx_refs_name ON ken.content_ref (index_id, name);

DO '
DECLARE
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY[''content_symbol'', ''content_chunk'', ''content_import'', ''content_ref'', ''content_text''] LOOP
        FOR part IN 0..15 LOOP
            EXECUTE format(''CREATE TABLE ken.%I PARTITION OF ken.%I FOR VALUES WITH (MODULUS 16, REMAINDER %s)'',
                           parent || ''_'' || lpad(part::text, 2, ''0''), parent, part);
        END LOOP;
    END LOOP;
END ';

-- A server may be built without lz4.
DO '
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(''ALTER TABLE ken.%I ALTER COLUMN text SET COMPRESSION lz4'', ''content_text_'' || lpad(part::text, 2, ''0''));
    END LOOP;
EXCEPTION
    WHEN feature_not_supported THEN NULL;
END ';

-- ---- functions of the views ---------------------------------------------------------------------

-- The id of what has none of its own: of its keys, so it stays the same.
CREATE FUNCTION ken.uuid_of(keys bytea) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    'SELECT encode(substring(sha256(keys) FROM 1 FOR 16), ''hex'')::uuid';

CREATE FUNCTION ken.file_uuid(repository uuid, path bytea) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    'SELECT encode(substring(sha256(convert_to(repository || ''::file::'', ''UTF8'') || path) FROM 1 FOR 16), ''hex'')::uuid';

CREATE FUNCTION ken.item_uuid(kind text, repository uuid, path bytea, ordinal bigint) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    'SELECT encode(substring(sha256(convert_to(format(''%s::%s::%s::'', repository, kind, ordinal), ''UTF8'') || path) FROM 1 FOR 16), ''hex'')::uuid';

-- A path, which need not be UTF-8: else every byte is a character of Latin-1.
CREATE FUNCTION ken.text_of(bytes bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL RESTRICTED AS '
BEGIN
    RETURN convert_from(bytes, ''UTF8'');
EXCEPTION
    WHEN character_not_in_repertoire OR untranslatable_character THEN
        RETURN convert_from(bytes, ''LATIN1'');
END ';

-- Bytes [first, behind) of a text, whole characters: one that begins before them is left out, one that ends behind
-- them is in. NULL without a text.
CREATE FUNCTION ken.slice(bytes bytea, is_utf8 boolean, first integer, behind integer) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS '
DECLARE
    n integer := octet_length(bytes);
BEGIN
    first := least(greatest(first, 0), n);
    behind := least(behind, n);
    WHILE is_utf8 AND first < behind AND get_byte(bytes, first) & 192 = 128 LOOP
        first := first + 1;
    END LOOP;
    WHILE is_utf8 AND behind > 0 AND behind < n AND get_byte(bytes, behind) & 192 = 128 LOOP
        behind := behind + 1;
    END LOOP;
    IF first >= behind THEN
        RETURN NULL;
    END IF;
    bytes := substring(bytes FROM first + 1 FOR behind - first);
    IF is_utf8 THEN
        RETURN convert_from(bytes, ''UTF8'');
    END IF;
    WHILE position(''\x00''::bytea IN bytes) > 0 LOOP
        bytes := set_byte(bytes, position(''\x00''::bytea IN bytes) - 1, 32);
    END LOOP;
    RETURN convert_from(bytes, ''LATIN1'');
END ';

CREATE FUNCTION ken.time_of(ms bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    'SELECT CASE WHEN ms <> 0 THEN to_timestamp(ms / 1000.0) END';

-- ---- projects and their files -------------------------------------------------------------------

-- Which tree of which index has a project's files.
CREATE VIEW ken.repository_trees AS
SELECT p.id AS repository_id, t.index_id, t.id AS tree_id, t.generation, t.at_ms, t.root,
    nullif(ken.text_of(t.git_head), '') AS git_head, nullif(ken.text_of(t.git_branch), '') AS git_branch
    FROM ken.projects p
    JOIN ken.index i ON i.name = 'project-' || coalesce(p.index_of, p.id)
    JOIN ken.tree t ON t.index_id = i.id
        AND CASE WHEN coalesce(p.index_of, p.id) = p.id THEN t.id = 1 ELSE t.project = p.id END;

CREATE VIEW ken.repositories AS
SELECT p.id, ken.text_of(p.path) AS path, p.name, p.last_indexed_at, p.is_active, p.created_at, p.updated_at,
    r.url, ken.text_of(p.path) AS local_path,
    coalesce(nullif(s.current_commit, ''), t.git_head) AS current_commit, s.last_synced,
    t.git_branch, t.generation
    FROM ken.projects p
    LEFT JOIN ken.remotes r ON r.repository_id = p.id
    LEFT JOIN ken.remote_states s ON s.repository_id = p.id
    LEFT JOIN ken.repository_trees t ON t.repository_id = p.id;

-- `path` is relative to the root of the repository.
CREATE VIEW ken.files AS
SELECT ken.file_uuid(t.repository_id, f.path) AS id, t.repository_id AS repo_id, ken.text_of(f.path) AS path,
    encode(c.sha256, 'hex') AS hash, nullif(c.language, '') AS language, f.size AS size_bytes,
    ken.time_of(f.mtime_ns / 1000000) AS last_modified, t.git_head AS commit_hash, f.created_at,
    ken.time_of(f.changed_at_ms) AS updated_at,
    ken.time_of(t.at_ms) AS indexed_at, c.n_lines AS lines, c.n_chunks AS chunks, c.n_symbols AS symbols,
    c.n_error_bytes AS error_bytes, c.marks & 1 = 1 AS is_fallback, c.marks & 2 = 2 AS is_generated
    FROM ken.repository_trees t
    JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
    JOIN ken.content c ON c.index_id = f.index_id AND c.id = f.content_id;

-- The newest 1,000 of each repository, which are one value of its index: a line "<generation> <ms> <letter> <path>",
-- of a renamed file "<old>//<new>" (src/index/index_events.c). The first generation has none.
CREATE VIEW ken.change_events AS
SELECT ken.uuid_of(convert_to(e.repository_id || '::change::' || e.line, 'UTF8')) AS id,
    ken.file_uuid(e.repository_id, decode(e.path, 'escape')) AS code_file_id,
    e.event_type, ken.time_of(e.ms) AS detected_at, true AS processed,
    e.repository_id, ken.text_of(decode(e.path, 'escape')) AS path,
    ken.text_of(decode(e.old_path, 'escape')) AS old_path, e.generation
    FROM (
        SELECT t.repository_id, l.line, m.part[1]::bigint AS generation, m.part[2]::bigint AS ms,
            CASE m.part[3] WHEN 'A' THEN 'added' WHEN 'M' THEN 'modified' WHEN 'D' THEN 'deleted' ELSE 'renamed' END
                AS event_type,
            CASE WHEN m.part[3] = 'R' THEN substring(m.part[4] FROM position('//' IN m.part[4]) + 2)
                ELSE m.part[4] END AS path,
            CASE WHEN m.part[3] = 'R' THEN split_part(m.part[4], '//', 1) END AS old_path
            FROM ken.repository_trees t
            JOIN ken.meta v ON v.index_id = t.index_id AND v.tree_id = t.tree_id AND v.key = 'index.events'
            CROSS JOIN LATERAL string_to_table(encode(v.value, 'escape'), E'\n') AS l (line)
            CROSS JOIN LATERAL regexp_match(l.line, '^(\d+) (\d+) ([AMDR]) (.+)$') AS m (part)
            WHERE m.part IS NOT NULL
    ) AS e;

-- Files that are gone are marked, as far back as there are events of them.
CREATE VIEW ken.code_files AS
SELECT f.id, f.repo_id AS repository_id,
    r.path || '/' || f.path AS path, f.path AS relative_path, f.hash AS content_hash, f.size_bytes, f.language,
    f.last_modified AS modified_at, f.indexed_at, false AS is_deleted, NULL::timestamptz AS deleted_at
    FROM ken.files f
    JOIN ken.repositories r ON r.id = f.repo_id
UNION ALL
SELECT g.id, g.repository_id, r.path || '/' || g.path, g.path, NULL, NULL, NULL, NULL, NULL, true, max(g.detected_at)
    FROM (SELECT code_file_id AS id, repository_id, path, detected_at FROM ken.change_events
            WHERE event_type = 'deleted'
        UNION ALL
        SELECT ken.file_uuid(repository_id, convert_to(old_path, 'UTF8')), repository_id, old_path, detected_at
            FROM ken.change_events
            WHERE event_type = 'renamed') AS g
    JOIN ken.repositories r ON r.id = g.repository_id
    WHERE NOT EXISTS (SELECT 1 FROM ken.repository_trees t
        JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
        WHERE t.repository_id = g.repository_id
        AND ken.file_uuid(t.repository_id, f.path) = g.id)
    GROUP BY g.id, g.repository_id, r.path, g.path;

CREATE VIEW ken.file_metadata AS
SELECT ken.item_uuid('metadata', t.repository_id, f.path, 0) AS id, ken.file_uuid(t.repository_id, f.path) AS code_file_id,
    c.n_lines AS lines_of_code,
    (SELECT sum(s.complexity) FROM ken.content_symbol s WHERE s.index_id = c.index_id AND s.content_id = c.id)
        AS complexity_score,
    f.created_at, ken.time_of(f.changed_at_ms) AS updated_at
    FROM ken.repository_trees t
    JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
    JOIN ken.content c ON c.index_id = f.index_id AND c.id = f.content_id;

-- ---- what is in files ---------------------------------------------------------------------------

-- Texts are those of `content_text`: NULL where the setting database.text leaves it out.
CREATE VIEW ken.symbols AS
SELECT ken.item_uuid('symbol', t.repository_id, f.path, s.ordinal) AS id,
    ken.file_uuid(t.repository_id, f.path) AS file_id, s.name, s.type, s.line_start, s.line_end,
    regexp_replace(btrim(ken.slice(x.text, x.is_utf8, s.signature_start, s.signature_end), E' \t\n\v\f\r'),
        '[ \t\n\v\f\r]+', ' ', 'g') AS signature,
    ken.slice(x.text, x.is_utf8, s.doc_start, s.doc_end) AS docstring,
    ken.time_of(f.changed_at_ms) AS created_at,
    t.repository_id, ken.text_of(f.path) AS file_path, s.ordinal,
    ken.item_uuid('symbol', t.repository_id, f.path, s.parent) AS parent_id, s.depth, s.visibility,
    s.byte_start, s.byte_end, s.complexity
    FROM ken.repository_trees t
    JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
    JOIN ken.content_symbol s ON s.index_id = f.index_id AND s.content_id = f.content_id
    LEFT JOIN ken.content_text x ON x.index_id = f.index_id AND x.content_id = f.content_id;

-- `id` is the one that answers of ken have: of path and ordinal, so that two repositories may share it.
CREATE VIEW ken.code_chunks AS
SELECT ken.uuid_of(f.path || convert_to('::chunk::' || k.ordinal, 'UTF8')) AS id,
    ken.file_uuid(t.repository_id, f.path) AS code_file_id, ken.file_uuid(t.repository_id, f.path) AS file_id,
    ken.slice(x.text, x.is_utf8, k.byte_start, k.byte_end) AS content,
    ken.slice(x.text, x.is_utf8, k.byte_start, k.byte_end) AS chunk_text,
    k.line_start AS start_line, k.line_end AS end_line, k.line_start, k.line_end, k.chunk_type,
    (SELECT s.name FROM ken.content_symbol s
        WHERE s.index_id = k.index_id AND s.content_id = k.content_id AND s.ordinal = k.symbol) AS symbol_name,
    t.git_head AS commit_hash, ken.time_of(f.changed_at_ms) AS created_at, ken.time_of(t.at_ms) AS updated_at,
    t.repository_id, ken.text_of(f.path) AS file_path, k.ordinal, k.token_count,
    ken.item_uuid('symbol', t.repository_id, f.path, k.symbol) AS symbol_id, k.byte_start, k.byte_end
    FROM ken.repository_trees t
    JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
    JOIN ken.content_chunk k ON k.index_id = f.index_id AND k.content_id = f.content_id
    LEFT JOIN ken.content_text x ON x.index_id = f.index_id AND x.content_id = f.content_id;

-- One row for each name that an import brings. Which file it leads to is worked out by questions and not kept here.
CREATE VIEW ken.dependencies AS
SELECT ken.item_uuid('dependency', t.repository_id, f.path, i.ordinal * 65536::bigint + coalesce(n.place, 0)) AS id,
    ken.file_uuid(t.repository_id, f.path) AS from_file_id, NULL::uuid AS to_file_id, i.import_type,
    n.name AS symbol_name, ken.time_of(f.changed_at_ms) AS created_at,
    t.repository_id, ken.text_of(f.path) AS file_path, i.module, i.line, i.is_export, i.ordinal
    FROM ken.repository_trees t
    JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
    JOIN ken.content_import i ON i.index_id = f.index_id AND i.content_id = f.content_id
    LEFT JOIN LATERAL unnest(i.names) WITH ORDINALITY AS n (name, place) ON true;

CREATE VIEW ken.refs AS
SELECT ken.item_uuid('ref', t.repository_id, f.path, r.ordinal) AS id, ken.file_uuid(t.repository_id, f.path) AS file_id,
    t.repository_id, ken.text_of(f.path) AS file_path, r.name, r.role, r.line, r.byte, r.ordinal,
    ken.item_uuid('symbol', t.repository_id, f.path, r.symbol) AS symbol_id,
    (SELECT s.name FROM ken.content_symbol s
        WHERE s.index_id = r.index_id AND s.content_id = r.content_id AND s.ordinal = r.symbol) AS symbol_name
    FROM ken.repository_trees t
    JOIN ken.file f ON f.index_id = t.index_id AND f.tree_id = t.tree_id
    JOIN ken.content_ref r ON r.index_id = f.index_id AND r.content_id = f.content_id;

-- The model whose vectors answer, of each repository. Indexes say nothing of the built-in one but its absence.
CREATE VIEW ken.embedding_metadata AS
SELECT ken.uuid_of(convert_to(t.repository_id || '::model::' || m.model_name, 'UTF8')) AS id, m.model_name,
    coalesce(nullif(m.record ->> 'sha256', ''), m.model_name) AS model_version,
    CASE WHEN v.value IS NULL THEN 192 ELSE (m.record ->> 'dims')::bigint END AS dimensions,
    coalesce(substring(ken.text_of(c.value) FROM ' (\d+)$')::bigint, 0) AS generation_time_ms,
    ken.time_of(coalesce(ken.text_of(d.value)::bigint, t.at_ms)) AS created_at, t.repository_id
    FROM ken.repository_trees t
    LEFT JOIN ken.meta v ON v.index_id = t.index_id AND v.tree_id = 0 AND v.key = 'embed.active'
    LEFT JOIN ken.meta j ON j.index_id = t.index_id AND j.tree_id = 0 AND j.key = 'embed.active_record'
    LEFT JOIN ken.meta d ON d.index_id = t.index_id AND d.tree_id = 0 AND d.key = 'embed.made_ms'
    CROSS JOIN LATERAL (SELECT coalesce(ken.text_of(v.value), 'ken-code-192-3') AS model_name,
        nullif(ken.text_of(j.value), '')::jsonb AS record) AS m
    LEFT JOIN ken.meta c ON c.index_id = t.index_id AND c.tree_id = 0 AND c.key = 'embed.cost ' || m.model_name
    WHERE t.generation > 0;
