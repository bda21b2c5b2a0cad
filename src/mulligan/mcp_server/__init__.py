"""`mulligan mcp`: Mulligan's tools for other agents, over MCP. Importing `serving` loads the SDK."""
