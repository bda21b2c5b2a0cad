"""MCP servers: what files declare, which of their tools a model is told of, what may be called, what comes back."""
