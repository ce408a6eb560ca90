-- The licence of a model: an SPDX name where there is one, "proprietary", or '' = not known. Those of the models that came
-- with ken are told by who published them.
ALTER TABLE model ADD COLUMN license TEXT NOT NULL DEFAULT '';
UPDATE model SET license = CASE id WHEN 'builtin' THEN 'MIT' WHEN 'bge-small-en-v1.5' THEN 'MIT' ELSE 'Apache-2.0' END
    WHERE id IN ('builtin', 'bge-small-en-v1.5', 'all-MiniLM-L6-v2', 'all-mpnet-base-v2', 'nomic-embed-text')
    AND is_preloaded;
