CREATE TABLE pending_changes (
    id TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    seq BIGINT NOT NULL,
    -- A change outlives the chat that made it: what it did to a file can still be rewound.
    chat_id TEXT REFERENCES chats (id) ON DELETE SET NULL,
    message_id TEXT REFERENCES messages (id) ON DELETE SET NULL,
    path TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'applied', 'rejected', 'reverted')),
    before_data TEXT,
    before_mode TEXT CHECK (before_mode IN ('100644', '100755', '120000')),
    after_data TEXT,
    after_mode TEXT CHECK (after_mode IN ('100644', '100755', '120000')),
    write_action TEXT CHECK (write_action IN ('apply', 'rewind')),
    write_before_data TEXT,
    write_before_mode TEXT CHECK (write_before_mode IN ('100644', '100755', '120000')),
    write_after_data TEXT,
    write_after_mode TEXT CHECK (write_after_mode IN ('100644', '100755', '120000')),
    write_owner TEXT,
    write_begun_at DOUBLE PRECISION,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (project, seq),
    -- A file has both bytes and a mode; where there is none, there is neither.
    CHECK ((before_data IS NULL) = (before_mode IS NULL)),
    CHECK ((after_data IS NULL) = (after_mode IS NULL)),
    CHECK ((write_before_data IS NULL) = (write_before_mode IS NULL)),
    CHECK ((write_after_data IS NULL) = (write_after_mode IS NULL)),
    -- A write belongs to a process, else nobody could tell whether it was left behind.
    CHECK ((write_action IS NULL) = (write_owner IS NULL)),
    CHECK ((write_action IS NULL) = (write_begun_at IS NULL)),
    CHECK (write_action IS NOT NULL OR (write_before_data IS NULL AND write_after_data IS NULL))
);

CREATE INDEX pending_changes_of_project ON pending_changes (project, status);

-- For chats and messages that are deleted.
CREATE INDEX pending_changes_of_chat ON pending_changes (chat_id);
CREATE INDEX pending_changes_of_message ON pending_changes (message_id);

-- Every command looks first for writes that were left behind, however many changes are kept.
CREATE INDEX pending_changes_in_writing ON pending_changes (project) WHERE write_action IS NOT NULL;

CREATE TABLE change_counters (
    project TEXT NOT NULL PRIMARY KEY,
    next_seq BIGINT NOT NULL
);
