"""What a Dockerfile says, and what its .dockerignore leaves out."""

import json
import re
import shlex
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True)
class Instruction:
    name: str
    words: str
    stage: int
    """Which `FROM` it stands under, from 0."""


@dataclass(frozen=True)
class Dockerfile:
    instructions: tuple[Instruction, ...]

    def last(self, name: str) -> str:
        """Of the image itself, which is the last stage."""
        stage = self.instructions[-1].stage
        return [each.words for each in self.instructions if each.name == name and each.stage == stage][-1]

    def command(self, name: str) -> list[str]:
        """In the form of a JSON list, with options before it left out."""
        return json.loads(self.last(name)[self.last(name).index("[") :])

    def copied(self) -> list[str]:
        """From the folder that is built, all stages."""
        copies = [shlex.split(each.words)[:-1] for each in self.instructions if each.name == "COPY"]
        return [source for sources in copies if not sources[0].startswith("--from=") for source in sources]


def read_dockerfile(file: Path) -> Dockerfile:
    text = re.sub(r"^\s*#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    stage, found = -1, list[Instruction]()
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        if line.strip():
            name, _, words = line.strip().partition(" ")
            stage += name == "FROM"
            found.append(Instruction(name, words.strip(), stage))
    return Dockerfile(tuple(found))


def is_sent(path: str, dockerignore: Path) -> bool:
    """Whether a path goes to the builder: the last pattern that names it, or a folder of it, decides."""
    folders = [str(each) for each in (Path(path), *Path(path).parents) if str(each) != "."]
    sent = True
    for line in dockerignore.read_text(encoding="utf-8").splitlines():
        pattern = line.strip().removeprefix("!")
        if not pattern or pattern.startswith("#"):
            continue
        anywhere = pattern.removeprefix("**/")
        if any(_names(pattern, anywhere, each) for each in folders):
            sent = line.strip().startswith("!")
    return sent


def _names(pattern: str, anywhere: str, path: str) -> bool:
    if anywhere != pattern:
        return fnmatchcase(path.rpartition("/")[2], anywhere)
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)
