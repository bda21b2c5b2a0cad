"""Changing a project: staged, merged, applied, taken back; the only writes into a person's files."""
