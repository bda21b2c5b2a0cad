"""Permissions, hooks and MCP servers: read from files, with their sources. Only trust can be changed here."""

from fastapi import APIRouter

from mulligan.app.permission_table import permission_table
from mulligan.app.tool_servers import declared_servers
from mulligan.core.mcp.declarations import described
from mulligan.server.dependencies import StateDep
from mulligan.server.state import NotFound, ServedProject
from mulligan.server.views.bodies import RulesView, ToolServerView, TrustChange
from mulligan.types.errors import ConfigurationError
from mulligan.workspace.sandbox.grants import trust_server

router = APIRouter(tags=["settings"])


@router.get("/api/projects/{project_id}/rules")
async def rules(project_id: str, state: StateDep) -> RulesView:
    """The user's permissions, hooks and formatters, and the MCP servers that files declare."""
    return _view(state.project(project_id))


@router.put("/api/projects/{project_id}/tool-servers/{name}/trust")
async def trust(project_id: str, name: str, wanted: TrustChange, state: StateDep) -> RulesView:
    """Trust a server that the project declares, exactly as it was shown; or revoke that."""
    project = state.project(project_id)
    settings = project.session.settings
    found = [each for each in declared_servers(project.session.configuration).found if each.state != "hidden"]
    server = next((each for each in found if each.server.name == name and not each.server.personal), None)
    if server is None:
        raise NotFound(f"the project declares no MCP server {name}")
    if wanted.fingerprint is not None and wanted.fingerprint != server.fingerprint:
        raise ConfigurationError(f"{name} has changed since you saw it: review it again")
    trust_server(settings.home, settings.project, name, wanted.fingerprint)
    return _view(project)


def _view(project: ServedProject) -> RulesView:
    configuration = project.session.configuration
    settings, declared = configuration.settings, declared_servers(configuration)
    return RulesView(
        rules=permission_table(configuration).rules,
        hooks=settings.hooks,
        formatters=settings.formatters,
        servers=tuple(
            ToolServerView(
                name=each.server.name,
                origin=each.server.origin,
                state=each.state,
                why=each.why,
                personal=each.server.personal,
                described=described(each),
                fingerprint=each.fingerprint,
            )
            for each in declared.found
        ),
        problems=declared.problems,
    )
