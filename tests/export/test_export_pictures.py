"""Knowing a picture by its content."""

import struct

import pytest
from export_samples import png
from hypothesis import given
from hypothesis import strategies as st

from zencli.export.pictures import MOST_BYTES, read_picture

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"{}>{}</svg>'
)
SIZE = ' width="120" height="80px"'
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x04ab" + b"\xff\xc0" + struct.pack(">HBHHB", 8, 8, 80, 120, 1)
    + b"scan" + b"\xff\xd9"
)  # fmt: skip
GIF = b"GIF89a" + struct.pack("<HH", 120, 80) + b"\0\0\0;"
WEBP = b"RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\x77\0\0" + b"\x4f\0\0"


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (png(), "png", (600, 800)),
        (JPEG, "jpeg", (120, 80)),
        (GIF, "gif", (120, 80)),
        (WEBP, "webp", (120, 80)),
        (SVG.format(SIZE, "<rect/>").encode(), "svg", (120, 80)),
        (SVG.format(' viewBox="0 0 120 80"', "").encode(), "svg", (120, 80)),
        (SVG.format(SIZE, '<use xlink:href="#a"/>').encode(), "svg", (120, 80)),
        (SVG.format(SIZE, '<g style="fill:url(#a)"/>').encode(), "svg", (120, 80)),
    ],
)
def test_kind_and_size_are_known(data, kind, size):
    picture = read_picture(data)
    assert (picture.kind, (picture.width, picture.height)) == (kind, size)
    assert picture.data == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "neither PNG"),
        (b"BM nothing", "neither PNG"),
        (png()[:60], "cut off"),
        (JPEG[:9], "cut off"),
        (JPEG[:-2], "cut off"),
        (GIF[:8], "cut off"),
        (GIF.replace(struct.pack("<H", 120), b"\0\0"), "no size"),
        (b"<html></html>", "neither PNG"),
        (b"<svg", "can be read"),
        (SVG.format("", "").encode(), "viewBox"),
        (SVG.format(SIZE, "<script>x()</script>").encode(), "scripts"),
        (SVG.format(SIZE + ' onload="x()"', "").encode(), "scripts"),
        (SVG.format(SIZE, '<image href="http://example.org/a.png"/>').encode(), "links"),
        (SVG.format(SIZE, '<a xlink:href="javascript:x"/>').encode(), "links"),
        (SVG.format(SIZE, "<foreignObject/>").encode(), "scripts"),
        (SVG.format(SIZE, "<style>@import 'a.css'</style>").encode(), "links"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format(SIZE, "").encode(), "document type"),
        (png() + b"\0" * MOST_BYTES, "larger than 4 MB"),
    ],
)
def test_what_can_not_be_used_is_refused_with_a_reason(data, reason):
    with pytest.raises(ValueError, match=reason):
        read_picture(data)


@given(st.sampled_from([png(), JPEG, GIF, WEBP, SVG.format(SIZE, "").encode()]), st.data())
def test_a_cut_or_changed_picture_is_known_or_refused(whole, data):
    cut = bytearray(whole[: data.draw(st.integers(0, min(len(whole), 200)))])
    if cut:
        cut[data.draw(st.integers(0, len(cut) - 1))] = data.draw(st.integers(0, 255))
    try:
        picture = read_picture(bytes(cut))
    except ValueError:
        return
    assert picture.width > 0
    assert picture.height > 0
