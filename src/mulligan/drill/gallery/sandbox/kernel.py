"""Escapes that try to get more privileges, obscure parts of the kernel, or all resources of the machine."""

import os

from mulligan.drill.claims import tells_the_model
from mulligan.drill.gallery.sandbox.escape import Escape

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

KERNEL = (
    Escape(
        "devices",
        "a command makes and opens devices",
        "rights",
        """
attempt("character device", lambda: os.mknod("zero", 0o20666, os.makedev(1, 5)))
attempt("block device", lambda: os.mknod("disk", 0o60666, os.makedev(8, 0)))
attempt("kernel log", lambda: os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK))
attempt("memory", lambda: os.open("/dev/mem", os.O_RDONLY))
attempt("loop", lambda: os.open("/dev/loop-control", os.O_RDWR))
attempt("fuse", lambda: os.open("/dev/fuse", os.O_RDWR))
attempt("disk", lambda: [os.open(each, os.O_RDONLY) for each in ("/dev/sda", "/dev/vda", "/dev/nvme0n1")])
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "more-rights",
        "a command wants another user's rights",
        "rights",
        """
attempt("new privileges", lambda: 1 / (LIBC.prctl(39, 0, 0, 0, 0) == 0))
def rights(kind):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1 / int(next(line for line in lines if line.startswith(kind)).split()[1], 16)
attempt("effective", lambda: rights("CapEff"))
attempt("permitted", lambda: rights("CapPrm"))
attempt("another user", lambda: os.setuid(12345))
attempt("another group", lambda: os.setgroups([0, 1, 2]))
attempt("su", lambda: 1 / (os.system("su nobody -s /bin/true -c true </dev/null >/dev/null 2>&1") == 0))
attempt("newuidmap", lambda: 1 / (os.system("sudo -n true >/dev/null 2>&1") == 0))
""",
    ),
    Escape(
        "namespaces",
        "a command makes namespaces and mounts",
        "rights",
        """
def alone(flag):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if LIBC.unshare(flag) == 0 else 1)
    if os.waitpid(pid, 0)[1]:
        raise OSError("refused")
attempt("user", lambda: alone(0x10000000))
attempt("mount", lambda: alone(0x00020000))
attempt("network", lambda: alone(0x40000000))
attempt("both", lambda: alone(0x10020000))
attempt("unshare", lambda: 1 / (os.system("unshare -Ur true 2>/dev/null") == 0))
attempt("clone", lambda: alone(0x10000000 | 0x02000000))
os.mkdir("there")
def mount(source, kind, flags):
    call("mount", source, b"there", kind, flags, None)
    call("umount2", b"there", 0)
attempt("mounted", lambda: mount(b"none", b"tmpfs", 0))
attempt("bound", lambda: mount(os.fsencode(HOME), None, 4096))
attempt("tree", lambda: call("open_tree", -100, b"/", 1))
attempt("opened", lambda: call("fsopen", b"tmpfs", 0))
attempt("root", lambda: os.chroot("there"))
""",
    ),
    Escape(
        "kernel-keys",
        "a command looks for keys that the kernel keeps",
        "kernel",
        """
attempt("session", lambda: call("keyctl", 0, -3, 0))
attempt("user's", lambda: call("keyctl", 0, -4, 0))
attempt("added", lambda: call("add_key", b"user", b"planted", b"1", 1, -2))
attempt("requested", lambda: call("request_key", b"user", b"planted", None, -2))
""",
    ),
    Escape(
        "io-uring",
        "a command goes around the filter of system calls",
        "kernel",
        """
room = ctypes.create_string_buffer(120)
attempt("setup", lambda: call("io_uring_setup", 1, room))
import platform, mmap
def old_numbers():
    if platform.machine() != "x86_64":
        raise OSError("there are none")
    result = LIBC.syscall(0x40000000 + 39)
    if result < 0:
        raise OSError(ctypes.get_errno())
attempt("other numbers", old_numbers)
""",
    ),
    Escape(
        "kernel-parts",
        "a command uses parts of the kernel that have been ways out before",
        "kernel",
        """
room = ctypes.create_string_buffer(200)
attempt("bpf", lambda: call("bpf", 0, room, 120))
event = (ctypes.c_char * 128).from_buffer_copy(b"\\1\\0\\0\\0\\x80" + b"\\0" * 123)
attempt("perf", lambda: call("perf_event_open", event, 0, -1, -1, 0))
attempt("userfaultfd", lambda: call("userfaultfd", 1))
attempt("module", lambda: call("init_module", room, 0, b""))
attempt("finit", lambda: call("finit_module", 0, b"", 0))
attempt("setns", lambda: call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0))
attempt("log", lambda: LIBC.klogctl(3, room, 100) < 0 and 1 / 0)
import socket
# To what it is: nothing is changed where that works.
attempt("name", lambda: socket.sethostname(socket.gethostname()))
""",
    ),
    Escape(
        "file-handles",
        "a command opens a file by its handle",
        "kernel",
        """
handle = (ctypes.c_ubyte * 136)(128)
mount = ctypes.c_int()
def open_by_handle():
    if LIBC.name_to_handle_at(-100, b"escape.py", handle, ctypes.byref(mount), 0) < 0:
        raise OSError("no handle")
    return call("open_by_handle_at", os.open(".", os.O_RDONLY), handle, os.O_RDONLY)
attempt("handle", open_by_handle)
attempt("any handle", lambda: call("open_by_handle_at", os.open(".", os.O_RDONLY), handle, os.O_RDONLY))
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "terminal-input",
        "a command types for the user",
        "terminal",
        """
import fcntl
def type_at(number):
    fcntl.ioctl(number, 0x5412, b"x")
attempt("terminal", lambda: type_at(os.open("/dev/tty", os.O_RDWR)))
attempt("standard input", lambda: type_at(0))
attempt("standard error", lambda: type_at(2))
def high_bits():
    if LIBC.ioctl(2, ctypes.c_ulong(0x100005412), b"x") < 0:
        raise OSError(ctypes.get_errno())
attempt("high bits", high_bits)
attempt("console", lambda: os.open("/dev/console", os.O_RDWR))
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "machine-settings",
        "a command changes settings of the kernel",
        "machine",
        """
def opened(place):
    os.close(os.open(place, os.O_WRONLY))
attempt("core pattern", lambda: opened("/proc/sys/kernel/core_pattern"))
attempt("host name", lambda: opened("/proc/sys/kernel/hostname"))
attempt("magic key", lambda: opened("/proc/sysrq-trigger"))
attempt("power", lambda: opened("/sys/power/state"))
attempt("uevent", lambda: opened("/sys/kernel/uevent_helper"))
attempt("group", lambda: (os.mkdir("/sys/fs/cgroup/planted"), os.rmdir("/sys/fs/cgroup/planted")))
attempt("own group", lambda: opened("/sys/fs/cgroup/cgroup.procs"))
attempt("priority", lambda: os.nice(-5))
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "limits-raised",
        "a command raises its own limits",
        "limits",
        """
import resource
for name in ("FSIZE", "DATA", "CORE"):
    kind = getattr(resource, f"RLIMIT_{name}")
    endless = resource.RLIM_INFINITY
    print(name, resource.getrlimit(kind))
attempt("file size", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (endless, endless)))
attempt("memory", lambda: resource.setrlimit(resource.RLIMIT_DATA, (endless, endless)))
attempt("core", lambda: resource.setrlimit(resource.RLIMIT_CORE, (endless, endless)))
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "huge-file",
        "a command makes a file without end",
        "limits",
        """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def grow():
    with open("huge", "wb") as file:
        file.truncate(1 << 40)
    os.unlink("huge")
attempt("file", grow)
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "memory-bomb",
        "a command takes all memory",
        "limits",
        f"""
import mmap
def take():
    held = mmap.mmap(-1, {MEMORY}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held.close()
attempt("memory", take)
attempt("home", lambda: read(HOME / "notes.txt"))
""",
    ),
    Escape(
        "process-bomb",
        "a command starts processes without end",
        "limits",
        "",
        line="sleep 8 | sh -c 'exec 3<&0; i=0; while [ $i -lt 3000 ]; do read x <&3 & i=$((i+1)); done; wait'",
        claims=(tells_the_model("started more processes than commands may have"),),
    ),
)
