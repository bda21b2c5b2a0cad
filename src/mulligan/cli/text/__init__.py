"""What is said to people: sentences, help, exports. Pure."""
