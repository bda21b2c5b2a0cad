"""One shot: an agent that runs as a command, once a turn.

`backend` is the way in, `turn` is one run of the command, `turn_reader` joins its lines. One module a format reads
what a line says.
"""

from mulligan.backends.one_shot.backend import OneShotBackend

__all__ = ["OneShotBackend"]
