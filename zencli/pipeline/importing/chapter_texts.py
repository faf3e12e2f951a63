"""What the chapter files hold, found out once for each text."""

from typing import Any, NamedTuple

from zencli.prose.count import count_words
from zencli.store.chapter_text import split_chapter
from zencli.store.file_facts import facts_of
from zencli.store.layout import BookDir
from zencli.store.records import Records, code_digest
from zencli.story.book import Language
from zencli.story.record import text_digest


class ChapterText(NamedTuple):
    """A chapter file: the digest of its text; title and words where its record can't tell them."""

    digest: str
    title: str = ""
    words: int = 0
    counted: bool = False


def chapter_texts(book: BookDir, records: Records, language: Language) -> dict[int, ChapterText]:
    """Every chapter that exists. Raises DamagedError ``book.damaged`` for an unreadable one."""

    read = book.reader("chapters")

    def find(number: int) -> list[Any]:
        text = read(book.chapter_file(number)) or ""
        digest = text_digest(text)
        known = records.facts.get(number)
        if known is not None and known.digest == digest:
            return list(ChapterText(digest))
        title, prose = split_chapter(text)
        return list(ChapterText(digest, title, count_words(prose, language), True))

    version = f"{code_digest()} {language}"
    found = {}
    for number, value in facts_of(book, "chapters", ".md", find, version).items():
        text = ChapterText(*value)
        known = records.facts.get(number)
        if not text.counted and (known is None or known.digest != text.digest):
            text = ChapterText(*find(number))
        found[number] = text
    return found
