"""Services whose API key stands in the environment. They are offered, and never contacted unasked."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    variable: str
    """The environment variable that holds the key."""
    base_url: str

    @property
    def how(self) -> str:
        """What to set to choose it."""
        return f'MULLIGAN_API_KEY="${self.variable}" MULLIGAN_BASE_URL={self.base_url} MULLIGAN_MODEL=NAME'


KNOWN = (
    Offer("OpenAI", "OPENAI_API_KEY", "https://api.openai.com/v1"),
    Offer("Anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com"),
    Offer("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    Offer("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
    Offer("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
    Offer("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
    Offer("Gemini", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"),
)


def offered_services(environ: Mapping[str, str]) -> list[Offer]:
    """The services that could be used with the keys at hand."""
    return [offer for offer in KNOWN if environ.get(offer.variable, "").strip()]
