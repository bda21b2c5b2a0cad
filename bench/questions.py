"""Questions with known answers on small projects and on this one: guided against the loops that the model drives.

`python -m bench questions --base-url URL --model NAME --way guided` asks another model, or in one way alone. `--way
guided --way unindexed` compares what is found with the code index and without it.
"""

import asyncio
import os
import re
import shutil
import statistics
import sys
import tempfile
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import EMBEDDED, MULLIGAN, Measured, model_versions, run_measured, tell
from bench.results import BenchFailed, Figure, Table, Yielded, at_least
from mulligan.models.embedded.servers import EmbeddedServers

RIGHT_AT_LEAST = 0.8
"""Of the questions asked in guided fashion."""

HERE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Way:
    """How questions are asked."""

    flags: tuple[str, ...]
    command: tuple[str | Path, ...] = (MULLIGAN,)


WAYS: dict[str, Way] = {
    "guided": Way(("--agency", "guided")),
    "unindexed": Way(("--agency", "guided"), (sys.executable, "-m", "bench.without_index")),
    "constrained": Way(("--agency", "agent", "--protocol", "constrained")),
    "text": Way(("--agency", "agent", "--protocol", "text")),
}

NOT_COPIED = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "node_modules", "bench")
"""Of this project. The bench itself holds the questions and what is right."""


@dataclass(frozen=True, slots=True)
class Question:
    ask: str
    project: str
    """A sample's name, or empty for this project."""
    set: str
    """What it asks for, and whether the finding was tuned on it."""
    holds: tuple[str, ...]
    lacks: tuple[str, ...]

    def is_right(self, answer: str) -> bool:
        """Every pattern that must be there is, and none that must not."""
        return all(re.search(pattern, answer, re.IGNORECASE) for pattern in self.holds) and not any(
            re.search(pattern, answer, re.IGNORECASE) for pattern in self.lacks
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, asked in one way."""

    right: bool
    answer: str
    reason: str
    calls: int
    """Model calls."""
    seconds: float
    prompt: int
    cached: int
    """Prompt tokens, and how many of them the server had in its cache."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--base-url", default="", help="a model server; without it the embedded model answers")
    parser.add_argument("--model", help="the model's name")
    parser.add_argument("--way", choices=tuple(WAYS), action="append", help="only this way; can be given again")
    parser.add_argument("--set", default="", metavar="WORD", help="only questions of the sets whose names hold this")
    parser.add_argument("--only", default="", help="a part of the question")


def measure(asked: Namespace) -> Iterator[Yielded]:
    name = asked.model or ("default" if asked.base_url else EMBEDDED)
    model = ["--base-url", asked.base_url, "--model", name] if asked.base_url else ["--model", name]
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    questions = [
        _question(each) for each in data["questions"] if asked.set in each["set"] and asked.only in each["ask"]
    ]
    if not questions:
        raise BenchFailed("there is no such question")
    yield from model_versions(name)
    results: dict[str, list[Asked]] = {}
    with sample_projects(data["projects"]) as folder, _home(model) as home:
        for way in asked.way or WAYS:
            tell(f"{len(questions)} questions, {way}")
            _forget_prompts(model, home)
            results[way] = [_ask(each, WAYS[way], model, folder, home) for each in questions]
    yield from _right_answers(results)
    yield _ways_table(questions, results)
    yield _questions_table(questions, results)


def _question(data: dict[str, Any]) -> Question:
    holds, lacks = tuple(data["holds"]), tuple(data.get("lacks", ()))
    return Question(data["ask"], data.get("project", ""), data["set"], holds, lacks)


def _ask(question: Question, way: Way, model: Sequence[str], folder: Path, home: Path) -> Asked:
    project = folder / (question.project or "mulligan")
    command = [*way.command, "ask", "--json", *model, *way.flags, "-C", project, question.ask]
    run = run_measured(command, home=home, cwd=HERE)
    usage = run.last.get("usage", {})
    answer = _answer(run)
    asked = Asked(
        right=run.exit_code == 0 and question.is_right(answer),
        answer=answer,
        reason=run.last.get("stop_reason") or f"exit code {run.exit_code}: {run.stderr.strip()[-200:]}",
        calls=sum(frame["type"] in {"step_start", "reply_retry"} for frame in run.frames),
        seconds=run.seconds,
        prompt=usage.get("prompt_tokens", 0),
        cached=usage.get("cached_tokens", 0),
    )
    tell(f"{'right' if asked.right else 'WRONG'} {asked.seconds:6.1f} s  {question.ask}  {_on_a_line(asked)}")
    return asked


def _answer(run: Measured) -> str:
    """What the last step said, as a user would read it."""
    said: list[str] = []
    for frame in run.frames:
        match frame["type"]:
            case "step_start" | "reply_retry":
                said.clear()
            case "text_delta":
                said.append(frame["text"])
            case "reply_trimmed":
                said = [frame["text"]]
            case _:
                pass
    return "".join(said)


def _right_answers(results: dict[str, list[Asked]]) -> Iterator[Figure]:
    for way, asked in results.items():
        bound = at_least(RIGHT_AT_LEAST * len(asked)) if way == "guided" else None
        yield Figure(f"right answers, {way}", sum(each.right for each in asked), f"of {len(asked)}", bound)


def _ways_table(questions: Sequence[Question], results: dict[str, list[Asked]]) -> Table:
    sets = tuple(dict.fromkeys(each.set for each in questions))
    columns = ("way", *sets, "model calls", "median s", "total s", "prompt tokens", "cached")
    rows = tuple(
        (
            way,
            *(
                _right([each for question, each in zip(questions, asked, strict=True) if question.set == name])
                for name in sets
            ),
            sum(each.calls for each in asked),
            statistics.median(each.seconds for each in asked),
            sum(each.seconds for each in asked),
            sum(each.prompt for each in asked),
            sum(each.cached for each in asked),
        )
        for way, asked in results.items()
    )
    return Table("Right answers by set, and what they cost", columns, rows)


def _right(asked: Sequence[Asked]) -> str:
    return f"{sum(each.right for each in asked)} of {len(asked)}"


def _questions_table(questions: Sequence[Question], results: dict[str, list[Asked]]) -> Table:
    rows = tuple(
        (
            question.ask,
            question.project or "this one",
            question.set,
            *(f"{'right' if each.right else 'wrong'}, {each.calls} calls, {each.seconds:.0f} s" for each in asked),
        )
        for question, *asked in zip(questions, *results.values(), strict=True)
    )
    return Table("Each question", ("question", "project", "set", *results), rows)


def _on_a_line(asked: Asked) -> str:
    words = " ".join(asked.answer.split())
    return (words if len(words) <= 120 else words[:119] + "…") or asked.reason


@contextmanager
def sample_projects(samples: dict[str, dict[str, str]]) -> Generator[Path, None, None]:
    """A folder with the sample projects and a copy of this one, `mulligan`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sample, files in samples.items():
            for path, text in files.items():
                target = folder / sample / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text.lstrip("\n"), encoding="utf-8")
        shutil.copytree(HERE, folder / "mulligan", ignore=shutil.ignore_patterns(*NOT_COPIED))
        yield folder


@contextmanager
def _home(model: Sequence[str]) -> Generator[Path, None, None]:
    """A home of its own; but an embedded model is a gigabyte, and stands in the user's."""
    if any(each.startswith("embedded") for each in model):
        yield Path(os.environ.get("MULLIGAN_HOME", "~/.mulligan")).expanduser()
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _forget_prompts(model: Sequence[str], home: Path) -> None:
    """End the embedded server: one way must not read faster for what another has left in the server's cache."""
    for each in model:
        if each.startswith("embedded:"):
            asyncio.run(EmbeddedServers(home).stop(each.removeprefix("embedded:")))
