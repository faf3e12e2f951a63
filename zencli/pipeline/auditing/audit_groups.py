"""What the auditor looks for: groups of dimensions, chosen by the book's genre and its author."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from zencli.context.prompts import Prompts
from zencli.errors import UsageError
from zencli.story.book import BookConfig

OTHER = "other"
"""The dimension of a finding that the auditor put under a name nobody gave it."""

_GROUP = re.compile(r"## ([a-z-]+) (.+)")
_DIMENSION = re.compile(r"- ([a-z-]+) ([^:：（(]+?)(?:[（(]([a-z、, ]+)[）)])?[:：]\s*(.+)")


@dataclass(frozen=True)
class Dimension:
    """One kind of fault. ``id`` is stable, ``name`` the word for it in the book's language,
    ``looks`` what is looked for. ``genres`` that bring it; empty: every genre does."""

    id: str
    name: str
    looks: str
    genres: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Dimensions that belong together; never empty."""

    id: str
    name: str
    dimensions: tuple[Dimension, ...]


def every_group(prompts: Prompts) -> tuple[Group, ...]:
    """All groups of ``audit_dimensions.md.j2`` in the language of ``prompts``, in its order.

    A heading ``## ID NAME`` begins a group, an item ``- ID NAME (GENRE GENRE): LOOKS`` is a
    dimension of it. Raises ``UsageError`` ``usage.prompt`` when the template holds none.
    """
    found: list[Group] = []
    for line in prompts.render("audit_dimensions").splitlines():
        heading, item = _GROUP.fullmatch(line.strip()), _DIMENSION.fullmatch(line.strip())
        if heading:
            found.append(Group(heading[1], heading[2], ()))
        elif item and found:
            genres = tuple(re.findall("[a-z]+", item[3] or ""))
            dimension = Dimension(item[1], item[2].strip(), item[4], genres)
            found[-1] = replace(found[-1], dimensions=(*found[-1].dimensions, dimension))
    kept = tuple(group for group in found if group.dimensions)
    if not kept:
        raise UsageError(
            "usage.prompt",
            f"{prompts.language}/audit_dimensions.md.j2 names no dimension.",
            "Write a line '## ID NAME' for each group and '- ID NAME: WHAT' for its dimensions.",
        )
    return kept


def groups_for(prompts: Prompts, config: BookConfig) -> tuple[Group, ...]:
    """The groups of one book: those its genre brings, with what ``[audit]`` turns on and off.

    ``on`` and ``off`` name groups or dimensions by id. Raises ``UsageError`` ``usage.config`` for
    a name that isn't one, or when nothing is left to look for.
    """
    every, switches = every_group(prompts), config.audit
    ids = [name for group in every for name in (group.id, *(d.id for d in group.dimensions))]
    for key, names in (("on", switches.on), ("off", switches.off)):
        unknown = [name for name in names if name not in ids]
        if unknown:
            raise UsageError(
                "usage.config",
                f"book.toml: audit.{key} names {unknown[0]!r}, which is no group or dimension.",
                f"It may name {', '.join(ids)}.",
            )

    def wanted(group: Group, dimension: Dimension) -> bool:
        if {group.id, dimension.id} & set(switches.off):
            return False
        brought = not dimension.genres or config.genre in dimension.genres
        return brought or bool({group.id, dimension.id} & set(switches.on))

    chosen = [
        replace(group, dimensions=tuple(d for d in group.dimensions if wanted(group, d)))
        for group in every
    ]
    kept = tuple(group for group in chosen if group.dimensions)
    if not kept:
        raise UsageError(
            "usage.config",
            "book.toml: audit.off leaves the auditor nothing to look for.",
            "Leave the audit out with --no-llm or --no-audit instead.",
        )
    return kept


def dimension_of(word: str, groups: Iterable[Group]) -> str:
    """The stable id of a dimension as the auditor named it; ``other`` for a word of its own."""
    wanted = word.strip().casefold()
    for group in groups:
        for dimension in group.dimensions:
            if wanted in (dimension.id, dimension.name.casefold()):
                return dimension.id
    return next((g.dimensions[0].id for g in groups if wanted in (g.id, g.name.casefold())), OTHER)
