DROP VIEW ken.embedding_metadata, ken.refs, ken.dependencies, ken.code_chunks, ken.symbols, ken.file_metadata, ken.code_files,
    ken.change_events, ken.files, ken.repositories, ken.repository_trees;
DROP FUNCTION ken.uuid_of(bytea), ken.file_uuid(uuid, bytea), ken.item_uuid(text, uuid, bytea, bigint), ken.text_of(bytea),
    ken.slice(bytea, boolean, integer, integer), ken.time_of(bigint);
DROP TABLE ken.content_symbol, ken.content_chunk, ken.content_import, ken.content_ref, ken.content_text;
ALTER TABLE ken.projects RENAME TO repositories;
ALTER TABLE ken.content DROP COLUMN language;
ALTER TABLE ken.file DROP COLUMN created_at;
ALTER TABLE ken.content ADD CONSTRAINT content_index_id_fkey FOREIGN KEY (index_id) REFERENCES ken.index ON DELETE CASCADE;
ALTER TABLE ken.file ADD CONSTRAINT file_index_id_tree_id_fkey FOREIGN KEY (index_id, tree_id) REFERENCES ken.tree ON DELETE CASCADE;
ALTER TABLE ken.file ADD CONSTRAINT file_index_id_content_id_fkey FOREIGN KEY (index_id, content_id) REFERENCES ken.content;
