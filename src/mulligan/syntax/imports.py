"""What a file imports, as its text has it: one reader a language, each fed the text of one import."""

import re
from collections.abc import Callable, Iterator

from mulligan.syntax.parsed_file import RawImport

LONGEST_PATH = 500
_HASH_COMMENTS = re.compile(r"#[^\n]*")
_SLASH_COMMENTS = re.compile(r"(?<![:/])//[^\n]*|/\*(?>.*?\*/|.*)", re.DOTALL)
"""But for what follows the colon of an address."""


def imports_in(grammar: str, text: str) -> Iterator[RawImport]:
    """What one import statement names. A module's name is the language's own; paths begin with `./`."""
    reader = _READERS.get(grammar)
    if reader is not None:
        comments = _HASH_COMMENTS if grammar == "python" else _SLASH_COMMENTS
        yield from reader(" ".join(comments.sub("", text).split()))


def _python(text: str) -> Iterator[RawImport]:
    module, imports, names = text.removeprefix("from ").partition(" import ")
    if imports and text.startswith("from "):
        yield RawImport("".join(module.split()), tuple(_first_words(names.strip("() "))))
        return
    for module in _first_words(text.removeprefix("import ")):
        yield RawImport(module)


def _javascript(text: str) -> Iterator[RawImport]:
    sources = re.findall(r"""["'`]([^"'`]+)["'`]""", text)
    if not sources:
        return
    if not text.startswith(("import ", "import{", "export", "import*", "import'", 'import"')):
        yield RawImport(sources[0])
        return
    clause = re.sub(r"^(?:import|export)\s*(?:type\s+)?", "", text).partition(" from ")[0]
    inside, closed, _ = clause.partition("{")[2].partition("}")
    names = [name.removeprefix("type ") for name in (inside.split(",") if closed else [])]
    default = re.match(r"(\w+)\s*(?:,|$)", clause)
    named = _first_words(",".join(name.strip() for name in names))
    yield RawImport(sources[-1], (*([default[1]] if default else []), *named))


def _go(text: str) -> Iterator[RawImport]:
    if found := re.search(r"[\"`]([^\"`]+)[\"`]", text):
        yield RawImport(found[1])


def _rust(text: str) -> Iterator[RawImport]:
    if found := re.search(r"\bmod\s+(?:r#)?(\w+)\s*;$", text):
        yield RawImport(f"mod::{found[1]}")
        return
    tree = re.sub(r"^.*?\buse\s+", "", text).rstrip("; ")
    for path in _use_paths(tree):
        module, _, name = path.removeprefix("::").rpartition("::")
        yield RawImport(module or name, (name,) if module and name not in {"*", "self"} else ())


def _use_paths(tree: str) -> Iterator[str]:
    """The single paths of `a::{b, c::{d, e}}`."""
    heads, name = [""], ""
    for part in re.findall(r"[{},]|[^{},]+", f"{tree},"):
        if part == "{":
            heads.append((heads[-1] + name)[:LONGEST_PATH])
            name = ""
        elif part in {",", "}"}:
            if name:
                yield heads[-1] + name.partition(" as ")[0].strip()
            name = ""
            if part == "}" and len(heads) > 1:
                heads.pop()
        else:
            name = part.strip()


def _java(text: str) -> Iterator[RawImport]:
    if found := re.match(r"import\s+(static\s+)?([\w.]+?)(\.\*)?\s*;?$", text):
        module = found[2]
        if found[1] and not found[3]:
            module, _, name = module.rpartition(".")
            yield RawImport(module, (name,))
        else:
            yield RawImport(module + (found[3] or "" if not found[1] else ""))


def _c(text: str) -> Iterator[RawImport]:
    if found := re.search(r"\"([^\"]+)\"|(<[^<>]+>)", text):
        yield RawImport(found[1] or found[2])


def _c_sharp(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(?:global )?using (?:static )?(?:\w+ ?= ?)?([\w.]+)", text):
        yield RawImport(found[1])


def _ruby(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(\w+)[ (]+[\"']([^\"']+)[\"']", text):
        relative = found[1] != "require" and not found[2].startswith(("./", "../"))
        yield RawImport(f"./{found[2]}" if relative else found[2])


def _php(text: str) -> Iterator[RawImport]:
    if text.startswith("use"):
        tree = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", text).rstrip("; ")
        head, brace, rest = tree.partition("{")
        for name in _first_words(rest.rstrip("} ") if brace else head):
            yield RawImport((head.strip() + name if brace else name).lstrip("\\"))
    elif found := re.search(r"[\"']([^\"']+)[\"']", text):
        yield RawImport(f"./{found[1].lstrip('./')}" if not found[1].startswith("../") else found[1])


def _bash(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(?:source|\.)\s+(.+)", text):
        word = found[1].strip().split(" ")[-1] if "$(" in found[1] else found[1].split(" ")[0]
        # What a variable stands for is not known; the path behind it is.
        bare = word.strip("\"'")
        path = (bare.rpartition("$")[2].partition("/")[2] if "$" in bare else bare).strip("\"')")
        if path and "$" not in path:
            yield RawImport(path if path.startswith(("./", "../", "/")) else f"./{path}")


def _first_words(listed: str) -> list[str]:
    """Of `a as b, c` these are `a` and `c`."""
    return [words[0] for part in listed.split(",") if (words := part.split())]


_READERS: dict[str, Callable[[str], Iterator[RawImport]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _go,
    "rust": _rust,
    "java": _java,
    "c": _c,
    "cpp": _c,
    "c_sharp": _c_sharp,
    "ruby": _ruby,
    "php": _php,
    "bash": _bash,
}
