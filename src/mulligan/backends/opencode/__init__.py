"""opencode's own HTTP server: one process that works in many folders at once.

`backend` is the way in. `server` is the process, `api` its endpoints, `feed` the stream of its events; `turn` is one
prompt, `turn_reader` and `permissions` understand what the server tells of it.
"""

from mulligan.backends.opencode.backend import OpencodeBackend

__all__ = ["OpencodeBackend"]
