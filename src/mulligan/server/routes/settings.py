"""Settings: the values in effect with their sources, and changes to the user's own."""

from fastapi import APIRouter

from mulligan.app.personal_settings import change_settings
from mulligan.app.setting_list import list_settings
from mulligan.server.dependencies import StateDep
from mulligan.server.state import ServedProject
from mulligan.server.views.bodies import SettingChange
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.setting_views import SettingsView

router = APIRouter(tags=["settings"])


@router.get("/api/projects/{project_id}/settings")
async def settings(project_id: str, state: StateDep) -> SettingsView:
    """Every setting with its value and source. For a key, only whether there is one."""
    return await _view(state.project(project_id))


@router.put("/api/projects/{project_id}/settings")
async def change_setting(project_id: str, change: SettingChange, state: StateDep) -> SettingsView:
    """Set a value in the user's own file, or remove it. It takes effect with the next turn."""
    project = state.project(project_id)
    known = {each.place: each for view in [await _view(project)] for each in (*view.settings, *view.of_model)}
    setting = known.get(change.place)
    if setting is None:
        raise ConfigurationError(f"there is no setting {'.'.join(change.place)}")
    if setting.fixed:
        raise ConfigurationError(setting.fixed)
    change_settings(project.session.configuration, {change.place: change.value})
    state.reconfigure()
    return await _view(project)


async def _view(project: ServedProject) -> SettingsView:
    session = project.session
    try:
        model = (await session.models.choose(session.model_name(session.agent()))).model
    except MulliganError:
        model = None
    return list_settings(session.configuration, model)
