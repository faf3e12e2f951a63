"""Making a book: concept, cast, structure, outline, reconciliation, and the files of all of it."""

from datetime import datetime

from zencli.context import wording
from zencli.pipeline.architect import Architect, cast_text, concept_text
from zencli.pipeline.outline import near_chapters, outline_chapters, plan_structure
from zencli.pipeline.params import InitBook
from zencli.pipeline.reconcile import reconcile
from zencli.pipeline.results import InitBookResult
from zencli.pipeline.resume import Resume
from zencli.pipeline.run_context import RunContext
from zencli.store.config_file import render_config
from zencli.store.create import Origin, check_free, create_book
from zencli.store.ids import book_id_from, slug
from zencli.store.known_files import KNOWN, known_of
from zencli.store.workspace import Workspace
from zencli.story import markdown
from zencli.story.book import BookConfig
from zencli.story.documents.bible import (
    render_bible,
    render_rules,
    render_secrets,
    render_style,
    render_timeline,
)
from zencli.story.documents.cards import parse_card, render_card
from zencli.story.documents.outline import render_arc, render_outline
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.fold import opening_state
from zencli.story.foundation import (
    Cast,
    Concept,
    Foundation,
    OutlineEntry,
    StartingCharacter,
    Structure,
)


def init_book(
    ctx: RunContext,
    workspace: Workspace,
    wish: InitBook,
    brief: str,
    run_id: str,
    now: datetime,
) -> InitBookResult:
    """Plan a book and write its folder, all at once at the end.

    ``brief`` holds the author's words. Raises ``ModelError`` when a planning call fails; nothing
    is then written but the run's log.
    """
    ctx.resume.begin()
    architect = Architect(ctx, wish, brief)
    concept = _concept(architect)
    cast = _cast(architect, concept)
    structure = plan_structure(
        architect,
        concept_text(concept, cast, wish.language),
        cast_text(cast, wish.language),
    )
    entries = _outline(architect, concept, cast, structure)
    files = _foundation_files(architect, concept, cast, structure, entries)
    mended = reconcile(architect, files)
    title = markdown.first_heading(files["story_bible.md"]) or wish.title or concept.title
    taken = [path.name for path in workspace.books_dir.glob("*")]
    book_id = wish.book_id or book_id_from(title, taken)
    check_free(workspace, book_id)
    config = BookConfig(
        id=book_id,
        title=title,
        genre=wish.genre,
        platform=wish.platform,
        language=wish.language,
        target_chapters=wish.target_chapters,
        chapter_words=wish.chapter_word_count,
        created=now,
        updated=now,
    )
    files |= _machine_files(config, cast, brief, files)
    files[KNOWN] = known_of(files)
    path = str(workspace.books_dir / book_id)
    result = InitBookResult(
        book_id=book_id, title=title, path=path, files=sorted(files), problems=mended
    )
    ctx.resume.note_result(result)
    origin = Origin("init-book", run_id)
    create_book(workspace, book_id, files, origin=origin, calls=ctx.own_calls())
    return result


def made_already(workspace: Workspace, resume: Resume) -> InitBookResult | None:
    """What an interrupted run of the same command made, when it was stopped after that."""
    told = resume.earlier.note("result") if resume.earlier else {}
    book_id = told.get("book_id")
    if book_id is None or book_id not in workspace.book_ids():
        return None
    if resume.finished(workspace.open(book_id)) is None:
        return None
    return InitBookResult.model_validate(told)


def _concept(architect: Architect) -> Concept:
    wish, prompts = architect.wish, architect.ctx.prompts

    def check(value: Concept) -> list[str]:
        empty = [name for name in ("logline", "stakes") if not getattr(value, name)]
        if not markdown.bare_title(value.title) and not wish.title:
            empty.append("title")
        return [wording.missing(name, wish.language) for name in empty]

    task = architect.task(
        "concept",
        title=wish.title,
        genre=prompts.display_name("genres", wish.genre),
        platform="" if wish.platform == "other"
        else prompts.display_name("platforms", wish.platform),
        target_chapters=wish.target_chapters,
        chapter_words=wish.chapter_word_count,
        genre_notes=architect.genre_notes("concept"),
        platform_notes="" if architect.small else prompts.platform(wish.platform, "concept"),
    )  # fmt: skip
    concept = architect.ctx.structured("architect", "concept", [task], Concept, check=check)
    return concept.model_copy(update={"title": markdown.bare_title(concept.title)})


def _cast(architect: Architect, concept: Concept) -> Cast:
    def check(value: Cast) -> list[str]:
        named = [c for c in value.characters if c.name]
        return [] if named else [wording.missing("characters", architect.language)]

    task = architect.task(
        "cast",
        concept=architect.shortened(concept_text(concept, Cast(), architect.language)),
        target_chapters=architect.wish.target_chapters,
        genre_notes=architect.genre_notes("concept"),
    )
    cast = architect.ctx.structured("architect", "cast", [task], Cast, check=check)
    return _numbered(cast)


def _numbered(cast: Cast) -> Cast:
    """Each name once, and hooks with ids of the program's own form."""
    people = {c.name: c for c in reversed(cast.characters) if c.name}
    hooks = [
        hook.model_copy(update={"id": f"H{index}"})
        for index, hook in enumerate((h for h in cast.hooks if h.promise), 1)
    ]
    ordered = [c for c in cast.characters if people.get(c.name) is c]
    return Cast(characters=ordered, hooks=hooks)


def _outline(
    architect: Architect, concept: Concept, cast: Cast, structure: Structure
) -> list[OutlineEntry]:
    arc = structure.volumes[0].arcs[0]
    return outline_chapters(
        architect.ctx,
        render_arc(arc, architect.language).strip() if arc.promise or arc.title else "",
        near_chapters(structure, small=architect.small),
        brief=architect.brief,
        concept=architect.shortened(concept_text(concept, cast, architect.language)),
        cast=architect.shortened(cast_text(cast, architect.language)),
        story="",
        target_chapters=architect.wish.target_chapters,
        chapter_words=architect.wish.chapter_word_count,
        genre_notes=architect.genre_notes("plan"),
        language=architect.language,
    )


def _foundation_files(
    architect: Architect,
    concept: Concept,
    cast: Cast,
    structure: Structure,
    entries: list[OutlineEntry],
) -> dict[str, str]:
    language = architect.language
    title = architect.wish.title or concept.title
    files: dict[str, str] = {
        "story_bible.md": render_bible(title, concept, language),
        "timeline.md": render_timeline(concept.timeline, language),
        "outline.md": render_outline(structure, entries, language),
        "secrets.md": render_secrets(concept, cast, language),
        "rules.md": render_rules(concept, language),
        "style.md": render_style(concept, language),
    }
    taken: list[str] = []
    for character in cast.characters:
        taken.append(slug(character.name, taken))
        files[f"characters/{taken[-1]}.md"] = render_card(character, language)
    return files


def _machine_files(
    config: BookConfig, cast: Cast, brief: str, files: dict[str, str]
) -> dict[str, str]:
    foundation = Foundation(hooks=cast.hooks)
    # from the cards as they were reconciled, in the order in which they are read back
    cards = [parse_card(files[name]) for name in sorted(files) if name.startswith("characters/")]
    people = [StartingCharacter(name=c.name, aliases=c.aliases, start=c.start) for c in cards]
    state = opening_state(Foundation(characters=people, hooks=cast.hooks))
    return {
        "book.toml": render_config(config),
        "brief.md": brief.strip() + "\n",
        "records/foundation.json": foundation.model_dump_json(indent=1) + "\n",
        "state.md": render_state(state, config.language),
        "hooks.md": render_hooks(state.hooks, config.language),
    }
