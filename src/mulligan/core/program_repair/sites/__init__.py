"""What an operator knows about a place: its statement, its function, and the facts of the project."""
