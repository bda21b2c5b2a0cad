"""Diffs of a repository: read from git's words, cut to a model's context, put into commit messages, reviewed."""
