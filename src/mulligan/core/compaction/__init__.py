"""Compacts a full context: what to hide, what to summarise, and what a summary must contain."""
