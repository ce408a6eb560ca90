-- Names are compared by their bytes in these indexes, whatever the database sorts by: where that is a language (en_US, as in
-- most images) a comparison costs several times as much, a quarter of the time of a bulk load. They serve `name = …` and
-- `name LIKE 'begin%'`, which an index in the order of a language does not.

DROP INDEX ken.idx_symbols_name;
DROP INDEX ken.idx_refs_name;
CREATE INDEX idx_symbols_name ON ken.content_symbol (index_id, name text_pattern_ops);
CREATE INDEX idx_refs_name ON ken.content_ref (index_id, name text_pattern_ops);
