"""Edits as sloppy models write them, cut from real files, and how many of them are applied right."""
