"""What a revised chapter must still do for the story, by the sentences that it rests on."""

from collections.abc import Callable

from zencli.prose.locate import locate
from zencli.story.book import Language
from zencli.story.delta import CharacterChange, Delta, HookEvent

_DONE: dict[str, int] = {"plant": 1, "advance": 1, "defer": 1, "drop": 2, "pay": 2}
"""What was paid or dropped may not become open again."""

_NO_FATE = ("", "活着", "健在", "alive", "living", "well")


def kept_events(old: Delta | None, new: Delta, prose: str) -> Delta:
    """``new`` with the hook events of the old delta whose sentence still stands in the prose.

    A settler that leaves out what the text still says would make a hook vanish.
    """
    if old is None:
        return new
    told = {step.id for step in new.hooks}
    left = [
        step for step in old.hooks if step.id not in told and locate(prose, step.quote) is not None
    ]
    return new.model_copy(update={"hooks": [*new.hooks, *left]}) if left else new


def lost_events(
    old: Delta | None, new: Delta, prose: str, called: Callable[[str], str], language: Language
) -> list[str]:
    """What the chapter did and the revised prose no longer does, one phrase each.

    An event is a hook that it planted, moved or paid, or somebody's fate (dead, missing). It is
    kept when its old sentence still stands, or when the new delta, which rests on quotes, tells it
    too. ``called`` maps a name to the one on the card.
    """
    if old is None:
        return []
    now = {step.id: step for step in new.hooks}
    hooks = [s for s in old.hooks if s.id and _gone(s, now.get(s.id)) and not _stands(s, prose)]
    fates = {called(c.name) for c in new.characters if c.status}
    people = [
        c
        for c in old.characters
        if c.status.lower() not in _NO_FATE and called(c.name) not in fates
        if not _stands(c, prose)
    ]
    return [_hook(s, language) for s in hooks] + [f"{c.name}: {c.status}" for c in people]


def _stands(told: HookEvent | CharacterChange, prose: str) -> bool:
    return locate(prose, told.quote) is not None


def _gone(before: HookEvent, after: HookEvent | None) -> bool:
    return after is None or _DONE[after.do] < _DONE[before.do]


def _hook(step: HookEvent, language: Language) -> str:
    words = {"plant": "种下", "advance": "推进", "defer": "推迟", "drop": "放下", "pay": "兑现"}
    done = words[step.do] if language == "zh" else step.do
    return f"{step.id} ({done})"
