"""Names of files that any system takes and that say what a chapter is."""

import re
import unicodedata

from zencli.export.manuscript import one_line

MADE = re.compile(r"\d{4,6} ?[^/]*\.(?:txt|md)")
"""What ``file_name`` makes."""

_INSTEAD = str.maketrans('/\\:*?"<>|', "／＼：＊？＂＜＞｜")
_MOST_BYTES = 180
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")


def file_name(number: int, heading: str, ending: str, latest: int) -> str:
    """``0012 第12章 归人.txt``: the number first, with as many digits as ``latest`` has, so that
    names stand in the order of reading.

    What a system forbids in names is written full-width, what can't be seen is left out, and a long
    heading is cut.
    """
    shown = one_line(heading).translate(_INSTEAD)
    seen = "".join(letter for letter in shown if unicodedata.category(letter) not in _HIDDEN)
    seen = seen.encode()[:_MOST_BYTES].decode(errors="ignore")
    width = max(4, len(str(latest)))
    return f"{number:0{width}d} {seen}".rstrip(" .") + f".{ending}"
