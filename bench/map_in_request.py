"""Whether a map of 600 tokens in the first request would name the file that a question is about.

`python -m bench.map_in_request` asks no model. For each question of `bench questions` it looks whether a true file is
in the map, and whether one call that the model makes anyway finds it: a grep for a word of the question.
"""

import asyncio
import re
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.questions import HERE, sample_projects
from mulligan.codecontext.index import ProjectIndex
from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.core.retrieval.terms import read_question
from mulligan.ports.files import GrepQuery, Workspace
from mulligan.types.codecontext import Overview, Symbol
from mulligan.workspace.files.project_files import ProjectFiles

ROOM = int(600 * CHARS_PER_TOKEN)
SIGNATURES = 3
"""Of a file, the first that stand in it."""
SHOWN = 60
"""Lines that a grep shows."""

TRUE_FILES = {
    "After how many mistakes in a row does a nudge come?": "core/mistakes.py",
    "Which exit code does an aborted turn have?": "types/turns.py",
    "How many continues in a row are allowed?": "core/step_budget.py",
    "How many seconds may a tool run before it is stopped?": "tools/arguments.py",
    "Which file finds out whether the model's calls go round in a loop?": "core/repetition.py core/guards.py",
    "Which function calls choose_excerpts, and in which file?": "codecontext/excerpt_search.py",
    "Which function relies on keep_shown?": "loop/guided.py",
    "Which classes extend ConfigurationError?": "types/errors.py server/turns.py workspace/git.py",
    "Which functions need describe_outcome to do their work?": "core/prompts.py",
    "Which class inherits from FoundServer, and in which file is it?": "models/known/discovery.py",
}
"""Of this project, below `src/mulligan`: where the answer, or the first part of it, is read."""


async def main() -> None:
    data = tomllib.loads((HERE / "bench" / "questions.toml").read_text(encoding="utf-8"))
    with sample_projects(data["projects"]) as folder, tempfile.TemporaryDirectory() as cache:
        for project in (*data["projects"], ""):
            asked = [each for each in data["questions"] if each.get("project", "") == project]
            await _measure(folder / (project or "mulligan"), Path(cache), asked)


async def _measure(project: Path, cache: Path, asked: Sequence[Mapping[str, Any]]) -> None:
    files = ProjectFiles(project)
    paths = (await files.find_files("*", ".", 1_000_000)).paths

    async def listed() -> Sequence[str]:
        return paths

    index = ProjectIndex(project, cache, listed)
    overview = await index.overview()
    symbols = {each.path: (await index.file(each.path)).symbols for each in overview.important}
    index.close()
    maps = {"signatures": _map(overview, symbols, SIGNATURES), "paths": _map(overview, symbols, 0)}
    counts = dict.fromkeys((*maps, "grep"), 0)
    for question in asked:
        true = await _true_files(files, paths, question)
        for name, shown in maps.items():
            counts[name] += not true.isdisjoint(shown)
        counts["grep"] += not true.isdisjoint(await _grepped(files, question["ask"]))
    sizes = ", ".join(f"{len(shown)} files with {name}" for name, shown in maps.items())
    print(f"{project.name}: {len(paths)} files, {len(asked)} questions; a map holds {sizes}")
    print(f"  a true file is found by: {counts}")


def _map(overview: Overview, symbols: Mapping[str, Sequence[Symbol]], signatures: int) -> set[str]:
    """The files that the map names, the most important first."""
    named: set[str] = set()
    room = ROOM
    for file in overview.important:
        heads = [each.signature for each in symbols[file.path] if not each.parent][:signatures]
        room -= len("\n".join([file.path, *heads])) + 1
        if room < 0:
            break
        named.add(file.path)
    return named


async def _true_files(files: Workspace, paths: Sequence[str], question: Mapping[str, Any]) -> set[str]:
    """Of this project those written down; of a sample the files that the answer names, or that hold all of it."""
    if question["ask"] in TRUE_FILES:
        return {f"src/mulligan/{path}" for path in TRUE_FILES[question["ask"]].split()}
    named = {path for path in paths for each in question["holds"] if re.search(each, path, re.IGNORECASE)}
    texts = {path: "\n".join((await files.read_text(path)).lines) for path in paths}
    holding = {
        path for path, text in texts.items() if all(re.search(each, text, re.IGNORECASE) for each in question["holds"])
    }
    return named | holding


async def _grepped(files: Workspace, ask: str) -> set[str]:
    """The files in what one grep shows, for the question's most telling word."""
    term = read_question(ask).terms[0]
    query = GrepQuery(term.pattern, ignore_case=True, limit=SHOWN)
    return {match.path for match in (await files.grep(query)).matches}


if __name__ == "__main__":
    asyncio.run(main())
