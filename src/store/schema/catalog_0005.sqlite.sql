-- Access tokens of the server. The secret is not here: 32 random bytes are known again by their hash.

CREATE TABLE access_token (
    id            BLOB    PRIMARY KEY,     -- UUID, 16 bytes
    name          TEXT    NOT NULL UNIQUE,
    sha256        BLOB    NOT NULL UNIQUE,
    scopes        TEXT    NOT NULL,        -- "read,write"
    project       BLOB,                    -- of the table project, or of one that is gone; NULL = all
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL         -- 0 = never
) STRICT;
