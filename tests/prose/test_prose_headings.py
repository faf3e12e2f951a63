"""Lines that are headings, lines that only look like it, and the numbers in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.headings import read_heading, without_label
from zencli.prose.numerals import chinese_number, english_number


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("第一章", 1),
        ("第12章 雨夜", 12),
        ("第一二零回", 120),
        ("第一百二十回 荐杜预老将献新谋　降孙皓三分归一统", 120),
        ("第０１话 初见", 1),
        ("第〇章", 0),
        ("第廿三章：渡口", 23),
        ("第一千零一章", 1001),
        ("第三節", 3),
        ("　　第十章　夜", 10),
        ("## 第十章 夜", 10),
        ("**第三章 你好吗？**", 3),
        ("【第三章】夜", 3),
        ("正文 第三章 然后……", 3),
        ("第一章宴桃园", 1),
        ("Chapter 1", 1),
        ("CHAPTER I.", 1),
        ("Chapter One: The Door", 1),
        ("CHAPTER XLII – The Sea", 42),
        ("Chapter Twenty-One", 21),
        ("CHAPTER 57. Of Whales in Paint; in Teeth; in Wood; in Sheet-Iron; in Stars.", 57),
        ("Chapter 3 The Return", 3),
        ("# Chapter 3", 3),
    ],
)
def test_a_chapter_is_read_with_its_number(line: str, number: int) -> None:
    heading = read_heading(line)
    assert heading is not None
    assert (heading.kind, heading.number) == ("chapter", number)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("楔子", "prologue"),
        ("序章 风起", "prologue"),
        ("序", "prologue"),
        ("Prologue", "prologue"),
        ("PROLOGUE.", "prologue"),
        ("尾声", "epilogue"),
        ("番外一 雪", "epilogue"),
        ("Epilogue: Home", "epilogue"),
        ("第一卷 风起", "volume"),
        ("第一卷风起", "volume"),
        ("卷二", "volume"),
        ("第二部", "volume"),
        ("Volume I", "volume"),
        ("Part One", "volume"),
        ("BOOK THE FIRST", "volume"),
    ],
)
def test_what_stands_around_chapters_is_read_too(line: str, kind: str) -> None:
    heading = read_heading(line)
    assert heading is not None
    assert heading.kind == kind


@pytest.mark.parametrize(
    "line",
    [
        "",
        "第一回见到她的时候，我还小。",
        "第三回合",
        "第一部分",
        "第一部电影",
        "第十集团军出发",
        "序列号",
        "前言不搭后语",
        "Chapter I went to sea in was long ago.",
        "chapter 1 was long.",
        "Chapter seven of the manual said so, and more.",
        "Part of the ship",
        "Part of the chapter 3",
        "Book learning is nothing.",
        "Prologues are long",
        "第一章 " + "很长" * 40,
        "第999999999章",
    ],
)
def test_a_sentence_is_no_heading(line: str) -> None:
    assert read_heading(line) is None


@pytest.mark.parametrize(
    ("line", "volume", "number"),
    [
        ("第二卷 风起 第一章 初遇", "第二卷 风起", 1),
        ("Part One: The Sea Chapter 4", "Part One: The Sea", 4),
    ],
)
def test_a_volume_may_stand_in_the_same_line(line: str, volume: str, number: int) -> None:
    heading = read_heading(line)
    assert heading is not None
    assert (heading.volume, heading.number) == (volume, number)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("第12章 雨夜", "雨夜"),
        ("Chapter 3: The Door", "The Door"),
        ("第3章", ""),
        ("雨夜", "雨夜"),
        ("Epilogue", "Epilogue"),
    ],
)
def test_a_title_without_its_number(text: str, bare: str) -> None:
    assert without_label(text) == bare


@given(st.integers(0, 9999))
def test_chinese_numbers_read_back(value: int) -> None:
    digits = "零一二三四五六七八九"
    by_place = "".join(digits[int(d)] for d in str(value))
    assert chinese_number(by_place) == value
    assert chinese_number(str(value)) == value
    assert chinese_number(_spelt(value)) == value


def _spelt(value: int) -> str:
    digits, text, gap = "零一二三四五六七八九", "", False
    for unit, size in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit = value // size % 10
        if digit:
            text += ("零" if gap and text else "") + digits[digit] + unit
        gap = not digit
    return text or "零"


@pytest.mark.parametrize(
    ("text", "value"),
    [("十", 10), ("两百", 200), ("十九", 19), ("卅", 30), ("１２", 12), ("千零一", 1001)],
)
def test_chinese_numbers_in_their_other_forms(text: str, value: int) -> None:
    assert chinese_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("iv", 4),
        ("CXX", 120),
        ("MCMXC", 1990),
        ("forty-two", 42),
        ("One Hundred and Twenty", 120),
        ("zero", 0),
        ("eight two", None),
        ("nineteen thirty-one", None),
        ("IIII", None),
        ("of", None),
        ("", None),
        ("and", None),
    ],
)
def test_english_numbers(text: str, value: int | None) -> None:
    assert english_number(text) == value
