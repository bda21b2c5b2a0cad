"""What a small model is shown of a failing test, the narrow questions it is asked, and how its answers are used."""
