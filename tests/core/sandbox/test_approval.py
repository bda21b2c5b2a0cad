"""Which commands need a yes, given the sandbox, the checkpoint and what the user set."""

from dataclasses import dataclass

import pytest

from mulligan.core.sandbox.approval import decide, granted, second_try
from mulligan.types.commands import CommandKind, Decision, PolicyVerdict
from mulligan.types.permissions import Permissions
from mulligan.types.sandbox import Blocked, Confinement, ExtraAccess, SandboxMechanism

SANDBOX = Confinement("bubblewrap", undoable=True)


def verdict(decision: Decision, *kinds: CommandKind, by_rule: bool = False) -> PolicyVerdict:
    rules = Permissions.of_commands(allow=("it",)).rules if by_rule else ()
    return PolicyVerdict(decision, "Because.", frozenset(kinds), by_rules=rules)


@dataclass(frozen=True)
class Case:
    judged: PolicyVerdict
    confinement: Confinement
    decision: Decision
    opens: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(Case(verdict("deny", "write"), SANDBOX, "deny"), id="what is denied stays denied"),
        pytest.param(
            Case(verdict("allow", "test"), SANDBOX, "allow"), id="tests run, and change nothing that can't be undone"
        ),
        pytest.param(
            Case(verdict("ask", "unknown"), SANDBOX, "allow"), id="an unknown program that a checkpoint can undo"
        ),
        pytest.param(
            Case(verdict("ask", "write"), Confinement("bubblewrap"), "ask", frozenset({"ignored"})),
            id="without a checkpoint nothing undoes it",
        ),
        pytest.param(
            Case(verdict("ask", "network"), SANDBOX, "ask", frozenset({"network", "ignored"})),
            id="the network leaves it",
        ),
        pytest.param(
            Case(verdict("ask", "install"), SANDBOX, "ask", frozenset({"network", "ignored"})), id="so does an install"
        ),
        pytest.param(
            Case(verdict("ask", "git"), SANDBOX, "ask", frozenset({"git", "ignored"})), id="so does the repository"
        ),
        pytest.param(
            Case(
                verdict("ask", "network"),
                Confinement("bubblewrap", undoable=True, opened=ExtraAccess(network=True)),
                "allow",
            ),
            id="not where the user opened it",
        ),
        pytest.param(
            Case(
                verdict("ask", "write"),
                Confinement("bubblewrap", undoable=True, mode="changes"),
                "ask",
                frozenset({"ignored"}),
            ),
            id="the user wants to be asked about changes",
        ),
        pytest.param(
            Case(verdict("ask", "app"), Confinement("bubblewrap", undoable=True, mode="changes"), "allow"),
            id="and not about programs that are known to run code only",
        ),
        pytest.param(
            Case(
                verdict("allow", "read"),
                Confinement("bubblewrap", undoable=True, mode="all"),
                "ask",
                frozenset({"ignored"}),
            ),
            id="the user wants to be asked about everything",
        ),
        pytest.param(
            Case(verdict("ask", "unknown"), Confinement("landlock", undoable=True), "ask", frozenset({"ignored"})),
            id="Landlock holds what lies outside, so the policy stays",
        ),
        pytest.param(
            Case(verdict("allow", "test"), Confinement("landlock"), "allow"),
            id="and tests still run",
        ),
        pytest.param(
            Case(verdict("ask", "network"), Confinement("landlock", opened=ExtraAccess(network=True)), "allow"),
            id="an open network is not asked about under Landlock either",
        ),
        pytest.param(
            Case(verdict("allow", "read"), Confinement("none", undoable=True), "ask", frozenset({"ignored"})),
            id="without a sandbox even reading is asked about",
        ),
        pytest.param(
            Case(
                verdict("allow", "network", by_rule=True),
                Confinement("none"),
                "allow",
                frozenset({"network", "ignored"}),
            ),
            id="but not what the user's own rules allow",
        ),
    ],
)
def test_what_needs_a_yes(case: Case) -> None:
    decided = decide(case.judged, case.confinement)

    assert (decided.decision, decided.opens) == (case.decision, case.opens)


@pytest.mark.parametrize("way", ["bubblewrap", "landlock", "seatbelt", "none"])
@pytest.mark.parametrize("undoable", [True, False])
def test_no_sandbox_turns_a_denial_into_anything_else(way: SandboxMechanism, undoable: bool) -> None:
    assert decide(verdict("deny", "git"), Confinement(way, undoable)).decision == "deny"


def test_what_was_granted_is_what_the_verdict_opens() -> None:
    asked = decide(verdict("ask", "git", "install"), SANDBOX)

    assert granted(asked) == ExtraAccess(network=True, git=True, ignored=True)
    assert granted(decide(verdict("ask", "unknown"), SANDBOX)) == ExtraAccess()


def test_a_command_that_lacked_the_network_may_be_run_again_with_it() -> None:
    ran = decide(verdict("allow", "test"), SANDBOX)

    again = second_try(ran, (Blocked("network", "2 attempts"),))

    assert again is not None
    assert again.decision == "ask"
    assert "needed the network" in again.reason
    assert granted(again) == ExtraAccess(network=True)


@pytest.mark.parametrize(
    "blocked",
    [
        pytest.param((), id="nothing was kept from it"),
        pytest.param((Blocked("write", "/etc/hosts"),), id="a place that is opened by name only"),
        pytest.param((Blocked("memory", "1 byte"),), id="a limit"),
    ],
)
def test_where_a_yes_would_not_help_nobody_is_asked(blocked: tuple[Blocked, ...]) -> None:
    assert second_try(decide(verdict("allow", "test"), SANDBOX), blocked) is None


def test_tests_that_keep_a_database_may_be_given_it_after_a_yes() -> None:
    again = second_try(decide(verdict("allow", "test"), SANDBOX), (Blocked("ignored", "dev.sqlite3"),))

    assert again is not None
    assert "no checkpoint brings back" in again.reason
    assert granted(again) == ExtraAccess(ignored=True)
