-- An archived project keeps its index and is left alone: it is not asked, indexed or brought up to date.
ALTER TABLE project ADD COLUMN is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1));
