from pathlib import Path
from typing import Any

import pytest

from mulligan.tools.run_command import RunCommand, show_result
from mulligan.types.commands import Approval, ChatCommandResult, CommandKind, CommandResult, PolicyVerdict
from mulligan.types.errors import CallRejected
from mulligan.types.permissions import Permissions
from mulligan.types.sandbox import NO_EXTRA_ACCESS, Confinement, ExtraAccess
from mulligan.types.tool_calls import Failed, Outcome, Succeeded
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.sandbox import Sandbox


class User:
    """Says yes or no, and remembers what they were asked."""

    def __init__(self, *, answer: bool = True, says: str = "") -> None:
        self.answer = answer
        self.says = says
        self.asked: list[tuple[str, str]] = []

    async def __call__(self, command: str, verdict: PolicyVerdict) -> Approval:
        self.asked.append((command, verdict.reason))
        return Approval(self.answer, self.says)


class WithoutGit:
    """Commands of a chat without a repository, and without edits."""

    def __init__(self, root: Path) -> None:
        self._commands = ProjectCommands(root, Sandbox("auto", root, home=root.parent / "mulligan-home"))

    async def run(
        self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS, kinds: frozenset[CommandKind]
    ) -> ChatCommandResult:
        del kinds
        return ChatCommandResult(await self._commands.run(command, time_limit=time_limit, access=access), changed=None)

    async def confinement(self) -> Confinement:
        return await self._commands.confinement()


class Bench:
    def __init__(self, root: Path, user: User, *, rules: Permissions | None = None) -> None:
        self.user = user
        self.tool = RunCommand(WithoutGit(root), user, lambda: rules or Permissions(), project=str(root))

    async def run(self, command: str, **arguments: Any) -> Outcome:
        return await self.tool.run({"command": command, **arguments})

    async def text(self, command: str, **arguments: Any) -> str:
        """What the model reads, without the time it took."""
        outcome = await self.run(command, **arguments)
        assert isinstance(outcome, (Succeeded, Failed))
        first, _, rest = outcome.content.partition("\n")
        return f"{first.rpartition(' (')[0]}\n{rest}"


@pytest.fixture
def user() -> User:
    return User()


@pytest.fixture
def bench(root: Path, user: User) -> Bench:
    return Bench(root, user)


async def test_an_allowed_command_runs_without_asking(bench: Bench, user: User) -> None:
    assert await bench.text("echo hello") == "exit code 0\nhello"
    assert user.asked == []


async def test_the_first_line_tells_how_it_ended_and_how_long_it_took(bench: Bench) -> None:
    outcome = await bench.run("true")

    assert isinstance(outcome, Succeeded)
    first, rest = outcome.content.split("\n")
    assert first.startswith("exit code 0 (")
    assert first.endswith(" s)")
    assert rest == "[no output]"


async def test_the_error_stream_is_marked(bench: Bench) -> None:
    assert await bench.text("echo out; ls /dev/null/x 2>&1 >/dev/null | head -c 0; echo err >&2") == (
        "exit code 0\nout\n[stderr]\nerr"
    )


async def test_a_command_that_fails_is_an_exec_error_with_its_output(bench: Bench) -> None:
    outcome = await bench.run("echo before; exit 3")

    assert isinstance(outcome, Failed)
    assert outcome.kind == "exec_error"
    assert outcome.content.startswith("exit code 3 (")
    assert outcome.content.endswith("\nbefore")


async def test_a_command_that_takes_too_long_is_an_exec_error_with_what_it_said(bench: Bench) -> None:
    outcome = await bench.run("echo before; sleep 1000", timeout=3)

    assert isinstance(outcome, Failed)
    assert outcome.kind == "exec_error"
    assert outcome.content.startswith("stopped: it ran longer than its limit of 3 s")
    assert outcome.content.endswith("\nbefore")


async def test_what_the_policy_leaves_open_runs_if_the_user_agrees(bench: Bench, user: User, root: Path) -> None:
    assert await bench.text("touch made") == "exit code 0\n[no output]"

    assert (root / "made").exists()
    assert user.asked[0][0] == "touch made"
    assert "`touch made` changes files directly" in user.asked[0][1]


async def test_what_the_user_does_not_want_is_not_run(root: Path) -> None:
    bench = Bench(root, User(answer=False))

    with pytest.raises(CallRejected, match="did not get it") as refused:
        await bench.run("touch made")

    assert refused.value.kind == "permission_denied"
    assert not (root / "made").exists()


async def test_what_is_denied_is_not_even_asked(bench: Bench, user: User, root: Path) -> None:
    (root / "precious").touch()

    with pytest.raises(CallRejected, match="would remove the project itself") as refused:
        await bench.run("rm -rf *")

    assert refused.value.kind == "permission_denied"
    assert user.asked == []
    assert (root / "precious").exists()


async def test_a_users_rules_hold(root: Path, user: User) -> None:
    bench = Bench(root, user, rules=Permissions.of_commands(allow=("touch",), deny=("echo",)))

    await bench.run("touch made")
    with pytest.raises(CallRejected, match="denied by the rules"):
        await bench.run("echo hi")

    assert user.asked == []


async def test_absolute_paths_into_the_project_are_no_reason_to_ask(bench: Bench, user: User, root: Path) -> None:
    (root / "a.txt").write_text("content\n")

    assert await bench.text(f"cd {root} && cat {root}/a.txt") == "exit code 0\ncontent"
    assert user.asked == []


RESULT = CommandResult("make", 0, timed_out=False, stdout="made\n", stderr="", seconds=0.25)


@pytest.mark.parametrize(
    ("ran", "said"),
    [
        pytest.param(ChatCommandResult(RESULT), "exit code 0 (0.2 s)\nmade", id="nothing is pending"),
        pytest.param(
            ChatCommandResult(RESULT, seen=1),
            "exit code 0 (0.2 s), run with your 1 pending edit\nmade",
            id="one is seen",
        ),
        pytest.param(
            ChatCommandResult(RESULT, seen=2, changed=("a", "b")),
            "exit code 0 (0.2 s), run with your 2 pending edits\nChanged by it, and pending now: a, b\nmade",
            id="it changed files",
        ),
        pytest.param(
            ChatCommandResult(RESULT, unseen=2, why_unseen="there is no git repository"),
            "NOT SEEN by this command: 2 pending edits. There is no git repository.\nexit code 0 (0.2 s)\nmade",
            id="none is seen",
        ),
        pytest.param(
            ChatCommandResult(RESULT, changed=("a",), left_out=("lib: a submodule",)),
            "exit code 0 (0.2 s)\nChanged by it: a\nNot kept: lib: a submodule\nmade",
            id="something is left out",
        ),
        pytest.param(
            ChatCommandResult(RESULT, changed=tuple(map(str, range(30)))),
            f"exit code 0 (0.2 s)\nChanged by it: {', '.join(map(str, range(20)))} and 10 more\nmade",
            id="it changed many",
        ),
    ],
)
def test_the_result_says_what_was_pending_and_what_changed(ran: ChatCommandResult, said: str) -> None:
    assert show_result(ran, limit=60) == said


@pytest.mark.parametrize(
    ("command", "first"),
    [
        pytest.param("echo hi", False, id="what only reads"),
        pytest.param("touch made", True, id="what writes"),
        pytest.param("[ -e x ] || mkdir -p y", True, id="what may write"),
    ],
)
async def test_only_the_first_success_of_what_may_write_is_progress(bench: Bench, command: str, first: bool) -> None:
    outcomes = [await bench.run(command), await bench.run(command)]

    assert [isinstance(outcome, Succeeded) and outcome.state is not None for outcome in outcomes] == [first, False]


async def test_a_failed_attempt_does_not_use_up_the_progress(bench: Bench, root: Path) -> None:
    assert isinstance(await bench.run("cp a b"), Failed)
    (root / "a").touch()

    outcome = await bench.run("cp a b")

    assert isinstance(outcome, Succeeded)
    assert outcome.state is not None


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="no command"),
        pytest.param({"command": ""}, id="an empty one"),
        pytest.param({"command": "ls", "timeout": 0}, id="no time"),
    ],
)
async def test_arguments_that_do_not_fit_are_told(bench: Bench, arguments: dict[str, Any]) -> None:
    with pytest.raises(CallRejected, match="don't fit") as refused:
        await bench.tool.run(arguments)

    assert refused.value.kind == "schema_reject"


async def test_more_time_than_there_is_counts_as_all_there_is(bench: Bench) -> None:
    assert isinstance(await bench.run("true", timeout=9_999), Succeeded)


def test_the_tool_keeps_its_own_time(bench: Bench) -> None:
    assert bench.tool.spec.name == "run_command"
    assert bench.tool.spec.time_limit is None


async def test_a_command_with_the_mask_of_a_secret_is_not_run(bench: Bench, root: Path) -> None:
    with pytest.raises(CallRejected, match=r"\[masked: secret\] stands for a value that you are not shown"):
        await bench.run("echo '[masked: secret]' > made.txt")
    assert not (root / "made.txt").exists()


async def test_what_the_user_says_with_a_no_reaches_the_model(root: Path) -> None:
    bench = Bench(root, User(answer=False, says="use create_file"))
    with pytest.raises(CallRejected, match="The user said: use create_file"):
        await bench.run("touch made")
