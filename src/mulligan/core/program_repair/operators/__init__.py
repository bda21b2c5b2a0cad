"""Small changes to a place, each undoing one kind of slip."""
