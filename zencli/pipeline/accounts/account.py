"""The account of one run: its limits, where its calls are put down, how its models count."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from zencli.llm.budget import Meter
from zencli.llm.rates import Rates
from zencli.llm.types import Usage
from zencli.pipeline.configuration.models import ModelPool
from zencli.pipeline.configuration.settings import ROLES, Settings
from zencli.store.atomic import write_atomic
from zencli.store.calls import CALLS, Call, CallFile
from zencli.store.paths import MACHINE
from zencli.store.runs import RunLog

RATES = f"{MACHINE}/rates.json"
"""In the workspace: how many tokens each model makes of a character, as learnt from its replies."""

_WRITING = ("architect", "planner", "writer", "auditor", "reviser", "normaliser", "settler")
_ROLES_OF = {
    "init-book": ("architect",),
    "write-next": _WRITING,
    "revise": _WRITING,
    "audit": ("auditor",),
    "sync": ("settler",),
    "import": ("settler",),
    "repair": ("settler",),
}
"""Which roles a verb may ask; any other verb may ask all."""


@dataclass(frozen=True)
class Account:
    """``calls`` are the book's, or the workspace's while the book is being planned."""

    root: Path
    calls: CallFile
    meter: Meter
    rates: Rates

    def close(self) -> None:
        """Remember what was learnt of the models; a disk that refuses it costs a guess."""
        known, grown = self.rates.to_json(), self.rates.grown().to_json()
        if grown != known:
            path = self.root / RATES
            data = json.dumps({**_stored(self.root), **grown}, sort_keys=True)
            with suppress(OSError):
                path.parent.mkdir(exist_ok=True)
                write_atomic(path, data.encode())


def open_account(
    root: Path, home: Path, settings: Settings, log: RunLog | None, *, new_book: bool
) -> Account:
    """The account of a run that begins now. ``home`` is the folder of the book or workspace.

    A run that goes on from an earlier one counts tokens as that one did: its prompts must come out
    the same.
    """
    calls = CallFile(home / CALLS)
    budget = settings.budget
    limited = not new_book and (budget.max_cost is not None or budget.max_tokens is not None)
    spent = total(calls.read()) if limited else Usage()
    meter = Meter(settings.max_cost, settings.max_tokens, budget=budget, spent=spent)
    before = log.note_before("rates") if log is not None else None
    rates = Rates.from_json(_stored(root) if before is None else before)
    if log is not None and rates.to_json():
        log.note("rates", rates.to_json())
    return Account(root, calls, meter, rates)


def check_prices(meter: Meter, verb: str, pool: ModelPool) -> None:
    """Raise ``BudgetError`` when a limit on money can't be kept for want of a price."""
    if meter.limits_cost:
        roles = _ROLES_OF.get(verb, ROLES)
        meter.check_prices(profile for role in roles for profile in pool.profiles(role))


def total(calls: list[Call]) -> Usage:
    """What these calls took; those that were read back were paid for before."""
    paid = [call for call in calls if not call.recalled]
    costs = [call.cost for call in paid if call.cost is not None]
    return Usage(
        calls=len(paid),
        input_tokens=sum(call.input for call in paid),
        cached_tokens=sum(call.cached for call in paid),
        output_tokens=sum(call.output for call in paid),
        reasoning_tokens=sum(call.reasoning for call in paid),
        seconds=sum(call.seconds for call in paid),
        cost=sum(costs) if costs else None,
    )


def _stored(root: Path) -> dict[str, object]:
    try:
        data = json.loads((root / RATES).read_bytes())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
