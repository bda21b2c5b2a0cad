"""The commands that can be typed in `mulligan chat`."""

COMMANDS: dict[str, str] = {
    "/help": "what can be typed here",
    "/agent": "who answers; with a name, someone else does from now on",
    "/model": "the model that is asked; with a name, another one from now on",
    "/continue": "go on with a turn that a guard stopped",
    "/compact": "sum up the chat so far, to make room for more",
    "/changes": "look at the pending changes",
    "/new": "begin a new chat",
    "/quit": "leave; the chat is kept",
}
