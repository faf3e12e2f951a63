"""The layers that the calls of one chapter share, each section within its budget.

Constitution, where the story stands, what the chapter calls for, the draft: rendered once and
joined in this order, so that later calls begin with the bytes of earlier ones.
"""

from collections.abc import Sequence
from functools import cached_property

from zencli.context.author_control import Control, control_of
from zencli.context.budget import Item, Section
from zencli.context.canon import Canon
from zencli.context.constitution import constitution
from zencli.context.layers import Layer, Sizes, chapter_tokens
from zencli.context.lookup import Lookup
from zencli.context.needs_layer import NeedsBuilder
from zencli.context.planner_only import PlannerOnly
from zencli.context.prompts import Prompts
from zencli.context.story_layer import StoryBuilder, StoryLayer
from zencli.llm.profiles import Profile
from zencli.story.plan import Plan
from zencli.story.state import State

__all__ = ["RECENT", "Layer", "Pack", "chapter_tokens"]

RECENT = 3
"""The prose of how many chapters before it a pack is given."""


class Pack:
    """The layers of chapter ``number``.

    ``recent`` is the prose of the chapters just before it by number, the nearest last;
    ``instruction`` the author's for this chapter. Raises DamagedError ``book.damaged`` for what the
    author pinned or timed and can't be read.
    """

    def __init__(
        self,
        canon: Canon,
        prompts: Prompts,
        profile: Profile,
        number: int,
        state: State,
        *,
        recent: Sequence[tuple[int, str]] = (),
        chapter_words: int | None = None,
        instruction: str = "",
    ) -> None:
        self.canon = canon
        self.prompts = prompts
        self.number = number
        self.state = state
        self.small = profile.small
        self.words = chapter_words or canon.config.chapter_words
        self.profile = profile
        self.control: Control = control_of(canon, number)
        self._recent = recent
        self._instruction = instruction
        self._sizes = Sizes(profile, canon.config.language, self.words)
        self._lookup = Lookup(state)
        self._needs: dict[str, Layer] = {}

    @cached_property
    def constitution(self) -> Layer:
        """The system message: the same for every role and chapter until the author edits."""
        return constitution(self.canon, self.control, self.prompts, self._sizes, small=self.small)

    @property
    def story(self) -> Layer:
        """Where the story stands: the same for all calls of the chapter."""
        return self._story.layer

    @cached_property
    def _story(self) -> StoryLayer:
        return StoryBuilder(
            self.canon,
            self.control,
            self.prompts,
            self._sizes,
            self.number,
            self._lookup,
            self._recent,
            small=self.small,
            instruction=self._instruction,
        ).build()

    def needs(self, plan: Plan) -> Layer:
        """What the chapter calls for: the plan, its people and places, what was said of them."""
        key = plan.model_dump_json()
        if key not in self._needs:
            self._needs[key] = NeedsBuilder(
                self.canon,
                self.control,
                self.prompts,
                self._sizes,
                self.number,
                self._lookup,
                self._story,
                instruction=self._instruction,
            ).build(plan)
        return self._needs[key]

    def about_draft(self, plan: Plan, title: str, prose: str, task: str) -> list[Layer]:
        """All layers of a call that has the chapter before it: audit, revise, shape, settle."""
        draft = self.draft(title, prose)
        return [self.constitution, self.story, self.needs(plan), draft, Layer("task", task)]

    def draft(self, title: str, prose: str) -> Layer:
        """The chapter as it stands, whole: a judge reads all of what it judges."""
        text = self.prompts.render("draft", number=self.number, title=title, text=prose)
        tokens = self._sizes.estimate(text)
        item = Item(title or str(self.number), tokens, "what is being judged")
        return Layer("draft", text, (Section("draft", tokens, 1, taken=(item,)),))

    def for_planner(self) -> PlannerOnly:
        """What only the planner may see, and how much of it fits."""
        return PlannerOnly(
            self.canon, self.control, self._sizes, self.number, self.state, small=self.small
        )

    def secrets(self) -> list[str]:
        """For the planner and the auditor only."""
        return self.for_planner().secrets()

    def outline(self) -> str:
        """The arc and the chapters from this one on, for the planner only."""
        return self.for_planner().outline()

    def cast_lines(self) -> list[str]:
        """Everyone in the book, a line each, for the planner only."""
        return self.for_planner().cast()

    def due(self) -> list[dict[str, str]]:
        """Unpaid hooks that fall due within two chapters, or already have."""
        return self.for_planner().due(list(self.state.hooks.values()))
