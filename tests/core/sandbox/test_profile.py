"""What a command is given, from what is around the project."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.sandbox.profile import Repository, Surroundings, build_profile, outermost
from mulligan.types.sandbox import NO_EXTRA_ACCESS, ExtraAccess, Limits, SandboxProfile

PROJECT = Path("/home/me/project")
GIT = PROJECT / ".git"
AROUND = Surroundings(
    home=Path("/home/me"),
    mulligan_home=Path("/home/me/.mulligan"),
    hidden=(Path("/home"), Path("/scratch"), Path("/run")),
    tools=(Path("/usr/bin"), Path("/home/me/.pyenv")),
    repositories=(Repository(GIT, GIT, GIT),),
    secrets=(PROJECT / ".env",),
)
LIMITS = Limits(memory_bytes=1000, processes=10, file_bytes=100)


def profile(
    around: Surroundings = AROUND, access: ExtraAccess = NO_EXTRA_ACCESS, kept: tuple[Path, ...] = ()
) -> SandboxProfile:
    return build_profile(PROJECT, around, cache=Path("/cache"), limits=LIMITS, access=access, kept=kept)


def test_the_project_can_be_written_to_and_its_repository_can_only_be_read() -> None:
    made = profile()
    assert made.writable == (PROJECT,)
    assert made.protected == (GIT, PROJECT / ".mulligan")
    assert PROJECT / ".env" in made.masked
    assert not made.network


def test_a_repository_that_is_opened_keeps_what_runs_programs() -> None:
    made = profile(access=ExtraAccess(git=True))
    assert GIT in made.writable
    assert {GIT / name for name in ("hooks", "config", "commondir", "refs/mulligan")} <= set(made.protected)


TOOLS = {
    "the home itself": (Path("/home/me"), False),
    "what the home lies in": (Path("/home"), False),
    "all temporary files": (Path("/scratch"), False),
    "the whole disk": (Path("/"), False),
    "a folder of the home": (Path("/home/me/tools"), True),
}


@pytest.mark.parametrize(("tool", "shown"), TOOLS.values(), ids=TOOLS)
def test_a_search_path_does_not_show_what_is_hidden(tool: Path, *, shown: bool) -> None:
    assert (tool in profile(replace(AROUND, tools=(tool,))).readable) == shown


SOCKETS = {
    "of the system": (Path("/var/lib/db.sock"), True),
    "hidden": (Path("/run/docker.sock"), False),
    "in a shown folder": (Path("/home/me/.pyenv/agent.sock"), True),
    "of the project": (PROJECT / "server.sock", False),
}


@pytest.mark.parametrize(("socket", "masked"), SOCKETS.values(), ids=SOCKETS)
def test_sockets_that_would_be_seen_are_masked(socket: Path, *, masked: bool) -> None:
    assert (socket in profile(replace(AROUND, sockets=(socket,))).masked) == masked


def test_what_a_user_opens_is_not_masked() -> None:
    assert PROJECT / ".env" not in profile(access=ExtraAccess(read=(PROJECT / ".env",))).masked


def test_what_no_checkpoint_brings_back_is_kept_until_it_is_opened() -> None:
    kept = (PROJECT / "local.db",)
    assert profile(kept=kept).kept == kept
    assert profile(kept=kept, access=ExtraAccess(ignored=True)).kept == ()


def test_the_git_folder_is_watched_even_where_there_is_none() -> None:
    assert profile(replace(AROUND, repositories=())).repositories == (GIT,)


paths = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4).map(lambda parts: Path("/", *parts))


@given(st.lists(paths))
def test_of_the_outermost_none_lies_in_another_and_all_lie_in_one(places: list[Path]) -> None:
    found = outermost(places)
    assert not [one for one in found for other in found if one != other and one.is_relative_to(other)]
    assert all(any(place.is_relative_to(each) for each in found) for place in places)


@given(st.lists(paths, max_size=5), st.lists(paths, max_size=5))
def test_no_tool_shows_a_hidden_folder_whole(hidden: list[Path], tools: list[Path]) -> None:
    made = profile(replace(AROUND, hidden=tuple(hidden), tools=tuple(tools), repositories=()))
    assert not [each for each in made.readable for place in made.hidden if place.is_relative_to(each)]
