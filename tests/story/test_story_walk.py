"""Walking through the story shows, before each chapter, what folding up to it gives."""

from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.story.corrections import AuthorCorrection
from zencli.story.delta import CharacterChange, Delta, HookEvent, ItemEvent, RelationChange
from zencli.story.fold import Told, Walk, before_chapter, fold, opening_state
from zencli.story.foundation import FirstHook, Foundation, StartingCharacter

NAMES = {"阿晚": "林晚", "林晚": "林晚"}
START = Foundation(
    characters=[StartingCharacter(name="林晚", aliases=["阿晚"])],
    hooks=[FirstHook(id="H1", promise="谁？", due=3)],
)
who = st.sampled_from(["林晚", "阿晚", "秦山"])
few = st.sampled_from(["", "已死", "在桥头"])
deltas = st.builds(
    Delta,
    characters=st.lists(st.builds(CharacterChange, name=who, status=few, place=few), max_size=2),
    items=st.lists(st.builds(ItemEvent, owner=who, item=st.just("灯"), quantity=few), max_size=2),
    relations=st.lists(st.builds(RelationChange, a=who, b=who, now=few), max_size=1),
    hooks=st.lists(
        st.builds(HookEvent, id=st.sampled_from(["H1", "new"]), promise=st.just("？")), max_size=2
    ),
)
corrections = st.lists(
    st.builds(
        lambda at, value: AuthorCorrection.model_validate(
            {"from": at, "kind": "character", "key": "林晚", "field": "status", "value": value}
        ),
        st.integers(0, 9),
        few,
    ),
    max_size=3,
)


@settings(max_examples=60)
@given(st.lists(st.none() | deltas, max_size=6), corrections, st.integers(1, 3))
def test_a_walk_shows_what_folding_gives(
    told: list[Delta | None], corrected: list[AuthorCorrection], step: int
) -> None:
    chapters: list[Told] = [(n, f"{n}", delta) for n, delta in enumerate(told, 1)]
    walk = Walk(opening_state(START), chapters, NAMES, corrected)
    for number in range(1, len(told) + 3, step):
        seen = walk.before(number)
        folded = fold(START, [c for c in chapters if c[0] < number], corrected)
        wanted = before_chapter(folded, number, NAMES, corrected)
        assert seen.characters.keys() == wanted.characters.keys()
        for name, person in wanted.characters.items():
            assert seen.characters[name].status == person.status
            assert seen.characters[name].place == person.place
        assert seen.items == wanted.items
        assert seen.relations == wanted.relations
        assert {h: (k.status, k.due) for h, k in seen.hooks.items()} == {
            h: (k.status, k.due) for h, k in wanted.hooks.items()
        }


@settings(max_examples=40)
@given(st.lists(st.none() | deltas, max_size=6), corrections)
def test_a_walk_shows_the_hooks_as_each_chapter_ends(
    told: list[Delta | None], corrected: list[AuthorCorrection]
) -> None:
    chapters: list[Told] = [(n, f"{n}", delta) for n, delta in enumerate(told, 1)]
    walk = Walk(opening_state(START), chapters, NAMES, corrected)
    for number in range(1, len(told) + 1):
        seen = walk.after(number)
        folded = fold(START, [c for c in chapters if c[0] <= number], corrected)
        assert {h: (k.status, k.planted, k.due) for h, k in seen.hooks.items()} == {
            h: (k.status, k.planted, k.due) for h, k in folded.hooks.items()
        }
        assert {n: p.status for n, p in seen.characters.items()} == {
            n: p.status for n, p in folded.characters.items()
        }
