"""Which language the author is spoken to in."""

import re

from zencli.prose.count import HAN
from zencli.story.book import Language

_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(r"[A-Za-zÀ-ɏ]{2,}")
_NOT_SAID = re.compile(
    r"```.*?```|`[^`\n]*`|https?://\S+|\S*/\S+|\b[\w-]+\.(?:md|txt|toml|epub)\b|[“「\"][^”」\"\n]*[”」\"]",
    re.DOTALL,
)
_EITHER = {"ok", "okay", "yes", "no", "go", "epub", "txt", "md", "zh", "en"}
"""Words that an author of any language types."""

_CHINESE = set("把的了吗呢吧请我你他她它这那是不和给成里写改在有到再也都要说看")
_HOLDING = """
the a an to of and or in on with for is are be it this that please write change rename make his her
my your from into not no do don't
"""
_ENGLISH = set(_HOLDING.split())
"""What holds a sentence together, and so tells its language when names of another stand in it."""


def reply_language(message: str, book: Language) -> Language:
    """The language of the author's message; the book's when the message shows none.

    Quotations, code and paths aren't the author's own words and count only when there is nothing
    else. A message with a Chinese sentence and English names is Chinese.
    """
    own = _NOT_SAID.sub(" ", message)
    return _shown(own) or _shown(message) or book


def _shown(text: str) -> Language | None:
    words = [word for word in _WORD.findall(text) if word.lower() not in _EITHER]
    han = _HAN.findall(text)
    if not han:
        return "en" if words else None
    if not words:
        return "zh"
    chinese = sum(letter in _CHINESE for letter in han)
    english = sum(word.lower() in _ENGLISH for word in words)
    if chinese != english:
        return "zh" if chinese > english else "en"
    return "zh" if len(han) >= len(words) else "en"
