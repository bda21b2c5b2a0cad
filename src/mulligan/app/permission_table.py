"""The user's table of permissions, from all their sources."""

from mulligan.app.configuration import Configuration
from mulligan.types.permissions import Permissions
from mulligan.workspace.sandbox.grants import FILE_NAME as GRANTS
from mulligan.workspace.sandbox.grants import read_commands


def permission_table(configuration: Configuration) -> Permissions:
    """Every row with its source."""
    settings, origin = configuration.settings, configuration.origin
    table = Permissions(settings.permissions)
    table += Permissions.of_commands(
        allow=settings.allow_commands, source=f"allow_commands in {origin.get('allow_commands')}"
    )
    table += Permissions.of_commands(
        deny=settings.deny_commands, source=f"deny_commands in {origin.get('deny_commands')}"
    )
    granted = read_commands(settings.home, settings.project)
    return table + Permissions.of_commands(allow=granted, source=f"a permanent yes, in {settings.home / GRANTS}")
