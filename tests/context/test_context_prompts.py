"""The prompts that come with zencli, held to docs/prompts.md and to the models of their replies."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import jinja2
import pytest
from jinja2 import meta
from prompt_values import situations
from pydantic import BaseModel

from zencli.context.prompts import Prompts, shipped_prompts
from zencli.errors import UsageError
from zencli.pipeline.arc_summary import ArcReply
from zencli.pipeline.auditing.audit_groups import Group, dimension_of, every_group
from zencli.pipeline.auditing.audit_reply import AuditReply
from zencli.pipeline.revision import SpotFix
from zencli.pipeline.style.style_book import StyleReply
from zencli.prose.count import count_words
from zencli.story.book import PLATFORMS, Language
from zencli.story.delta import Delta
from zencli.story.foundation import Cast, Concept, OutlineBatch, Reconciliation, Structure
from zencli.story.lenient import Lenient
from zencli.story.markdown import bullets, first_heading, sections
from zencli.story.plan import HookMove, Plan

ROOT = shipped_prompts()
DOC = (Path(__file__).parents[2] / "docs" / "prompts.md").read_text(encoding="utf-8")
LANGUAGES: tuple[Language, ...] = ("zh", "en")
TEMPLATES = sorted(path.name.removesuffix(".md.j2") for path in (ROOT / "en").glob("*.j2"))
REPLIES: dict[str, type[Lenient]] = {
    model.__name__: model
    for model in (
        Concept, Cast, Structure, OutlineBatch, Reconciliation, Plan, AuditReply, SpotFix, Delta,
        StyleReply, ArcReply,
    )
}  # fmt: skip
GENRES = {
    "xuanhuan", "xianxia", "wuxia", "urban", "mystery", "romance", "scifi", "fantasy", "litrpg",
    "horror", "historical", "general",
}  # fmt: skip
HEADINGS = {
    "zh": ["构思", "策划", "写作", "审稿"],
    "en": ["Concept", "Planning", "Writing", "Editing"],
}
MOST = {"zh": 200, "en": 110}
HAN = re.compile("[\u3400-\u9fff\uff01-\uff5e\u3001-\u303f]")

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_template = pytest.mark.parametrize("template", TEMPLATES)


def table(heading: str) -> dict[str, list[str]]:
    """The rows of a section's first table by the name in their first column, in backticks."""
    text = next(body for title, body in sections(DOC) if title == heading)
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1:] for row in rows}


def documented(template: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", table("Templates")[template][0]))


def renderings(language: Language, template: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The template as rendered in every situation, with exactly the documented variables."""
    prompts = Prompts(language)
    names = documented(template)
    seen = set()
    for values in situations():
        given = {name: value for name, value in values.items() if name in names}
        if repr(given) not in seen:
            seen.add(repr(given))
            yield prompts.render(template, **given), values


# --- variables ---------------------------------------------------------------------------------


def test_the_table_lists_the_templates_of_both_languages() -> None:
    chinese = {path.name.removesuffix(".md.j2") for path in (ROOT / "zh").glob("*.j2")}
    assert set(table("Templates")) == set(TEMPLATES) == chinese


@each_language
@each_template
def test_a_template_uses_exactly_the_documented_variables(
    language: Language, template: str
) -> None:
    text = (ROOT / language / f"{template}.md.j2").read_text(encoding="utf-8")
    assert meta.find_undeclared_variables(jinja2.Environment().parse(text)) == documented(template)


def test_every_variable_is_described_and_none_besides() -> None:
    used = set[str]().union(*(documented(template) for template in TEMPLATES))
    assert set(table("Variables")) == used


# --- rendering ---------------------------------------------------------------------------------


@each_language
@each_template
def test_a_template_renders_full_and_empty_without_leftovers(
    language: Language, template: str
) -> None:
    for text, _ in renderings(language, template):
        assert empty_headings(text) == []
        assert not re.search(r"\{[{%#]|[%#]\}|\bNone\b", text)
        assert not re.search(r"《》|（）|\(\)|\n{4,}", text)


@each_language
@each_template
def test_every_value_reaches_the_prompt(language: Language, template: str) -> None:
    shown = "".join(text for text, _ in renderings(language, template))
    for name in documented(template):
        full = next(values[name] for values in situations())
        for leaf in leaves(full, name):
            assert leaf in shown, f"{name}: {leaf}"


def leaves(value: Any, name: str) -> Iterator[str]:
    """The marked texts in a value. The plan's amendments are for the program, not the writer."""
    if isinstance(value, BaseModel):
        value = {k: v for k, v in value.model_dump().items() if k != "amend"}
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{name}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, name)
    elif isinstance(value, str) and value.startswith("<"):
        yield value


def empty_headings(text: str) -> list[str]:
    """Headings with nothing under them but headings of their own level or above."""
    lines = [line for line in text.splitlines() if line.strip()]
    levels = [len(m[1]) if (m := re.match(r"(#{1,6}) ", line)) else 0 for line in lines]
    return [
        line
        for index, (line, level) in enumerate(zip(lines, levels, strict=True))
        if level and (index + 1 == len(lines) or 0 < levels[index + 1] <= level)
    ]


def test_an_empty_heading_would_be_seen() -> None:
    assert empty_headings("# A\n\n## B\n\n## C\ntext\n\n# D\n") == ["## B", "# D"]


# --- JSON examples -----------------------------------------------------------------------------


def examples(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@each_language
@each_template
def test_every_json_example_is_valid_for_the_model_of_the_reply(
    language: Language, template: str
) -> None:
    reply = re.fullmatch(r"JSON: `(\w+)`", table("Templates")[template][1])
    for text, values in renderings(language, template):
        found = examples(text)
        assert len(found) == (1 if reply else 0)
        for example in found:
            model = REPLIES[reply[1]] if reply else Lenient
            faults = list(mismatches(example, model, model.__name__))
            assert faults == []
            warnings: list[str] = []
            model.model_validate(chosen(example), context={"warnings": warnings})
            assert warnings == []
            if not values["small"]:
                assert list(missing(example, model)) == []


def mismatches(example: Any, wanted: Any, where: str) -> Iterator[str]:
    """What of an example isn't in the model: unknown keys, other types, values not allowed.

    A text like ``a|b`` offers several values, each of which must be allowed.
    """
    if get_origin(wanted) is list:
        if not isinstance(example, list) or not example:
            yield f"{where}: not a list with an item"
        for item in example:
            yield from mismatches(item, get_args(wanted)[0], where)
    elif isinstance(wanted, type) and issubclass(wanted, Lenient):
        for key, value in example.items():
            if key not in wanted.model_fields:
                yield f"{where}.{key}: no such field"
                continue
            annotation = wanted.model_fields[key].annotation
            if get_origin(annotation) is Literal:
                allowed = {*get_args(annotation), *wanted.synonyms}
                yield from (f"{key}: {v!r}" for v in value.split("|") if v not in allowed)
            else:
                yield from mismatches(value, annotation, f"{where}.{key}")
    elif not isinstance(example, wanted):
        yield f"{where}: {example!r} isn't {wanted.__name__}"


def missing(example: dict[str, Any], model: type[Lenient]) -> Iterator[str]:
    """Fields that the model has and the example doesn't ask for."""
    yield from (f"{model.__name__}.{name}" for name in model.model_fields.keys() - example.keys())
    for name, field in model.model_fields.items():
        inner = get_args(field.annotation)
        if inner and isinstance(inner[0], type) and issubclass(inner[0], Lenient):
            yield from missing(example.get(name, [{}])[0], inner[0])


def chosen(example: Any) -> Any:
    """The example with the first of the values that it offers."""
    if isinstance(example, dict):
        return {key: chosen(value) for key, value in example.items()}
    if isinstance(example, list):
        return [chosen(item) for item in example]
    return example.split("|")[0] if isinstance(example, str) else example


@each_language
def test_the_auditor_is_offered_every_dimension_by_a_name_the_program_knows(
    language: Language,
) -> None:
    groups = every_group(Prompts(language))
    text = Prompts(language).render("audit", **audit_values(groups))
    offered = examples(text)[0]["findings"][0]["dimension"].split("|")
    asked = [d.id for group in groups for d in group.dimensions]
    assert [dimension_of(name, groups) for name in offered] == asked
    assert all(bool(HAN.search(name)) == (language == "zh") for name in offered)


def audit_values(groups: tuple[Group, ...]) -> dict[str, Any]:
    """The audit of a chapter with nothing but these to look for."""
    texts = dict.fromkeys(("instruction", "genre_notes", "platform_notes"), "")
    rest = {"secrets": [], "due": [], "small": False, "number": 3, "part": 1, "parts": 1}
    return {**texts, **rest, "groups": groups}


@each_language
def test_outlined_hooks_are_offered_only_moves_that_exist(language: Language) -> None:
    text = next(text for text, _ in renderings(language, "outline"))
    moves = examples(text)[0]["chapters"][0]["hooks"][0]["do"].split("|")
    assert set(moves) <= set(get_args(HookMove))


# --- language ----------------------------------------------------------------------------------


def test_no_chinese_stands_in_the_english_prompts() -> None:
    for path in (ROOT / "en").rglob("*.*"):
        assert HAN.findall(path.read_text(encoding="utf-8")) == [], path.name


@each_template
def test_no_english_sentence_stands_in_a_chinese_prompt(template: str) -> None:
    for text, _ in renderings("zh", template):
        own = re.sub(r"<\w+>", "", text)
        assert re.findall(r"[A-Za-z']+[ ,]+[A-Za-z']+", own) == []


def test_no_english_sentence_stands_in_chinese_genres_and_platforms() -> None:
    for path in (ROOT / "zh").rglob("*.md"):
        assert re.findall(r"[A-Za-z']+[ ,]+[A-Za-z']+", path.read_text(encoding="utf-8")) == []


# --- genres and platforms ----------------------------------------------------------------------


def notes(kind: str) -> list[Path]:
    return sorted(path for language in LANGUAGES for path in (ROOT / language / kind).glob("*.md"))


@each_language
def test_every_genre_and_platform_has_its_file(language: Language) -> None:
    assert {p.stem for p in (ROOT / language / "genres").glob("*.md")} == GENRES
    assert {p.stem for p in (ROOT / language / "platforms").glob("*.md")} == set(PLATFORMS)
    assert set(Prompts(language).genres()) == GENRES


@pytest.mark.parametrize(
    "path",
    [p for p in notes("genres") + notes("platforms") if p.stem != "other"],
    ids=lambda path: f"{path.parent.parent.name}-{path.stem}",
)
def test_a_profile_has_the_four_sections_within_their_size(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    language: Language = "zh" if path.parent.parent.name == "zh" else "en"
    assert first_heading(text)
    assert [heading for heading, _ in sections(text)] == HEADINGS[language]
    for heading, body in sections(text):
        assert 3 <= len(bullets(body)) == len(body.splitlines()) <= 6, heading
        assert 0 < count_words(body, language) <= MOST[language], heading
    assert not re.search(r"[{}]|TODO|XXX", text)


@each_language
def test_the_platform_other_assumes_nothing(language: Language) -> None:
    text = (ROOT / language / "platforms" / "other.md").read_text(encoding="utf-8")
    assert text == f"# {first_heading(text)}\n"


@pytest.mark.parametrize("path", notes("platforms"), ids=lambda path: path.stem)
def test_a_platform_says_nothing_of_the_length_of_a_chapter(path: Path) -> None:
    assert not re.search(r"\d{4}|\d,\d{3}|千字|thousand", path.read_text(encoding="utf-8"))


# --- the author's own files --------------------------------------------------------------------


def put(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


def test_the_books_prompt_wins_over_the_workspaces_and_that_over_the_shipped_one(
    tmp_path: Path,
) -> None:
    book, workspace = tmp_path / "books" / "b", tmp_path
    prompts = [book, workspace]
    shipped = Prompts("en", prompts).render("continue", number=3, words_left=50)
    put(workspace, "prompts/en/continue.md.j2", "workspace {{ number }}")
    assert Prompts("en", prompts).render("continue", number=3, words_left=50) == "workspace 3"
    assert Prompts("zh", prompts).render("continue", number=3, words_left=50) != shipped
    put(book, "prompts/en/continue.md.j2", "book {{ words_left }}")
    assert Prompts("en", prompts).render("continue", number=3, words_left=50) == "book 50"


@pytest.mark.parametrize(
    ("name", "text"),
    [("{{ nonsense }}", "line 2"), ("{% if %}", "line 2"), ("{% include 'x' %}", "usage.prompt")],
)
def test_a_broken_prompt_is_named_with_its_line(tmp_path: Path, name: str, text: str) -> None:
    put(tmp_path, "prompts/en/continue.md.j2", f"One.\n{name}\n")
    with pytest.raises(UsageError) as caught:
        Prompts("en", [tmp_path]).render("continue", number=3, words_left=50)
    assert text in f"{caught.value.code} {caught.value.message}"


def test_a_genre_of_the_author_is_found_in_the_documented_order(tmp_path: Path) -> None:
    book, workspace = tmp_path / "books" / "b", tmp_path
    prompts = Prompts("en", [book, workspace])
    assert prompts.genre("noir", "plan") == Prompts("en").genre("general", "plan") != ""
    places = ["prompts/en/genres/noir.md", "genres/noir.md", "genres/en/noir.md"]
    for root in (workspace, book):
        for place in places:
            put(root, place, f"# Noir\n\n## Planning\n- {root.name} {place}\n")
            assert prompts.genre("noir", "plan") == f"- {root.name} {place}"
            assert prompts.display_name("genres", "noir") == "Noir"
    assert prompts.genre("noir", "write") == "", "a section that isn't there is empty"
    assert prompts.genres()["noir"] == "Noir"


def test_a_platform_of_the_author_is_found_like_a_genre(tmp_path: Path) -> None:
    put(tmp_path, "platforms/other.md", "# 自家\n\n## 写作\n- 慢\n")
    assert Prompts("zh", [tmp_path]).platform("other", "write") == "- 慢"
    assert Prompts("zh").platform("other", "write") == ""
