"""The user's own commands, found in files. They become a message only when the user types their name."""

from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.prompt_commands import PromptCommand, expand, read_command, typed_command
from mulligan.types.errors import ConfigurationError
from mulligan.workspace.files.prompt_files import prompt_files, read_prompt_file

if TYPE_CHECKING:
    from mulligan.app.session import Session


def own_commands(session: "Session", project: Path) -> dict[str, PromptCommand]:
    """All readable ones, by name."""
    found: dict[str, PromptCommand] = {}
    for file in prompt_files("commands", project, session.settings.home):
        try:
            text = read_prompt_file(file, session.mask)
        except OSError:  # reported when somebody types its name
            continue
        found[file.name] = read_command(file.name, text, file.source)
    return found


def expanded(session: "Session", project: Path, prompt: str) -> str:
    """The message that a typed command stands for; other text stays as it is. Raises `ConfigurationError` for a command
    that can't be read."""
    typed = typed_command(prompt)
    files = prompt_files("commands", project, session.settings.home) if typed else []
    file = next((each for each in files if typed and each.name == typed[0]), None)
    if typed is None or file is None:
        return prompt
    try:
        command = read_command(file.name, read_prompt_file(file, session.mask), file.source)
    except OSError as error:
        raise ConfigurationError(f"the command /{file.name} can't be read ({file.source}): {error}") from error
    made = expand(command, typed[1])
    for note in made.notes:
        session.announce_once(note)
    if not made.text:
        raise ConfigurationError(f"the command /{file.name} is empty: write its message into {file.source}")
    return made.text
