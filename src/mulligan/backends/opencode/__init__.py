"""opencode's own HTTP server: one process that works in many folders at once.

`backend` is the entry point. `server` is the process, `api` its endpoints, `feed` its event stream; `turn` is one
prompt, `turn_reader` and `permissions` parse what the server reports.
"""

from mulligan.backends.opencode.backend import OpencodeBackend

__all__ = ["OpencodeBackend"]
