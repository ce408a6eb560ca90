DROP TABLE ken.segment_words;
