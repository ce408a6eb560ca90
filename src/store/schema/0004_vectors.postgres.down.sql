DROP FUNCTION ken.measure_recall(bigint, integer);
DROP FUNCTION ken.near(bigint, text, integer);
DROP FUNCTION ken.index_embeddings(bigint, text);
DROP FUNCTION ken.embeddings_type();
DROP FUNCTION ken.make_embeddings(text);
DROP TABLE IF EXISTS ken.embeddings;
DROP TABLE ken.embedding_models;
