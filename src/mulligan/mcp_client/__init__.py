"""MCP servers whose tools models may call: one connection each, the tools that each listed, all of a project together.

The SDK takes about a second to import. Nothing here imports it before a server is needed.
"""
