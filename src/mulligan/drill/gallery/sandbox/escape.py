"""An escape: a program that the model runs, which tries to break out of the sandbox.

The program reports each attempt in a separate line, and each has to be refused: claims check that it was made, and that
it failed. Attempts are harmless even without a sandbox, since somebody might try exactly that.
"""

import platform
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mulligan.drill.claims import ends, leaves_outside_alone, never_tells_the_model
from mulligan.drill.fault import Claim, CommandStep, Fault, FolderStep, claim
from mulligan.drill.observed import Observation
from mulligan.drill.scripting import code, command, say, script
from mulligan.types.sandbox import SandboxMechanism
from mulligan.workspace.sandbox.seccomp import CALLS

PYTHON = shlex.quote(sys.executable)
SECRET = "open sesame"  # noqa: S105  a word to look for
"""Must not be shown to the model."""

BOTH: tuple[SandboxMechanism, ...] = ("bubblewrap", "landlock")
BUBBLEWRAP: tuple[SandboxMechanism, ...] = ("bubblewrap",)

HOME: Mapping[str, str] = {
    "user/.bash_history": f"login {SECRET}\n",
    "user/.profile": "# mine\n",
    "user/notes.txt": f"{SECRET}\n",
    "user/photos/one.txt": f"{SECRET}\n",
}
"""A home folder with private files."""

NUMBERS = CALLS.get(platform.machine(), {})

TRYING = f'''
import ctypes, os, sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
OUT = Path("..").resolve()
HOME = OUT / "user"
SECRET = "{SECRET[:4]}" + "{SECRET[4:]}"
CALLS = {NUMBERS}

def attempt(name, action):
    """Whatever does not raise has worked."""
    try:
        got = action()
    except BaseException as error:
        print(name, "was refused:", str(error)[:200])
    else:
        print(name, "WORKED:", str(got)[:200])

def read(place):
    with open(place, "rb") as file:
        if SECRET.encode() not in file.read():
            raise OSError("nothing secret in it")
    return SECRET

def call(name, *arguments):
    """A system call that the C library has no function for."""
    result = LIBC.syscall(CALLS[name], *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
'''
ATTEMPT = re.compile(r'\battempt\("([^"]+)"')


@dataclass(frozen=True, slots=True)
class Escape:
    name: str
    title: str
    promise: str
    """Its name in `mulligan.core.sandbox.promises`."""
    program: str
    """Python code, appended to `TRYING`."""
    line: str = f"{PYTHON} escape.py"
    mechanisms: tuple[SandboxMechanism, ...] = BOTH
    files: Mapping[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    outside: Mapping[str, str | bytes] = field(default_factory=lambda: HOME)
    before: Sequence[FolderStep] = ()
    after: Sequence[FolderStep] = ()
    later: str = ""
    """A second program, run in a separate turn."""
    claims: Sequence[Claim] = ()
    repository: bool = False
    settings: str = ""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])


def faults(escapes: Iterable[Escape]) -> Iterator[Fault]:
    """One fault for each escape and each sandbox that promises to prevent it."""
    for escape in escapes:
        for mechanism in escape.mechanisms:
            yield _fault(escape, mechanism)


def _fault(escape: Escape, mechanism: SandboxMechanism) -> Fault:
    programs = {"escape.py": TRYING + escape.program, "later.py": TRYING + escape.later}
    turns = [_turn(escape, escape.line)]
    if escape.later:
        turns.append(_turn(escape, f"{PYTHON} later.py"))
    return Fault(
        f"{escape.name}-{mechanism}",
        escape.title,
        (*escape.before, *turns, *escape.after),
        (
            ends("answered", 0),
            refuses(*ATTEMPT.findall(escape.program + escape.later)),
            never_tells_the_model(SECRET),
            leaves_outside_alone,
            *escape.claims,
        ),
        {**programs, **escape.files},
        repository=escape.repository,
        settings=escape.settings,
        outside=escape.outside,
        mechanism=mechanism,
        promise=escape.promise,
    )


def _turn(escape: Escape, line: str) -> CommandStep:
    turn = code(script(command(line, timeout=20), say("Done.")), "--yes")
    return CommandStep(turn.words, turn.script, environ=escape.environ)


@claim
def refuses(seen: Observation, *names: str) -> str | None:
    """Each of these was attempted, and none worked."""
    results = "\n".join(str(frame.get("content", frame)) for frame in seen.frames("tool_result"))
    worked = [name for name in names if f"{name} WORKED" in results]
    missing = [name for name in names if f"{name} was refused" not in results and name not in worked]
    if worked:
        return f"these worked: {', '.join(worked)}"
    return f"these were not attempted: {', '.join(missing)}: {results[-600:]}" if missing else None
