"""The guided coder on a real folder with real tests: what is kept, what is taken back, and what is asked when."""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.codecontext.syntax_check import TreeSitterSyntax
from mulligan.core.failures import read_report
from mulligan.core.guided_coder.comparing import CLEAR
from mulligan.core.guided_coder.question_order import Pace
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief, SuspectFunction
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.program_repair.findings.finding import Hint, MissingImport, UndefinedName
from mulligan.core.replies import Reply
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.prompts import REPLY_TOKENS, SAMPLES
from mulligan.core.writing.task import WritingTask
from mulligan.fixing.candidate_trial import MAX_BATCH, MIN_BATCH
from mulligan.fixing.guided_coder import GuidedResult, run_guided_coder
from mulligan.fixing.slip_candidates import FIRST_TESTS, MAX_RUNS_PER_TEST
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.models.whole_reply import whole_reply
from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected, ModelError
from mulligan.types.fixing import Check, FailingTest
from mulligan.types.model_io import AssistantReply, ModelRequest, TokenChoices, UserText
from mulligan.workspace.files.project_files import ProjectFiles
from tests.fixing.unittest_process import run_unittest
from tests.forked_function import run_forked

COMMAND = "python -m unittest"
FINES = """\
CENTS = 15


def fine_for(days):
    if days < 0:
        return 0
    return days + CENTS


def is_late(days):
    return days < 0
"""
TESTS = """\
import unittest

from fines import fine_for, is_late


class FinesTest(unittest.TestCase):
    def test_fine(self):
        self.assertEqual(fine_for(10), 150)

    def test_no_fine(self):
        self.assertEqual(fine_for(-1), 0)

    def test_late(self):
        self.assertTrue(is_late(3))

    def test_not_late(self):
        self.assertFalse(is_late(0))
"""
ADDS, MULTIPLIES = "return days + CENTS", "return days * CENTS"
NO_USE = "{}"
"""A reply that leads nowhere."""
EARLY, LATE = "return days < 0", "return days > 0"


class Bench:
    """A folder, real runs of unittest on it, and a scripted model."""

    def __init__(self, folder: Path, *replies: str | ScriptedReply, checks: int = 120, cost: int = 1) -> None:
        (folder / "fines.py").write_text(FINES)
        (folder / "test_fines.py").write_text(TESTS)
        self.folder = folder
        self.files = ProjectFiles(folder)
        self.syntax = TreeSitterSyntax()
        self.model = ScriptedModel(
            Script(
                replies=tuple(
                    each if isinstance(each, ScriptedReply) else ScriptedReply(text=each) for each in (*replies, NO_USE)
                ),
                then="repeat_last",
            )
        )
        self.left = checks
        self.cost = cost
        self.notes: list[str] = []
        self.hints: tuple[Hint, ...] = ()
        self.values: tuple[str, ...] = ()
        """What failing tests gave and expected; else only their names are known."""
        self.suspects: tuple[LineLocation, ...] = ()
        self.functions: tuple[SuspectFunction, ...] = ()
        self.choices = False
        self.missing: tuple[WritingTask, ...] = ()
        self.judging_files: set[str] = set()
        self.hangs = False
        self.hangs_after = ""
        """Hang in the first test after a note that begins so."""
        self.batch = 0
        self.gained: list[tuple[str, ...]] = []
        self.hanging = asyncio.Event()

    @property
    def source(self) -> str:
        return (self.folder / "fines.py").read_text()

    async def brief(self, current_checks: Sequence[Check], attempt: int, *, traced: bool = True) -> Brief:  # noqa: ARG002
        text = self.source.rstrip("\n")
        source = Excerpt("fines.py", 1, text.count("\n") + 1, text)
        failures = self.values or tuple(test.name for check in current_checks for test in check.report.failing)
        return Brief(
            f"attempt {attempt}",
            (source,),
            (),
            failures,
            self.hints,
            self.suspects,
            functions=self.functions,
            missing=self.missing,
        )

    async def lines_of(self, path: str) -> tuple[str, ...] | None:
        return (await self.files.read_text(path)).lines

    async def file_state(self, path: str) -> FileState | None:
        return FileState((self.folder / path).read_bytes())

    async def put_back(self, path: str, state: FileState | None) -> None:
        assert state is not None
        (self.folder / path).write_bytes(state.data)

    async def write(self, path: str, text: str) -> None:
        if path in self.judging_files:
            raise CallRejected("permission_denied", "not this one")
        (self.folder / path).write_text(f"{text}\n")

    def pace(self) -> Pace:
        return Pace(test_seconds=0.5, slip_seconds=0.05 if self.batch else 0.0)

    async def keep_gain(self, tried: Iterable[str]) -> None:
        self.gained.append(tuple(tried))

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        awaited = self.hangs_after and any(each.startswith(self.hangs_after) for each in self.notes)
        self.notes.append(note if only else f"in full: {note}")
        if self.hangs or awaited:
            self.hanging.set()
            await asyncio.Event().wait()
        if not self.left:
            return None
        self.left -= self.cost
        return await self.run([f"test_fines.FinesTest.{test.name}" for test in only])

    async def test_many(self, candidates: Sequence[Candidate], *, only: Sequence[FailingTest]) -> tuple[Check, ...]:
        before, checks = self.source, list[Check]()
        for each in candidates[: self.batch]:
            await self.write(each.path, "\n".join(each.lines))
            checks += await self.test(f"ahead: {each.note}", only=only) or ()
        (self.folder / "fines.py").write_text(before)
        return tuple(checks)

    async def run(self, tests: Sequence[str] = ()) -> tuple[Check, ...]:
        output = self.folder.with_name(f"{self.folder.name}.output")
        code = await asyncio.to_thread(run_forked, run_unittest, self.folder, output, *tests)
        report = read_report(COMMAND, code, "", output.read_text())
        passed = code == 0
        return (Check(command=COMMAND, passed=passed, kind=None if passed else "test_failure", report=report),)

    def note(self, text: str) -> None:
        self.notes.append(text)

    async def ask(self, request: ModelRequest, *, note: str = "") -> str:
        return (await self.ask_with_choices(request, note=note))[0].text

    async def ask_with_choices(
        self, request: ModelRequest, *, note: str = ""
    ) -> tuple[Reply, tuple[TokenChoices, ...]]:
        self.notes += [note] if note else []
        reply = await whole_reply(self.model, request)
        return reply, reply.choices

    def shows_choices(self) -> bool:
        return self.choices

    def checks_left(self) -> int:
        return self.left

    def asked(self) -> list[str]:
        """The last line of every question."""
        last = (request.messages[-1] for request in self.model.requests)
        return [message.text.rpartition("\n")[2] for message in last if isinstance(message, UserText)]


def pointing(old: str, new: str) -> str:
    return json.dumps({"old": old, "new": new})


def listing(*lines: str) -> str:
    return json.dumps({"lines": lines})


async def fix(bench: Bench, *, attempt: int = 1, tried: Sequence[str] = ()) -> GuidedResult:
    return await run_guided_coder(bench, await bench.run(), attempt=attempt, tried=tried)


def done_tested(done: GuidedResult) -> int:
    return int(done.sentence.partition(" ")[0])


async def test_two_bugs_are_mended_one_after_the_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, MULTIPLIES), pointing(EARLY, LATE))
    done = await fix(bench)
    assert (done.gains, done.current_checks[0].passed) == (2, True)
    assert bench.source == FINES.replace(ADDS, MULTIPLIES).replace(EARLY, LATE)
    assert done.sentence.endswith("tested, 2 kept.")


async def test_a_change_is_tested_on_what_fails_and_then_in_full(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, MULTIPLIES))
    await fix(bench)
    note = f"fines.py: `{ADDS}` → `{MULTIPLIES}`"
    assert [each for each in bench.notes if note in each] == [note, f"in full: {note}", f"Kept: {note}"]


async def test_a_change_that_helps_some_tests_is_held_against_others_of_its_line(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing("return days < 0", "return days > 9"))
    (tmp_path / "fines.py").write_text(FINES.replace(ADDS, MULTIPLIES))
    more = "\n    def test_very_late(self):\n        self.assertTrue(is_late(50))\n"
    (tmp_path / "test_fines.py").write_text(TESTS + more)
    done = await fix(bench)
    assert (done.gains, done.current_checks[0].passed) == (1, True)
    assert LATE in bench.source


async def test_a_slip_of_another_line_that_helps_some_tests_does_not_hide_the_one_that_helps_all(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "fines.py").write_text(
        "def total(a, b):\n    a = a + 0\n    c = 5\n    d = 6\n    e = 7\n    return a - b\n"
    )
    (tmp_path / "test_fines.py").write_text(
        "import unittest\n\nfrom fines import total\n\n\nclass FinesTest(unittest.TestCase):\n"
        "    def test_half(self):\n        self.assertEqual(total(4, 0.5), 4.5)\n\n"
        "    def test_whole(self):\n        self.assertEqual(total(4, 2), 6)\n"
    )
    bench.suspects = tuple(LineLocation("fines.py", line) for line in range(2, 7))
    done = await fix(bench)
    helps_some = "fines.py: `a = a + 0` → `a = a + 1`"
    assert bench.notes.index(helps_some) < bench.notes.index("fines.py: `return a - b` → `return a + b`")
    assert (done.gains, done.current_checks[0].passed, bench.model.requests) == (1, True, [])


async def test_a_slip_that_helps_few_tests_waits_for_those_of_lines_that_nothing_points_at(tmp_path: Path) -> None:
    bench = Bench(tmp_path, checks=400)
    bench.batch = 100
    (tmp_path / "fines.py").write_text("def total(a, b):\n    a = a + 0\n    return a - b\n")
    sums = [(4, 0.5), (4, 2), (1, 1), (2, 5), (3, 3)]
    cases = [
        f"    def test_{at}(self):\n        self.assertEqual(total({a}, {b}), {a + b})\n"
        for at, (a, b) in enumerate(sums)
    ]
    (tmp_path / "test_fines.py").write_text(
        "import unittest\n\nfrom fines import total\n\n\nclass FinesTest(unittest.TestCase):\n" + "\n".join(cases)
    )
    bench.suspects = (LineLocation("fines.py", 2),)
    bench.functions = (SuspectFunction("fines.py", "total"),)
    done = await fix(bench)
    assert "ahead: fines.py: `a = a + 0` → `a = a + 1`" in bench.notes
    assert (done.gains, done.current_checks[0].passed, bench.model.requests) == (1, True, [])
    assert "a = a + 0\n    return a + b" in bench.source


TAGS = """\
def tag(start, count):
    return f"{start + 1},{count}"
"""
TAGGED = """\
import unittest

from fines import tag


class FinesTest(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(tag(0, 0), "0,0")

    def test_later(self):
        self.assertEqual(tag(6, 0), "6,0")

    def test_some(self):
        self.assertEqual(tag(0, 2), "1,2")

    def test_one(self):
        self.assertEqual(tag(3, 1), "4,1")
"""


@pytest.mark.parametrize("batch", [0, 100], ids=["one by one", "together"])
async def test_a_change_that_breaks_what_passed_is_kept_under_a_condition(tmp_path: Path, batch: int) -> None:
    bench = Bench(tmp_path, checks=4000)
    bench.batch = batch
    (tmp_path / "fines.py").write_text(TAGS)
    (tmp_path / "test_fines.py").write_text(TAGGED)
    bench.suspects = (LineLocation("fines.py", 2),)
    done = await fix(bench)
    assert (done.gains, done.current_checks[0].passed) == (1, True)
    assert bench.source == (
        "def tag(start, count):\n"
        "    if not count:\n"
        '        return f"{start},{count}"\n'
        '    return f"{start + 1},{count}"\n'
    )


WEAK = """\
import unittest

from fines import fee


class FinesTest(unittest.TestCase):
    def test_fee(self):
        self.assertEqual(fee(4, 2), 13)
"""
FEE = "def fee(days, rate):\n    base = rate - rate\n    return days * rate + base + 3\n"


def weakly_tested(folder: Path) -> Bench:
    """Several changes make its only test pass, none of them among the likeliest."""
    bench = Bench(folder, checks=4000)
    bench.batch = 100
    (folder / "fines.py").write_text(FEE)
    (folder / "test_fines.py").write_text(WEAK)
    bench.suspects = tuple(LineLocation("fines.py", line) for line in (2, 3))
    return bench


async def test_a_fix_that_took_long_to_find_is_compared_with_others_that_pass(tmp_path: Path) -> None:
    bench = weakly_tested(tmp_path)
    done = await fix(bench)
    assert (done.gains, done.current_checks[0].passed) == (1, True)
    kept, first = bench.source, done_tested(done)
    assert done.also_passing
    for diff in done.also_passing:
        (tmp_path / "fines.py").write_text(FEE)
        (tmp_path / "other.diff").write_text(diff)
        applied = await asyncio.create_subprocess_exec("git", "apply", "other.diff", cwd=tmp_path)
        assert await applied.wait() == 0
        assert bench.source != kept
        assert (await bench.run())[0].passed
    assert first > CLEAR


async def test_a_value_that_suits_the_test_is_not_kept_if_another_change_passes(tmp_path: Path) -> None:
    bench = weakly_tested(tmp_path)
    bench.values = ("fee(4, 2) gave 11, expected 13",)
    done = await fix(bench)
    assert any("+    return days * rate + base + 5\n" in diff for diff in done.also_passing)
    assert bench.source == FEE.replace("days * rate", "(days + 1) * rate")


async def test_nothing_is_compared_where_running_everything_takes_long(tmp_path: Path) -> None:
    bench = weakly_tested(tmp_path)
    bench.cost = 100
    bench.left = 40_000
    done = await fix(bench)
    assert (done.current_checks[0].passed, done.also_passing) == (True, ())


async def test_a_cancel_while_others_are_looked_for_keeps_the_fix(tmp_path: Path) -> None:
    bench = weakly_tested(tmp_path)
    bench.hangs_after = "in full: "
    work = asyncio.create_task(fix(bench))
    await bench.hanging.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert bench.source != FEE
    bench.hangs_after = ""
    assert (await bench.run())[0].passed


async def test_a_fix_among_the_first_is_compared_with_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.suspects = (LineLocation("fines.py", 11),)
    (tmp_path / "fines.py").write_text(FINES.replace(ADDS, MULTIPLIES))
    done = await fix(bench)
    assert (done.current_checks[0].passed, done.also_passing) == (True, ())
    assert done_tested(done) <= CLEAR
    assert bench.notes[-1] == f"Kept: fines.py: `{EARLY}` → `{LATE}`"


async def test_slips_that_were_tested_together_are_not_tested_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.batch = 100
    bench.suspects = (LineLocation("fines.py", 7), LineLocation("fines.py", 11))
    done = await fix(bench)
    assert (done.gains, done.current_checks[0].passed, bench.model.requests) == (2, True, [])
    assert bench.source == FINES.replace(ADDS, MULTIPLIES).replace(EARLY, LATE)
    tested = [each for each in bench.notes if each.startswith("ahead: ")]
    assert MIN_BATCH < len(tested) < done_tested(done) + MAX_BATCH
    assert not {each.removeprefix("ahead: ") for each in tested}.intersection(bench.notes)


async def test_where_only_some_were_tested_together_the_rest_follow(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.batch = 1
    bench.suspects = (LineLocation("fines.py", 7), LineLocation("fines.py", 11))
    done = await fix(bench)
    assert (done.gains, done.current_checks[0].passed, bench.model.requests) == (2, True, [])


async def test_a_change_that_helps_nothing_is_taken_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing("CENTS = 15", "CENTS = 16"))
    await fix(bench)
    assert any("CENTS = 16" in each for each in bench.notes)
    assert "CENTS = 15\n" in bench.source


async def test_a_change_that_breaks_another_test_is_taken_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing("return 0", "return 150"), pointing(EARLY, "return days != 1"))
    (tmp_path / "fines.py").write_text(FINES.replace("if days < 0", "if days != 0"))
    await fix(bench)
    assert any(each.startswith("in full: fines.py: `return 0`") for each in bench.notes)
    assert "return 150" not in bench.source


async def test_a_change_that_does_not_parse_is_never_tested(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, "return (days"))
    await fix(bench)
    assert not any(each.endswith("`return (days`") for each in bench.notes)


async def test_a_correction_in_plain_words_needs_no_second_question(tmp_path: Path) -> None:
    thought = f"It adds, but it should multiply. The corrected line is `{MULTIPLIES}`."
    bench = Bench(tmp_path, NO_USE, NO_USE, thought)
    bench.suspects = (LineLocation("fines.py", 7),)
    await fix(bench)
    assert MULTIPLIES in bench.source


async def test_plain_words_without_code_are_asked_for_as_a_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path, NO_USE, NO_USE, "It adds, but it should multiply.", pointing(ADDS, MULTIPLIES))
    bench.suspects = (LineLocation("fines.py", 7),)
    await fix(bench)
    assert MULTIPLIES in bench.source


async def test_the_model_chooses_among_variants_of_the_line_it_pointed_at(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, ADDS), json.dumps({"new": MULTIPLIES}))
    await fix(bench)
    assert MULTIPLIES in bench.source


FINE_FOR = (SuspectFunction("fines.py", "fine_for"),)
WRITTEN = "```python\ndef fine_for(days):\n    return max(0, days) * CENTS\n```"


async def test_a_suspected_function_is_written_again_and_the_rest_of_its_file_stays(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f"It adds, so:\n{WRITTEN}")
    before = FINES.replace(EARLY, LATE)
    (tmp_path / "fines.py").write_text(before)
    bench.functions = FINE_FOR
    await fix(bench)
    start, end = before.index("def fine_for"), before.index("def is_late")
    written = "def fine_for(days):\n    return max(0, days) * CENTS"
    assert bench.source == f"{before[:start]}{written}\n\n\n{before[end:]}"


async def test_a_function_that_is_written_as_it_was_is_not_tested_and_the_next_sample_is_taken(tmp_path: Path) -> None:
    same = (
        "```python\ndef fine_for(days):\n    # a fine\n    if days < 0:\n        return 0\n    return days + CENTS\n```"
    )
    bench = Bench(tmp_path, same, WRITTEN)
    bench.functions = FINE_FOR
    done = await fix(bench)
    asked = [at for at, note in enumerate(bench.notes) if note.startswith("Asking the model to write fine_for")]
    between = bench.notes[asked[0] + 1 : asked[1]]
    assert between == ["The model wrote what is already there: not tested."]
    assert done.gains >= 1
    assert "max(0, days)" in bench.source


async def test_samples_of_one_wording_differ_in_their_sampling_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.functions = FINE_FOR
    await fix(bench)
    samples = [each for each in bench.model.requests if each.schema is None and each.max_tokens == REPLY_TOKENS]
    first = samples[: len(SAMPLES)]
    assert [each.temperature for each in first] == [each.temperature for each in SAMPLES]
    for other in (False, True):
        alike = [each for each, how in zip(first, SAMPLES, strict=True) if how.in_other_words == other]
        assert all(replace(each, temperature=0.0) == alike[0] for each in alike)
    assert first[0].messages != first[1].messages


async def test_the_second_suspect_is_written_once_before_the_first_is_sampled_further(tmp_path: Path) -> None:
    bench = Bench(tmp_path, checks=12)
    bench.functions = (*FINE_FOR, SuspectFunction("fines.py", "is_late"))
    await fix(bench)
    asked = [note.split()[5] for note in bench.notes if note.startswith("Asking the model to write")]
    assert asked[:5] == ["fine_for", "fine_for", "is_late", "fine_for", "fine_for"]


async def test_what_fails_with_a_sample_is_fed_back_only_as_long_as_that_helps(tmp_path: Path) -> None:
    wrong = [f"```python\ndef fine_for(days):\n    return days + {number}\n```" for number in range(1, 4)]
    bench = Bench(tmp_path, *wrong, WRITTEN)
    bench.functions = FINE_FOR
    await fix(bench)
    assert "max(0, days)" in bench.source
    first, corrected, second, third = (each.messages for each in bench.model.requests[:4])
    assert isinstance(corrected[-1], UserText)
    assert corrected[: len(first)] == first
    assert "tests still fail:\n- test_fine" in corrected[-1].text
    # The correction left as many failing, and so did the next sample: neither is corrected.
    assert second[0] != corrected[0]
    assert third == first


async def test_what_was_written_and_fails_some_tests_may_be_written_anew(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    names = ("fine_for", "is_late")
    bench.missing = (WritingTask("missing", "fines.py", names, "system", "context", certain=False, written=True),)
    await fix(bench)
    assert any("write what is missing" in note and "what was written fails some tests" in note for note in bench.notes)
    # Not at temperature 0, which would give what was written before.
    assert "Asking the model to write fine_for, is_late in fines.py (temperature 0.8)." in bench.notes


async def test_a_hint_is_followed_before_anything_is_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "fines.py").write_text(
        FINES.replace(ADDS, "return days * CENT").replace(EARLY, "return math.copysign(1, days or -1) > 0")
    )
    bench.hints = (
        Hint(LineLocation("fines.py", 7), "fine", UndefinedName(7, "CENT", "CENTS")),
        Hint(LineLocation("fines.py", 11), "is_late", MissingImport(11, "math", "")),
    )
    done = await fix(bench)
    assert (done.current_checks[0].passed, bench.model.requests) == (True, [])


async def test_the_second_attempt_asks_for_suspects_where_code_can_not_tell_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path, listing(ADDS), json.dumps({"new": MULTIPLIES}))
    await fix(bench, attempt=2)
    assert MULTIPLIES in bench.source


@pytest.mark.parametrize("new", [MULTIPLIES, "days * CENTS"])
async def test_the_second_attempt_tests_replacements(tmp_path: Path, new: str) -> None:
    bench = Bench(tmp_path, NO_USE, listing("return CENTS", new))
    bench.suspects = (LineLocation("fines.py", 7),)
    await fix(bench, attempt=2)
    assert MULTIPLIES in bench.source


async def test_the_last_attempt_tries_slips_without_the_model(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.suspects = (LineLocation("fines.py", 7), LineLocation("fines.py", 11))
    done = await fix(bench, attempt=3)
    assert done.current_checks[0].passed


async def test_only_lines_that_failures_point_at_are_offered_at_first(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.suspects = (LineLocation("fines.py", 6), LineLocation("fines.py", 5))
    await fix(bench)
    schema = bench.model.requests[0].schema
    assert schema is not None
    assert schema["properties"]["old"] == {"enum": ["if days < 0:", "return 0"]}


async def test_the_last_attempt_offers_every_line_that_does_something(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.suspects = (LineLocation("fines.py", 7),)
    await fix(bench, attempt=3)
    schema = bench.model.requests[0].schema
    assert schema is not None
    assert schema["properties"]["old"] == {"enum": ["CENTS = 15", "if days < 0:", "return 0", ADDS, EARLY]}


async def test_what_was_tested_is_not_offered_as_a_variant(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path, pointing("if days < 0:", "if days <= 0:"), checks=10_000, cost=FIRST_TESTS * MAX_RUNS_PER_TEST
    )
    bench.suspects = (LineLocation("fines.py", 5),)
    await fix(bench)
    choices = [each.schema["properties"]["new"] for each in bench.model.requests if each.schema]
    offered = next(each["enum"] for each in choices if "enum" in each)
    assert "if days - 1 < 0:" in offered
    assert "if days <= 0:" not in offered


async def test_the_slower_the_runs_are_the_sooner_something_is_asked(tmp_path: Path) -> None:
    tested: list[int] = []
    for cost in (1, FIRST_TESTS * MAX_RUNS_PER_TEST // 2):
        bench = Bench(tmp_path, checks=20_000, cost=cost)
        bench.suspects = (LineLocation("fines.py", 5),)
        await fix(bench)
        tests = [note for note in bench.notes if not note.startswith("Order: ")]
        tested.append(tests.index("Asking which line is wrong."))
    quick, slow = tested
    assert slow == 4 < quick  # two of the likeliest, and two other slips


async def test_nothing_is_tested_twice_even_after_a_resume(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing("return 0", "return 2"))
    bench.suspects = (LineLocation("fines.py", 6),)
    first = await fix(bench)
    again = Bench(tmp_path, pointing("return 0", "return 2"))
    again.suspects = bench.suspects
    await fix(again, tried=first.tried)
    assert "fines.py: `return 0` → `return 2`" in bench.notes
    assert not {note for note in bench.notes if "return 0" in note} & set(again.notes)


WRONG = ("return days - CENTS", "return days / CENTS", "return days % CENTS", "return CENTS")


@pytest.mark.parametrize(
    ("attempt", "replies", "checks", "left"),
    [
        pytest.param(1, (NO_USE, NO_USE, "\n".join(WRONG)), 12, 10, id="first"),
        pytest.param(2, (NO_USE, listing(*WRONG)), 9, 7, id="second"),
        pytest.param(3, (NO_USE, "\n".join(WRONG)), 6, 3, id="last"),
    ],
)
async def test_checks_are_left_for_the_verifier_and_for_later_attempts(
    tmp_path: Path, attempt: int, replies: tuple[str, ...], checks: int, left: int
) -> None:
    bench = Bench(tmp_path, *replies, checks=checks)
    bench.suspects = (LineLocation("fines.py", 6),)
    await fix(bench, attempt=attempt)
    assert bench.left == left


async def test_nothing_is_asked_where_nothing_could_be_tested(tmp_path: Path) -> None:
    bench = Bench(tmp_path, checks=3)
    done = await fix(bench, attempt=3)
    assert (bench.model.requests, done.gains) == ([], 0)


async def test_a_run_that_can_not_be_had_ends_the_repair_and_takes_the_change_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, MULTIPLIES))
    bench.checks_left = lambda: 40
    bench.left = 0
    done = await fix(bench)
    assert (bench.source, done.gains) == (FINES, 0)


async def test_a_file_that_judges_the_run_is_passed_over(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, MULTIPLIES))
    bench.judging_files = {"fines.py"}
    assert (await fix(bench)).gains == 0


async def test_a_model_that_fails_leaves_what_was_gained_and_what_code_can_do(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, MULTIPLIES), ScriptedReply(status=500, body="down"))
    done = await fix(bench)
    assert isinstance(done.model_error, ModelError)
    assert done.gains >= 1
    assert MULTIPLIES in bench.source
    after = bench.notes[next(at for at, note in enumerate(bench.notes) if note.startswith("The model failed")) :]
    assert any(note.startswith("fines.py") for note in after)
    assert len(bench.gained) == done.gains


async def test_a_cancel_while_a_change_is_tested_takes_it_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, pointing(ADDS, MULTIPLIES))
    current_checks = await bench.run()
    bench.hangs = True
    work = asyncio.create_task(run_guided_coder(bench, current_checks, attempt=1, tried=()))
    await bench.hanging.wait()
    assert MULTIPLIES in bench.source
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert bench.source == FINES


async def test_functions_of_two_samples_are_put_together(tmp_path: Path) -> None:
    """What one sample got wrong, another has right: no sample alone passes all tests."""
    one = FINES.replace(ADDS, MULTIPLIES)
    other = FINES.replace(EARLY, LATE)
    bench = Bench(tmp_path, f"```python\n{one}```", NO_USE, f"```python\n{other}```")
    bench.missing = (WritingTask("missing", "fines.py", ("fine_for", "is_late"), "system", "context", "other words"),)
    done = await fix(bench)
    assert bench.source == one.replace(EARLY, LATE)
    assert done.current_checks[0].passed
    assert any("as another sample has it" in note for note in bench.notes)


async def test_a_small_gain_in_code_that_was_just_written_is_not_kept(tmp_path: Path) -> None:
    """An early return passes tests that expect nothing, and leads away from what is meant."""
    bench = Bench(tmp_path)
    more = "".join(
        f"\n    def test_{day}(self):\n        self.assertEqual(fine_for({day}), 'a{day}')\n" for day in (4, 5, 6)
    )
    (tmp_path / "test_fines.py").write_text(TESTS + more)
    bench.missing = (
        WritingTask("missing", "fines.py", ("fine_for",), "system", "context", certain=False, written=True),
    )
    assert not (await fix(bench)).gains
    assert bench.source == FINES
    bench.missing = ()
    assert (await fix(bench)).gains


async def test_code_that_halves_the_failures_is_kept_though_it_fails_what_a_stub_passed(tmp_path: Path) -> None:
    stub = FINES.replace(ADDS, "return None").replace(EARLY, "return None")
    written = FINES.replace(ADDS, MULTIPLIES).replace(EARLY, "return days >= 0")
    bench = Bench(tmp_path, f"```python\n{written}```")
    (tmp_path / "fines.py").write_text(stub)
    bench.missing = (WritingTask("missing", "fines.py", ("fine_for", "is_late"), "system", "context"),)
    done = await fix(bench, attempt=3)
    assert bench.source == written
    assert done.gains == 1
    assert [test.name for test in done.current_checks[0].report.failing] == ["test_not_late"]


async def test_a_sample_that_compares_is_corrected_after_one_that_crashed(tmp_path: Path) -> None:
    """As many tests fail with both, but the second got further."""
    crashes = FINES.replace(ADDS, "return days.cents").replace(EARLY, "return days.late")
    compares = FINES.replace(ADDS, "return 1").replace(EARLY, "return days == 99")
    right = FINES.replace(ADDS, MULTIPLIES).replace(EARLY, LATE)
    bench = Bench(tmp_path, *(f"```python\n{text}```" for text in (crashes, crashes, compares, right)))
    bench.missing = (WritingTask("missing", "fines.py", ("fine_for", "is_late"), "system", "context", "other words"),)
    await fix(bench)
    assert bench.source == right
    assert sum(note.startswith("Telling the model what still fails") for note in bench.notes) == 2


UNGUARDED = """\
def fine_for(days):
    cents = 15
    return days * cents"""
GUARD = " days < 0:\n        return 0\n    return days * cents\n```"
"""What the model writes after an `if` in place of the `return`."""


def copying(code: str, others: Mapping[str, Mapping[str, float]]) -> ScriptedReply:
    """The copy that llama.cpp is made to write, by words, with what the model would write instead of some of them."""

    def chunk(piece: str, finish_reason: str | None = None) -> str:
        likeliest = [{"token": text, "logprob": logprob} for text, logprob in others.get(piece, {}).items()]
        content = [{"token": piece, "logprob": -0.1, "top_logprobs": [{"token": piece, "logprob": -0.1}, *likeliest]}]
        choice = {"delta": {"content": piece}, "finish_reason": finish_reason, "logprobs": {"content": content}}
        return "data: " + json.dumps({"choices": [choice]})

    pieces = re.findall(r"\n *|\w+|[^\w\n]", f"```python\n{code}\n```")
    return ScriptedReply(raw=(*map(chunk, pieces), chunk("", "stop"), "data: [DONE]"))


def unguarded(folder: Path, *replies: str | ScriptedReply, choices: bool = True, checks: int = 40) -> Bench:
    """A folder with a function that lacks its first lines: no slip."""
    bench = Bench(folder, *replies, checks=checks)
    text = f"{UNGUARDED}\n\n\ndef is_late(days):\n    return days > 0\n"
    (folder / "fines.py").write_text(text)
    around = Excerpt("fines.py", 1, 7, text.rstrip("\n"))
    bench.functions = (SuspectFunction("fines.py", "fine_for", around=around, first=1, last=3),)
    bench.choices = choices
    return bench


async def diverge(bench: Bench) -> GuidedResult:
    """In a second attempt, divergences come first."""
    return await fix(bench, attempt=2)


def copies(bench: Bench) -> list[str]:
    return [each.exact_text for each in bench.model.requests if each.exact_text is not None]


def continued(bench: Bench) -> list[str]:
    """The last lines of the replies that the model was asked to continue."""
    last = (each.messages[-1] for each in bench.model.requests)
    return [each.text.rpartition("\n")[2] for each in last if isinstance(each, AssistantReply)]


async def test_what_the_model_would_rather_have_written_is_found_and_tested_and_kept(tmp_path: Path) -> None:
    bench = unguarded(tmp_path, copying(UNGUARDED, {"return": {"if": -0.7}}), GUARD)
    before = bench.source
    done = await diverge(bench)
    assert (done.gains, done.current_checks[0].passed) == (1, True)
    assert bench.source == before.replace("    return days *", "    if days < 0:\n        return 0\n    return days *")
    note, *later = (each for each in bench.notes if "`if days < 0: ⏎ return 0`" in each)
    assert later == [f"in full: {note}", f"Kept: {note}"]
    assert (copies(bench), len(bench.model.requests)) == ([f"```python\n{UNGUARDED}\n```"], 2)


async def test_a_server_that_shows_no_choices_is_not_asked_to_copy(tmp_path: Path) -> None:
    bench = unguarded(tmp_path, choices=False)
    await diverge(bench)
    assert bench.model.requests
    assert (copies(bench), continued(bench)) == ([], [])


async def test_the_likeliest_divergences_are_tested_first_and_continued_from_the_end_of_the_function_on(
    tmp_path: Path,
) -> None:
    doubts = {"15": {"16": -0.5}, "*": {"-": -0.9}, "return": {"yield": -2.0}}
    continuations = (" cents\n```", " days\n```", "\n    return days * cents\n```")
    bench = unguarded(tmp_path, copying(UNGUARDED, doubts), *continuations)
    await diverge(bench)
    assert continued(bench) == ["    return days -", "    yield", "    cents = 16"]
    likeliest_first = [
        "fines.py: `cents = 15` → `cents = 16`",
        "fines.py: `return days * cents` → `return days - cents`",
        "fines.py: `return days * cents` → `yield days`",
    ]
    assert [each for each in bench.notes if each in likeliest_first] == likeliest_first


async def test_a_copy_without_divergences_is_followed_by_the_next_question(tmp_path: Path) -> None:
    bench = unguarded(tmp_path, copying(UNGUARDED, {}), WRITTEN.replace("CENTS", "15"))
    done = await diverge(bench)
    assert (done.gains, done.current_checks[0].passed, continued(bench)) == (1, True, [])
    assert "max(0, days)" in bench.source


async def test_a_server_that_refuses_to_copy_is_asked_the_next_question(tmp_path: Path) -> None:
    bench = unguarded(tmp_path, ScriptedReply(status=400), WRITTEN.replace("CENTS", "15"))
    done = await diverge(bench)
    assert (done.gains, done.current_checks[0].passed) == (1, True)
    assert any(note.startswith("The server can't tell where the model would write otherwise") for note in bench.notes)


async def test_a_divergence_that_does_not_parse_is_never_tested(tmp_path: Path) -> None:
    bench = unguarded(tmp_path, copying(UNGUARDED, {"*": {"(": -0.5}}), " cents\n```")
    await diverge(bench)
    assert continued(bench) == ["    return days ("]
    assert not any("days ( cents" in each for each in bench.notes)


async def test_changes_where_the_model_diverges_are_tested_together_and_not_again(tmp_path: Path) -> None:
    doubts = {"*": {"+": -0.5, "-": -0.6, "/": -0.7, "%": -0.8}, "return": {"if": -0.9}}
    bench = unguarded(tmp_path, copying(UNGUARDED, doubts), *[" cents\n```"] * 4, GUARD)
    bench.batch = 100
    done = await diverge(bench)
    assert (done.gains, done.current_checks[0].passed) == (1, True)
    ahead = [each.removeprefix("ahead: ") for each in bench.notes if each.startswith("ahead: ")]
    assert len(ahead) >= MIN_BATCH
    assert not set(ahead).intersection(bench.notes)


async def test_a_function_with_a_secret_is_not_copied(tmp_path: Path) -> None:
    bench = unguarded(tmp_path)
    (function,) = bench.functions
    assert function.around is not None
    masked = replace(function.around, text=function.around.text.replace("15", "••"))
    bench.functions = (replace(function, around=masked),)
    await diverge(bench)
    assert (copies(bench), continued(bench)) == ([], [])
    assert bench.model.requests


@pytest.mark.parametrize(
    ("attempt", "first", "temperature"), [(2, "return days * 1 +", 0.8), (3, "return days * 17 +", 0.0)]
)
async def test_a_later_attempt_continues_other_divergences_or_in_another_way(
    tmp_path: Path, attempt: int, first: str, temperature: float
) -> None:
    doubts = {"*": {f"* {number} +": -number / 10 for number in range(1, 25)}}
    bench = unguarded(tmp_path, copying(UNGUARDED, doubts), checks=12)
    await fix(bench, attempt=attempt)
    assert continued(bench)[0].strip() == first
    asked = [each for each in bench.model.requests if isinstance(each.messages[-1], AssistantReply)]
    assert {each.temperature for each in asked} == {temperature}
