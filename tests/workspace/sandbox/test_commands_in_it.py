"""Commands under each way: what passes through unchanged, what they are told they lacked, and how they end."""

import pytest

from mulligan.types.sandbox import ExtraAccess, Limits, SandboxChoice
from tests.workspace.sandbox.conftest import PYTHON, WAYS, Place

pytestmark = pytest.mark.parametrize("way", WAYS)

SMALL = Limits(memory_bytes=400_000_000, processes=40, file_bytes=1_000_000)

ENDS = {
    "success": ("true", (0,)),
    "failure": ("exit 1", (1,)),
    "own code": ("exit 77", (77,)),
    "child killed": ("sh -c 'kill -KILL $$'; exit $?", (137,)),
    "killed itself": ("kill -KILL $$", (137, -9)),
}


@pytest.mark.parametrize(("line", "codes"), ENDS.values(), ids=ENDS)
async def test_an_exit_code_passes_through(place: Place, way: SandboxChoice, line: str, codes: tuple[int, ...]) -> None:
    assert (await place.run(way, line)).end.code in codes


async def test_both_outputs_pass_through_byte_by_byte(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, r"printf 'one\000two\377'; printf 'three' >&2")
    assert (bytes(ended.end.stdout.head), bytes(ended.end.stderr.head)) == (b"one\0two\xff", b"three")


async def test_nothing_is_said_beside_a_command_that_a_signal_ended(place: Place, way: SandboxChoice) -> None:
    assert bytes((await place.run(way, "kill -SEGV $$")).end.stderr.head) == b""


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/sh"])
async def test_a_command_has_its_grace_at_the_time_limit(place: Place, way: SandboxChoice, shell: str) -> None:
    program = (
        "import signal, sys, subprocess\n"
        "def end(*_):\n    open('ended.txt', 'w').write('tidied up')\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()\n"
    )
    (place.project / "slow.py").write_text(program)
    ended = await place.run(way, f"exec {PYTHON} slow.py", time_limit=3, shell=shell)
    assert (ended.end.timed_out, ended.end.code) == (True, None)
    assert (place.project / "ended.txt").read_text() == "tidied up"


NETWORK = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=3)"


async def test_the_network_is_known_to_be_missing(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, f'{PYTHON} -c "{NETWORK}"')
    assert [each.what for each in ended.blocked] == ["network"]


async def test_a_name_that_is_looked_up_is_the_network_too(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, f"{PYTHON} -c \"import socket; socket.getaddrinfo('example.com', 80)\"")
    assert "network" in [each.what for each in ended.blocked]


async def test_a_hidden_file_is_named(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, f"cat {place.home}/notes.txt")
    assert [(each.what, each.detail) for each in ended.blocked] == [("read", f"{place.home}/notes.txt")]


async def test_a_file_may_only_be_so_large(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, "head -c 2000000 /dev/zero > large.bin", limits=SMALL)
    assert [each.what for each in ended.blocked] == ["file_size"]
    assert (place.project / "large.bin").stat().st_size <= SMALL.file_bytes


async def test_too_many_processes_end_the_command(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, "for i in $(seq 100); do sleep 60 & done; wait", limits=SMALL)
    assert [each.what for each in ended.blocked] == ["processes"]


async def test_processes_that_left_are_counted_too(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, "for i in $(seq 100); do env -i setsid -f sleep 60; done; sleep 60", limits=SMALL)
    assert [each.what for each in ended.blocked] == ["processes"]


async def test_too_much_memory_in_many_processes_ends_the_command(place: Place, way: SandboxChoice) -> None:
    held = f"{PYTHON} -c \"import time; held = b'x' * 90_000_000; time.sleep(60)\""
    ended = await place.run(way, f"for i in 1 2 3 4 5 6; do {held} & done; wait", limits=SMALL)
    assert [each.what for each in ended.blocked] == ["memory"]


async def test_a_folder_that_is_opened_can_be_written_to(place: Place, way: SandboxChoice) -> None:
    (place.home / "out").mkdir()
    line = f"echo made > {place.home}/out/made.txt"
    assert (await place.run(way, line)).end.code != 0
    assert (await place.run(way, line, access=ExtraAccess(write=(place.home / "out",)))).end.code == 0
    assert (place.home / "out" / "made.txt").read_text() == "made\n"


async def test_a_file_that_is_opened_can_be_read_and_not_written_to(place: Place, way: SandboxChoice) -> None:
    opened = ExtraAccess(read=(place.home / "notes.txt",))
    ended = await place.run(way, f"cat {place.home}/notes.txt", access=opened)
    assert bytes(ended.end.stdout.head) == b"secret"
    assert (await place.run(way, f"echo more >> {place.home}/notes.txt", access=opened)).end.code != 0


async def test_what_a_command_locks_up_in_its_home_is_gone_too(place: Place, way: SandboxChoice) -> None:
    await place.run(way, 'mkdir -p ~/deep/er && chmod 000 ~/deep; mkdir "${TMPDIR:-/tmp}/x"')
    private = place.home / ".mulligan" / "sandbox" / "private"
    assert not private.exists() or not list(private.iterdir())


async def test_the_cache_is_kept_from_command_to_command(place: Place, way: SandboxChoice) -> None:
    await place.run(
        way, 'mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}" && echo kept > "${XDG_CACHE_HOME:-$HOME/.cache}/x"'
    )
    assert bytes((await place.run(way, 'cat "${XDG_CACHE_HOME:-$HOME/.cache}/x"')).end.stdout.head) == b"kept\n"


async def test_a_link_out_of_the_project_stops_no_command(place: Place, way: SandboxChoice) -> None:
    for name, target in ((".env", "/usr"), ("data", "/etc"), ("gone.pem", "/nowhere"), (".mulligan", "/etc")):
        (place.project / name).symlink_to(target)
    ended = await place.run(way, "ls /usr/bin/env", kept=(place.project / "data",))
    assert (ended.end.code, bytes(ended.end.stderr.head)) == (0, b"")


async def test_programs_of_the_search_path_run(place: Place, way: SandboxChoice) -> None:
    ended = await place.run(way, f"{PYTHON} -c 'import pydantic' && git --version")
    assert (ended.end.code, bytes(ended.end.stderr.head)) == (0, b"")
