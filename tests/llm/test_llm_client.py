"""The client against a real server in a thread: what is sent, what is read, what is learned."""

import json
import socket
import time

import pytest
from conftest import KEY, MakeModel
from llm_server import Play, ScriptedServer, completion, fails, says, streams

from zencli.errors import ModelError, UsageError
from zencli.llm.client import OpenAIModel
from zencli.llm.profiles import Profile
from zencli.llm.types import Message, Request

ASK = Request("write", (Message("system", "You write."), Message("user", "Write.")))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
ASK_JSON = Request("plan", ASK.messages, SCHEMA, "plan", 500, 0.3)


def failing(model: OpenAIModel, request: Request = ASK) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.complete(request)
    return caught.value


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
        (fails(400, "maximum context length is 4096 tokens"), "llm.context", "4096"),
        (fails(400, "exceeds the available context size"), "llm.context", "doesn't fit"),
        (fails(418, "teapot"), "llm.refused", "teapot"),
        (Play(body=b"<html>Sign in</html>", content_type="text/html"), "llm.reply", "a web page"),
        (Play(body=b'{"choices": [{"mess'), "llm.reply", "isn't JSON"),
        (Play(body=b"[]"), "llm.reply", "isn't JSON"),
        (Play(body=b'{"error": {"message": "over the context window"}}'), "llm.context", "over"),
        (Play(body=json.dumps({"choices": []}).encode()), "llm.reply", "without any choice"),
        (says(finish=None), "llm.reply", "without a finish_reason"),
        (says("   "), "llm.reply", "empty text"),
        (says(None), "llm.reply", "empty text"),
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
    model = OpenAIModel("http://me:pass@127.0.0.1:1/v1?key=1", "m", "", Profile(), 1.0)
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
    error = failing(OpenAIModel(f"http://127.0.0.1:{port}/v1", "m", "", Profile(), 5.0))
    assert error.code == "llm.network"
    assert "refused" in error.message


@pytest.mark.parametrize("streaming", [False, True])
def test_a_call_ends_at_its_deadline(model_playing: MakeModel, streaming: bool) -> None:
    play = streams(["Rain ", "fell."], pause=8.0) if streaming else says()
    play.pause = 8.0
    model = model_playing(play, timeout=0.5)
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
    assert error.code == "llm.refused"
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
    model = OpenAIModel("https://api.example.invalid/v1", "m", "k", Profile(), 5.0)
    assert failing(model).code == "llm.forbidden"


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
