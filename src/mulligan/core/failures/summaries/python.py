"""Failed assertions of pytest and unittest, rewritten as a call, its result, and what was expected."""

import ast
import re
from collections.abc import Iterator

from mulligan.core.failures.summaries.node_and_go import MAX_VALUE_CHARS, short
from mulligan.syntax.functions import parse_python
from mulligan.syntax.python_test_examples import error_expected


def summarize_pytest(text: str, statement: str, body: str) -> str | None:
    """From the lines that pytest marks with `E`."""
    if missing := _NOT_RAISED.search(text):
        return f"{_tried(statement)} raised nothing, expected {missing[1].rpartition('.')[2]}"
    found = _MARKED.search(text) or _ASSERTED.search(text)
    if found is None:
        return None if statement.startswith("self.") else _raised(text, statement, body)
    values = found[1].strip()
    asserted = _expression(statement.removeprefix("assert ").strip())
    if isinstance(asserted, ast.Compare) and len(asserted.ops) == 1:
        sign = _SIGNS[type(asserted.ops[0])]
        split = _split(values, f" {sign} ")
        if split:
            return _compared(asserted.left, asserted.comparators[0], sign, split, body)
    where = _WHERE.search(text)
    if truth := re.fullmatch(r"(not )?(.+)", values):
        shown = ast.unparse(asserted).removeprefix("not ") if asserted else (where[1] if where else "")
        if not asserted and (split := next(_splits(values), None)) and shown:
            return f"{shown} gave {short(split[0])}, expected {short(split[1])}"
        if shown:
            wanted = "a false value" if truth[1] else "a true value"
            return f"{_called(shown, body)} gave {short(truth[2])}, expected {_TRUTH.get(truth[2], wanted)}"
    return f"{statement or 'the assertion'} failed: {short(values)}"


def summarize_unittest(text: str, statement: str, body: str) -> str | None:
    """From the message of `AssertionError` and the assertion's call."""
    done, error = error_expected(body)
    if missing := _UNRAISED.search(text):
        return f"{_tried(statement)} raised nothing, expected {error or missing[1]}"
    found = _MESSAGE.search(text)
    if error and found and (values := _split(found[1], " != ")):
        return f"{done} raised an error that says {short(values[0])}, expected {short(error)}"
    if found is None:
        return _raised(text, statement, body)
    message = found[1].strip()
    arguments = _arguments(statement)
    if not arguments:
        return None
    first = _called(ast.unparse(arguments[0]), body)
    for pattern, gave, expected in _WORDS:
        if matched := pattern.fullmatch(message):
            return f"{first} gave {short(matched.expand(gave))}, expected {matched.expand(expected)}"
    if (inside := re.fullmatch(r"(.+) (not|unexpectedly) found in (.+)", message)) and len(arguments) > 1:
        where = _called(ast.unparse(arguments[1]), body)
        word = "in it" if inside[2] == "not" else "not in it"
        return f"{where} gave {short(inside[3])}, expected {short(inside[1])} {word}"
    values = re.sub(r"^\w+ differ: ", "", re.sub(r" within \S+ (?:places|delta).*$", "", message))
    split = _split(values, " != ")
    if split and len(arguments) > 1:
        return _compared(arguments[0], arguments[1], "==", split, body)
    return f"{first}: {short(message)}"


def _raised(text: str, statement: str, body: str) -> str | None:
    """An error raised by what the test called."""
    marked = re.findall(r"^E\s+(\S.*)$", text, re.MULTILINE)
    plain = [line for line in text.splitlines() if _ERROR_LINE.match(line)]
    error = marked[0] if marked else plain[-1] if plain else ""
    if not error or error.startswith("AssertionError"):
        return None
    done, expected = error_expected(body)
    wanted = f", expected {short(expected)}" if expected else ""
    return f"{done or _acted(statement, body) or 'the test'} raised {short(error.strip())}{wanted}"


def _compared(left: ast.expr, right: ast.expr, sign: str, values: tuple[str, str], body: str) -> str:
    """The side that is not a plain value is what was tested."""
    gave, expected = values
    if _is_plain(left) and not _is_plain(right) and sign in {"==", "is", "!="}:
        left, gave, expected = right, expected, gave
    elif sign in {"in", "not in"} and not _is_plain(right):
        word = "in it" if sign == "in" else "not in it"
        return f"{_called(ast.unparse(right), body)} gave {short(expected)}, expected {short(gave)} {word}"
    wanted = short(re.sub(r" ± \S+$", "", expected))
    before = {"==": "", "is": "", "!=": "not ", "is not": "not "}.get(sign, f"{sign} ")
    shown = ast.unparse(left)
    if isinstance(left, ast.Name) and (change := _changed_by(left.id, body)):
        return f"after {change}, {shown} is {short(gave)}, expected {before}{wanted}"
    return f"{_called(shown, body)} gave {short(gave)}, expected {before}{wanted}"


def _called(shown: str, body: str) -> str:
    """The expression with its variables replaced by the calls they hold."""
    for name, value in _assignments(body):
        if re.search(r"\w\(", value) and len(value) < MAX_VALUE_CHARS:
            shown = re.sub(rf"(?<![\w.'\"]){re.escape(name)}(?![\w'\"(=])", lambda _, value=value: value, shown)
    return shown


def _assignments(body: str) -> Iterator[tuple[str, str]]:
    for node in _nodes(body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, ast.unparse(node.value)


def _changed_by(name: str, body: str) -> str | None:
    """The last call, as a statement, that was given a variable which does not itself hold a call's result."""
    if any(held == name and re.search(r"\w\(", value) for held, value in _assignments(body)):
        return None
    alone = [node.value for node in _nodes(body) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    calls = map(ast.unparse, reversed(alone))
    return next((call for call in calls if re.search(rf"\b{re.escape(name)}\b", call)), None)


def _nodes(body: str) -> Iterator[ast.AST]:
    lines = body.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    tree = parse_python("\n".join(line[indent:] for line in lines))
    yield from ast.walk(tree) if tree else ()


def _acted(statement: str, body: str) -> str:
    """What the statement called: in an assertion, the side that is not a plain value."""
    arguments = _arguments(statement) if statement.startswith("self.assert") else []
    node = _expression(statement.removeprefix("assert ").strip())
    if isinstance(node, ast.Compare):
        arguments = [node.left, *node.comparators]
    elif not arguments and (assigned := _statement(statement)):
        arguments = [assigned.value] if isinstance(assigned, ast.Assign) else []
    acted = next((each for each in arguments if not _is_plain(each)), node)
    return _called(ast.unparse(acted), body) if acted else _tried(statement)


def _tried(statement: str) -> str:
    """The last action inside `with raises(…):`, or the function passed to it."""
    node = _statement(statement)
    if isinstance(node, ast.With):
        return ast.unparse(node.body[-1])
    arguments = _arguments(statement)
    if len(arguments) > 1:
        return f"{ast.unparse(arguments[1])}({', '.join(map(ast.unparse, arguments[2:]))})"
    return statement or "the test"


def _arguments(statement: str) -> list[ast.expr]:
    node = _expression(statement)
    return list(node.args) if isinstance(node, ast.Call) else []


def _expression(source: str) -> ast.expr | None:
    node = _statement(source)
    return node.value if isinstance(node, ast.Expr) else None


def _statement(source: str) -> ast.stmt | None:
    tree = parse_python(source)
    return tree.body[0] if tree and tree.body else None


def _is_plain(node: ast.expr) -> bool:
    """A literal value, such as `[1, 2]` or `pytest.approx(2.5)`."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in {"pytest.approx", "approx"}
    return not any(isinstance(each, ast.Call | ast.Name | ast.Attribute | ast.Subscript) for each in ast.walk(node))


def _splits(values: str) -> Iterator[tuple[str, str]]:
    yield from (found for sign in ("==", "!=", "is", "<=", ">=", "<", ">") if (found := _split(values, f" {sign} ")))


def _split(values: str, sign: str) -> tuple[str, str] | None:
    """Split at the first sign outside of brackets and strings."""
    at = values.find(sign)
    while at >= 0:
        left, right = values[:at], values[at + len(sign) :]
        if all(left.count(one) == left.count(other) for one, other in ("()", "[]", "{}")) and left.count("'") % 2 == 0:
            return left, right
        at = values.find(sign, at + 1)
    found = values.partition(sign)
    return (found[0], found[2]) if found[1] else None


_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_TRUTH = {"True": "False", "False": "True"}
_MARKED = re.compile(r"^E\s+(?:AssertionError: )?assert (.+)$", re.MULTILINE)
_ASSERTED = re.compile(r"^(?:AssertionError: )?assert (.+)$", re.MULTILINE)
_WHERE = re.compile(r"\+\s+where .+? = ([^\n<]+)$", re.MULTILINE)
_NOT_RAISED = re.compile(r"DID NOT RAISE (?:<class ')?([\w.]+)")
_UNRAISED = re.compile(r"AssertionError: ([\w.]+) not raised")
_MESSAGE = re.compile(r"AssertionError: ([^\n]+)")
_ERROR_LINE = re.compile(
    r"(?!FAIL|ERROR)[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Iteration)?(?:: .+)?$"
)
_WORDS = (
    (re.compile(r"(.+) is not true(?: : .*)?"), r"\1", "True"),
    (re.compile(r"(.+) is not false(?: : .*)?"), r"\1", "False"),
    (re.compile(r"(.+) is not None(?: : .*)?"), r"\1", "None"),
    (re.compile(r"unexpectedly None(?: : .*)?"), "None", "something else"),
    (re.compile(r"(.+) is not an instance of (.+)"), r"\1", r"an instance of \2"),
)
