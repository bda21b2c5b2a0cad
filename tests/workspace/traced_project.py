"""Little projects whose tests are run with a program loaded into them, in the sandbox."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from mulligan.core.fix_runs.candidate_tests import batch_runner_for
from mulligan.core.fix_runs.hanging_tests import interrupter_of
from mulligan.types.fixing import ProjectCommand
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.run_environment import run_environment
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.traced_tests import BatchRuns, run_batch
from tests.patience import PATIENCE


def project_with(folder: Path, files: Mapping[str, str]) -> ProjectCommands:
    project = folder / "project"
    project.mkdir()
    for path, text in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    return commands_in(folder)


def commands_in(folder: Path) -> ProjectCommands:
    project = folder / "project"
    sandbox = Sandbox("auto", project, home=folder / "home")
    environ = {**run_environment(os.environ, project), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return ProjectCommands(project, sandbox, environ=environ)


async def run_texts(
    folder: Path,
    texts: Sequence[tuple[str, bytes]],
    command: str,
    *,
    time_limit: float,
    hangs: bool = False,
    only: Sequence[str] = (),
) -> BatchRuns:
    """Run a command in a batch for these texts of files, with tests that don't end being interrupted if it `hangs`."""
    judged = ProjectCommand(command=command, kind="test", why="--verify")
    loaded = [batch_runner_for([(judged, command)]), *([interrupter_of(command)] if hangs else [])]
    return await run_batch(
        commands_in(folder).run,
        folder / "project",
        command,
        [each for each in loaded if each],
        texts,
        time_limit=time_limit,
        preloads=True,
        together=PATIENCE,
        files=only,
    )
