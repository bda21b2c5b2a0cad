"""Everything that Mulligan stores, in SQLite or PostgreSQL: chats, messages, pending changes, checkpoints, fix runs,
fleets."""
