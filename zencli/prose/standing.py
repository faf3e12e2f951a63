"""What the book says of people, things and promises as a chapter begins, for the checks of it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from zencli.prose.quantities import Quantity, quantity_in
from zencli.story.book import Language
from zencli.story.foundation import Character
from zencli.story.plan import Plan
from zencli.story.state import CharacterState, Hook, State

_DEAD = (
    r"死亡|已死|身亡|死于|死在|战死|病死|处死|^死|死了|已故|亡故|身故|去世|过世|牺牲|阵亡|毙命|殒命"
    r"|[殒陨]落|遇害|丧命|被杀|遇难|咽气"
    r"|\b(?:dead|died|dies|deceased|killed|slain|murdered|executed)\b"
)
_NOT_DEAD = (
    r"[未没不假诈装半濒垂]死|未亡|[没未]有?死|生死|复活|死而复生|还魂|重生|鬼|魂|亡灵|幽灵|疑"
    r"|可能|据说|传闻|以为"
    r"|误传|险些|几乎|差点|如果|死里逃生"
    r"|\b(?:not|un|half|nearly|almost|presumed|believed|thought|said|reported|rumou?red|feign\w*"
    r"|fak\w+|ghost|spirit|revived|resurrected|undead|left for|if|may|might|wants?|wished?)\b"
)
_AWAY = (
    r"失踪|昏迷|不省人事|被俘|被囚|被关|囚禁|关押|远行|离开了?|已离|在外地|出走|流放|下落不明"
    r"|\b(?:missing|unconscious|comatose|captive|captured|imprisoned|exiled|abroad|away|left "
    r"town)\b"
)
_NOT_AWAY = (
    r"苏醒|醒来|醒了|归来|回来|获救|找到|逃出|释放|返回"
    r"|\b(?:awake|woke|back|returned|freed|found|rescued|escaped|released)\b"
)
_TITLED = """
Mr Mrs Ms Miss Dr Sir Lord Lady Captain Colonel Sergeant King Queen Prince Princess Father Mother
Brother Sister Uncle Aunt Old Young The Professor Doctor Inspector Detective
"""
_TITLES = frozenset(_TITLED.split())
_LEAST_NAME = {"zh": 2, "en": 3}


@dataclass(frozen=True)
class Counted:
    """A thing whose number the story has established; ``owners`` as they may be called."""

    owners: tuple[str, ...]
    item: str
    quantity: Quantity
    told: str


@dataclass(frozen=True)
class Overdue:
    """A promise whose last chapter has passed."""

    id: str
    promise: str
    due: int


@dataclass(frozen=True)
class Standing:
    """``people``: every name by which somebody is known. ``dead`` and ``away`` map what somebody is
    called to the name on the card.
    ``planned``: whom the chapter's plan puts on stage, None without a plan; ``answered``: hooks
    that the plan deals with."""

    people: frozenset[str] = frozenset()
    dead: Mapping[str, str] = field(default_factory=dict)
    away: Mapping[str, str] = field(default_factory=dict)
    planned: frozenset[str] | None = None
    counted: tuple[Counted, ...] = ()
    overdue: tuple[Overdue, ...] = ()
    answered: frozenset[str] = frozenset()


def standing(
    state: State,
    cards: Iterable[Character],
    number: int,
    language: Language,
    *,
    plan: Plan | None = None,
) -> Standing:
    """What chapter ``number`` must agree with; ``state`` is as of the chapter before it."""
    aliases = {c.name: tuple(c.aliases) for c in cards if c.name}
    names = tuple(dict.fromkeys([*aliases, *state.characters]))
    called = _all_called(names, tuple(aliases.items()), language)
    others = [n for r in state.relations.values() for n in (r.a, r.b)]
    others += [item.owner for item in state.items.values()]
    others += [*plan.names(), *plan.new] if plan else []
    return Standing(
        people=frozenset([name for many in called.values() for name in many] + others) - {""},
        dead=_where(called, state.characters, _is_dead),
        away=_where(called, state.characters, _is_away),
        planned=frozenset(plan.names()) if plan else None,
        counted=tuple(_counted(state, called, language)),
        overdue=tuple(_overdue(state.hooks.values(), number)),
        answered=frozenset(step.id for step in plan.hooks) if plan else frozenset(),
    )


@lru_cache(maxsize=4)
def _all_called(
    names: tuple[str, ...], aliases: tuple[tuple[str, tuple[str, ...]], ...], language: Language
) -> Mapping[str, tuple[str, ...]]:
    """How each person may be called in the prose. What could mean two people means none of them."""
    known = dict(aliases)
    called = {n: [n, *known.get(n, ()), *_parts(n, language)] for n in names}
    uses: dict[str, set[str]] = {}
    for name, many in called.items():
        for one in many:
            uses.setdefault(one, set()).add(name)
    least = _LEAST_NAME[language]
    return {
        name: tuple(o for o in dict.fromkeys(many) if len(uses[o]) == 1 and len(o) >= least)
        for name, many in called.items()
    }


def _parts(name: str, language: Language) -> list[str]:
    if language == "zh":
        return []
    words = [w for w in re.findall(r"[^\W\d_]+", name) if w not in _TITLES and w[:1].isupper()]
    return words if len(words) > 1 else []


@lru_cache(maxsize=4096)
def _is_dead(status: str) -> bool:
    found = re.search(_DEAD, status, re.IGNORECASE)
    return bool(found) and not re.search(_NOT_DEAD, status, re.IGNORECASE)


@lru_cache(maxsize=4096)
def _is_away(status: str) -> bool:
    found = re.search(_AWAY, status, re.IGNORECASE)
    if not found or _is_dead(status):
        return False
    return not re.search(_NOT_AWAY, status, re.IGNORECASE)


def _where(
    called: Mapping[str, Sequence[str]],
    people: Mapping[str, CharacterState],
    holds: Callable[[str], bool],
) -> dict[str, str]:
    return {
        one: name
        for name, many in called.items()
        if name in people and holds(people[name].status)
        for one in many
    }


def _counted(
    state: State, called: Mapping[str, tuple[str, ...]], language: Language
) -> Iterable[Counted]:
    for item in state.items.values():
        if not item.quantity or item.change != "gains" or len(item.item) < 2:
            continue
        quantity = _quantity(item.quantity, language)
        if quantity is not None and quantity.value > 1:
            owners = called.get(item.owner, (item.owner,))
            yield Counted(owners, item.item, quantity, item.quantity)


_quantity = lru_cache(maxsize=4096)(quantity_in)


def _overdue(hooks: Iterable[Hook], number: int) -> list[Overdue]:
    late = [h for h in hooks if h.unpaid and 0 < h.due < number]
    return [Overdue(h.id, h.promise, h.due) for h in sorted(late, key=lambda h: (h.due, h.id))]
