"""The one page of HTML."""

from dataclasses import replace
from pathlib import Path

import pytest
from browsing import Browser, contrast, luminance
from export_samples import book, one_chapter, sample

from zencli.export.html import render_html
from zencli.export.manuscript import Imprint, Manuscript, ManuscriptChapter, Part
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


def shown(
    browser: Browser,
    folder: Path,
    manuscript: Manuscript,
    width: int = 375,
    scheme: str = "light",
    *,
    look: Look | None = None,
) -> None:
    path = folder / "book.html"
    path.write_bytes(render_html(manuscript, look))
    browser.show(path, width, scheme)


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
    return Manuscript(
        book(language), chapters, Imprint("林远"), PARTS, pictures={"a.svg": read_picture(SVG)}
    )


@pytest.mark.browser
@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("width", [375, 1200])
def test_a_page_fits_its_screen_and_the_console_is_empty(browser, tmp_path, language, width):
    shown(browser, tmp_path, a_book(language), width)
    assert browser.said() == []
    run = browser.run
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
        ground, ink, link = browser.run(
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
        browser.run(f'document.querySelector("{link}").click()')
        top = browser.run(
            "return document.querySelector(location.hash).getBoundingClientRect().top"
        )
        assert -1 <= top < 800
    assert browser.run("return document.querySelector('nav details').open")


@pytest.mark.browser
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_title_and_a_picture_alone_stand_in_the_middle(browser, tmp_path, language):
    shown(browser, tmp_path, a_book(language), 1200)
    middles = browser.run(
        "const range = document.createRange();"
        "return ['header h1', 'header p', '.picture'].map(query => {"
        " range.selectNodeContents(document.querySelector(query));"
        " const b = range.getBoundingClientRect(); return (b.left + b.right) / 2; })"
    )
    assert middles == pytest.approx([600, 600, 600], abs=2)


@pytest.mark.browser
def test_the_keyboard_reaches_the_text_first(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    shown(browser, tmp_path, a_book())
    reached = browser.press(Keys.TAB)
    assert reached.get_attribute("class") == "skip"
    assert reached.is_displayed()


@pytest.mark.browser
def test_vertical_lines_run_down_and_pages_to_the_left(browser, tmp_path):
    shown(browser, tmp_path, a_book(), 1200, look=Look(vertical=True))
    first, last = browser.run(
        "const all = [...document.querySelectorAll('main p')];"
        "return [all[0], all[all.length - 1]].map(p => p.getBoundingClientRect().left)"
    )
    assert last < first
    tall = browser.run("return document.documentElement.scrollHeight")
    assert tall <= 800
