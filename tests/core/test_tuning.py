import pytest

from mulligan.core.tuning import (
    pick_family,
    refused_fields,
    server_counts,
    sourced_values,
    tune,
    tuned_request,
    with_budget,
)
from mulligan.models.known.families import load_families
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText
from mulligan.types.profiles import ModelProfile, ServerKind
from mulligan.types.tuning import ModelFamily, ModelSettings, Sampling, Thinking, Tuning

ASKED = ModelRequest((UserText("hello"),))
BY_NAME = {family.name: family for family in load_families()}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("qwen3:8b", "qwen3"),
        ("qwen3", "qwen3"),
        ("Qwen/Qwen3-8B-GGUF", "qwen3"),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "qwen3-instruct"),
        ("qwen3:4b-instruct-2507-q4_K_M", "qwen3-instruct"),
        ("unsloth/Qwen3-4B-Thinking-2507-GGUF", "qwen3-thinking"),
        ("bartowski/Qwen_Qwen3-14B-GGUF", "qwen3"),
        ("Qwen_Qwen3-14B-Q4_K_M.gguf", "qwen3"),
        ("/models/qwen3-0.6b-q8_0.gguf", "qwen3"),
        ("C:\\models\\Qwen3-8B-Q4_K_M.gguf", "qwen3"),
        ("Qwen3-VL-8B-Instruct", None),
        ("qwen3-embedding:0.6b", None),
        ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "qwen2.5-coder"),
        ("qwen2.5-coder:7b", "qwen2.5-coder"),
        ("embedded:qwen2.5-coder-1.5b", "qwen2.5-coder"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5"),
        ("qwen3-coder:30b", "qwen3-coder"),
        ("qwen.qwen3-coder-30b-a3b-v1:0", "qwen3-coder"),
        ("hf.co/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M", "qwen3-coder"),
        ("Qwen/Qwen3-Coder-Next-FP8", "qwen3-coder-next"),
        ("qwen3.5:9b", None),
        ("Qwen3.6-35B-A3B-UD-Q4_K_XL.gguf", "qwen3.6"),
        ("gpt-oss:20b", "gpt-oss"),
        ("openai/gpt-oss-120b", "gpt-oss"),
        ("openai.gpt-oss-20b-1:0", "gpt-oss"),
        ("deepseek-r1:8b", "deepseek-r1"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek-r1"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "deepseek-r1"),
        ("deepseek-ai_DeepSeek-R1-0528-Qwen3-8B-Q4_K_M.gguf", "deepseek-r1"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2"),
        ("deepseek/deepseek-chat-v3.1", "deepseek-v3.1"),
        ("deepseek-v4-pro", "deepseek-v4"),
        ("zai-org/GLM-4.5-Air", "glm-4.5"),
        ("glm-4.7-flash", "glm-4.7"),
        ("z-ai/glm-4.6", "glm-4.6"),
        ("glm-4.5v", None),
        ("kimi-k2:1t-cloud", "kimi-k2"),
        ("moonshotai/Kimi-K2-Instruct-0905", "kimi-k2"),
        ("moonshotai.kimi-k2-thinking", "kimi-k2-thinking"),
        ("moonshotai/kimi-k2.6", "kimi-k2.6"),
        ("gemma3:12b", "gemma-3"),
        ("google/gemma-3-27b-it", "gemma-3"),
        ("google_gemma-3-12b-it-Q4_K_M.gguf", "gemma-3"),
        ("gemma3n:e4b", None),
        ("mistralai/Devstral-Small-2507", "devstral"),
        ("mistralai_Devstral-Small-2505-Q4_K_M.gguf", "devstral"),
        ("magistral:24b", "magistral"),
        ("mistral-small3.2", "mistral-small"),
        ("mistral-small:24b", "mistral-small"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-small"),
        ("mistralai/Mistral-7B-Instruct-v0.3", None),
        ("llama3.1:8b", "llama-3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3"),
        ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3"),
        ("meta.llama3-1-8b-instruct-v1:0", "llama-3"),
        ("nvidia/Llama-3.3-Nemotron-Super-49B-v1", None),
        ("hermes-3-llama-3.1-8b", None),
        ("microsoft/Phi-4-reasoning-plus", "phi-4-reasoning"),
        ("phi4", None),
        ("granite3.3:8b", None),
        ("LiquidAI/LFM2-1.2B-GGUF", "lfm2"),
        ("LFM2.5-1.2B-Instruct", "lfm2.5"),
        ("ByteDance-Seed/Seed-OSS-36B-Instruct", "seed-oss"),
        ("MiniMaxAI/MiniMax-M2", "minimax-m2"),
        ("claude-sonnet-4-5", None),
        ("scripted", None),
        ("", None),
        ("/", None),
    ],
)
def test_a_models_name_says_which_family_it_belongs_to(model: str, family: str | None) -> None:
    found = pick_family(model, load_families())
    assert (found.name if found else None) == family


def test_every_family_names_its_source_and_says_something() -> None:
    for family in load_families():
        assert all(source.startswith("https://") for source in family.sources)
        assert family.sources
        assert family != ModelFamily(name=family.name, matches=family.matches, sources=family.sources)


def sent(model: str, kind: ServerKind = "vllm", *, temperature: float | None = None, **given: object) -> ModelRequest:
    """What goes out for a model with these settings."""
    settings = ModelSettings.model_validate(given)
    tuning = tune(pick_family(model, load_families()), [("test", settings)])
    return tuned_request(ModelRequest(ASKED.messages, temperature=temperature), tuning, kind)


def test_the_publishers_sampling_depends_on_whether_it_thinks() -> None:
    assert (sent("qwen3:8b").temperature, sent("qwen3:8b").options["top_p"]) == (0.6, 0.95)
    off = sent("qwen3:8b", thinking="off")
    assert (off.temperature, off.options["top_p"]) == (0.7, 0.8)


def test_what_is_set_overrules_what_is_recommended() -> None:
    request = sent("qwen3-coder:30b", temperature=None, top_k=5)
    assert request.options == {"top_p": 0.8, "top_k": 5, "repetition_penalty": 1.05}


def test_nothing_is_sent_for_a_model_that_is_not_known() -> None:
    assert sent("scripted") == ASKED


def test_a_question_at_temperature_zero_is_sampled_by_nothing_else() -> None:
    request = sent("qwen2.5-coder-1.5b", "embedded", temperature=0.0, min_p=0.1)
    assert (request.temperature, request.options) == (0.0, {})


@pytest.mark.parametrize(
    ("model", "kind", "thinking", "fields"),
    [
        ("qwen3:8b", "vllm", None, {}),
        ("qwen3:8b", "vllm", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("qwen3:8b", "vllm", "on", {"chat_template_kwargs": {"enable_thinking": True}}),
        ("qwen3:8b", "llama.cpp", "high", {"chat_template_kwargs": {"enable_thinking": True}}),
        (
            "qwen3:8b",
            "ollama",
            "off",
            {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}},
        ),
        ("qwen3-coder:30b", "vllm", "off", {}),
        ("gpt-oss:20b", "ollama", "off", {"reasoning_effort": "low"}),
        ("gpt-oss:20b", "vllm", "high", {"reasoning_effort": "high"}),
        (
            "gpt-oss:20b",
            "llama.cpp",
            "low",
            {"reasoning_effort": "low", "chat_template_kwargs": {"reasoning_effort": "low"}},
        ),
        ("deepseek-v4-pro", "openai", "off", {"reasoning_effort": "none"}),
        ("DeepSeek-V3.1", "vllm", "on", {"chat_template_kwargs": {"thinking": True}}),
        ("seed-oss", "vllm", "off", {"chat_template_kwargs": {"thinking_budget": 0}}),
        ("seed-oss", "vllm", None, {}),
        ("qwen3.6:35b", "vllm", None, {"chat_template_kwargs": {"preserve_thinking": True}}),
        ("claude-sonnet-4-5", "anthropic", "off", {}),
    ],
)
def test_thinking_is_switched_as_the_family_and_the_server_want_it(
    model: str, kind: ServerKind, thinking: Thinking | None, fields: dict[str, object]
) -> None:
    options = sent(model, kind, thinking=thinking).options
    assert {name: options[name] for name in options if name not in Sampling.field_defaults} == fields


def test_a_budget_goes_to_the_family_that_takes_one() -> None:
    assert sent("seed-oss", thinking_budget=512).options["chat_template_kwargs"] == {"thinking_budget": 512}


@pytest.mark.parametrize(
    ("model", "kind", "given", "fields"),
    [
        pytest.param("qwen3:8b", "llama.cpp", {}, {"thinking_budget_tokens": 3000}, id="llama.cpp, by its speed"),
        pytest.param(
            "qwen3:8b", "vllm", {"thinking_budget": 99}, {"thinking_token_budget": 99}, id="vLLM, as it was set"
        ),
        pytest.param("qwen3:8b", "ollama", {"thinking_budget": 99}, {}, id="a server that knows no budget"),
        pytest.param("gemma3:12b", "llama.cpp", {}, {}, id="a model that does not think"),
        pytest.param("scripted", "llama.cpp", {}, {}, id="a model that is not known"),
        pytest.param("scripted", "llama.cpp", {"thinking_budget": 9}, {"thinking_budget_tokens": 9}, id="set for it"),
        pytest.param(
            "qwen3:8b", "llama.cpp", {"thinking": "off"}, {"chat_template_kwargs": {"enable_thinking": False}}, id="off"
        ),
        pytest.param(
            "seed-oss",
            "vllm",
            {},
            {"thinking_token_budget": 3000, "chat_template_kwargs": {"thinking_budget": 3000}},
            id="a family that reads it from its prompt",
        ),
    ],
)
def test_servers_that_close_thinking_themselves_are_told_the_budget(
    model: str, kind: ServerKind, given: dict[str, object], fields: dict[str, object]
) -> None:
    profile = ModelProfile(server="s", model=model, kind=kind, writes_per_second=10.0)
    tuning = tune(pick_family(model, load_families()), [("test", ModelSettings.model_validate(given))])
    options = tuned_request(ASKED, with_budget(tuning, profile), kind).options
    assert {name: options[name] for name in options if name not in Sampling.field_defaults} == fields
    assert server_counts(tuning, profile) == any(name.startswith("thinking_") for name in fields)


@pytest.mark.parametrize(
    ("model", "kind", "fields"),
    [
        ("qwen3:8b", "lmstudio", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("qwen3:8b", "ollama", {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}),
        ("gpt-oss:20b", "lmstudio", {"reasoning_effort": "low"}),
        ("deepseek-r1:8b", "ollama", {}),
        ("deepseek-r1:8b", "llama.cpp", {"thinking_budget_tokens": 0}),
        ("scripted", "vllm", {"thinking_token_budget": 0, "chat_template_kwargs": {"enable_thinking": False}}),
    ],
)
def test_a_model_that_has_thought_enough_is_asked_with_its_thinking_off(
    model: str, kind: ServerKind, fields: dict[str, object]
) -> None:
    tuning = tune(pick_family(model, load_families()), [("test", ModelSettings(thinking="high", thinking_budget=64))])
    options = tuned_request(ModelRequest(ASKED.messages, answer_now=True), tuning, kind).options
    assert {name: options[name] for name in options if name not in Sampling.field_defaults} == fields


@pytest.mark.parametrize(
    ("kind", "name"),
    [("vllm", "repetition_penalty"), ("openai", "repetition_penalty"), ("llama.cpp", "repeat_penalty")],
)
def test_the_penalty_has_the_name_that_the_server_knows(kind: ServerKind, name: str) -> None:
    assert sent("lfm2", kind).options[name] == 1.05


def test_anthropic_gets_only_the_fields_of_its_wire() -> None:
    request = sent("claude-x", "anthropic", top_p=0.9, top_k=3, min_p=0.1, presence_penalty=1.0)
    assert request.options == {"top_p": 0.9, "top_k": 3}


@pytest.mark.parametrize(
    ("model", "temperature", "expected"),
    [
        pytest.param("qwen3-coder:30b", None, (1.0, 1.1), id="warmer, with a penalty"),
        pytest.param("scripted", None, (1.0, 1.1), id="nothing is known"),
        pytest.param("gpt-oss:20b", None, (1.3, None), id="no penalty for this family"),
        pytest.param("seed-oss", None, (1.3, 1.1), id="never too warm"),
        pytest.param("qwen2.5-coder-1.5b", 0.0, (0.0, 1.1), id="what is asked at 0 stays at 0"),
        pytest.param("scripted", 1.8, (1.8, 1.1), id="never cooler than what was set"),
    ],
)
def test_after_a_repetition_another_sampling_is_tried(
    model: str, temperature: float | None, expected: tuple[float, float | None]
) -> None:
    tuning = tune(pick_family(model, load_families()), ())
    request = ModelRequest(ASKED.messages, temperature=temperature, after_repetition=True)
    again = tuned_request(request, tuning, "vllm")
    assert (again.temperature, again.options.get("repetition_penalty")) == expected


def test_each_value_names_its_source_and_the_last_layer_wins() -> None:
    layers = [("file", ModelSettings(top_k=1, top_p=0.5)), ("flag", ModelSettings(top_k=2))]
    found = {each.name: (each.value, each.source) for each in sourced_values(BY_NAME["gpt-oss"], layers)}
    assert found["top_k"] == (2, "flag")
    assert found["top_p"] == (0.5, "file")
    assert found["temperature"] == (1.0, " ".join(BY_NAME["gpt-oss"].sources))
    assert found["replay"][0] == "last"


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("Unrecognized request argument supplied: top_k", {"top_k"}),
        ("body.min_p: Extra inputs are not permitted", {"min_p"}),
        ("property 'top_k' is unsupported, property 'min_p' is unsupported", {"top_k", "min_p"}),
        ("Unsupported value: 'temperature' does not support 0.6 with this model.", {"temperature"}),
        ('"qwen3" does not support thinking', {"chat_template_kwargs"}),
        ("tools param requires --jinja flag", set[str]()),
        ("presence_penalty is not known", set[str]()),
    ],
)
def test_a_refusal_names_the_field_that_was_sent(said: str, refused: set[str]) -> None:
    assert refused_fields(said, sent("qwen3:8b", thinking="off")) == refused


def test_reasoning_that_is_missing_is_not_taken_for_refused() -> None:
    thought = ModelRequest((UserText("a"), AssistantReply("b", reasoning="because"), UserText("c")))
    said = "The `reasoning_content` in the thinking mode must be passed back to the API."
    assert not refused_fields(said, tuned_request(thought, Tuning(), "openai"))


def test_reasoning_that_was_refused_is_not_sent_again() -> None:
    thought = ModelRequest((UserText("a"), AssistantReply("b", reasoning="because"), UserText("c")))
    first = tuned_request(thought, Tuning(), "vllm")
    assert refused_fields("unknown field reasoning_content", first) == {"reasoning_content"}
    again = tuned_request(thought, Tuning(), "vllm", ("reasoning_content",))
    assert again.messages[1] == AssistantReply("b")
