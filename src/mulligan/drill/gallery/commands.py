"""The model runs commands that must not run, or that do not end as they should."""

import fcntl
import shlex
import sys
from pathlib import Path

from mulligan.drill.claims import (
    answers_every_call,
    answers_mistakes_with,
    asks_at_most,
    ends,
    ends_with,
    fails,
    holds,
    leaves_files_alone,
    looks_alike,
    never_tells_the_model,
    raises,
    tells_the_model,
)
from mulligan.drill.fault import FILES, CommandStep, Fault, FolderStep
from mulligan.drill.scripting import code, command, edit, for_ever, say, script, together

PYTHON = shlex.quote(sys.executable)
WORDS_TO_KEEP = "correct horse battery staple"

ASKING = {**FILES, "asking.py": "print('Hello', input('Who are you? '))\n"}
TESTED = {
    **FILES,
    "one.py": "def one():\n    return 1\n",
    "test_one.py": "from one import one\nprint('one is', one())\n",
}
REWRITTEN = "def one():\n    return 2\n"
SHOWING = {**FILES, "show.sh": "env\n"}
LEAVING = {
    **FILES,
    # The process left behind holds the lock as long as it lives. If it leaves its group, only Linux can find it.
    "leaving.py": "import fcntl, subprocess, sys\n"
    "held = open('held', 'w')\n"
    "fcntl.flock(held, fcntl.LOCK_EX)\n"
    "subprocess.Popen(['sleep', '20'], pass_fds=[held.fileno()], start_new_session=sys.platform == 'linux')\n"
    "print('It is started.')\n",
}


def _denied(name: str, title: str, *lines: str) -> Fault:
    """None of the commands runs, whatever was allowed in advance, and the user's own work stays."""
    return Fault(
        name,
        title,
        (FolderStep(_leave_work_uncommitted), code(script(*map(command, lines), say("Done.")), "--yes")),
        (
            ends("answered", 0),
            fails("permission_denied", times=len(lines)),
            tells_the_model("The command was not run."),
            looks_alike(1, 2),
            answers_every_call,
        ),
        repository=True,
    )


def _leave_work_uncommitted(project: Path) -> None:
    (project / "one.py").write_text("def one():\n    return 'my own work'\n", encoding="utf-8")
    (project / "mine.txt").write_text("not even added\n", encoding="utf-8")


def note_who_is_left(project: Path) -> None:
    with (project / "held").open("w", encoding="utf-8") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held.write("somebody")
        else:
            held.write("nobody")


COMMANDS = (
    _denied("sudo", "a command with another user's rights", "sudo touch made.txt"),
    _denied("force-push", "history pushed over by force", "git push --force", "git push -f origin main"),
    _denied("lost-work", "uncommitted work thrown away", "git reset --hard", "git clean -fdx"),
    _denied(
        "hidden-command",
        "the same, hidden behind other commands",
        "cd . && git reset --hard",
        "sh -c 'git checkout -- .'",
        "echo one.py | xargs env timeout 5 git restore",
    ),
    _denied(
        "outside-write",
        "a command that writes outside the project",
        "touch ~/no-such-folder/made.txt",
        "cd / && rm -rf no-such-folder",
    ),
    Fault(
        "install-unasked",
        "installs that nobody said yes to",
        (code(for_ever(command("cd . && pip install -r missing-$n.txt"))),),
        (
            ends("mistakes", 3),
            asks_at_most(7),
            fails("permission_denied", times=6),
            answers_mistakes_with("nudge", "escalate"),
            raises("mistake_recovery", failure_kinds=["permission_denied"] * 3, escalated=True),
            tells_the_model("it needs the user's approval and did not get it"),
            leaves_files_alone(),
        ),
    ),
    Fault(
        "hanging-command",
        "a command that never ends",
        (code(script(command("echo begun; sleep 5; touch late.txt", timeout=1), say("It hangs.")), "--yes"),),
        (
            ends("answered", 0),
            fails("exec_error"),
            tells_the_model("stopped: it ran longer than its limit of 1 s"),
            tells_the_model("begun"),
            leaves_files_alone(),
            answers_every_call,
        ),
    ),
    Fault(
        "flooding-command",
        "a command that floods the context",
        (code(script(command("echo the beginning; seq 300000; echo the end"), say("It is long.")), "--yes"),),
        (
            ends("answered", 0),
            tells_the_model("the beginning\n1\n2\n"),
            tells_the_model("299999\n300000\nthe end"),
            tells_the_model("bytes left out"),
            never_tells_the_model("\n150000\n"),
            answers_every_call,
        ),
    ),
    Fault(
        "process-left",
        "a command that leaves a process behind",
        (
            # Without a sandbox: ending that would end everything in it.
            CommandStep(
                ("code", "See to it.", "--yes"),
                script(command(f"{PYTHON} leaving.py"), say("It runs.")),
                environ={"MULLIGAN_SANDBOX": "none"},
            ),
            FolderStep(note_who_is_left),
        ),
        (ends("answered", 0), tells_the_model("It is started."), holds("held", "nobody"), answers_every_call),
        LEAVING,
    ),
    Fault(
        "secret-in-environment",
        "a program that prints its environment",
        (
            CommandStep(
                ("code", "See to it.", "--yes"),
                script(command("sh show.sh"), say("It prints.")),
                environ={"UV_PUBLISH_TOKEN": WORDS_TO_KEEP, "LANGUAGE": "no secret"},
            ),
        ),
        (ends("answered", 0), tells_the_model("LANGUAGE=no secret"), never_tells_the_model(WORDS_TO_KEEP)),
        SHOWING,
    ),
    Fault(
        "terminal-wanted",
        "programs that want a terminal",
        (
            code(
                script(command("vim one.py", timeout=5), command(f"{PYTHON} asking.py", timeout=3), say("No.")), "--yes"
            ),
        ),
        (
            ends("answered", 0),
            fails("permission_denied"),
            tells_the_model("is an editor, and there is no terminal"),
            fails("exec_error"),
            tells_the_model("EOFError"),
            leaves_files_alone(),
        ),
        ASKING,
    ),
    Fault(
        "commands-together",
        "good, failing, hanging and denied commands in one reply",
        (
            code(
                script(
                    together(
                        command("sleep 5", timeout=1), command("echo all is well"), command("false"), command("su")
                    ),
                    say("Done."),
                ),
                "--yes",
            ),
        ),
        (
            ends("answered", 0),
            fails("exec_error", times=2),
            fails("permission_denied"),
            answers_mistakes_with(),
            tells_the_model("all is well"),
            answers_every_call,
        ),
    ),
    Fault(
        "tests-before-yes",
        "edits that are pending, and then the tests",
        (
            code(
                script(edit("one.py", "return 1", "return 2"), command(f"{PYTHON} test_one.py"), say("The tests pass."))
            ),
        ),
        (
            ends("answered", 6),
            tells_the_model("run with your 1 pending edit"),
            tells_the_model("one is 2"),
            leaves_files_alone(),
        ),
        TESTED,
        repository=True,
    ),
    Fault(
        "tests-before-yes-without-git",
        "the same, where there is no git",
        (code(script(edit("one.py", "return 1", "return 2"), command("cat one.py"), say("It returns 2."))),),
        (
            ends("answered", 6),
            tells_the_model("NOT SEEN by this command: 1 pending edit. There is no git repository"),
            leaves_files_alone(),
        ),
        TESTED,
    ),
    Fault(
        "overwritten-after-refusal",
        "a file overwritten by a command after its edit was refused",
        (
            code(
                script(
                    edit("one.py", "nothing of the sort stands there", "x"),
                    command(f"printf %s {shlex.quote(REWRITTEN)} > one.py"),
                    say("Done."),
                ),
                "--yes",
            ),
        ),
        (
            ends("answered", 0),
            fails("exec_error"),
            holds("one.py", REWRITTEN),
            tells_the_model("Changed by it: one.py"),
            ends_with(unapplied=[], overwritten=["one.py"]),
        ),
        TESTED,
        repository=True,
    ),
)
