"""Warm ACP: a long-running agent that speaks the Agent Client Protocol over standard input and output.

`backend` is the entry point. `link` is one live process, the SDK's connection over its pipes and its sessions, `turn`
is one prompt, `messages`, `updates` and `permissions` parse what the agent sends, and `client`
answers its requests.

The SDK takes a second to import: only `backend` and `messages` can be imported without it.
"""

from mulligan.backends.acp.backend import AcpBackend

__all__ = ["AcpBackend"]
