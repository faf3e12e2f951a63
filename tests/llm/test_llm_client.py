"""The client against a real server in a thread: what is sent, what is read, what is learned."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_helpers import ASK, KEY, MakeModel, failing
from llm_server import Play, ScriptedServer, completion, fails, says, streams

from zencli.errors import ModelError, UsageError
from zencli.llm.attempts import Patience, retry_after
from zencli.llm.client import MOST_LESSONS, OpenAIModel
from zencli.llm.deadlines import Deadlines, Watch
from zencli.llm.exchange import Answer
from zencli.llm.profiles import Profile
from zencli.llm.types import Message, Request, Tool

ONCE = Patience(retries=0)
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
ASK_JSON = Request("plan", ASK.messages, SCHEMA, "plan", 500, 0.3)


def test_a_reply_brings_text_finish_reason_and_usage(model_playing: MakeModel) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 80},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    model = model_playing(
        says("Rain.", usage=usage), price_input=1.0, price_cached=0.1, price_output=2.0
    )
    reply = model.complete(ASK)
    assert (reply.text, reply.finish_reason, reply.model) == ("Rain.", "stop", "test-model")
    assert reply.usage.calls == 1
    assert (reply.usage.input_tokens, reply.usage.cached_tokens) == (100, 80)
    assert (reply.usage.output_tokens, reply.usage.reasoning_tokens) == (20, 5)
    assert reply.usage.seconds > 0
    assert reply.usage.cost == pytest.approx((20 * 1.0 + 80 * 0.1 + 20 * 2.0) / 1e6)


def test_cached_tokens_are_read_in_the_other_form_too(model_playing: MakeModel) -> None:
    model = model_playing(says(usage={"prompt_tokens": 100, "prompt_cache_hit_tokens": 64}))
    assert model.complete(ASK).usage.cached_tokens == 64


@pytest.mark.parametrize(
    "beside",
    [
        {"prompt_tokens_details": {"cached_tokens": 3_900}},
        {"cache_read_input_tokens": 3_900},
        {"cache_creation_input_tokens": 3_900},
    ],
)
def test_what_is_counted_beside_the_prompt_was_read_as_well(
    model_playing: MakeModel, beside: dict[str, object]
) -> None:
    model = model_playing(says(usage={"prompt_tokens": 100, "completion_tokens": 3, **beside}))
    usage = model.complete(Request("write", (Message("user", "word " * 4_000),))).usage
    assert usage.input_tokens == 4_000


def test_usage_is_estimated_when_the_endpoint_reports_none(model_playing: MakeModel) -> None:
    usage = model_playing(says("x" * 40, usage=None)).complete(ASK).usage
    assert usage.input_tokens == ASK.estimate(Profile())
    assert usage.output_tokens == 10


def test_the_request_carries_what_was_asked(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model_playing(says(), json="schema", extra_body={"seed": 7}).complete(ASK_JSON)
    sent = server.requests[0]
    assert sent["model"] == "test-model"
    assert sent["messages"][1] == {"role": "user", "content": "Write."}
    assert (sent["max_tokens"], sent["temperature"], sent["seed"]) == (500, 0.3, 7)
    assert sent["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "plan", "strict": True, "schema": SCHEMA},
    }
    assert server.keys == [f"Bearer {KEY}"]


def test_a_grammar_is_sent_in_place_of_a_schema(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model_playing(says(), json="grammar").complete(ASK_JSON)
    assert server.requests[0]["grammar"].startswith("%llguidance")
    assert "response_format" not in server.requests[0]


def test_the_output_is_held_to_the_room_left_in_the_window(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    long = Request("write", (Message("user", "x" * 4_000),))
    model_playing(says(usage=None), window=2_000, max_output=1_900).complete(long)
    assert 256 <= server.requests[0]["max_tokens"] < 1_000


def test_text_is_streamed_in_pieces(model_playing: MakeModel, server: ScriptedServer) -> None:
    pieces: list[str] = []
    reply = model_playing(streams(["雨", "落了", "。"])).complete(ASK, pieces.append)
    assert pieces == ["雨", "落了", "。"]
    assert (reply.text, reply.finish_reason) == ("雨落了。", "stop")
    assert reply.usage.output_tokens == 7
    assert server.requests[0]["stream"] is True
    assert server.requests[0]["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_in_its_own_field_is_kept_apart(model_playing: MakeModel, field: str) -> None:
    pieces: list[str] = []
    reply = model_playing(streams([{field: "Hm. "}, {field: "Yes."}, "Rain."])).complete(
        ASK, pieces.append
    )
    assert (reply.text, reply.thinking, pieces) == ("Rain.", "Hm. Yes.", ["Rain."])


def test_thinking_inside_the_content_is_left_out(model_playing: MakeModel) -> None:
    pieces: list[str] = []
    model = model_playing(streams(["<thi", "nk>Hm.</th", "ink>\n\nRain", " fell <", "3"]))
    reply = model.complete(ASK, pieces.append)
    assert (reply.text, reply.thinking) == ("Rain fell <3", "Hm.")
    assert "".join(pieces) == reply.text


def test_a_gateway_that_only_streams_is_read(model_playing: MakeModel) -> None:
    assert model_playing(streams(["Ra", "in."])).complete(ASK).text == "Rain."


def test_a_gateway_that_cannot_stream_is_read(model_playing: MakeModel) -> None:
    pieces: list[str] = []
    assert model_playing(says("Rain.")).complete(ASK, pieces.append).text == "Rain."
    assert pieces == ["Rain."]


def test_a_cut_off_reply_says_so(model_playing: MakeModel) -> None:
    assert model_playing(says("Rai", "length")).complete(ASK).finish_reason == "length"


@pytest.mark.parametrize(
    ("play", "code", "words"),
    [
        (fails(401, "bad key"), "llm.auth", "refused the key"),
        (fails(403, "not for you"), "llm.auth", "not for you"),
        (fails(402, "Insufficient Balance"), "llm.quota", "balance"),
        (fails(429, "insufficient_quota: exceeded your current quota"), "llm.quota", "quota"),
        (fails(404, "no model named test-model"), "llm.endpoint", "no model named"),
        (fails(400, "maximum context length is 99999 tokens"), "llm.context", "99999"),
        (fails(400, "exceeds the available context size"), "llm.context", "doesn't fit"),
        (fails(418, "teapot"), "llm.endpoint", "teapot"),
        (fails(400, "Content Exists Risk"), "llm.refused", "because of its words"),
        (Play(200, b"<html>Sign in</html>", "text/html"), "llm.endpoint", "a web page"),
        (Play(body=b'{"choices": [{"mess'), "llm.reply", "isn't JSON"),
        (Play(body=b"[]"), "llm.reply", "isn't JSON"),
        (Play(body=b'{"error": {"message": "over the context window"}}'), "llm.context", "over"),
        (Play(body=json.dumps({"choices": []}).encode()), "llm.reply", "without any choice"),
        (says(finish=None), "llm.reply", "without a finish_reason"),
        (says("x", "content_filter"), "llm.reply", "content filter"),
        (says("<think>Hm", "length"), "llm.truncated", "before any text"),
    ],
)
def test_each_failure_has_its_code_and_names_url_and_model(
    model_playing: MakeModel, server: ScriptedServer, play: Play, code: str, words: str
) -> None:
    error = failing(model_playing(play))
    assert error.code == code
    assert words in error.message
    assert "test-model" in error.message
    assert server.url in error.message
    assert error.hint
    assert len(server.requests) == 1


def test_a_key_never_shows(model_playing: MakeModel) -> None:
    error = failing(model_playing(fails(401, f"Incorrect API key provided: {KEY} or sk-other123")))
    assert KEY not in error.message + error.hint
    assert "sk-other123" not in error.message
    assert error.__cause__ is None


def test_user_and_query_of_a_url_never_show() -> None:
    model = OpenAIModel("http://me:pass@127.0.0.1:1/v1?key=1", "m", "", Profile(), patience=ONCE)
    assert "pass" not in failing(model).message


def test_a_stream_without_a_finish_reason_is_no_reply(model_playing: MakeModel) -> None:
    pieces: list[str] = []
    model = model_playing(streams(["Rain"], finish=None))
    with pytest.raises(ModelError, match="stream ended early") as caught:
        model.complete(ASK, pieces.append)
    assert caught.value.code == "llm.network"
    assert pieces == ["Rain"]


def test_a_stream_that_breaks_is_not_begun_again_once_text_was_shown(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    pieces: list[str] = []
    model = model_playing(streams(["Rain"], finish=None, done=False, drop=True))
    with pytest.raises(ModelError) as caught:
        model.complete(ASK, pieces.append)
    assert caught.value.code == "llm.network"
    assert (pieces, len(server.requests)) == (["Rain"], 1)


def test_an_error_inside_a_stream_is_told(model_playing: MakeModel) -> None:
    body = b'data: {"error": {"message": "over capacity, come back", "code": 418}}\n\n'
    error = failing(model_playing(Play(body=body, content_type="text/event-stream")))
    assert "over capacity" in error.message


def test_what_may_pass_is_tried_again(model_playing: MakeModel, server: ScriptedServer) -> None:
    model = model_playing(fails(503, "starting"), fails(429, "slow down"), says("Rain."))
    assert model.complete(ASK).text == "Rain."
    assert len(server.requests) == 3


def test_trying_again_ends(model_playing: MakeModel, server: ScriptedServer) -> None:
    assert failing(model_playing(fails(503, "down"))).code == "llm.network"
    assert len(server.requests) == 3


def test_a_server_that_asks_for_a_long_wait_is_not_waited_for(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    assert failing(model_playing(fails(429, "later", retry_after="3600"))).code == "llm.quota"
    assert len(server.requests) == 1


def test_a_refused_connection_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = failing(OpenAIModel(f"http://127.0.0.1:{port}/v1", "m", "", Profile(), patience=ONCE))
    assert error.code == "llm.network"
    assert "refused" in error.message


@pytest.mark.parametrize("streaming", [False, True])
def test_a_call_ends_at_its_deadline(model_playing: MakeModel, streaming: bool) -> None:
    play = streams(["Rain ", "fell."], pause=8.0) if streaming else says()
    play.pause = 8.0
    model = model_playing(play, times=Deadlines(total=0.5))
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"within 0\.5 seconds") as caught:
        model.complete(ASK, list[str]().append if streaming else None)
    assert caught.value.code == "llm.timeout"
    assert time.monotonic() - started < 4


def refuses(word: str) -> Play:
    return fails(400, f"Unsupported parameter: {word}")


def test_formats_that_an_endpoint_refuses_are_given_up_one_by_one(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model = model_playing(
        refuses("response_format json_schema"),
        refuses("response_format"),
        says("{}"),
        json="schema",
    )
    model.complete(ASK_JSON)
    formats = [r.get("response_format", {}).get("type") for r in server.requests]
    assert formats == ["json_schema", "json_object", None]
    model.complete(ASK_JSON)
    assert "response_format" not in server.requests[-1]
    assert len(server.requests) == 4


def test_the_other_name_of_the_output_limit_is_tried_once(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    both = fails(400, "max_tokens and max_completion_tokens are unknown here")
    error = failing(model_playing(both), ASK_JSON)
    assert error.code == "llm.endpoint"
    assert ["max_tokens" in sent for sent in server.requests] == [True, False]


def test_stream_options_and_temperature_are_dropped_where_refused(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model = model_playing(refuses("stream_options"), refuses("temperature"), streams(["{}"]))
    model.complete(ASK_JSON, list[str]().append)
    assert "stream_options" not in server.requests[-1]
    assert "temperature" not in server.requests[-1]
    assert model.profile.stream_usage is False
    assert model.profile.temperature_allowed is False


def test_a_prompt_that_cannot_fit_is_refused_before_the_call(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model = model_playing(says(), window=1_024)
    error = failing(model, Request("write", (Message("user", "词" * 2_000),)))
    assert error.code == "llm.context"
    assert server.requests == []


def test_a_prompt_that_the_server_cut_silently_is_an_error(model_playing: MakeModel) -> None:
    model = model_playing(says(usage={"prompt_tokens": 400, "completion_tokens": 3}))
    error = failing(model, Request("write", (Message("user", "word " * 4_000),)))
    assert error.code == "llm.context"
    assert "only 400 were read" in error.message


def test_requests_beyond_this_machine_can_be_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZENCLI_FORBID_REQUESTS", "1")
    model = OpenAIModel("https://api.example.invalid/v1", "m", "k", Profile())
    assert failing(model).code == "llm.forbidden"


def test_an_endpoint_that_is_never_content_is_given_up(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    never = [fails(400, f"max_tokens must be below {4_000 - n}") for n in range(50)]
    assert failing(model_playing(*never)).code == "llm.endpoint"
    assert len(server.requests) == MOST_LESSONS + 1


def test_text_that_comes_in_parts_is_put_together(model_playing: MakeModel) -> None:
    parts = [
        {"type": "text", "text": "Rain "},
        {"type": "image"},
        {"type": "text", "text": "fell."},
    ]
    assert model_playing(says(message={"content": parts})).complete(ASK).text == "Rain fell."


class Answering:
    """A transport that answers everything with one body."""

    def __init__(self, body: bytes, kind: str) -> None:
        self._answer = Answer(200, {"content-type": kind}, [body])

    @contextmanager
    def send(self, step: str, body: dict[str, object], watch: Watch) -> Iterator[Answer]:
        yield self._answer

    def models(self, watch: Watch) -> Answer:
        return self._answer

    def close(self) -> None:
        """Nothing is held open."""


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just([]) | st.just({})
ODDER = ODD | st.lists(ODD, max_size=2) | st.dictionaries(st.sampled_from(["text", "name"]), ODD)
PART = st.fixed_dictionaries(
    {},
    optional={
        "content": ODDER,
        "reasoning": ODDER,
        "tool_calls": ODDER
        | st.lists(
            st.fixed_dictionaries({}, optional={"function": ODDER, "id": ODDER}), max_size=2
        ),
    },
)
CHOICE = ODD | st.fixed_dictionaries(
    {},
    optional={"message": ODD | PART, "delta": ODD | PART, "finish_reason": ODD | st.just("stop")},
)
BODY = ODDER | st.fixed_dictionaries(
    {},
    optional={
        "choices": ODD | st.lists(CHOICE, max_size=2),
        "usage": ODDER | st.dictionaries(st.sampled_from(["prompt_tokens"]), ODD),
        "error": ODDER,
        "message": ODD,
    },
)


@settings(max_examples=150, deadline=None)
@given(BODY, st.sampled_from(["application/json", "text/event-stream"]))
def test_whatever_comes_is_a_reply_or_an_error(body: object, kind: str) -> None:
    data = json.dumps(body).encode()
    sent = data if kind == "application/json" else b"data: " + data + b"\n\n"
    model = OpenAIModel(
        "http://127.0.0.1:9/v1", "m", "", Profile(), patience=ONCE, transport=Answering(sent, kind)
    )
    tools = (Tool("read", "Read.", {"type": "object"}),)
    for request in (ASK, replace(ASK, tools=tools)):
        try:
            assert model.complete(request).finish_reason
        except ModelError as error:
            assert "m at http://127.0.0.1:9/v1" in error.message


def test_a_token_may_take_longer_than_the_first(model_playing: MakeModel) -> None:
    times = Deadlines(first_token=0.6, between_tokens=20.0, total=20.0)
    pieces: list[str] = []
    model_playing(streams(["Rain ", "fell."], pause=1.2), times=times).complete(ASK, pieces.append)
    assert "".join(pieces) == "Rain fell."


def test_a_slow_stream_that_goes_on_is_not_given_up(model_playing: MakeModel) -> None:
    times = Deadlines(first_token=1.0, between_tokens=0.4, total=20.0)
    started = time.monotonic()
    play = streams(["Rain "] * 12, at_once=80, gap=0.1)
    reply = model_playing(play, times=times).complete(ASK, list[str]().append)
    assert reply.text == "Rain " * 12
    assert time.monotonic() - started > 1.0


@pytest.mark.parametrize("key", ["sk-钥匙", "sk-a\nb"])
def test_a_key_that_no_header_can_carry_is_told_before_the_call(
    model_playing: MakeModel, server: ScriptedServer, key: str
) -> None:
    error = failing(model_playing(says(), key=key))
    assert error.code == "llm.auth"
    assert "sk-" not in error.message
    assert server.requests == []


def test_a_local_server_needs_no_key(model_playing: MakeModel, server: ScriptedServer) -> None:
    model_playing(says(), key="").complete(ASK)
    assert server.keys == ["Bearer none"]


def test_a_proxy_of_the_environment_is_not_asked_for_loopback(
    model_playing: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert model_playing(says("Rain.")).complete(ASK).text == "Rain."


def test_a_base_url_without_a_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="http://"):
        OpenAIModel("api.example.invalid/v1", "m", "k", Profile())


def test_usage_of_a_retried_call_is_of_the_call_that_worked(model_playing: MakeModel) -> None:
    reply = model_playing(fails(500, "oops"), says()).complete(ASK)
    assert reply.usage.calls == 1
    assert reply.usage.input_tokens == completion()["usage"]["prompt_tokens"]


def test_a_fault_of_whoever_shows_the_text_is_not_taken_for_the_network(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    def broken(piece: str) -> None:
        raise BrokenPipeError(piece)

    with pytest.raises(BrokenPipeError):
        model_playing(streams(["Rain."])).complete(ASK, broken)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1", 1),
        ("2.5", 2.5),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("", 0),
        ("soon", 0),
        ("-5", 0),
        ("²", 0),
    ],
)
def test_what_a_server_asks_to_wait_is_read(value: str, seconds: float) -> None:
    now = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
    assert retry_after(value, now) == seconds


def test_waits_grow_and_differ_and_are_never_shorter_than_asked() -> None:
    patience = Patience(first_wait=1.0)
    waits = [[patience.wait(attempt, 0.0) for _ in range(20)] for attempt in range(4)]
    assert all(0.75 * 2**n <= w <= 1.25 * 2**n for n, ws in enumerate(waits) for w in ws)
    assert len(set(waits[0])) > 1
    assert patience.wait(0, 30.0) == 30.0


def test_the_query_of_a_base_url_goes_with_every_request(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    server.plays = [says("Rain.")]
    model = OpenAIModel(f"{server.url}?api-version=1", "m", "", Profile(), patience=ONCE)
    assert model.complete(ASK).text == "Rain."
    assert server.paths == ["/v1/chat/completions?api-version=1"]
    model.close()
