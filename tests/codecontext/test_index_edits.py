"""An index that followed any sequence of edits tells what a fresh one tells."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.codecontext.index import ProjectIndex
from tests.codecontext.conftest import Project
from tests.examples import examples

PATHS = ["top.py", "pkg/__init__.py", "pkg/alpha.py", "pkg/beta.py", "pkg/sub/__init__.py", "pkg/sub/alpha.py"]
OTHER_PATHS = [
    "web/app.ts",
    "web/index.ts",
    "A.cs",
    "B.cs",
    "go.mod",
    "q/q.go",
    "main.go",
    "vendor/x.py",
    "package.json",
]
LINES = [
    "def make_thing(): ...",
    "def make_other(): ...",
    "class Thing:\n    def do_work(self): ...",
    "make_thing()",
    "make_other(Thing)",
    "x.do_work()",
    "from pkg import alpha",
    "from pkg.alpha import make_thing, Thing",
    "from .beta import make_other",
    "from . import sub",
    "import pkg.sub.alpha",
    "LIMIT_OF_ALL = 1",
    "print(LIMIT_OF_ALL)",
    "# nothing",
    "def broken(:",
    "# @generated",
]
OTHER_LINES = {
    "ts": ["import { load } from './index';", "export const load = () => 1;", "load();", "export class MyBox {}"],
    "cs": ["namespace N { class MyBox {} }", "using N;", "class U { MyBox b; }", "namespace M { class U2 {} }"],
    "go": ["package q", "func NewQueue() {}", 'import "example.com/m/q"', "func main() { q.NewQueue() }"],
    "mod": ["module example.com/m", "module example.com/other"],
    "json": ['{"name": "x"}', '{"name": "y", "main": "web/app.ts"}', "{"],
}


def texts(path: str) -> st.SearchStrategy[str]:
    lines = LINES if path.endswith(".py") else OTHER_LINES[path.rpartition(".")[2]]
    return st.lists(st.sampled_from(lines), max_size=6).map(lambda chosen: "\n".join(chosen) + "\n")


def edits() -> st.SearchStrategy[tuple[str, str | None]]:
    """A path, and its new text or None to delete it. Most keep the set of files as it is."""
    changed = st.sampled_from(PATHS).flatmap(lambda path: st.tuples(st.just(path), texts(path)))
    others = st.sampled_from(OTHER_PATHS).flatmap(lambda path: st.tuples(st.just(path), texts(path)))
    deleted = st.sampled_from(PATHS + OTHER_PATHS).map(lambda path: (path, None))
    return st.one_of(changed, changed, changed, others, deleted)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.lists(edits(), min_size=1, max_size=4), min_size=1, max_size=6))
def test_an_index_that_followed_edits_equals_a_fresh_one(rounds: list[list[tuple[str, str | None]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_follow(Project(Path(folder)), rounds))


async def _follow(project: Project, rounds: list[list[tuple[str, str | None]]]) -> None:
    project.write(dict.fromkeys(PATHS, b"make_thing(Thing, x.do_work)\nmake_other()\nLIMIT_OF_ALL\n"))
    index = project.index()
    await index.refresh()
    for number, batch in enumerate(rounds):
        for path, text in batch:
            if text is not None:
                project.write({path: text.encode()})
            else:
                (project.root / path).unlink(missing_ok=True)
        # Now and then by another process, which knows only what the cache tells.
        follower = index if number % 2 else project.index()
        fresh = project.index(project.root.parent / f"fresh {number}")
        assert await _everything(follower, project) == await _everything(fresh, project)
    project.close()


async def _everything(index: ProjectIndex, project: Project) -> list[object]:
    paths = await project.list_files()
    return [
        await index.overview(),
        await index.frameworks(),
        await index.neighborhoods(),
        *[await index.file(path) for path in paths],
        *[await index.search_symbols(name) for name in ("make_thing", "Thing", "limit", "load")],
    ]
