"""What a chapter calls for: its plan, the people and places in it, and what was said of them."""

from dataclasses import dataclass, replace

from zencli.context import wording
from zencli.context.author_control import Control
from zencli.context.budget import Allowance, fit_text
from zencli.context.canon import Canon
from zencli.context.layers import Layer, Sizes
from zencli.context.lookup import Lookup
from zencli.context.names import Named
from zencli.context.passages import ask_passages
from zencli.context.plan_fit import fit_plan, said
from zencli.context.prompts import Prompts
from zencli.context.retrieve import Found, Terms, facts_about, passages_about, terms_in
from zencli.context.story_layer import StoryLayer
from zencli.prose.segment import sentences
from zencli.story.documents import bible
from zencli.story.documents.views import character_line, item_line
from zencli.story.foundation import Character
from zencli.story.labels import chapter_word, colon
from zencli.story.plan import Plan
from zencli.story.state import FactState, Hook, ItemState

CARD_SHARE = 0.5
"""How much of the cards' budget one card may take."""

NAMED_SENTENCES = 2
"""How much of the card of somebody who is only spoken of is told where not all cards fit."""

NAMED_ONLY = "named in the plan"

KEPT_FOR_LATER = ("defer", "drop")
"""A hook that no chapter has shown, and this one won't either, isn't told to the writer."""


@dataclass(frozen=True)
class Person:
    """Somebody the chapter calls for: the card, and where the story left them if not said yet."""

    name: str
    role: str = ""
    card: str = ""
    last: str = ""
    why: str = ""


class NeedsBuilder:
    """Chooses and renders the layer for a plan."""

    def __init__(
        self,
        canon: Canon,
        control: Control,
        prompts: Prompts,
        sizes: Sizes,
        number: int,
        lookup: Lookup,
        story: StoryLayer,
        *,
        instruction: str,
    ) -> None:
        self._canon = canon
        self._control = control
        self._prompts = prompts
        self._sizes = sizes
        self._number = number
        self._lookup = lookup
        state = self._state = lookup.state
        self._story = story
        self._names = canon.names(state)
        self._language = canon.config.language
        self._wished = "\n".join([*control.notes, instruction])
        self._take: Allowance = sizes.allowance("needs")

    def build(self, plan: Plan) -> Layer:
        """The layer. Sections are asked for in the order of their shares."""
        take = self._take
        shown = self._fit(plan)
        text = said(shown)
        wished = f"{text}\n{self._wished}"
        people = self._people(shown, text)
        cards = self._cards(people)
        touched = self._touched(shown)
        belongings = self._belongings({p.name for p in people}, wished)
        places = self._places(shown)
        terms = self._terms(wished)
        facts = self._facts(terms)
        quoted = [*(hook.quote for hook in touched), *(fact.quote for fact in facts)]
        before = "\n".join([self._story.layer.text, text, *quoted])
        found = self._passages(terms, before)
        rendered = self._prompts.render(
            "chapter_needs",
            number=self._number,
            plan=shown,
            cards=[{"name": p.name, "role": p.role, "card": p.card, "last": p.last} for p in cards],
            hooks=[self._hook(hook) for hook in touched],
            items=[item_line(item, self._language) for item in belongings],
            places=places,
            facts=[self._fact(fact) for fact in facts],
            passages=[
                {"chapter": f.passage.chapter, "text": " ".join(f.passage.text.split())}
                for f in found
            ],
        )
        return Layer("chapter_needs", rendered, tuple(take.sections))

    def _fit(self, plan: Plan) -> Plan:
        limit = self._take.limit("plan")
        shown, cut = fit_plan(plan, limit, self._sizes.estimate)
        self._take.note("plan", said(shown), "the plan of this chapter", cut)
        return shown

    def _people(self, plan: Plan, text: str) -> list[Person]:
        """The cast first, then those whom the plan names, then those whom the author names."""
        cast = [self._names.canonical(name) for name in plan.names()]
        why = dict.fromkeys(self._names.mentioned(self._wished), "named by the author")
        why |= dict.fromkeys(self._names.mentioned(text), NAMED_ONLY)
        why |= dict.fromkeys(cast, "in the cast of the plan")
        named = dict.fromkeys([*cast, *self._names.mentioned(text), *why])
        cards = {card.name: card for card in self._control.cards}
        people = [self._person(name, cards.get(name), why[name]) for name in named]
        return [p for p in people if (p.card or p.last) and self._control.keeps(p.name)]

    def _person(self, name: str, card: Character | None, why: str) -> Person:
        card = card or Character(name=name)
        return Person(name, card.role, card.card.strip(), self._last(name, card), why)

    def _last(self, name: str, card: Character) -> str:
        """Where the story left somebody, unless the layer before says it."""
        person = self._state.characters.get(name)
        if name in self._story.people:
            return ""
        line = character_line(person, self._language) if person else card.start
        if not line:
            return ""
        at = person.as_of if person else 0
        where = chapter_word(at, self._language) if at else wording.opening(self._language)
        return f"{where}{colon(self._language)}{line}"

    def _cards(self, people: list[Person]) -> list[Person]:
        most = self._take.limit("cards")
        each = int(most * CARD_SHARE)
        estimate = self._sizes.estimate
        fitted = [replace(p, card=fit_text(p.card, each, estimate)[0]) for p in people]
        if sum(estimate(_shown(p)) + 2 for p in fitted) > most:
            fitted = [self._in_short(p) if p.why == NAMED_ONLY else p for p in fitted]
        return self._take.items(
            "cards",
            fitted,
            _shown,
            lambda p: p.why + (", with the last known state" if p.last else ""),
        )

    def _in_short(self, person: Person) -> Person:
        told = sentences(person.card, self._language)[:NAMED_SENTENCES]
        return replace(person, card=("" if self._language == "zh" else " ").join(told))

    def _touched(self, plan: Plan) -> list[Hook]:
        wanted = {step.id: step.do for step in plan.hooks}
        found = [self._state.hooks[i] for i in wanted if i in self._state.hooks]
        return self._take.items(
            "touched",
            [
                hook
                for hook in found
                if hook.id not in self._story.hooks
                and self._control.keeps(hook.id)
                and (hook.planted or wanted[hook.id] not in KEPT_FOR_LATER)
            ],
            lambda h: f"[{h.id}] {h.promise} {h.quote}",
            lambda h: "touched by the plan",
        )

    def _hook(self, hook: Hook) -> dict[str, str | int]:
        return {
            "id": hook.id,
            "promise": hook.promise,
            "planted": hook.planted,
            "quote": ""
            if wording.same(hook.promise, hook.quote)
            else wording.unquoted(hook.quote, self._language),
            "due": wording.due(hook.due, self._language),
        }

    def _belongings(self, present: set[str], text: str) -> list[ItemState]:
        """What those on stage have or lost, and what the plan names, if it isn't said yet."""
        named = Named(text)
        wanted = [
            item
            for item in self._lookup.items_near(sorted(present), named)
            if f"{item.owner}\x1f{item.item}" not in self._story.items
            and self._control.keeps(item.owner, item.item)
        ]
        wanted.sort(key=lambda i: (i.item not in named, -i.as_of))
        return self._take.items(
            "belongings",
            wanted,
            lambda i: item_line(i, self._language),
            lambda i: "named in the plan" if i.item in named else f"of {i.owner}",
        )

    def _places(self, plan: Plan) -> list[str]:
        where = " ".join(scene.where for scene in plan.scenes).casefold()
        named = [p for p in self._every_place() if _head(p).casefold() in where]
        return self._take.items("places", named, str, lambda p: "a scene is set there")

    def _every_place(self) -> list[str]:
        every = bible.places(self._canon.files["story_bible.md"])
        return [p for p in every if _head(p) and self._control.keeps(_head(p))]

    def _terms(self, text: str) -> Terms:
        heads = map(_head, self._every_place())
        found = terms_in(text, self._names, self._lookup, heads)
        return {term: aliases for term, aliases in found.items() if self._control.keeps(term)}

    def _facts(self, terms: Terms) -> list[FactState]:
        found = [
            (fact, named)
            for fact, named in facts_about(terms, self._state.facts, self._number)
            if (fact.about, fact.says) not in self._story.facts
            and self._control.keeps(fact.about, fact.says)
        ]
        kept = self._take.items(
            "old_facts",
            found,
            lambda entry: self._fact(entry[0]),
            lambda entry: f"settled in chapter {entry[0].chapter}, about {', '.join(entry[1])}",
        )
        return sorted((fact for fact, _ in kept), key=lambda fact: fact.chapter)

    def _fact(self, fact: FactState) -> str:
        says = f"{fact.about}{colon(self._language)}{fact.says}" if fact.about else fact.says
        return wording.quoted_fact(says, fact.chapter, fact.quote, self._language)

    def _passages(self, terms: Terms, shown: str) -> list[Found]:
        if not terms:
            return []
        records = self._canon.records
        digests = {number: kept.digest for number, kept in records.facts.items()}
        found = ask_passages(
            records.book,
            self._language,
            digests,
            lambda index: passages_about(terms, index, self._number, shown, self._story.chapters),
        )
        kept = self._take.items(
            "passages",
            (f for f in found or () if self._allowed(f)),
            lambda f: f.passage.text,
            lambda f: f"chapter {f.passage.chapter} speaks of {', '.join(f.terms)}",
        )
        return sorted(kept, key=lambda f: f.passage.chapter)

    def _allowed(self, found: Found) -> bool:
        """Nobody who is kept out is spoken of."""
        if not self._control.out:
            return True
        named = self._names.mentioned(found.passage.text)
        return self._control.keeps_chapter(found.passage.chapter) and self._control.keeps(*named)


def _shown(person: Person) -> str:
    return f"{person.name} ({person.role}) {person.card} {person.last}"


def _head(place: str) -> str:
    return place.replace(":", "：").split("：", 1)[0].strip()
