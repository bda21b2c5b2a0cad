"""Frames on their way to pages: envelopes, their numbers, and who listens."""
