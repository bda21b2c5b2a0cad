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
    typer.Option("--model", metavar="NAME", help="The model to use; embedded:NAME needs no server."),
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
        help="The agent that answers; `mulligan agents` lists them.",
        autocompletion=complete_agents,
    ),
]
ChatOption = Annotated[
    str | None,
    typer.Option(
        "--chat",
        metavar="ID",
        help="Continue this chat: its id, or the start of it. `mulligan chats` lists them.",
        autocompletion=complete_chats,
    ),
]
ContinueOption = Annotated[
    bool, typer.Option("--continue", help="Continue the --chat that a guard stopped, with a fresh budget.")
]
ProtocolOption = Annotated[
    ToolProtocol | None,
    typer.Option("--protocol", help="How to call tools. By default, what works with the model."),
]
ImageOption = Annotated[
    list[Path] | None,
    typer.Option("--image", metavar="FILE", help="Attach an image, for a model that accepts them. Repeatable."),
]
AgencyOption = Annotated[
    Agency | None,
    typer.Option(
        "--agency", help="Who drives: the model (agent) or Mulligan (guided). By default, the model's ability decides."
    ),
]
ThinkingOption = Annotated[
    Thinking | None,
    typer.Option("--thinking", help="Whether the model thinks before it answers. By default, as the model does."),
]
NetworkOption = Annotated[
    bool | None,
    typer.Option("--network", help="Let commands use the network this time. `mulligan sandbox` allows it permanently."),
]
DownloadYesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Download the embedded model without asking, if it is needed.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object per line instead of text.")]
