"""Which models a server names."""

from urllib.parse import urlsplit

from mulligan.types.errors import ModelError
from mulligan.types.profiles import ServerKind

ANTHROPIC_HOST = "api.anthropic.com"


def kind_at(base_url: str) -> ServerKind:
    """What the address alone tells: any other server is `openai` until it is recognised."""
    return "anthropic" if urlsplit(base_url).hostname == ANTHROPIC_HOST else "openai"


async def models_at(base_url: str, kind: ServerKind, api_key: str | None) -> list[str]:
    """The models that a server lists; none if it does not answer, or keeps no list."""
    try:
        if kind == "anthropic":
            from mulligan.models.wire.anthropic import list_models as list_anthropic

            return await list_anthropic(api_key, base_url=base_url)
        from mulligan.models.wire.openai_chat import list_models

        return await list_models(base_url, api_key)
    except ModelError:
        return []
