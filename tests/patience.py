"""How long tests wait for what should take a moment."""

PATIENCE = 120
"""Seconds, on a machine that is busy with other things. Only a test that fails waits for them."""
