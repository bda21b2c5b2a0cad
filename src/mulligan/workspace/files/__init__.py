"""Reads a project: paths that stay inside it, text, listings, searches, all including staged changes."""
