"""The simulated novel of ``bench``: always the same, its facts in its text, its promises kept."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from scripts import Script

from bench.simulator import Measured, resumed, write
from bench.simulator_author import Author, Written
from bench.simulator_book import begin_book, fill
from bench.simulator_model import SimulatedModel
from bench.simulator_story import LIVES
from zencli.pipeline.overview import book_status
from zencli.prose.count import bands, count_words
from zencli.store.layout import BookDir
from zencli.story.book import Language
from zencli.story.delta import Delta, proven
from zencli.story.fold import fold
from zencli.story.foundation import FirstHook, Foundation

LANGUAGES: tuple[Language, Language] = ("zh", "en")
WORDS = sorted(set(re.findall("[a-z]{3,}", Script("en").read("0001.write.txt"))))
MIXED = Random(7)
MATERIAL = {
    "zh": re.findall("[\u4e00-\u9fff]{4,11}", Script("zh").read("0001.write.txt")),
    "en": [" ".join(MIXED.sample(WORDS, 4)) for _ in range(5_000)],
}


def author(language: Language, target: int = 60, words: int = 600) -> Author:
    return Author(language, words, target, material=MATERIAL[language])


def written(language: Language, count: int) -> list[Written]:
    one = author(language)
    return [one.chapter() for _ in range(count)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_of_a_delta_rests_on_a_sentence_of_the_text(language: Language) -> None:
    for chapter in written(language, 30):
        delta = Delta.model_validate(chapter.delta)
        prose = chapter.prose
        kept, dropped = proven(delta, lambda quote, prose=prose: quote if quote in prose else None)
        assert not dropped
        assert len(kept.facts) == 4
        band = bands(600)
        assert band.low_hard <= count_words(prose, language) <= band.high_hard


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_story_is_always_the_same_and_can_be_gone_on_with(language: Language) -> None:
    first = written(language, 12)
    assert first == written(language, 12)
    later = author(language)
    later.skip(11)
    assert later.chapter() == first[-1]


def test_hooks_are_planted_advanced_and_paid_when_they_are_due() -> None:
    chapters = written("zh", 60)
    deltas = [(c.number, c.title, Delta.model_validate(c.delta)) for c in chapters]
    moves = [step.do for _, _, delta in deltas for step in delta.hooks]
    assert {"plant", "advance", "pay"} <= set(moves)
    planted = {c.number: step.due for c in chapters for step in Delta.model_validate(c.delta).hooks
               if step.do == "plant"}  # fmt: skip
    assert {due - number for number, due in planted.items()} <= set(LIVES)
    state = fold(fold_start(), deltas)
    late = [h for h in state.hooks.values() if h.unpaid and 0 < h.due <= 60]
    assert not late


def fold_start() -> Foundation:
    hooks = [FirstHook(id=f"H{n}", promise=f"{n}？", due=30 * n) for n in (1, 2)]
    return Foundation(hooks=hooks)


def test_people_come_and_go_and_nobody_acts_after_dying() -> None:
    dead: set[str] = set()
    for chapter in written("zh", 60):
        delta = Delta.model_validate(chapter.delta)
        acting = {c.name for c in delta.characters if c.status != "死"}
        assert not acting & dead
        dead |= {c.name for c in delta.characters if c.status == "死"}
    assert len(dead) == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_real_pipeline_writes_it_in_four_calls_a_chapter(
    tmp_path: Path, language: Language
) -> None:
    model = SimulatedModel(author(language))
    begin_book(tmp_path, model)
    chapters = list(write(tmp_path, model, 3))
    assert [c.calls for c in chapters] == [4, 4, 4]
    assert all(isinstance(c, Measured) and c.status == "passed" for c in chapters)
    assert all(c.shared > 0.5 * c.prompt for c in chapters[1:])
    record = json.loads((tmp_path / "books/simulated/records/0003.json").read_text("utf-8"))
    assert record["dropped"] == []
    assert len(record["delta"]["facts"]) == 4


def test_chapters_put_in_place_are_those_that_the_pipeline_writes(tmp_path: Path) -> None:
    piped, placed = tmp_path / "piped", tmp_path / "placed"
    model = SimulatedModel(author("zh"))
    begin_book(piped, model)
    list(write(piped, model, 3))
    filler = author("zh")
    book = begin_book(placed, SimulatedModel(filler))
    fill(book, filler, 3, filler.arc_end(1))
    for number in (1, 2, 3):
        there = BookDir(piped / "books/simulated").read(f"chapters/{number:04d}.md")
        assert book.read(f"chapters/{number:04d}.md") == there
    assert [line.flags for line in book_status(book).chapters] == [[], [], []]


def test_a_model_that_goes_on_knows_what_was_outlined() -> None:
    author_of = Author("zh", 600, 100, material=MATERIAL["zh"])
    assert [list(author_of.batch(n))[-1] for n in (1, 7, 19, 25, 26)] == [6, 12, 24, 25, 31]
    assert resumed("zh", 100, 30).outlined == 31
    assert resumed("zh", 100, 3).outlined == 25
