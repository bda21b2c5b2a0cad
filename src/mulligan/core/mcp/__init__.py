"""MCP servers: what files declare, which tools a model sees, what may be called, what a server answers."""
