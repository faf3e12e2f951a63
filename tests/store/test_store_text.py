"""Chapter files, names made from titles, book.toml: the round trips."""

import tomllib
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.errors import DamagedError
from zencli.store.chapter_text import join_chapter, split_chapter
from zencli.store.config_file import render_config, updated_config
from zencli.store.ids import book_id_from, slug, valid_book_id
from zencli.story.book import LANGUAGES, PLATFORMS, BookConfig

WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))
TITLES = TEXT.map(lambda text: " ".join(text.split()))
PROSE = st.one_of(
    TEXT, st.lists(st.sampled_from(["# a", "#", "", "　　她说", "##"])).map("\n".join)
)


@given(TITLES, PROSE.map(lambda text: text.strip("\n")))
def test_a_joined_chapter_splits_into_the_same_title_and_prose(title: str, prose: str) -> None:
    text = join_chapter(title, prose)
    assert split_chapter(text) == (title, prose)
    assert text == "" or text.endswith("\n")


@given(TITLES, PROSE)
def test_joining_what_was_split_gives_the_same_file(title: str, prose: str) -> None:
    text = join_chapter(title, prose)
    assert join_chapter(*split_chapter(text)) == text


def test_a_chapter_has_one_heading_an_empty_line_and_a_final_newline() -> None:
    assert join_chapter("第一章 灯塔", "　　夜里。\n") == "# 第一章 灯塔\n\n　　夜里。\n"


@pytest.mark.parametrize(
    ("text", "title", "prose"),
    [
        ("It was dark.\n", "", "It was dark."),
        ("\n\n# One\nAt once.\n", "One", "At once."),
        ("#hashtag\n", "", "#hashtag"),
        ("## Part\n\nText\n", "", "## Part\n\nText"),
        ("# One\r\n\r\nA\r\nB\r\n", "One", "A\nB"),
        ("", "", ""),
    ],
)
def test_hand_written_files_are_split_at_a_first_level_heading(
    text: str, title: str, prose: str
) -> None:
    assert split_chapter(text) == (title, prose)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The Lighthouse", "the-lighthouse"),
        ("Don't Look — Back!", "dont-look-back"),
        ("Café Müller", "cafe-muller"),
        ("雾中 灯塔：归来", "雾中-灯塔-归来"),
        ("ＡＢＣ１２", "abc12"),
        ("海の見える街", "海の見える街"),
        ("が", "が"),
        ("../../etc/passwd", "etc-passwd"),
        ("***", "book"),
        ("", "book"),
    ],
)
def test_an_id_keeps_the_letters_of_the_title(title: str, expected: str) -> None:
    assert book_id_from(title) == expected


def test_taken_ids_get_the_next_number() -> None:
    assert book_id_from("A", {"a"}) == "a-2"
    assert book_id_from("A", {"a", "a-2"}) == "a-3"
    assert slug("林晚", ["林晚"]) == "林晚-2"
    assert slug("!") == "character"


@settings(max_examples=200)
@given(st.text(max_size=90), st.integers(0, 3))
def test_every_title_gives_a_valid_free_id(title: str, others: int) -> None:
    taken: set[str] = set()
    for _ in range(others + 1):
        made = book_id_from(title, taken)
        assert valid_book_id(made)
        assert made not in taken
        taken.add(made)


@pytest.mark.parametrize("title", ["长" * 100, "𠀀" * 100, "long " * 40, "a" * 59 + "-b"])
def test_long_titles_are_cut_to_sixty_characters_and_180_bytes(title: str) -> None:
    first = book_id_from(title)
    second = book_id_from(title, {first})
    for made in (first, second):
        assert len(made) <= 60
        assert len(made.encode()) <= 180
        assert valid_book_id(made)
    assert second.endswith("-2")


@pytest.mark.parametrize(
    "text", ["", ".", "..", "a/b", "A", "-x", "a b", "a.b", "é", "a\n", "：", "a" * 61, "𠀀" * 46]
)
def test_other_letters_and_too_long_names_are_no_ids(text: str) -> None:
    assert not valid_book_id(text)


CONFIGS = st.builds(
    BookConfig,
    id=st.just("book"),
    title=TEXT,
    genre=TEXT,
    platform=st.sampled_from(PLATFORMS),
    language=st.sampled_from(LANGUAGES),
    target_chapters=st.integers(1, 9999),
    chapter_words=st.integers(100, 99999),
    status=st.sampled_from(["outlining", "writing", "finished"]),
    created=st.just(WHEN),
    updated=st.datetimes(timezones=st.just(UTC), min_value=datetime(2000, 1, 1)),
)


@given(CONFIGS)
def test_a_rendered_configuration_reads_back_the_same(config: BookConfig) -> None:
    text = render_config(config)
    assert BookConfig.model_validate(tomllib.loads(text)) == config


@given(CONFIGS, TEXT, st.integers(1, 9999))
def test_an_update_changes_only_its_keys(config: BookConfig, title: str, chapters: int) -> None:
    text = updated_config(render_config(config), {"title": title, "target_chapters": chapters})
    changed = BookConfig.model_validate(tomllib.loads(text))
    assert changed == config.model_copy(update={"title": title, "target_chapters": chapters})


def test_an_update_keeps_the_authors_comments_keys_and_tables() -> None:
    text = """\
# mine
title = "Old"   # working title
colour = "blue"

[models.writer]  # the good one
model = "big"
"""
    updated = updated_config(
        text, {"title": "New", "updated": datetime(2026, 1, 2, tzinfo=timezone(timedelta(0)))}
    )
    assert updated.startswith('# mine\ntitle = "New"   # working title\ncolour = "blue"\n')
    assert updated.endswith('[models.writer]  # the good one\nmodel = "big"\n')
    table = tomllib.loads(updated)
    assert table["updated"] == datetime(2026, 1, 2, tzinfo=UTC)
    assert table["models"] == {"writer": {"model": "big"}}


PLAIN = 'title = "x"\nstatus = "writing"  # mine\nupdated = 2026-01-01T00:00:00Z\n'


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace('"writing"', "'writing'"),
        PLAIN.replace("status =", '"status"='),
        PLAIN.replace("updated = 2026-01-01T00:00:00Z\n", ""),
        PLAIN + '[budget]\nstatus = "theirs"\nupdated = 2026-01-01T00:00:00Z\n',
        PLAIN + 'note = """\nstatus = "quoted"\n"""\n',
        PLAIN.replace("\n", "\r\n"),
        "# updated = 2026-01-01T00:00:00Z\n" + PLAIN,
    ],
)
def test_the_status_is_updated_however_the_author_writes_it(text: str) -> None:
    new = {"status": "finished", "updated": datetime(2026, 12, 1, 3, 4, 5, tzinfo=UTC)}
    updated = updated_config(text, new)
    assert tomllib.loads(updated) == {**tomllib.loads(text), **new}
    others = [line for line in text.splitlines() if "status" not in line and "updated" not in line]
    assert [line for line in others if line not in updated.splitlines()] == []


def test_updating_a_broken_file_names_its_line() -> None:
    with pytest.raises(DamagedError) as caught:
        updated_config('title = "x"\nlanguage = \n', {"title": "y"})
    assert caught.value.code == "book.damaged"
    assert "line 2" in caught.value.message
