"""A text that is not shown by accident."""

from typing import TYPE_CHECKING, Any

from mulligan.types.exact_reading import NotExact

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

HIDDEN = "**********"


class Secret:
    """Printed, logged or written as JSON, it is a row of asterisks."""

    def __init__(self, value: str) -> None:
        self._value = value

    @classmethod
    def read_exactly(cls, value: Any) -> "Secret":
        """Reads it as a field of a record (`types/exact_reading.py`)."""
        if isinstance(value, cls):
            return value
        if type(value) is not str:
            raise NotExact
        return cls(value)

    def get_secret_value(self) -> str:
        return self._value

    def __str__(self) -> str:
        return HIDDEN if self._value else ""

    def __repr__(self) -> str:
        return f"Secret({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __len__(self) -> int:
        return len(self._value)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(
            lambda value: value.get_secret_value() if isinstance(value, cls) else value,
            core_schema.no_info_after_validator_function(cls, core_schema.str_schema()),
            serialization=core_schema.plain_serializer_function_ser_schema(str, when_used="json"),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: Any, _handler: "GetJsonSchemaHandler") -> dict[str, Any]:
        return {"type": "string", "format": "password", "writeOnly": True}
