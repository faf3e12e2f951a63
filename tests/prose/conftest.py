"""Prose that repeats nothing: invented words (en) or drawn characters (zh) in uneven sentences."""

import random
from collections.abc import Callable

import pytest

from zencli.story.book import Language

Prose = Callable[..., str]

_PLAIN_ZH = [chr(code) for code in range(0x5200, 0x5600)]
_SYLLABLES = [c + v + e for c in "bdfgklmnprtv" for v in "aeiou" for e in ("", "n", "r", "st")]


def _word(source: random.Random, language: Language) -> str:
    if language == "zh":
        return source.choice(_PLAIN_ZH)
    return "".join(source.choice(_SYLLABLES) for _ in range(3))


def _sentence(source: random.Random, language: Language, size: int) -> str:
    words = [_word(source, language) for _ in range(size)]
    if language == "zh":
        return "".join(words) + "。"
    return " ".join(words).capitalize() + "."


def make_prose(
    language: Language, sentences: int = 120, seed: int = 1, sizes: tuple[int, ...] = (4, 9, 17, 40)
) -> str:
    """``sentences`` sentences whose words come to ``sizes`` in turn, five to a paragraph."""
    source = random.Random(f"{language}{seed}")
    made = [_sentence(source, language, sizes[i % len(sizes)]) for i in range(sentences)]
    glue = "" if language == "zh" else " "
    return "\n\n".join(glue.join(made[i : i + 5]) for i in range(0, len(made), 5)) + "\n"


@pytest.fixture
def prose() -> Prose:
    return make_prose
