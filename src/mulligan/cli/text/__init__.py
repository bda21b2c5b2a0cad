"""Text for people: sentences, help, exports. Pure."""
