"""Builds the real objects from settings and picks who answers. The only room that names concrete classes."""
