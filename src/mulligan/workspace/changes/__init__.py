"""Stages, merges, applies and reverts changes; the only code that writes to the user's files."""
