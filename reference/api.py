"""The page of the HTTP API."""

from collections.abc import Mapping
from typing import Any

from mulligan.server.errors import REFUSALS
from reference.described import API, body_table, described, homes, referring, section
from reference.markdown import bullets, code, link, one_line, table
from reference.schemas import default_words, value_words, without_null

Operation = Mapping[str, Any]

REFUSED = {
    400: "what was asked can't be done like this: a wrong name, no git repository, an agent that is not installed",
    401: "the token is missing or wrong, where one is asked for",
    403: "the `Host`, the `Origin` or the site that a browser names is none of those allowed",
    404: "there is no such route, project, chat, change, checkpoint or run here",
    405: "the route is there, but not for this method",
    409: "a turn is under way in that chat",
    413: "the body is too large",
    415: "the body does not say that it is JSON",
    422: "the request is not of the right form",
    429: "too many requests; `Retry-After` says when to come back",
    502: "a model server, an external agent or another program failed",
    503: "the database failed",
}
"""By status, for all that the server names as refusals."""

INTRO = """\
What `mulligan serve` answers, under its address. [The guide](../server.md) says who may come in and how frames are
followed. `GET /api/openapi.json` gives the same as a file. Bodies and answers are JSON. What stands in braces is an id.
`/api/socket` is a WebSocket, and sends [these messages](frames.md#messages-of-the-socket)."""


ANSWERS = """\
The objects that routes answer with. Those that frames hold too stand
[with the frames](frames.md#what-frames-are-made-of)."""


def blocks() -> list[str]:
    bodies = _bodies()
    answers = [name for name, page in homes().items() if page == API and name not in bodies]
    made = [
        INTRO,
        _contents(),
        "## Refusals",
        'Every route may refuse, with the body `{"error": "words for a person"}`:',
        table(("status", "meaning"), ((str(status), REFUSED[status]) for status in REFUSALS)),
    ]
    for tag, routes in _by_tag().items():
        made.append(f"## {tag.capitalize()}")
        for route, operation in routes.items():
            made += _route(route, operation)
    made += ["## Answers", ANSWERS]
    for name in answers:
        made += section(name, API)
    return made


def _contents() -> str:
    rows = [
        (link(code(route), "", route), _brief(operation))
        for routes in _by_tag().values()
        for route, operation in routes.items()
    ]
    return table(("route", "what it does"), rows)


def _route(route: str, operation: Operation) -> list[str]:
    parameters = [
        (
            code(each["name"]),
            value_words(without_null(each["schema"])),
            default_words(each["schema"], required=each["required"]),
            each.get("description", ""),
        )
        for each in operation.get("parameters", ())
        if each["in"] != "path"
    ]
    body = _body(operation)
    return [
        f"### {code(route)}",
        _about(operation),
        table(("parameter", "value", "if left out", "meaning"), parameters),
        f"The body:\n\n{body_table(body, API)}" if body else "",
        bullets(f"{status}: {_answer(each)}" for status, each in operation["responses"].items() if int(status) < 400),
    ]


def _about(operation: Operation) -> str:
    return operation.get("description") or f"{operation['summary'].capitalize()}."


def _brief(operation: Operation) -> str:
    """Its name, and the first sentence on it: some sentences say little without the name."""
    name = operation["summary"].capitalize()
    sentence = one_line(operation.get("description", "")).partition(". ")[0].rstrip(".")
    return f"{name}: {sentence}" if sentence else name


def _answer(response: Mapping[str, Any]) -> str:
    content = response.get("content", {})
    if not content:
        return "no body"
    kind, described = next(iter(content.items()))
    return value_words(described["schema"], referring(API)) if kind == "application/json" else f"`{kind}`"


def _body(operation: Operation) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    return content["application/json"]["schema"]["$ref"].rpartition("/")[2] if content else ""


def _bodies() -> set[str]:
    return {_body(operation) for routes in _by_tag().values() for operation in routes.values()}


def _by_tag() -> dict[str, dict[str, Operation]]:
    """In the order in which the server has them."""
    found: dict[str, dict[str, Operation]] = {}
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            found.setdefault(operation["tags"][0], {})[f"{method.upper()} {path}"] = operation
    return found
