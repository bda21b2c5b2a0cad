"""One shot: an agent that runs as a command, once per turn.

`backend` is the entry point, `turn` is one run of the command, `turn_reader` joins its lines. One module per format
parses the lines.
"""

from mulligan.backends.one_shot.backend import OneShotBackend

__all__ = ["OneShotBackend"]
