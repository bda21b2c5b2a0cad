"""What the project is built with: manifests, frameworks, scripts and entry points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out
from mulligan.types.base import Record
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Framework

NONE_FOUND = (
    "No manifest of a Python, Node, Go, Rust or Java project was found. find_files and list_dir show what there is."
)


class GetFrameworkAnalysisArguments(Record):
    pass


class GetFrameworkAnalysis:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_framework_analysis",
            "What the whole project is built with: manifests, frameworks, scripts.",
            GetFrameworkAnalysisArguments,
            time_limit=TIME_LIMIT,
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        read_arguments(GetFrameworkAnalysisArguments, arguments)
        found, note = await ask_promptly(self._index, lambda code: code.frameworks())
        manifests = tuple(each.manifest for each in found[:1])
        return Succeeded(show_frameworks(found) + note, refers_to=source_files(found), asked_for=manifests)


def show_frameworks(found: Sequence[Framework]) -> str:
    if not found:
        return NONE_FOUND
    sections = [Section(_title(each), _lines(each), f"view_file {each.manifest}", least=4) for each in found]
    return lay_out(f"{counted(len(found), 'manifest')}.", sections, more="find_files lists manifests by name")


def source_files(found: Sequence[Framework]) -> tuple[str, ...]:
    """Each manifest, then where its program starts."""
    return tuple(
        dict.fromkeys(path for each in found for path in (each.manifest, *(entry.path for entry in each.entry_points)))
    )


def _title(framework: Framework) -> str:
    name = f" {framework.name}" if framework.name else ""
    return f"{framework.manifest} ({framework.language}{name})"


def _lines(framework: Framework) -> list[str]:
    lines = [f"frameworks: {', '.join(framework.frameworks)}"] if framework.frameworks else []
    lines += [f"entry point {each.path}: {each.what}" for each in framework.entry_points]
    lines += [f"script {name}: {command}" for name, command in framework.scripts]
    if framework.dependencies:
        lines.append(f"depends on {len(framework.dependencies)}: {', '.join(framework.dependencies)}")
    return lines or ["It names nothing."]
