"""How long opencode's server may take."""

from dataclasses import dataclass

from mulligan.backends.acp.limits import Limits


@dataclass(frozen=True, slots=True)
class ServerLimits(Limits):
    """In seconds."""

    start: float = 20.0
    """To listen, once its process runs. It took 2.5, and 7 on a busy machine."""
    quiet: float = 30.0
    """Without anything on the stream of events, on which there is a heartbeat every 10. Then it is opened anew."""
