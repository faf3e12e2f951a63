"""Structured replies: what is read out of imperfect text, and when it is asked again."""

import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from llm_helpers import MakeModel
from llm_server import ScriptedServer, fails, says

from zencli.errors import ModelError
from zencli.llm.reading import narrow_punctuation, read_object
from zencli.llm.schema import SHORTEST, wire_schema
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.structured import Answer, ask
from zencli.llm.types import Message, Model, Request
from zencli.story.delta import Delta
from zencli.story.foundation import Cast, Concept, OutlineBatch, Structure
from zencli.story.lenient import Lenient
from zencli.story.plan import Plan

REPLIES = (Plan, Delta, Concept, Cast, Structure, OutlineBatch)
ASK = Request("plan", (Message("user", "Plan it as JSON."),), wire_schema(Plan, False), "plan")
GOOD = '{"title": "雨", "cast": ["Mara"]}'


def asked(model: Model, *problems: str) -> Answer[Plan]:
    """Ask for a plan; its title must not be one of ``problems``."""
    return ask(
        model,
        ASK,
        Plan,
        check=lambda plan: [f"title {plan.title} won't do"] if plan.title in problems else [],
        reask=lambda found: "again: " + "; ".join(found),
    )


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is the plan:\n\n{GOOD}\n\nI hope it helps.",
        f"<think>A plan {{...}}?</think>\n{GOOD}",
        "｛“title”：“雨”，“cast”：［“Mara”］｝",
        '{"title"："雨"，"cast"：["Mara"]}',
        "{'title': '雨', 'cast': ['Mara',],}",
        '{"title": "雨", "cast": ["Mara"],}',
    ],
)
def test_what_is_around_or_inside_the_json_is_seen_through(text: str) -> None:
    answer = asked(ScriptedModel([Step("plan", text)]))
    assert answer.value.title == "雨"
    assert answer.value.cast == ["Mara"]
    assert answer.raws == [text]
    assert answer.usage.calls == 1


def test_full_width_punctuation_inside_strings_stays() -> None:
    text = '{"title"："他说：“走，”就走了。"}'
    assert read_object(text) == {"title": "他说：“走，”就走了。"}


def test_a_line_end_inside_a_string_is_read() -> None:
    assert read_object('{"title": "a\nb"}') == {"title": "a\nb"}


def test_a_quote_inside_chinese_text_is_repaired() -> None:
    found = read_object('{"title": "他说"走"就走了", "ending": "完"}')
    assert found is not None
    assert found["ending"] == "完"


@pytest.mark.parametrize("text", ["", "No.", "[1, 2]", "{", "null", '"text"'])
def test_text_without_an_object_is_none_or_empty(text: str) -> None:
    assert not read_object(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_valid_json_is_read_as_it_is(data: dict[str, object]) -> None:
    plain = json.dumps(data, ensure_ascii=False)
    assert read_object(plain) == data
    assert json.loads(narrow_punctuation(json.dumps(data))) == data


def test_what_is_dropped_on_reading_is_told() -> None:
    text = '{"title": "雨", "hooks": [{"id": "H1", "do": "juggle"}]}'
    answer = asked(ScriptedModel([Step("plan", text)]))
    assert answer.value.hooks[0].do == "advance"
    assert answer.warnings == ["HookStep.do: dropped 'juggle'"]


def test_a_request_that_the_endpoint_refuses_is_not_asked_again(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model = model_playing(fails(422, "data may contain inappropriate content"))
    with pytest.raises(ModelError) as caught:
        asked(model)
    assert (caught.value.code, caught.value.exit_code) == ("llm.refused", 5)
    assert len(server.requests) == 1


def test_a_second_call_carries_the_reply_and_what_was_wrong() -> None:
    model = ScriptedModel([Step("plan", '{"title": "bad"}'), Step("plan", GOOD)])
    answer = asked(model, "bad")
    model.done()
    first, again = model.requests
    assert again.messages[: len(first.messages)] == first.messages
    assert again.messages[1:] == (
        Message("assistant", '{"title": "bad"}'),
        Message("user", "again: title bad won't do"),
    )
    assert answer.usage.calls == 2
    assert len(answer.raws) == 2


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (Step("plan", GOOD, "length"), "cut off"),
        (Step("plan", "I would rather not."), "no JSON object"),
        (Step("plan", '{"chapter": {}}'), "none of the keys title"),
    ],
)
def test_what_was_wrong_is_named(first: Step, told: str) -> None:
    model = ScriptedModel([first, Step("plan", GOOD)])
    asked(model)
    assert told in model.requests[1].messages[-1].content


@pytest.mark.parametrize(
    ("last", "code", "told"),
    [
        (Step("plan", '{"title": "bad"}'), "llm.reply", "title bad won't do"),
        (Step("plan", "No."), "llm.reply", "no JSON object"),
        (Step("plan", GOOD, "length"), "llm.truncated", "cut off"),
    ],
)
def test_a_second_bad_reply_is_an_error_that_says_why(last: Step, code: str, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        asked(ScriptedModel([Step("plan", "No."), last]), "bad")
    assert caught.value.code == code
    assert told in caught.value.message
    assert "plan" in caught.value.message


class Strict(Lenient):
    """A reply class to see how validation errors are told."""

    kind: Literal["a", "b"]


def test_a_missing_required_field_is_a_problem_that_is_told() -> None:
    model = ScriptedModel([Step("plan", '{"kind": "z"}'), Step("plan", '{"kind": "b"}')])
    answer = ask(model, ASK, Strict, check=lambda _: [], reask="; ".join)
    assert answer.value.kind == "b"
    assert "kind" in model.requests[1].messages[-1].content


def test_an_empty_reply_is_asked_for_once_more(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    assert asked(model_playing(says("  "), says(GOOD))).value.title == "雨"
    assert server.requests[0]["messages"] == server.requests[1]["messages"]
    with pytest.raises(ModelError, match="empty text"):
        asked(model_playing(says("  ")))


@pytest.mark.parametrize("wanted", REPLIES)
@pytest.mark.parametrize("small", [False, True])
def test_schemas_are_strict(wanted: type[Lenient], small: bool) -> None:
    schema = wire_schema(wanted, small)
    Draft202012Validator.check_schema(schema)
    for node in objects(schema):
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False
    text = json.dumps(schema)
    assert not [word for word in ('"$ref"', '"default"', '"description"') if word in text]


def objects(node: Any) -> list[dict[str, Any]]:
    """All object schemas in a schema."""
    if isinstance(node, list):
        return [found for item in node for found in objects(item)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "object" else []
    return own + [found for item in node.values() for found in objects(item)]


def longest(node: dict[str, object]) -> int:
    """Characters of the longest compact reply that a small schema allows."""
    match node:
        case {"properties": dict(fields)}:
            return 2 + sum(len(name) + 6 + longest(child) for name, child in fields.items())
        case {"items": dict(item), "maxItems": int(most)}:
            return 2 + most * (2 + longest(item))
        case {"enum": list(words)}:
            return 2 + max(map(len, words))
        case {"maxLength": int(most)}:
            return 2 + most
    return 4


@pytest.mark.parametrize("wanted", REPLIES)
def test_replies_to_small_schemas_are_bounded(wanted: type[Lenient]) -> None:
    counts = {"chapters": 2} if wanted is OutlineBatch else {}
    assert longest(wire_schema(wanted, True, counts)) < 4_000


def test_strings_of_small_schemas_are_shorter_the_deeper_they_are() -> None:
    fields = wire_schema(Plan, True)["properties"]
    scene = fields["scenes"]["items"]["properties"]
    top, inner = fields["purpose"]["maxLength"], scene["want"]["maxLength"]
    assert top > inner >= scene["who"]["items"]["maxLength"] >= SHORTEST


def test_the_number_of_items_can_be_fixed() -> None:
    chapters = wire_schema(OutlineBatch, True, {"chapters": 2})["properties"]["chapters"]
    assert (chapters["minItems"], chapters["maxItems"]) == (2, 2)
    inner = chapters["items"]["properties"]["clues"]
    assert (inner["minItems"], inner["maxItems"]) == (1, 2)
