"""A question answered with one key. Importing this loads prompt-toolkit."""

from collections.abc import Mapping

from prompt_toolkit import PromptSession


async def choose(question: str, answers: Mapping[str, str], *, default: str) -> str:
    """The chosen key; Enter means the default. Raises `KeyboardInterrupt` for Ctrl-C or Ctrl-D.

    The user can type an answer in full or its key.
    """
    offered = ", ".join(f"[{key}]{word.removeprefix(key)}" for key, word in answers.items())
    session: PromptSession[str] = PromptSession(f"{question} {offered} ({default}) ")
    while True:
        try:
            # Its own handler would replace the one that aborts the turn, and not restore it.
            typed = (await session.prompt_async(handle_sigint=False)).strip().lower()
        except EOFError as error:
            raise KeyboardInterrupt from error
        chosen = read_choice(typed, answers, default=default)
        if chosen:
            return chosen


def read_choice(typed: str, answers: Mapping[str, str], *, default: str) -> str | None:
    """The key that was meant, or None."""
    if not typed:
        return default
    return next((key for key, word in answers.items() if typed in (key, word)), None)
