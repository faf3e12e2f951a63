"""``[checks]`` of ``book.toml``: checks turned off, other thresholds, the author's own words."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from zencli.errors import UsageError
from zencli.prose.checks import CHECKS
from zencli.prose.thresholds import THRESHOLDS
from zencli.prose.wordlists import Words

_KEYS = ("disable", "thresholds", "add", "remove")


@dataclass(frozen=True)
class CheckSettings:
    """What the author changed about the checks of a book."""

    disabled: frozenset[str] = frozenset()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    words: Words = field(default_factory=Words)


def check_settings(book: Mapping[str, Any]) -> CheckSettings:
    """The settings in a raw ``book.toml``.

    Raises ``UsageError`` ``usage.config`` that names the key and says what is allowed.
    """
    table = book.get("checks", {})
    if not isinstance(table, dict):
        raise _wrong("checks", "must be a table", "Write [checks] and its keys below it.")
    for key in table:
        if key not in _KEYS:
            raise _unknown(f"checks.{key}", "key", key, _KEYS)
    disabled = _texts(table, "disable")
    for check in disabled:
        if check not in CHECKS:
            raise _unknown("checks.disable", "check", check, CHECKS)
    given = table.get("thresholds", {})
    if not isinstance(given, dict):
        raise _wrong("checks.thresholds", "must be a table", 'As in "ai-typical.warn" = 6.')
    return CheckSettings(
        disabled=frozenset(disabled),
        thresholds={name: _threshold(name, value) for name, value in _flat(given)},
        words=Words(
            added=tuple(_texts(table, "add")),
            removed=frozenset(word.lower() for word in _texts(table, "remove")),
        ),
    )


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """``ai-typical.warn = 6`` without quotation marks is a table in a table."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", each) for inner, each in value.items())
        else:
            yield name, value


def _threshold(name: str, value: Any) -> float:
    if name not in THRESHOLDS:
        raise _unknown("checks.thresholds", "threshold", name, THRESHOLDS)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:
        raise _wrong(f"checks.thresholds: {name}", f"must be a number from 0 up, not {value!r}", "")
    return float(value)


def _texts(table: Mapping[str, Any], key: str) -> list[str]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(v, str) and v.strip() for v in values):
        raise _wrong(f"checks.{key}", "must be a list of words", f'As in {key} = ["...", "..."].')
    return [value.strip() for value in values]


def _unknown(where: str, what: str, name: str, known: Iterable[str]) -> UsageError:
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    meant = f"; did you mean {near[0]}?" if near else "."
    return _wrong(where, f"there is no {what} {name}", f"There are {', '.join(names)}.", meant)


def _wrong(where: str, problem: str, hint: str, end: str = ".") -> UsageError:
    return UsageError("usage.config", f"book.toml: {where}: {problem}{end}", hint)
