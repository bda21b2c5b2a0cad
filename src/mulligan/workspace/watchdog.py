"""Ends what a command started together with the command and with Mulligan, even if Mulligan is killed."""

from secrets import token_hex

from mulligan.runtime import marked_processes

MARK = "MULLIGAN_COMMAND"


class CommandWatchdog(marked_processes.Watchdog):
    """Ends a command's processes if Mulligan dies before the command."""

    def __init__(self) -> None:
        """Raises `OSError` if it can't be started."""
        # Looks like an address, since addresses are ignored when the results of two calls are compared.
        self.mark = f"0x{token_hex(8)}"
        """The value of `MARK` in the command's environment."""
        super().__init__(f"{MARK}={self.mark}")


def end_marked(mark: str) -> None:
    """End all processes that carry a mark."""
    marked_processes.end_marked(f"{MARK}={mark}", one_look_will_do=True)
