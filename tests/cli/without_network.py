"""Run in a network namespace of its own: a scripted model server there, then `mulligan` with each of some words.

    unshare -rn python without_network.py PROJECT '["doctor", "--offline"]' …

What came of each is printed as a line of JSON, after one with the routes that there are.
"""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

from mulligan.models.scripted.script import Script, ScriptedReply
from tests.scripted_server import running

SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def main(project: str, *commands: str) -> None:
    with socket.socket() as plain:  # a new namespace has a loopback interface, and it is down
        fcntl.ioctl(plain, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
    tell(routes=len(Path("/proc/net/route").read_text().splitlines()) - 1)
    replies = tuple(ScriptedReply(text="It is in turn.py.") for _ in commands)
    with running(Script(replies=replies)) as server:
        environment = {**os.environ, "MULLIGAN_BASE_URL": server.base_url, "MULLIGAN_MODEL": "scripted"}
        for words in commands:
            done = subprocess.run(
                [sys.executable, "-m", "mulligan", *json.loads(words)],
                check=False, cwd=project, env=environment, capture_output=True, text=True,
            )  # fmt: skip
            tell(code=done.returncode, out=done.stdout, err=done.stderr)


def tell(**found: object) -> None:
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
