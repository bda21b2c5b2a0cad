"""Which tool protocol and which agency fit a model."""

from mulligan.types.profiles import Agency, ModelProfile, ToolProtocol


def choose_protocol(profile: ModelProfile, wanted: ToolProtocol | None = None) -> ToolProtocol:
    """What the person wants; else native unless it is known not to work, then constrained where that works."""
    if wanted:
        return wanted
    if profile.native_tools is not False:
        return "native"
    return "constrained" if profile.json_schema else "text"


def next_protocol(profile: ModelProfile, failed: ToolProtocol) -> ToolProtocol | None:
    """What to try when the server refused this one; None if nothing is left."""
    match failed:
        case "native":
            return "text" if profile.json_schema is False else "constrained"
        case "constrained":
            return "text"
        case "text":
            return None


def choose_agency(profile: ModelProfile, wanted: Agency | None = None) -> Agency:
    """What the person wants, else what is known, else `agent`."""
    return wanted or profile.agency or "agent"
