"""Names in Python that are probably wrong: not imported, misspelt, never used."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.findings.finding import CodeFinding, Known, nearest_to, nearly_equal
from mulligan.syntax.functions import parse_python

Function = ast.FunctionDef | ast.AsyncFunctionDef


def notice_names(lines: Sequence[str], known: Known) -> list[CodeFinding]:
    tree = parse_python("\n".join(lines))
    if tree is None:
        return []
    return [
        *_undefined(tree, known),
        *_misspelt_keys(tree, known),
        *_misspelt_attributes(tree, known),
        *(each for function in _functions(tree) for each in _unused(function, tree)),
    ]


def undefined_names(lines: Sequence[str], builtins: frozenset[str]) -> list[str]:
    """Names that are used and that the file does not define, import or take as an argument."""
    tree = parse_python("\n".join(lines))
    return list(dict.fromkeys(node.id for node, _ in _unbound(tree, builtins))) if tree else []


def attributes_in(lines: Sequence[str]) -> set[str]:
    """Fields and methods that the classes of a file define."""
    tree = parse_python("\n".join(lines))
    found: set[str] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.ClassDef):
            found |= _bound(node.body)
    return found


def _undefined(tree: ast.Module, known: Known) -> Iterator[CodeFinding]:
    for node, owner in _unbound(tree, known.builtins):
        name = node.id
        fields = attributes_of(owner) if owner else set[str]()
        if name in fields:
            words = f"`{name}` is not defined here, `self.{name}` is"
        elif line := _import_line(name, known):
            words = f"`{name}` is not imported: `{line}` is missing"
        elif near := nearest_to(name, _bound(tree.body) | _all_bound(tree) | known.defined.keys() | known.builtins):
            words = f"`{name}` is not defined; `{near}` is"
        else:
            words = f"`{name}` is not defined or imported"
        yield CodeFinding(node.lineno, words, 3.0)


def _import_line(name: str, known: Known) -> str | None:
    if name in known.defined:
        module = re.sub(r"^(?:src|lib)/|\.pyi?$|/__init__\.pyi?$", "", known.defined[name]).replace("/", ".")
        return f"from {module} import {name}"
    if name in _FROM:
        return f"from {_FROM[name]} import {name}"
    return f"import {name}" if name in known.modules else None


def _unbound(tree: ast.Module, builtins: frozenset[str]) -> Iterator[tuple[ast.Name, ast.ClassDef | None]]:
    """Names that are read where nothing binds them, each once a scope, with the class around."""
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return
    yield from _unbound_in(tree.body, _bound(tree.body) | builtins, None)


def _unbound_in(
    body: Sequence[ast.AST], visible: frozenset[str] | set[str], owner: ast.ClassDef | None
) -> Iterator[tuple[ast.Name, ast.ClassDef | None]]:
    seen: set[str] = set()
    for node in _same_scope(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id not in visible and node.id not in seen and not node.id.startswith("__"):
                seen.add(node.id)
                yield node, owner
        elif isinstance(node, Function):
            yield from _unbound_in(node.body, visible | _parameters(node) | _bound(node.body), owner)
        elif isinstance(node, ast.ClassDef):
            # What stands in a class's body is not seen from its methods, but from the rest of that body.
            methods = [each for each in node.body if isinstance(each, Function)]
            others = [each for each in node.body if not isinstance(each, Function)]
            yield from _unbound_in(others, visible | _bound(node.body), node)
            yield from _unbound_in(methods, visible, node)


def _same_scope(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of these statements; of functions and classes in them the heads alone."""
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Function):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif isinstance(node, ast.ClassDef):
            waiting += [*node.decorator_list, *node.bases]
        else:
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _bound(body: Sequence[ast.AST]) -> set[str]:
    """Names that these statements bind, lambdas and comprehensions taken for a part of them."""
    found: set[str] = set()
    for node in _same_scope(body):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.Global(names=given) | ast.Nonlocal(names=given):
                found |= set(given)
            case _:
                pass
    return found


def _all_bound(tree: ast.Module) -> set[str]:
    inner = (_parameters(each) | _bound(each.body) for each in _functions(tree))
    return {name for names in inner for name in names}


def _parameters(function: Function) -> set[str]:
    return {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}


def _functions(tree: ast.AST) -> Iterator[Function]:
    yield from (node for node in ast.walk(tree) if isinstance(node, Function))


def attributes_of(owner: ast.ClassDef) -> set[str]:
    stored = {
        node.attr for node in ast.walk(owner) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return stored | _bound(owner.body)


def _misspelt_keys(tree: ast.Module, known: Known) -> Iterator[CodeFinding]:
    """A key that the tests do not know, or that stands only once, beside one that is nearly the same."""
    used = list(_keys(tree))
    count = Counter(key for key, _ in used)
    for key, line in used:
        if key in known.keys:
            continue
        near = nearest_to(key, known.keys) or next(
            (each for each in count if count[each] > count[key] and nearly_equal(key, each)), None
        )
        if near:
            yield CodeFinding(line, f"the key {key!r} is nearly {near!r}", 2.0)


def _keys(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                yield key, node.lineno
            case ast.Call(
                func=ast.Attribute(attr="get" | "pop" | "setdefault"), args=[ast.Constant(value=str(key)), *_]
            ):
                yield key, node.lineno
            case ast.Dict(keys=keys):
                yield from (
                    (each.value, each.lineno)
                    for each in keys
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )
            case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()]):
                yield key, node.lineno
            case _:
                pass


def _misspelt_attributes(tree: ast.Module, known: Known) -> Iterator[CodeFinding]:
    common = {name for kind in (str, bytes, list, dict, set, tuple, int, float) for name in dir(kind)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr not in known.attributes:
            near = nearest_to(node.attr, known.attributes) if node.attr not in common else None
            if near and not _is_module(node.value, tree):
                yield CodeFinding(node.lineno, f"`.{node.attr}` is defined nowhere; `.{near}` is", 2.0)


def _is_module(node: ast.expr, tree: ast.Module) -> bool:
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for each in ast.walk(tree)
        if isinstance(each, ast.Import)
        for alias in each.names
    }
    return isinstance(node, ast.Name) and node.id in imported


def _unused(function: Function, tree: ast.Module) -> Iterator[CodeFinding]:
    read = {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    }
    if _is_stub(function) or "locals" in read:
        return
    owner = next((each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and function in each.body), None)
    plain = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    # An inherited or registered function has to take what it is given.
    if not function.decorator_list and not (owner and owner.bases):
        for name in plain[1:] if owner else plain:
            if name not in read and not name.startswith("_"):
                yield CodeFinding(function.lineno, f"the parameter `{name}` is never used", 1.0)
    outer = _outer(function)
    for node in _same_scope(function.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in read | outer and not name.startswith("_"):
                is_field = owner is not None and name in attributes_of(owner) - {function.name}
                meant = f"; is `self.{name}` meant?" if is_field else ""
                yield CodeFinding(node.lineno, f"the variable `{name}` is never used{meant}", 1.2)
            case _:
                pass


def _outer(function: Function) -> set[str]:
    return {name for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}


def _is_stub(function: Function) -> bool:
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return all(isinstance(node, ast.Pass | ast.Raise) for node in body)


_FROM = {
    name: module
    for module, names in {
        "collections": "Counter OrderedDict defaultdict deque namedtuple",
        "collections.abc": "Callable Iterable Iterator Mapping Sequence",
        "contextlib": "contextmanager suppress",
        "copy": "deepcopy",
        "dataclasses": "dataclass field",
        "datetime": "date datetime time timedelta timezone",
        "decimal": "Decimal",
        "enum": "Enum IntEnum auto",
        "fractions": "Fraction",
        "functools": "cache lru_cache partial reduce wraps",
        "itertools": "accumulate chain combinations count cycle groupby islice pairwise permutations product",
        "math": "ceil floor isclose log sqrt",
        "pathlib": "Path",
        "typing": "Any Optional Protocol TypeVar Union",
    }.items()
    for name in names.split()
}
"""Where the names that people forget to import come from."""
