-- The agent's own id of its session, by which a later process goes on in it.
ALTER TABLE sessions ADD COLUMN backend_session TEXT;
