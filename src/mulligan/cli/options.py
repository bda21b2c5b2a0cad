"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from mulligan.cli.completion import complete_agents, complete_chats
from mulligan.types.profiles import Agency, ToolProtocol
from mulligan.types.tuning import Thinking

ProjectOption = Annotated[
    Path | None, typer.Option("-C", metavar="DIR", help="Work on the project in DIR instead of here.")
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="The model to ask; embedded:NAME is one that needs no server."),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="The OpenAI-compatible server, such as http://127.0.0.1:8080/v1."),
]
AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="Who answers; `mulligan agents` lists them.",
        autocompletion=complete_agents,
    ),
]
ChatOption = Annotated[
    str | None,
    typer.Option(
        "--chat",
        metavar="ID",
        help="Go on in this chat: its id, or the beginning of it. `mulligan chats` lists them.",
        autocompletion=complete_chats,
    ),
]
ContinueOption = Annotated[
    bool, typer.Option("--continue", help="Go on with the --chat that a guard stopped, with a fresh budget.")
]
ProtocolOption = Annotated[
    ToolProtocol | None,
    typer.Option("--protocol", help="How tools are called. Left out, what the model can do decides."),
]
ImageOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--image", metavar="FILE", help="An image that goes with the message, for a model that takes them. Repeatable."
    ),
]
AgencyOption = Annotated[
    Agency | None,
    typer.Option(
        "--agency", help="Who drives: the model (agent) or Mulligan (guided). Left out, the model's size decides."
    ),
]
ThinkingOption = Annotated[
    Thinking | None,
    typer.Option("--thinking", help="Whether the model thinks before it answers. Left out, its own default."),
]
NetworkOption = Annotated[
    bool | None,
    typer.Option("--network", help="Let commands use the network, this time. `mulligan sandbox` opens it for good."),
]
DownloadYesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Download the embedded model, should it be needed, without asking.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a line instead of text.")]
