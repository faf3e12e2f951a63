"""The one page of HTML."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from export_samples import book, one_chapter, sample

from zencli.export.html import render_html
from zencli.export.manuscript import Manuscript, ManuscriptChapter, Part
from zencli.export.pictures import read_picture
from zencli.export.style import Look

PARTS = (Part("第1卷 山", 1, 2), Part("第2卷 水", 3, 20))
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><rect/></svg>'


def test_contents_lead_to_parts_and_chapters():
    page = render_html(replace(sample("zh"), parts=PARTS)).decode()
    for name, title in (("p1", "第1卷 山"), ("c1", "第1章 夜雨"), ("c10", "第10章 归人")):
        assert f'<a href="#{name}">{title}</a>' in page
        assert page.count(f'id="{name}"') == 1
    assert page.index("<h2>第1卷 山</h2>") < page.index("<h3>第1章 夜雨</h3>")
    assert "<h2>第1章 夜雨</h2>" in render_html(sample("zh")).decode()


def test_the_page_needs_nothing_else():
    page = render_html(replace(sample("zh"), pictures={"a.svg": read_picture(SVG)})).decode()
    assert "http://" not in page
    assert "https://" not in page
    assert "<script" not in page
    assert '<html lang="zh-CN">' in page
    assert '<meta name="author" content="林远 &amp; Co">' in page


def test_raw_html_is_text():
    page = render_html(one_chapter("<script>alert(1)</script>", title="<b>")).decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "第1章 &lt;b&gt;" in page


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    selenium = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = selenium.ChromeOptions()
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--hide-scrollbars", f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = shutil.which("chromium") or ""
    driver = selenium.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def shown(
    browser: Any, folder: Path, manuscript: Manuscript, width: int = 375, scheme: str = "light", *,
    look: Look | None = None,
) -> None:  # fmt: skip
    path = folder / "book.html"
    path.write_bytes(render_html(manuscript, look))
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.get(path.as_uri())


def a_book(language: str = "zh") -> Manuscript:
    prose = {
        "zh": "他说：“你好。”雨下了一夜[^1]。\n\n![桥](a.svg)\n\n***\n\n"
        + "长" * 400
        + "\n\n[^1]: 注。",
        "en": "A word of it.[^1]\n\n![A bridge](a.svg)\n\n***\n\n"
        + "word " * 300
        + "\n\n[^1]: Note.",
    }
    chapters = tuple(ManuscriptChapter(n, "题" * n, prose[language]) for n in range(1, 8))
    return Manuscript(book(language), chapters, parts=PARTS, pictures={"a.svg": read_picture(SVG)})


@pytest.mark.browser
@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("width", [375, 1200])
def test_a_page_fits_its_screen_and_the_console_is_empty(browser, tmp_path, language, width):
    shown(browser, tmp_path, a_book(language), width)
    assert browser.get_log("browser") == []
    run = browser.execute_script
    assert run("return document.documentElement.scrollWidth") <= width
    assert run("return performance.getEntriesByType('resource').length") == 0
    size = run("return parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)")
    assert size >= 16
    line = run("return document.querySelector('main p').getBoundingClientRect().width")
    assert line <= 42 * size
    assert run("return document.querySelector('main img').getBoundingClientRect().right") <= width


@pytest.mark.browser
def test_light_and_dark_follow_the_system_and_both_can_be_read(browser, tmp_path):
    grounds = {}
    for scheme in ("light", "dark"):
        shown(browser, tmp_path, a_book(), scheme=scheme)
        ground, ink, link = browser.execute_script(
            "const c = (q, p) => getComputedStyle(document.querySelector(q))[p];"
            "return [c('body', 'backgroundColor'), c('main p', 'color'), c('nav a', 'color')]"
        )
        grounds[scheme] = luminance(ground)
        assert contrast(ground, ink) >= 7
        assert contrast(ground, link) >= 4.5
    assert grounds["light"] > 0.8
    assert grounds["dark"] < 0.1


@pytest.mark.browser
def test_links_of_the_contents_and_of_footnotes_lead_there(browser, tmp_path):
    shown(browser, tmp_path, a_book())
    for link in ("nav a[href='#c7']", "#c7 .noteref", "#c7-note1 a"):
        browser.execute_script(f'document.querySelector("{link}").click()')
        top = browser.execute_script(
            "return document.querySelector(location.hash).getBoundingClientRect().top"
        )
        assert -1 <= top < 800
    assert browser.execute_script("return document.querySelector('nav details').open")


@pytest.mark.browser
def test_the_keyboard_reaches_the_text_first(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    shown(browser, tmp_path, a_book())
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("class") == "skip"
    assert browser.switch_to.active_element.is_displayed()


@pytest.mark.browser
def test_vertical_lines_run_down_and_pages_to_the_left(browser, tmp_path):
    shown(browser, tmp_path, a_book(), 1200, look=Look(vertical=True))
    first, last = browser.execute_script(
        "const all = [...document.querySelectorAll('main p')];"
        "return [all[0], all[all.length - 1]].map(p => p.getBoundingClientRect().left)"
    )
    assert last < first
    tall = browser.execute_script("return document.documentElement.scrollHeight")
    assert tall <= 800


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
