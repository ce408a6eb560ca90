ALTER TABLE ken.models DROP COLUMN license;
