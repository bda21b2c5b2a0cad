"""Finds what a question is about: its terms, the files that contain them, and excerpts that fit a budget."""
