"""How long an agent may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgentTimeouts:
    """In seconds."""

    start: float = 30.0
    """Seconds for the greeting once its process runs. The slowest took 5."""
    session: float = 30.0
    """To open a session."""
    silence: float = 600.0
    """Without any output during a turn. Agents silently retry a failing model, for 45 seconds and more."""
    total: float = 3600.0
    """For a turn, without the time the user took to answer."""
    cancel: float = 5.0
    """To stop after being told to. The slowest that stopped on its own took 13, others never would."""
    end_of_input: float = 3.0
    """To end once its input is closed."""
    terminate: float = 2.0
    """To end after SIGTERM."""
    quiet: float = 30.0
    """Without anything on the event stream of opencode's server, which has a heartbeat every 10. Then it is
    reopened."""


class TurnDeadline:
    """How long a turn may still take. It does not wait itself: it is told the time, and when something happened.

    While the user thinks about a question, no time passes for the agent.
    """

    def __init__(self, limits: AgentTimeouts, now: float) -> None:
        self._limits = limits
        self._last_sign = now
        self._end = now + limits.total
        self._questions = 0
        self._asked_at = now

    def sign(self, now: float) -> None:
        self._last_sign = now

    def question(self, now: float) -> None:
        if not self._questions:
            self._asked_at = now
        self._questions += 1

    def answer(self, now: float) -> None:
        self._questions -= 1
        if not self._questions:
            self._end += now - self._asked_at
            self._last_sign = now

    def next_look(self, now: float) -> float:
        """When to check again whether it is overdue."""
        if self._questions:
            return now + self._limits.silence
        return min(self._last_sign + self._limits.silence, self._end)

    def overdue(self, now: float) -> str | None:
        """Why the agent has to be stopped, in words that follow its name."""
        if self._questions:
            return None
        if now >= self._end:
            return f"was stopped: a turn may take {format_duration(self._limits.total)}"
        if now >= self._last_sign + self._limits.silence:
            return f"was stopped: no output for {format_duration(self._limits.silence)}"
        return None


def format_duration(seconds: float) -> str:
    """`10 minutes`, `1 minute`, `30 seconds`."""
    amount, unit = (seconds / 60, "minute") if seconds >= 60 else (seconds, "second")
    return f"{amount:g} {unit}{'' if amount == 1 else 's'}"
