"""What is read out of the words with which endpoints refuse requests."""

import pytest

from zencli.errors import ModelError
from zencli.llm.failures import Refused, failure
from zencli.llm.lessons import changed, lessons
from zencli.llm.place import Place, masked_url
from zencli.llm.profiles import Profile

PLACE = Place("http://h/v1", "m", "")
SENT = {
    "model": "m",
    "max_tokens": 8192,
    "temperature": 0.7,
    "response_format": {"type": "json_object"},
    "tools": [{}],
    "stream": True,
    "stream_options": {},
}
WITHOUT_STREAM = {name: value for name, value in SENT.items() if "stream" not in name}


def first(said: str, sent: dict[str, object] = SENT) -> dict[str, object]:
    """What the likeliest lesson changes."""
    before = Profile()
    after = next(lessons(said, sent, before), before)
    return {name: getattr(after, name) for name in changed(before, after)}


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model."
            " Use 'max_completion_tokens' instead.",
            {"tokens_field": "max_completion_tokens"},
        ),
        ("max_tokens is too large: 8192. At most 4,096 completion tokens", {"max_output": 4096}),
        (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 5000]",
            {"max_output": 5000},
        ),
        (
            "This model's maximum context length is 4096 tokens. You requested 9000",
            {"window": 4096},
        ),
        ("exceeds the available context size (n_ctx 2048)", {"window": 2048}),
        ("Range of input length should be [1, 30720]", {"window": 30720}),
        ("'temperature' does not support 0.7 with this model", {"temperature_allowed": False}),
        ("registry.example/llama does not support tools", {"tools": "prompt"}),
        ("stream_options: extra fields not permitted", {"stream_usage": False}),
        ("'response_format.type' must be 'json_schema' or 'text'", {"json": "schema"}),
        ("response_format: json_object is not supported", {"json": "prompt"}),
        ("System role not supported", {"system_role": False}),
        ("parameter top_k is unknown", {}),
        ("", {}),
    ],
)
def test_a_refusal_teaches_what_it_names(said: str, lesson: dict[str, object]) -> None:
    assert first(said) == lesson


def test_what_was_not_sent_is_not_given_up() -> None:
    bare: dict[str, object] = {"model": "m", "max_tokens": 8192}
    for said in ("temperature", "response_format", "tools", "stream_options"):
        assert first(f"{said} isn't supported", bare) == {}


def test_an_endpoint_that_only_streams_is_told_from_one_that_never_does() -> None:
    only = "This model only support stream mode, please enable the stream parameter"
    assert first(only, {"max_tokens": 1}) == {"streams": "only"}
    assert first("streaming is not supported", {"stream": True}) == {"streams": "never"}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("Content Exists Risk", "llm.refused"),
        ("The request was rejected because it was considered high risk", "llm.refused"),
        ("系统检测到输入或生成内容可能包含不安全或敏感内容", "llm.refused"),
        ("Input data may contain inappropriate content. data_inspection_failed", "llm.refused"),
        ("flagged as potentially violating our usage policy", "llm.refused"),
        ("The model `gtp-5` does not exist", "llm.endpoint"),
        ("model names are case sensitive", "llm.endpoint"),
        ("seed must be an integer", "llm.endpoint"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "llm.context"),
    ],
)
def test_a_disliked_request_is_told_from_settings_that_do_not_fit(said: str, code: str) -> None:
    found = failure(PLACE, 400, said)
    error = found.error if isinstance(found, Refused) else found
    assert isinstance(error, ModelError)
    assert error.code == code


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pa:ss@h.example:8443/v1?key=abc#x", "https://h.example:8443/v1"),
        ("http://me:pa/s?s@h/v1", "http://h/v1"),
        ("http://h/v1", "http://h/v1"),
        ("http://h/sk-abcdef123/v1", "http://h/***/v1"),
        ("no url at all?key=abc", "no url at all"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert masked_url(url) == shown
