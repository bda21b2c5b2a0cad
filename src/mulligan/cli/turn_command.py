"""From command-line options to a running turn, shared by `ask`, `chat`, `code`, `delegate` and `fix`."""

import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, fields
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from mulligan.cli.options import (
    AgencyOption,
    AgentOption,
    BaseUrlOption,
    ChatOption,
    ContinueOption,
    DownloadYesOption,
    ImageOption,
    JsonOption,
    ModelOption,
    NetworkOption,
    ProjectOption,
    ProtocolOption,
    ThinkingOption,
)
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.session import Session
    from mulligan.cli.views.turn_views import Viewer
    from mulligan.types.frames import TurnEnd
    from mulligan.types.messages import AttachmentInfo

SETTINGS = ("model", "base_url", "protocol", "agency", "thinking", "network")
"""The options that are also settings."""
TURN = ("project", "model", "base_url", "agent", "protocol", "agency", "thinking", "chat", "go_on", "image", "yes")
"""The options of a turn of one of Mulligan's own agents."""
EDITING_AGENT = "coder"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOptions:
    """Options shared by these commands. Options that a command lacks keep their default."""

    project: ProjectOption = None
    model: ModelOption = None
    base_url: BaseUrlOption = None
    agent: AgentOption = None
    protocol: ProtocolOption = None
    agency: AgencyOption = None
    thinking: ThinkingOption = None
    network: NetworkOption = None
    chat: ChatOption = None
    go_on: ContinueOption = False
    image: ImageOption = None
    yes: DownloadYesOption = False
    json: JsonOption = False

    def configuration(self) -> "Configuration":
        """Raises `ConfigurationError`."""
        from mulligan.app.configuration import load_configuration

        return load_configuration(self.project, {name: getattr(self, name) for name in SETTINGS})

    @property
    def interactive(self) -> bool:
        """Whether a user is at the terminal and can be asked."""
        return at_terminal() and not self.json


def takes(*names: str, **changed: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these fields of `TurnOptions` as options, in place of its parameter `options`, which holds their
    values. `changed` are fields that mean something else for this command, with their types."""

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        known = {each.name: each for each in fields(TurnOptions)}
        shared = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=known[name].default, annotation=known[name].type)
            for name in names
        ]
        shared = [each.replace(annotation=changed.get(each.name, each.annotation)) for each in shared]
        own = signature(command).parameters.values()

        def run(**values: Any) -> None:
            command(options=TurnOptions(**{name: values.pop(name) for name in names}), **values)

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        parameters = [given for each in own for given in (shared if each.name == "options" else [each])]
        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
        return run

    return with_options


def at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def read_prompt(typed: str, *, what: str, example: str, refusal: str = "") -> str:
    """The question or goal; `-` reads it from standard input. Raises `ConfigurationError` if there is none.

    `refusal` says why none is allowed here.
    """
    prompt = sys.stdin.read() if typed == "-" else typed
    if refusal and prompt:
        raise ConfigurationError(refusal)
    if not refusal and not prompt.strip():
        raise ConfigurationError(f"there is no {what}: {example}")
    return prompt


def run_turn(typed: str, options: TurnOptions, *, what: str, example: str, edits: bool = False) -> NoReturn:
    """Run a turn of one of Mulligan's own agents and exit with its code. With `edits`, the user reviews its changes."""
    import asyncio

    refusal = f"--continue needs --chat ID and takes no {what}" if options.go_on else ""
    if options.go_on and (options.image or not options.chat):
        raise ConfigurationError(refusal)
    prompt = read_prompt(typed, what=what, example=example, refusal=refusal)
    raise typer.Exit(asyncio.run(_run(prompt, options, options.configuration(), edits=edits)))


async def _run(prompt: str, options: TurnOptions, configuration: "Configuration", *, edits: bool) -> int:
    """Returns the exit code. Without a prompt, continues the chat's stopped turn."""
    from mulligan.app.open_session import open_session
    from mulligan.app.ready_models import Downloads
    from mulligan.cli.chat_agents import native_agent
    from mulligan.cli.interactive.download_consent import download_consent
    from mulligan.cli.running import show_turn
    from mulligan.cli.text.sentences import FROM_CODE, FROM_SHELL
    from mulligan.cli.views.download_progress import showing_progress
    from mulligan.cli.views.turn_views import viewer_for

    viewer = viewer_for(as_json=options.json, next_steps=FROM_CODE if edits else FROM_SHELL)
    consent = None
    if edits:
        from mulligan.cli.interactive.approval import consent_of

        consent = consent_of(viewer, configuration.settings, yes=options.yes, interactive=options.interactive)
    elif options.interactive and configuration.declares_mcp:
        from mulligan.cli.interactive.approval import consent_of

        # MCP tools may need approval, and --yes only covers downloads here.
        consent = consent_of(viewer, configuration.settings, yes=False, interactive=True)
    elif configuration.settings.permissions:
        from mulligan.app.project_tools import Consent
        from mulligan.cli.interactive.approval import approver

        # Here --yes only covers a download.
        consent = Consent(approve=approver(viewer, "allow it?", yes=False, interactive=options.interactive))
    allow = download_consent(viewer.tell, yes=options.yes, interactive=options.interactive)
    downloads = Downloads(showing_progress, allow)
    async with open_session(configuration, tell=viewer.tell, downloads=downloads) as session:
        chat = await session.store.chats.find(options.chat) if options.chat else None
        by_default = EDITING_AGENT if edits and not chat else None
        agent = native_agent(session, configuration, options.agent or by_default, chat)
        images: tuple[AttachmentInfo, ...] = ()
        if options.image or "@" in prompt:
            from mulligan.app.images import keep_image_files

            images = await keep_image_files(session.store, options.image or (), prompt)
        await session.ready(agent, prompt=prompt, images=images)
        chat = chat or await session.new_chat(prompt, agent)
        if prompt:
            work = session.answer(chat, prompt, agent, viewer, consent, images=images)
        else:
            work = session.continue_turn(chat, agent, viewer, consent)
        if edits:
            return await show_and_review(session, work, viewer, options, interactive=options.interactive)
        return await show_turn(work, viewer)


async def show_and_review(
    session: "Session",
    work: "Coroutine[Any, Any, TurnEnd]",
    viewer: "Viewer",
    options: TurnOptions,
    *,
    interactive: bool,
) -> int:
    """Run the turn, then show the pending changes; with `interactive`, the user reviews them. Returns the exit code."""
    from mulligan.cli.interactive.review import review
    from mulligan.cli.running import show_turn

    exit_code = await show_turn(work, viewer)
    end = viewer.ended
    if end is None or not end.pending or options.json:
        return exit_code
    chat = await session.store.chats.find(end.chat_id)
    return await review(session, chat, viewer, exit_code, interactive=interactive)
