"""The command that runs an external agent: its template with the model, the prompt and the session filled in."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import ConfigurationError

PROMPT = "{prompt}"
MODEL = "{model}"
SESSION = "{session}"

_HOLES = re.compile("|".join(map(re.escape, (PROMPT, MODEL, SESSION))))


class AgentCommand(NamedTuple):
    argv: list[str]
    env: dict[str, str]
    """Variables to add to the user's environment."""


def command_of(
    agent: ExternalAgent,
    model: str | None,
    prompt: str | None = None,
    session: str | None = None,
    *,
    new_session: bool = False,
) -> AgentCommand:
    """The command, then the model's arguments, then those that continue a session, in this order.

    `new_session`: we choose the session's id, and the agent does not know it yet; see `chooses_session`. Raises
    `ConfigurationError` if a model was chosen and the agent has no option for it.
    """
    if model is not None and not (agent.model_args or agent.model_env):
        raise ConfigurationError(
            f"the agent {agent.name} can't be told a model: choose it in the agent's own settings, "
            f"or give {agent.name} model_args or model_env in mulligan.toml"
        )
    given = {PROMPT: prompt, MODEL: model, SESSION: session}
    values = {hole: value for hole, value in given.items() if value is not None}
    parts = [
        *agent.command,
        *(agent.model_args if model is not None else ()),
        *(agent.resume_args if session is not None and not new_session else ()),
    ]
    env = agent.env if model is None else {**agent.env, **agent.model_env}
    return AgentCommand(
        [_filled(part, values) for part in parts],
        {name: _filled(value, values) for name, value in env.items()},
    )


def takes_prompt_on_stdin(agent: ExternalAgent) -> bool:
    return not any(PROMPT in part for part in agent.command)


def chooses_session(agent: ExternalAgent) -> bool:
    """Whether we choose a new session's id, because the agent never reports its own."""
    return any(SESSION in part for part in agent.command)


def _filled(part: str, values: Mapping[str, str]) -> str:
    # In one pass: a {session} in the prompt itself stays as typed. A placeholder without a value stays too.
    return _HOLES.sub(lambda hole: values.get(hole[0], hole[0]), part)
