"""The Runners that ``sub_agent`` works with: parts of one turn, within its command's limits."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from zencli.llm.budget import Meter
from zencli.llm.types import Model, Usage
from zencli.pipeline.configuration.settings import Overrides
from zencli.pipeline.events import Listener
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions

WAIT = 30.0
"""Seconds that a verb waits for a book which another run holds."""


@dataclass
class SubRunners:
    """Makes Runners whose commits belong to the run ``part_of``, and knows what they took."""

    root: Path
    options: RunOptions
    part_of: str
    confirmed: bool
    model: Model | None
    listener: Listener
    clock: Callable[[], datetime]
    environ: "os._Environ[str] | dict[str, str]"
    meter: Meter
    made: list[Runner] = field(default_factory=list)
    _settled: int = 0

    def runner(self) -> Runner:
        """A Runner for one verb."""
        self.settle()
        options = replace(
            self.options,
            wait=WAIT,
            confirmed=self.confirmed,
            part_of=self.part_of,
            overrides=_left(self.options.overrides, self.meter.usage),
        )
        made = Runner(
            self.root,
            options,
            model=self.model,
            listener=self.listener,
            clock=self.clock,
            environ=self.environ,
        )
        self.made.append(made)
        return made

    def settle(self) -> None:
        """Count what they took towards the turn, each once; call it when none is at work."""
        for one in self.made[self._settled :]:
            self.meter.usage += one.usage
        self._settled = len(self.made)

    @property
    def warnings(self) -> list[str]:
        """What all of them told."""
        return [text for one in self.made for text in one.warnings]


def _left(overrides: Overrides, spent: Usage) -> Overrides:
    """The limits of this command, less what the turn took so far."""
    tokens, cost = overrides.max_tokens, overrides.max_cost
    used = spent.input_tokens + spent.output_tokens
    return replace(
        overrides,
        max_tokens=None if tokens is None else max(tokens - used, 0),
        max_cost=None if cost is None else max(cost - (spent.cost or 0.0), 0.0),
    )
