"""``book.toml`` mended: its bad values, or the whole from the history, or one made anew."""

import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from statistics import median
from typing import Any

from pydantic import ValidationError

from zencli.errors import NeedsAuthor, ZencliError
from zencli.pipeline.mending.examine import CONFIG, Examined
from zencli.pipeline.results import RepairedFile
from zencli.prose.segment import script
from zencli.store.config_file import render_config, updated_config
from zencli.story import markdown
from zencli.story.book import BookConfig

_LEAST_WORDS = 100


def mended_config(
    seen: Examined, now: datetime, *, confirmed: bool
) -> tuple[str, BookConfig, RepairedFile]:
    """The text of ``book.toml``, what it says, and how it came about.

    Raises NeedsAuthor ``book.config`` when it can only be guessed and that isn't ``confirmed``.
    """
    kept = list(_usable(seen.book.id, seen.kept.contents(CONFIG)))
    mended = _mended_values(seen, kept[0][1] if kept else None)
    if mended is not None:
        return mended
    if kept:
        return *kept[0], RepairedFile(path=CONFIG, action="restored", note=_note(seen))
    if not confirmed:
        raise NeedsAuthor(
            "book.config",
            f"book.toml of {seen.book.id} can't be restored: the history has none.",
            "Add --yes to have one made from the chapters and records, then look it over.",
        )
    config = _guessed(seen, now)
    note = "guessed from chapters and records: look it over"
    return render_config(config), config, RepairedFile(path=CONFIG, action="rebuilt", note=note)


def _note(seen: Examined) -> str:
    return "what you changed in it since is in the history" if CONFIG in seen.broken else ""


def _usable(book_id: str, contents: Iterable[bytes]) -> Iterable[tuple[str, BookConfig]]:
    for data in contents:
        try:
            text = data.decode("utf-8-sig")
            yield text, _parsed(book_id, tomllib.loads(text))
        except ValueError:
            continue


def _parsed(book_id: str, table: Mapping[str, Any]) -> BookConfig:
    return BookConfig.model_validate({**table, "id": book_id})


def _mended_values(
    seen: Examined, kept: BookConfig | None
) -> tuple[str, BookConfig, RepairedFile] | None:
    """The file as it is, with the values that can't be used put right; None when it is no TOML."""
    try:
        table = seen.book.settings()
        text = seen.book.read(CONFIG) or ""
    except ZencliError:
        return None
    try:
        _parsed(seen.book.id, table)
    except ValidationError as error:
        bad = sorted({str(e["loc"][0]) for e in error.errors()})
    else:
        return None
    if kept is None:
        return None
    text = updated_config(text, {key: getattr(kept, key) for key in bad})
    note = f"from the history: {', '.join(bad)}"
    config = _parsed(seen.book.id, tomllib.loads(text))
    return text, config, RepairedFile(path=CONFIG, action="restored", note=note)


def _guessed(seen: Examined, now: datetime) -> BookConfig:
    records = seen.records.values()
    bible = "" if "story_bible.md" in seen.broken else seen.book.read("story_bible.md") or ""
    last = max([*seen.texts, *seen.records], default=0)
    lengths = [record.target_words for record in records if record.target_words >= _LEAST_WORDS]
    return BookConfig(
        id=seen.book.id,
        title=markdown.first_heading(bible) or seen.book.id,
        language=script("\n".join([bible, *list(seen.texts.values())[-3:]])),
        target_chapters=(last // 100 + 1) * 100,
        chapter_words=int(median(lengths)) if lengths else 3000,
        status="writing" if last else "outlining",
        created=min((record.created for record in records), default=now),
        updated=now,
    )
