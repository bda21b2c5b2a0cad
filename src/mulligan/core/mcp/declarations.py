"""The servers that files declare: tables of `mulligan.toml`, `.mcp.json` and `.vscode/mcp.json`."""

import hashlib
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from posixpath import basename
from typing import Any, cast

from mulligan.core.tool_calls.names import presentable
from mulligan.core.visible_text import visible_name
from mulligan.types.mcp import DeclaredServer, McpServer
from mulligan.types.tool_calls import JsonObject

MAX_SERVERS = 50
MAX_TIMEOUT_SECONDS = 3600

MAX_WORDS = 500
"""Words of a declaration to look up as file names."""
MAX_PATH_CHARS = 4096
_RUNNERS = {
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "bunx"), ("package.json",)),
    "deno": ("deno.json", "deno.jsonc", "package.json"),
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("uv", "uvx", "poetry", "pdm", "hatch"), ("pyproject.toml",)),
}
"""Programs that run what a file in the folder defines, and that file."""
ENTRIES = (
    "__main__.py",
    "__init__.py",
    "index.js",
    *dict.fromkeys(name for names in _RUNNERS.values() for name in names),
)
"""Files that are run if a declaration names a folder."""

_KEYS = {"command", "args", "env", "url", "headers", "timeout"}
_TEXT = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENT = re.compile(rf"{_TEXT}|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_TEXT}|,(?=\s*+[}}\]])", re.DOTALL)
"""An unclosed string or comment reaches to the end of the file: it is an error either way."""
_WORD = re.compile(r"[\w./+-]+")
_NAME = re.compile(r"[\w][\w.-]{0,63}")
_VARIABLE = re.compile(
    r"\$\{(?:env:)?(?P<name>\w{1,100}+)(?::-(?P<default>[^}]{0,200}))?\}|\$\{(?P<other>[^}]{0,200})\}"
)


def servers_of_json(text: str, key: str, origin: str) -> tuple[McpServer, ...]:
    """The servers under a key of a JSON file, which may have comments as in editors' files. Raises `ValueError` if it
    can't be read."""
    plain = _TRAILING_COMMA.sub(_unless_text, _COMMENT.sub(_unless_text, text))
    try:
        whole = json.loads(plain)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    found = cast("JsonObject", whole).get(key, {}) if isinstance(whole, dict) else None
    if not isinstance(found, dict):
        raise ValueError(f'it has no object "{key}"')  # noqa: TRY004  as of other text that makes no sense
    return read_servers(cast("JsonObject", found), origin, strict=False)


def read_servers(
    tables: Mapping[str, Any], origin: str, *, personal: bool = False, strict: bool = True
) -> tuple[McpServer, ...]:
    """One server per table; an invalid one carries its problem.

    Files of other tools are not read strictly, since they have keys that mean nothing here. In ours, an unknown key is
    a typo.
    """
    named = list(tables.items())[:MAX_SERVERS]
    return tuple(_server(McpServer(str(name), origin, personal), table, strict=strict) for name, table in named)


def _server(server: McpServer, table: Any, *, strict: bool) -> McpServer:
    name = server.name
    if not _NAME.fullmatch(name):
        return replace(server, name=presentable(name), problem="its name may only have letters, digits and -_.")
    if not isinstance(table, dict):
        return replace(server, problem="it is not a table")
    values = cast("JsonObject", table)
    if problem := _problem(values, strict=strict):
        return replace(server, problem=problem)
    command = values.get("command") or ""
    return replace(
        server,
        command=(command, *values.get("args", ())) if command else (),
        env=_texts(values.get("env", {})),
        url=values.get("url") or "",
        headers=_texts(values.get("headers", {})),
        timeout=float(values.get("timeout", server.timeout)),
    )


def _problem(values: JsonObject, *, strict: bool) -> str:
    unknown = sorted(values.keys() - _KEYS)
    if strict and unknown:
        return f"{unknown[0]} is not a setting of a server; these are: {', '.join(sorted(_KEYS))}"
    for key, kind, words in (("command", str, "text"), ("url", str, "text"), ("args", list, "a list")):
        if not isinstance(values.get(key, kind()), kind):
            return f"{key} must be {words}"
    for key in ("env", "headers"):
        if not isinstance(values.get(key, {}), dict):
            return f"{key} must be a table"
    if not all(isinstance(each, str) for each in values.get("args", ())):
        return "args must be a list of texts"
    timeout = values.get("timeout", 60)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= MAX_TIMEOUT_SECONDS:
        return f"timeout must be seconds, at most {MAX_TIMEOUT_SECONDS}"
    if bool(values.get("command")) == bool(values.get("url")):
        return "say either command, for a program to start, or url, for an address"
    if values.get("type") == "sse":
        return "it speaks SSE, the older protocol, which Mulligan does not: look for its streamable HTTP address"
    if values.get("url") and not re.match(r"https?://", values["url"]):
        return "url must begin with http:// or https://"
    return ""


def with_variables(server: McpServer, environ: Mapping[str, str], project: str) -> McpServer:
    """The server with `${VARIABLE}` replaced by values. A variable without a value becomes its problem."""
    known = {**environ, "workspaceFolder": project}
    missing: list[str] = []

    def value(match: re.Match[str]) -> str:
        name = match["name"] or match["other"]
        if match["other"] or (name not in known and match["default"] is None):
            missing.append(name)
            return ""
        return known.get(name, match["default"] or "")

    def filled(text: str) -> str:
        return _VARIABLE.sub(value, text)

    whole = replace(
        server,
        command=tuple(map(filled, server.command)),
        env={name: filled(text) for name, text in server.env.items()},
        url=filled(server.url),
        headers={name: filled(text) for name, text in server.headers.items()},
    )
    if not missing:
        return whole
    asks = next((each for each in missing if each.startswith("input:")), None)
    if asks:
        problem = f"it asks for ${{{asks}}}, as editors do: set the server in your own mulligan.toml instead"
    else:
        problem = f"{missing[0]} is not set in the environment"
    return replace(server, problem=problem)


def command_or_address(declared: DeclaredServer) -> str:
    """The command it starts, or the address it connects to."""
    return visible_name(declared.server.url or shlex.join(declared.server.command))


def described(declared: DeclaredServer) -> str:
    """Everything that the user approves, line by line."""
    server = declared.server
    lines = [f"{server.name}, declared in {server.origin}" + (f": {declared.why}" if declared.why else "")]
    how = "connects to" if server.url else "runs, with your rights and outside the sandbox"
    lines.append(f"  {how}: {command_or_address(declared)}")
    lines += [f"  sets {visible_name(name)}={visible_name(value)}" for name, value in server.env.items()]
    lines += [f"  sends {visible_name(name)}: {visible_name(value)}" for name, value in server.headers.items()]
    lines += [f"  is given your variable {name}" for name in variables(server)]
    return "\n".join(lines)


def variables(server: McpServer) -> tuple[str, ...]:
    """The names of the user's variables whose values the server gets."""
    texts = (*server.command, *server.env.values(), server.url, *server.headers.values())
    named = [match["name"] for text in texts for match in _VARIABLE.finditer(text) if match["name"]]
    return tuple(dict.fromkeys(name for name in named if name != "workspaceFolder"))


def named_files(server: McpServer) -> tuple[str, ...]:
    """Possible paths of files and folders in a declaration: words of its command and variables, parts of words
    (`sh -c "./run.sh"`, `--import=./x.mjs`), modules (`python -m tools.mcp`), and what `npm run` and the like read."""
    texts = (*server.command, *server.env.values())
    words = dict.fromkeys(
        word for text in texts for word in (text, *_WORD.findall(text)) if len(word) <= MAX_PATH_CHARS
    )
    names: dict[str, None] = {}
    for word in list(words)[:MAX_WORDS]:
        module = word.replace(".", "/")
        names |= dict.fromkeys((word, f"{word}.js", module, f"{module}.py", *_RUNNERS.get(basename(word), ())))
    return tuple(names)


def fingerprint(server: McpServer, contents: Mapping[str, str]) -> str:
    """A hash of what the user trusts: the declaration as written, and the project's files that it names."""
    settings = [server.command, sorted(server.env.items()), server.url, sorted(server.headers.items())]
    return hashlib.sha256(json.dumps([server.name, settings, sorted(contents.items())]).encode()).hexdigest()


def editor_server(
    sent: McpServer, of_project: Sequence[McpServer], environ: Mapping[str, str], project: str
) -> tuple[McpServer, McpServer]:
    """A server that an editor sends, and the declaration that the user has to trust for it.

    If the project's own files declare the same server, it counts as the project's: the editor may only have filled in
    variables or the program's full path. With other variables or headers, it has to be trusted separately. A server
    that only the editor declares counts as the user's own.
    """
    for declared in of_project:
        filled = with_variables(declared, environ, project)
        if not filled.problem and (filled.command, filled.url) == (sent.command, sent.url):
            origin = f"{declared.origin}, sent by your editor"
            counts = replace(sent, name=declared.name, origin=origin, personal=False)
            same = (filled.env, filled.headers) == (sent.env, sent.headers)
            return counts, declared if same else counts
    if any(declared.name == sent.name for declared in of_project):
        sent = replace(sent, personal=False)
    return sent, sent


def hidden_by(servers: Sequence[McpServer]) -> Mapping[int, str]:
    """By index: the file that declares the same name first, and so counts."""
    first: dict[str, str] = {}
    hidden: dict[int, str] = {}
    for index, server in enumerate(servers):
        if server.name in first:
            hidden[index] = first[server.name]
        else:
            first[server.name] = server.origin
    return hidden


def _texts(table: JsonObject) -> dict[str, str]:
    return {str(name): value if isinstance(value, str) else json.dumps(value) for name, value in table.items()}


def _unless_text(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith('"') else ""
