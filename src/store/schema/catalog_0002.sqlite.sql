-- The embedding models that are known; their files lie in <data>/models/<id>/.
-- Columns are those of model/model_record.h. Sizes, memory and times are estimates until a download
-- or a measurement says better; a checksum is filled in by the first download.

CREATE TABLE model (
    id               TEXT    PRIMARY KEY,
    label            TEXT    NOT NULL DEFAULT '',
    provider         TEXT    NOT NULL DEFAULT 'onnx',
    languages        TEXT    NOT NULL DEFAULT '',
    code_quality     TEXT    NOT NULL DEFAULT '',
    source           TEXT    NOT NULL DEFAULT '',
    tokenizer_source TEXT    NOT NULL DEFAULT '',
    pooling          TEXT    NOT NULL DEFAULT '',
    document_prefix  TEXT    NOT NULL DEFAULT '',
    query_prefix     TEXT    NOT NULL DEFAULT '',
    sha256           TEXT    NOT NULL DEFAULT '',
    dims             INTEGER NOT NULL DEFAULT 0,
    max_tokens       INTEGER NOT NULL DEFAULT 0,
    size_bytes       INTEGER NOT NULL DEFAULT 0,
    ram_bytes        INTEGER NOT NULL DEFAULT 0,
    latency_ms       INTEGER NOT NULL DEFAULT 0,
    status           TEXT    NOT NULL DEFAULT 'pending',
    is_preloaded     INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO model (id, label, provider, languages, code_quality, status, is_preloaded) VALUES
    ('builtin', 'built-in code model', 'builtin', 'en', 'good', 'ready', 1);

INSERT INTO model (id, label, languages, code_quality, dims, max_tokens, size_bytes, ram_bytes,
                   latency_ms, pooling, document_prefix, query_prefix, source, tokenizer_source,
                   is_preloaded) VALUES
    ('all-MiniLM-L6-v2', 'small and fast, general text', 'en', 'low', 384, 256, 90387606,
     200000000, 15, 'mean', '', '',
     'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/onnx/model.onnx',
     'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/tokenizer.json', 1),
    ('all-mpnet-base-v2', 'better and slower, general text', 'en', 'medium', 768, 384, 435826548,
     900000000, 110, 'mean', '', '',
     'https://huggingface.co/sentence-transformers/all-mpnet-base-v2/resolve/main/onnx/model.onnx',
     'https://huggingface.co/sentence-transformers/all-mpnet-base-v2/resolve/main/tokenizer.json', 1),
    ('bge-small-en-v1.5', 'small, made for retrieval', 'en', 'medium', 384, 512, 133093490,
     300000000, 30, 'cls', '', 'Represent this sentence for searching relevant passages: ',
     'https://huggingface.co/BAAI/bge-small-en-v1.5/resolve/main/onnx/model.onnx',
     'https://huggingface.co/BAAI/bge-small-en-v1.5/resolve/main/tokenizer.json', 1),
    ('nomic-embed-text', 'long texts, code and prose', 'en', 'good', 768, 2048, 547310275,
     1100000000, 120, 'mean', 'search_document: ', 'search_query: ',
     'https://huggingface.co/nomic-ai/nomic-embed-text-v1.5/resolve/main/onnx/model.onnx',
     'https://huggingface.co/nomic-ai/nomic-embed-text-v1.5/resolve/main/tokenizer.json', 1);
