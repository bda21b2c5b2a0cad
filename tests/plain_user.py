"""What somebody who is not root meets, for tests that root runs."""

import os
import pwd
from collections.abc import Callable

PLAIN = "daemon"
"""A user that every system has, and that is not the one who runs PostgreSQL for root."""


def told_by_plain_user(function: Callable[[], str]) -> str:
    """What the function says in a process of that user; an error is said, too."""
    user, (reading, writing) = pwd.getpwnam(PLAIN), os.pipe()
    child = os.fork()
    if child == 0:
        told = "it never ended"
        try:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
            told = function()
        except BaseException as error:  # noqa: BLE001  nothing of the tests may run on in this process
            told = repr(error)
        finally:
            os.write(writing, told.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told
