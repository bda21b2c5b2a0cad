"""Mulligan: a self-hosted coding agent, hardened for weak and local models."""

__version__ = "0.1.0"
