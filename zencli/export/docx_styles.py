"""The styles of a Word document."""

from typing import TYPE_CHECKING, Any

from zencli.export.xhtml import LANGUAGE_TAGS
from zencli.story.book import Language

if TYPE_CHECKING:
    from docx.document import Document

BODY, FIRST, QUOTE, SCENE, NOTE = "Body Text", "First Paragraph", "Quote", "Scene Break", "Note"

_LATIN = "Times New Roman"
_HAN, _HAN_HEADINGS = "SimSun", "SimHei"
_SIZES = {"Title": 26, "Subtitle": 14, "Heading 1": 18, "Heading 2": 16, "Heading 3": 13, NOTE: 9}
_BODY_SIZE = 12
_INDENT_ZH, _INDENT_EN = 2 * _BODY_SIZE, 18


def make_styles(document: "Document", language: Language, chapter_level: int) -> None:
    """Set fonts, sizes and paragraphs; headings down to ``chapter_level`` begin a page."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    styles = document.styles
    for name in (FIRST, SCENE, NOTE):
        styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH).base_style = styles["Normal"]
    normal = styles["Normal"]
    _fonts(normal, _HAN)
    _language(normal, language)
    normal.font.size = Pt(_BODY_SIZE)
    normal.paragraph_format.space_after = Pt(0)
    normal.paragraph_format.line_spacing = 1.5
    for name, size in _SIZES.items():
        style = styles[name]
        _fonts(style, _HAN if name == NOTE else _HAN_HEADINGS)
        style.font.size = Pt(size)
        if name != NOTE:
            _plain_heading(style)
    for level in range(1, chapter_level + 1):
        styles[f"Heading {level}"].paragraph_format.page_break_before = True
    _indent(styles[BODY], language)
    if language == "zh":
        _indent(styles[FIRST], language)
    styles[QUOTE].font.italic = False
    styles[QUOTE].font.color.rgb = None
    styles[QUOTE].paragraph_format.left_indent = Pt(2 * _BODY_SIZE)
    scene = styles[SCENE].paragraph_format
    scene.alignment = WD_ALIGN_PARAGRAPH.CENTER
    scene.space_before = scene.space_after = Pt(_BODY_SIZE)


def _plain_heading(style: Any) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt, RGBColor

    style.font.color.rgb = RGBColor(0, 0, 0)
    style.font.italic = False
    style.paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    style.paragraph_format.space_before = Pt(24)
    style.paragraph_format.space_after = Pt(18)
    border = style.element.pPr.find(_w("pBdr"))
    if border is not None:
        style.element.pPr.remove(border)


def _fonts(style: Any, han: str) -> None:
    """A font for Latin and one for Chinese: without the second, Word takes any."""
    style.font.name = _LATIN
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for name in list(fonts.attrib):
        if name.endswith("Theme"):
            del fonts.attrib[name]
    for name, font in (("eastAsia", han), ("hAnsi", _LATIN), ("cs", _LATIN), ("ascii", _LATIN)):
        fonts.set(_w(name), font)


def _language(style: Any, language: Language) -> None:
    from docx.oxml.parser import OxmlElement

    told = OxmlElement("w:lang")
    told.set(_w("val"), "en-US" if language == "zh" else LANGUAGE_TAGS[language])
    told.set(_w("eastAsia"), LANGUAGE_TAGS["zh"])
    style.element.get_or_add_rPr().append(told)


def _indent(style: Any, language: Language) -> None:
    """Two characters in Chinese, whatever the size of the font."""
    from docx.shared import Pt

    style.paragraph_format.first_line_indent = Pt(_INDENT_ZH if language == "zh" else _INDENT_EN)
    if language == "zh":
        style.element.pPr.ind.set(_w("firstLineChars"), "200")


def _w(name: str) -> str:
    from docx.oxml.ns import qn

    return qn(f"w:{name}")
