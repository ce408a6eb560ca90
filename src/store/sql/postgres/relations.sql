-- Rows of contents for people and other programs: the relational model.

-- :SYMBOL_COPY
COPY ken.content_symbol (index_id, content_id, ordinal, parent, depth, line_start, line_end, byte_start, byte_end,
    signature_start, signature_end, doc_start, doc_end, complexity, name, type, visibility)
    FROM STDIN (FORMAT binary);

-- :CHUNK_COPY
COPY ken.content_chunk (index_id, content_id, ordinal, symbol, line_start, line_end, byte_start, byte_end, token_count,
    chunk_type)
    FROM STDIN (FORMAT binary);

-- :IMPORT_COPY
COPY ken.content_import (index_id, content_id, ordinal, line, is_export, module, import_type, names)
    FROM STDIN (FORMAT binary);

-- :REF_COPY
COPY ken.content_ref (index_id, content_id, ordinal, symbol, line, byte, name, role) FROM STDIN (FORMAT binary);

-- :TEXT_COPY
COPY ken.content_text (index_id, content_id, is_utf8, text) FROM STDIN (FORMAT binary);

-- :TEXT_GET
SELECT text FROM ken.content_text WHERE index_id = $1 AND content_id = $2;

-- :TEXT_LIST
SELECT content_id, text FROM ken.content_text WHERE index_id = $1 AND content_id = ANY($2);

-- Of a content that came without its text, references have no line.
-- :LACKING_ROWS
SELECT DISTINCT f.content_id
    FROM ken.file f
    JOIN ken.content c ON c.index_id = f.index_id AND c.id = f.content_id
    WHERE f.index_id = $1
    AND f.tree_id = $2
    AND (($3 AND NOT EXISTS (SELECT 1 FROM ken.content_text t WHERE t.index_id = $1 AND t.content_id = f.content_id))
        OR ($4 AND c.n_symbols > 0 AND NOT EXISTS (SELECT 1 FROM ken.content_symbol s
            WHERE s.index_id = $1 AND s.content_id = f.content_id AND s.ordinal = 0))
        OR ($5 AND c.refs IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ken.content_ref r
            WHERE r.index_id = $1 AND r.content_id = f.content_id AND r.ordinal = 0 AND r.line IS NOT NULL)))
    ORDER BY f.content_id;

-- :LACKING_VECTORS
SELECT DISTINCT f.content_id
    FROM ken.file f
    JOIN ken.content c ON c.index_id = f.index_id AND c.id = f.content_id
    WHERE f.index_id = $1
    AND f.tree_id = $2
    AND c.n_chunks > 0
    AND NOT EXISTS (SELECT 1 FROM ken.embeddings e WHERE e.index_id = $1 AND e.content_id = f.content_id)
    ORDER BY f.content_id;

-- :ROWS_CLEAR
WITH symbols AS (
    DELETE FROM ken.content_symbol WHERE index_id = $1 AND content_id = ANY($2)
), chunks AS (
    DELETE FROM ken.content_chunk WHERE index_id = $1 AND content_id = ANY($2)
), imports AS (
    DELETE FROM ken.content_import WHERE index_id = $1 AND content_id = ANY($2)
), refs AS (
    DELETE FROM ken.content_ref WHERE index_id = $1 AND content_id = ANY($2)
)
DELETE FROM ken.content_text WHERE index_id = $1 AND content_id = ANY($2);
