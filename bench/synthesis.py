"""Questions on how something flows through a project: which of the files that answer them a synthesis pass reads.

No model is asked. The tools are called on this project, on the standard library's asyncio and on two installed
packages; then it is asked what the pass would read.
"""

import asyncio
import importlib.metadata
import importlib.util
import shutil
import statistics
import tempfile
import time
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import tell
from bench.questions import HERE, NOT_COPIED
from bench.results import BenchFailed, Figure, Table, Version, Yielded, at_least
from mulligan.codecontext.index import ProjectIndex
from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.core.secrets import BY_LOOKS
from mulligan.core.synthesis import MAX_TOKENS, SynthesisQuestion, synthesis_messages
from mulligan.loop.synthesis_sources import gather_sources
from mulligan.tools.registry import build_code_tools
from mulligan.types.tool_calls import Succeeded
from mulligan.workspace.files.masked_files import MaskedFiles
from mulligan.workspace.files.project_files import ProjectFiles

READ_AT_LEAST = 0.8
"""Of the files that answer the questions."""

MAX_FILES = 100_000

SOURCES = {"mulligan": "src/mulligan", "starlette": "starlette", "asyncio": "asyncio", "_pytest": "_pytest"}
"""Where the files of a project's questions are in it."""

TOOLS = ("get_codebase_overview", "get_semantic_neighborhoods")
"""What models call for such questions, here without arguments."""


@dataclass(frozen=True, slots=True)
class FlowQuestion:
    ask: str
    project: str
    set: str
    """Whether the choosing was tuned on it."""
    files: tuple[str, ...]
    """That a right answer has to be written from."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a pass reads for one question after one tool."""

    question: FlowQuestion
    files: tuple[str, ...]
    """Without the project's documents."""
    seconds: float
    """Of the processor: the same on a busy machine."""

    @property
    def right(self) -> int:
        return len({*self.question.files} & {*self.files})


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--set", default="", metavar="WORD", help="only questions of the sets whose names hold this")


def measure(asked: Namespace) -> Iterator[Yielded]:
    questions = [each for each in flow_questions() if asked.set in each.set]
    if not questions:
        raise BenchFailed("there is no such question")
    yield Version("starlette", importlib.metadata.version("starlette"))
    yield Version("pytest", importlib.metadata.version("pytest"))
    with _projects({each.project for each in questions}) as folder:
        results = asyncio.run(_read_all(questions, folder))
    yield from _shares(results)
    seconds = [each.seconds for each in results[TOOLS[0]] if each.question.project == "mulligan"]
    if seconds:
        took = 1000 * statistics.median(seconds)
        yield Figure("processor time to choose and read files of this project", took, "ms", note="the median")
    yield _questions_table(results)


def flow_questions() -> list[FlowQuestion]:
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [_question(each) for each in data["questions"]]


def _question(data: dict[str, Any]) -> FlowQuestion:
    folder = SOURCES[data["project"]]
    files = tuple(f"{folder}/{path}" for path in data["files"])
    return FlowQuestion(data["ask"], data["project"], data["set"], files)


async def _read_all(questions: Sequence[FlowQuestion], folder: Path) -> dict[str, list[Read]]:
    results: dict[str, list[Read]] = {tool: [] for tool in TOOLS}
    for project in dict.fromkeys(each.project for each in questions):
        tell(f"questions on {project}")
        files = ProjectFiles(folder / project)

        async def listed(files: ProjectFiles = files) -> Sequence[str]:
            return (await files.find_files("*", ".", MAX_FILES)).paths

        index = ProjectIndex(folder / project, folder / "index", listed)
        try:
            for question in questions:
                if question.project == project:
                    _refuse_unknown(question, await listed())
                    for tool in TOOLS:
                        results[tool].append(await _read(question, tool, files, index))
        finally:
            index.close()
    return results


async def _read(question: FlowQuestion, tool: str, files: ProjectFiles, index: ProjectIndex) -> Read:
    outcome = await build_code_tools(lambda: index)[tool].run({})
    if not isinstance(outcome, Succeeded):
        raise BenchFailed(f"{tool} on {question.project}: {outcome.content}")
    started = time.process_time()
    asked = SynthesisQuestion(question.ask)
    gathered = await gather_sources(MaskedFiles(files, BY_LOOKS), lambda: index, asked, outcome)
    seconds = time.process_time() - started
    _, kept = synthesis_messages(
        asked,
        tool=tool,
        result=outcome.content,
        sources=gathered.sources,
        char_limit=int(MAX_TOKENS * CHARS_PER_TOKEN),
    )
    return Read(question, tuple(each.path for each in kept if not each.document), seconds)


def _refuse_unknown(question: FlowQuestion, paths: Sequence[str]) -> None:
    unknown = sorted({*question.files} - {*paths})
    if unknown:
        raise BenchFailed(f"{question.project} has no {', '.join(unknown)}")


def _shares(results: Mapping[str, Sequence[Read]]) -> Iterator[Figure]:
    for tool, reads in results.items():
        sets = dict.fromkeys(each.question.set for each in reads)
        for name in ("", *sets) if len(sets) > 1 else sets:
            some = [each for each in reads if name in ("", each.question.set)]
            right, true = sum(each.right for each in some), sum(len(each.question.files) for each in some)
            yield Figure(
                f"right files read after `{tool}`, {name or 'all questions'}",
                100 * right / true,
                "%",
                None if name == "tuned" else at_least(100 * READ_AT_LEAST),
                note=f"{right} of {true}",
            )


def _questions_table(results: Mapping[str, Sequence[Read]]) -> Table:
    rows = tuple(
        (
            reads[0].question.ask,
            reads[0].question.project,
            reads[0].question.set,
            *(f"{each.right} of {len(each.question.files)}" for each in reads),
        )
        for reads in zip(*results.values(), strict=True)
    )
    return Table("Right files read for each question", ("question", "project", "set", *results), rows)


@contextmanager
def _projects(names: set[str]) -> Generator[Path, None, None]:
    """A folder with a copy of each project."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in names:
            if name == "mulligan":
                shutil.copytree(HERE, folder / name, ignore=shutil.ignore_patterns(*NOT_COPIED))
            else:
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(package_folder(name), folder / name / name, ignore=ignored)
        yield folder


def package_folder(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise BenchFailed(f"{name} is not installed: make setup")
    return Path(found.origin).parent
