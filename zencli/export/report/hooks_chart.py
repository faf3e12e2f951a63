"""The lifelines of the hooks: planted, advanced, paid or overdue, over the chapters."""

from collections.abc import Sequence

from zencli.export.report.chart import Draw, Drawn
from zencli.export.report.data import Lifeline
from zencli.export.report.scale import Scale, ticks
from zencli.export.report.svg import WIDE, clean, drawing, element, label, rule, shortened

MOST = 60
"""How many lines are drawn; the table has all."""
_ROW, _TOP = 18, 26


def ranked(hooks: Sequence[Lifeline]) -> list[Lifeline]:
    """Overdue ones first, then those still open, then the rest; each by chapter of planting."""
    ended = ("paid", "dropped")
    return sorted(hooks, key=lambda h: (not h.overdue, h.status in ended, h.planted, h.id))


def lifelines(
    hooks: Sequence[Lifeline], first: int, last: int, title: str, words: dict[str, str]
) -> Draw:
    """A row a hook over the chapters of the book, ``first`` to ``last``, and on to later dates."""
    shown = ranked(hooks)[:MOST]
    end = max(last, first + 1, *(h.due for h in shown if h.status not in ("paid", "dropped")))

    def draw(width: int) -> Drawn:
        left = 240 if width == WIDE else 120
        x = Scale(first, end, left, width - 12)
        height = _TOP + _ROW * len(shown) + 8
        parts = []
        for mark in ticks(end, 8 if width == WIDE else 4, whole=True):
            if first <= mark <= end:
                parts.append(rule(x(mark), _TOP - 6, x(mark), height - 4, "grid"))
                parts.append(label(x(mark), 14, f"{mark:g}"))
        for row, hook in enumerate(shown):
            parts.append(_row(hook, x, _TOP + _ROW * row + 8, left, last, words))
        points = [(_TOP + _ROW * row + 8, _told(hook, words)) for row, hook in enumerate(shown)]
        return Drawn(drawing(width, height, title, "".join(parts)), points, rows=True)

    return draw


def _row(hook: Lifeline, x: Scale, y: float, left: float, last: int, words: dict[str, str]) -> str:
    parts = [label(left - 8, y + 4, shortened(hook.promise or hook.id, left - 16), "end", "name")]
    ended = hook.status in ("paid", "dropped")
    kind = "overdue" if hook.overdue else hook.status
    if hook.planted:
        parts.append(rule(x(hook.planted), y, x(hook.last if ended else last), y, f"life {kind}"))
        parts.append(_dot(x(hook.planted), y, 4, f"planted {kind}"))
    parts += [_dot(x(at), y, 2.5, f"move {kind}") for at in hook.moves]
    if ended:
        parts.append(_dot(x(hook.last), y, 5, f"end {kind}"))
    elif hook.due:
        parts.append(rule(x(hook.due), y - 6, x(hook.due), y + 6, f"due {kind}"))
    return element("g", element("title", clean(_told(hook, words))) + "".join(parts))


def _told(hook: Lifeline, words: dict[str, str]) -> str:
    """All of a hook in one line."""
    dates = ((words["planted"], hook.planted), (words["last"], hook.last), (words["due"], hook.due))
    state = words["overdue" if hook.overdue else hook.status]
    told = [state, *(f"{word} {number}" for word, number in dates if number)]
    return f"{hook.promise or hook.id}: {words['between'].join(told)}"


def _dot(x: float, y: float, radius: float, kind: str) -> str:
    return element("circle", cx=x, cy=y, r=radius, class_=kind)
