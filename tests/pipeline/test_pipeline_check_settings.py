"""``[checks]`` of ``book.toml``: what it changes, and what it can't be."""

import tomllib
from pathlib import Path

import pytest
from long_book import long_book, put

from zencli.errors import UsageError
from zencli.pipeline.checking.check_settings import check_settings
from zencli.pipeline.params import Audit
from zencli.pipeline.runner import Runner
from zencli.store.layout import BookDir

TURNS = "他倒吸一口凉气。他瞳孔骤缩。他嘴角勾起。他若有所思。空气凝固了。"


@pytest.fixture
def book(tmp_path: Path) -> BookDir:
    made = long_book(tmp_path)
    put(made, made.chapter_file(7), f"# 七\n\n{TURNS}\n")
    return made


def audited(book: BookDir, settings: str) -> set[str]:
    """The checks that speak in chapter 7 with these settings."""
    before = (book.read("book.toml") or "").split("\n[checks")[0]
    put(book, "book.toml", f"{before}\n{settings}")
    result = Runner(book.path.parents[1], environ={}).audit(
        Audit(book_id="long", chapter_number=7, no_llm=True)
    )
    return {finding.dimension for finding in result.chapters[0].findings}


def test_settings_reach_the_audit(book: BookDir) -> None:
    plain = audited(book, "")
    assert {"ai-typical", "length"} <= plain
    assert audited(book, '[checks]\ndisable = ["ai-typical"]\n') == plain - {"ai-typical"}
    assert "ai-typical" not in audited(book, '[checks.thresholds]\n"ai-typical.warn" = 900\n')
    assert "ai-typical" not in audited(book, "[checks.thresholds]\nai-typical.warn = 900\n")
    removed = '[checks]\nremove = ["倒吸一口凉气", "瞳孔骤缩", "嘴角勾", "若有所思", "空气凝固"]\n'
    assert "ai-typical" not in audited(book, removed)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            '[checks]\ndisable = ["lenght"]',
            "checks.disable: there is no check lenght; did you mean length?",
        ),
        (
            "[checks]\ndisabled = []",
            "checks.disabled: there is no key disabled; did you mean disable?",
        ),
        ("[checks]\ndisable = 3", "checks.disable: must be a list of words."),
        ("[checks]\nadd = [3]", "checks.add: must be a list of words."),
        ('[checks]\nremove = [""]', "checks.remove: must be a list of words."),
        ("checks = 3", "checks: must be a table."),
        ("[checks]\nthresholds = 3", "checks.thresholds: must be a table."),
        (
            '[checks.thresholds]\n"overlap.wran" = 1',
            "checks.thresholds: there is no threshold overlap.wran; did you mean overlap.warn?",
        ),
        (
            '[checks.thresholds]\n"overlap.warn" = "much"',
            "checks.thresholds: overlap.warn: must be a number from 0 up, not 'much'.",
        ),
        (
            '[checks.thresholds]\n"overlap.warn" = -1',
            "checks.thresholds: overlap.warn: must be a number from 0 up, not -1.",
        ),
        (
            '[checks.thresholds]\n"overlap.warn" = true',
            "checks.thresholds: overlap.warn: must be a number from 0 up, not True.",
        ),
        (
            '[checks.thresholds]\n"overlap.warn" = nan',
            "checks.thresholds: overlap.warn: must be a number from 0 up, not nan.",
        ),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_what_is_allowed(table: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        check_settings(tomllib.loads(table))
    assert error.value.code == "usage.config"
    assert error.value.exit_code == 2
    assert error.value.message == f"book.toml: {told}"


def test_a_wrong_value_is_told_before_any_work(book: BookDir) -> None:
    before = sorted(p.name for p in (book.path / "records").iterdir())
    with pytest.raises(UsageError, match="there is no check nothing"):
        audited(book, '[checks]\ndisable = ["nothing"]\n')
    assert sorted(p.name for p in (book.path / "records").iterdir()) == before
    assert not (book.path / ".zencli" / "history").exists()
