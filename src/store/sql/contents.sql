-- What was learnt of contents.

-- :CONTENT_FIND
SELECT id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, is_fallback
    FROM content
    WHERE sha256 = ?1
    AND lang = ?2
    AND feature = ?3;

-- :CONTENT_GET
SELECT id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, is_fallback
    FROM content
    WHERE id = ?1;

-- :CONTENT_SCAN
SELECT id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, is_fallback
    FROM content
    ORDER BY id;

-- :CONTENT_SUPERSEDE
UPDATE content SET feature = NULL WHERE sha256 = ?1 AND lang = ?2 AND feature = ?3;

-- :CONTENT_ADD
INSERT INTO content (sha256, lang, feature, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes,
    is_fallback, facts)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- :CONTENT_FACTS
SELECT facts FROM content WHERE id = ?1;

-- :CONTENT_SHA
SELECT sha256 FROM content WHERE id = ?1;

-- Without a feature when it is superseded.
-- :CONTENT_KEY
SELECT sha256, lang, coalesce(feature, 0) FROM content WHERE id = ?1;

-- :CONTENT_FACTS_SCAN
SELECT id, facts, n_bytes, refs FROM content LEFT JOIN content_refs ON content_id = id;

-- :REFS_ADD
INSERT INTO content_refs (content_id, refs) VALUES (?1, ?2);

-- :REFS_GET
SELECT refs FROM content_refs WHERE content_id = ?1;

-- :CONTENT_COLLECT
DELETE FROM content WHERE id IN (SELECT id FROM content EXCEPT SELECT content_id FROM file);

-- :CONTENT_COLLECT_ONE
DELETE FROM content WHERE id = ?1
AND NOT EXISTS (SELECT 1 FROM file WHERE content_id = ?1);
