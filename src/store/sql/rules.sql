-- Documents of rules.

-- :RULE_DOCUMENT_CLEAR
DELETE FROM rule_document;

-- :RULE_DOCUMENT_ADD
INSERT INTO rule_document (path, kind, sha256, n_bytes, mtime_ns, weight, indexed_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- :RULE_DOCUMENT_SCAN
SELECT path, kind, sha256, n_bytes, mtime_ns, weight, indexed_at_ms, (SELECT count(*) FROM rule
    WHERE document = rule_document.id)
    FROM rule_document
    ORDER BY path;

-- :RULE_SCAN
SELECT first_line, last_line, heading, text
    FROM rule
    WHERE document = (SELECT id FROM rule_document WHERE path = ?1)
    ORDER BY ordinal;

-- :RULE_ADD
INSERT INTO rule (document, ordinal, first_line, last_line, heading, text)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6);
