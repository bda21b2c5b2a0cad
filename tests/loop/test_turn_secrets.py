"""What tools return is masked before it is kept, shown or sent; what Mulligan gathers itself is too."""

import json
from dataclasses import replace

from mulligan.core.secrets import Mask
from mulligan.loop.guided import run_guided_turn
from mulligan.types.frames import ToolReturned
from mulligan.types.messages import ToolResultPart
from mulligan.types.model_io import ToolReply
from mulligan.types.profiles import ModelProfile
from mulligan.workspace.files.masked_files import MaskedFiles
from mulligan.workspace.files.project_files import ProjectFiles
from tests.loop.turn_bench import Bench, calling, script, viewing

SECRET = "q7Zp2Lw9Xc4V"  # noqa: S105 - nobody's
SETTINGS = f'HOST = "db"\nDB_PASSWORD = "{SECRET}"\n\n\ndef connect():\n    return HOST, DB_PASSWORD\n'


async def test_a_search_comes_back_with_its_values_masked_and_code_untouched(bench: Bench) -> None:
    (bench.project / "settings.py").write_text(SETTINGS)
    model = script(calling(("grep", {"pattern": "PASSWORD"})), "Done.")
    await bench.run(model)
    (told,) = [each for each in model.requests[-1].messages if isinstance(each, ToolReply)]
    assert told.text.endswith(
        'settings.py:2: DB_PASSWORD = "[masked: password]"\n'
        "settings.py:6:     return HOST, DB_PASSWORD\n\n[1 value is masked.]"
    )


async def test_the_user_sees_how_many_were_masked_and_the_chat_does_not_keep_them(bench: Bench) -> None:
    (bench.project / "settings.py").write_text(SETTINGS)
    await bench.run(script(viewing("settings.py"), viewing("a.py"), "Done."))
    frames = [frame for frame in bench.frames if isinstance(frame, ToolReturned)]
    parts = [part for part in (await bench.answer()).parts if isinstance(part, ToolResultPart)]
    assert [frame.masked for frame in frames] == [part.masked for part in parts] == [1, 0]
    kept = [message.model_dump_json() for message in await bench.messages()]
    assert SECRET not in json.dumps([frame.model_dump(mode="json") for frame in bench.frames] + kept)


async def test_values_of_this_machine_are_masked_whatever_they_look_like(bench: Bench) -> None:
    (bench.project / "notes.txt").write_text("it said: correct horse\n")
    model = script(viewing("notes.txt"), "Done.")
    await bench.start(replace(bench.plan(model), mask=Mask({}, ["correct horse"])))
    assert "correct horse" not in str(model.requests)
    assert "[masked: key of this machine]" in str(model.requests)


async def test_what_a_guided_turn_is_answered_from_is_masked_in_the_next_turn_too(bench: Bench) -> None:
    (bench.project / "settings.py").write_text(SETTINGS)
    model = script("It connects.", "To the host.")
    for prompt in ("What does connect in settings.py return?", "And which DB_PASSWORD?"):
        await run_guided_turn(
            bench.plan(model),
            prompt,
            workspace=ProjectFiles(bench.project),
            profile=ModelProfile(server="s", model="m", context_length=4096),
            store=bench.store.messages,
            emit=bench.frames.append,
            log=bench.remember,
        )
    assert SECRET not in str(model.requests)
    assert 'DB_PASSWORD = "[masked: password]"' in str(model.requests[0])
    assert 'DB_PASSWORD = "[masked: password]"' in str(model.requests[1])


async def test_masked_files_have_the_lines_of_the_files(bench: Bench) -> None:
    (bench.project / "settings.py").write_text(SETTINGS)
    (bench.project / "empty.py").write_text("")
    files = MaskedFiles(ProjectFiles(bench.project), Mask())
    lines = (await files.read_text("settings.py")).lines
    assert lines == ('HOST = "db"', 'DB_PASSWORD = "[masked: password]"', *SETTINGS.splitlines()[2:])
    assert (await files.read_text("empty.py")).lines == ()
