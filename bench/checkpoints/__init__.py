"""Checkpoints: random histories that must not lose anything, and what checkpoints and restores cost."""
