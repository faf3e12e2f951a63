"""The page of a report: well-formed, harmless and true, whatever the book holds."""

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import report_data

from zencli.export.report.data import (
    Band,
    ChapterFigures,
    Lifeline,
    OnStage,
    ReportData,
    Spending,
    Standing,
)
from zencli.export.report.page import report_page
from zencli.story.state import HookStatus

VOID = {"meta", "link", "br", "hr", "img", "input"}
TRAPS = [
    "", "<script>alert(1)</script>", "</title></style>", "]]>", "\"'>", "&amp;", "\x00\x1b[31m",
    "\ud800", "\ufffe", "\u202e反", "مرحبا", "👨‍👩‍👧", "𪛖", "e\u0301", "http://a.b/c.js", "url(x)",
    "@import", "{0}{count}",
]  # fmt: skip
TEXT = st.one_of(st.sampled_from(TRAPS), st.text(st.characters(), max_size=40))
NUMBER = st.integers(0, 3000)
SHARE = st.floats(0, 1)
CHARTS = ["words", "findings", "repetition", "ai", "hooks", "stage", "time", "spent", "cost_by"]

spendings = st.builds(
    Spending, TEXT, NUMBER, NUMBER, st.just(0), NUMBER, st.none() | st.floats(0, 1e6)
)
chapters = st.lists(
    st.builds(
        ChapterFigures,
        number=NUMBER, title=TEXT, words=NUMBER, target=NUMBER, status=TEXT, critical=NUMBER,
        warnings=NUMBER, info=NUMBER, repetition=SHARE, overlap=SHARE, variation=SHARE,
        ai_score=st.floats(0, 1e4), dialogue_share=SHARE, time=TEXT,
        spent=st.lists(spendings, max_size=3).map(tuple),
    ),
    max_size=6,
    unique_by=lambda chapter: chapter.number,
).map(lambda found: tuple(sorted(found, key=lambda chapter: chapter.number)))  # fmt: skip
hooks = st.lists(
    st.builds(
        Lifeline, TEXT, TEXT, TEXT, st.sampled_from(get_args(HookStatus)), NUMBER, NUMBER, NUMBER,
        st.booleans(), st.lists(NUMBER, max_size=3).map(tuple),
    ),
    max_size=4,
).map(tuple)  # fmt: skip
people = st.lists(
    st.builds(OnStage, TEXT, st.frozensets(NUMBER, max_size=4), st.frozensets(NUMBER, max_size=4)),
    max_size=4,
).map(tuple)
standing = st.lists(
    st.builds(Standing, TEXT, st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)), max_size=2
).map(tuple)
books = st.builds(
    ReportData,
    title=TEXT, book_id=TEXT, language=st.sampled_from(["zh", "en"]), made=TEXT,
    facts=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple), chapters=chapters, hooks=hooks,
    people=people, spending=st.lists(spendings, max_size=7).map(tuple), standing=standing,
    repetition_band=st.just(Band(0.0, 1.0)), ai_band=st.just(Band(0.0, 2.0)),
)  # fmt: skip


class Reader(HTMLParser):
    """Checks that every element is closed in order, and gathers what matters."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@settings(max_examples=25, deadline=None)
@given(books)
def test_a_page_of_any_book_is_well_formed_and_asks_for_nothing(data):
    page = report_page(data)
    page.encode()  # no half of a surrogate pair is left
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", page)
    elements = read(page).elements
    assert [tag for tag, _ in elements].count("script") == 1
    for _, attributes in elements:
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith(("#", "data:,"))
    idents = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(set(idents)) == len(idents)
    assert {f"#{ident}" for ident in idents} == {
        attributes["href"] for tag, attributes in elements if tag == "a"
    }


@settings(max_examples=25, deadline=None)
@given(books)
def test_no_number_of_a_drawing_is_none(data):
    for tag, attributes in read(report_page(data)).elements:
        for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
            if tag in ("rect", "line", "circle", "text") and name in attributes:
                assert 0 <= float(attributes[name]) < 100_000


@settings(max_examples=15, deadline=None)
@given(books)
def test_every_chart_can_be_read_with_the_keyboard(data):
    for _, attributes in read(report_page(data)).elements:
        if "chart" in (attributes.get("class") or "").split():
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]
            assert all(place >= 0 and text for place, text in json.loads(attributes["data-points"]))


def section(page: str, key: str) -> str:
    """A section of the page, from its heading."""
    return page[page.index(f'id="{key}"') :].partition("</section>")[0]


def readings(page: str, key: str) -> list[str]:
    """What the keyboard reads out of a chart."""
    found = re.search(r'data-points="([^"]*)"', section(page, key))
    assert found
    return [text for _, text in json.loads(unescape(found[1]))]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_section_has_a_chart_and_a_table(language):
    page = report_page(report_data(language, 30))
    for key in [*CHARTS, "roles"]:
        assert section(page, key).count("<svg") == 2
        assert "<details>" in section(page, key)
    assert "<table>" in section(page, "state")


def test_what_is_drawn_is_what_the_data_says():
    page = report_page(report_data("en", 3))
    data = report_data("en", 3)
    first = data.chapters[0]
    assert readings(page, "words")[0] == f"1: {first.words:,} of 3,000"
    assert readings(page, "findings")[0] == (
        f"1: critical {first.critical}, warnings {first.warnings}, notes {first.info}"
    )
    assert readings(page, "repetition")[0] == f"1: {100 * first.repetition:.2f}"
    assert readings(page, "time") == ["1: day 1, dusk"]


def test_tokens_and_cost_are_told_by_chapter_and_by_role():
    page = report_page(report_data("en", 3))
    assert readings(page, "spent")[0].startswith("1: writer 31,500, planner 27,000, auditor 22,500")
    assert readings(page, "spent")[0].endswith("others 13,500")
    assert readings(page, "cost_by")[0].startswith("1: writer 0.0070, planner 0.0060")
    told = "calls 21, input 84,000, cached 58,800, output 10,500, cost 0.0210"
    assert readings(page, "roles")[-1].lower() == f"writer: {told}"


def test_a_book_without_prices_has_no_chart_of_costs():
    data = report_data("en", 3)
    free = tuple(replace(one, cost=None) for one in data.spending)
    page = report_page(replace(data, spending=free))
    assert 'id="cost_by"' not in page
    assert "#cost_by" not in page


def test_a_row_tells_who_is_on_stage():
    people = (
        OnStage("Mara", frozenset({1}), frozenset()),
        OnStage("Ito", frozenset(), frozenset({1})),
    )
    page = report_page(replace(report_data("en", 2), people=people))
    assert readings(page, "stage") == ["1: Mara (named: Ito)", "2: nobody"]


def test_an_overdue_hook_comes_first_and_says_so():
    hooks = (
        Lifeline("a", "Paid?", "", "paid", 1, 2, 2, overdue=False),
        Lifeline("b", "Late?", "", "open", 1, 1, 2, overdue=True),
    )
    page = report_page(replace(report_data("en", 3), hooks=hooks))
    assert readings(page, "hooks") == [
        "Late?: overdue, Planted 1, Last 1, Due 2",
        "Paid?: paid, Planted 1, Last 2, Due 2",
    ]
    assert 'class="life overdue"' in section(page, "hooks")


def test_a_book_without_findings_says_that_none_stands():
    data = report_data("en", 2)
    calm = tuple(replace(c, critical=0, warnings=0, info=0) for c in data.chapters)
    page = report_page(replace(data, chapters=calm))
    assert "No finding stands." in section(page, "findings")


def test_chapters_that_share_a_column_are_told_of():
    shared = "several chapters share a column"
    assert shared in section(report_page(report_data("en", 61)), "words")
    assert shared not in section(report_page(report_data("en", 60)), "words")
