"""Trying again what may pass: how often, and how long to wait before."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 60.0
"""A server that asks for more seconds than this isn't waited for."""

BUSY_TIMES = 4.0


@dataclass(frozen=True)
class Patience:
    """How often a failed call is tried again, and the seconds before the first time.

    Each wait is twice the one before, less or more by up to a quarter, so that programs that were
    refused together don't come back together.
    """

    retries: int = 4
    first_wait: float = 0.5
    sleep: Callable[[float], None] = time.sleep

    def wait(self, attempt: int, asked: float, *, busy: bool = False) -> float:
        """Seconds before the retry number ``attempt``, from 0; ``asked`` is the server's wish.

        A server that is ``busy`` with too many requests is given four times as long.
        """
        own = self.first_wait * 2.0**attempt * (BUSY_TIMES if busy else 1.0)
        return max(asked, own * random.uniform(0.75, 1.25))


def retry_after(value: str, now: datetime | None = None) -> float:
    """Seconds that a ``Retry-After`` asks for, in seconds or as a date; 0 for anything else."""
    text = value.strip()
    if text.replace(".", "", 1).isdecimal():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
