"""What is sent and what must come of it, as the bench takes it."""

from dataclasses import dataclass, replace
from random import Random

from bench.edits.corpus import Example
from bench.edits.second.form import Sent
from bench.edits.second.texts import Text
from bench.edits.second.truth import Edit


@dataclass(frozen=True, slots=True)
class Made:
    """A case without its family's name. Nothing is wanted where it must be refused."""

    text: Text
    content: str
    sent: Sent
    above: str = ""
    below: str = ""
    wanted: str | None = None

    def example(self, family: str) -> Example:
        must = self.wanted is not None
        return Example(
            kind=family,
            source=f"{self.text.language} {self.text.name}",
            expects="applied" if must else "refused",
            content=self.content,
            old=self.sent[0],
            new=self.sent[1],
            expected=self.above + (self.wanted or "") + self.below if must else self.content,
            above=self.above,
            below=self.below,
        )

    def with_carriage_returns(self) -> "Made":
        """The file's lines end so, the edit's do not."""
        above, below, content = (text.replace("\n", "\r\n") for text in (self.above, self.below, self.content))
        wanted = (self.wanted or "").replace("\n", "\r\n")
        return replace(self, content=content, above=above, below=below, wanted=wanted)


def applied(edit: Edit, sent: Sent, rng: Random | None = None) -> Made | None:
    """Some texts of whole lines end with a line end."""
    if sent[0] == sent[1]:
        return None
    above, wanted, below = (_ended(lines) for lines in (edit.above, edit.wanted, edit.below))
    if rng and rng.random() < 0.2 and not sent[0].endswith(("```", '"', "'", "`")):
        sent = (sent[0] + "\n", sent[1] + "\n")
    return Made(edit.text, edit.text.content, sent, above, below, wanted)


def must_refuse(text: Text, sent: Sent) -> Made | None:
    return Made(text, text.content, sent) if sent[0] != sent[1] else None


def _ended(lines: tuple[str, ...] | list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
