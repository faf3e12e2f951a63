"""Step 3: the deterministic checks of a chapter."""

from zencli.context.canon import Canon
from zencli.prose.checks import CheckContext, run_checks
from zencli.store.layout import BookDir
from zencli.story.findings import Finding

EARLIER = 5
"""How many chapters before it a chapter is compared with."""


def earlier_prose(book: BookDir, number: int) -> list[str]:
    """The prose of the chapters just before ``number``, the nearest last."""
    before = [n for n in book.chapter_numbers() if n < number][-EARLIER:]
    return [book.chapter(n)[1] for n in before]


def check_prose(
    canon: Canon, number: int, prose: str, target_words: int, earlier: list[str]
) -> list[Finding]:
    """All findings that need no model."""
    context = CheckContext(
        language=canon.config.language,
        number=number,
        target_words=target_words,
        previous=earlier,
        banned=canon.banned,
    )
    return run_checks(prose, context)
