"""What a line or a block of a view says, and the error for one that can't be read."""

from dataclasses import dataclass

from zencli.story.corrections import Kind


class Unreadable(ValueError):
    """A line that can't be read: its number in the file and why."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number}: {reason}")
        self.number = number
        self.reason = reason


@dataclass(frozen=True)
class Entry:
    """What a line or a block says: fields with one value, and those of the field with many.

    Two are equal when they say the same, wherever they stand.
    """

    kind: Kind
    key: str
    fields: dict[str, str]
    number: int
    many: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self._said() == other._said()

    __hash__ = None  # type: ignore[assignment]

    def _said(self) -> tuple[object, ...]:
        return self.kind, self.key, self.fields, self.many
