"""Whether a model may be downloaded, and the texts about it. Nothing that large is fetched without asking."""

from collections.abc import Mapping

from mulligan.core.byte_sizes import format_size
from mulligan.types.frozen import frozen


@frozen
class DownloadOffer:
    """A model that is needed and not installed."""

    name: str
    size: int
    """Bytes."""
    begun: int
    """Bytes that an earlier download left."""
    folder: str
    """Where it is stored."""
    user_file: str
    servers: Mapping[int, str]
    """Model servers that could answer instead, by the port that was tried."""


def offer_words(offer: DownloadOffer) -> str:
    """What would be downloaded, its size, its folder, and the alternatives."""
    left = f", {format_size(offer.begun)} of it here already" if offer.begun else ""
    return (
        f"To answer, Mulligan needs a model. It can download {offer.name} ({format_size(offer.size)}{left}) once to "
        f"{offer.folder} and run it on this machine, without an account. Or start a model server and ask again: "
        f"{_servers(offer)}. One elsewhere is named with --base-url URL."
    )


def not_allowed_words(offer: DownloadOffer) -> str:
    """What to type if the user has not agreed."""
    size = format_size(offer.size)
    return (
        f"the embedded model {offer.name} ({size}) is not here, and nobody said yes to its download. To say yes: "
        f'mulligan models pull {offer.name}, or --yes, or MULLIGAN_DOWNLOADS=yes, or `downloads = "yes"` in '
        f"{offer.user_file}. It is put into {offer.folder}. To use a model server instead, start one "
        f"({_servers(offer)}) or name one with --base-url URL"
    )


def refused_words(offer: DownloadOffer) -> str:
    """What to do if the settings forbid it."""
    return (
        f"no model server is set, and the embedded model {offer.name} is not here. Name a server with --base-url "
        f"http://127.0.0.1:11434/v1 or MULLIGAN_BASE_URL (found by themselves: {_servers(offer)}), or download the "
        f"model with: mulligan models pull {offer.name}"
    )


def _servers(offer: DownloadOffer) -> str:
    return ", ".join(f"{name} on port {port}" for port, name in offer.servers.items())
