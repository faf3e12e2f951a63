"""Ids of hooks: given once, kept when a chapter is settled anew."""

from hypothesis import given
from hypothesis import strategies as st

from zencli.story.delta import Delta, HookEvent
from zencli.story.fold import fold
from zencli.story.foundation import FirstHook, Foundation
from zencli.story.hook_ids import with_ids

FIRST = Foundation(
    hooks=[FirstHook(id="H1", promise="谁点的灯？"), FirstHook(id="H4", promise="?")]
)


def planted(*promises: str) -> Delta:
    steps = [HookEvent(id="new", do="plant", promise=p, quote=f"{p}。") for p in promises]
    return Delta(hooks=steps)


def ids(delta: Delta) -> list[str]:
    return [step.id for step in delta.hooks]


@given(st.lists(st.sampled_from("甲乙丙丁"), max_size=6, unique=True))
def test_a_fresh_chapter_gets_the_ids_that_the_fold_would_give(promises: list[str]) -> None:
    delta = planted(*promises)
    given_ids = with_ids(delta, {"H1", "H4"})
    plain = fold(FIRST, [(1, "", delta)]).hooks
    assert {h: hook.promise for h, hook in fold(FIRST, [(1, "", given_ids)]).hooks.items()} == {
        h: hook.promise for h, hook in plain.items()
    }
    assert ids(given_ids) == [f"H{5 + i}" for i in range(len(promises))]


def test_a_hook_planted_again_keeps_its_id_by_promise_or_by_sentence() -> None:
    before = with_ids(planted("甲", "乙"), {"H1", "H4"})
    again = Delta(
        hooks=[
            HookEvent(id="new", do="plant", promise="丙"),
            HookEvent(id="new", do="plant", promise="换了说法", quote="他想，乙。"),
            HookEvent(id="new", do="plant", promise="甲"),
        ]
    )
    assert ids(with_ids(again, {"H1", "H4", "H5", "H6", "H9"}, before)) == ["H10", "H6", "H5"]


def test_a_hook_that_has_an_id_or_no_promise_stays_as_it_is() -> None:
    delta = Delta(hooks=[HookEvent(id="H4", promise="?"), HookEvent(id="new", do="advance")])
    assert with_ids(delta, {"H1"}) == delta


def test_no_two_hooks_share_an_id() -> None:
    before = with_ids(planted("甲"), set())
    again = planted("甲", "甲")
    assert ids(with_ids(again, {"H1"}, before)) == ["H1", "H2"]
