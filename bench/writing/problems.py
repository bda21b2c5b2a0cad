"""Problems in folders of others, each made a project of its own. Nothing of them is copied into this repository."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.harness import commit_all
from bench.results import BenchFailed

TUNED = {
    "quixbugs": frozenset({
        "gcd", "lcs_length", "breadth_first_search", "reverse_linked_list", "is_valid_parenthesization", "flatten",
        "next_permutation", "pascal", "detect_cycle", "max_sublist_sum", "mergesort", "sieve", "topological_ordering",
        "shortest_path_lengths", "minimum_spanning_tree", "bitcount", "hanoi",
    }),
    "write": frozenset({
        "wordy", "custom-set", "flower-field", "anagram", "queen-attack", "leap", "resistor-color",
    }),
}  # fmt: skip
"""Looked at while the recipe was made. The first six and the first five were drawn with seed 22; the others were
measured when it was planned, or looked at when they stayed open."""


@dataclass(frozen=True, slots=True)
class Problem:
    name: str
    files: dict[str, bytes]
    path: str
    """The file that is wrong, or a stub."""
    verify: str
    instructions: str = ""

    def write(self, folder: Path) -> None:
        """Make it a git repository of its own."""
        for path, data in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        commit_all(folder)


def quixbugs(root: Path) -> list[Problem]:
    """One project a program: with its tests, its data, and what these share."""
    tests = sorted((root / "python_testcases").glob("test_*.py"))
    if not tests:
        raise BenchFailed(f"{root} has no python_testcases/test_*.py: --root is a checkout of QuixBugs")
    found: list[Problem] = []
    for test in tests:
        name = test.stem.removeprefix("test_")
        path = f"python_programs/{name}.py"
        shared = ["conftest.py", "python_testcases/load_testdata.py", "python_testcases/node.py"]
        wanted = [
            path,
            "python_programs/node.py",
            f"python_testcases/{test.name}",
            f"json_testcases/{name}.json",
            *shared,
        ]
        files = {each: (root / each).read_bytes() for each in wanted if (root / each).is_file()}
        found.append(Problem(name, files, path, f"python3 -m pytest -q python_testcases/{test.name}"))
    return found


def exercism(root: Path) -> list[Problem]:
    """One project an exercise: instructions, a stub, its tests. Those in languages that are not known are left out."""
    folders = sorted(each for each in root.glob("*") if each.is_dir())
    found = [problem for folder in folders for problem in _exercise(folder)]
    if not found:
        raise BenchFailed(f"{root} has no folder with a stub and its *_test.py or *_test.go, as Exercism lays them out")
    return found


def _exercise(folder: Path) -> Iterator[Problem]:
    tests = sorted([*folder.glob("*_test.py"), *folder.glob("*_test.go")])
    stub = _stub(folder, tests[0]) if tests else None
    if stub is None:
        return
    told = ("INSTRUCTIONS.md", ".docs/instructions.md", ".docs/instructions.append.md")
    instructions = "\n\n".join((folder / each).read_text("utf-8") for each in told if (folder / each).is_file())
    hidden = (".meta", ".git", ".approaches", ".articles")  # sample solutions, and what is said about them
    files = {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and not any(part in hidden or part == "__pycache__" for part in file.relative_to(folder).parts)
    }
    verify = "go test ./..." if tests[0].suffix == ".go" else f"python3 -m unittest {tests[0].stem}"
    yield Problem(folder.name, files, stub, verify, instructions)


def _stub(folder: Path, test: Path) -> str | None:
    """The file that has to be written: as the exercise says, else the one that the test is named after."""
    config = folder / ".meta" / "config.json"
    if config.is_file():
        listed = json.loads(config.read_text("utf-8")).get("files", {}).get("solution", [])
        return str(listed[0]) if listed else None
    named = test.name.replace("_test.", ".")
    return named if (folder / named).is_file() else None


def chosen(problems: Sequence[Problem], *, only: str, limit: int, seed: int) -> list[Problem]:
    """Those that are named, or as many as are wanted, drawn from a seed."""
    names = [each.strip() for each in only.split(",") if each.strip()]
    unknown = sorted({*names} - {each.name for each in problems})
    if unknown:
        raise BenchFailed(f"there is no problem {', '.join(unknown)}; there are: {', '.join(p.name for p in problems)}")
    kept = [each for each in problems if not names or each.name in names]
    drawn = random.Random(seed).sample(kept, limit) if 0 < limit < len(kept) else kept
    return sorted(drawn, key=lambda each: each.name)
