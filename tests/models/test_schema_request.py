import json

from mulligan.models.wire.chat_request import request_body
from mulligan.types.model_io import ModelRequest, UserText


def test_a_schema_is_sent_as_the_format_of_the_reply() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}

    body = json.loads(request_body(ModelRequest((UserText("x"),), schema=schema), "m", include_usage=False))

    wanted = {"name": "reply", "schema": schema, "strict": True}
    assert body["response_format"] == {"type": "json_schema", "json_schema": wanted}


def test_without_a_schema_the_format_is_free() -> None:
    assert b"response_format" not in request_body(ModelRequest((UserText("x"),)), "m", include_usage=False)
