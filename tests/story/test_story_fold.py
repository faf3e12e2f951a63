"""The state is a fold of the chapters' changes."""

import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from zencli.story.delta import (
    CharacterChange,
    Delta,
    Fact,
    HookEvent,
    ItemEvent,
    RelationChange,
    proven,
)
from zencli.story.fold import apply, canonical_names, fold, fold_on, opening_state
from zencli.story.foundation import FirstHook, Foundation, StartingCharacter
from zencli.story.state import Hook, State

FOUNDATION = Foundation(
    characters=[
        StartingCharacter(name="祝满", aliases=["阿满"], start="在桥上"),
        StartingCharacter(name="葛顺"),
    ],
    hooks=[FirstHook(id="H1", promise="谁挖的塘？", kind="秘密", due=3)],
)
NAMES = canonical_names(FOUNDATION)

words = st.sampled_from(["", "甲", "乙", "水", "a b"])
people = st.sampled_from(["", "祝满", "阿满", "葛顺", "生人"])
hook_ids = st.sampled_from(["", "H1", "H2", "H7", "new", "²", "H²", "H" + "9" * 30])
deltas = st.builds(
    Delta,
    summary=words,
    reader_knows=words,
    ending_kind=words,
    time=words,
    characters=st.lists(
        st.builds(
            CharacterChange,
            name=people,
            status=words,
            place=words,
            condition=words,
            goal=words,
            learned=st.lists(words, max_size=2),
        ),
        max_size=2,
    ),
    items=st.lists(
        st.builds(
            ItemEvent,
            owner=people,
            item=words,
            change=st.sampled_from(["gains", "loses", "uses up", "breaks", "puts down"]),
            quantity=words,
            where=words,
        ),
        max_size=2,
    ),
    relations=st.lists(st.builds(RelationChange, a=people, b=people, now=words), max_size=2),
    facts=st.lists(st.builds(Fact, about=words, says=words), max_size=2),
    hooks=st.lists(
        st.builds(
            HookEvent,
            id=hook_ids,
            do=st.sampled_from(["plant", "advance", "pay", "defer", "drop"]),
            promise=words,
            kind=words,
            due=st.integers(0, 9),
            clue=words,
        ),
        max_size=3,
    ),
)
chapters = st.lists(deltas, max_size=5).map(
    lambda found: [(n, f"章{n}", d) for n, d in enumerate(found, 1)]
)


@given(chapters, st.integers(0, 5))
def test_all_at_once_is_the_same_as_step_by_step(
    told: list[tuple[int, str, Delta]], cut: int
) -> None:
    state = fold(FOUNDATION, told[:cut])
    for number, title, delta in told[cut:]:
        state = apply(state, number, title, delta, NAMES)
    assert state == fold(FOUNDATION, told)


@given(chapters, deltas)
def test_a_later_chapter_changes_no_earlier_state(
    told: list[tuple[int, str, Delta]], later: Delta
) -> None:
    before = fold(FOUNDATION, told)
    copy = before.model_copy(deep=True)
    apply(before, len(told) + 1, "后", later, NAMES)
    assert before == copy


@given(chapters)
def test_silence_erases_nothing(told: list[tuple[int, str, Delta]]) -> None:
    state = fold(FOUNDATION, told)
    silent = apply(state, len(told) + 1, "静", Delta(), NAMES)
    assert silent.model_copy(update={"number": state.number}) == state
    assert fold(FOUNDATION, [*told, (len(told) + 1, "静", None)]) == silent


@given(chapters, deltas)
@settings(max_examples=60)
def test_what_is_known_never_becomes_empty_or_less(
    told: list[tuple[int, str, Delta]], delta: Delta
) -> None:
    before = fold(FOUNDATION, told)
    after = apply(before, len(told) + 1, "后", delta, NAMES)
    assert set(before.facts) <= set(after.facts)
    assert set(before.summaries) <= set(after.summaries)
    for name in ("characters", "items", "relations", "hooks"):
        old, new = getattr(before, name), getattr(after, name)
        for key, value in old.items():
            _holds(value, new[key])
    assert not (before.time and not after.time)
    assert not (before.reader_knows and not after.reader_knows)


def _holds(before: BaseModel, after: BaseModel) -> None:
    """No field went from something to nothing, and no list lost an entry."""
    for field in type(before).model_fields:
        old, new = getattr(before, field), getattr(after, field)
        if isinstance(old, tuple):
            assert set(old) <= set(new), field
        elif field != "quote":
            assert new or not old, field


BASES: dict[str, dict[str, Any]] = {
    "characters": {"name": "祝满"},
    "items": {"item": "绳", "owner": "祝满"},
    "relations": {"a": "祝满", "b": "葛顺", "now": "好"},
    "facts": {"about": "水则", "says": "四"},
    "hooks": {"id": "H9", "promise": "绳子做什么用？"},
}
OTHERS: dict[str, Any] = {
    "name": "葛顺",
    "learned": ["新事"],
    "change": "loses",
    "do": "pay",
    "due": 4,
    "owner": "葛顺",
    "item": "灯",
    "a": "生人",
    "b": "生人",
    "id": "H8",
}
FIELDS = [
    (operation, field)
    for operation in BASES
    for field in Delta.model_fields[operation].annotation.__args__[0].model_fields  # type: ignore[union-attr]
    if field != "quote"  # evidence: it keeps the operation, see `proven`
]


@pytest.mark.parametrize(("operation", "field"), FIELDS)
def test_every_field_of_an_operation_has_an_effect(operation: str, field: str) -> None:
    base = BASES[operation]
    changed = {**base, field: OTHERS.get(field, "别的")}
    before = fold(FOUNDATION, [(1, "", Delta.model_validate({operation: [base]}))])
    after = fold(FOUNDATION, [(1, "", Delta.model_validate({operation: [changed]}))])
    assert before != after


@pytest.mark.parametrize("field", sorted(set(Delta.model_fields) - set(BASES)))
def test_every_field_of_a_delta_has_an_effect(field: str) -> None:
    base = {"summary": "甲"}
    before = fold(FOUNDATION, [(1, "", Delta.model_validate(base))])
    after = fold(FOUNDATION, [(1, "", Delta.model_validate({**base, field: "乙"}))])
    assert before != after


def test_an_operation_without_its_sentence_is_dropped_and_told() -> None:
    facts = [Fact(says="甲", quote="在"), Fact(says="乙", quote="不在"), Fact(says="丙")]
    delta = Delta(facts=facts, items=[ItemEvent(item="灯", quote="在")])
    kept, dropped = proven(delta, lambda quote: "在！" if quote == "在" else None)
    assert [f.says for f in kept.facts] == ["甲"]
    assert [kept.facts[0].quote, kept.items[0].quote] == ["在！", "在！"]
    assert len(dropped) == 2


def test_an_alias_is_the_person_on_the_card() -> None:
    delta = Delta(
        characters=[CharacterChange(name="阿满", place="闸上")],
        items=[
            ItemEvent(owner="阿满", item="绳"),
            ItemEvent(owner="祝满", item="绳", quantity="二"),
        ],
        relations=[RelationChange(a="葛顺", b="阿满", now="好")],
    )
    state = fold(FOUNDATION, [(1, "", delta)])
    assert set(state.characters) == {"祝满", "葛顺"}
    assert state.characters["祝满"].start == "在桥上"
    assert [(i.owner, i.quantity) for i in state.items.values()] == [("祝满", "二")]
    assert {(r.a, r.b) for r in state.relations.values()} == {tuple(sorted(("祝满", "葛顺")))}


def test_a_name_is_never_taken_for_anothers_alias() -> None:
    people = [
        StartingCharacter(name="甲", aliases=["乙"]),
        StartingCharacter(name="乙", aliases=["丙"]),
        StartingCharacter(name="丁", aliases=["丙"]),
    ]
    assert canonical_names(Foundation(characters=people)) == {
        "甲": "甲", "乙": "乙", "丙": "乙", "丁": "丁",
    }  # fmt: skip


def hooks_after(*events: HookEvent) -> dict[str, Hook]:
    told = [(n, "", Delta(hooks=[event])) for n, event in enumerate(events, 2)]
    return fold(FOUNDATION, told).hooks


def test_a_hook_goes_from_planned_to_paid() -> None:
    plant = HookEvent(id="H1", do="plant", quote="水从哪里来？", clue="湿脚")
    defer = HookEvent(id="H1", do="defer", due=7, clue="湿脚")
    pay = HookEvent(id="H1", do="pay", clue="石头", quote="是石头。")
    assert opening_state(FOUNDATION).hooks["H1"].status == "planned"
    steps = (plant, defer, pay)
    states = [hooks_after(*steps[:count])["H1"] for count in (1, 2, 3)]
    assert [h.status for h in states] == ["open", "deferred", "paid"]
    assert [h.unpaid for h in states] == [True, True, False]
    last = states[-1]
    assert (last.planted, last.last, last.due, last.quote) == (2, 4, 7, "水从哪里来？")
    assert last.clues == ("湿脚", "石头")


def test_a_new_hook_gets_the_next_id_whatever_the_model_calls_it() -> None:
    for name in ("new", "", "²", "H²", "H" + "9" * 5000, "新"):
        hooks = hooks_after(HookEvent(id=name, do="plant", promise="绳子做什么用？"))
        assert list(hooks) == ["H1", "H2"], name


def test_a_step_of_a_hook_that_was_never_promised_changes_nothing() -> None:
    assert hooks_after(HookEvent(id="H6", do="advance")) == opening_state(FOUNDATION).hooks


@given(st.lists(st.text(max_size=5) | st.integers(1, 99).map(lambda n: f"H{n}"), max_size=6))
def test_a_new_hook_takes_no_id_that_is_in_use(used: list[str]) -> None:
    opening = Foundation(hooks=[FirstHook(id=name, promise="旧") for name in used])
    plant = HookEvent(id="new", do="plant", promise="新")
    before = opening_state(opening).hooks
    after = fold(opening, [(1, "", Delta(hooks=[plant, plant]))]).hooks
    assert len(after) == len(before) + (1 if "new" in before else 2)
    assert all(after[name].promise == "旧" for name in before)


@given(chapters, st.lists(st.integers(0, 5), max_size=3))
def test_the_chapters_may_be_told_in_any_number_of_parts(
    told: list[tuple[int, str, Delta]], cuts: list[int]
) -> None:
    state = opening_state(FOUNDATION)
    bounds = [0, *sorted(cuts), len(told)]
    for first, last in pairwise(bounds):
        state = fold_on(state, told[first:last], NAMES)
    assert state == fold(FOUNDATION, told)


def test_the_work_grows_with_the_changes_not_with_their_square() -> None:
    def seconds(count: int) -> float:
        told = [
            (
                n,
                "",
                Delta(
                    summary=f"{n}",
                    characters=[CharacterChange(name="祝满", learned=[f"{n}"])],
                    items=[ItemEvent(item=f"{n}")],
                    relations=[RelationChange(a=f"{n}", b="祝满", now="好")],
                    facts=[Fact(about="水", says=f"{n}")],
                    hooks=[
                        HookEvent(id="H1", do="advance", clue=f"{n}"),
                        HookEvent(id="new", do="plant", promise=f"{n}"),
                    ],
                ),
            )
            for n in range(1, count + 1)
        ]
        started = time.process_time()
        state = fold(FOUNDATION, told)
        assert len(state.facts) == len(state.characters["祝满"].knows) == count
        return time.process_time() - started

    few = min(seconds(500) for _ in range(3))
    assert seconds(5000) < 40 * few, "ten times the chapters, and a square would be a hundred"


def test_the_opening_state_is_what_the_foundation_says() -> None:
    state = opening_state(FOUNDATION)
    assert state.characters["祝满"].start == "在桥上"
    assert (state.hooks["H1"].promise, state.hooks["H1"].due) == ("谁挖的塘？", 3)
    assert fold(Foundation(), []) == State()
