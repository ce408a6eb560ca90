-- The catalog: what SQLite keeps in projects.db. It is of the whole installation and small, so it has no
-- partitions. People see the primary keys, which are UUIDs. A time that is NULL is none yet.

CREATE TABLE ken.repositories (
    id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    name            text        NOT NULL,
    path            bytea       NOT NULL,            -- the root of its files, which need not be UTF-8
    index_of        uuid,                            -- the project in whose index its files are; NULL: its own
    is_active       boolean     NOT NULL DEFAULT true,
    last_indexed_at timestamptz,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL DEFAULT now()
);

-- A path may be longer than a key of an index may be.
CREATE UNIQUE INDEX idx_repositories_path ON ken.repositories (sha256(path));

-- Remote repositories that projects are clones of: what people said.
CREATE TABLE ken.remotes (
    repository_id uuid   PRIMARY KEY REFERENCES ken.repositories ON DELETE CASCADE,
    url           text   NOT NULL,                   -- without password
    branch        text   NOT NULL,                   -- '' = the remote's own default
    sparse        text   NOT NULL,                   -- paths, one a line; '' = everything
    depth         bigint NOT NULL CHECK (depth BETWEEN 0 AND 4294967295),      -- commits; 0 = all
    interval_s    bigint NOT NULL CHECK (interval_s BETWEEN 0 AND 4294967295)  -- 0 = no sync on its own
);

CREATE INDEX idx_remotes_url ON ken.remotes (url);

-- What syncs found.
CREATE TABLE ken.remote_states (
    repository_id  uuid        PRIMARY KEY REFERENCES ken.remotes ON DELETE CASCADE,
    branch         text        NOT NULL,             -- that the clone follows; '' = not known
    current_commit text        NOT NULL,             -- 40 or 64 digits, small letters; '' = none yet
    last_synced    timestamptz,
    tried_at       timestamptz,
    n_failures     bigint      NOT NULL,             -- in a row
    error          text        NOT NULL              -- of the last one
);

CREATE TABLE ken.settings (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- The columns are those of model/model_record.h.
CREATE TABLE ken.models (
    id               text    PRIMARY KEY,            -- a name that people give
    label            text    NOT NULL DEFAULT '',
    provider         text    NOT NULL DEFAULT 'onnx',
    languages        text    NOT NULL DEFAULT '',
    code_quality     text    NOT NULL DEFAULT '',
    source           text    NOT NULL DEFAULT '',
    tokenizer_source text    NOT NULL DEFAULT '',
    pooling          text    NOT NULL DEFAULT '',
    document_prefix  text    NOT NULL DEFAULT '',
    query_prefix     text    NOT NULL DEFAULT '',
    sha256           text    NOT NULL DEFAULT '',
    dims             bigint  NOT NULL DEFAULT 0,
    max_tokens       bigint  NOT NULL DEFAULT 0,
    size_bytes       bigint  NOT NULL DEFAULT 0,
    ram_bytes        bigint  NOT NULL DEFAULT 0,
    latency_ms       bigint  NOT NULL DEFAULT 0,
    status           text    NOT NULL DEFAULT 'pending',
    is_preloaded     boolean NOT NULL DEFAULT false
);

INSERT INTO ken.models (id, label, provider, languages, code_quality, status, is_preloaded) VALUES
    ('builtin', 'built-in code model', 'builtin', 'en', 'good', 'ready', true);

INSERT INTO ken.models (id, label, languages, code_quality, dims, max_tokens, size_bytes, ram_bytes,
                        latency_ms, pooling, document_prefix, query_prefix, source, tokenizer_source,
                        is_preloaded) VALUES
    ('all-MiniLM-L6-v2', 'small and fast, general text', 'en', 'low', 384, 256, 90387606,
     200000000, 15, 'mean', '', '',
     'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/onnx/model.onnx',
     'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/tokenizer.json', true),
    ('all-mpnet-base-v2', 'better and slower, general text', 'en', 'medium', 768, 384, 435826548,
     900000000, 110, 'mean', '', '',
     'https://huggingface.co/sentence-transformers/all-mpnet-base-v2/resolve/main/onnx/model.onnx',
     'https://huggingface.co/sentence-transformers/all-mpnet-base-v2/resolve/main/tokenizer.json', true),
    ('bge-small-en-v1.5', 'small, made for retrieval', 'en', 'medium', 384, 512, 133093490,
     300000000, 30, 'cls', '', 'Represent this sentence for searching relevant passages: ',
     'https://huggingface.co/BAAI/bge-small-en-v1.5/resolve/main/onnx/model.onnx',
     'https://huggingface.co/BAAI/bge-small-en-v1.5/resolve/main/tokenizer.json', true),
    ('nomic-embed-text', 'long texts, code and prose', 'en', 'good', 768, 2048, 547310275,
     1100000000, 120, 'mean', 'search_document: ', 'search_query: ',
     'https://huggingface.co/nomic-ai/nomic-embed-text-v1.5/resolve/main/onnx/model.onnx',
     'https://huggingface.co/nomic-ai/nomic-embed-text-v1.5/resolve/main/tokenizer.json', true);

-- The secret is not here: 32 random bytes are known again by their hash.
CREATE TABLE ken.access_tokens (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    name       text        NOT NULL UNIQUE,
    sha256     bytea       NOT NULL UNIQUE,
    scopes     text        NOT NULL,                 -- "read,write"
    project    uuid,                                 -- of ken.repositories, or of one that is gone; NULL = all
    created_at timestamptz NOT NULL,
    expires_at timestamptz                           -- NULL = never
);

-- Jobs of servers and workers, in the order of `place`. Whoever starts one changes its row from queued to
-- running, which only one can.
CREATE TABLE ken.jobs (
    id               uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    place            bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
    kind             text        NOT NULL,
    state            text        NOT NULL,
    project          uuid,
    params           text        NOT NULL,           -- a JSON object
    is_cancel_wanted boolean     NOT NULL DEFAULT false,
    n_tries          bigint      NOT NULL,           -- runs that were interrupted before
    n_done           bigint      NOT NULL DEFAULT 0,
    n_total          bigint      NOT NULL DEFAULT 0,
    milli_rate       bigint      NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL,
    started_at       timestamptz,
    ended_at         timestamptz,
    message          text        NOT NULL DEFAULT '',
    error            text        NOT NULL DEFAULT ''
);

CREATE INDEX idx_jobs_queued ON ken.jobs (place) WHERE state = 'queued';
CREATE INDEX idx_jobs_state ON ken.jobs (state, place);

-- Tasks. `rev` grows with every change of any task and is no two tasks'; `number` is a key for this program.
CREATE TABLE ken.tasks (
    id          uuid         PRIMARY KEY DEFAULT gen_random_uuid(),
    number      bigint       GENERATED ALWAYS AS IDENTITY UNIQUE,
    rev         bigint       NOT NULL,
    title       varchar(200) NOT NULL,
    description text,
    notes       text,
    status      varchar(50)  NOT NULL,
    project     uuid,                                -- of ken.repositories, or of one that is gone
    created_at  timestamptz  NOT NULL,
    updated_at  timestamptz  NOT NULL                -- grows with every change of this task
);

CREATE UNIQUE INDEX idx_tasks_rev ON ken.tasks (rev);
CREATE INDEX idx_tasks_status ON ken.tasks (status, rev);
CREATE INDEX idx_tasks_project ON ken.tasks (project, rev);
CREATE INDEX idx_tasks_project_status ON ken.tasks (project, status, rev);

-- One row, the last rev given. Whoever changes tasks locks it first and until the commit, so revs become
-- visible in their order, and no two writers of tasks wait for each other in a circle.
CREATE TABLE ken.task_clock (
    id  boolean PRIMARY KEY DEFAULT true CHECK (id),
    rev bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO ken.task_clock (rev) VALUES (0);

-- How many tasks there are, so that totals need no walk: of a branch ('' = of any or none), of a project
-- (zeros = of none), with a status. Writers have the lock of the clock.
CREATE TABLE ken.task_counts (
    branch_name text        NOT NULL,
    project     uuid        NOT NULL,
    status      varchar(50) NOT NULL,
    n           bigint      NOT NULL,
    PRIMARY KEY (branch_name, project, status)
) WITH (fillfactor = 50);

CREATE TABLE ken.task_status_history (
    id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    ordinal     bigint      GENERATED ALWAYS AS IDENTITY,
    task_id     uuid        NOT NULL REFERENCES ken.tasks ON DELETE CASCADE,
    from_status varchar(50),                         -- NULL in the first row
    to_status   varchar(50) NOT NULL,
    changed_at  timestamptz NOT NULL
);

CREATE INDEX idx_task_status_history_task_id ON ken.task_status_history (task_id);

CREATE TABLE ken.task_planning_references (
    id             uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    ordinal        bigint      GENERATED ALWAYS AS IDENTITY,
    task_id        uuid        NOT NULL REFERENCES ken.tasks ON DELETE CASCADE,
    file_path      text        NOT NULL,
    reference_type text        NOT NULL,
    created_at     timestamptz NOT NULL
);

CREATE UNIQUE INDEX idx_task_planning_references_task_id ON ken.task_planning_references (task_id, md5(file_path));

CREATE TABLE ken.task_branch_links (
    id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    ordinal     bigint      GENERATED ALWAYS AS IDENTITY,
    task_id     uuid        NOT NULL REFERENCES ken.tasks ON DELETE CASCADE,
    branch_name text        NOT NULL,
    linked_at   timestamptz NOT NULL,
    rev         bigint      NOT NULL                 -- of the task, so that a branch is listed in order
);

CREATE UNIQUE INDEX idx_task_branch_links_task_id ON ken.task_branch_links (task_id, branch_name);
CREATE INDEX idx_task_branch_links_branch ON ken.task_branch_links (branch_name, rev);

CREATE TABLE ken.task_commit_links (
    id             uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    ordinal        bigint      GENERATED ALWAYS AS IDENTITY,
    task_id        uuid        NOT NULL REFERENCES ken.tasks ON DELETE CASCADE,
    commit_hash    text        NOT NULL,             -- 40 digits, small letters
    commit_message text,                             -- its subject; NULL when no repository knew it
    linked_at      timestamptz NOT NULL
);

CREATE UNIQUE INDEX idx_task_commit_links_task_id ON ken.task_commit_links (task_id, commit_hash);
