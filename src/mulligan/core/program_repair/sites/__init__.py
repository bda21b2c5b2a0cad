"""What an operator knows about a site: its statement, its function, and the facts of the project."""
