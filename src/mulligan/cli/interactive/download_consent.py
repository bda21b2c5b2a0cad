"""Consent to download a model: --yes in advance, or the user at the terminal."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from mulligan.app.ready_models import AllowDownload, nobody_to_ask

if TYPE_CHECKING:
    from mulligan.core.model_downloads import DownloadOffer


def download_consent(tell: Callable[[str], None], *, yes: bool, interactive: bool) -> AllowDownload:
    """Without --yes and without a user at the terminal, nothing is downloaded."""

    async def ask(offer: "DownloadOffer") -> bool:
        from mulligan.cli.interactive.choice import choose
        from mulligan.core.model_downloads import offer_words

        tell(offer_words(offer))
        try:
            return await choose("download it?", {"y": "yes", "n": "no"}, default="n") == "y"
        except KeyboardInterrupt:
            # The prompt took the signal; end the command as if it had received it.
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
            return False

    async def agree(_offer: "DownloadOffer") -> bool:
        return True

    if yes:
        return agree
    return ask if interactive else nobody_to_ask
