"""Which chapters a chapter is compared with, found by the prints of all before it."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.prose.earlier import RECENT, Neighbours, neighbours, walk
from zencli.prose.prints import Prints, print_of, prints
from zencli.prose.repeat import long_sentences
from zencli.story.book import Language

Prose = Callable[..., str]

few = st.lists(st.integers(1, 12), unique=True).map(sorted)
rows_of = st.lists(
    st.builds(Prints, few, few, st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=16
).map(lambda rows: {3 * n + 1: row for n, row in enumerate(rows)})


@settings(max_examples=200)
@given(rows_of)
def test_walking_through_a_book_finds_what_looking_at_each_chapter_finds(
    rows: dict[int, Prints],
) -> None:
    alone = {n: neighbours(rows, n, row) for n, row in rows.items()}
    assert dict(walk(rows, rows)) == alone
    some = list(rows)[::2]
    assert dict(walk(rows, some)) == {n: alone[n] for n in some}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_old_chapter_with_a_passage_in_common_is_found(prose: Prose, language: Language) -> None:
    texts = {n: prose(language, seed=n) for n in range(1, 12)}
    copied = "\n\n".join(texts[2].split("\n\n")[3:9])
    mine = prints(f"{prose(language, seed=40)}\n\n{copied}", language)
    rows = {n: prints(text, language) for n, text in texts.items()}
    near = neighbours(rows, 12, mine)
    assert near.older == (2,)
    assert set(near.seen.values()) == {1}
    assert neighbours(rows, 2, mine) == Neighbours()


def test_recent_chapters_are_no_older_ones(prose: Prose) -> None:
    text = prose("zh")
    rows = {n: prints(text, "zh") for n in range(1, 9)}
    near = neighbours(rows, 9, prints(text, "zh"))
    assert near.older == (9 - RECENT - 1,)
    assert set(near.seen.values()) == {8}


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("zh", "天刚亮的时候，城门还没有开。"),
        ("en", "The gate was still shut when day broke over town."),
    ],
)
def test_an_old_chapter_that_opens_or_ends_alike_is_found(
    prose: Prose, language: Language, line: str
) -> None:
    rows = {n: prints(prose(language, seed=n), language) for n in range(1, 12)}
    rows[3] = prints(f"{line}\n\n{prose(language, seed=3)}", language)
    rows[4] = prints(f"{prose(language, seed=4)}\n\n{line}", language)
    opens = prints(f"{line}\n\n{prose(language, seed=30)}", language)
    ends = prints(f"{prose(language, seed=30)}\n\n{line}", language)
    assert neighbours(rows, 12, opens).older == (3,)
    assert neighbours(rows, 12, ends).older == (4,)


def test_prints_hold_every_long_sentence_and_about_one_run_in_eight(prose: Prose) -> None:
    text = prose("en", 300)
    made = prints(text, "en")
    assert set(made.sentences) == {print_of(key) for key in long_sentences(text, "en")}
    assert len(text.split()) / 16 < len(made.grams) < len(text.split()) / 4
    assert list(made.grams) == sorted(set(made.grams))
    assert prints("", "zh") == Prints()
