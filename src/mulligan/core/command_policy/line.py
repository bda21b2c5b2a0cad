"""A command line taken apart: every simple command and redirection in it, however deep, and where each runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from mulligan.core.command_policy.places import Folder
from mulligan.core.command_policy.tables import NETWORK_PROGRAMS
from mulligan.core.command_policy.words import Word, program_name, read_word

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST_COMMAND = 20_000
"""Bytes. What is longer belongs into a file."""
LONGEST_SHOWN = 400

SCOPES = frozenset({"subshell", "command_substitution", "process_substitution", "pipeline", "function_definition"})
"""What changes folder in them comes back when they end."""

REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
NO_WORDS = REDIRECTS | {"variable_assignment"}
HEREDOC_PIECES = REDIRECTS | {"heredoc_start", "heredoc_body", "heredoc_end"}
STATEMENTS = frozenset({"command", "pipeline", "list", "redirected_statement", "subshell", "compound_statement"})
PIPELINES = frozenset({"pipeline", "heredoc_redirect"})
MATHS = frozenset({"binary_expression", "arithmetic_expansion"})


@dataclass(slots=True)
class Part:
    """A simple command."""

    text: str
    words: list[Word]
    """The program first; without assignments and redirections."""
    folder: Folder
    from_network: bool = False
    """It, or something that is piped or substituted into it, speaks to the network."""
    is_function: bool = False
    """It calls a function that stands above it, and whose own parts are judged there."""
    script: str | None = None
    """What stands on its standard input, where the line itself says so: by a here-document, or by `echo`."""


@dataclass(frozen=True, slots=True)
class Redirect:
    text: str
    target: Word
    writes: bool
    folder: Folder


@dataclass(slots=True)
class Line:
    parts: list[Part] = field(default_factory=list[Part])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    assigned: list[str] = field(default_factory=list[str])
    """Names of variables."""
    values: list[str] = field(default_factory=list[str])
    """What variables are set to, as far as it stands there."""
    functions: dict[str, str] = field(default_factory=dict[str, str])
    """Their names and texts."""
    backgrounds: list[bool] = field(default_factory=list[bool])
    """For each `&`, whether it ends what it stands in."""
    doubts: list[str] = field(default_factory=list[str])
    """Why it may not be what it seems, as sentences."""


_LETTERS = re.compile(rb"[\x80-\xff]")
"""Bytes of letters beyond ASCII. To a shell they are letters like any other; the grammar reads outside its tables at
some of them, and ends the process."""


def read_line(command: str, folder: Folder) -> Line:
    source = command.encode("utf-8", "replace")
    reader = _Reader(source, folder)
    for entering, node in _walk(_parser().parse(_LETTERS.sub(b"x", source)).root_node):
        if entering:
            reader.enter(node)
        else:
            reader.leave()
    return reader.line


@dataclass(slots=True)
class _Frame:
    node: "Node"
    folder: Folder
    part: Part | None
    """The command that this is, or stands in."""
    piped: bool
    """It is, or stands in, a pipeline."""


class _Reader:
    def __init__(self, source: bytes, folder: Folder) -> None:
        self.line = Line()
        self._source = source
        self._folder = folder
        self._frames: list[_Frame] = []
        self._part_at: dict[int, Part] = {}

    def enter(self, node: "Node") -> None:
        above = self._frames[-1] if self._frames else None
        piped = node.type in PIPELINES or bool(above and above.piped)
        frame = _Frame(node, self._folder, above.part if above else None, piped)
        match node.type:
            case "command" | "declaration_command":
                frame.part = self._add_part(node, piped=piped)
            case "file_redirect":
                self._add_redirect(node)
            case "heredoc_redirect":
                self._read_heredoc(node)
            case "herestring_redirect" if frame.part:
                frame.part.script = read_word(node.named_children[-1], self._source).text
            case "variable_assignment" | "for_statement":
                self._add_values(node)
            case "function_definition":
                self._add_function(node, at_top=bool(above and above.node.type == "program"))
            case "&" if above and above.node.type not in MATHS:
                self.line.backgrounds.append(_ends(node))
            case _:
                self._look_for_doubts(node, above.node.type if above else "")
        self._frames.append(frame)

    def leave(self) -> None:
        frame = self._frames.pop()
        if frame.node.type == "command" and frame.part:
            self._change_folder(frame.part)
            outer = self._frames[-1].part if self._frames else None
            if outer and frame.part.from_network:
                outer.from_network = True
        if frame.node.type in SCOPES:
            self._folder = frame.folder
        elif frame.node.type in STATEMENTS and not self._is_checked():
            self._folder = self._folder.doubted(frame.folder)

    def _is_checked(self) -> bool:
        """Whether what follows runs only if this went well."""
        above = self._frames[-1].node if self._frames else None
        return bool(above and above.type == "list" and any(child.type == "&&" for child in above.children))

    def _add_part(self, node: "Node", *, piped: bool) -> Part:
        skipped = NO_WORDS if node.type == "command" else REDIRECTS
        words = [read_word(child, self._source) for child in node.children if child.type not in skipped]
        part = Part(self._text(node, at_most=LONGEST_SHOWN), words, self._folder)
        part.from_network = any(program_name(word.text) in NETWORK_PROGRAMS for word in words)
        part.is_function = bool(words) and not words[0].computed and words[0].text in self.line.functions
        if piped and self.line.parts:
            upstream = self.line.parts[-1]
            part.from_network |= upstream.from_network
            part.script = upstream.script or _spoken(upstream.words)
        self.line.parts.append(part)
        self._part_at[node.start_byte] = part
        return part

    def _add_function(self, node: "Node", *, at_top: bool) -> None:
        name = node.child_by_field_name("name")
        self.line.functions[self._text(name) if name else ""] = self._text(node)
        if not at_top:
            self._doubt("A function that is defined inside something else may not be there when it is called.")

    def _add_values(self, node: "Node") -> None:
        if node.type == "variable_assignment":
            self.line.assigned.append(self._text(node).partition("=")[0].rstrip("+"))
        values = node.children_by_field_name("value")
        self.line.values += [read_word(value, self._source).text for value in values]

    def _add_redirect(self, node: "Node") -> None:
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        operator = next((child.type for child in node.children if not child.is_named), "")
        if not targets:
            return
        if not (operator in (">&", "<&") and targets[0].type == "number"):
            target = read_word(targets[0], self._source)
            writes = operator not in ("<", "<&")
            self.line.redirects.append(Redirect(self._text(node), target, writes, self._folder))
        # The grammar takes `rm > log -rf x` for one redirection with three targets.
        self._append_words(targets[1:])

    def _read_heredoc(self, node: "Node") -> None:
        pieces = {child.type: child for child in node.named_children}
        owner = self._owner()
        start, body, end = (pieces.get(f"heredoc_{piece}") for piece in ("start", "body", "end"))
        self._append_words(
            [child for child in node.named_children if child.type not in HEREDOC_PIECES | STATEMENTS and child.is_named]
        )
        text = self._text(body) if body else ""
        if not (start and end and self._is_sound(self._text(start), text, end)):
            self._doubt("Where its here-document ends can't be told for sure.")
        if owner:
            owner.script = text

    def _is_sound(self, start: str, body: str, end: "Node") -> bool:
        delimiter = re.sub(r"[\"'\\]", "", start)
        lines = {line.lstrip("\t") for line in body.split("\n")}
        return delimiter not in lines and self._source[end.end_byte : end.end_byte + 1] in (b"", b"\n")

    def _append_words(self, nodes: list["Node"]) -> None:
        if not nodes:
            return
        owner = self._owner()
        if owner:
            owner.words += [read_word(node, self._source) for node in nodes]
        else:
            self._doubt("It has words behind a redirection that belong to no command.")

    def _owner(self) -> Part | None:
        """The command whose redirection is being read: the last one of the statement it stands behind."""
        for frame in reversed(self._frames):
            if frame.node.type == "command":
                return frame.part
            if frame.node.type == "redirected_statement":
                return self._last_of(frame.node)
        return None

    def _last_of(self, node: "Node") -> Part | None:
        body = node.child_by_field_name("body")
        while body and body.type in ("list", "pipeline", "redirected_statement", "negated_command"):
            body = body.named_children[-1] if body.named_children else None
        return self._part_at.get(body.start_byte) if body else None

    def _change_folder(self, part: Part) -> None:
        words = [word for word in part.words if word.text not in ("command", "builtin")]
        if not words or words[0].text not in ("cd", "pushd", "popd"):
            return
        targets = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
        target = targets[0] if targets else Word("~", computed=words[0].text != "cd")
        self._folder = self._folder.entered(None if target.computed or target.text == "-" else target.text)

    def _look_for_doubts(self, node: "Node", above: str) -> None:
        if node.is_error or node.is_missing:
            self._doubt("It is not sound shell syntax, so what it would do can't be told.")
        elif node.type == "command_substitution" and self._text(node, at_most=1) == "`" and "\\" in self._text(node):
            self._doubt("Escapes inside backticks hide what is run; use $(…).")
        elif node.type == "unset_command" and "-f" in self._text(node):
            self._doubt("Taking a function away changes what its name runs.")
        elif node.type == "$" and above in ("command", "concatenation"):
            self._doubt("A lone $ before quotes hides what is run.")

    def _doubt(self, why: str) -> None:
        if why not in self.line.doubts:
            self.line.doubts.append(why)

    def _text(self, node: "Node", *, at_most: int = LONGEST_COMMAND) -> str:
        end = min(node.end_byte, node.start_byte + at_most)
        return self._source[node.start_byte : end].decode("utf-8", "replace")


def _spoken(words: list[Word]) -> str | None:
    """What `echo` and `printf` say."""
    if not words or words[0].text not in ("echo", "printf"):
        return None
    return " ".join(word.text for word in words[1:] if not word.text.startswith("-"))


def _ends(node: "Node") -> bool:
    sibling = node.next_named_sibling
    while sibling and sibling.type == "comment":
        sibling = sibling.next_named_sibling
    return sibling is None


def _walk(root: "Node") -> Iterator[tuple[bool, "Node"]]:
    """Every node twice: when it begins and when it ends. Without recursion, since nesting has no bound."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is None:
            return
        yield True, node
        if cursor.goto_first_child():
            continue
        yield False, node
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent() or cursor.node is None:
                return
            yield False, cursor.node


@cache
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))
