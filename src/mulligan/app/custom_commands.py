"""The user's own commands, found in files. They become a message only when the user types their name."""

from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.custom_commands import CustomCommand, expand, parse_slash_command, read_command
from mulligan.types.errors import ConfigurationError
from mulligan.workspace.files.prompt_files import prompt_files, read_prompt_file

if TYPE_CHECKING:
    from mulligan.app.session import Session


def custom_commands(session: "Session", project: Path) -> dict[str, CustomCommand]:
    """All readable commands, by name."""
    found: dict[str, CustomCommand] = {}
    for file in prompt_files("commands", project, session.settings.home):
        try:
            text = read_prompt_file(file, session.mask)
        except OSError:  # reported when somebody types its name
            continue
        found[file.name] = read_command(file.name, text, file.source)
    return found


def expand_custom_command(session: "Session", project: Path, prompt: str) -> str:
    """The message that a slash command expands to; other text stays as it is. Raises `ConfigurationError` for a command
    that can't be read."""
    parsed = parse_slash_command(prompt)
    files = prompt_files("commands", project, session.settings.home) if parsed else []
    file = next((each for each in files if parsed and each.name == parsed[0]), None)
    if parsed is None or file is None:
        return prompt
    try:
        command = read_command(file.name, read_prompt_file(file, session.mask), file.source)
    except OSError as error:
        raise ConfigurationError(f"the command /{file.name} can't be read ({file.source}): {error}") from error
    message = expand(command, parsed[1])
    for note in message.notes:
        session.announce_once(note)
    if not message.text:
        raise ConfigurationError(f"the command /{file.name} is empty: write its message into {file.source}")
    return message.text
