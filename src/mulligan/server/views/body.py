"""The base of request and response bodies that are the API's own."""

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """Frozen and strict about its fields, like a record. Made by pydantic, since FastAPI is."""

    # Schemas are built at first use: a hundred classes then take 20 ms to import, not 200.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
