"""Short phrases that the program itself puts into a prompt, by language."""

from zencli.story.book import Language
from zencli.story.labels import chapter_word


def due(chapter: int, language: Language) -> str:
    """By when a hook must pay; empty without a date."""
    if chapter <= 0:
        return ""
    word = chapter_word(chapter, language)
    return f"最迟{word}还" if language == "zh" else f"due by {word[0].lower()}{word[1:]}"


def due_now(chapter: int, number: int, language: Language) -> str:
    """How a hook's date stands to the chapter that is being planned."""
    left = chapter - number
    if language == "zh":
        if left < 0:
            return f"已经过期 {-left} 章"
        return "这一章到期" if left == 0 else f"还剩 {left} 章"
    if left < 0:
        return f"overdue by {-left} {'chapter' if left == -1 else 'chapters'}"
    if left == 0:
        return "due in this chapter"
    return f"{left} {'chapter' if left == 1 else 'chapters'} left"


def ended(kind: str, words: str, language: Language) -> str:
    """What a chapter stopped on: the kind of thing, its last words, or both."""
    if not words:
        return kind
    quoted = f"「{words}」" if language == "zh" else f"“{unquoted(words, language)}”"
    return f"{kind}{quoted}" if language == "zh" else f"{kind} {quoted}".strip()


def opening(language: Language) -> str:
    """Before the first chapter."""
    return "开篇" if language == "zh" else "Before the book opens"


def unquoted(quote: str, language: Language) -> str:
    """A sentence of the text as it stands inside the quotation marks that a prompt puts round it.

    English marks that stand in it become single ones; those round the whole fall away.
    """
    if language == "zh":
        return quote
    inner = quote[1:-1] if quote[:1] == "“" and quote[-1:] == "”" else quote
    return inner.replace("“", "‘").replace("”", "’")


def same(says: str, quote: str) -> bool:
    """Whether a sentence of the text says no more than what is said of it."""
    return quote.strip(" 。.") in says


def quoted_fact(says: str, chapter: int, quote: str, language: Language) -> str:
    """A fact with its chapter and its sentence."""
    where = chapter_word(chapter, language) if chapter > 0 else ""
    quote = "" if same(says, quote) else quote
    words = f"「{quote}」" if language == "zh" else f"“{unquoted(quote, language)}”"
    if language == "zh":
        inside = "：".join(part for part in (where, words if quote else "") if part)
        return f"{says}（{inside}）" if inside else says
    where = where[:1].lower() + where[1:]
    inside = ": ".join(part for part in (where, words if quote else "") if part)
    return f"{says} ({inside})" if inside else says


def listed(numbers: list[int], language: Language) -> str:
    """Chapter numbers in running text."""
    joined = ("、" if language == "zh" else ", ").join(str(n) for n in numbers[:20])
    return joined if len(numbers) <= 20 else joined + (" 等" if language == "zh" else " and more")


def missing(what: str, language: Language) -> str:
    """A field that came back empty."""
    return f"{what} 是空的" if language == "zh" else f"{what} is empty"


def missing_chapters(numbers: list[int], language: Language) -> str:
    """Chapters of the outline that weren't given, or without an event."""
    text = listed(numbers, language)
    if language == "zh":
        return f"这些章没有写到或没有 event：{text}"
    return f"these chapters are missing or have no event: {text}"


def span_problem(first: int, last: int, expected: int, language: Language) -> str:
    """An arc that doesn't begin where the one before it ended, or ends before it begins."""
    if language == "zh":
        return f"第 {first}-{last} 章这一段应当从第 {expected} 章开始，并且 last 不小于 first"
    return f"the arc {first}-{last} must begin with chapter {expected} and not end before it begins"


def end_problem(covered: int, last: int, language: Language) -> str:
    """Arcs that stop too early or too late."""
    if language == "zh":
        return f"各段只排到第 {covered} 章，必须正好排到第 {last} 章"
    return f"the arcs end with chapter {covered}; they must end with chapter {last} exactly"
