CREATE TABLE parts (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    place BIGINT NOT NULL CHECK (place >= 0),
    kind TEXT NOT NULL
        CHECK (kind IN ('text', 'tool_call', 'tool_result', 'reasoning', 'step_start', 'synthesis')),
    body TEXT NOT NULL,
    PRIMARY KEY (message_id, place)
);
