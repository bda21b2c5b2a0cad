"""Frames on their way to pages: envelopes, their numbers, and the listeners."""
