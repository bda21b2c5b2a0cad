"""Warm ACP: an agent that stays, spoken to over its standard input and output by the Agent Client Protocol.

`backend` is the way in. `link` is one live process and the SDK's connection over its pipes, `sessions` opens sessions
over it, `turn` is one prompt, `messages`, `updates` and `permissions` read what the agent sends, and `client` answers
what it asks.

The SDK takes a second to import: only `backend` and `messages` can be imported without it.
"""

from mulligan.backends.acp.backend import AcpBackend

__all__ = ["AcpBackend"]
