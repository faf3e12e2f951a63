"""Exported, imported, and the same: every chapter with every character."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zencli.export.blocks import chapter_body
from zencli.export.inline import plain_paragraphs
from zencli.export.manuscript import ManuscriptChapter, clean
from zencli.export.pieces import Pieces
from zencli.export.txt import _Forms
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.params import Export
from zencli.pipeline.runner import Runner
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig, Language

WHEN = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
Chapters = dict[int, tuple[str, str]]

ZH: Chapters = {
    0: ("", "雨下了一夜。"),
    1: ("夜雨", "**“你好。”**他说，*慢*。\n\n* * *\n\n1986. 年的夏天，<think>她</think>没来。"),
    2: ("旧信", "> 见信如晤。\n\n他翻到背面[^1]，又翻回来[^1]。\n\n[^1]: 纸是旧的。"),
    3: (
        "归人",
        "<ruby>漢<rt>hàn</rt></ruby>字。\n\n#话题# - 一\n\n- 二\n\n𠮷野家 👩\u200d👩 [系统]: 任务",
    ),
    10: ("𠮷", "完了。"),
}
EN: Chapters = {
    1: ("Night Rain", '**"Hello,"** he said.\n\n* * *\n\nIt was *quiet*, a < b & c.'),
    2: ("A Letter", "> Dear M.,\n\nHe turned it over.[^a]\n\n[^a]: The paper was old."),
}
OUTLINE = {
    "zh": "# 大纲\n\n## 第 1 卷 山（第 1-2 章）\n\n### 起（第 1-2 章）\n\n"
    "## 第 2 卷（第 3-9 章）\n\n### 承（第 3-9 章）\n",
    "en": "# Outline\n\n## Volume 1: Hills (chapters 1-1)\n\n### A (chapters 1-1)\n\n"
    "## Volume 2 (chapters 2-9)\n\n### B (chapters 2-9)\n",
}


def make(root: Path, chapters: Chapters, language: Language, outline: str = "") -> BookDir:
    folder = root / "books" / "book"
    (folder / "chapters").mkdir(parents=True)
    config = BookConfig(id="book", title="书", language=language, created=WHEN, updated=WHEN)
    (folder / "book.toml").write_text(render_config(config), "utf-8")
    if outline:
        (folder / "outline.md").write_text(outline, "utf-8")
    for number, (title, prose) in chapters.items():
        text = join_chapter(title, prose)
        (folder / f"chapters/{number:04d}.md").write_text(text, "utf-8")
    return BookDir(folder)


def there_and_back(root: Path, language: Language, **wish: object) -> BookDir:
    exported = Runner(root).export(Export.model_validate(wish))
    source = Import(source=exported.path, book_id="again", language=language)
    Runner(root).import_book(source)
    return BookDir(root / "books" / "again")


def chapters_of(book: BookDir) -> Chapters:
    return {number: book.chapter(number) for number in book.chapter_numbers()}


@pytest.mark.parametrize(
    "wish",
    [
        {"format": "md"},
        {"format": "epub"},
        {"format": "md", "split": True},
        {"format": "md", "front_matter": True},
        {"format": "epub", "vertical": True},
    ],
)
@pytest.mark.parametrize(("language", "chapters"), [("zh", ZH), ("en", EN)])
def test_md_and_epub_come_back_character_for_character(
    tmp_path: Path, language: Language, chapters: Chapters, wish: dict[str, object]
) -> None:
    make(tmp_path, chapters, language)
    again = there_and_back(tmp_path, language, **wish)
    wanted = chapters_of(BookDir(tmp_path / "books" / "book"))
    if 0 in wanted and not wanted[0][0]:
        wanted[0] = ("楔子", wanted[0][1])
    assert chapters_of(again) == wanted


@pytest.mark.parametrize("form", ["txt", "md", "epub"])
@pytest.mark.parametrize(("language", "chapters"), [("zh", ZH), ("en", EN)])
def test_a_book_in_volumes_comes_back_with_the_same_numbers_and_prose(
    tmp_path: Path, language: Language, chapters: Chapters, form: str
) -> None:
    make(tmp_path, chapters, language, OUTLINE[language])
    again = chapters_of(there_and_back(tmp_path, language, format=form))
    assert list(again) == list(chapters)
    for number, (title, prose) in chapters.items():
        assert title in again[number][0]
        if form != "txt":
            assert again[number][1] == prose


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"encoding": "gb18030"},
        {"encoding": "utf-8-bom"},
        {"line_end": "crlf"},
        {"platform": "tomato"},
        {"platform": "qidian"},
        {"split": True},
    ],
)
def test_txt_comes_back_with_every_character_that_it_shows(
    tmp_path: Path, wish: dict[str, object]
) -> None:
    make(tmp_path, ZH, "zh")
    again = chapters_of(there_and_back(tmp_path, "zh", **wish))
    assert list(again) == list(ZH)
    for number, (title, prose) in ZH.items():
        assert title in again[number][0]
        shown = shown_text(number, title, prose)
        assert "".join(again[number][1].split()) == "".join(shown.split())


def test_an_export_imported_into_its_own_book_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, {n: chapter for n, chapter in ZH.items() if n}, "zh", OUTLINE["zh"])
    for form in ("md", "epub"):
        exported = Runner(tmp_path).export(Export.model_validate({"format": form}))
        result = Runner(tmp_path).import_book(Import(source=exported.path, book_id="book"))
        assert {chapter.action for chapter in result.chapters} == {"same"}


def shown_text(number: int, title: str, prose: str, language: Language = "zh") -> str:
    """A chapter as a txt shows it."""
    body = chapter_body(ManuscriptChapter(number, title, prose), language)
    pieces = Pieces(body.notes, {}, _Forms(language))
    parts = [t for b in body.blocks for t in (["* * *"] if b.kind == "break"
        else plain_paragraphs(b.text, language, pieces))]  # fmt: skip
    if body.notes:
        parts.append("注")
    for index, note in enumerate(body.notes, 1):
        parts.append(f"[{index}] " + "".join(plain_paragraphs(note.text, language, pieces)))
    return "\n".join(parts)


TRAPS = st.lists(
    st.sampled_from(
        [
            "甲", "乙丙。", "a b", "*", "**", "_", "`", "\\", "&amp;", "<b>", "&lt;", "#", ">",
            "- ", "1. ", "[^1]", "\n\n", "\n", "  ", "“", "”", "𠮷", "\u202e", "===", "[x]: y",
            "|", "~~~"
]
    ), max_size=14,
).map("".join)  # fmt: skip


@given(st.lists(TRAPS, min_size=1, max_size=3), st.sampled_from(["md", "epub"]))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_prose_full_of_traps_reads_the_same_after_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, written: list[str], form: str
) -> None:
    chapters = {
        number: ("题", f"始。\n\n{prose}\n\n终。") for number, prose in enumerate(written, 1)
    }
    root = tmp_path_factory.mktemp("trip")
    make(root, chapters, "zh")
    again = chapters_of(there_and_back(root, "zh", format=form))
    for number, (title, prose) in chapters.items():
        wanted = shown_text(number, title, clean(prose))
        assert shown_text(number, *again[number]).split() == wanted.split()
