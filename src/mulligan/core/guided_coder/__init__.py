"""What a small model is shown of the sources and of a failing test, what it is asked, and how its answers are used."""
