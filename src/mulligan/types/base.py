"""The one base of everything that is stored or sent: frozen, strict about its fields, cheap to import."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A value that is written to the store or to a client as JSON."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        # Schemas are built at first use: fifty classes then cost 10 ms to import, not 100.
        defer_build=True,
    )
