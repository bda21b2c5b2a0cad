"""Diffs of a repository: parsed from git's output, cut to a model's context, used for commit messages and reviews."""
