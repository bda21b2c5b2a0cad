"""The additional checks of `mulligan doctor --offline`: is everything here that would otherwise be downloaded?"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mulligan.cli.commands.doctor_checks import DoctorCheck
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.models.embedded.catalog import Catalog
    from mulligan.models.embedded.download import ModelFiles
    from mulligan.runtime.connection_watch import Connections


def hosts_set(settings: Settings) -> list[str]:
    """The model server and the database that the user named: they may be elsewhere in a closed network."""
    urls = [settings.base_url, settings.database_url.get_secret_value() if settings.database_url else None]
    return [host for url in urls if url and (host := urlsplit(url).hostname)]


async def check_model_files(
    settings: Settings, catalog: "Catalog", files: "ModelFiles", *, needed: bool
) -> DoctorCheck:
    """Reads every model file to the end: one that was copied here has not been checked yet."""
    here = [entry for entry in catalog.entries if files.path(entry).is_file()]
    wrong = [entry for entry in here if not await files.intact(entry, progress=lambda _: None)]
    if wrong:
        found = f"{files.path(wrong[0])} is not what it should be"
        advice = f"Copy it again: {wrong[0].size:,} bytes with the sha256 {wrong[0].sha256}."
        return DoctorCheck(name="embedded models", verdict="problem", found=found, advice=advice)
    wanted = catalog.find(settings.model or catalog.default) if needed else None
    if wanted and wanted not in here:
        advice = f"Copy {wanted.file} to {files.path(wanted)}; its sha256 is {wanted.sha256}."
        return DoctorCheck(name="embedded models", verdict="problem", found="none here", advice=advice)
    found = f"{', '.join(entry.name for entry in here)}: checked by sha256" if here else "none here, and none needed"
    return DoctorCheck(name="embedded models", verdict="ok", found=found)


def check_grammars() -> DoctorCheck:
    """Each is loaded from its own wheel."""
    from mulligan.syntax.grammars import load
    from mulligan.syntax.registry import grammars

    missing: list[str] = []
    for key in grammars():
        try:
            load(key)
        except (ImportError, AttributeError, ValueError) as error:
            missing.append(f"{key} ({error})")
    if missing:
        found, advice = f"can't be loaded: {', '.join(missing)}", "Install Mulligan again, with all its dependencies."
        return DoctorCheck(name="grammars", verdict="problem", found=found, advice=advice)
    return DoctorCheck(name="grammars", verdict="ok", found=f"all {len(grammars())} load")


def check_page() -> DoctorCheck:
    from mulligan.server.routes.page import BUILT

    if (BUILT / "index.html").is_file():
        return DoctorCheck(name="page", verdict="ok", found="in the package")
    advice = "Copy a wheel built with `make wheel`; the command line works without the page."
    return DoctorCheck(name="page", verdict="note", found="not in the package", advice=advice)


def check_connections(seen: "Connections") -> DoctorCheck:
    """Connections that the other checks tried to make."""
    if seen.refused:
        found = f"refused connections: {', '.join(seen.refused)}"
        advice = "Name a model server in this network, or none: `base_url` in your settings, or MULLIGAN_BASE_URL."
        return DoctorCheck(name="connections", verdict="problem", found=found, advice=advice)
    allowed = f" and {', '.join(sorted(seen.allowed))}" if seen.allowed else ""
    return DoctorCheck(
        name="connections", verdict="ok", found=f"nothing was downloaded; allowed: this machine{allowed}"
    )
