"""The layers that the calls of one chapter share, each section within its budget.

Constitution, where the story stands, what the chapter calls for, the draft: rendered once and
joined in this order, so that later calls begin with the bytes of earlier ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from zencli.context import wording
from zencli.context.budget import Section, fit_items, fit_text
from zencli.context.canon import Canon
from zencli.context.prompts import Prompts
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.prose.segment import sentences, tail
from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.documents import bible
from zencli.story.documents.outline import arc_of, around
from zencli.story.documents.views import character_line, item_line
from zencli.story.labels import LABELS, colon
from zencli.story.plan import Plan
from zencli.story.state import Hook, State

MOST_TOKENS = 16_000
"""Budget of all layers together, however large the window is: a chapter's cost stays flat."""

LEAST_TOKENS = 1_500
"""Below this nothing sensible fits; a window that small is overrun and the endpoint says so."""

SHARES = {
    "brief": 0.22,
    "bible": 0.22,
    "rules": 0.08,
    "style": 0.08,
    "focus": 0.02,
    "people": 0.10,
    "items": 0.04,
    "relations": 0.03,
    "facts": 0.08,
    "hooks": 0.07,
    "summaries": 0.10,
    "cards": 0.14,
    "places": 0.04,
    "timeline": 0.10,
    "secrets": 0.10,
    "outline": 0.14,
    "cast": 0.05,
}
"""Each section's share of the budget. Sections that not every call sees may add up to over one."""

TAIL_CHARS = {"zh": 600, "en": 1500}
SMALL_TAIL_CHARS = {"zh": 400, "en": 1000}
"""How much of the page before is shown, and how much in a small window."""

RECENT_SUMMARIES = 8
RECENT_ENDINGS = 3
CARD_SENTENCES = 2


@dataclass(frozen=True)
class Layer:
    """A rendered layer and the sections that went into it."""

    name: str
    text: str
    sections: tuple[Section, ...] = ()


class Pack:
    """The layers of chapter ``number``. ``previous`` is the prose of the chapter before it."""

    def __init__(
        self,
        canon: Canon,
        prompts: Prompts,
        profile: Profile,
        number: int,
        state: State,
        *,
        previous: str = "",
        chapter_words: int | None = None,
    ) -> None:
        self.canon = canon
        self.prompts = prompts
        self.number = number
        self.state = state
        self.small = profile.small
        self.words = chapter_words or canon.config.chapter_words
        self.profile = profile
        self._previous = previous
        self._language = canon.config.language
        draft = chapter_tokens(self.words, self._language, profile)
        output = min(max(profile.max_output, draft), profile.window // 3)
        self._budget = max(LEAST_TOKENS, min(profile.window - output - draft, MOST_TOKENS))

    @cached_property
    def constitution(self) -> Layer:
        """The system message: the same for every role and chapter until the author edits."""
        config, files = self.canon.config, self.canon.files
        texts = {
            "brief": self.canon.brief,
            "bible": bible.bible_for_prompt(files["story_bible.md"]),
            "rules": bible.for_prompt(files["rules.md"]),
            "style": bible.for_prompt(files["style.md"]),
        }
        notes = _Notes()
        kept = {name: self._text(name, text, notes) for name, text in texts.items()}
        text = self.prompts.render(
            "constitution",
            title=config.title,
            genre=self.prompts.display_name("genres", config.genre),
            target_chapters=config.target_chapters,
            chapter_words=config.chapter_words,
            **kept,
        )
        return Layer("constitution", text, tuple(notes))

    @cached_property
    def story(self) -> Layer:
        """Where the story stands: the same for all calls of the chapter."""
        state, language, notes = self.state, self._language, _Notes()
        near = around(self.canon.outline, self.number, before=0, after=0)
        people = [
            {"name": c.name, "as_of": c.as_of, "line": character_line(c, language)}
            for c in sorted(state.characters.values(), key=lambda c: (c.name not in near, -c.as_of))
        ]
        people = [person for person in people if person["line"]]
        lines = [f"{p['name']}{p['line']}" for p in people]
        people = people[: len(self._items("people", lines, notes))]
        hooks = [self._hook(h) for h in _ranked_hooks(state, self.number)]
        shown = self._items("hooks", [f"{h['promise']}{h['quote']}" for h in hooks], notes)
        recent = [s for s in state.summaries if s.text][-RECENT_SUMMARIES:]
        texts = self._items("summaries", [s.text for s in reversed(recent)], notes)
        summaries = recent[len(recent) - len(texts) :]
        chars = (SMALL_TAIL_CHARS if self.small else TAIL_CHARS)[language]
        end = tail(self._previous, chars) if self._previous else ""
        notes.add("tail", estimate_tokens(end, self.profile), int(bool(end)), 0, "the page before")
        text = self.prompts.render(
            "story_so_far",
            number=self.number,
            now=state.time,
            reader_knows=state.reader_knows,
            focus=self._text("focus", bible.for_prompt(self.canon.files["focus.md"]), notes),
            arc=self._arc_promise(),
            characters=people,
            items=self._items("items", self._thing_lines(near), notes),
            relations=self._items("relations", self._relation_lines(near), notes),
            facts=self._items("facts", self._fact_lines(near), notes),
            hooks=hooks[: len(shown)],
            summaries=[{"number": s.number, "title": s.title, "text": s.text} for s in summaries],
            endings=[s.ending for s in recent[-RECENT_ENDINGS:] if s.ending],
            tail=end,
        )
        return Layer("story_so_far", text, tuple(notes))

    def needs(self, plan: Plan) -> Layer:
        """What the chapter calls for: the plan, the cards of its cast, its places."""
        notes = _Notes()
        cards = self.canon.cards_of(plan.names())
        kept = self._items("cards", [c.card for c in cards], notes)
        where = " ".join(scene.where for scene in plan.scenes).casefold()
        places = [
            place
            for place in bible.places(self.canon.files["story_bible.md"])
            if _head(place) and _head(place).casefold() in where
        ]
        text = self.prompts.render(
            "chapter_needs",
            number=self.number,
            plan=plan,
            cards=[{"name": c.name, "role": c.role, "card": c.card} for c in cards[: len(kept)]],
            places=self._items("places", places, notes),
        )
        notes.add("plan", estimate_tokens(text, self.profile), 1, 0, "the plan of this chapter")
        return Layer("chapter_needs", text, tuple(notes))

    def about_draft(self, plan: Plan, title: str, prose: str, task: str) -> list[Layer]:
        """All layers of a call that has the chapter before it: audit, revise, shape, settle."""
        draft = self.draft(title, prose)
        return [self.constitution, self.story, self.needs(plan), draft, Layer("task", task)]

    def draft(self, title: str, prose: str) -> Layer:
        """The chapter as it stands, whole: a judge reads all of what it judges."""
        text = self.prompts.render("draft", number=self.number, title=title, text=prose)
        tokens = estimate_tokens(text, self.profile)
        return Layer("draft", text, (Section("draft", tokens, 1, why="what is being judged"),))

    def secrets(self) -> list[str]:
        """For the planner and the auditor only."""
        entries = bible.parse_secrets(self.canon.files["secrets.md"])
        return self._items("secrets", bible.secret_lines(entries, self._language), _Notes())

    def timeline(self) -> list[str]:
        """For the planner only."""
        return self._items(
            "timeline", bible.timeline_lines(self.canon.files["timeline.md"]), _Notes()
        )

    def outline(self) -> str:
        """The arc and the chapters around this one, for the planner only."""
        after = 1 if self.small else 3
        text = around(self.canon.outline, self.number, before=1, after=after)
        return self._text("outline", text, _Notes())

    def cast_lines(self) -> list[str]:
        """Everyone in the book, a line each: with how the card begins, where all lines fit."""
        names = [
            f"{c.name}（{c.role}）" if self._language == "zh" and c.role
            else f"{c.name} ({c.role})" if c.role
            else c.name
            for c in self.canon.cards
        ]  # fmt: skip
        space, gap = ("", "：") if self._language == "zh" else (" ", ": ")
        cards = [sentences(c.card, self._language)[:CARD_SENTENCES] for c in self.canon.cards]
        lines = [
            f"{name}{gap}{space.join(card)}" if card else name
            for name, card in zip(names, cards, strict=True)
        ]
        kept = self._items("cast", lines, _Notes())
        return kept if len(kept) == len(lines) else self._items("cast", names, _Notes())

    def places(self) -> list[str]:
        """Every place of the bible, for the planner, who chooses among them."""
        every = bible.places(self.canon.files["story_bible.md"])
        return self._items("places", every, _Notes())

    def due(self) -> list[dict[str, str]]:
        """Unpaid hooks that fall due within two chapters, or already have."""
        return [
            {
                "id": hook.id,
                "promise": hook.promise,
                "due": wording.due_now(hook.due, self.number, self._language),
            }
            for hook in _ranked_hooks(self.state, self.number)
            if hook.due and hook.due <= self.number + 2
        ]

    def _arc_promise(self) -> str:
        arc = arc_of(self.canon.outline, self.number)
        words = [table["promise"] for table in LABELS.values()]
        values, _ = markdown.fields(arc[2] if arc else "", words)
        return next(iter(values.values()), "")

    def _hook(self, hook: Hook) -> dict[str, str | int]:
        return {
            "id": hook.id,
            "promise": hook.promise,
            "planted": hook.planted,
            "quote": hook.quote,
            "due": wording.due(hook.due, self._language),
        }

    def _thing_lines(self, near: str) -> list[str]:
        things = sorted(
            self.state.items.values(),
            key=lambda i: (i.owner not in near and i.item not in near, -i.as_of),
        )
        return [item_line(item, self._language) for item in things]

    def _relation_lines(self, near: str) -> list[str]:
        relations = sorted(
            self.state.relations.values(),
            key=lambda r: (r.a not in near and r.b not in near, -r.as_of),
        )
        return [f"{r.a} / {r.b}{colon(self._language)}{r.now}" for r in relations]

    def _fact_lines(self, near: str) -> list[str]:
        facts = sorted(
            self.state.facts, key=lambda f: (not f.about or f.about not in near, -f.chapter)
        )
        return [f"{f.about}{colon(self._language)}{f.says}" if f.about else f.says for f in facts]

    def _limit(self, section: str) -> int:
        return int(self._budget * SHARES[section])

    def _estimate(self, text: str) -> int:
        return estimate_tokens(text, self.profile)

    def _text(self, section: str, text: str, notes: "_Notes") -> str:
        kept, cut = fit_text(text, self._limit(section), self._estimate)
        notes.add(section, self._estimate(kept), int(bool(kept)), cut, "")
        return kept

    def _items(self, section: str, items: Sequence[str], notes: "_Notes") -> list[str]:
        kept, cut = fit_items(items, self._limit(section), self._estimate)
        notes.add(section, sum(self._estimate(item) for item in kept), len(kept), cut, "")
        return kept


def chapter_tokens(words: int, language: Language, profile: Profile) -> int:
    """About how many tokens a chapter of this many characters (zh) or words (en) is."""
    if language == "zh":
        return int(words * profile.tokens_per_cjk)
    return int(words * 5.7 * profile.tokens_per_latin)


class _Notes(list[Section]):
    def add(self, name: str, tokens: int, items: int, cut: int, why: str) -> None:
        if items or cut:
            self.append(Section(name, tokens, items, cut, why))


def _ranked_hooks(state: State, number: int) -> list[Hook]:
    """Unpaid hooks: those with a date first, the nearest date first, then the latest touched."""
    unpaid = [hook for hook in state.hooks.values() if hook.unpaid]
    return sorted(unpaid, key=lambda h: (h.due == 0, h.due, -h.last))


def _head(place: str) -> str:
    return place.replace(":", "：").split("：", 1)[0].strip()
