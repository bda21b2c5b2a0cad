-- A chat that a fix run holds with its coder, not a person.
ALTER TABLE chats ADD COLUMN run_id TEXT;
