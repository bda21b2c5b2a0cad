"""Reading a project: paths that stay inside it, text, listings, searches, with staged changes counted in."""
