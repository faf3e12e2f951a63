"""The ``sub_agent`` tool: what its schema allows is what its arguments are read as."""

from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.agent.sub_agent import parse_arguments, sub_agent_schema
from zencli.errors import UsageError
from zencli.pipeline.params import (
    VERBS,
    AgentName,
    Audit,
    Export,
    Revise,
    WriteNext,
    meta_of,
    wire_name,
)

SCHEMA = sub_agent_schema()


def test_the_schema_is_a_valid_one_and_flat() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["required"] == ["agent", "instruction"]
    assert SCHEMA["additionalProperties"] is False
    assert "$ref" not in repr(SCHEMA)
    assert SCHEMA["properties"]["agent"]["anyOf"] == [{"const": a} for a in get_args(AgentName)]


def test_the_names_are_those_of_the_contract() -> None:
    assert set(SCHEMA["properties"]) == {
        "agent",
        "instruction",
        "bookId",
        "title",
        "genre",
        "platform",
        "language",
        "targetChapters",
        "chapterWordCount",
        "chapterCount",
        "chapterNumber",
        "mode",
        "format",
        "approvedOnly",
    }


@pytest.mark.parametrize("agent", VERBS)
def test_every_agent_runs_its_verb_with_the_defaults(agent: AgentName) -> None:
    got, params, instruction = parse_arguments({"agent": agent, "instruction": "开始"})
    assert (got, instruction) == (agent, "开始")
    wanted = VERBS[agent]
    takes = "instruction" in wanted.model_fields
    assert params == (wanted.model_validate({"instruction": "开始"}) if takes else wanted())


def test_arguments_become_parameters() -> None:
    said = {"instruction": "写", "bookId": "b", "chapterCount": 3, "chapterWordCount": 2000}
    assert parse_arguments({"agent": "writer", **said})[1] == WriteNext(
        instruction="写", book_id="b", chapter_count=3, chapter_word_count=2000
    )
    said = {"instruction": "改", "chapterNumber": 0, "mode": "polish"}
    assert parse_arguments({"agent": "reviser", **said})[1] == Revise(
        instruction="改", chapter_number=0, mode="polish"
    )
    said = {"instruction": "出", "format": "epub", "approvedOnly": True}
    assert parse_arguments({"agent": "exporter", **said})[1] == Export(
        format="epub", approved_only=True
    )


def test_null_is_the_same_as_absent() -> None:
    said = {"agent": "auditor", "instruction": "看", "chapterNumber": None, "bookId": None}
    assert parse_arguments(said)[1] == Audit(instruction="看")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "agent"),
        ({"agent": "poet", "instruction": "x"}, "poet"),
        ({"agent": [], "instruction": "x"}, "agent"),
        ({"agent": {"const": "writer"}, "instruction": "x"}, "agent"),
        ({"agent": None, "instruction": "x"}, "agent"),
        ({"agent": "writer"}, "instruction"),
        ({"agent": "writer", "instruction": " \n"}, "instruction"),
        ({"agent": "writer", "instruction": ["x"]}, "instruction"),
        ({"agent": "writer", "instruction": "x", "mode": "polish"}, "mode"),
        ({"agent": "writer", "instruction": "x", "chapter_count": 2}, "chapter_count"),
        ({"agent": "writer", "instruction": "x", "until": 2}, "until"),
        ({"agent": "writer", "instruction": "x", "chapterCount": 0}, "chapterCount"),
        ({"agent": "writer", "instruction": "x", "chapterCount": "many"}, "chapterCount"),
        ({"agent": "writer", "instruction": "x", "chapterWordCount": 99}, "chapterWordCount"),
        ({"agent": "reviser", "instruction": "x", "mode": "spotfix"}, "mode"),
        ({"agent": "architect", "instruction": "x", "language": "fr"}, "language"),
        ({"agent": "architect", "instruction": "x", "genre": ""}, "genre"),
        ({"agent": "exporter", "instruction": "x", "format": "pdf"}, "format"),
        ({"agent": "auditor", "instruction": "x", "bookId": 7}, "bookId"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments(arguments)
    assert named in caught.value.message
    assert caught.value.code.startswith("usage.")


def test_what_an_agent_can_use_is_said_when_it_is_given_something_else() -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments({"agent": "exporter", "instruction": "x", "mode": "polish"})
    assert "approvedOnly" in caught.value.hint


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
values = (
    scalars
    | st.sampled_from(["writer", "polish", "epub", "zh", "other", "general", 1, 200, 3000])
    | st.lists(scalars, max_size=2)
    | st.dictionaries(st.text(max_size=3), scalars, max_size=2)
)


@given(
    st.dictionaries(st.sampled_from(sorted(SCHEMA["properties"])) | st.text(max_size=6), values),
    st.sampled_from(list(VERBS)) | values,
)
@settings(max_examples=150)
def test_any_arguments_are_read_or_refused_in_words(said: dict[str, Any], agent: object) -> None:
    try:
        name, params, instruction = parse_arguments({**said, "agent": agent})
    except UsageError as error:
        error.message.encode("utf-8", "surrogatepass")
        return
    assert isinstance(params, VERBS[name])
    assert instruction.strip()


@given(st.data())
@settings(max_examples=80)
def test_what_the_schema_allows_for_an_agent_is_accepted(data: st.DataObject) -> None:
    agent = data.draw(st.sampled_from(list(VERBS)))
    fields = VERBS[agent].model_fields
    said: dict[str, Any] = {"agent": agent, "instruction": "写"}
    for name, field in fields.items():
        if agent in meta_of(field).agents and name != "instruction" and data.draw(st.booleans()):
            schema = SCHEMA["properties"][wire_name(name)]
            said[wire_name(name)] = data.draw(_from(schema))
    jsonschema.validate(said, SCHEMA)
    _, params, _ = parse_arguments(said)
    for name in fields:
        if wire_name(name) in said:
            assert getattr(params, name) == said[wire_name(name)]


def _from(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.sampled_from([option["const"] for option in schema["anyOf"]])
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema["maximum"])
    if schema["type"] == "boolean":
        return st.booleans()
    letters = st.characters(categories=["L", "N"])
    return st.text(letters, min_size=schema.get("minLength", 0), max_size=8)
