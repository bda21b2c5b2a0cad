"""The endpoints and error messages of known model servers, in their own formats."""

from collections.abc import Callable
from typing import Any

from mulligan.models.scripted.script import Script, ScriptedReply, ServerStyle
from mulligan.types.tool_calls import JsonObject

StyledResponse = tuple[int, JsonObject | str]
"""An HTTP status with a JSON object, or with plain text."""


def styled_response(script: Script, method: str, path: str) -> StyledResponse:
    """The response to a request that is not for a completion."""
    routes = _ROUTES[script.server_style.kind]
    route = routes.get(f"{method} {path}")
    return (200, route(script)) if route else _not_found(script.server_style, method, path)


def refuse_tools(server_style: ServerStyle, model: str) -> ScriptedReply:
    messages = {
        "ollama": f"registry.ollama.ai/library/{model} does not support tools",
        "llama.cpp": "tools param requires --jinja flag",
        "vllm": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "lmstudio": "The loaded model does not support tools.",
        "openai": "Unrecognized request argument supplied: tools",
    }
    return _refused(server_style, messages[server_style.kind])


def refuse_schema(server_style: ServerStyle) -> ScriptedReply:
    messages = {
        "ollama": "invalid response_format: json_schema",
        "llama.cpp": 'response_format type must be one of "text" or "json_object", but got: json_schema',
        "vllm": "Structured outputs are not supported: response_format json_schema",
        "lmstudio": "'response_format.type' must be 'text'",
        "openai": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    }
    return _refused(server_style, messages[server_style.kind])


def refuse_field(server_style: ServerStyle, field: str) -> ScriptedReply:
    return _refused(server_style, f"Unrecognized request argument supplied: {field}")


def refuse_context(server_style: ServerStyle, most: int, tokens: int) -> ScriptedReply:
    """The response to a prompt that is too long."""
    match server_style.kind:
        case "llama.cpp":
            message = f"request ({tokens} tokens) exceeds the available context size ({most} tokens), try increasing it"
            counts = {"n_prompt_tokens": tokens, "n_ctx": most}
            error = {"code": 400, "message": message, "type": "exceed_context_size_error", **counts}
            return ScriptedReply(status=400, body={"error": error})
        case "vllm":
            message = (
                f"This model's maximum context length is {most} tokens. However, your request has {tokens} input "
                "tokens. Please reduce the length of the input messages."
            )
        case "lmstudio":
            message = (
                f"Trying to keep the first {tokens} tokens when context the overflows. However, the model is loaded "
                f"with context length of only {most} tokens, which is not enough."
            )
        case "ollama":
            message = "the input length exceeds the context length"
        case "openai":
            message = (
                f"This model's maximum context length is {most} tokens. However, your messages resulted in {tokens} "
                "tokens. Please reduce the length of the messages."
            )
    return _refused(server_style, message)


def refuse_progress(server_style: ServerStyle) -> ScriptedReply:
    """Like servers that refuse unknown fields."""
    return _refused(server_style, "Unrecognized request argument supplied: return_progress")


def refuse_roles(server_style: ServerStyle) -> ScriptedReply:
    """Templates raise this themselves; the servers pass it on."""
    return _refused(server_style, "Conversation roles must alternate user/assistant/user/assistant/...")


def _refused(server_style: ServerStyle, message: str) -> ScriptedReply:
    match server_style.kind:
        case "vllm":
            body: JsonObject = {"error": {"message": message, "type": "BadRequestError", "param": None, "code": 400}}
        case "lmstudio":
            body = {"error": message}
        case "llama.cpp":
            body = {"error": {"code": 400, "message": message, "type": "invalid_request_error"}}
        case "ollama" | "openai":
            body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
    return ScriptedReply(status=400, body=body)


def _not_found(server_style: ServerStyle, method: str, path: str) -> StyledResponse:
    match server_style.kind:
        case "ollama":
            return 404, "404 page not found"
        case "llama.cpp":
            return 404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}
        case "vllm":
            return 404, {"detail": "Not Found"}
        case "lmstudio":
            # It really returns 200 here: a response alone proves nothing.
            return 200, {"error": f"Unexpected endpoint or method. ({method} {path})"}
        case "openai":
            return 404, {"error": {"message": f"there is no {method} {path}"}}


def _names(script: Script) -> list[str]:
    return [name for name in (script.model, script.server_style.embedding_model) if name]


def _listing(script: Script, owner: str, **more: Any) -> JsonObject:
    models = [{"id": name, "object": "model", "created": 0, "owned_by": owner, **more} for name in _names(script)]
    return {"object": "list", "data": models}


def _vllm_listing(script: Script) -> JsonObject:
    length = script.server_style.context_length or script.server_style.trained_length
    return _listing(script, "vllm", root=script.model, parent=None, max_model_len=length)


def _ollama_details(script: Script, name: str) -> JsonObject:
    family = "nomic-bert" if name == script.server_style.embedding_model else "qwen2"
    return {"parent_model": "", "format": "gguf", "family": family, "families": [family], "parameter_size": "1.5B"}


def _ollama_tags(script: Script) -> JsonObject:
    models = [
        {"name": name, "model": name, "size": 986_048_768, "details": _ollama_details(script, name)}
        for name in _names(script)
    ]
    return {"models": models}


def _ollama_show(script: Script) -> JsonObject:
    style = script.server_style
    capabilities = ["completion", *["tools"] * (style.tools == "taken"), *["vision"] * (style.images is True)]
    length = script.server_style.context_length
    return {
        "parameters": f'num_ctx                        {length}\nstop                           "x"' if length else "",
        "template": "{{ .Prompt }}",
        "details": _ollama_details(script, script.model),
        "model_info": {
            "general.architecture": "qwen2",
            "qwen2.context_length": script.server_style.trained_length,
            "qwen2.block_count": 28,
            "qwen2.embedding_length": 1536,
            "qwen2.attention.head_count": 12,
            "qwen2.attention.head_count_kv": 2,
        },
        "capabilities": capabilities,
    }


def _ollama_ps(script: Script) -> JsonObject:
    length = script.server_style.context_length or 4096
    running = {"name": script.model, "model": script.model, "size_vram": 0, "context_length": length}
    return {"models": [running] if script.server_style.loaded else []}


def _llama_props(script: Script) -> JsonObject:
    length = script.server_style.context_length or script.server_style.trained_length
    takes_tools, images = script.server_style.tools == "taken", script.server_style.images
    return {
        "default_generation_settings": {"id": 0, "n_ctx": length, "is_processing": False, "params": {}},
        "total_slots": script.server_style.slots,
        "model_path": f"models/{script.model}.gguf",
        "chat_template": "{% if tools %}{{ tools }}{% endif %}" if takes_tools else "{{ messages }}",
        "chat_template_caps": {"supports_tools": takes_tools, "supports_parallel_tool_calls": takes_tools},
        "build_info": "b8500-00000000",
        **({} if images is None else {"modalities": {"vision": images, "audio": False}}),
    }


def _lmstudio_models(script: Script) -> JsonObject:
    server_style = script.server_style
    model: JsonObject = {
        "id": script.model,
        "object": "model",
        "type": "vlm" if server_style.images else "llm",
        "arch": "qwen2",
        "state": "loaded" if server_style.loaded else "not-loaded",
        "max_context_length": server_style.trained_length,
        "capabilities": ["tool_use"] if server_style.tools == "taken" else [],
    }
    if server_style.loaded:
        model["loaded_context_length"] = server_style.context_length or server_style.trained_length
    other = {"id": server_style.embedding_model, "object": "model", "type": "embeddings", "state": "not-loaded"}
    return {"object": "list", "data": [model, *([other] if server_style.embedding_model else [])]}


_ROUTES: dict[str, dict[str, Callable[[Script], JsonObject]]] = {
    "openai": {"GET /v1/models": lambda script: _listing(script, "mulligan")},
    "ollama": {
        "GET /v1/models": lambda script: _listing(script, "library"),
        "GET /api/version": lambda _: {"version": "0.12.6"},
        "GET /api/tags": _ollama_tags,
        "GET /api/ps": _ollama_ps,
        "POST /api/show": _ollama_show,
    },
    "llama.cpp": {"GET /v1/models": lambda script: _listing(script, "llamacpp"), "GET /props": _llama_props},
    "vllm": {"GET /v1/models": _vllm_listing, "GET /version": lambda _: {"version": "0.11.0"}},
    "lmstudio": {
        "GET /v1/models": lambda script: _listing(script, "organization_owner"),
        "GET /api/v0/models": _lmstudio_models,
    },
}
