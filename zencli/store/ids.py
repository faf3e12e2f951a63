"""Names of books and character files made from titles: ASCII letters, digits and CJK letters."""

import re
import unicodedata
from collections.abc import Collection

_CJK = (
    "\u3005-\u3007"  # iteration mark, closing mark, the Chinese zero
    "\u3041-\u3096\u30a1-\u30fa\u30fc"  # kana and the long-vowel mark
    "\u3105-\u312f"  # bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"  # Han
    "\uac00-\ud7a3"  # hangul
)
# Not compiled before they are used: each takes a millisecond or two, and every command begins here.
_VALID = rf"(?!-)[a-z0-9_{_CJK}-]+"
_CJK_LETTER = rf"[{_CJK}]"
_OTHER = rf"[^a-z0-9{_CJK}]+"

MAX_CHARACTERS = 60
MAX_BYTES = 180
"""File systems allow 255 bytes a name; temporary siblings need some of them."""


def valid_book_id(text: str) -> bool:
    """Whether ``text`` may name a book: ``[a-z0-9_-]`` and CJK letters, no hyphen in front,
    at most 60 characters and 180 bytes of UTF-8."""
    return re.fullmatch(_VALID, text) is not None and _fits(text)


def book_id_from(title: str, taken: Collection[str] = ()) -> str:
    """A valid id that isn't in ``taken``: the title's letters with hyphens between."""
    return _free(_letters(title) or "book", taken)


def slug(name: str, taken: Collection[str] = ()) -> str:
    """A file name (without suffix) for a character's card that isn't in ``taken``."""
    return _free(_letters(name) or "character", taken)


def _fits(text: str) -> bool:
    return len(text) <= MAX_CHARACTERS and len(text.encode()) <= MAX_BYTES


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"['\u2019]", "", folded)
    plain = "".join(
        char if re.match(_CJK_LETTER, char) else _unaccented(char)
        for char in unicodedata.normalize("NFC", folded)
    )
    return re.sub(_OTHER, "-", plain).strip("-")


def _unaccented(char: str) -> str:
    decomposed = unicodedata.normalize("NFKD", char)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _free(stem: str, taken: Collection[str]) -> str:
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        cut = stem
        while not _fits(cut + suffix):
            cut = cut[:-1].rstrip("-")
        if cut + suffix not in taken:
            return cut + suffix
        number += 1
