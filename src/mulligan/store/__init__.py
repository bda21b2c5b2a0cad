"""What is kept: chats, their messages and the parts of those, on SQLite or PostgreSQL."""
