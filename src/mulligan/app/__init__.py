"""Builds objects from settings and picks who answers. The only package that names concrete classes."""
