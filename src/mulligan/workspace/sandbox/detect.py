"""Finds the confinement that works on this machine, by trying it."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from mulligan.runtime.search_path import own_path
from mulligan.types.sandbox import SandboxChoice, SandboxStatus
from mulligan.workspace.sandbox.bubblewrap import NAMESPACES
from mulligan.workspace.sandbox.landlock import OLDEST_ABI, landlock_abi
from mulligan.workspace.sandbox.seccomp import supported

PROGRAM = "bwrap"
TRIAL_SECONDS = 10.0
INSTALL = "install bubblewrap (Debian, Ubuntu: sudo apt-get install bubblewrap; Fedora: sudo dnf install bubblewrap)"
USER_NAMESPACES = (
    "user namespaces are turned off: `sudo sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu also "
    "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`; in a container, start it with "
    "`--security-opt seccomp=unconfined --security-opt systempaths=unconfined`"
)


@cache
def find_sandbox(choice: SandboxChoice, project: Path | None = None) -> SandboxStatus:
    """The strongest mechanism that works here, or the requested one; `none` if that does not work."""
    if choice == "none":
        return SandboxStatus("none", 'it is turned off: sandbox = "none"')
    if sys.platform == "darwin":
        return _seatbelt(choice)
    if choice == "seatbelt":
        return SandboxStatus("none", "Seatbelt exists on macOS only")
    why_not = "not tried" if choice not in ("auto", "bubblewrap") else why_no_bubblewrap(project)
    if not why_not:
        return SandboxStatus("bubblewrap")
    if choice == "bubblewrap":
        return SandboxStatus("none", why_not)
    if choice in ("auto", "landlock") and landlock_abi() >= OLDEST_ABI and supported():
        partial = () if landlock_abi() >= 6 else ("signals to other processes are not held: Linux 6.12 or newer does",)
        return SandboxStatus("landlock", "" if choice == "landlock" else why_not, partial)
    return SandboxStatus("none", f"{why_not}; and this kernel has no Landlock (Linux 6.2 or newer, turned on, has it)")


def bubblewrap_program(project: Path | None) -> str | None:
    """The path of bwrap, but never one in the project: commands can put programs there."""
    return shutil.which(PROGRAM, path=own_path(*([project] if project else [])))


def why_no_bubblewrap(project: Path | None = None) -> str:
    """Why bubblewrap does not work here; empty if it does."""
    program = bubblewrap_program(project)
    if not program:
        return INSTALL
    mounts = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    try:
        tried = subprocess.run(  # noqa: S603  a program that does nothing
            [program, *NAMESPACES, "--unshare-net", *mounts, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_SECONDS,
            check=False,
            env={"PATH": os.defpath},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{PROGRAM} could not be tried: {error}"
    if tried.returncode == 0:
        return ""
    errors = tried.stderr.decode(errors="replace").strip().splitlines()
    if errors and "Unknown option" in errors[-1]:
        return f"{PROGRAM} is too old ({errors[-1]}): {INSTALL}, 0.8 or newer"
    return f"{PROGRAM} does not work here ({errors[-1] if errors else 'no reason given'}): {USER_NAMESPACES}"


def _seatbelt(choice: SandboxChoice) -> SandboxStatus:
    if choice in ("auto", "seatbelt") and shutil.which("sandbox-exec"):
        return SandboxStatus("seatbelt", partial=("on macOS the sandbox was not tried by us",))
    return SandboxStatus("none", "sandbox-exec was not found")
