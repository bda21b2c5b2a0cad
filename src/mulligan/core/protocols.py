"""Which tool protocol and which agency fit a model."""

from mulligan.types.profiles import Agency, ModelProfile, ToolProtocol


def choose_protocol(profile: ModelProfile, wanted: ToolProtocol | None = None) -> ToolProtocol:
    """The user's choice; else native unless it is known not to work, then constrained if that works."""
    if wanted:
        return wanted
    if profile.native_tools is not False:
        return "native"
    return "constrained" if profile.json_schema else "text"


def next_protocol(profile: ModelProfile, failed: ToolProtocol) -> ToolProtocol | None:
    """The protocol to try after the server refused this one; None if none is left."""
    match failed:
        case "native":
            return "text" if profile.json_schema is False else "constrained"
        case "constrained":
            return "text"
        case "text":
            return None


def choose_agency(profile: ModelProfile, wanted: Agency | None = None) -> Agency:
    """The user's choice, else what is known, else `agent`."""
    return wanted or profile.agency or "agent"
