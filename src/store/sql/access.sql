-- Access tokens.

-- :TOKEN_LIST
SELECT id, name, sha256, scopes, project, created_at_ms, expires_at_ms FROM access_token ORDER BY name;

-- :TOKEN_COUNT
SELECT count(*) FROM access_token;

-- :TOKEN_NAMED
SELECT id FROM access_token WHERE name = ?1;

-- :TOKEN_ADD
INSERT INTO access_token VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- :TOKEN_REMOVE
DELETE FROM access_token WHERE id = ?1;
