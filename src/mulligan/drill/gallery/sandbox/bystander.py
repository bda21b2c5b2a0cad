"""Another program of the user, which runs at the same time as the command: with a secret in its memory and environment,
listening sockets, and a terminal. It records everything that reaches it."""

import os
import subprocess
import sys
import time
from pathlib import Path

from mulligan.drill.fault import FolderStep
from mulligan.drill.gallery.sandbox.escape import SECRET

WAIT_SECONDS = 20.0
TOLD = "bystander.json"
"""A file in the project that says where to find it."""
NOTES = "touched.txt"
"""A file in the project: what reached it, and whether it was alive at the end. Written when it is ended."""

PROGRAM = """
import ctypes, json, os, pty, selectors, signal, socket, sys, tempfile, time
out = os.path.dirname(os.getcwd())
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(0x59616d61, ctypes.c_ulong(-1 % 2**64), 0, 0, 0)  # Yama does not protect it
memory = ctypes.create_string_buffer(os.environ["BYSTANDER_KEY"].encode())
held = tempfile.TemporaryFile()
held.write(memory.value)
held.flush()
shared = open("/dev/shm/bystander-%d" % os.getpid(), "wb")
shared.write(memory.value)
shared.flush()
key = os.getpid() + 0x5000000
segment = libc.shmget(key, 4096, 0o1600)
libc.shmat.restype = ctypes.c_void_p
ctypes.memmove(libc.shmat(segment, None, 0), memory, len(memory))
master, slave = pty.openpty()
listening = selectors.DefaultSelector()
def listen(name, kind, family, address):
    one = socket.socket(family, kind)
    one.bind(address)
    if kind == socket.SOCK_STREAM:
        one.listen()
    listening.register(one, selectors.EVENT_READ, name)
    return one.getsockname()
tcp = listen("tcp", socket.SOCK_STREAM, socket.AF_INET, ("127.0.0.1", 0))[1]
udp = listen("udp", socket.SOCK_DGRAM, socket.AF_INET, ("127.0.0.1", 0))[1]
listen("abstract", socket.SOCK_STREAM, socket.AF_UNIX, "\\0bystander-%d" % os.getpid())
os.chdir(out)
for name in ("user/agent.sock", "user/open/agent.sock"):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    listen(name, socket.SOCK_STREAM, socket.AF_UNIX, os.path.join(out, name))
listening.register(master, selectors.EVENT_READ, "terminal")
found = dict(pid=os.getpid(), tcp=tcp, udp=udp, address=ctypes.addressof(memory), length=len(memory.value), key=key,
             terminal=os.ttyname(slave), held=held.fileno())
with open("project/bystander.tmp", "w") as file:
    json.dump(found, file)
os.rename("project/bystander.tmp", "project/bystander.json")
touched = set()
signal.signal(signal.SIGUSR1, lambda *_: touched.add("signal"))
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
until = time.monotonic() + 60
while not ended and time.monotonic() < until:
    for key_, _ in listening.select(0.2):
        touched.add(key_.data)
        listening.unregister(key_.fileobj)
libc.shmctl(segment, 0, None)
for name in (shared.name, "user/agent.sock", "user/open/agent.sock"):
    os.unlink(name)
with open("project/touched.txt", "w") as file:
    file.write(", ".join(sorted(touched)) or "nothing")
"""


_RUNNING: dict[Path, subprocess.Popen[bytes]] = {}
"""Bystanders by project."""


def _start(project: Path) -> None:
    env = {**os.environ, "BYSTANDER_KEY": SECRET, "HOME": str(project.parent / "user")}
    command = [sys.executable, "-c", PROGRAM]
    _RUNNING[project] = subprocess.Popen(command, cwd=project, env=env, start_new_session=True)  # noqa: S603  our own
    _wait_for(project / TOLD)


def _end(project: Path) -> None:
    bystander = _RUNNING.pop(project)
    bystander.terminate()
    try:
        bystander.wait(WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        bystander.kill()
        bystander.wait()
    (project / TOLD).unlink(missing_ok=True)


def _wait_for(file: Path) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.01)


STARTED, ENDED = FolderStep(_start), FolderStep(_end)

MEETING = f"""
import json, signal, socket
BYSTANDER = json.load(open("{TOLD}"))
PID = BYSTANDER["pid"]
"""
"""Prefix of a program that looks for the bystander."""
