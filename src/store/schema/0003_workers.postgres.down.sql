DROP TABLE ken.index_runs, ken.workers, ken.job_turns;
DROP INDEX ken.idx_jobs_queued, ken.idx_jobs_running;
ALTER TABLE ken.jobs
    DROP COLUMN turn_of, DROP COLUMN fence, DROP COLUMN worker, DROP COLUMN lease_until, DROP COLUMN due_at,
    DROP COLUMN changed_at;
CREATE INDEX idx_jobs_queued ON ken.jobs (place) WHERE state = 'queued';
