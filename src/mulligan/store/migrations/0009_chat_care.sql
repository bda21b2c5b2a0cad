-- What people do with chats: pin, delete and take that back, fork, look for words, and write ahead of a turn.
ALTER TABLE chats ADD COLUMN pinned_at DOUBLE PRECISION;

-- Hidden from then on. The sweeper deletes it for good some days later.
ALTER TABLE chats ADD COLUMN deleted_at DOUBLE PRECISION;

CREATE INDEX chats_deleted ON chats (deleted_at) WHERE deleted_at IS NOT NULL;

-- Messages that wait until the turn under way has ended.
CREATE TABLE queued_messages (
    id TEXT NOT NULL PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    text TEXT NOT NULL,
    agent TEXT,
    model TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (chat_id, seq)
);

-- The words of each message, once each, as the search looks for them. Filled when somebody searches.
-- only: sqlite
CREATE TABLE message_words (
    id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    words TEXT NOT NULL
);

-- only: sqlite
CREATE VIRTUAL TABLE message_word_index
    USING fts5 (words, content = 'message_words', content_rowid = 'id', detail = 'none');

-- only: sqlite
CREATE TRIGGER message_words_added AFTER INSERT ON message_words
    BEGIN INSERT INTO message_word_index (rowid, words) VALUES (new.id, new.words); END;

-- only: sqlite
CREATE TRIGGER message_words_removed AFTER DELETE ON message_words
    BEGIN INSERT INTO message_word_index (message_word_index, rowid, words) VALUES ('delete', old.id, old.words); END;

-- only: postgresql
CREATE TABLE message_words (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    words TEXT NOT NULL
);

-- only: postgresql
CREATE INDEX message_word_index ON message_words USING gin (array_to_tsvector(string_to_array(words, ' ')));
