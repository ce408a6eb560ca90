-- Which words the indexes have: so that a question to thousands of them opens those that can have an answer. A row for each
-- segment of words, beside it: `words` are numbers of a word and of how many contents have it (src/lexical/lexical_entry.h),
-- looked up by the index alone. Without a pending list, which every question would read from end to end.

CREATE TABLE ken.segment_words (
    index_id   bigint    NOT NULL,
    segment_id bigint    NOT NULL,
    words      integer[] NOT NULL,
    PRIMARY KEY (index_id, segment_id),
    FOREIGN KEY (index_id, segment_id) REFERENCES ken.segment ON DELETE CASCADE
) PARTITION BY HASH (index_id);

CREATE INDEX segment_words_words ON ken.segment_words USING gin (words) WITH (fastupdate = off);

DO '
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(''CREATE TABLE ken.%I PARTITION OF ken.segment_words FOR VALUES WITH (MODULUS 16, REMAINDER %s)'',
                       ''segment_words_'' || lpad(part::text, 2, ''0''), part);
    END LOOP;
END ';
