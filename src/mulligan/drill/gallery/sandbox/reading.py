"""Escapes that try to read files outside of the project."""

from pathlib import Path

from mulligan.drill.claims import tells_the_model
from mulligan.drill.fault import FolderStep
from mulligan.drill.gallery.sandbox.bystander import ENDED, MEETING, STARTED
from mulligan.drill.gallery.sandbox.escape import BUBBLEWRAP, HOME, SECRET, Escape

KEYS = {
    "user/.ssh/id_ed25519": SECRET,
    "user/.aws/credentials": SECRET,
    "user/.netrc": SECRET,
    "user/.git-credentials": SECRET,
    "user/.config/gh/hosts.yml": SECRET,
    "user/.gnupg/private-keys-v1.d/one.key": SECRET,
}
BESIDE_TOOLS = {
    "user/.cargo/credentials.toml": SECRET,
    "user/.cargo/bin/tool": "#!/bin/sh\necho the tool runs\n",
    "user/.m2/settings.xml": SECRET,
    "user/.m2/repository/one.txt": "fetched before\n",
    "user/.npmrc": SECRET,
}
OTHER_REPOSITORY = {
    "other/.git/HEAD": "ref: refs/heads/main\n",
    "other/.git/config": f"[remote]\n\turl = https://me:{SECRET}@example.org\n",
    "other/secret.txt": SECRET,
}


def _link_out(project: Path) -> None:
    (project / "notes").symlink_to(project.parent / "user" / "notes.txt")
    (project / "home").symlink_to(project.parent / "user")


READING = (
    Escape(
        "read-home",
        "a command reads the user's home",
        "home",
        """
attempt("history", lambda: read(HOME / ".bash_history"))
attempt("notes", lambda: read(HOME / "notes.txt"))
attempt("tilde", lambda: read(os.path.expanduser("~/notes.txt")))
attempt("listing", lambda: [each for each in os.listdir(HOME)].index("notes.txt"))
attempt("archive", lambda: read(os.popen(f"tar cf all.tar {HOME} 2>/dev/null; echo all.tar").read().strip()))
""",
    ),
    Escape(
        "read-keys",
        "a command reads keys and logins",
        "home",
        """
attempt("ssh", lambda: read(HOME / ".ssh/id_ed25519"))
attempt("aws", lambda: read(HOME / ".aws/credentials"))
attempt("netrc", lambda: read(HOME / ".netrc"))
attempt("git", lambda: read(HOME / ".git-credentials"))
attempt("github", lambda: read(HOME / ".config/gh/hosts.yml"))
attempt("gnupg", lambda: read(HOME / ".gnupg/private-keys-v1.d/one.key"))
""",
        outside=KEYS,
    ),
    Escape(
        "read-logins-of-tools",
        "a command reads logins that lie beside tools",
        "home",
        """
attempt("cargo", lambda: read(HOME / ".cargo/credentials.toml"))
attempt("maven", lambda: read(HOME / ".m2/settings.xml"))
attempt("npm", lambda: read(HOME / ".npmrc"))
print((HOME / ".cargo/bin/tool").read_text(), (HOME / ".m2/repository/one.txt").read_text())
""",
        outside=BESIDE_TOOLS,
        claims=(tells_the_model("the tool runs"), tells_the_model("fetched before")),
    ),
    Escape(
        "read-mulligans-own",
        "a command reads Mulligan's own folder",
        "mulligan",
        """
attempt("settings", lambda: read(OUT / "home/mulligan.toml"))
attempt("database", lambda: open(OUT / "home/mulligan.db", "rb").read(16).index(b"SQLite"))
attempt("listing", lambda: os.listdir(OUT / "home").index("mulligan.db"))
""",
        settings=f'api_key = "{SECRET}"\n',
    ),
    Escape(
        "read-other-project",
        "a command reads another project",
        "other-projects",
        """
attempt("file", lambda: read(OUT / "other/secret.txt"))
attempt("git", lambda: read(OUT / "other/.git/config"))
attempt("from above", lambda: read(Path(os.getcwd()) / "../other/secret.txt"))
attempt("git show", lambda: os.popen("git -C ../other config remote.url").read().index(SECRET))
""",
        outside={**HOME, **OTHER_REPOSITORY},
    ),
    Escape(
        "read-project-secrets",
        "a program of the project reads its .env",
        "project-secrets",
        """
attempt("env", lambda: read(".env"))
attempt("deeper", lambda: read("deploy/server.key"))
attempt("hard link", lambda: (os.link(".env", "env.txt"), read("env.txt")))
attempt("moved", lambda: (os.rename("deploy", "moved"), read("moved/server.key")))
attempt("renamed", lambda: (os.rename(".env", "env.txt"), read("env.txt")))
attempt("descriptor", lambda: read(f"/proc/self/fd/{os.open('.env', os.O_PATH)}"))
""",
        mechanisms=BUBBLEWRAP,
        files={".env": SECRET, "deploy/server.key": SECRET},
    ),
    Escape(
        "read-by-link",
        "a link in the project leads to what is hidden",
        "home",
        """
attempt("link", lambda: read("notes"))
attempt("folder", lambda: read("home/photos/one.txt"))
os.symlink(HOME, "own")
attempt("own link", lambda: read("own/notes.txt"))
attempt("hard link", lambda: (os.link(HOME / "notes.txt", "hard"), read("hard")))
attempt("moved in", lambda: (os.rename(HOME / "notes.txt", "moved"), read("moved")))
""",
        before=(FolderStep(_link_out),),
    ),
    Escape(
        "read-through-proc",
        "a command goes through /proc to what is hidden",
        "home",
        MEETING
        + """
there = str(HOME).lstrip("/") + "/notes.txt"
attempt("own root", lambda: read(f"/proc/self/root/{there}"))
attempt("root of another", lambda: read(f"/proc/{PID}/root/{there}"))
attempt("root of the first", lambda: read(f"/proc/1/root/{there}"))
attempt("folder of another", lambda: read(f"/proc/{PID}/cwd/user/notes.txt"))
attempt("open file of another", lambda: read(f"/proc/{PID}/fd/{BYSTANDER['held']}"))
attempt("descriptor", lambda: read(f"/dev/fd/{os.open('/', os.O_PATH)}/{there}"))
attempt("parent's", lambda: read(f"/proc/{os.getppid()}/root/{there}"))
""",
        before=(STARTED,),
        after=(ENDED,),
        outside={**HOME, "user/open/shown.txt": "shown"},
    ),
    Escape(
        "read-by-venv-link",
        "a command makes .venv a link to the home, and the next turn reads it",
        "home",
        """
os.symlink(HOME, ".venv")
os.symlink(HOME, "venv")
attempt("at once", lambda: read(".venv/notes.txt"))
""",
        later="""
attempt("by the link", lambda: read(".venv/notes.txt"))
attempt("directly", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "read-by-venv-settings",
        "a command names the home as an interpreter's folder, and the next turn reads it",
        "home",
        """
os.mkdir(".venv")
Path(".venv/pyvenv.cfg").write_text(f"home = {HOME}/photos/bin\\n")
attempt("at once", lambda: read(HOME / "notes.txt"))
""",
        later="""
attempt("notes", lambda: read(HOME / "notes.txt"))
attempt("photos", lambda: read(HOME / "photos/one.txt"))
""",
    ),
    Escape(
        "read-by-git-file",
        "a .git file names another repository, and the next turn reads that",
        "other-projects",
        """
os.mkdir("sub")
Path("sub/.git").write_text(f"gitdir: {OUT}/other/.git\\n")
Path(".git").write_text(f"gitdir: {OUT}/other/.git\\n")
os.makedirs("made/.git")
Path("made/.git/HEAD").write_text("ref: refs/heads/main\\n")
Path("made/.git/commondir").write_text(f"{OUT}/other/.git\\n")
attempt("at once", lambda: read(OUT / "other/.git/config"))
""",
        later="""
attempt("settings", lambda: read(OUT / "other/.git/config"))
""",
        outside={**HOME, **OTHER_REPOSITORY},
    ),
    Escape(
        "read-shared-memory-files",
        "a command reads files in shared memory",
        "temporary",
        MEETING + 'attempt("shm", lambda: read(f"/dev/shm/bystander-{PID}"))\n',
        mechanisms=BUBBLEWRAP,
        before=(STARTED,),
        after=(ENDED,),
        outside={**HOME, "user/open/shown.txt": "shown"},
    ),
    Escape(
        "read-temporary",
        "a command looks through the temporary folders",
        "temporary",
        """
attempt("beside", lambda: read(OUT / "scratch/one.txt"))
attempt("listing", lambda: os.listdir(OUT).index("scratch"))
attempt("found", lambda: os.popen(f"find {OUT} -name one.txt 2>/dev/null").read().index("one.txt"))
""",
        outside={**HOME, "scratch/one.txt": SECRET},
    ),
    Escape(
        "read-names",
        "a command finds out what files and programs there are",
        "names",
        MEETING
        + """
attempt("file", lambda: os.stat(HOME / "notes.txt"))
attempt("link", lambda: os.stat(OUT / "home/mulligan.db"))
attempt("process", lambda: os.stat(f"/proc/{PID}"))
attempt("command line", lambda: open(f"/proc/{PID}/cmdline").read())
attempt("sockets", lambda: open("/proc/net/unix").read().index("bystander"))
""",
        mechanisms=BUBBLEWRAP,
        before=(STARTED,),
        after=(ENDED,),
        outside={**HOME, "user/open/shown.txt": "shown"},
    ),
)
