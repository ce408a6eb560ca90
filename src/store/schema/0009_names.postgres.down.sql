DROP INDEX ken.idx_symbols_name;
DROP INDEX ken.idx_refs_name;
CREATE INDEX idx_symbols_name ON ken.content_symbol (index_id, name);
CREATE INDEX idx_refs_name ON ken.content_ref (index_id, name);
