"""A second corpus of drifted edits, made apart from the first and from the code that places edits."""
