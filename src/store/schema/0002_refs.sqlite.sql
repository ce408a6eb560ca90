-- What a content says with names. Beside `content` and not in it, so that reading facts never
-- touches the pages of references. Contents that say nothing have no row.

CREATE TABLE content_refs (
    content_id INTEGER PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
    refs       BLOB NOT NULL -- ken_refs_pack
) STRICT;
