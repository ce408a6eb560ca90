-- Workers. Whoever has a lease holds what it is of until `lease_until`, by the clock of this server, which machines with
-- other clocks never see. Locks of sessions would not do: behind a pooler there is no session, and one whose machine is
-- cut off stays for minutes.

ALTER TABLE ken.jobs
    ADD COLUMN turn_of     uuid NOT NULL GENERATED ALWAYS AS
        (coalesce(project, '00000000-0000-0000-0000-000000000000'::uuid)) STORED,
    ADD COLUMN fence       bigint      NOT NULL DEFAULT 0,  -- grows when it is taken
    ADD COLUMN worker      text        NOT NULL DEFAULT '', -- that has it, or ended it
    ADD COLUMN lease_until timestamptz,                     -- of one that runs
    ADD COLUMN due_at      timestamptz,                     -- of one that is tried again; NULL = at once
    ADD COLUMN changed_at  timestamptz NOT NULL DEFAULT clock_timestamp();

DROP INDEX ken.idx_jobs_queued;
CREATE INDEX idx_jobs_queued ON ken.jobs (turn_of, place) WHERE state = 'queued';
CREATE INDEX idx_jobs_running ON ken.jobs (turn_of) WHERE state = 'running';

-- When a project was served last. Its row is locked by who takes a job of the project, and by who queues one, so a
-- process that stops in the middle holds up one project and no other.
CREATE TABLE ken.job_turns (
    project   uuid        PRIMARY KEY,               -- zeros: the jobs of no project
    served_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

-- Processes that run jobs.
CREATE TABLE ken.workers (
    id          uuid        PRIMARY KEY,
    name        text        NOT NULL,                -- "host:pid"
    kind        text        NOT NULL,                -- "worker", "serve"
    version     text        NOT NULL,
    max_running bigint      NOT NULL,
    n_running   bigint      NOT NULL,
    n_done      bigint      NOT NULL,                -- ended since it began, as done
    n_failed    bigint      NOT NULL,                -- any other way
    started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at     timestamptz NOT NULL,
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Who writes an index now. What is committed to an index under a run that has lost its row here is refused.
CREATE TABLE ken.index_runs (
    name        text        PRIMARY KEY,             -- of ken.index, where it need not be yet
    run         uuid        NOT NULL,                -- another for each run
    holder      text        NOT NULL,                -- "host:pid"
    place       text        NOT NULL,                -- of the lock file that it holds, too; '' = none
    session     text        NOT NULL,                -- application_name of its connections
    note        text        NOT NULL DEFAULT '',     -- what it does
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);
