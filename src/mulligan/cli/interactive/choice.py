"""One key for an answer. Importing this loads prompt-toolkit."""

from collections.abc import Mapping

from prompt_toolkit import PromptSession


async def choose(question: str, answers: Mapping[str, str], *, default: str) -> str:
    """The key that the person chose; Enter means the default. Raises `KeyboardInterrupt` for Ctrl-C or Ctrl-D.

    An answer may be typed in full or by its key.
    """
    offered = ", ".join(f"[{key}]{word.removeprefix(key)}" for key, word in answers.items())
    session: PromptSession[str] = PromptSession(f"{question} {offered} ({default}) ")
    while True:
        try:
            # Its own handler would take the place of the one that aborts the turn, and not give it back.
            typed = (await session.prompt_async(handle_sigint=False)).strip().lower()
        except EOFError as error:
            raise KeyboardInterrupt from error
        chosen = read_choice(typed, answers, default=default)
        if chosen:
            return chosen


def read_choice(typed: str, answers: Mapping[str, str], *, default: str) -> str | None:
    """The key that was meant; None if it is none of them."""
    if not typed:
        return default
    return next((key for key, word in answers.items() if typed in (key, word)), None)
