"""The system message: the same bytes for every role and every chapter until the author edits."""

from zencli.context.author_control import Control
from zencli.context.budget import Section
from zencli.context.canon import Canon
from zencli.context.layers import Layer, Sizes
from zencli.context.prompts import Prompts
from zencli.story import markdown
from zencli.story.documents import bible

NOTES = ("plan", "write")
"""The parts of a genre's and a platform's notes that stand here; the auditor has its own."""


def constitution(
    canon: Canon, control: Control, prompts: Prompts, sizes: Sizes, *, small: bool
) -> Layer:
    """The layer: what the book is, and how each role works."""
    config, files = canon.config, canon.files
    take = sizes.allowance("book")
    world = bible.bible_for_prompt(files["story_bible.md"])
    headings = [heading for heading, _ in markdown.sections(world)]
    out = [heading for heading in headings if heading.casefold() in control.never]
    kept = {
        "rules": take.text("rules", bible.for_prompt(control.rules), "rules.md"),
        "style": take.text("style", bible.for_prompt(files["style.md"]), "style.md"),
        "brief": take.text("brief", canon.brief, "the author's words"),
        "bible": take.text("bible", markdown.without_sections(world, out), "story_bible.md"),
    }
    habits = {
        f"{part}_notes": ""
        if small
        else "\n".join(
            note
            for note in (
                prompts.genre(config.genre, part),
                prompts.platform(config.platform, part),
            )
            if note
        )
        for part in NOTES
    }
    text = prompts.render(
        "constitution",
        title=config.title,
        genre=prompts.display_name("genres", config.genre),
        target_chapters=config.target_chapters,
        chapter_words=config.chapter_words,
        small=small,
        **kept,
        **habits,
    )
    used = sum(section.tokens for section in take.sections)
    rest = Section("instructions", sizes.estimate(text) - used, 1, why="how each role works")
    return Layer("constitution", text, (*take.sections, rest))
