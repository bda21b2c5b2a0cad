-- Jobs that a fleet of workers shares out, and the model servers that they share. Many machines: PostgreSQL alone.
-- The queue itself is Procrastinate's, in tables of its own; a job that has ended is in this table only.
-- Times are seconds since the epoch by the database's clock: those of the machines may differ.
-- only: postgresql
CREATE FUNCTION fleet_now() RETURNS DOUBLE PRECISION LANGUAGE sql STABLE
    AS 'SELECT EXTRACT(EPOCH FROM statement_timestamp())::double precision';

-- only: postgresql
CREATE TABLE fleet_jobs (
    id TEXT NOT NULL PRIMARY KEY,
    spec TEXT NOT NULL,
    label TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'verified', 'unverified', 'failed', 'cancelled')),
    queue_id BIGINT,
    token TEXT,
    takes INTEGER NOT NULL DEFAULT 0,
    worker TEXT NOT NULL DEFAULT '',
    server TEXT NOT NULL DEFAULT '',
    commit_id TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    explanation TEXT NOT NULL DEFAULT '',
    created_at DOUBLE PRECISION NOT NULL,
    started_at DOUBLE PRECISION,
    ended_at DOUBLE PRECISION
);

-- only: postgresql
CREATE INDEX fleet_jobs_newest ON fleet_jobs (created_at DESC, id);

-- only: postgresql
CREATE INDEX fleet_jobs_of_state ON fleet_jobs (state, created_at DESC);

-- only: postgresql
CREATE INDEX fleet_jobs_of_label ON fleet_jobs (label, created_at DESC);

-- only: postgresql
CREATE INDEX fleet_jobs_counted ON fleet_jobs (label, model, state);

-- only: postgresql
CREATE INDEX fleet_jobs_ended ON fleet_jobs (ended_at) WHERE ended_at IS NOT NULL;

-- only: postgresql
CREATE INDEX fleet_jobs_running ON fleet_jobs (queue_id) WHERE state = 'running';

-- What a run was after its last node, and the contents of its work tree: another machine goes on with it.
-- only: postgresql
CREATE TABLE fleet_runs (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES fleet_jobs (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    work TEXT NOT NULL
);

-- only: postgresql
CREATE TABLE fleet_results (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES fleet_jobs (id) ON DELETE CASCADE,
    patch TEXT NOT NULL,
    report TEXT NOT NULL,
    run_end TEXT NOT NULL
);

-- Frames of the runs, some in a row: a JSON object a line.
-- only: postgresql
CREATE TABLE fleet_log (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id TEXT NOT NULL REFERENCES fleet_jobs (id) ON DELETE CASCADE,
    frames TEXT NOT NULL
);

-- only: postgresql
CREATE INDEX fleet_log_of_job ON fleet_log (job_id, id);

-- The newest number of each label in the queue: see `core/fleet/fair_order`.
-- only: postgresql
CREATE TABLE fleet_labels (
    priority INTEGER NOT NULL,
    label TEXT NOT NULL,
    newest BIGINT NOT NULL,
    PRIMARY KEY (priority, label)
);

-- only: postgresql
CREATE TABLE fleet_workers (
    name TEXT NOT NULL PRIMARY KEY,
    host TEXT NOT NULL,
    pid BIGINT NOT NULL,
    slots INTEGER NOT NULL,
    labels TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL
);

-- only: postgresql
CREATE TABLE fleet_servers (
    url TEXT NOT NULL PRIMARY KEY,
    models TEXT NOT NULL,
    slots INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    down_until DOUBLE PRECISION NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT ''
);

-- Calls that have a slot of a server, or wait for one. One whose worker died ends at `expires_at`.
-- only: postgresql
CREATE TABLE fleet_slots (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL REFERENCES fleet_servers (url) ON DELETE CASCADE,
    label TEXT NOT NULL,
    worker TEXT NOT NULL,
    granted BOOLEAN NOT NULL DEFAULT FALSE,
    expires_at DOUBLE PRECISION NOT NULL
);

-- only: postgresql
CREATE INDEX fleet_slots_of_server ON fleet_slots (server, seq);
