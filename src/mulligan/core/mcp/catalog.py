"""What a model sees of the servers' tools: a few lines in every request, the rest when it searches.

Whatever the servers offer, a model gets two tools: one finds tools, one calls them. Adding found tools to the request
would change its beginning, which a local server would have to read again, and small models choose badly among many
tools. So the request stays the same, and what is found is an ordinary result.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.mcp.schemas import signature, simple_schema
from mulligan.core.safe_text import one_line
from mulligan.core.search_words import asked_words, words_of
from mulligan.core.tool_calls.names import presentable
from mulligan.core.tool_calls.names import words_of as parts_of_name
from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.types.mcp import Catalog, McpTool
from mulligan.types.tool_calls import JsonObject

FIND, USE = "find_tools", "use_tool"

MAX_CHARS = 700
"""Characters of the list that every request carries. With both schemas, under 400 tokens at 3.5 characters each."""
MAX_SHOWN_CHARS = 60
WORDS_IN_REQUEST = 60
WORDS_WHEN_FOUND = 300
MAX_DESCRIPTION_CHARS = 2_000
"""Characters of a description to keep."""
MAX_TOOLS = 500
"""Per server."""
MAX_CLOSE_MATCHES = 5
MAX_OTHERS_LISTED = 10
MAX_LISTED = 60


def named_tools(listed: Mapping[str, Sequence[JsonObject]], taken: Collection[str]) -> tuple[McpTool, ...]:
    """The servers' tools, each with a unique name. `taken` are names of Mulligan's own tools.

    A name that two servers use, or that is taken, gets the server's name before it.
    """
    raw = [(server, each) for server, tools in listed.items() for each in _once(tools)]
    plain = Counter(presentable(as_text(each.get("name"))).lower() for _, each in raw)
    used = {name.lower() for name in taken}
    tools: list[McpTool] = []
    for server, each in raw:
        name = as_text(each.get("name"))
        shown = presentable(name)[:MAX_SHOWN_CHARS]
        if plain[shown.lower()] > 1 or shown.lower() in used:
            shown = presentable(f"{server}_{shown}")
        while shown.lower() in used:
            shown = f"{shown}_"
        used.add(shown.lower())
        hints = as_object(each.get("annotations"))
        tools.append(
            McpTool(
                server,
                name,
                shown,
                one_line(as_text(each.get("description")) or as_text(each.get("title")), MAX_DESCRIPTION_CHARS),
                simple_schema(each.get("inputSchema")),
                reads_only=hints.get("readOnlyHint") is True and hints.get("openWorldHint") is False,
            )
        )
    return tuple(tools)


def _once(tools: Sequence[JsonObject]) -> Iterable[JsonObject]:
    """The first tool of each name. Entries without a name are dropped."""
    named = {as_text(each.get("name")): each for each in reversed(tools[:MAX_TOOLS]) if as_text(each.get("name"))}
    return reversed(named.values())


def summary(catalog: Catalog, char_limit: int = MAX_CHARS) -> str:
    """What every request says of the tools: as much as fits, down to the servers' names."""
    by_server = {server: [tool for tool in catalog.tools if tool.server == server] for server in catalog.servers}
    described = [f"- {tool.shown}: {one_line(_sentence(tool), WORDS_IN_REQUEST)}" for tool in catalog.tools]
    unknown = [f"- more from {server}" for server, tools in by_server.items() if not tools]
    names = [f"- {server}: {', '.join(tool.shown for tool in tools)}" for server, tools in by_server.items() if tools]
    for lines in ([*described, *unknown], [*names, *unknown]):
        if sum(len(line) + 1 for line in lines) <= char_limit:
            return "\n".join(lines)
    share = char_limit // max(1, len(by_server))
    cut = [one_line(f"- {_few(server, tools, share)}", share) for server, tools in by_server.items()]
    return "\n".join(cut)[:char_limit]


def _few(server: str, tools: Sequence[McpTool], char_limit: int) -> str:
    """As many names as fit, the shortest first: more of them fit, and they are the general ones."""
    if not tools:
        return server
    names: list[str] = []
    left = char_limit - len(server) - 24
    for tool in sorted(tools, key=lambda each: len(each.shown)):
        left -= len(tool.shown) + 2
        if left < 0:
            break
        names.append(tool.shown)
    more = len(tools) - len(names)
    few = f", such as {', '.join(names)}" if names and more else f": {', '.join(names)}" if names else ""
    return f"{server} ({len(tools)} tools){few}" if more else f"{server}{few}"


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, the best first."""

    close: tuple[McpTool, ...] = ()
    """About as good as the best."""
    others: tuple[McpTool, ...] = ()


def search(catalog: Catalog, query: str) -> Hits:
    """Tools with the words of the query. A word in the name counts most."""
    asked = [word for word in asked_words(query) if len(word) > 2] or asked_words(query)
    scores = {index: _score(tool, asked) for index, tool in enumerate(catalog.tools)}
    best = max(scores.values(), default=0)
    ranked = sorted((index for index in scores if scores[index]), key=lambda index: (-scores[index], index))
    close = [index for index in ranked if 2 * scores[index] > best][:MAX_CLOSE_MATCHES]
    others = [index for index in ranked if index not in close]
    return Hits(tuple(catalog.tools[index] for index in close), tuple(catalog.tools[index] for index in others))


def _score(tool: McpTool, asked: Sequence[str]) -> int:
    name = {*words_of(tool.shown), *parts_of_name(tool.shown), *parts_of_name(tool.name)}
    server, description = words_of(tool.server), words_of(tool.description)
    return sum(
        8 * any(_alike(word, each) for each in name)
        + 3 * any(_alike(word, each) for each in server)
        + 2 * any(_alike(word, each) for each in description)
        for word in asked
    )


def _alike(asked: str, word: str) -> bool:
    """`issues` finds `issue`, and `creat` finds `create`."""
    return word.startswith(asked) or (len(word) > 3 and asked.startswith(word))


def found_text(catalog: Catalog, query: str) -> str:
    """The result of a search: the best tools with their arguments, others by name, and how to call one."""
    if not catalog.tools:
        return "\n".join(["No tools are known.", *catalog.failed])
    hits = search(catalog, query)
    lines: list[str] = []
    for tool in hits.close:
        lines.append(f"{tool.shown} (of {tool.server}): {one_line(tool.description, WORDS_WHEN_FOUND)}")
        lines += [f"  {line}" for line in signature(tool.parameters)] or ["  no arguments"]
    if hits.close:
        lines += _by_name(hits.others, MAX_OTHERS_LISTED)
    else:
        lines.append(f"No tool has these words. There are {len(catalog.tools)}:" if query.strip() else "All tools:")
        lines += _by_name(catalog.tools, MAX_LISTED)
    example = hits.close[0] if hits.close else catalog.tools[0]
    return "\n".join(
        [*lines, *catalog.failed, f'To call one: {USE} with tool "{example.shown}" and its arguments as an object.']
    )


def _by_name(tools: Sequence[McpTool], most: int) -> list[str]:
    shown = [f"- {tool.shown}: {one_line(_sentence(tool), WORDS_IN_REQUEST)}" for tool in tools[:most]]
    more = len(tools) - most
    return [*shown, f"- and {more} more: search with other words"] if more > 0 else shown


def _sentence(tool: McpTool) -> str:
    """The first sentence of a tool's description."""
    return tool.description.partition(". ")[0] or tool.name
