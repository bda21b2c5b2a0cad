"""What the proxy decides about another agent's conversation: whether it goes in circles, what a reply is worth, what
fits into the context."""
