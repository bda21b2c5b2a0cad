"""The proxy's decisions about another agent's conversation: whether it loops, whether a reply is usable, what fits into
the context."""
