"""Every fault of an endpoint that is known to happen, and what zencli does about it.

``docs/endpoints.md`` holds the same as a table; the tests hold both to what really happens.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

from llm_server import Play, fails, says, streams

from zencli.llm.deadlines import Deadlines

Asked = Literal["plain", "streamed", "json", "json streamed", "tools", "tools streamed"]

GOOD_JSON = '{"title": "雨", "cast": ["Mara"]}'
CALL = '{"name": "read", "arguments": {"path": "a"}}'
WEB_PAGE = b"<!doctype html><html><title>Sign in</title></html>"
IMPATIENT = Deadlines(connect=5.0, first_token=0.5, between_tokens=0.5, total=20.0)
HURRIED = Deadlines(connect=5.0, first_token=20.0, between_tokens=20.0, total=0.7)


@dataclass(frozen=True)
class Fault:
    """A fault as the server plays it.

    ``asked``: what zencli asks for. ``does``: what zencli does about it, in words. ``ends``: the
    code it stops with, "" when the call succeeds in the end. ``requests``: how many are made.
    ``settings``: of the profile. ``learns``: the fields of the profile that are different after.
    """

    name: str
    plays: Callable[[], Sequence[Play]]
    does: str
    ends: str = ""
    asked: Asked = "plain"
    requests: int = 2
    settings: dict[str, Any] = field(default_factory=dict)
    learns: dict[str, Any] = field(default_factory=dict)
    times: Deadlines | None = None


def refuses(message: str, good: Play | None = None, status: int = 400) -> list[Play]:
    """A refusal, then an answer."""
    return [fails(status, message), good or says("Rain.")]


def page(status: int) -> Play:
    return Play(status, WEB_PAGE, "text/html")


def whole_call(arguments: str, *names: str) -> Play:
    calls = [
        {"id": f"c{n}", "function": {"name": name, "arguments": arguments}}
        for n, name in enumerate(names)
    ]
    return says(None, "tool_calls", message={"tool_calls": calls})


def after_a_second() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


def event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def broken_in_the_middle() -> Play:
    body = event({"choices": [{"delta": {"content": "Ra"}}]})
    body += event({"error": {"message": "the engine died", "code": 500}})
    return Play(body=body, content_type="text/event-stream")


ADAPTS = "leaves it out or takes the other form, asks again at once, and remembers"
JSON_REFUSED = "asks for `json_object`, then for JSON in words alone; remembers"
RETRIES = "tries again, each time after a longer wait"
STOPS = "stops at once"
AGAIN = "asks once more in another form"
RESUMES = "asks again; once text was shown, the chapter is gone on with from there"


def refused() -> Iterator[Fault]:
    """Requests that an endpoint doesn't take as they are: status 400."""
    good = says(GOOD_JSON)
    yield Fault(
        "`json_schema`",
        lambda: [fails(400, "response_format json_schema isn't supported"), good],
        JSON_REFUSED,
        asked="json",
        settings={"json": "schema"},
        learns={"json": "object"},
    )
    yield Fault(
        "`json_object`, where only `json_schema` is taken",
        lambda: [fails(400, "'response_format.type' must be 'json_schema' or 'text'"), good],
        "sends the schema; remembers",
        asked="json",
        learns={"json": "schema"},
    )
    yield Fault(
        "any `response_format`",
        lambda: [fails(400, "unknown field response_format"), good],
        "asks for JSON in words alone; remembers",
        asked="json",
        learns={"json": "prompt"},
    )
    yield Fault(
        "`response_format` with streaming",
        lambda: [
            fails(400, "response_format can't be used while streaming"),
            streams([GOOD_JSON]),
        ],
        "streams without it; remembers",
        asked="json streamed",
        learns={"json_streamed": False},
    )
    for name, other in (
        ("max_tokens", "max_completion_tokens"),
        ("max_completion_tokens", "max_tokens"),
    ):
        yield Fault(
            f"`{name}`",
            lambda name=name, other=other: refuses(f"Unsupported parameter: {name}, use {other}"),
            f"sends `{other}`; remembers",
            settings={"tokens_field": name},
            learns={"tokens_field": other},
        )
    yield Fault(
        "`max_tokens` too large",
        lambda: refuses("max_tokens must be in the range [1, 4096]"),
        "asks for as much as is allowed; remembers",
        learns={"max_output": 4096},
    )
    yield Fault(
        "`stream_options`",
        lambda: refuses("stream_options is unknown", streams(["Rain."])),
        ADAPTS,
        asked="streamed",
        learns={"stream_usage": False},
    )
    yield Fault(
        "streaming at all",
        lambda: refuses("streaming is not supported"),
        ADAPTS,
        asked="streamed",
        learns={"streams": "never"},
    )
    yield Fault(
        "anything but streaming",
        lambda: refuses("This model only supports stream mode", streams(["Rain."])),
        ADAPTS,
        learns={"streams": "only"},
    )
    yield Fault(
        "temperature",
        lambda: refuses("invalid temperature: only 1 is allowed for this model"),
        ADAPTS,
        asked="plain",
        learns={"temperature_allowed": False},
    )
    yield Fault(
        "`tool_choice`, or tools at all",
        lambda: refuses(
            '"auto" tool choice requires --enable-auto-tool-choice',
            says(f"<tool_call>{CALL}</tool_call>"),
        ),
        "tells the tools in words and reads calls from the text; remembers",
        asked="tools",
        learns={"tools": "prompt"},
    )
    yield Fault(
        "a system message",
        lambda: refuses("System role not supported"),
        "puts it before the user's words; remembers",
        learns={"system_role": False},
    )
    yield Fault(
        "a switch for thinking",
        lambda: refuses("Unrecognized request argument: enable_thinking"),
        ADAPTS + " for this run",
        settings={"thinking": False, "thinking_off": {"enable_thinking": False}},
        learns={"thinking": None},
    )
    yield Fault(
        "a conversation without the thinking before a tool call",
        lambda: refuses("The reasoning_content in the thinking mode must be passed back"),
        "sends it back; remembers",
        asked="tools",
        learns={"thinking_back": True},
    )
    yield Fault(
        "a prompt and a reply that don't fit the window together",
        lambda: refuses("This model's maximum context length is 4096 tokens, you asked for 9000"),
        "asks for a shorter reply; remembers the window for this run",
        learns={"window": 4096},
    )
    yield Fault(
        "a prompt that doesn't fit the window",
        lambda: refuses("the request exceeds the available context size"),
        STOPS,
        "llm.context",
        requests=1,
    )
    yield Fault(
        "the words of the request (content policy)",
        lambda: refuses("Content Exists Risk"),
        f"{STOPS}; a fallback model is asked",
        "llm.refused",
        requests=1,
    )
    yield Fault(
        "something that isn't known",
        lambda: refuses("parameter seed: out of range"),
        STOPS,
        "llm.endpoint",
        requests=1,
    )


def statuses() -> Iterator[Fault]:
    """Other error statuses."""
    yield Fault("401", lambda: [fails(401, "bad key")], STOPS, "llm.auth", requests=1)
    yield Fault("402", lambda: [fails(402, "Insufficient Balance")], STOPS, "llm.quota", requests=1)
    yield Fault("403", lambda: [fails(403, "not for you")], STOPS, "llm.auth", requests=1)
    yield Fault("403 with a web page", lambda: [page(403)], STOPS, "llm.auth", requests=1)
    yield Fault(
        "404, no such model", lambda: [fails(404, "no model x")], STOPS, "llm.endpoint", requests=1
    )
    yield Fault("404 with a web page", lambda: [page(404)], STOPS, "llm.endpoint", requests=1)
    for status in (408, 409, 500, 502, 503, 529):
        yield Fault(
            f"{status}, once",
            lambda status=status: [fails(status, "overloaded"), says("Rain.")],
            RETRIES,
        )
    yield Fault(
        "5xx, again and again", lambda: [fails(503, "starting")], RETRIES, "llm.network", requests=3
    )
    yield Fault("502 with a web page", lambda: [page(502)], RETRIES, "llm.network", requests=3)
    yield Fault("413", lambda: [fails(413, "too large")], STOPS, "llm.context", requests=1)
    yield Fault(
        "422", lambda: [fails(422, "messages.0: bad value")], STOPS, "llm.endpoint", requests=1
    )
    yield Fault("429", lambda: [fails(429, "slow down"), says("Rain.")], RETRIES)
    yield Fault(
        "429, again and again", lambda: [fails(429, "slow down")], RETRIES, "llm.quota", requests=3
    )
    yield Fault(
        "429 with `Retry-After: 1`",
        lambda: [fails(429, "slow down", Retry_After="1"), says("Rain.")],
        "waits as long as it asks",
    )
    yield Fault(
        "429 with a date in `Retry-After`",
        lambda: [fails(429, "slow down", Retry_After=after_a_second()), says("Rain.")],
        "waits until then",
    )
    yield Fault(
        "429 with `Retry-After: 500`",
        lambda: [fails(429, "slow down", Retry_After="500")],
        "stops at once: it waits a minute at most",
        "llm.quota",
        requests=1,
    )
    yield Fault(
        "429 with `insufficient_quota`",
        lambda: [fails(429, "insufficient_quota: exceeded your current quota")],
        "stops at once: no waiting fills an account",
        "llm.quota",
        requests=1,
    )


def normal_status() -> Iterator[Fault]:
    """Status 200 without a usable reply."""
    yield Fault(
        "empty content, once", lambda: [says(""), streams(["Rain."])], f"{AGAIN} (streamed)"
    )
    yield Fault("empty content", lambda: [says("")], AGAIN, "llm.reply")
    yield Fault("no content", lambda: [says(None)], AGAIN, "llm.reply")
    yield Fault(
        "a web page", lambda: [page(200)], "stops and asks for the base URL to be checked",
        "llm.endpoint", requests=1,
    )  # fmt: skip
    yield Fault(
        "broken JSON",
        lambda: [Play(body=b'{"choices": [{"mess')],
        STOPS,
        "llm.reply",
        requests=1,
    )
    yield Fault(
        "an error object",
        lambda: [Play(body=b'{"error": {"message": "engine down", "code": 503}}'), says("Rain.")],
        "takes it as that status",
    )
    yield Fault(
        "an error without a name",
        lambda: [Play(body=b'{"code": 401, "message": "token expired"}')],
        "takes it as that status",
        "llm.auth",
        requests=1,
    )
    yield Fault("`choices` missing", lambda: [Play(body=b'{"id": "x"}')], STOPS, "llm.reply",
                requests=1)  # fmt: skip
    yield Fault("`choices` empty", lambda: [Play(body=b'{"choices": []}')], STOPS, "llm.reply",
                requests=1)  # fmt: skip
    yield Fault("no `finish_reason`", lambda: [says(finish=None)], STOPS, "llm.reply", requests=1)
    yield Fault(
        "stopped by a content filter",
        lambda: [says("x", "content_filter")],
        STOPS,
        "llm.reply",
        requests=1,
    )
    yield Fault(
        "a prompt cut silently",
        lambda: [says(usage={"prompt_tokens": 400, "completion_tokens": 3})],
        "stops: the count of tokens read gives it away",
        "llm.context",
        requests=1,
        settings={"tokens_per_latin": 100.0, "window": 2_000_000},
    )
    yield Fault(
        "a prompt of which what was cached is counted beside",
        lambda: [says("Rain.", usage={"prompt_tokens": 9, "cache_read_input_tokens": 900_000})],
        "counts both",
        requests=1,
        settings={"tokens_per_latin": 100.0, "window": 2_000_000},
    )


def streaming() -> Iterator[Fault]:
    """Streams."""
    yield Fault(
        "cut without `[DONE]`",
        lambda: [streams(["Ra"], finish=None, done=False), streams(["Rain."])],
        RESUMES,
    )
    yield Fault(
        "ended with `[DONE]` and without a `finish_reason`",
        lambda: [streams(["Ra"], finish=None), streams(["Rain."])],
        RESUMES,
    )
    yield Fault(
        "cut after text was shown",
        lambda: [streams(["Ra"], finish=None)],
        RESUMES,
        "llm.network",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "connection lost",
        lambda: [streams(["Ra"], finish=None, drop=True), streams(["Rain."])],
        RESUMES,
    )
    yield Fault(
        "an error object in the middle",
        lambda: [broken_in_the_middle(), streams(["Rain."])],
        RESUMES,
    )
    yield Fault(
        "keep-alive comments",
        lambda: [streams(["Ra", "in."])],
        "passes over them",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "one byte at a time",
        lambda: [streams(["Ra", "in."], at_once=1)],
        "reads it",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "characters cut in two",
        lambda: [streams(["Ra", "in.雨"], at_once=2)],
        "reads it",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "stalled before the first token",
        lambda: [streams([], finish=None, usage=None, done=False, hang=True), streams(["Rain."])],
        "gives it up after `first_token` seconds and asks again",
        asked="streamed",
        times=IMPATIENT,
    )
    yield Fault(
        "nothing but keep-alive comments for ever",
        lambda: [
            streams([], finish=None, usage=None, done=False, hang=True, alive=0.05),
            streams(["Rain."]),
        ],
        "gives it up after `first_token` seconds and asks again",
        asked="streamed",
        times=IMPATIENT,
    )
    yield Fault(
        "stalled between tokens",
        lambda: [streams(["Ra"], finish=None, usage=None, done=False, hang=True)],
        "gives it up after `between_tokens` seconds; the chapter is gone on with from there",
        "llm.timeout",
        asked="streamed",
        requests=1,
        times=IMPATIENT,
    )
    yield Fault(
        "slower than the total time",
        lambda: [streams(["Ra"], finish=None, usage=None, done=False, hang=True)],
        "stops after `timeout` seconds",
        "llm.timeout",
        asked="streamed",
        requests=1,
        times=HURRIED,
    )
    yield Fault(
        "without usage",
        lambda: [streams(["Rain."], usage=None)],
        "estimates it",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "sent whole",
        lambda: [says("Rain.")],
        "reads it",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "sent where none was asked for",
        lambda: [streams(["Rain."])],
        "reads it",
        requests=1,
    )
    yield Fault(
        "empty because tools were sent",
        lambda: [streams([]), whole_call('{"path": "a"}', "read")],
        f"{AGAIN} (whole); begins with that form after the second time",
        asked="tools streamed",
    )


def thinking() -> Iterator[Fault]:
    """Thinking: kept apart from the text, never shown, never saved."""
    for name in ("reasoning_content", "reasoning"):
        yield Fault(
            f"in `{name}`",
            lambda name=name: [streams([{name: "Hm."}, "Rain."])],
            "keeps it apart",
            asked="streamed",
            requests=1,
        )
    yield Fault(
        "in `<think>` tags",
        lambda: [streams(["<thi", "nk>Hm.</think>", "Rain."])],
        "keeps it apart",
        asked="streamed",
        requests=1,
    )
    yield Fault(
        "without its opening tag",
        lambda: [says("Hm.</think>Rain.")],
        "keeps it apart",
        requests=1,
    )
    yield Fault(
        "unclosed at the output limit",
        lambda: [says("<think>Hm", "length")],
        "stops and asks for a larger `max_output`",
        "llm.truncated",
        requests=1,
    )
    yield Fault("unclosed", lambda: [says("<think>Hm"), streams(["Rain."])], AGAIN)


def structured() -> Iterator[Fault]:
    """JSON that isn't quite."""
    repaired = "reads it"
    for name, text in (
        ("in a code fence", f"```json\n{GOOD_JSON}\n```"),
        ("after a preamble, before a remark", f"Here it is:\n{GOOD_JSON}\nI hope it helps."),
        ("with unescaped quotes", '{"title": "雨", "ending": "他说"走"就走了"}'),
        ("with full-width punctuation", "｛“title”：“雨”，“cast”：［“Mara”］｝"),
        ("with trailing commas and single quotes", "{'title': '雨', 'cast': ['Mara',],}"),
    ):
        yield Fault(name, lambda text=text: [says(text)], repaired, asked="json", requests=1)
    yield Fault(
        "cut off",
        lambda: [says('{"title": "雨", "ca', "length"), says(GOOD_JSON)],
        "never repairs it: asks once more and says what was wrong",
        asked="json",
    )
    yield Fault(
        "cut off again",
        lambda: [says('{"title": "雨", "ca', "length")],
        "asks once more, then stops",
        "llm.truncated",
        asked="json",
    )
    yield Fault(
        "blanked to spaces",
        lambda: [says("    \n  "), says(GOOD_JSON)],
        "asks once more without `response_format`",
        asked="json",
    )
    yield Fault(
        "prose instead",
        lambda: [says("I would rather not.")],
        "asks once more, then stops",
        "llm.reply",
        asked="json",
    )


def tools() -> Iterator[Fault]:
    """Tool calls."""
    yield Fault(
        "with broken arguments",
        lambda: [whole_call('{"path": "a', "read")],
        "hands them to the agent, whose tool refuses them in words",
        asked="tools",
        requests=1,
    )
    yield Fault(
        "several at once",
        lambda: [whole_call('{"path": "a"}', "read", "read")],
        "reads them all",
        asked="tools",
        requests=1,
    )
    yield Fault(
        "in prose",
        lambda: [says(f"I'll look.\n<tool_call>{CALL}</tool_call>")],
        "takes the call out of the text",
        asked="tools",
        requests=1,
    )
    yield Fault(
        "in a code fence",
        lambda: [streams(["I'll look.\n``", f"`json\n{CALL}\n```"])],
        "takes the call out of the text",
        asked="tools streamed",
        requests=1,
    )
    yield Fault(
        "cut off at the output limit",
        lambda: [says(None, "length", message={"tool_calls": [
            {"id": "x", "function": {"name": "read", "arguments": '{"path": "a'}}
        ]})],
        "stops: half a call is none",
        "llm.truncated",
        asked="tools",
        requests=1,
    )  # fmt: skip


GROUPS: dict[str, list[Fault]] = {
    "Refused as it is (status 400)": list(refused()),
    "Other error statuses": list(statuses()),
    "Status 200, and no reply": list(normal_status()),
    "Streams": list(streaming()),
    "Thinking": list(thinking()),
    "JSON": list(structured()),
    "Tool calls": list(tools()),
}


def table() -> str:
    """The faults as Markdown."""
    parts: list[str] = []
    for group, faults in GROUPS.items():
        rows = [
            f"| {fault.name} | {fault.does} | {f'`{fault.ends}`' if fault.ends else 'a reply'} |"
            for fault in faults
        ]
        head = ["| the endpoint | zencli | ends with |", "|---|---|---|"]
        parts.append("\n".join([f"### {group}", "", *head, *rows]))
    return "\n\n".join(parts)
