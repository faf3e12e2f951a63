"""What a model returned is read as well as it can be, and never stored in a wrong type."""

import types
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from zencli.pipeline.audit import AuditReply
from zencli.pipeline.revision import SpotFix
from zencli.story.delta import Delta, HookEvent, ItemEvent
from zencli.story.foundation import (
    Cast,
    Concept,
    FirstHook,
    OutlineBatch,
    Reconciliation,
    Structure,
)
from zencli.story.lenient import Lenient
from zencli.story.plan import Plan, Scene

REPLIES: list[type[Lenient]] = [
    Concept,
    Cast,
    Structure,
    OutlineBatch,
    Reconciliation,
    Plan,
    Delta,
    AuditReply,
    SpotFix,
]


def _names(model: type[BaseModel]) -> set[str]:
    """The field names of a reply and of everything inside it."""
    found = set(model.model_fields)
    for field in model.model_fields.values():
        for part in get_args(field.annotation):
            if isinstance(part, type) and issubclass(part, BaseModel):
                found |= _names(part)
    return found


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**40)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["第 3 章", "critical", "PAY", "\ud83d", "\x00", "null", "-7", "１２"])
)


def json_for(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(sorted(_names(model))) | st.text(max_size=4)
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
        max_leaves=12,
    )


def well_typed(value: Any, wanted: Any) -> bool:
    """Whether a stored value has exactly the declared type, all the way down."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return any(well_typed(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is list:
        return type(value) is list and all(well_typed(item, parts[0]) for item in value)
    if isinstance(wanted, type) and issubclass(wanted, BaseModel):
        return type(value) is wanted and all(
            well_typed(getattr(value, name), field.annotation)
            for name, field in wanted.model_fields.items()
        )
    return type(value) is wanted


@pytest.mark.parametrize("model", REPLIES, ids=lambda m: m.__name__)
@given(data=st.data())
@settings(max_examples=50)
def test_any_json_is_read_or_refused_and_never_stored_wrongly(
    model: type[Lenient], data: st.DataObject
) -> None:
    raw = data.draw(json_for(model))
    warnings: list[str] = []
    try:
        value = model.model_validate(raw, context={"warnings": warnings})
    except ValidationError:
        return
    assert well_typed(value, model)
    assert model.model_validate_json(value.model_dump_json()) == value
    value.model_dump_json().encode("utf-8")
    assert all(isinstance(warning, str) and len(warning) < 200 for warning in warnings)


@pytest.mark.parametrize("model", REPLIES, ids=lambda m: m.__name__)
@given(data=st.data())
@settings(max_examples=25)
def test_reading_twice_is_the_same_as_reading_once(
    model: type[Lenient], data: st.DataObject
) -> None:
    try:
        once = model.model_validate(data.draw(json_for(model)))
    except ValidationError:
        return
    assert model.model_validate(once.model_dump()) == once


@pytest.mark.parametrize(
    ("given_value", "number"),
    [
        ("第 12 章", 12),
        ("chapter 7", 7),
        (3.9, 3),
        ("-2", -2),
        (True, 0),
        (float("nan"), 0),
        (float("inf"), 0),
        (10**12, 0),
        ("1" * 40, 0),
        (None, 0),
        ([4], 4),
        ("无", 0),
    ],
)
def test_numbers(given_value: object, number: int) -> None:
    assert FirstHook.model_validate({"due": given_value}).due == number


@pytest.mark.parametrize(
    ("given_value", "text"),
    [
        ("  甲 ", "甲"),
        (7, "7"),
        (True, ""),
        (None, ""),
        (["甲", "乙", None, {"x": 1}], "甲; 乙"),
        ({"a": "甲", "b": ["丙"]}, "甲"),
        ("半\ud83d", "半"),
    ],
)
def test_texts(given_value: object, text: str) -> None:
    assert FirstHook.model_validate({"promise": given_value}).promise == text


@pytest.mark.parametrize(
    ("given_value", "items"),
    [
        ("甲", ["甲"]),
        (["甲", "", None, 3], ["甲", "3"]),
        ({"x": "甲"}, ["甲"]),
        (None, []),
        (False, []),
    ],
)
def test_lists(given_value: object, items: list[str]) -> None:
    assert Scene.model_validate({"who": given_value}).who == items


@pytest.mark.parametrize(
    ("word", "change"),
    [("失去", "loses"), (" 用掉 ", "uses up"), ("LOSES", "loses"), ("breaks", "breaks")],
)
def test_words_of_both_languages_count(word: str, change: str) -> None:
    assert ItemEvent.model_validate({"change": word}).change == change


def test_an_unknown_word_falls_back_and_is_told() -> None:
    warnings: list[str] = []
    event = HookEvent.model_validate({"do": "explode"}, context={"warnings": warnings})
    assert event.do == "advance"
    assert warnings == ["HookEvent.do: dropped 'explode'"]


def test_what_is_dropped_inside_a_list_is_told_once() -> None:
    warnings: list[str] = []
    plan = Plan.model_validate({"scenes": [{"where": "桥"}, 7]}, context={"warnings": warnings})
    assert [scene.where for scene in plan.scenes] == ["桥"]
    assert warnings == ["Plan.scenes: dropped 7"]


@pytest.mark.parametrize("raw", [None, 7, "text", [], [{"title": "甲"}], True])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(ValidationError):
        Plan.model_validate(raw)


def test_everyone_on_stage_is_named_once_without_notes() -> None:
    plan = Plan(
        cast=["祝满（报水的）", ""],
        scenes=[Scene(who=["祝满、葛顺", "栗子 (seven, barefoot)"]), Scene(who=["葛顺"])],
    )
    assert plan.names() == ["祝满", "葛顺", "栗子"]
