"""Does anything stand in the prose that isn't story: talk about the book, marks, other scripts?"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from zencli.prose.count import HAN, count_words
from zencli.prose.finding import CheckContext, clipped, report, sentences_at
from zencli.prose.segment import quoted_spans
from zencli.story.findings import Finding, Severity

_ASSISTANT_LATIN = (
    r"\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b"
    r"|\bI(?:['’]m| am) (?:just |only )?an? (?:AI|(?:large )?language) (?:language )?model\b"
    r"|^\W*(?:Sure|Certainly|Of course|Absolutely)[,!.:]? +(?:here(?:['’]s| is)|I(?:['’]ll| can))\b"
    r"|^\W*Here(?:['’]s| is) (?:the|your|a) (?:\w+ ){0,2}(?:chapter|scene|draft|version|text)\b"
    r"|^\W*I(?:['’]m| am) sorry,? but I (?:can['’]t|cannot|am unable)\b"
    r"|\bI hope (?:this|you) (?:\w+ )?(?:chapter|version|draft|helps|enjoy)\b"
    r"|\blet me know if you(?:['’]d| would)? (?:like|want|need)\b"
    r"|</?think(?:ing)?>"
)
_ASSISTANT_MARKS = r"<\|[\w ]{2,20}\|>|\{\{[^{}\n]{1,40}\}\}"
_ASSISTANT_HAN = (
    r"作为(?:一个|一名|一款)?(?:AI|人工智能|大?语言模型|写作助手)"
    r"|^(?:好的|当然)[，,！!。]?(?:可以[，,。]?)?(?:以下|下面|这)(?:就)?是"
    r"|^以下(?:就)?[是为](?:第[^。\n]{1,8}章|正文"
    r"|(?:修改|改写|润色|续写|扩写)[^。\n]{0,6}(?:版|文|内容|章))"
    r"|希望[你您](?:能)?(?:喜欢|满意)(?:这|本)[^。\n]{0,4}[章篇版]"
    r"|希望(?:这|本)[^。\n]{0,4}[章篇版][^。\n]{0,4}(?:符合|满足)[你您]"
    r"|如(?:果|有|需)[^。\n]{0,8}(?:修改|调整|续写)[^。\n]{0,6}(?:告诉我|随时|请)"
)
_NUMBER = "[〇零一二三四五六七八九十百千两\\d]{1,6}"
_META_HAN = (
    r"未完待续|[（(【\[](?:待续|本章完|完)[）)】\]]|敬请期待|(?:全文|全书|本书|正文)完(?![成整全美])"
    rf"|第{_NUMBER}章|(?:上|下|本|前)一?章(?=[，。、：:里中的末结开讲说提写回完]|$)"
    r"|剧情需要|人物设定|各位读者|读者朋友|亲爱的读者"
    r"|^\W*(?:本章)?(?:字数|全文约|本章约)[^。\n]{0,4}[:：]?\s*\d+"
    r"|^\W*(?:作者(?:的话|有话说|按)|PS)[:：]|求(?:推荐票|月票|订阅|打赏)"
)
_META_LATIN = (
    r"\bto be continued\b|^\W*end of (?:chapter|part|scene)\b|^\W*chapter \d+\b"
    r"|\[(?:insert|todo|tbd)\b"
    r"|\bin (?:the|this|our|my) (?:previous|next|last) chapter\b(?! of)|^\W*word count\W"
    r"|^\W*author['’]s note\b|^\W*note to (?:the )?readers?\b|^\W*continued in (?:chapter|part)\b"
    r"|^\W*thank(?:s| you) for reading\b|\bplease leave a review\b"
)


class _Talk(NamedTuple):
    """What is looked for in a text of both scripts, of Latin letters alone, and of Han alone: what
    stands in none but one of them needs such a letter."""

    both: re.Pattern[str]
    latin: re.Pattern[str]
    han: re.Pattern[str]


def _talk(latin: str, han: str, marks: tuple[str, ...] = ()) -> _Talk:
    # without letters there is no case: such a pattern is several times as fast
    return _Talk(
        re.compile("|".join((latin, *marks, han)), re.IGNORECASE | re.MULTILINE),
        re.compile("|".join((latin, *marks)), re.IGNORECASE | re.MULTILINE),
        re.compile("|".join((*marks, han)), re.MULTILINE),
    )


_TALKS: tuple[tuple[_Talk, Severity, str], ...] = (
    (_talk(_ASSISTANT_LATIN, _ASSISTANT_HAN, (_ASSISTANT_MARKS,)), "critical", "assistant"),
    (_talk(_META_LATIN, _META_HAN), "warning", "meta-text"),
)
_LETTER = re.compile("[A-Za-z\u0130\u0131\u017f\u212a]")
"""What a Latin letter of a pattern may stand for when case doesn't count."""

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t\u3000]+\S[^\n]*", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)[^*\n]+\*\*|(?<!\w)__(?=\S)[^_\n]+__(?!\w)")
_ITEM = r"[ \t]*(?:[-+*•][ \t]+|\d{1,2}[.)][ \t]+|\d{1,2}、)(?=\S)[^\n]*"
_LIST = re.compile(rf"^{_ITEM}\n(?:[ \t]*\n)?{_ITEM}", re.MULTILINE)
_BLOCK = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*|^ {0,3}\|[^\n]*\|[^\n]*\|[ \t]*$", re.MULTILINE)
_MARKS = (("heading", _HEADING), ("list", _LIST), ("bold", _BOLD), ("block", _BLOCK))

_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f'’.,;:!?\- \t]*")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_HAN_RUN = re.compile(f"[{HAN}][{HAN}，。！？、：；]*")
_HAN_CHARACTER = re.compile(f"[{HAN}]")


def meta_text(text: str, context: CheckContext) -> Iterator[Finding]:
    """Outside of speech: a writing assistant's own words (critical), and the book's apparatus, such
    as its chapters, its readers, its serial (warning)."""
    spoken = quoted_spans(text)
    title = _title_end(text)
    latin, han = bool(_LETTER.search(text)), bool(_HAN_CHARACTER.search(text))
    for talk, severity, message in _TALKS:
        pattern = talk.han if not latin else talk.both if han else talk.latin
        for match in pattern.finditer(text, title):
            if any(start <= match.start() < end for start, end in spoken):
                continue
            place = match.start() + len(match.group()) - len(match.group().lstrip())
            quote = sentences_at(text, (place, match.end()), context.language)
            yield report(context, "meta-text", severity, message, quote=quote)


def _title_end(text: str) -> int:
    """Where the prose begins when the text starts with the chapter's own heading."""
    body = text.lstrip()
    start = len(text) - len(body)
    if not body.startswith("# "):
        return start
    line_end = text.find("\n", start)
    return len(text) if line_end < 0 else line_end + 1


def banned(text: str, context: CheckContext) -> Iterator[Finding]:
    """Each banned phrase that is used, in any case and as whole words (en): warning."""
    for phrase in dict.fromkeys(p.strip() for p in context.banned if p.strip()):
        pattern = re.escape(phrase)
        if context.language == "en":
            pattern = rf"(?<!\w){pattern}(?!\w)"
        places = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
        if places:
            quote = sentences_at(text, places[0], context.language)
            yield report(
                context, "banned", "warning", quote=quote, phrase=phrase, count=len(places)
            )


def markdown(text: str, context: CheckContext) -> Iterator[Finding]:
    """Headings after the first line, lists, bold, code and tables: one warning for each kind."""
    start = _title_end(text)
    for kind, pattern in _MARKS:
        matches = list(pattern.finditer(text, start))
        if matches:
            quote = clipped(text, matches[0].span(), context.language).strip()
            yield report(context, "markdown", "warning", kind, quote=quote, count=len(matches))


def other_language(text: str, context: CheckContext) -> Iterator[Finding]:
    """At least ``language.least`` Latin words (zh) or Han characters (en) that are
    ``language.share`` of the chapter, or in a Chinese book as many words in a row: warning."""
    zh = context.language == "zh"
    count = len((_LATIN_WORD if zh else _HAN_CHARACTER).findall(text))
    if count < max(context.limit("language.least"), 1):
        return
    units = max(1, count_words(text, context.language))
    longest = max((_LATIN_RUN if zh else _HAN_RUN).finditer(text), key=lambda m: len(m.group()))
    run = len(_LATIN_WORD.findall(longest.group())) if zh else 0
    if count / units >= context.limit("language.share") or run >= context.limit("language.least"):
        quote = clipped(text, longest.span(), context.language).strip()
        yield report(context, "language", "warning", quote=quote, count=count)
