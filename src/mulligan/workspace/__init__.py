"""The only access to a project's files, and to the commands that run in it."""
