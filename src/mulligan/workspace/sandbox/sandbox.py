"""Runs a project's commands in a sandbox, and reports what was blocked."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL
from typing import Literal

from mulligan.core.sandbox.causes import find_causes
from mulligan.core.sandbox.profile import Surroundings, build_profile
from mulligan.ports.editor import EditorTerminal, TerminalEnd
from mulligan.types.errors import MulliganError
from mulligan.types.frozen import frozen
from mulligan.types.sandbox import (
    NO_EXTRA_ACCESS,
    ApprovalMode,
    Blocked,
    Confinement,
    ExtraAccess,
    Limits,
    SandboxChoice,
    SandboxProfile,
    SandboxStatus,
)
from mulligan.workspace.process import KeptEnd, OutputKeeper, run_kept
from mulligan.workspace.sandbox.bubblewrap import SOCKETS, UNREACHABLE_SERVER, bubblewrap_arguments
from mulligan.workspace.sandbox.detect import PROGRAM, bubblewrap_program, find_sandbox
from mulligan.workspace.sandbox.host_paths import find_host_paths
from mulligan.workspace.sandbox.orphans import ending_orphans, orphans
from mulligan.workspace.sandbox.restore_git_files import restoring_git_files
from mulligan.workspace.sandbox.watching import TreeWatch, ask_to_end
from mulligan.workspace.spawning import Launch

MEMORY_SHARE = 0.75
"""Share of the machine's memory for a command and everything that it starts."""
MAX_PROCESSES = 2048
"""Including threads; the build of a large project has some hundreds."""
USER_PROCESSES = 2000
"""Allowance for the user's other processes."""
MAX_FILE_BYTES = 8 * 1024**3
SEARCHED_CHARS = 200_000
"""Characters of output that are searched for signs of blocked access."""

LIMITS = "ulimit -c 0; ulimit -f {blocks}; ulimit -d {kilobytes}; ulimit {flag} {processes}"
RUN = "{{ " + LIMITS + '; }} 2>/dev/null; exec "$@"'
RUN_AND_COUNT = (
    "{{ " + LIMITS + "; }} 2>/dev/null; trap : TERM; exec {{shown}}>&2 2>/dev/null; "
    '"$@" 2>&$shown {{shown}}>&- {report}>&-; code=$?; '
    'while read -r line; do echo "$line"; done >&{report} </proc/net/snmp; '
    'while read -r line; do echo "$line"; done >&{report} </proc/net/snmp6; exit $code'
)
"""For bash: prints the kernel's counters of missing routes in the command's own network. Bash's message about a signal
that ended the command is not part of the output, and only the command reacts to a request to end."""


ConfiningMechanism = Literal["bubblewrap", "landlock", "seatbelt"]


class NoSandbox(MulliganError):
    """Commands must be confined, but no mechanism works here."""


@frozen
class SandboxedEnd:
    end: KeptEnd
    blocked: tuple[Blocked, ...]


class Sandbox:
    """Runs a project's commands, confined. Made for one turn or run: the paths around the project are looked up
    once."""

    def __init__(
        self,
        choice: SandboxChoice,
        project: Path,
        *,
        home: Path,
        opened: ExtraAccess = NO_EXTRA_ACCESS,
        granted: Callable[[], ExtraAccess] = lambda: NO_EXTRA_ACCESS,
        mode: ApprovalMode = "outside",
        undoable: bool = False,
        writable: bool = True,
        passed: Sequence[str] = (),
        limits: Limits | None = None,
        terminal: EditorTerminal | None = None,
        required: bool = False,
    ) -> None:
        """`home` is Mulligan's own folder. `opened` holds for every command, and so does what is `granted` when it
        begins. `passed` are names of variables that the user gives to commands. `limits` also hold for commands that
        nothing else confines. Without a way to confine them, commands run in the `terminal`, if there is one and they
        read no input, which it can't give them; if confinement is `required`, nothing runs."""
        self._opened = opened
        self._terminal = terminal
        self._required = required
        self._granted = granted
        self.passed = passed
        self._limits = limits or _limits()
        self._limited = limits is not None
        self._choice: SandboxChoice = choice
        self._mode: ApprovalMode = mode
        self._project = Path(os.path.realpath(project))
        self._home = home
        self._around: Surroundings | None = None
        self._status: SandboxStatus | None = None
        self._profiles: dict[ExtraAccess, SandboxProfile] = {}
        self._rules: dict[SandboxProfile, tuple[tuple[str, int], ...]] = {}
        self._undoable = undoable
        self._writable = writable
        self._kept: tuple[Path, ...] = ()

    @property
    def opened(self) -> ExtraAccess:
        return self._opened.with_all(self._granted())

    async def status(self) -> SandboxStatus:
        """Determined once per process. Raises `NoSandbox` if a sandbox is required but there is none."""
        if self._status is None:
            self._status = await asyncio.to_thread(find_sandbox, self._choice, self._project)
        if self._required and self._status.mechanism == "none":
            raise NoSandbox(f"there is no sandbox for commands ({self._status.missing})")
        return self._status

    async def confinement(self) -> Confinement:
        return Confinement((await self.status()).mechanism, self._undoable, self._mode, self.opened)

    def undone_by_checkpoint(self, kept: tuple[Path, ...]) -> None:
        """From now on a checkpoint can undo what commands do, except in `kept`, which they may only read."""
        self._undoable = True
        self._kept = kept
        self._profiles.clear()
        self._rules.clear()

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        time_limit: float,
        keep: int,
        grace: float,
        access: ExtraAccess = NO_EXTRA_ACCESS,
        stdin: int = DEVNULL,
    ) -> SandboxedEnd:
        """Raises `CallRejected` if it can't be started, and `NoSandbox` as `status` does."""
        mechanism = (await self.status()).mechanism
        if mechanism == "none" and self._terminal and stdin == DEVNULL:
            shown = await self._terminal.run(argv, cwd=cwd, env=env, time_limit=time_limit, keep=keep)
            return SandboxedEnd(_kept_of(shown, keep), ())
        if mechanism == "none":
            launch, watch = Launch(argv, cwd, env, stdin=stdin), TreeWatch(self._limits)
            watching = watch if self._limited else None
            end = await run_kept(launch, time_limit=time_limit, keep=keep, grace=grace, while_running=watching)
            return SandboxedEnd(replace(end, code=None) if watch.blocked else end, (*filter(None, [watch.blocked]),))
        opened = self.opened.with_all(access)
        if opened not in self._profiles:
            self._profiles[opened] = await asyncio.to_thread(self._profile, env, opened)
        profile = self._profiles[opened]
        watch = TreeWatch(profile.limits, orphans if mechanism == "landlock" else None)
        if mechanism == "landlock" and profile not in self._rules:
            from mulligan.workspace.sandbox.landlock import rules_for

            self._rules[profile] = await asyncio.to_thread(rules_for, profile)
        async with self._prepared(mechanism, profile, argv, cwd, env) as (launch, report):
            end = await run_kept(
                replace(launch, stdin=stdin),
                time_limit=time_limit,
                keep=keep,
                grace=grace,
                while_running=watch,
                ask_to_end=ask_to_end if mechanism == "bubblewrap" else None,
            )
            unreachable = _no_routes(report) if report is not None else 0
        if watch.blocked:
            return SandboxedEnd(replace(end, code=None), (watch.blocked,))
        output = (end.stderr.text(SEARCHED_CHARS) + "\n" + end.stdout.text(SEARCHED_CHARS)) if end.code != 0 else ""
        causes = find_causes(
            profile, cwd, exit_code=end.code, output=output, unreachable=unreachable, exists=os.path.lexists
        )
        return SandboxedEnd(end, causes)

    def program_prefix(self, env: Mapping[str, str], access: ExtraAccess) -> list[str]:
        """Arguments to put before a long-lived program, such as an external agent, to confine it; none without
        bubblewrap, since only that can do it. Creates missing folders that it may write to."""
        if find_sandbox(self._choice).mechanism != "bubblewrap":
            return []
        for folder in access.write:
            folder.mkdir(parents=True, exist_ok=True)
        profile = self._profile(env, self.opened.with_all(access))
        return [bubblewrap_program(self._project) or PROGRAM, *self._arguments(profile, folder=None), "--"]

    def _arguments(self, profile: SandboxProfile, *, folder: Path | None) -> list[str]:
        shown = self._shared_files()
        return bubblewrap_arguments(
            profile,
            folder=folder,
            empty_file=shown / "empty",
            empty_folder=shown / "folder",
            name_servers=shown / "dns",
        )

    def _profile(self, env: Mapping[str, str], access: ExtraAccess) -> SandboxProfile:
        if self._around is None:
            self._around = find_host_paths(self._project, self._home, env)
        cache = self._home / "sandbox" / "caches" / sha256(os.fsencode(self._project)).hexdigest()[:16]
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        return build_profile(
            self._project,
            self._around,
            cache=cache,
            limits=self._limits,
            access=access,
            kept=self._kept,
            writable=self._writable,
        )

    @asynccontextmanager
    async def _prepared(
        self,
        mechanism: ConfiningMechanism,
        profile: SandboxProfile,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
    ) -> AsyncGenerator[tuple[Launch, int | None]]:
        """The process to start, and a file descriptor to read the kernel's counters from afterwards."""
        async with AsyncExitStack() as stack:
            stack.enter_context(restoring_git_files(profile.repositories))
            match mechanism:
                case "bubblewrap":
                    yield self._bubblewrap(stack, profile, argv, cwd, env)
                case "landlock":
                    stack.enter_context(ending_orphans())
                    yield self._landlock(stack, profile, argv, cwd, env), None
                case "seatbelt":
                    yield self._seatbelt(stack, profile, argv, cwd, env), None

    def _bubblewrap(
        self, stack: AsyncExitStack, profile: SandboxProfile, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> tuple[Launch, int | None]:
        from mulligan.workspace.sandbox.seccomp import filter_program, supported

        words = self._arguments(profile, folder=cwd)
        passed: list[int] = []
        if supported():
            passed.append(_memory_file(stack, filter_program(sockets=SOCKETS, see_others=False)))
            words += ["--seccomp", str(passed[-1])]
        # In a file: a long list would not fit on a command line, and the command could read it in /proc.
        passed.append(_memory_file(stack, b"".join(os.fsencode(word) + b"\0" for word in words)))
        shell = argv[0] if argv[0].endswith("/bash") else "/bin/sh"
        report = None if profile.network or shell == "/bin/sh" else _memory_file(stack, b"")
        program = bubblewrap_program(self._project) or PROGRAM
        script = _script(profile.limits, report, dash=shell == "/bin/sh")
        launched = [program, "--args", str(passed[-1]), "--", shell, "-c", script, "sh", *argv]
        if report is not None:
            passed.append(report)
        return Launch(
            launched, cwd, {**env, "HOME": str(profile.home)}, pass_fds=tuple(passed), ends_with_us=True
        ), report

    def _landlock(
        self, stack: AsyncExitStack, profile: SandboxProfile, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> Launch:
        from mulligan.workspace.sandbox.landlock import LandlockConfinement

        private = self._private_folder(stack)
        confinement = LandlockConfinement(self._rules[profile], network=profile.network, private=private)
        stack.callback(confinement.close)
        script = _script(profile.limits, None, dash=True)
        return Launch(
            ["/bin/sh", "-c", script, "sh", *argv],
            cwd,
            {**env, **_private_environment(profile, private, env)},
            confine=confinement.enter,
        )

    def _seatbelt(
        self, stack: AsyncExitStack, profile: SandboxProfile, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> Launch:
        from mulligan.workspace.sandbox.seatbelt import seatbelt_profile

        private = self._private_folder(stack)
        text = seatbelt_profile(profile, private=private)
        script = _script(profile.limits, None, dash=True)
        launched = ["sandbox-exec", "-p", text, "/bin/sh", "-c", script, "sh", *argv]
        return Launch(launched, cwd, {**env, **_private_environment(profile, private, env)})

    def _private_folder(self, stack: AsyncExitStack) -> Path:
        """A folder for home and temporary files, deleted with the command."""
        parent = self._home / "sandbox" / "private"
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = Path(os.path.realpath(tempfile.mkdtemp(dir=parent)))
        stack.callback(_delete_all, folder)
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        return folder

    def _shared_files(self) -> Path:
        """Files that every sandbox shows instead of secrets."""
        folder = self._home / "sandbox" / "shown"
        if not (folder / "dns").exists():
            (folder / "folder").mkdir(parents=True, exist_ok=True)
            (folder / "empty").touch()
            (folder / "dns").write_bytes(UNREACHABLE_SERVER)
        return folder


def _kept_of(shown: TerminalEnd, keep: int) -> KeptEnd:
    output = OutputKeeper(keep)
    output.take(shown.output)
    return KeptEnd(shown.timed_out, shown.code, output, OutputKeeper(keep))


def _private_environment(profile: SandboxProfile, private: Path, env: Mapping[str, str]) -> dict[str, str]:
    """A private home, while tools still find their own folders in the user's home, which are readable."""
    tools = {
        "CARGO_HOME": ".cargo", "GOMODCACHE": "go/pkg/mod", "NVM_DIR": ".nvm", "PYENV_ROOT": ".pyenv",
        "RBENV_ROOT": ".rbenv", "RUSTUP_HOME": ".rustup", "SDKMAN_DIR": ".sdkman",
    }  # fmt: skip
    found = {name: str(profile.home / place) for name, place in tools.items() if (profile.home / place).is_dir()}
    temporary = str(private / "tmp")
    return {
        **found,
        **{name: env[name] for name in found if name in env},
        "HOME": str(private / "home"),
        "XDG_CACHE_HOME": str(profile.cache),
        "GOCACHE": str(profile.cache / "go-build"),
        "TMPDIR": temporary,
        "TEMP": temporary,
        "TMP": temporary,
    }


def _delete_all(folder: Path) -> None:
    """Delete a folder, including folders whose permissions a command removed."""
    for inner, _, _ in os.walk(folder, onerror=lambda error: _make_accessible(error.filename)):
        _make_accessible(inner)
    shutil.rmtree(folder, ignore_errors=True)


def _make_accessible(folder: str) -> None:
    with suppress(OSError):
        if not os.path.islink(folder):  # noqa: PTH114  as `os.walk` gives it
            os.chmod(folder, 0o700)  # noqa: PTH101


def _limits() -> Limits:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Limits(memory_bytes=int(memory * MEMORY_SHARE), processes=MAX_PROCESSES, file_bytes=MAX_FILE_BYTES)


def _script(limits: Limits, report: int | None, *, dash: bool) -> str:
    return (RUN if report is None else RUN_AND_COUNT).format(
        blocks=limits.file_bytes // (512 if dash else 1024),
        kilobytes=limits.memory_bytes // 1024,
        flag="-p" if dash else "-u",
        # The kernel counts all of the user's processes, not just the command's.
        processes=limits.processes + USER_PROCESSES,
        report=report,
    )


def _memory_file(stack: AsyncExitStack, data: bytes) -> int:
    """An unnamed file in memory, positioned at its beginning."""
    number = os.memfd_create("mulligan", os.MFD_CLOEXEC)
    stack.callback(os.close, number)
    os.write(number, data)
    os.lseek(number, 0, os.SEEK_SET)
    return number


def _no_routes(report: int) -> int:
    """How often the kernel had no route to an address, by its own counters."""
    text = os.pread(report, 100_000, 0).decode("ascii", "replace")
    lines = text.splitlines()
    found = 0
    for names, values in pairwise(lines):
        if names.startswith("Ip: Forwarding") and values.startswith("Ip:"):
            counted = dict(zip(names.split(), values.split(), strict=False))
            found += int(counted.get("OutNoRoutes", 0))
    for line in lines:
        if line.startswith("Ip6OutNoRoutes"):
            found += int(line.split()[1])
    return found
