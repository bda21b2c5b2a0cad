CREATE TABLE fix_runs (
    id TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    seq BIGINT NOT NULL,
    state TEXT NOT NULL,
    -- The process that works on it. Empty when none does, because it ended or was let go.
    owner TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (project, seq)
);

CREATE TABLE run_counters (
    project TEXT NOT NULL PRIMARY KEY,
    next_seq BIGINT NOT NULL
);
