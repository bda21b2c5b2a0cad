"""Decisions, as pure functions: no I/O, no async, no clock, no logging."""
