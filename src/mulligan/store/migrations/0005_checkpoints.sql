CREATE TABLE worktrees (
    id TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    path TEXT NOT NULL,
    base_commit TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX worktrees_of_project ON worktrees (project);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    -- The place among the sessions of its chat.
    seq BIGINT NOT NULL,
    agent TEXT NOT NULL,
    worktree_id TEXT REFERENCES worktrees (id) ON DELETE SET NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'closed', 'crashed')),
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (chat_id, seq)
);

CREATE INDEX sessions_of_worktree ON sessions (worktree_id);

CREATE TABLE checkpoints (
    id TEXT NOT NULL PRIMARY KEY,
    root TEXT NOT NULL,
    seq BIGINT NOT NULL,
    commit_id TEXT NOT NULL,
    label TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('manual', 'turn', 'safety')),
    chat_id TEXT REFERENCES chats (id) ON DELETE CASCADE,
    session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    worktree_id TEXT REFERENCES worktrees (id) ON DELETE SET NULL,
    message_id TEXT REFERENCES messages (id) ON DELETE SET NULL,
    -- Where the chat is trimmed. It outlives the message, which a restore takes away.
    anchor_seq BIGINT,
    -- 1 for one that a restore took away: nobody sees it, and an undo brings it back.
    set_aside BIGINT NOT NULL CHECK (set_aside IN (0, 1)),
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (root, seq)
);

CREATE INDEX checkpoints_of_chat ON checkpoints (chat_id);

-- For sessions, work trees and messages that are deleted.
CREATE INDEX checkpoints_of_session ON checkpoints (session_id);
CREATE INDEX checkpoints_of_worktree ON checkpoints (worktree_id);
CREATE INDEX checkpoints_of_message ON checkpoints (message_id);

CREATE TABLE checkpoint_counters (
    root TEXT NOT NULL PRIMARY KEY,
    next_seq BIGINT NOT NULL
);

CREATE TABLE restores (
    id TEXT NOT NULL PRIMARY KEY,
    root TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    safety_id TEXT NOT NULL UNIQUE,
    -- Both checkpoints as they were when it began: files can be finished though a chat was deleted, and they with it.
    checkpoint TEXT NOT NULL,
    safety TEXT NOT NULL,
    trim_from BIGINT,
    owner TEXT NOT NULL,
    begun_at DOUBLE PRECISION NOT NULL,
    -- Empty while it is under way.
    result TEXT
);

CREATE INDEX restores_of_root ON restores (root);

-- A work tree is restored by one at a time.
CREATE UNIQUE INDEX restores_under_way ON restores (root) WHERE result IS NULL;

-- What a restore took out of a chat and what it put back, so that it can be undone.
CREATE TABLE trimmed_chats (
    restore_id TEXT NOT NULL PRIMARY KEY REFERENCES restores (id) ON DELETE CASCADE,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    body TEXT NOT NULL
);

CREATE INDEX trimmed_chats_of_chat ON trimmed_chats (chat_id);

-- The same for checkpoints.
CREATE TABLE checkpoint_moves (
    restore_id TEXT NOT NULL REFERENCES restores (id) ON DELETE CASCADE,
    checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    direction TEXT NOT NULL CHECK (direction IN ('taken', 'brought_back')),
    PRIMARY KEY (restore_id, checkpoint_id)
);

CREATE INDEX checkpoint_moves_of_checkpoint ON checkpoint_moves (checkpoint_id);
