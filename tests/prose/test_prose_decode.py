"""Bytes as text: the encoding is told by what makes sense, and nothing is replaced."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.decode import decode

SIMPLE = (
    "第一章　雨夜\n\n　　门外的雨下了一夜，他说这里没有人来过。她问：“你为什么还在等？”他不知道。\n"
)
TRADITIONAL = (
    "第一章　雨夜\n\n　　門外的雨下了一夜，他說這裡沒有人來過。她問：「你為什麼還在等？」\n"
)
ENGLISH = (
    "Chapter 1\n\nHe said, “don’t” — it was late at the café, and nobody came that night at all.\n"
)


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (SIMPLE, "utf-8", "UTF-8"),
        (SIMPLE, "utf-8-sig", "UTF-8"),
        (SIMPLE, "gb18030", "GB18030"),
        (SIMPLE, "gbk", "GB18030"),
        (TRADITIONAL, "gb18030", "GB18030"),
        (TRADITIONAL, "big5", "Big5"),
        (SIMPLE, "utf-16", "UTF-16 LE"),
        (SIMPLE, "utf-16-le", "UTF-16 LE"),
        (SIMPLE, "utf-16-be", "UTF-16 BE"),
        (ENGLISH, "utf-16-le", "UTF-16 LE"),
        (ENGLISH, "utf-16-be", "UTF-16 BE"),
        (ENGLISH, "utf-8", "UTF-8"),
        (ENGLISH, "cp1252", "Windows-1252"),
    ],
)
def test_the_encoding_is_told(text: str, codec: str, name: str) -> None:
    assert decode(text.encode(codec)) == (text, name)


def test_marks_in_front_are_believed_and_taken_off() -> None:
    assert decode(codecs.BOM_UTF16_BE + SIMPLE.encode("utf-16-be")) == (SIMPLE, "UTF-16 BE")
    assert decode(codecs.BOM_UTF32_LE + SIMPLE.encode("utf-32-le")) == (SIMPLE, "UTF-32 LE")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "utf-16"])
def test_line_ends_become_one(end: str, codec: str) -> None:
    assert decode(SIMPLE.replace("\n", end).encode(codec)).text == SIMPLE


@given(st.text().map(lambda text: text.replace("\r", "").replace("\0", "").lstrip("\ufeff")))
def test_utf8_is_kept_character_for_character(text: str) -> None:
    assert decode(text.encode()) == (text, "UTF-8")


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)),
        b"\xff\xfe\x00",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\x80\x81\xff" * 50,
        SIMPLE.encode() + b"\xff",
        "龘靐齉爩鱻麤".encode("gb18030") * 20,
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"text|fails"):
        decode(data)


def test_a_broken_byte_is_named_by_its_place() -> None:
    broken = codecs.BOM_UTF8 + b"one\ntwo \xff three"
    with pytest.raises(ValueError, match=r"UTF-8 it fails at byte 9, line 2"):
        decode(broken)
