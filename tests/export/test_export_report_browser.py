"""The report in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, contrast
from report_samples import report_data

from zencli.export.report.page import report_page

pytestmark = pytest.mark.browser

CHARTS = 10
KEYS = ["words", "findings", "repetition", "ai", "hooks", "stage", "time", "spent", "cost_by"]


@pytest.fixture(scope="module", params=[("zh", 2000), ("en", 3)], ids=["zh-2000", "en-3"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    language, chapters = request.param
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_page(report_data(language, chapters)), "utf-8")
    return path


def test_the_console_stays_empty_and_nothing_is_fetched(browser: Browser, page: Path) -> None:
    browser.show(page)
    assert browser.said() == []
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("width", [1000, 375])
def test_every_chart_is_drawn_within_the_page(browser: Browser, page: Path, width: int) -> None:
    browser.show(page, width)
    drawn = browser.run(
        "return [...document.querySelectorAll('section svg')].map(s => {"
        " const b = s.getBoundingClientRect();"
        " return [b.width, b.height, b.right, s.querySelectorAll('rect,path,circle,line').length];"
        "}).filter(b => b[0] > 0)"
    )
    assert len(drawn) == CHARTS
    assert all(w > 200 and h > 40 and right <= width and marks for w, h, right, marks in drawn)
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1000, 375])
def test_no_word_of_a_chart_is_cut_off(browser: Browser, page: Path, width: int) -> None:
    browser.show(page, width)
    cut = browser.run(
        "return [...document.querySelectorAll('svg text')].filter(t => {"
        " const b = t.getBBox(), v = t.ownerSVGElement.viewBox.baseVal;"
        " return b.width && (b.x < -1 || b.x + b.width > v.width + 1 || b.y + b.height > v.height"
        " + 1); }).map(t => t.textContent)"
    )
    assert cut == []


def test_letters_are_no_smaller_on_a_phone(browser: Browser, page: Path) -> None:
    browser.show(page, 375)
    smallest = browser.run(
        "return Math.min(...[...document.querySelectorAll('.chart.narrow svg')].map("
        "s => 11 * s.getBoundingClientRect().width / s.viewBox.baseVal.width))"
    )
    assert smallest >= 10


def reach_charts(browser: Browser) -> dict[str, Any]:
    """Tab through the whole page; the charts that were reached, by their sections."""
    from selenium.webdriver.common.keys import Keys

    found: dict[str, Any] = {}
    for _ in range(80):
        element = browser.press(Keys.TAB)
        if element.get_attribute("data-points"):
            section = element.find_element("xpath", "ancestor::section")
            found[section.find_element("css selector", "h2").get_attribute("id")] = element
    return found


def test_the_keyboard_reaches_every_chart_and_reads_it_out(browser: Browser, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.show(page)
    charts = reach_charts(browser)
    assert set(charts) == {*KEYS, "roles"}
    for element in charts.values():
        reading = element.find_element("css selector", ".reading")
        element.send_keys(Keys.ARROW_RIGHT)
        first = reading.text
        element.send_keys(Keys.END)
        assert first
        assert reading.text
        assert reading.text != first or element.get_attribute("data-points").count("[") == 2


def test_the_keyboard_opens_a_table(browser: Browser, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.show(page)
    browser.driver.find_element("css selector", "summary").send_keys(Keys.ENTER)
    assert browser.driver.find_element("css selector", "details[open] td").is_displayed()


def test_light_and_dark_have_enough_contrast(browser: Browser, page: Path) -> None:
    papers = set()
    for scheme in ("light", "dark"):
        browser.show(page, 1000, scheme)
        paper, *inks = browser.run(
            "const of = (q, p) => getComputedStyle(document.querySelector(q))[p];"
            "return [of('body', 'backgroundColor'), of('body', 'color'), of('.about', 'color'),"
            " of('nav a', 'color'), of('text.tick', 'fill'), of('text.name', 'fill')]"
        )
        papers.add(paper)
        assert all(contrast(paper, ink) >= 4.5 for ink in inks)
    assert len(papers) == 2


def test_marks_stand_out_from_the_paper_in_light_and_dark(browser: Browser, page: Path) -> None:
    for scheme in ("light", "dark"):
        browser.show(page, 1000, scheme)
        marks = browser.run(
            "return ['.length', '.critical', '.warnings', '.info', '.role0', '.role1', '.role2',"
            " '.role4'].map(q => document.querySelector('rect' + q)).filter(Boolean)"
            ".map(r => getComputedStyle(r).fill)"
        )
        paper = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert marks
        assert all(contrast(paper, mark) >= 3 for mark in marks)
