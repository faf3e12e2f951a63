"""The page: head, contents, every chart with its table, the state; one file without a network."""

from collections.abc import Sequence
from pathlib import Path

from zencli.export.report.chart import Draw, Table, details, figure
from zencli.export.report.data import ReportData, Standing
from zencli.export.report.hooks_chart import MOST as MOST_HOOKS
from zencli.export.report.hooks_chart import lifelines
from zencli.export.report.over_chapters import lengths, measured, stacked
from zencli.export.report.stage_chart import stage_map
from zencli.export.report.svg import clean, element
from zencli.export.report.tables import (
    finding_table,
    hook_table,
    length_table,
    measure_table,
    spending_table,
    stage_table,
    time_table,
)
from zencli.export.report.time_chart import moments, time_line
from zencli.export.report.words import WORDS

_TAGS = {"zh": "zh-CN", "en": "en"}
_SECTIONS = ("words", "findings", "repetition", "ai", "hooks", "stage", "time", "spent", "state")


def report_page(data: ReportData) -> str:
    """The whole report as HTML; nothing in it asks for another file."""
    words = WORDS[data.language]
    folder = Path(__file__).parent
    style = (folder / "report.css").read_text("utf-8")
    script = (folder / "report.js").read_text("utf-8")
    title = f"{data.title} · {words['report']}"
    body = [
        _head(data, words),
        _contents(words),
        element("main", "".join(_charts(data, words)) + _state(data.standing, words)),
        element("footer", clean(words["made"].format(date=data.made))),
        element("script", script),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="{_TAGS[data.language]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{clean(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _head(data: ReportData, words: dict[str, str]) -> str:
    facts = "".join(
        element("div", element("dt", clean(name)) + element("dd", clean(value)))
        for name, value in data.facts
    )
    heading = element("h1", clean(data.title))
    return element("header", heading + element("dl", facts, class_="facts"))


def _contents(words: dict[str, str]) -> str:
    links = "".join(
        element("li", element("a", clean(words[key]), href=f"#{key}")) for key in _SECTIONS
    )
    return element("nav", element("ul", links), aria_label=words["contents"])


def _charts(data: ReportData, words: dict[str, str]) -> list[str]:
    chapters, people, hooks = data.chapters, data.people, data.hooks
    numbers = [c.number for c in chapters]
    drawn: dict[str, Draw | None] = dict.fromkeys(_SECTIONS)
    if chapters:
        drawn["words"] = lengths(chapters, words["words"], words)
        drawn["findings"] = stacked(
            chapters,
            words["findings"],
            [
                ("critical", words["critical"], lambda c: c.critical),
                ("warnings", words["warnings"], lambda c: c.warnings),
                ("info", words["info"], lambda c: c.info),
            ],
            mean=False,
        )
        drawn["repetition"] = measured(
            chapters, words["repetition"], lambda c: 100 * c.repetition, data.repetition_band
        )
        drawn["ai"] = measured(chapters, words["ai"], lambda c: c.ai_score, data.ai_band)
        if hooks:
            drawn["hooks"] = lifelines(hooks, numbers[-1], words["hooks"], words)
        if people:
            drawn["stage"] = stage_map(people, numbers, words["stage"])
        if moments(chapters):
            drawn["time"] = time_line(chapters, words["time"])
        if any(c.input_tokens for c in chapters):
            drawn["spent"] = stacked(
                chapters,
                words["spent"],
                [
                    ("cached", words["cached"], lambda c: c.cached_tokens),
                    ("fresh", words["fresh"], lambda c: c.input_tokens - c.cached_tokens),
                ],
                mean=True,
            )
    tables = _tables(data, words)
    legends = _legends(words)
    figures = [
        figure(key, words, drawn[key], tables[key], legends.get(key, ()))
        for key in _SECTIONS
        if key != "state"
    ]
    more = len(hooks) - MOST_HOOKS
    if more > 0:
        at = _SECTIONS.index("hooks")
        figures[at] = figures[at].replace(
            "<details>", element("p", clean(words["more"].format(count=more))) + "<details>", 1
        )
    return figures


def _tables(data: ReportData, words: dict[str, str]) -> dict[str, Table]:
    chapters = data.chapters
    measures = measure_table(chapters, words)
    return {
        "words": length_table(chapters, words),
        "findings": finding_table(chapters, words),
        "repetition": measures,
        "ai": measures,
        "hooks": hook_table(data.hooks, words),
        "stage": stage_table(data.people, words),
        "time": time_table(chapters, words),
        "spent": spending_table(data.spending, chapters, words),
    }


def _legends(words: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    return {
        "findings": [(kind, words[kind]) for kind in ("critical", "warnings", "info")],
        "hooks": [(kind, words[kind]) for kind in ("overdue", "open", "paid", "dropped")],
        "spent": [("cached", words["cached"]), ("fresh", words["fresh"])],
    }


def _state(standing: Sequence[Standing], words: dict[str, str]) -> str:
    head = element("h2", clean(words["state"]), id="state")
    if not standing:
        return element("section", head + element("p", clean(words["none"]), class_="none"))
    tables = "".join(
        details(f"{s.heading} ({len(s.rows) - 1})", Table(s.rows[0], s.rows[1:]))
        for s in standing
        if s.rows
    )
    return element("section", head + tables)
