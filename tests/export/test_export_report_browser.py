"""The report in a real browser: headless Chromium through its driver."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_samples import report_data

from zencli.export.report.page import report_page

selenium = pytest.importorskip("selenium.webdriver")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
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


@pytest.fixture(scope="module", params=[("zh", 2000), ("en", 3)], ids=["zh-2000", "en-3"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    language, chapters = request.param
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_page(report_data(language, chapters)), "utf-8")
    return path


def open_page(browser: Any, page: Path, width: int, height: int = 900) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.get(page.as_uri())


def test_the_console_stays_empty_and_nothing_is_fetched(browser: Any, page: Path) -> None:
    open_page(browser, page, 1000)
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("width", [1000, 375])
def test_every_chart_is_drawn_within_the_page(browser: Any, page: Path, width: int) -> None:
    open_page(browser, page, width)
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('section svg')].map(s => {"
        " const b = s.getBoundingClientRect();"
        " return [b.width, b.height, b.right, s.querySelectorAll('rect,path,circle,line').length];"
        "}).filter(b => b[0] > 0)"
    )
    assert len(drawn) == 8
    assert all(w > 200 and h > 40 and right <= width and marks for w, h, right, marks in drawn)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_letters_are_no_smaller_on_a_phone(browser: Any, page: Path) -> None:
    open_page(browser, page, 375)
    smallest = browser.execute_script(
        "return Math.min(...[...document.querySelectorAll('.chart.narrow svg')].map("
        "s => 11 * s.getBoundingClientRect().width / s.viewBox.baseVal.width))"
    )
    assert smallest >= 10


def test_the_keyboard_reaches_charts_and_tables(browser: Any, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    open_page(browser, page, 1000)
    reached = set()
    for _ in range(60):
        element = browser.switch_to.active_element
        element.send_keys(Keys.TAB)
        element = browser.switch_to.active_element
        reached.add(element.tag_name)
        if element.get_attribute("data-columns"):
            break
    assert "a" in reached
    element.send_keys(Keys.ARROW_RIGHT)
    first = element.find_element("css selector", ".reading").text
    element.send_keys(Keys.END)
    last = element.find_element("css selector", ".reading").text
    assert first.startswith("1") and last and last != first
    summary = browser.find_element("css selector", "summary")
    summary.send_keys(Keys.ENTER)
    assert browser.find_element("css selector", "details[open] td").is_displayed()


def test_light_and_dark_have_enough_contrast(browser: Any, page: Path) -> None:
    open_page(browser, page, 1000)
    papers = set()
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        colours = browser.execute_script(
            "const s = getComputedStyle(document.body), a = document.querySelector('.about');"
            "return [s.backgroundColor, s.color, getComputedStyle(a).color,"
            " getComputedStyle(document.querySelector('nav a')).color]"
        )
        papers.add(colours[0])
        assert all(contrast(colours[0], ink) >= 4.5 for ink in colours[1:])
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(papers) == 2


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast ratio of two CSS colours ``rgb(r, g, b)``."""
    lights = sorted((luminance(one), luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour: str) -> float:
    parts = [int(p) / 255 for p in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
