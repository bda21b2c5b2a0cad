"""Making room in a full context: what is hidden, what is summed up, and what a summary must hold. Pure."""
