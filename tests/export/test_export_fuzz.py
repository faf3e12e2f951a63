"""Any book at all through every format: what comes out is valid."""

import io
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

import docx
import pytest
from export_samples import UPDATED, files
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.export.docx import render_docx
from zencli.export.epub import render_epub
from zencli.export.html import render_html
from zencli.export.manuscript import Imprint, Manuscript, ManuscriptChapter, Part, clean
from zencli.export.md import render_md, split_md
from zencli.export.names import MADE
from zencli.export.style import Look
from zencli.export.txt import TxtForm, render_txt, split_txt
from zencli.story.book import BookConfig

ANY = st.text(st.characters(codec=None), max_size=30)
TRAPS = st.lists(
    st.sampled_from(
        [
            "甲乙。", "a b", "*", "**", "***", "_", "`", "```", "\\", "&amp;", "&#0;", "<b>",
            "</p>", "<!--", "]]>", "<ruby>漢<rt>hàn</rt></ruby>", "<ruby>", "![图](a.png)",
            "[^1]", "\n[^1]: 注 ", "# ", "> ", "- ", "1. ", "\n\n", "\n", "  \n", "\\\n",
            "\u202e", "\u200d", "👩\u200d👩", "𠮷", "\x00", "\x1b[0m", "\ud800", "\ufdd0",
            "\ufdd0" "0" "\ufdd1", "\ufffe", "\u2028", "\x85", "===", "\t", "עברית", "\ue000",
            "\U0010ffff", "\ufeff", "e\u0301", "\"'", "://", "%", "{{", "$"
]
    ), max_size=25,
).map("".join)  # fmt: skip
TEXT = st.one_of(ANY, TRAPS, st.just(""), st.just("汉" * 3000), st.just("x" * 3000))
TITLE = st.one_of(ANY, TRAPS, st.just("题" * 400))


@st.composite
def manuscripts(draw: st.DrawFn) -> Manuscript:
    numbers = draw(st.lists(st.integers(0, 999_999), min_size=1, max_size=4, unique=True))
    config = BookConfig(
        id=draw(st.sampled_from(["yuye", "七则桥", "a-1_b"])),
        title=draw(TITLE),
        language=draw(st.sampled_from(["zh", "en"])),
        created=UPDATED,
        updated=UPDATED,
    )
    imprint = Imprint(
        draw(TITLE), draw(ANY), draw(TEXT), tuple(draw(st.lists(ANY, max_size=2))),
        draw(ANY), draw(st.one_of(st.none(), st.integers(0, 9))), draw(ANY),
    )  # fmt: skip
    parts = (Part(draw(TITLE), 0, 500_000),) if draw(st.booleans()) else ()
    chapters = tuple(ManuscriptChapter(n, draw(TITLE), draw(TEXT)) for n in numbers)
    return Manuscript(config, chapters, imprint, parts)


looks = st.builds(Look, st.booleans(), st.booleans())


@given(manuscripts(), looks)
@settings(max_examples=50, deadline=None)
def test_every_file_of_an_epub_is_xml_and_every_link_leads_somewhere(
    manuscript: Manuscript, look: Look
) -> None:
    found = files(render_epub(manuscript, look))
    ids, links = set(), set()
    for name, content in found.items():
        if name.endswith((".xhtml", ".opf", ".ncx", ".xml")):
            for element in ElementTree.fromstring(content).iter():
                if element.get("id"):
                    assert (name, element.get("id")) not in ids
                    ids.add((name, element.get("id")))
                links.update((name, element.get(a, "")) for a in ("href", "src"))
    for name, link in links:
        file, _, fragment = link.partition("#")
        if link and not name.endswith("container.xml"):
            assert (file or name) in found
            assert not fragment or (file or name, fragment) in ids


class Tags(HTMLParser):
    """The open tags; every one must be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.ids: list[str] = []
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.seen.add(tag)
        self.ids += [i for i in [told.get("id")] if i]
        self.targets += [h[1:] for h in [told.get("href")] if h]
        if tag not in ("meta", "br", "hr", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@given(manuscripts(), looks)
@settings(max_examples=50, deadline=None)
def test_html_is_well_formed_and_runs_and_fetches_nothing(
    manuscript: Manuscript, look: Look
) -> None:
    tags = Tags()
    tags.feed(render_html(manuscript, look).decode())
    tags.close()
    assert not tags.open
    assert not tags.seen & {"script", "link", "iframe", "object", "b", "think"}
    assert len(set(tags.ids)) == len(tags.ids)
    assert set(tags.targets) <= set(tags.ids)


@given(manuscripts())
@settings(max_examples=30, deadline=None)
def test_a_docx_opens_with_every_chapter_under_its_heading(manuscript: Manuscript) -> None:
    data = render_docx(manuscript)
    opened = docx.Document(io.BytesIO(data))
    level = 2 if any(part for part, _ in manuscript.sections) else 1
    headings = [p for p in opened.paragraphs if p.style.name == f"Heading {level}"]
    assert len(headings) >= len(manuscript.chapters)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None


@given(
    manuscripts(),
    st.sampled_from(["utf-8", "utf-8-sig", "gb18030"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_txt_can_be_read_in_its_encoding_and_has_its_line_ends(
    manuscript: Manuscript, encoding: str, line_end: str, gap: bool
) -> None:
    form = TxtForm(gap=gap, encoding=encoding, line_end=line_end)  # type: ignore[arg-type]
    text = render_txt(manuscript, form).decode(encoding)
    assert text.count("\n") == text.count(line_end)
    assert clean(text.replace("\r\n", "\n")) == text.replace("\r\n", "\n")
    assert manuscript.title in text


@given(manuscripts())
@settings(max_examples=50, deadline=None)
def test_split_files_have_names_that_every_system_takes(manuscript: Manuscript) -> None:
    for files_of in (split_txt, split_md):
        made = files_of(manuscript)
        assert len(made) == len(manuscript.chapters)
        for name in made:
            assert MADE.fullmatch(name)
            assert len(name.encode()) <= 200
            assert not set(name) & set('/\\:*?"<>|\n\t')
        assert sorted(made) == sorted(made, key=lambda name: int(name.split()[0].split(".")[0]))


@given(manuscripts())
@settings(max_examples=15, deadline=None)
def test_what_is_made_twice_is_the_same(manuscript: Manuscript) -> None:
    for render in (render_epub, render_html, render_md, render_docx):
        assert render(manuscript) == render(manuscript)


@pytest.mark.parametrize("render", [render_epub, render_html, render_md, render_docx, render_txt])
def test_a_very_long_chapter_is_taken(render) -> None:
    config = BookConfig(id="x", title="长", created=UPDATED, updated=UPDATED)
    manuscript = Manuscript(config, (ManuscriptChapter(1, "长", "雨下了一夜。\n\n" * 60_000),))
    assert len(render(manuscript)) > 5_000
