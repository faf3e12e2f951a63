"""Tool calls: sent, collected whole and in fragments, and in words where none are taken."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_helpers import ASK, MakeModel, failing
from llm_server import ScriptedServer, fails, says, streams

from zencli.llm.exchange import lines
from zencli.llm.profiles import Profile
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.tool_calls import CollectedCalls
from zencli.llm.tool_text import CallFilter, read_calls
from zencli.llm.types import Message, Reply, Request, Tool, ToolCall, Usage

READ = Tool("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
WRITE = Tool("write", "Write a file.", {"type": "object"})
ASK_TOOLS = replace(ASK, role="agent", tools=(READ, WRITE))
AFTER = replace(
    ASK_TOOLS,
    messages=(
        *ASK.messages,
        Message("assistant", "", (ToolCall("c1", "read", '{"path": "a"}'),), thinking="Hm."),
        Message("tool", "It rained.", tool_call_id="c1"),
    ),
)
IN_TEXT = '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>'
CALL = ("read", '{"path": "a"}')


def part(arguments: str = "", **more: Any) -> dict[str, Any]:
    """A delta with one fragment of a call; ``name`` goes into its function."""
    function = {"arguments": arguments}
    if "name" in more:
        function["name"] = more.pop("name")
    return {"tool_calls": [{"type": "function", "function": function, **more}]}


def named(reply: Reply) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in reply.tool_calls]


def whole(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"tool_calls": list(calls)}}


def test_tools_and_their_results_are_sent(model_playing: MakeModel, server: ScriptedServer) -> None:
    model_playing(says()).complete(AFTER)
    sent = server.requests[0]
    assert sent["tools"][0] == {
        "type": "function",
        "function": {
            "name": "read",
            "description": "Read a file.",
            "parameters": READ.parameters,
        },
    }
    assert "tool_choice" not in sent
    assert sent["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "a"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "It rained."},
    ]


def test_thinking_goes_back_where_it_is_demanded(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model_playing(says(), thinking_back=True).complete(AFTER)
    assert server.requests[0]["messages"][2]["reasoning_content"] == "Hm."


def test_that_thinking_must_go_back_is_learned_from_the_refusal(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    refusal = fails(400, "The reasoning_content in the thinking mode must be passed back")
    model = model_playing(refusal, says())
    model.complete(AFTER)
    assert "reasoning_content" in server.requests[1]["messages"][2]
    assert model.profile.thinking_back


def test_arguments_that_are_no_json_go_back_as_json(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    broken = Message("assistant", "", (ToolCall("c1", "read", '{"path": '),))
    model_playing(says()).complete(replace(AFTER, messages=(*ASK.messages, broken)))
    sent = server.requests[0]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"unreadable": '{"path": '}


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_whole_calls_are_collected_without_any_text(model_playing: MakeModel, finish: str) -> None:
    first = {"id": "x", "function": {"name": "read", "arguments": '{"path": "a"}'}}
    second = {"id": "y", "function": {"name": "write", "arguments": {"path": "b"}}}
    reply = model_playing(says(None, finish, **whole(first, second))).complete(ASK_TOOLS)
    assert reply.text == ""
    assert reply.tool_calls == (
        ToolCall("x", "read", '{"path": "a"}'),
        ToolCall("y", "write", '{"path": "b"}'),
    )


FRAGMENTS = {
    "by index, interleaved": [
        part(index=0, id="x", name="read"),
        part(index=1, id="y", name="write"),
        part('{"path"', index=0),
        part("{}", index=1),
        part(': "a"}', index=0),
    ],
    "id and name repeated": [
        part('{"path"', index=0, id="x", name="read"),
        part(': "a"}', index=0, id="x", name="read"),
        part("", index=0, id="x", name="read"),
        part("{}", index=1, id="y", name="write"),
    ],
    "always index 0": [
        part('{"path": "a"}', index=0, id="x", name="read"),
        part("{}", index=0, id="y", name="write"),
    ],
    "no index": [
        part('{"path"', id="x", name="read"),
        part(': "a"}'),
        part("", id="y", name="write"),
        part("{}"),
    ],
    "no id": [
        part('{"path": ', index=0, name="read"),
        part('"a"}', index=0),
        part("", index=1, name="write"),
    ],
    "neither": [part('{"path": "a"}', name="read"), part("{}", name="write")],
    "the name in pieces": [
        part(index=0, id="x", name="re"),
        part(index=0, name="ad"),
        part('{"path": "a"}', index=0),
        part("{}", index=1, id="y", name="write"),
    ],
}


@pytest.mark.parametrize("deltas", FRAGMENTS.values(), ids=FRAGMENTS.keys())
def test_fragments_are_put_together(model_playing: MakeModel, deltas: list[dict[str, Any]]) -> None:
    pieces: list[str] = []
    model = model_playing(streams(["I'll look.", *deltas], "tool_calls"))
    reply = model.complete(ASK_TOOLS, pieces.append)
    assert named(reply) == [CALL, ("write", "{}")]
    assert len({call.id for call in reply.tool_calls}) == 2
    assert all(call.id for call in reply.tool_calls)
    assert (reply.text, "".join(pieces)) == ("I'll look.", "I'll look.")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1), st.booleans())
def test_a_call_in_the_text_never_shows_whatever_its_pieces(sizes: list[int], fenced: bool) -> None:
    block = f"```json\n{IN_TEXT[11:-12]}\n```" if fenced else IN_TEXT
    text, shown, start, step = f"雨`` <落 {block} 了 ```x```", "", 0, 0
    stream = CallFilter({"read"})
    while start < len(text):
        size = sizes[step % len(sizes)]
        shown += stream.feed(text[start : start + size])
        start, step = start + size, step + 1
    shown += stream.end()
    assert "".join(shown.split()) == "雨``<落了```x```"
    assert read_calls(text, {"read"})[1] == [CALL]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=40), st.booleans())
def test_calls_are_whole_whatever_fragments_they_come_in(
    order: list[tuple[int, int]], repeated: bool
) -> None:
    wanted = [("read", '{"path": "a/b"}'), ("write", '{"n": 1}'), ("read", '{"x": "雨"}')]
    collected, sent = CollectedCalls(), [0, 0, 0]
    rest = [(index, 99) for index in range(3)]
    for index in range(3):  # every call is announced in turn, as all endpoints do
        name = {"name": wanted[index][0], "arguments": ""}
        collected.take({"index": index, "id": f"c{index}", "function": name}, whole=False)
    for index, size in [*order, *rest]:
        name, arguments = wanted[index]
        fragment = arguments[sent[index] : sent[index] + size]
        sent[index] += len(fragment)
        function = {"arguments": fragment} | ({"name": name} if repeated else {})
        collected.take({"index": index, "function": function}, whole=False)
    calls = collected.calls((), 1, cut=False)
    assert [(call.name, call.arguments) for call in calls] == wanted


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_lines_are_the_same_whatever_pieces_they_come_in(text: str, sizes: list[int]) -> None:
    data, pieces, start = text.encode(), list[bytes](), 0
    for size in sizes:
        pieces.append(data[start : start + size])
        start += size
    pieces.append(data[start:])
    assert list(lines(pieces)) == list(lines([data]))
    assert "".join(lines([data])).replace("\r", "") == text.replace("\n", "").replace("\r", "")


@pytest.mark.parametrize(
    "text",
    [
        f"I'll look.\n\n{IN_TEXT}",
        f"I'll look.\n{IN_TEXT.removesuffix('</tool_call>')}",
        f"I'll look.\n```json\n{IN_TEXT[11:-12]}\n```",
        'I\'ll look.\n<tool_call>{"name": "read", "parameters": {"path": "a"}}</tool_call>',
    ],
)
@pytest.mark.parametrize("tools", ["native", "prompt"])
def test_calls_in_prose_are_calls(model_playing: MakeModel, text: str, tools: str) -> None:
    pieces: list[str] = []
    model = model_playing(streams([text[:9], text[9:40], text[40:]]), tools=tools)
    reply = model.complete(ASK_TOOLS, pieces.append)
    assert named(reply) == [CALL]
    assert reply.text == "I'll look."
    assert "".join(pieces).strip() == "I'll look."


def test_a_text_that_is_nothing_but_a_call_is_one(model_playing: MakeModel) -> None:
    pieces: list[str] = []
    reply = model_playing(streams([IN_TEXT[11:20], IN_TEXT[20:-12]])).complete(
        ASK_TOOLS, pieces.append
    )
    assert (named(reply), reply.text, pieces) == ([CALL], "", [])


def test_json_that_calls_no_tool_stays_text(model_playing: MakeModel) -> None:
    text = 'Look:\n```json\n{"name": "Mara", "arguments": {}}\n```'
    reply = model_playing(says(text)).complete(ASK_TOOLS)
    assert (reply.tool_calls, reply.text) == ((), text)


def test_without_tools_a_chapter_may_hold_what_looks_like_a_call(
    model_playing: MakeModel,
) -> None:
    assert model_playing(says(IN_TEXT)).complete(ASK).text == IN_TEXT


def test_an_endpoint_that_refuses_tools_gets_them_in_words(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model = model_playing(fails(400, "test-model does not support tools"), says(IN_TEXT))
    assert named(model.complete(AFTER)) == [CALL]
    sent = server.requests[1]
    assert "tools" not in sent
    roles = [message["role"] for message in sent["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "Read a file." in sent["messages"][0]["content"]
    assert sent["messages"][2]["content"] == IN_TEXT
    assert "It rained." in sent["messages"][3]["content"]
    model.complete(ASK_TOOLS)
    assert len(server.requests) == 3


def test_tools_are_told_in_the_language_of_the_conversation(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    chinese = replace(ASK_TOOLS, messages=(Message("user", "写下一章。"),))
    model_playing(says(), tools="prompt").complete(chinese)
    assert "你可以调用下列函数" in server.requests[0]["messages"][0]["content"]


def test_broken_arguments_stay_as_they_came(model_playing: MakeModel) -> None:
    broken = {"id": "x", "function": {"name": "read", "arguments": '{"path": "a'}}
    assert named(model_playing(says(None, **whole(broken))).complete(ASK_TOOLS)) == [
        ("read", '{"path": "a')
    ]


def test_a_call_cut_off_at_the_output_limit_is_no_call(model_playing: MakeModel) -> None:
    broken = {"id": "x", "function": {"name": "read", "arguments": '{"path": "a'}}
    error = failing(model_playing(says(None, "length", **whole(broken))), ASK_TOOLS)
    assert error.code == "llm.truncated"


def test_a_reply_with_calls_survives_the_disk() -> None:
    reply = Reply("", "tool_calls", Usage(calls=1), "m", "", (ToolCall("x", "read", "{}"),))
    assert Reply.from_json(json.loads(json.dumps(reply.to_json()))) == reply


def test_tools_and_calls_count_as_input() -> None:
    profile = Profile()
    bare = replace(ASK_TOOLS, tools=()).estimate(profile)
    assert ASK_TOOLS.estimate(profile) > bare
    assert AFTER.estimate(profile) > ASK_TOOLS.estimate(profile)
    assert ASK_TOOLS.digest("m") != replace(ASK_TOOLS, tools=(READ,)).digest("m")


def test_a_script_may_call_tools() -> None:
    calls = (ToolCall("x", "read", "{}"),)
    model = ScriptedModel([Step("agent", "", "tool_calls", calls), Step("agent", "Done.")])
    first = model.complete(ASK_TOOLS)
    assert first.tool_calls == calls
    assert first.usage.output_tokens > 0
    again: Request = replace(
        ASK_TOOLS,
        messages=(*ASK.messages, Message("assistant", "", calls), Message("tool", "a", (), "x")),
    )
    assert model.complete(again).usage.cached_tokens >= ASK_TOOLS.estimate(model.profile) - 30
