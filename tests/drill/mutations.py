"""Mulligan broken on purpose, one place at a time: the drill has to notice each."""

from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, isclass, signature
from operator import attrgetter
from textwrap import indent

GROUPS = (
    "loops", "calls", "formats", "edits", "replies", "server", "context", "commands", "sandbox", "files", "fix_runs",
    "proxy",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutation:
    breaks: str
    """What is broken, in a few words."""
    target: str
    """A function, a method or a constant: `core.repetition:_rounds_allowed`. What stands in it may change freely."""
    becomes: str
    """An expression, or the definition of `broken`, in terms of the target's module; `whole` is what stood there."""
    noticed_by: tuple[str, ...]
    """The faults that must no longer hold."""

    @property
    def module(self) -> str:
        return f"mulligan.{self.target.partition(':')[0]}"

    @property
    def name(self) -> str:
        return self.target.partition(":")[2]

    def is_there(self) -> bool:
        """Whether there is something to break."""
        try:
            attrgetter(self.name)(import_module(self.module))
        except (ImportError, AttributeError):
            return False
        return True

    def why_it_can_not_run(self) -> str:
        """Empty if what is put there can be made, and called as what was there is called."""
        module = import_module(self.module)
        names = dict(vars(module))
        whole = attrgetter(self.name)(module)
        try:
            exec(self._definition(), names)  # noqa: S102  it is our own
            broken = names["_break"](whole)
            if callable(whole) and not isclass(whole):
                given = signature(whole).parameters.values()
                named = {each.name: None for each in given if each.kind is Parameter.KEYWORD_ONLY}
                places = [
                    each for each in given if each.kind in {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}
                ]
                signature(broken).bind(*places, **named)
        except Exception as error:  # noqa: BLE001  whatever is wrong with it
            return f"{self.target}: {type(error).__name__}: {error}"
        return ""

    def source(self) -> str:
        """What the broken module ends with. It runs wherever the module is loaded, in child processes too."""
        return f"{self._definition()}{self.name} = _break({self.name})\n"

    def _definition(self) -> str:
        made = self.becomes if "def broken(" in self.becomes else f"broken = {self.becomes}"
        body = indent(f"{made}\nreturn broken", "    ")
        return f"\nimport contextlib, dataclasses, re\ndef _break(whole):\n{body}\n"


def mutations() -> dict[str, tuple[Mutation, ...]]:
    """By group, as `mutated_loops` and the other modules beside this one list them."""
    return {group: import_module(f"tests.drill.mutated_{group}").MUTATIONS for group in GROUPS}
