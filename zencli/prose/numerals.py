"""Numbers as headings write them: ``120``, ``１２``, 一百二十, 一二零, 廿三, CXX, Twenty-One."""

import re

MOST = 100_000
"""No chapter has a higher number: what reads as one is something else."""

CHINESE = "0-9０-９零〇○一二两兩三四五六七八九十百千廿卅"
"""The inside of a character class with every character of a Chinese number."""

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")}
_DIGITS |= {"〇": 0, "○": 0, "两": 2, "兩": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_TENS = {"廿": 20, "卅": 30}

_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

_ENGLISH = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth"
_ENGLISH_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {
    word: step * value
    for words, step in ((_ENGLISH, 1), (_ORDINALS, 1), (_ENGLISH_TENS, 10))
    for value, word in enumerate(words.split())
}
_WORD = "(?:" + "|".join(sorted([*_WORDS, "hundred"], key=len, reverse=True)) + ")"

ENGLISH = rf"[0-9]+|[IVXLCDM]+|{_WORD}(?:[ -](?:and )?{_WORD})*"
"""A pattern for every English number, to be searched whatever the case."""


def chinese_number(text: str) -> int | None:
    """The value of a number in Chinese or Arabic digits, None when it isn't one.

    Without a unit the digits stand by place: 一二零 is 120, as 一百二十 is.
    """
    if re.fullmatch("[0-9０-９]+", text):
        return _bounded(int(text))
    if text and all(char in _DIGITS for char in text):
        return _bounded(int("".join(str(_DIGITS[char]) for char in text)))
    total, digit = 0, None
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _UNITS:
            total += (1 if digit is None else digit) * _UNITS[char]
            digit = None
        elif char in _TENS:
            total += _TENS[char]
            digit = None
        else:
            return None
    return _bounded(total + (digit or 0)) if text else None


def chinese_numeral(number: int) -> str:
    """``number``, 0 to 999,999, as Chinese is written: 12 is 十二, 120 一百二十, 1005 一千零五."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        zero = "零" if 0 < low < 1000 else ""
        return f"{chinese_numeral(high)}万{zero}{_below_ten_thousand(low)}"
    return _below_ten_thousand(number).removeprefix("一" if 10 <= number < 20 else "") or "零"


def _below_ten_thousand(number: int) -> str:
    digits = "零一二三四五六七八九"
    text = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            text += f"{digits[digit]}{name}"
        elif text and not text.endswith("零"):
            text += "零"
    return text.rstrip("零")


def english_number(text: str) -> int | None:
    """The value of digits, a Roman numeral or words up to nine hundred and ninety-nine."""
    if re.fullmatch("[0-9]+", text):
        return _bounded(int(text))
    if text and _ROMAN.fullmatch(text.upper()):
        return _roman(text.upper())
    return _words(text)


def _roman(text: str) -> int:
    values = [_ROMAN_VALUES[char] for char in text]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def _words(text: str) -> int | None:
    """Words in a row that make one number; ``eight two`` and ``nineteen thirty`` are two."""
    total, room, found = 0, 1000, False
    for word in re.split(r"[\s-]+", text.casefold()):
        value = _WORDS.get(word, room)
        if value < room:
            total, found = total + value, True
            room = 10 if value >= 20 else 1
        elif word == "hundred" and 0 < total < 10:
            total, room = total * 100, 100
        elif word not in ("and", "the"):
            return None
    return total if found else None


def _bounded(value: int) -> int | None:
    return value if value <= MOST else None
