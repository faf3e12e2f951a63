"""The ZIP archive of an EPUB, byte for byte the same for the same files.

Made by hand because members that were compressed before are put in as they are.
"""

import struct
import zlib
from collections.abc import Mapping
from typing import NamedTuple

_EARLIEST = 0x0021
"""1 January 1980 as ZIP writes dates."""

_STORED, _DEFLATED = 0, 8
_VERSION = 20
_UNIX = 3 << 8
_READABLE = 0o100644 << 16
_FULL = 0xFFFF
_FULL_LONG = 0xFFFFFFFF


class Packed(NamedTuple):
    """A member: its bytes as they stand in the archive; ``size`` and ``crc`` of the content."""

    data: bytes
    size: int
    crc: int
    deflated: bool


def packed(content: bytes, *, deflate: bool = True) -> Packed:
    """Compress a file's content, or keep it as it is."""
    if not deflate:
        return Packed(content, len(content), zlib.crc32(content), deflated=False)
    deflater = zlib.compressobj(6, zlib.DEFLATED, -15)
    data = deflater.compress(content) + deflater.flush()
    return Packed(data, len(content), zlib.crc32(content), deflated=True)


def archive(members: Mapping[str, Packed]) -> bytes:
    """The archive with ``mimetype`` first and the other members by name, all of one date.

    Names are ASCII. Raises ValueError when it would pass 4 GB.
    """
    parts: list[bytes] = []
    directory: list[bytes] = []
    at = 0
    for name in sorted(members, key=lambda name: (name != "mimetype", name)):
        member, raw = members[name], name.encode("ascii")
        common = _common(member, len(raw))
        head = struct.pack("<IH", 0x04034B50, _VERSION) + common
        directory.append(
            struct.pack("<IHH", 0x02014B50, _UNIX | _VERSION, _VERSION)
            + common
            + struct.pack("<HHHII", 0, 0, 0, _READABLE, at)
            + raw
        )
        parts += [head, raw, member.data]
        at += len(head) + len(raw) + len(member.data)
        if at > _FULL_LONG:
            raise ValueError("the archive would be larger than 4 GB")
    listing = b"".join(directory)
    return b"".join([*parts, listing, _end(len(members), len(listing), at)])


def _common(member: Packed, name: int) -> bytes:
    """What the local header and the directory say alike, from the flags to the extra field."""
    method = _DEFLATED if member.deflated else _STORED
    lengths = (member.crc, len(member.data), member.size)
    return struct.pack("<HHHHIIIHH", 0, method, 0, _EARLIEST, *lengths, name, 0)


def _end(count: int, size: int, at: int) -> bytes:
    """The end of the directory; ZIP64 says there are more members than two bytes can count."""
    told = min(count, _FULL)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, told, told, size, at, 0)
    if count < _FULL:
        return end
    long_end = struct.pack(
        "<IQHHIIQQQQ", 0x06064B50, 44, _UNIX | 45, 45, 0, 0, count, count, size, at
    )
    return long_end + struct.pack("<IIQI", 0x07064B50, 0, at + size, 1) + end
