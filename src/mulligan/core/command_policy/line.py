"""Parses a command line into its simple commands and redirections, at any depth, and the folder where each runs."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mulligan.core.command_policy.features import SUBSCRIPT, compares_numbers, doubt_about, is_maths, misread
from mulligan.core.command_policy.parts import Assignment, Line, Part, Redirect
from mulligan.core.command_policy.places import Folder
from mulligan.core.command_policy.tables import NETWORK_PROGRAMS
from mulligan.core.command_policy.tree import parse, walk
from mulligan.core.command_policy.variables import Assigned, read_assigned
from mulligan.core.command_policy.words import Word, program_name, read_word

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_COMMAND_BYTES = 20_000
"""A longer command belongs in a file."""
MAX_SHOWN_CHARS = 400
MAX_NESTING = 500
"""Levels of the syntax tree. A list of 500 commands is that deep."""
MAX_PARTS = 300
"""Simple commands. A line with more belongs in a file."""

SCOPES = frozenset({"subshell", "command_substitution", "process_substitution", "pipeline", "function_definition"})
"""A change of folder inside them ends with them."""

REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
NO_WORDS = REDIRECTS | {"variable_assignment"}
HEREDOC_PIECES = REDIRECTS | {"heredoc_start", "heredoc_body", "heredoc_end"}
STATEMENTS = frozenset({"command", "pipeline", "list", "redirected_statement", "subshell", "compound_statement"})
LOOKED_THROUGH = frozenset({"command_substitution", "unset_command", "subscript", "array", "test_operator"})
HOLDS_TEXT = frozenset({"string", "translated_string", "heredoc_body", "expansion", "ansi_c_string", "raw_string"})
PIPELINES = frozenset({"pipeline", "heredoc_redirect"})
MATHS = frozenset({"binary_expression", "arithmetic_expansion"})


def read_line(command: str, folder: Folder) -> Line:
    source = command.encode("utf-8", "replace")
    root = parse(source)
    reader = _Reader(source, folder, read_assigned(root, source))
    for entering, node in walk(root):
        if entering:
            reader.enter(node)
        else:
            reader.leave()
        if reader.depth > MAX_NESTING or len(reader.line.parts) > MAX_PARTS:
            reader.line.cut = True
            break
    reader.finish()
    return reader.line


@dataclass(slots=True)
class _Frame:
    node: "Node"
    folder: Folder
    part: Part | None
    """The command that contains this node, or is it."""
    piped: bool
    """The node is a pipeline or inside one."""
    maths: bool
    """The node is inside arithmetic."""
    brackets: str | None
    """What opens the test around the node: `[` or `[[`."""
    compares: bool
    """The node is in a test that evaluates text as arithmetic."""


class _Reader:
    def __init__(self, source: bytes, folder: Folder, assigned: Assigned) -> None:
        self.line = Line()
        self._source = source
        self._folder = folder
        self._assigned = assigned
        self._variables = assigned.known()
        self._counted: set[str] = set()
        self._read_to = 0
        self._frames: list[_Frame] = []
        self._part_at: dict[int, Part] = {}

    @property
    def depth(self) -> int:
        return len(self._frames)

    def finish(self) -> None:
        self._look_for_gap(len(self._source))
        if self._counted and (self._assigned.reads or not self._assigned.are_numbers(self._counted)):
            self._doubt(SUBSCRIPT)

    def enter(self, node: "Node") -> None:
        above = self._frames[-1] if self._frames else None
        piped = node.type in PIPELINES or bool(above and above.piped)
        maths = bool(above and (above.maths or is_maths(above.node, node, self._text(above.node, at_most=2))))
        brackets = above.brackets if above else None
        if node.type == "test_command":
            brackets = self._text(node, at_most=2).strip()
        compares = bool(above and above.compares) or (brackets == "[[" and compares_numbers(node, self._source))
        frame = _Frame(node, self._folder, above.part if above else None, piped, maths, brackets, compares)
        self._look_for_doubts(node, above.node if above else None, frame)
        if not above or above.node.type not in HOLDS_TEXT:
            self._look_for_gap(node.start_byte)
        match node.type:
            case "command" | "declaration_command":
                frame.part = self._add_part(node, piped=piped)
            case "file_redirect":
                self._add_redirect(node)
            case "heredoc_redirect":
                self._read_heredoc(node)
            case "herestring_redirect" if frame.part:
                frame.part.script = self._word(node.named_children[-1]).text
            case "variable_assignment" | "for_statement":
                self._add_values(node, above.node if above else None)
            case "function_definition":
                self._add_function(node, at_top=bool(above and above.node.type == "program"))
            case "&" if above and above.node.type not in MATHS:
                self.line.backgrounds.append(_ends(node))
            case _:
                pass
        self._frames.append(frame)

    def leave(self) -> None:
        frame = self._frames.pop()
        self._read_to = max(self._read_to, frame.node.end_byte)
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
        """Whether the next command runs only if this one succeeds."""
        above = self._frames[-1].node if self._frames else None
        return bool(above and above.type == "list" and any(child.type == "&&" for child in above.children))

    def _add_part(self, node: "Node", *, piped: bool) -> Part:
        skipped = NO_WORDS if node.type == "command" else REDIRECTS
        words = [self._word(child) for child in node.children if child.type not in skipped]
        part = Part(self._text(node, at_most=MAX_SHOWN_CHARS), words, self._folder)
        part.from_network = any(program_name(word.text) in NETWORK_PROGRAMS for word in words)
        part.is_function = bool(words) and not words[0].computed and words[0].text in self.line.functions
        if piped and self.line.parts:
            upstream = self.line.parts[-1]
            part.from_network |= upstream.from_network
            part.upstream = upstream
            part.script = upstream.script or _literal_text(upstream.words)
        self.line.parts.append(part)
        self._part_at[node.start_byte] = part
        return part

    def _add_function(self, node: "Node", *, at_top: bool) -> None:
        name = node.child_by_field_name("name")
        self.line.functions[self._text(name) if name else ""] = self._text(node)
        if not at_top:
            self._doubt("A function that is defined inside something else may not be there when it is called.")

    def _add_values(self, node: "Node", above: "Node | None") -> None:
        values = [self._word(value) for value in node.children_by_field_name("value")]
        self.line.values += [value.text for value in values]
        if node.type == "variable_assignment":
            name = self._text(node).partition("=")[0].rstrip("+").partition("[")[0]
            value = values[0] if values else Word("")
            self.line.assigned.append(Assignment(name, value, self._gets(above)))
        elif node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            self.line.assigned.append(Assignment(self._text(variable) if variable else "", Word(""), None))

    def _gets(self, node: "Node | None") -> str | None:
        """The program that has the assignment in its environment."""
        if node is None or node.type not in ("command", "declaration_command"):
            return None
        name = node.child_by_field_name("name") or node.children[0]
        return self._word(name).text

    def _add_redirect(self, node: "Node") -> None:
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        operator = next((child.type for child in node.children if not child.is_named), "")
        if not targets:
            return
        if not (operator in (">&", "<&") and targets[0].type == "number"):
            target = self._word(targets[0])
            writes = operator not in ("<", "<&")
            self.line.redirects.append(Redirect(self._text(node), target, writes, self._folder))
        # The grammar parses `rm > log -rf x` as one redirection with three targets.
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
            owner.words += [self._word(node) for node in nodes]
        else:
            self._doubt("It has words behind a redirection that belong to no command.")

    def _owner(self) -> Part | None:
        """The command whose redirection is being read: the last one of the statement before it."""
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

    def _look_for_doubts(self, node: "Node", above: "Node | None", frame: _Frame) -> None:
        text = self._text(node) if node.type in LOOKED_THROUGH else self._text(node, at_most=MAX_SHOWN_CHARS)
        why = doubt_about(node, above, text, in_maths=frame.maths, brackets=frame.brackets)
        if why:
            self._doubt(why)
        if misread(node, above, self._source):
            self._doubt("Where its words end can't be told for sure: leave out backslashes that are not needed.")
        if (frame.maths or frame.compares) and node.type in ("variable_name", "word", "simple_expansion", "expansion"):
            self._counted.add(text.strip("${}#"))

    def _look_for_gap(self, end: int) -> None:
        """Notes text that the grammar skipped between two nodes."""
        gap = self._source[self._read_to : end].replace(b"\\\n", b"")
        if gap.strip(b" \t\n") and not self.line.cut:
            self._doubt("It is not sound shell syntax, so what it would do can't be told.")
        self._read_to = max(self._read_to, end)

    def _word(self, node: "Node") -> Word:
        return read_word(node, self._source, self._variables)

    def _doubt(self, why: str) -> None:
        if why not in self.line.doubts:
            self.line.doubts.append(why)

    def _text(self, node: "Node", *, at_most: int = MAX_COMMAND_BYTES) -> str:
        end = min(node.end_byte, node.start_byte + at_most)
        return self._source[node.start_byte : end].decode("utf-8", "replace")


def _literal_text(words: list[Word]) -> str | None:
    """The output of `echo` and `printf`."""
    if not words or words[0].text not in ("echo", "printf"):
        return None
    return " ".join(word.text for word in words[1:] if not word.text.startswith("-"))


def _ends(node: "Node") -> bool:
    sibling = node.next_named_sibling
    while sibling and sibling.type == "comment":
        sibling = sibling.next_named_sibling
    return sibling is None
