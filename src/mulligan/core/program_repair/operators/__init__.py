"""Small edits of a site, each undoing one kind of slip."""
