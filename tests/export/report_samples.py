"""Reports of made-up books."""

import random

from zencli.export.report.data import (
    ChapterFigures,
    Lifeline,
    OnStage,
    ReportData,
    Spending,
    Standing,
)
from zencli.story.book import Language

NAMES = {"zh": "沈砚", "en": "Mara"}
ROLES = ("normaliser", "settler", "architect", "reviser", "auditor", "planner", "writer")


def report_data(language: Language, count: int) -> ReportData:
    """A book of ``count`` chapters, the same each time."""
    dice = random.Random(count)
    return ReportData(
        title="七则桥 <桥>" if language == "zh" else "Seven & Bridges",
        book_id="bridges",
        language=language,
        made="2026-11-30",
        facts=(("Chapters", str(count)),),
        chapters=tuple(chapter(n, language, dice) for n in range(1, count + 1)),
        hooks=tuple(hook(n, language, count, dice) for n in range(1, max(5, count // 20))),
        people=tuple(
            OnStage(
                f"{NAMES[language]}{n}",
                frozenset(c for c in range(1, count + 1) if dice.random() < 1 / n),
                frozenset(c for c in range(1, count + 1) if dice.random() < 0.1),
            )
            for n in range(1, 51)
        ),
        spending=tuple(spending(role, (at + 1) * count) for at, role in enumerate(ROLES)),
        standing=(Standing("Characters", (("Name", "Place"), ("Mara", "the bridge"))),),
    )


def chapter(number: int, language: Language, dice: random.Random) -> ChapterFigures:
    return ChapterFigures(
        number=number,
        title=f"第{number}夜" if language == "zh" else f"Night {number}",
        words=round(dice.gauss(3000, 300)),
        target=3000,
        status="passed",
        critical=int(dice.random() < 0.05),
        warnings=int(dice.random() < 0.3) + (number == 1),
        info=dice.randrange(3),
        repetition=dice.random() * 0.02,
        overlap=dice.random() * 0.01,
        variation=0.6 + dice.random() * 0.2,
        ai_score=dice.random() * 6,
        dialogue_share=0.4,
        time=f"第{number // 4 + 1}日，黄昏" if language == "zh" else f"day {number // 4 + 1}, dusk",
        spent=tuple(spending(role, at + 1) for at, role in enumerate(ROLES)),
    )


def spending(role: str, calls: int) -> Spending:
    return Spending(role, calls, 4_000 * calls, 2_800 * calls, 500 * calls, 0.001 * calls)


def hook(number: int, language: Language, count: int, dice: random.Random) -> Lifeline:
    planted = dice.randrange(1, count + 1)
    status = dice.choice(("open", "advanced", "paid", "dropped"))
    overdue = status in ("open", "advanced") and dice.random() < 0.3
    return Lifeline(
        id=f"h{number}",
        promise="谁割断了钟楼的绳子" if language == "zh" else "Who cut the bell rope?",
        kind="secret",
        status=status,
        planted=planted,
        last=min(count, planted + count // 5),
        due=planted + count // 6,
        overdue=overdue,
        moves=(planted,),
    )
