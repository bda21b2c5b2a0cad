import os
from pathlib import Path

import pytest

from mulligan.core.sandbox.environment import passed_environment
from mulligan.workspace.commands import SHOWN_BYTES, ProjectCommands, plain, shown
from mulligan.workspace.process import OutputKeeper
from tests.unconfined import free

PATH = os.environ["PATH"]


@pytest.fixture
def commands(root: Path) -> ProjectCommands:
    return ProjectCommands(root, free(root), environ={"PATH": PATH, "HOME": str(root)})


async def test_a_command_runs_in_the_project_and_its_result_comes_back(commands: ProjectCommands, root: Path) -> None:
    result = await commands.run("pwd -P; echo oops >&2; exit 3", time_limit=30)

    assert (result.stdout, result.stderr, result.exit_code, result.timed_out) == (f"{root}\n", "oops\n", 3, False)
    assert result.command.startswith("pwd")
    assert result.seconds > 0


async def test_the_shell_is_bash_where_there_is_one(commands: ProjectCommands) -> None:
    assert (await commands.run("[[ a == a* ]] && echo $0", time_limit=30)).stdout.endswith("bash\n")


async def test_without_bash_it_is_sh(root: Path) -> None:
    result = await ProjectCommands(root, free(root), environ={"PATH": "/nowhere"}).run("echo $0", time_limit=30)

    assert result.stdout == "/bin/sh\n"


async def test_there_is_no_terminal_and_nothing_to_read(commands: ProjectCommands) -> None:
    script = "cat; test -t 0 || test -t 1 || (exec < /dev/tty) 2>/dev/null || echo none; echo $TERM $PAGER $NO_COLOR"

    assert (await commands.run(script, time_limit=30)).stdout == "none\ndumb cat 1\n"


async def test_what_takes_too_long_is_stopped_and_its_output_kept(commands: ProjectCommands) -> None:
    result = await commands.run("echo begun; sleep 1000", time_limit=0.5)

    assert (result.timed_out, result.exit_code, result.stdout) == (True, None, "begun\n")


async def test_a_death_by_signal_is_a_negative_code(commands: ProjectCommands) -> None:
    assert (await commands.run("kill -9 $$", time_limit=30)).exit_code == -9


async def test_of_a_long_output_the_head_and_the_larger_tail_are_shown_in_whole_lines(
    commands: ProjectCommands,
) -> None:
    lines = (await commands.run("seq 1 200000", time_limit=30)).stdout.splitlines()

    gap = next(place for place, line in enumerate(lines) if line.startswith("["))
    total = sum(len(f"{number}\n") for number in range(1, 200_001))
    head, tail = lines[:gap], lines[gap + 1 :]
    assert head == [str(number) for number in range(1, len(head) + 1)]
    assert tail == [str(number) for number in range(200_001 - len(tail), 200_001)]
    left_out = total - sum(len(line) + 1 for line in head + tail)
    assert lines[gap] == f"[… {left_out:,} bytes left out …]"
    head_bytes, tail_bytes = (sum(len(line) + 1 for line in part) for part in (head, tail))
    assert 0.39 < head_bytes / SHOWN_BYTES <= 0.4
    assert 0.59 < tail_bytes / SHOWN_BYTES <= 0.6


@pytest.mark.parametrize("size", [SHOWN_BYTES, SHOWN_BYTES + 1, 150_000, 500_000])
def test_a_single_endless_line_is_cut_where_it_must(size: int) -> None:
    keeper = OutputKeeper(200_000)
    keeper.take(b"x" * size)

    text = shown(keeper)

    assert ("left out" in text) == (size > SHOWN_BYTES)
    assert text.count("x") == min(size, SHOWN_BYTES)


def test_a_cut_through_a_character_leaves_no_scrap() -> None:
    keeper = OutputKeeper(200_000)
    keeper.take("é".encode() * 20_000 + b"!")

    assert "\ufffd" not in shown(keeper)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"\x1b[31mred\x1b[0m\n", "red\n", id="colours"),
        pytest.param(b"\x1b]0;title\x07text", "text", id="a window title"),
        pytest.param(b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", id="a link"),
        pytest.param(b"\x1b[2K\x1b[1Gdone", "done", id="cursor moves"),
        pytest.param(b"10%\r50%\r100%\nnext", "100%\nnext", id="a progress bar"),
        pytest.param(b"10%\r100%\r\nnext", "100%\nnext", id="a progress bar that ends in both"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", id="Windows line ends"),
        pytest.param(b"ok\xff\xfe", "ok\ufffd\ufffd", id="bytes that are no text"),
        pytest.param(b"a\x00b\x07c\td", "abc\td", id="control characters"),
        pytest.param("naïve ✓".encode(), "naïve ✓", id="plain text"),
    ],
)
def test_output_becomes_plain_text(data: bytes, text: str) -> None:
    assert plain(data) == text


@pytest.mark.parametrize(
    "name",
    """API_KEY OPENAI_API_KEY GITHUB_TOKEN MY_SECRET DB_PASSWORD PGPASSWORD PASSWD CREDENTIALS BASIC_AUTH SESSION_COOKIE
    GH_PAT DATABASE_URL SENTRY_DSN SSH_AUTH_SOCK MULLIGAN_API_KEY MULLIGAN_HOME AWS_PROFILE AWS_ACCESS_KEY_ID apikey
    SECRET_KEY_BASE TOKEN KEY NPM_TOKEN STRIPE_KEY_LIVE SLACK_WEBHOOK_URL KUBECONFIG SSH_ASKPASS DJANGO_SECRET
    GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_ID VAULT_ADDR CI_JOB_TOKEN ACCESSTOKEN""".split(),  # noqa: SIM905  a list
)
def test_a_variable_that_may_hold_a_secret_is_kept_out(name: str) -> None:
    assert name not in passed_environment({name: "value"})


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("postgres://user:pass@host/db", id="an address with a password"),
        pytest.param("https://:pass@host", id="a password alone"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----", id="a private key"),
        pytest.param("ghp_0123456789abcdef0123", id="a token by its looks"),
    ],
)
def test_a_value_that_looks_like_a_secret_is_kept_out(value: str) -> None:
    assert "PIP_INDEX_URL" not in passed_environment({"PIP_INDEX_URL": value})


@pytest.mark.parametrize(
    "name",
    """PATH HOME LANG LC_ALL USER SHELL VIRTUAL_ENV CONDA_PREFIX NODE_PATH NODE_OPTIONS GOPATH GOROOT CARGO_HOME
    JAVA_HOME PYTHONPATH TZ CC CFLAGS LD_LIBRARY_PATH http_proxy PIP_INDEX_URL NVM_DIR NODE_ENV""".split(),  # noqa: SIM905
)
def test_what_programs_need_stays(name: str) -> None:
    assert passed_environment({name: "/some/value"})[name] == "/some/value"


@pytest.mark.parametrize("name", ["DISPLAY", "SSH_AGENT_PID", "MONKEY", "XDG_RUNTIME_DIR", "HISTFILE", "GREETING"])
def test_what_no_build_needs_is_left_out(name: str) -> None:
    assert name not in passed_environment({name: "value"})
    assert passed_environment({name: "value"}, [name]) == {name: "value"}


async def test_secrets_do_not_reach_the_command(root: Path) -> None:
    commands = ProjectCommands(root, free(root), environ={"PATH": PATH, "OPENAI_API_KEY": "sk-1", "LANGUAGE": "hello"})

    printed = (await commands.run("env", time_limit=30)).stdout

    assert "sk-1" not in printed
    assert "LANGUAGE=hello" in printed
