CREATE TABLE chats (
    id TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    title TEXT NOT NULL,
    agent TEXT NOT NULL,
    next_seq BIGINT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX chats_of_project ON chats (project, updated_at);
