"""Models that need no server: their catalog, their files, and the process that serves them."""
