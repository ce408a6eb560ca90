-- Indexes: what SQLite keeps in one file each, told apart by `index_id`, which leads every key. Large tables are
-- partitioned by its hash, so a repository that is moved, archived or deleted touches one partition of each, and the
-- schema distributes by it. Paths are bytes: a file's name need not be UTF-8. README.md says what each table is for.

CREATE TABLE ken.index (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text        NOT NULL UNIQUE,
    -- the highest ids there ever were: no id is used again, as segments and readers hold them
    last_content    bigint      NOT NULL DEFAULT 0,
    last_segment    bigint      NOT NULL DEFAULT 0,
    last_file       bigint      NOT NULL DEFAULT 0,
    last_tree       bigint      NOT NULL DEFAULT 1,
    last_checkpoint bigint      NOT NULL DEFAULT 0,
    checkpoint_rev  bigint      NOT NULL DEFAULT 0, -- of the newest write, removals included
    n_checkpoints   bigint      NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ken.meta (
    index_id bigint NOT NULL REFERENCES ken.index ON DELETE CASCADE,
    tree_id  bigint NOT NULL, -- 0 = of all trees
    key      text   NOT NULL,
    value    bytea  NOT NULL,
    PRIMARY KEY (index_id, tree_id, key)
);

CREATE TABLE ken.tree (
    index_id   bigint NOT NULL REFERENCES ken.index ON DELETE CASCADE,
    id         bigint NOT NULL,              -- 1 = the first
    project    uuid,                         -- NULL: the first one's
    generation bigint NOT NULL DEFAULT 0,
    at_ms      bigint NOT NULL DEFAULT 0,
    root       bytea  NOT NULL DEFAULT '',
    git_head   bytea  NOT NULL DEFAULT '',
    git_branch bytea  NOT NULL DEFAULT '',
    n_files    bigint NOT NULL DEFAULT 0,
    n_chunks   bigint NOT NULL DEFAULT 0,
    n_symbols  bigint NOT NULL DEFAULT 0,
    n_bytes    bigint NOT NULL DEFAULT 0,
    n_lines    bigint NOT NULL DEFAULT 0,
    skips_hash bigint NOT NULL DEFAULT 0,    -- of the rows in `skip`: unchanged lists cost nothing
    PRIMARY KEY (index_id, id),
    UNIQUE (index_id, project)
);

CREATE TABLE ken.content (
    index_id      bigint NOT NULL REFERENCES ken.index ON DELETE CASCADE,
    id            bigint NOT NULL,
    sha256        bytea  NOT NULL,
    lang          bigint NOT NULL,
    feature       bigint,                    -- NULL: superseded, no key finds it any more
    n_bytes       bigint NOT NULL,
    n_lines       bigint NOT NULL,
    n_chunks      bigint NOT NULL,
    n_symbols     bigint NOT NULL,
    n_error_bytes bigint NOT NULL,
    marks         bigint NOT NULL,           -- 1 = by lines, 2 = generated
    facts         bytea  NOT NULL,           -- ken_facts_pack
    refs          bytea,                     -- ken_refs_pack; NULL: it says nothing with names
    PRIMARY KEY (index_id, id)
) PARTITION BY HASH (index_id);

CREATE UNIQUE INDEX content_key ON ken.content (index_id, sha256, lang, feature);

CREATE TABLE ken.file (
    index_id      bigint NOT NULL,
    tree_id       bigint NOT NULL,
    id            bigint NOT NULL,
    path          bytea  NOT NULL,
    content_id    bigint NOT NULL,
    size          bigint NOT NULL,
    mtime_ns      bigint NOT NULL,
    ctime_ns      bigint NOT NULL,
    inode         bigint NOT NULL,           -- its 64 bits
    changed_at_ms bigint NOT NULL,
    PRIMARY KEY (index_id, id),
    FOREIGN KEY (index_id, tree_id) REFERENCES ken.tree ON DELETE CASCADE,
    FOREIGN KEY (index_id, content_id) REFERENCES ken.content
) PARTITION BY HASH (index_id);

-- A path may be longer than a key of an index may be.
CREATE UNIQUE INDEX file_path ON ken.file (index_id, tree_id, sha256(path));
CREATE INDEX file_content ON ken.file (index_id, content_id);

CREATE TABLE ken.skip (
    index_id bigint NOT NULL,
    tree_id  bigint NOT NULL,
    ordinal  bigint NOT NULL,
    reason   text   NOT NULL,                -- a word: the list of reasons may be put in another order
    path     bytea  NOT NULL,
    PRIMARY KEY (index_id, tree_id, ordinal),
    FOREIGN KEY (index_id, tree_id) REFERENCES ken.tree ON DELETE CASCADE
) PARTITION BY HASH (index_id);

CREATE TABLE ken.skip_count (
    index_id bigint NOT NULL,
    tree_id  bigint NOT NULL,
    reason   text   NOT NULL,
    n        bigint NOT NULL,
    PRIMARY KEY (index_id, tree_id, reason),
    FOREIGN KEY (index_id, tree_id) REFERENCES ken.tree ON DELETE CASCADE
);

CREATE TABLE ken.segment (
    index_id   bigint NOT NULL REFERENCES ken.index ON DELETE CASCADE,
    id         bigint NOT NULL,
    kind       bigint NOT NULL,              -- ken_segment_kind
    n_bytes    bigint NOT NULL DEFAULT 0,    -- 0 = not whole yet
    n_contents bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (index_id, id)
);

CREATE TABLE ken.segment_block (
    index_id   bigint NOT NULL,
    segment_id bigint NOT NULL,
    block      bigint NOT NULL,
    n_plain    bigint,                       -- `data` is a zstd frame of so many bytes; NULL: it is the block itself
    data       bytea  NOT NULL,
    PRIMARY KEY (index_id, segment_id, block),
    FOREIGN KEY (index_id, segment_id) REFERENCES ken.segment ON DELETE CASCADE
) PARTITION BY HASH (index_id);

-- What people and agents said: no run replaces it.
CREATE TABLE ken.checkpoint (
    index_id    bigint      NOT NULL REFERENCES ken.index ON DELETE CASCADE,
    id          bigint      NOT NULL,
    uuid        uuid        NOT NULL,
    rev         bigint      NOT NULL,        -- of the write that made it what it is
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    token_count bigint      NOT NULL,
    git_branch  text        NOT NULL,
    git_commit  text        NOT NULL,
    tags        text[]      NOT NULL,        -- in byte order
    summary     text        NOT NULL,
    git_dirty   text        NOT NULL,        -- a JSON list of paths
    context     text        NOT NULL,        -- a JSON object
    description text        NOT NULL,
    PRIMARY KEY (index_id, id),
    UNIQUE (index_id, uuid)
);

CREATE INDEX checkpoint_rev ON ken.checkpoint (index_id, rev);

CREATE TABLE ken.rule_document (
    index_id      bigint           NOT NULL REFERENCES ken.index ON DELETE CASCADE,
    id            bigint           NOT NULL,
    path          bytea            NOT NULL,
    kind          bigint           NOT NULL,
    sha256        bytea            NOT NULL,
    n_bytes       bigint           NOT NULL,
    mtime_ns      bigint           NOT NULL,
    weight        double precision NOT NULL,
    indexed_at_ms bigint           NOT NULL,
    PRIMARY KEY (index_id, id)
);

CREATE UNIQUE INDEX rule_document_path ON ken.rule_document (index_id, sha256(path));

CREATE TABLE ken.rule (
    index_id    bigint NOT NULL,
    document_id bigint NOT NULL,
    ordinal     bigint NOT NULL,
    first_line  bigint NOT NULL,
    last_line   bigint NOT NULL,
    heading     text   NOT NULL,
    text        text   NOT NULL,
    PRIMARY KEY (index_id, document_id, ordinal),
    FOREIGN KEY (index_id, document_id) REFERENCES ken.rule_document ON DELETE CASCADE
);

-- Blobs are compressed already.
ALTER TABLE ken.content ALTER COLUMN facts SET STORAGE EXTERNAL, ALTER COLUMN refs SET STORAGE EXTERNAL;
ALTER TABLE ken.segment_block ALTER COLUMN data SET STORAGE EXTERNAL;

DO '
DECLARE
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY[''content'', ''file'', ''skip'', ''segment_block''] LOOP
        FOR part IN 0..15 LOOP
            EXECUTE format(''CREATE TABLE ken.%I PARTITION OF ken.%I FOR VALUES WITH (MODULUS 16, REMAINDER %s)'',
                           parent || ''_'' || lpad(part::text, 2, ''0''), parent, part);
        END LOOP;
    END LOOP;
END ';
