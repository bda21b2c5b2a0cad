CREATE TABLE messages (
    id TEXT NOT NULL PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    status TEXT NOT NULL CHECK (status IN ('streaming', 'complete', 'failed', 'cancelled')),
    metadata TEXT NOT NULL,
    step BIGINT,
    owner TEXT,
    beat_at DOUBLE PRECISION NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (chat_id, seq),
    -- What streams belongs to a process, else the sweeper could not tell whether it is left behind.
    CHECK (status <> 'streaming' OR owner IS NOT NULL)
);

-- The sweeper looks at these alone, each minute, however many messages are kept.
CREATE INDEX messages_streaming ON messages (chat_id) WHERE status = 'streaming';
