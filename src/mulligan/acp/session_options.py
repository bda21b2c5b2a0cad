"""What a client can switch in a session: the mode and the model. Imports the SDK."""

from collections.abc import Iterable
from typing import Literal

from acp.schema import SessionConfigOptionSelect, SessionConfigSelectOption, SessionMode, SessionModeState

Mode = Literal["ask", "edit", "fix"]
MODES: dict[Mode, tuple[str, str]] = {
    "ask": ("Ask", "Answers questions. Reads only."),
    "edit": ("Edit", "Changes code. Every change stays pending until you approve it."),
    "fix": ("Fix", "Your message is a goal: plans, edits and runs the project's own tests, at most three attempts."),
}

MODE, MODEL = "mode", "model"
AUTOMATIC = "automatic"
"""Mulligan chooses the model: by settings and agents, else a server on this machine, else the embedded one."""


def mode_state(mode: Mode) -> SessionModeState:
    """The modes, for clients that support no other options."""
    modes = [SessionMode(id=key, name=name, description=words) for key, (name, words) in MODES.items()]
    return SessionModeState(current_mode_id=mode, available_modes=modes)


def config_options(mode: Mode, model: str | None, offered: Iterable[str]) -> list[SessionConfigOptionSelect]:
    """`model` is the current choice, `offered` the known models."""
    modes = [SessionConfigSelectOption(value=key, name=name, description=words) for key, (name, words) in MODES.items()]
    names = dict.fromkeys([model, *offered] if model else offered)
    models = [
        SessionConfigSelectOption(
            value=AUTOMATIC, name="Automatic", description="From your settings, or found on this machine"
        ),
        *(SessionConfigSelectOption(value=name, name=name) for name in names),
    ]
    return [
        SessionConfigOptionSelect(
            id=MODE, name="Mode", category="mode", type="select", current_value=mode, options=modes
        ),
        SessionConfigOptionSelect(
            id=MODEL, name="Model", category="model", type="select", current_value=model or AUTOMATIC, options=models
        ),
    ]
