"""What a synthesis pass reads, in a turn with the real tools, a real index and a scripted model."""

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from mulligan.codecontext.index import ProjectIndex
from mulligan.loop.plan import TurnPlan
from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.tools.registry import build_code_tools
from mulligan.types.frames import TurnEnd
from mulligan.types.model_io import ModelRequest, UserText
from mulligan.workspace.files.project_files import ProjectFiles
from tests.loop.turn_bench import Bench, calling, script

FILLER = "".join(f"def filler_{number}():\n    return {number}\n\n\n" for number in range(100))
SHOP = {
    "README.md": "# Shop\n",
    "docs/README.md": "# Documents\n",
    "docs/architecture.md": "# Architecture\n\nA parcel is taken in at the desk.\n",
    "docs/agents.md": "# A guide for people\n",
    "docs/ROADMAP.md": "Refunds are planned.\n",
    "CHANGELOG.md": "".join(f"- change {number}\n" for number in range(200)),
    "shop/__init__.py": "",
    "shop/types.py": "class Money:\n    cents = 0\n",
    "shop/scale.py": FILLER + "def weigh_parcel(parcel):\n    return parcel.grams\n",
    "shop/postage.py": (
        '"""What a parcel costs."""\n\nfrom shop.types import Money\n\n\ndef postage(grams):\n    return Money()\n'
    ),
    "shop/desk.py": (
        "from shop.postage import postage\nfrom shop.scale import weigh_parcel\n\n\n"
        "def take_in(box):\n    return postage(weigh_parcel(box))\n" + "# A counter.\n" * 30
    ),
    **{
        f"shop/page_{number}.py": "from shop.types import Money\n\n\ndef page():\n    return Money\n"
        for number in range(9)
    },
}
FLOW = "how is a parcel weighed and its postage found?"


class Shop:
    """A turn in the shop, and what its synthesis was asked."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        for path, text in SHOP.items():
            target = bench.project / path
            target.parent.mkdir(exist_ok=True)
            target.write_text(text)
        self.files = ProjectFiles(bench.project)
        self.index = ProjectIndex(bench.project, bench.project.parent / "index", self._paths)

    async def ask(self, question: str, tool: str, **arguments: Any) -> tuple[TurnEnd, ScriptedModel]:
        model = script(calling((tool, arguments)), ScriptedReply(text="So it is."))
        return await self.bench.start(self._plan(model), question), model

    def _plan(self, model: ScriptedModel) -> TurnPlan:
        tools = build_code_tools(lambda: self.index).values()
        return replace(self.bench.plan(model, tools=tuple(tools)), files=self.files, index=lambda: self.index)

    async def _paths(self) -> Sequence[str]:
        return (await self.files.find_files("*", ".", 1000)).paths


@pytest.fixture
async def shop(bench: Bench) -> AsyncGenerator[Shop]:
    made = Shop(bench)
    yield made
    made.index.close()


def text_of(request: ModelRequest) -> str:
    user = request.messages[1]
    assert isinstance(user, UserText)
    return user.text


def shown(request: ModelRequest, kind: str = "file") -> list[str]:
    return re.findall(rf'^<{kind} path="([^"]+)"', text_of(request), re.MULTILINE)


@pytest.mark.parametrize("tool", ["get_codebase_overview", "get_semantic_neighborhoods"])
async def test_the_files_that_the_question_is_about_are_read_first_whatever_their_rank(tool: str, shop: Shop) -> None:
    end, model = await shop.ask(FLOW, tool)
    assert end.stop_reason == "synthesized"
    assert set(shown(model.requests[1])[:3]) == {"shop/desk.py", "shop/postage.py", "shop/scale.py"}


async def test_of_a_long_file_the_part_that_is_asked_about_is_shown_with_its_lines(shop: Shop) -> None:
    _, model = await shop.ask(FLOW, "get_codebase_overview")
    text = text_of(model.requests[1])
    assert re.search(r'<file path="shop/scale.py" lines="1-\d+, 401-402 of 402">', text)
    assert "[…]\ndef weigh_parcel(parcel):\n    return parcel.grams\n</file>" in text


async def test_the_structure_and_the_newest_changes_are_documents_and_a_guide_for_people_is_none(shop: Shop) -> None:
    _, model = await shop.ask(FLOW, "get_codebase_overview")
    assert shown(model.requests[1], "document") == ["docs/ROADMAP.md", "docs/architecture.md", "CHANGELOG.md"]
    assert '<document path="CHANGELOG.md" lines="1-60 of 200">' in text_of(model.requests[1])


async def test_a_question_on_the_whole_is_answered_from_readme_structure_and_rank(shop: Shop) -> None:
    _, model = await shop.ask("how is this project structured?", "get_codebase_overview")
    assert shown(model.requests[1], "(?:file|document)")[:3] == ["docs/ROADMAP.md", "docs/architecture.md", "README.md"]
    assert "shop/types.py" in shown(model.requests[1])


@pytest.mark.parametrize("around", ["shop/page_7.py", "./shop/page_7.py"])
async def test_what_the_parts_are_asked_around_is_always_read(around: str, shop: Shop) -> None:
    _, model = await shop.ask(FLOW, "get_semantic_neighborhoods", around=around)
    assert shown(model.requests[1])[0] == "shop/page_7.py"


async def test_the_file_of_a_symbol_that_the_parts_are_asked_around_is_always_read(shop: Shop) -> None:
    _, model = await shop.ask("how do pages work?", "get_semantic_neighborhoods", around="weigh_parcel")
    assert shown(model.requests[1])[0] == "shop/scale.py"


async def test_a_result_that_found_nothing_is_a_step_like_any_other(shop: Shop) -> None:
    end, model = await shop.ask("what is it built with?", "get_framework_analysis")
    assert (end.stop_reason, end.steps) == ("answered", 2)
    assert model.requests[1].tools
    assert len([message for message in await shop.bench.messages() if message.role == "assistant"]) == 1
