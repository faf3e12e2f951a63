"""The documents of a book whose content only an author or an architect could know."""

from zencli.story.book import Language
from zencli.story.documents.bible import (
    render_bible,
    render_rules,
    render_secrets,
    render_style,
    render_timeline,
)
from zencli.story.documents.outline import render_outline
from zencli.story.foundation import Cast, Concept, Structure


def empty_documents(title: str, language: Language) -> dict[str, str]:
    """Each document with its headings and nothing else, by path."""
    return {
        "story_bible.md": render_bible(title, Concept(), language),
        "timeline.md": render_timeline([], language),
        "outline.md": render_outline(Structure(), [], language),
        "secrets.md": render_secrets(Concept(), Cast(), language),
        "rules.md": render_rules(Concept(), language),
        "style.md": render_style(Concept(), language),
    }
