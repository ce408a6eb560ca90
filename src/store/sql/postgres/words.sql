-- The words of segments: which indexes have those of a question.

-- Segments of words that have no row yet; sizes as SEGMENT_SCAN has them.
-- :WORDS_UNTOLD
SELECT s.id, s.n_bytes, s.n_contents,
    coalesce((SELECT coalesce(b.n_plain, octet_length(b.data)) FROM ken.segment_block b
        WHERE b.index_id = $1 AND b.segment_id = s.id AND b.block = (s.n_bytes - 1) / 65536), 0)
    FROM ken.segment s
    WHERE s.index_id = $1
    AND s.kind = 1
    AND s.n_bytes > 0
    AND NOT EXISTS (SELECT FROM ken.segment_words w WHERE w.index_id = $1 AND w.segment_id = s.id)
    ORDER BY s.id;

-- Not of one that was merged away.
-- :WORDS_PUT
INSERT INTO ken.segment_words (index_id, segment_id, words)
    SELECT index_id, id, $3::integer[] FROM ken.segment WHERE index_id = $1 AND id = $2
    ON CONFLICT DO NOTHING;

-- Of what follows, in its transaction. The planner does not know what it costs to take such an array apart: with few rows it
-- would look into all of them.
-- :WORDS_TUNE
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true);

-- Indexes with any of the words $1, each with the codes in $2 of those that it has; and those of which that is not known.
-- :WORDS_FIND
SELECT x.name, coalesce(f.codes, ''), n.n_contents, n.is_untold
    FROM (SELECT s.index_id, sum(s.n_contents)::bigint AS n_contents, bool_or(w.segment_id IS NULL) AS is_untold
            FROM ken.segment s
            LEFT JOIN ken.segment_words w ON w.index_id = s.index_id AND w.segment_id = s.id
            WHERE s.kind = 1
            AND s.n_bytes > 0
            GROUP BY s.index_id) AS n
    JOIN ken.index x ON x.id = n.index_id
    LEFT JOIN (SELECT w.index_id, string_agg(k.code, '') AS codes
            FROM unnest($1, $2) AS k (word, code)
            CROSS JOIN LATERAL (SELECT h.index_id FROM ken.segment_words h WHERE h.words @> ARRAY[k.word::integer]) AS w
            GROUP BY w.index_id) AS f ON f.index_id = n.index_id
    WHERE f.index_id IS NOT NULL OR n.is_untold;

-- Of what follows, in its transaction. pgvector below 0.8 has no iterative scans.
-- :NEAR_TUNE
SELECT set_config('hnsw.ef_search', $1, true),
    CASE WHEN $2 <> 'off' THEN set_config('hnsw.iterative_scan', $2, true) END;

-- Indexes with the $3 rows of model $1 that are nearest to a vector, each as near as its nearest; none without an HNSW index,
-- or when another model has one: then many have no row of this one.
-- :NEAR_FIND
SELECT x.name, min(r.distance)
    FROM ken.embedding_models m
    CROSS JOIN LATERAL ken.near(m.id, $2, $3) AS r
    JOIN ken.index x ON x.id = r.index_id
    WHERE m.name = $1
    AND m.indexed_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM ken.embedding_models o WHERE o.id <> m.id AND o.indexed_at IS NOT NULL)
    GROUP BY x.name;
