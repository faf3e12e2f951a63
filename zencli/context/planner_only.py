"""What only the planner, and partly the auditor, may see: it stands in their last message."""

from collections.abc import Mapping, Sequence

from zencli.context import wording
from zencli.context.author_control import Control
from zencli.context.budget import Section, fit_text
from zencli.context.canon import Canon
from zencli.context.layers import Sizes
from zencli.context.names import Named
from zencli.prose.segment import sentences
from zencli.story.documents import bible
from zencli.story.documents.bible import SecretEntry
from zencli.story.documents.outline import arc_of, around
from zencli.story.documents.outline import entries as outlined
from zencli.story.documents.views import character_line
from zencli.story.findings import Finding
from zencli.story.foundation import Character
from zencli.story.state import Hook, State
from zencli.story.tiers import cut, first_sentence

AHEAD = 10
"""A secret that may show within so many chapters is told whole."""

FAR_CHARS = {"zh": 50, "en": 140}
"""How much of a secret that is further off, or of a place, is told where not all fit."""

LEAST_CHARS = {"zh": 24, "en": 70}
"""How much of each where there are very many."""

NAME_ALONE = -1
CARD_SENTENCES = ((2, 2), (2, 1), (1, 1), (1, 0), (0, 0), (0, NAME_ALONE))
"""How much of a card is told of those near and of the others, from the most to the least."""

OUTLINE_AFTER = 2
FOLLOWED = (
    "continuity",
    "knowledge",
    "disclosure",
    "power",
    "period",
    "plan",
    "promise",
    "clues",
    "character",
    "relation",
    "clarity",
)
"""What kinds of findings a later chapter can make good."""


class PlannerOnly:
    """The sections, each within its budget; ``sections`` are those asked for so far."""

    def __init__(
        self,
        canon: Canon,
        control: Control,
        sizes: Sizes,
        number: int,
        state: State,
        *,
        small: bool,
    ) -> None:
        self._canon = canon
        self._control = control
        self._sizes = sizes
        self._number = number
        self._state = state
        self._small = small
        self._language = canon.config.language
        self._take = sizes.allowance("planner")

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(self._take.sections)

    def outline(self) -> str:
        """The arc, this chapter's entry and the next ones.

        Where they don't all fit, this chapter stays longest, then the next one, then the arc.
        """
        whole, number = self._canon.outline, self._number
        known = outlined(whole)
        after = 1 if self._small else OUTLINE_AFTER
        near = [known[n] for n in range(number, number + after + 1) if n in known]
        arc = arc_of(whole, number)
        above = [arc[2]] if arc else []
        left, cut_off = self._take.limit("outline"), 0
        told: dict[str, str] = {}
        for block in [*near[:2], *above, *near[2:]]:
            told[block], missing = fit_text(block, left, self._sizes.estimate)
            left -= self._sizes.estimate(told[block]) + 2
            cut_off += missing
        text = "\n\n".join(told[block] for block in [*above, *near] if told[block])
        self._take.note("outline", text, "this chapter in the outline, and what follows", cut_off)
        return text

    def secrets(self) -> list[str]:
        """What the reader must not know yet: whole where it may matter soon, else in short.

        All of them in short where even that is too much; the furthest are left out last of all.
        """
        every = bible.parse_secrets(self._canon.files["secrets.md"])
        entries = [entry for entry in every if self._control.keeps(entry.heading)]
        near = Named(around(self._canon.outline, self._number, before=0, after=1))
        ranked = sorted(entries, key=lambda e: (not self._near(e, near), self._distance(e)))
        limit = self._take.limit("secrets")
        soon = [entry for entry in entries if self._near(entry, near)]
        lines: dict[SecretEntry, str] = {}
        for whole, most in (
            (entries, FAR_CHARS),
            (soon, FAR_CHARS),
            ([], FAR_CHARS),
            ([], LEAST_CHARS),
        ):
            lines = {e: self._secret(e) if e in whole else self._short(e, most) for e in entries}
            if sum(self._sizes.estimate(line) + 2 for line in lines.values()) <= limit:
                break
        kept = set(self._take.items("secrets", ranked, lines.__getitem__, self._why_secret))
        return [lines[entry] for entry in entries if entry in kept]

    def _distance(self, entry: SecretEntry) -> tuple[int, int]:
        start = entry.hinted_from or entry.proved_from
        return max(start - self._number, 0), -start

    def _near(self, entry: SecretEntry, named: Named) -> bool:
        """Whether it may show soon, or is about somebody or a hook of this chapter's outline."""
        start = entry.hinted_from or entry.proved_from
        return start <= self._number + AHEAD if start else entry.heading in named

    def _secret(self, entry: SecretEntry) -> str:
        return bible.secret_lines([entry], self._language)[0]

    def _short(self, entry: SecretEntry, most: Mapping[str, int]) -> str:
        text = cut(first_sentence(entry.text), most[self._language])
        short = SecretEntry(entry.heading, text, "", entry.hinted_from, entry.proved_from)
        return self._secret(short)

    def _why_secret(self, entry: SecretEntry) -> str:
        start = entry.hinted_from
        return f"may show from chapter {start}" if start else "must not be known yet"

    def unshown(self) -> list[dict[str, str]]:
        """Hooks that no chapter has shown yet, those that are due first."""
        found = [
            hook
            for hook in self._state.hooks.values()
            if hook.unpaid and not hook.planted and self._control.keeps(hook.id, hook.promise)
        ]
        ranked = sorted(found, key=lambda h: (h.due == 0, h.due))
        kept = self._take.items(
            "unshown",
            ranked,
            lambda h: f"[{h.id}] {h.promise}",
            lambda h: "not shown yet",
        )
        return [self._promise(hook) for hook in kept]

    def _promise(self, hook: Hook) -> dict[str, str]:
        due = wording.due_now(hook.due, self._number, self._language) if hook.due else ""
        return {"id": hook.id, "promise": hook.promise, "due": due}

    def carried(self) -> list[str]:
        """What the auditor found in the chapter before, and still stands."""
        record = self._canon.records.get(self._number - 1)
        if record is None:
            return []
        standing = [
            finding
            for finding in record.findings
            if finding.standing
            and finding.source == "auditor"
            and finding.severity != "info"
            and finding.dimension in FOLLOWED
        ]
        standing.sort(key=lambda f: f.severity != "critical")
        kept = self._take.items(
            "carried", standing, _finding, lambda f: f"left from chapter {self._number - 1}"
        )
        return [_finding(finding) for finding in kept]

    def timeline(self) -> list[str]:
        """The happenings near the hour of the story and near this chapter's outline, in order."""
        lines = bible.timeline_lines(self._canon.files["timeline.md"])
        entry = around(self._canon.outline, self._number, before=0, after=1)
        names = self._canon.names(self._state)
        near = set(names.mentioned(entry))
        now = self._state.time
        kept = self._take.items(
            "timeline",
            sorted(lines, key=lambda line: -_likeness(line, now) - _named(line, near)),
            str,
            lambda line: "near this chapter's hour or people",
        )
        return [line for line in lines if line in set(kept)]

    def cast(self) -> list[str]:
        """Everyone in the book, a line each: with as much of the card as all lines have room for.

        Those whom this chapter's outline names keep more of it than the others.
        """
        cards = [card for card in self._control.cards if self._control.keeps(card.name)]
        names = self._canon.names(self._state)
        entry = around(self._canon.outline, self._number, before=0, after=0)
        near = set(names.mentioned("\n".join([entry, *self._control.notes])))
        limit = self._take.limit("cast")
        lines: dict[str, str] = {}
        for often, seldom in CARD_SENTENCES:
            lines = {c.name: self._line(c, often if c.name in near else seldom) for c in cards}
            if sum(self._sizes.estimate(line) + 2 for line in lines.values()) <= limit:
                break
        ranked = sorted((card.name for card in cards), key=lambda name: name not in near)
        kept = set(self._take.items("cast", ranked, lines.__getitem__, lambda n: "may be cast"))
        return [lines[card.name] for card in cards if card.name in kept]

    def _line(self, card: Character, most: int) -> str:
        """Name, role and how the card begins; of somebody not on the page yet, the start too."""
        left, right = ("（", "）") if self._language == "zh" else (" (", ")")
        space, gap = ("", "：") if self._language == "zh" else (" ", ": ")
        if most == NAME_ALONE:
            return card.name
        called = f"{card.name}{left}{card.role}{right}" if card.role else card.name
        told = sentences(card.card, self._language)[:most]
        person = self._state.characters.get(card.name)
        if most > 1 and person is not None and not person.as_of:
            told.append(character_line(person, self._language))
        return f"{called}{gap}{space.join(told)}" if any(told) else called

    def places(self) -> list[str]:
        """Every place of the bible, in short where they don't all fit."""
        every = bible.places(self._canon.files["story_bible.md"])
        allowed = [p for p in every if self._control.keeps(p.replace(":", "：").split("：")[0])]
        if sum(self._sizes.estimate(p) + 2 for p in allowed) > self._take.limit("places"):
            allowed = [cut(p, FAR_CHARS[self._language]) for p in allowed]
        return self._take.items("places", allowed, str, lambda p: "a scene may be set there")

    def due(self, hooks: Sequence[Hook]) -> list[dict[str, str]]:
        """Of these hooks, those that fall due within two chapters, or already have."""
        soon = [h for h in hooks if h.unpaid and h.due and h.due <= self._number + 2]
        allowed = [h for h in soon if self._control.keeps(h.id, h.promise)]
        ranked = sorted(allowed, key=lambda h: h.due)
        return [self._promise(hook) for hook in ranked[:MOST_DUE]]


MOST_DUE = 12
"""How many hooks that are due the auditor is told."""


def _finding(finding: Finding) -> str:
    quote = f"「{finding.quote}」" if finding.quote else ""
    return f"{quote}{finding.description}"


def _named(line: str, names: set[str]) -> int:
    return sum(name in line for name in names)


def _likeness(line: str, now: str) -> int:
    """How many of the first characters of an entry's date are those of the story's hour."""
    date = line.replace(":", "：").split("：", 1)[0]
    return 2 * len(set(date) & set(now) - set(" ，,。.的第")) if now else 0
