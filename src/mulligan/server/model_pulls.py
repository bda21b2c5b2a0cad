"""Downloads of embedded models: started by a user on the page, or by a turn that needs one; shown on every page."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mulligan.app.ready_models import DownloadDisplay
from mulligan.models.embedded.catalog import ModelEntry, find_entry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.download_progress import Checking, Downloading, MirrorSkipped, Progress, Report, Waiting
from mulligan.models.embedded.engine import engine_missing, engine_version
from mulligan.ports.callbacks import Log
from mulligan.server.frames.envelopes import Notice, PullProgress
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.types.errors import MulliganError


def pull_display(hub: FrameHub, project_id: str) -> DownloadDisplay:
    """A download shows on every page, one frame per percent, and how it ended."""

    @contextmanager
    def showing(model: str) -> Generator[Report, None, None]:
        shown = PullProgress(model=model, done=0, total=find_entry(model).size)

        def publish(**fields: object) -> None:
            nonlocal shown
            shown = shown.model_copy(update=fields)
            hub.publish(shown, FrameScope(project_id))

        def report(progress: Progress) -> None:
            match progress:
                case Downloading(done=done, total=total) | Checking(done=done, total=total):
                    if done * 100 // total != shown.done * 100 // shown.total:
                        publish(done=done, words="")
                case Waiting():
                    if not shown.words:
                        publish(words="Another process is downloading it. Waiting for that.")
                case MirrorSkipped():
                    hub.publish(Notice(text=f"{progress.mirror} {progress.reason}"), FrameScope(project_id))

        publish()
        try:
            yield report
        except asyncio.CancelledError:
            publish(state="cancelled")
            raise
        except MulliganError as error:
            publish(state="failed", words=str(error))
            raise
        publish(state="done", done=shown.total)

    return showing


@dataclass(slots=True)
class ModelPulls:
    """Downloads that a user started here, by model. One at a time for each."""

    hub: FrameHub
    home: Path
    log: Log
    _under_way: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, asyncio.Task[None]])

    def under_way(self, name: str) -> bool:
        return name in self._under_way

    def begin(self, project_id: str, name: str) -> None:
        """Calling this approves the download. Raises `ConfigurationError` for an unknown model, or without its
        engine."""
        entry = find_entry(name)
        if entry.name in self._under_way:
            return
        if engine_version() is None:
            raise engine_missing()
        task = asyncio.create_task(self._pull(entry, pull_display(self.hub, project_id)))
        self._under_way[entry.name] = task
        task.add_done_callback(lambda _task: self._under_way.pop(entry.name, None))

    async def cancel(self, name: str) -> bool:
        """Keeps the part already downloaded. False if nothing was running."""
        task = self._under_way.get(find_entry(name).name)
        if task is None:
            return False
        task.cancel()
        await asyncio.wait([task])
        return True

    async def close(self) -> None:
        for name in tuple(self._under_way):
            await self.cancel(name)

    async def _pull(self, entry: ModelEntry, show: DownloadDisplay) -> None:
        try:
            with show(entry.name) as report:
                await ModelFiles(self.home).pull(entry, progress=report)
        except asyncio.CancelledError:
            pass  # the page was told
        except MulliganError as error:
            self.log("download_failed", model=entry.name, error=str(error))
