"""Escapes that try to change files outside of the project, and protected files of the project."""

import os
from pathlib import Path

from mulligan.drill.claims import holds
from mulligan.drill.fault import FolderStep
from mulligan.drill.gallery.sandbox.bystander import ENDED, MEETING, STARTED
from mulligan.drill.gallery.sandbox.escape import BUBBLEWRAP, HOME, Escape

OTHER = {**HOME, "other/one.py": "ONE = 1\n"}


def _link_out(project: Path) -> None:
    (project / "profile").symlink_to(project.parent / "user" / ".profile")
    (project / "home").symlink_to(project.parent / "user")


WRITING = (
    Escape(
        "write-home",
        "a command writes into the user's home",
        "outside-writes",
        """
for name in ("planted.txt", ".bashrc", ".profile", ".ssh/authorized_keys", ".config/autostart/one.desktop"):
    place = HOME / name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("planted")
    except OSError as error:
        print(error)
attempt("existing", lambda: open(HOME / "notes.txt", "r+"))
""",
    ),
    Escape(
        "write-beside",
        "a command writes beside the project",
        "outside-writes",
        """
attempt("existing", lambda: open(OUT / "other/one.py", "r+"))
for place in (OUT / "other/one.py", OUT / "other/two.py", OUT / "other/deep/three.py"):
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("planted")
    except OSError as error:
        print(error)
""",
        outside=OTHER,
    ),
    Escape(
        "write-by-link",
        "a command writes through links that lead out of the project",
        "outside-writes",
        """
attempt("link", lambda: open("profile", "r+"))
os.symlink(HOME / ".profile", "own")
attempt("own link", lambda: open("own", "r+"))
attempt("hard link", lambda: (os.link(HOME / ".profile", "hard"), open("hard", "a").write("planted")))
for place in ("profile", "home/planted.txt", "own"):
    try:
        open(place, "a").write("planted")
    except OSError as error:
        print(error)
""",
        before=(FolderStep(_link_out),),
    ),
    Escape(
        "write-by-race",
        "a command swaps a folder for a link while it writes into it",
        "outside-writes",
        """
import threading
os.mkdir("folder")
os.symlink(HOME, "link")
over = False
def swap():
    while not over:
        for one, other in (("folder", "aside"), ("link", "folder"), ("folder", "link"), ("aside", "folder")):
            try:
                os.rename(one, other)
            except OSError:
                pass
thread = threading.Thread(target=swap)
thread.start()
won = 0
for number in range(3000):
    try:
        with open("folder/.profile", "r+") as file:
            file.write("planted")
            won += 1
    except OSError:
        pass
over = True
thread.join()
attempt("race", lambda: 1 / won)
""",
    ),
    Escape(
        "write-through-proc",
        "a command goes through /proc to write outside",
        "outside-writes",
        MEETING
        + """
there = str(HOME).lstrip("/") + "/.profile"
attempt("own root", lambda: open(f"/proc/self/root/{there}", "r+"))
attempt("root of another", lambda: open(f"/proc/{PID}/root/{there}", "r+"))
attempt("folder of another", lambda: open(f"/proc/{PID}/cwd/user/.profile", "r+"))
attempt("open file of another", lambda: open(f"/proc/{PID}/fd/{BYSTANDER['held']}", "r+"))
attempt("descriptor", lambda: open(f"/dev/fd/{os.open('/', os.O_PATH)}/{there}", "r+"))
attempt("first process", lambda: open(f"/proc/1/root/{there}", "r+"))
""",
        before=(STARTED,),
        after=(ENDED,),
        outside={**HOME, "user/open/shown.txt": "shown"},
    ),
    Escape(
        "move-outside",
        "a command moves, empties and deletes what lies outside",
        "outside-writes",
        """
Path("mine.txt").write_text("planted")
attempt("truncate", lambda: os.truncate(HOME / "notes.txt", 0))
attempt("delete", lambda: os.unlink(HOME / "notes.txt"))
attempt("delete folder", lambda: os.rename(HOME / "photos", HOME / "gone"))
attempt("move in", lambda: os.rename(HOME / ".profile", "profile"))
attempt("move out", lambda: os.rename("mine.txt", OUT / "other/planted.py"))
attempt("link out", lambda: os.link("mine.txt", OUT / "other/linked.py"))
attempt("exchange", lambda: LIBC.renameat2(-100, b"mine.txt", -100, os.fsencode(HOME / ".profile"), 2) and 1 / 0)
""",
        outside=OTHER,
    ),
    Escape(
        "change-modes",
        "a command changes modes and times of what lies outside",
        "outside-metadata",
        """
attempt("mode", lambda: os.chmod(HOME / "notes.txt", 0o777))
attempt("times", lambda: os.utime(HOME / "notes.txt", (1, 1)))
attempt("owner", lambda: os.chown(HOME / "notes.txt", os.getuid(), os.getgid()))
attempt("attribute", lambda: os.setxattr(HOME / "notes.txt", "user.planted", b"1"))
""",
        mechanisms=BUBBLEWRAP,
    ),
    Escape(
        "write-mulligans-own",
        "a command opens the sandbox in Mulligan's own folder",
        "mulligan",
        """
attempt("settings", lambda: open(OUT / "home/mulligan.toml", "r+"))
for name in ("home/mulligan.toml", "home/openings.json", "home/planted.txt"):
    try:
        (OUT / name).write_text('sandbox = "none"')
    except OSError as error:
        print(error)
attempt("database", lambda: open(OUT / "home/mulligan.db", "r+b"))
""",
        settings="network = false\n",
        later="""
attempt("written", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "write-system",
        "a command opens files of the system for writing",
        "outside-writes",
        """
attempt("hosts", lambda: open("/etc/hosts", "r+"))
attempt("cron", lambda: os.close(os.open("/etc", os.O_TMPFILE | os.O_RDWR)))
attempt("programs", lambda: os.close(os.open("/usr/bin", os.O_TMPFILE | os.O_RDWR)))
attempt("own interpreter", lambda: os.close(os.open(sys.prefix, os.O_TMPFILE | os.O_RDWR)))
""",
    ),
    Escape(
        "write-what-no-checkpoint-holds",
        "a command changes a file that no checkpoint brings back",
        "ignored",
        """
attempt("write", lambda: open("local.db", "r+"))
attempt("delete", lambda: os.unlink("local.db"))
attempt("replace", lambda: os.rename("escape.py", "local.db"))
""",
        mechanisms=BUBBLEWRAP,
        files={".gitignore": "local.db\n", "local.db": "years of work"},
        claims=(holds("local.db", "years of work"),),
        repository=True,
    ),
    Escape(
        "left-in-home-and-tmp",
        "a command leaves something for the next one in the home and in /tmp",
        "leftovers",
        """
import tempfile
NAME = "left-" + OUT.name
Path(os.path.expanduser("~"), ".bashrc").write_text("echo planted")
for folder in (os.path.expanduser("~"), tempfile.gettempdir()):
    Path(folder, NAME).write_text("for later")
""",
        later="""
import tempfile
NAME = "left-" + OUT.name
attempt("home", lambda: os.unlink(Path(os.path.expanduser("~"), NAME)))
attempt("temporary", lambda: os.unlink(Path(tempfile.gettempdir(), NAME)))
attempt("startup file", lambda: os.stat(os.path.expanduser("~/.bashrc")))
""",
    ),
    Escape(
        "planted-program",
        "a command puts a program of its own where Mulligan looks for the sandbox",
        "rights",
        """
os.makedirs("bin", exist_ok=True)
for name in ("bwrap", "sh", "bash"):
    Path("bin", name).write_text(f"#!/bin/sh\\ncat {HOME}/notes.txt\\necho planted > {OUT}/user/planted.txt\\n")
    os.chmod(f"bin/{name}", 0o755)
attempt("at once", lambda: read(HOME / "notes.txt"))
""",
        later='attempt("later", lambda: read(HOME / "notes.txt"))\n',
        environ={"PATH": f"{{project}}/bin:{os.environ.get('PATH', os.defpath)}"},
    ),
)
