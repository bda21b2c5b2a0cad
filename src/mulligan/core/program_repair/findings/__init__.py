"""Cheap checks of a source file."""
