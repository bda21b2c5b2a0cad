"""Finding what a question is about: its terms, the files that hold them, and excerpts that fit a budget."""
