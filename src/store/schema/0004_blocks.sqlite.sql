-- Blocks of segments may be compressed: `data` is then a zstd frame of so many bytes. NULL: it is
-- the block itself, as in all that were written before.

ALTER TABLE segment_block ADD COLUMN n_plain INTEGER;
