"""The page of the HTTP API."""

from collections.abc import Mapping
from typing import Any

from mulligan.server.errors import REFUSALS
from reference.described import API, body_table, described, homes, referring, section
from reference.markdown import bullets, code, link, one_line, table
from reference.schemas import default_words, value_words, without_null

Operation = Mapping[str, Any]

REFUSED = {
    400: "the request can't be carried out: a wrong name, no git repository, an agent that is not installed",
    401: "a required token is missing or wrong",
    403: "the `Host`, the `Origin` or the site that the browser reports is not allowed",
    404: "there is no such route, project, chat, change, checkpoint or run here",
    405: "the route does not support this method",
    409: "a turn is running in that chat",
    413: "the body is too large",
    415: "the body is not declared as JSON",
    422: "the request has the wrong format",
    429: "too many requests; `Retry-After` says when to try again",
    502: "a model server, an external agent or another program failed",
    503: "the database failed",
}
"""By status, for all errors that the server documents."""

INTRO = """\
The HTTP API of `mulligan serve`. [The guide](../server.md) explains access control and how to follow frames.
`GET /api/openapi.json` returns the same as a file. Requests and responses are JSON. Names in braces are ids.
`/api/socket` is a WebSocket that sends [these messages](frames.md#messages-of-the-socket)."""


ANSWERS = """\
The objects that routes return. Those that frames contain too are described
[with the frames](frames.md#what-frames-are-made-of)."""


def blocks() -> list[str]:
    bodies = _bodies()
    answers = [name for name, page in homes().items() if page == API and name not in bodies]
    made = [
        INTRO,
        _contents(),
        "## Refusals",
        'Every route may return an error, with the body `{"error": "message for the user"}`:',
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
    """Its name and the first sentence about it: some sentences say little without the name."""
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
    schema: Any = content.get("application/json", {}).get("schema", {})
    return schema["$ref"].rpartition("/")[2] if schema else ""


def _bodies() -> set[str]:
    return {_body(operation) for routes in _by_tag().values() for operation in routes.values()}


def _by_tag() -> dict[str, dict[str, Operation]]:
    """In the server's order."""
    found: dict[str, dict[str, Operation]] = {}
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            found.setdefault(operation["tags"][0], {})[f"{method.upper()} {path}"] = operation
    return found
