"""Which files an answer cites, and which of them the model had not read."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

MAX_NAMED = 12


@dataclass(frozen=True, slots=True)
class Citation:
    written: str
    files: tuple[str, ...]
    """The project's files that may be meant; none if there is no such file."""


def cited_paths(text: str, known_paths: Iterable[str]) -> tuple[Citation, ...]:
    """The file names in a text, in order, each once. Code blocks and URLs don't count.

    A name of an existing file counts anywhere. Another name counts only if it clearly means a file: it has a file's
    extension, and a folder or backticks.
    """
    known = list(dict.fromkeys(known_paths))
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for path in known:
        by_name[_name(path)].append(path)
    endings = {_ending(path) for path in known} - {""}
    prose = _URL.sub(" ", _FENCED.sub("\n", text))
    cited: dict[str, Citation] = {}
    for opening, written, closing in _WORD.findall(prose):
        path = written.rstrip(".").removeprefix("./")
        marked = bool(opening and closing)
        files = _meant(path, by_name.get(_name(path), ()))
        if _names_a_file(path, marked=marked) if files else _must_be_a_file(path, endings, marked=marked):
            cited.setdefault(files[0] if len(files) == 1 else path, Citation(path, files))
    return tuple(cited.values())


def citation_note(text: str, *, known_paths: Iterable[str], read: Collection[str]) -> str:
    """A line about cited files that were not read or don't exist. Empty if there are none."""
    cited = cited_paths(text, known_paths)
    unread = [_shown(each) for each in cited if each.files and set(read).isdisjoint(each.files)]
    missing = [each.written for each in cited if not each.files]
    sentences = [f"Not read: {_listed(unread)}."] if unread else []
    sentences += [f"Not in this project: {_listed(missing)}."] if missing else []
    return " ".join(sentences)


_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_URL = re.compile(r"\b[a-z][a-z+.-]{1,20}://\S+", re.IGNORECASE)
_WORD = re.compile(r"(`?)(?<![\w*./@-])((?:\.?/)?[\w.@+~$-]+(?:/[\w.@+~$-]+)*)(?:[:#][L\d][\d:,L-]*)?(`?)")
_ENDINGS = re.compile(
    "py|pyi|js|mjs|cjs|jsx|ts|tsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|md|rst|toml|json|ya?ml|sql|html|css"
)


def _name(path: str) -> str:
    return path.rpartition("/")[2].casefold()


def _ending(path: str) -> str:
    stem, dot, ending = _name(path).rpartition(".")
    return ending if stem and dot else ""


def _names_a_file(path: str, *, marked: bool) -> bool:
    """For a name that exists in the project: `test` and `run` may be files, but are usually words."""
    return marked or "." in path or "/" in path


def _must_be_a_file(path: str, endings: Collection[str], *, marked: bool) -> bool:
    """For a name that does not exist in the project. `node.c` could be a member of something."""
    ending = _ending(path)
    like_a_file = ending in endings or bool(_ENDINGS.fullmatch(ending))
    return like_a_file and ("/" in path or (marked and len(ending) > 1))


def _meant(path: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The file itself; else files whose path ends with this one; else the file whose path this one ends with."""
    wanted = path.casefold().lstrip("/")
    every = list(candidates)
    exact = [each for each in every if each.casefold() == wanted]
    below = [each for each in every if each.casefold().endswith(f"/{wanted}")]
    above = [each for each in every if "/" in each and wanted.endswith(f"/{each.casefold()}")]
    return tuple(exact or below or above)


def _shown(citation: Citation) -> str:
    return citation.files[0] if len(citation.files) == 1 else citation.written


def _listed(paths: list[str]) -> str:
    rest = len(paths) - MAX_NAMED
    named = ", ".join(f"`{path}`" for path in paths[:MAX_NAMED])
    return f"{named} and {rest} more" if rest > 0 else named
