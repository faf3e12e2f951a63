"""What the planning calls of a new book share: the wishes, the brief, and what each call reads."""

from dataclasses import dataclass

from zencli.context.budget import fit_text
from zencli.context.pack import Layer
from zencli.llm.profiles import estimate_tokens
from zencli.pipeline.params import InitBook
from zencli.pipeline.run_context import RunContext
from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.documents.bible import (
    render_bible,
    render_rules,
    render_secrets,
    render_timeline,
)
from zencli.story.documents.cards import render_card
from zencli.story.documents.views import render_hooks
from zencli.story.fold import opening_state
from zencli.story.foundation import Cast, Concept, Foundation

SMALL_CONTEXT = 1_400
"""Tokens of the concept that a model with a small window sees in later planning calls."""


@dataclass(frozen=True)
class Architect:
    """What every planning call of a new book needs: the wishes, their brief, who is asked."""

    ctx: RunContext
    wish: InitBook
    brief: str

    @property
    def language(self) -> Language:
        return self.wish.language

    @property
    def small(self) -> bool:
        return self.ctx.profile("architect").small

    def genre_notes(self, part: str) -> str:
        return "" if self.small else self.ctx.prompts.genre(self.wish.genre, part)

    def task(self, template: str, **values: object) -> Layer:
        """The rendered task with the brief, which every stage sees again."""
        return Layer(
            template,
            self.ctx.prompts.render(template, brief=self.brief, small=self.small, **values),
        )

    def shortened(self, text: str) -> str:
        """A text whole, or its beginning when the window is small."""
        if not self.small:
            return text
        profile = self.ctx.profile("architect")
        return fit_text(text, SMALL_CONTEXT, lambda part: estimate_tokens(part, profile))[0]


def concept_text(concept: Concept, cast: Cast, language: Language) -> str:
    """The concept as the later planning calls read it: the book's own files."""
    parts = (
        render_bible(concept.title, concept, language),
        render_rules(concept, language),
        render_timeline(concept.timeline, language),
        render_secrets(concept, cast, language),
    )
    return "\n\n".join(markdown.without_empty_sections(part) for part in parts)


def cast_text(cast: Cast, language: Language) -> str:
    """The cards and the opening hooks as the later planning calls read them."""
    cards = [render_card(c, language).strip() for c in cast.characters]
    hooks = opening_state(Foundation(hooks=cast.hooks)).hooks
    return "\n\n".join([*cards, render_hooks(hooks, language).strip() if hooks else ""]).strip()
