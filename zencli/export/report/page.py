"""The page: head, contents, every chart with its table, the state; one file without a network."""

from collections.abc import Sequence
from pathlib import Path

from zencli.export.report.chart import Draw, Table, details, figure
from zencli.export.report.data import ReportData, Standing
from zencli.export.report.hooks_chart import MOST as MOST_HOOKS
from zencli.export.report.hooks_chart import lifelines
from zencli.export.report.over_chapters import Value, lengths, measured, stacked
from zencli.export.report.spent_chart import by_role, cost_by_chapter, layers, tokens_by_chapter
from zencli.export.report.stage_chart import MOST as MOST_PEOPLE
from zencli.export.report.stage_chart import stage_map
from zencli.export.report.svg import clean, element
from zencli.export.report.tables import (
    chapter_spending_table,
    finding_table,
    hook_table,
    length_table,
    measure_table,
    role_table,
    stage_table,
    time_table,
)
from zencli.export.report.time_chart import moments, time_line
from zencli.export.report.words import WORDS

_TAGS = {"zh": "zh-CN", "en": "en"}
_SECTIONS = (
    "words", "findings", "repetition", "ai", "hooks", "stage", "time", "spent", "cost_by", "roles",
    "state",
)  # fmt: skip
_NARROW_COLUMNS = 60
"""More chapters than these share columns, on a phone at least."""


def report_page(data: ReportData) -> str:
    """The whole report as HTML; nothing in it asks for another file."""
    words = WORDS[data.language]
    folder = Path(__file__).parent
    style = (folder / "report.css").read_text("utf-8")
    script = (folder / "report.js").read_text("utf-8")
    title = f"{data.title} · {words['report']}"
    body = [
        _head(data),
        _contents(_sections(data), words),
        element("main", "".join(_figures(data, words)) + _state(data.standing, words)),
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


def _head(data: ReportData) -> str:
    facts = "".join(
        element("div", element("dt", clean(name)) + element("dd", clean(value)))
        for name, value in data.facts
    )
    heading = element("h1", clean(data.title))
    return element("header", heading + element("dl", facts, class_="facts"))


def _sections(data: ReportData) -> list[str]:
    """Costs have a section only where a price is known."""
    priced = any(one.cost for one in data.spending)
    return [key for key in _SECTIONS if priced or key != "cost_by"]


def _contents(sections: Sequence[str], words: dict[str, str]) -> str:
    links = "".join(
        element("li", element("a", clean(words[key]), href=f"#{key}")) for key in sections
    )
    return element("nav", element("ul", links), aria_label=words["contents"])


def _figures(data: ReportData, words: dict[str, str]) -> list[str]:
    drawn = _drawn(data, words) if data.chapters else {}
    if data.spending:
        drawn["roles"] = by_role(data.spending, words["roles"], words)
    tables, legends, more = _tables(data, words), _legends(data, words), _more(data, words)
    return [
        figure(key, words, drawn.get(key), tables[key], legends.get(key, ()), more.get(key, ""))
        for key in _sections(data)
        if key != "state"
    ]


def _drawn(data: ReportData, words: dict[str, str]) -> dict[str, Draw]:
    """The charts that there is something to draw for."""
    chapters, people, hooks = data.chapters, data.people, data.hooks
    numbers = [c.number for c in chapters]
    drawn = {
        "words": lengths(chapters, words["words"], words),
        "repetition": measured(
            chapters, words["repetition"], lambda c: 100 * c.repetition, data.repetition_band
        ),
        "ai": measured(chapters, words["ai"], lambda c: c.ai_score, data.ai_band),
    }
    if any(c.critical or c.warnings or c.info for c in chapters):
        kinds: list[tuple[str, str, Value]] = [
            ("critical", words["critical"], lambda c: c.critical),
            ("warnings", words["warnings"], lambda c: c.warnings),
            ("info", words["info"], lambda c: c.info),
        ]
        drawn["findings"] = stacked(chapters, words["findings"], kinds, mean=False)
    if hooks:
        drawn["hooks"] = lifelines(hooks, numbers[0], numbers[-1], words["hooks"], words)
    if people:
        drawn["stage"] = stage_map(people, numbers, words["stage"], words)
    if moments(chapters):
        drawn["time"] = time_line(chapters, words["time"])
    if any(c.spent for c in chapters):
        drawn["spent"] = tokens_by_chapter(chapters, data.spending, words["spent"], words)
    if any(one.cost for c in chapters for one in c.spent):
        drawn["cost_by"] = cost_by_chapter(chapters, data.spending, words["cost_by"], words)
    return drawn


def _tables(data: ReportData, words: dict[str, str]) -> dict[str, Table]:
    chapters = data.chapters
    measures = measure_table(chapters, words)
    spent = chapter_spending_table(chapters, words)
    return {
        "words": length_table(chapters, words),
        "findings": finding_table(chapters, words),
        "repetition": measures,
        "ai": measures,
        "hooks": hook_table(data.hooks, words),
        "stage": stage_table(data.people, words),
        "time": time_table(chapters, words),
        "spent": spent,
        "cost_by": spent,
        "roles": role_table(data.spending, words),
    }


def _legends(data: ReportData, words: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    roles = [(kind, name) for kind, name, _ in layers(data.spending, words)]
    return {
        "findings": [(kind, words[kind]) for kind in ("critical", "warnings", "info")],
        "hooks": [(kind, words[kind]) for kind in ("overdue", "open", "paid", "dropped")],
        "stage": [("acts", words["acts"]), ("named", words["named"])],
        "spent": roles,
        "cost_by": roles,
        "roles": [("cached", words["read_cached"]), *((k, words[k]) for k in ("fresh", "written"))],
    }


def _more(data: ReportData, words: dict[str, str]) -> dict[str, str]:
    """What has to be said below a chart that doesn't show each one by itself."""
    told = {}
    if len(data.chapters) > _NARROW_COLUMNS:
        told = {
            "words": words["means"],
            "findings": words["sums"],
            "repetition": words["highest"],
            "ai": words["highest"],
            "spent": words["means"],
            "cost_by": words["means"],
        }
    for key, all_of_them, most in (
        ("hooks", data.hooks, MOST_HOOKS),
        ("stage", data.people, MOST_PEOPLE),
    ):
        if len(all_of_them) > most:
            told[key] = words["more"].format(count=len(all_of_them) - most)
    return told


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
