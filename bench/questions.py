"""Questions with known answers on small projects and on this one: guided against the loops that the model drives.

`python -m bench.questions --base-url URL --model NAME --way guided` asks another model, or in one way alone. `--way
guided --way unindexed` compares what is found with the code index and without it.
"""

import argparse
import asyncio
import os
import re
import shutil
import statistics
import sys
import tempfile
import tomllib
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import MULLIGAN, Measured, print_table, run_measured
from mulligan.models.embedded import EmbeddedServers

EMBEDDED = "embedded:qwen2.5-coder-1.5b"
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


def main(model: Sequence[str] = ("--model", EMBEDDED), ways: Iterable[str] = WAYS, only: str = "") -> bool:
    """Ask all questions, or those of the sets whose names hold a word, in every way and print two tables. True if
    guided was right often enough."""
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    questions = [_question(each) for each in data["questions"] if only in each["set"]]
    results: dict[str, list[Asked]] = {}
    with _projects(data["projects"]) as folder, _home(model) as home:
        for way in ways:
            _forget_prompts(model, home)
            results[way] = [_ask(each, WAYS[way], model, folder, home) for each in questions]
    _print_ways(questions, results)
    _print_questions(questions, results)
    guided = results.get("guided", [])
    return sum(asked.right for asked in guided) >= RIGHT_AT_LEAST * len(guided)


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
    print(f"{'right' if asked.right else 'WRONG'} {asked.seconds:6.1f} s  {question.ask}", file=sys.stderr, flush=True)
    return asked


def _answer(run: Measured) -> str:
    """What the last step said, as a person would read it."""
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


def _print_ways(questions: Sequence[Question], results: dict[str, list[Asked]]) -> None:
    sets = tuple(dict.fromkeys(each.set for each in questions))
    columns = ("way", *sets, "right", "model calls", "median s", "total s", "prompt tokens", "cached")
    rows = [
        (
            way,
            *(
                _right([each for question, each in zip(questions, asked, strict=True) if question.set == name])
                for name in sets
            ),
            _right(asked),
            sum(each.calls for each in asked),
            f"{statistics.median(each.seconds for each in asked):.1f}",
            f"{sum(each.seconds for each in asked):.0f}",
            sum(each.prompt for each in asked),
            sum(each.cached for each in asked),
        )
        for way, asked in results.items()
    ]
    print_table("Questions: right answers and what they cost", columns, rows)


def _right(asked: Sequence[Asked]) -> str:
    return f"{sum(each.right for each in asked)} of {len(asked)}"


def _print_questions(questions: Sequence[Question], results: dict[str, list[Asked]]) -> None:
    columns = ("question", "project", "set", *results, *(f"{way}: answer" for way in results))
    rows = [
        (
            question.ask,
            question.project or "this one",
            question.set,
            *(f"{'yes' if each.right else 'NO'}, {each.calls} calls, {each.seconds:.0f} s" for each in asked),
            *(_on_a_line(each) for each in asked),
        )
        for question, *asked in zip(questions, *results.values(), strict=True)
    ]
    print_table("Each question", columns, rows)


def _on_a_line(asked: Asked) -> str:
    words = " ".join(asked.answer.split()).replace("|", "\\|")
    return (words if len(words) <= 120 else words[:119] + "…") or asked.reason


@contextmanager
def _projects(samples: dict[str, dict[str, str]]) -> Generator[Path, None, None]:
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
    """A home of its own; but an embedded model is a gigabyte, and stands in the person's."""
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


def _from_command_line() -> bool:
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__)
    parser.add_argument("--base-url", help="a model server; without it the embedded model answers")
    parser.add_argument("--model", help="the model's name")
    parser.add_argument("--way", choices=tuple(WAYS), action="append", help="only this way; can be given again")
    parser.add_argument("--set", default="", metavar="WORD", help="only questions of the sets whose names hold this")
    options = parser.parse_args()
    model = ["--model", options.model or ("default" if options.base_url else EMBEDDED)]
    if options.base_url:
        model += ["--base-url", options.base_url]
    return main(model, options.way or WAYS, options.set)


if __name__ == "__main__":
    sys.exit(0 if _from_command_line() else 1)
