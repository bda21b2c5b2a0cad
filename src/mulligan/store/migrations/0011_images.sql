-- Images of messages, each once, by the digest of its bytes. Messages name them in their metadata.
CREATE TABLE images (
    digest TEXT NOT NULL PRIMARY KEY,
    about TEXT NOT NULL,
    -- Base64, as models are sent it.
    data TEXT NOT NULL,
    kept_at DOUBLE PRECISION NOT NULL
);

ALTER TABLE queued_messages ADD COLUMN images TEXT NOT NULL DEFAULT '[]';
