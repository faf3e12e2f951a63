"""What a model wrote, fit for a file and a terminal."""

import unicodedata

_KEPT = "\n\t\u200c\u200d"
"""Of the control and format characters: the joiners make emoji and some scripts."""


def clean(text: str) -> str:
    """The text with line ends LF and without control, escape and direction characters.

    Half characters (lone surrogates), which no file can hold, are dropped too.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isprintable():
        return text
    return "".join(letter for letter in text if letter in _KEPT or not _unfit(letter))


def _unfit(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs")
