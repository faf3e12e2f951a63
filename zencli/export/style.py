"""Our own style sheets: plain, for any reader and any size of screen."""

from dataclasses import dataclass

from zencli.story.book import Language


@dataclass(frozen=True)
class Look:
    """What an author may choose: Chinese from top to bottom, English chapters that begin with
    small capitals. Each is for its language alone."""

    vertical: bool = False
    small_caps: bool = False

    def is_vertical(self, language: Language) -> bool:
        """Whether lines run from top to bottom and pages from right to left."""
        return self.vertical and language == "zh"


_COMMON = """\
p { margin: 0; text-indent: %(indent)s; line-height: %(leading)s; widows: 2; orphans: 2; }
h1, h2, h3 { line-height: 1.4; text-align: center; text-indent: 0; page-break-after: avoid; \
break-after: avoid; }
h1 { margin: 2em 0 1.5em; font-size: 1.4em; }
h2 { margin: 1.5em 0 1em; font-size: 1.1em; }
h3, h4 { margin: 1.5em 0 1em; font-size: 1em; }
hr.scene { margin-block: 1.5em; margin-inline: auto; inline-size: 20%%; border: 0; \
border-block-start: 1px solid; }
blockquote { margin: 1em 2em; }
code { font-family: inherit; }
ruby { ruby-position: over; }
rt { font-size: 0.5em; }
.picture { margin: 1em 0; text-indent: 0; text-align: center; }
.picture img { max-width: 100%%; max-height: 100%%; }
.noteref { font-size: 0.7em; vertical-align: super; line-height: 1; text-decoration: none; }
.note { margin: 1em 0 0; font-size: 0.85em; }
.note p { text-indent: 0; }
"""

_PAGES = """\
body { margin: 0 1em; }
.title-page { margin-top: 30%; }
.title-page h1 { font-size: 1.8em; }
.title-page p { margin-bottom: 1em; text-indent: 0; text-align: center; }
.title-page p.small { font-size: 0.85em; }
.cover { margin: 0; padding: 0; text-align: center; writing-mode: horizontal-tb; }
.cover img, .cover svg { max-width: 100%; max-height: 100%; }
nav ol { padding: 0; list-style: none; }
nav ol ol { padding: 0 0 0 1.5em; }
nav li { margin: 0.4em 0; }
"""

# Quotation marks are shared with Latin letters: a Chinese font must come first, or they come out
# narrow. Lines are filled by widening the gaps of all characters alike, never those about a word.
_CHINESE = """\
body { font-family: "Songti SC", "Source Han Serif SC", "Noto Serif CJK SC", "STSong", "SimSun", \
serif; quotes: "“" "”" "‘" "’"; }
p { line-break: strict; text-align: justify; text-justify: inter-character; \
overflow-wrap: break-word; }
em { font-style: normal; text-emphasis: filled dot; text-emphasis-position: under right; \
-epub-text-emphasis-style: filled dot; }
"""

_ENGLISH = """\
body { quotes: "“" "”" "‘" "’"; }
p { text-align: start; hyphens: auto; -epub-hyphens: auto; }
h1 + p, h2 + p, h3 + p, hr + p { text-indent: 0; }
"""

_VERTICAL = """\
html { writing-mode: vertical-rl; -epub-writing-mode: vertical-rl; -webkit-writing-mode: \
vertical-rl; text-orientation: mixed; }
em { text-emphasis-position: over right; }
"""

_SMALL_CAPS = """\
h1 + p::first-line, h2 + p::first-line { font-variant: small-caps; letter-spacing: 0.03em; }
"""


def prose_style(language: Language, look: Look) -> str:
    """CSS of the text itself: two-em indent and dotted emphasis in Chinese, first lines flush in
    English."""
    if language == "zh":
        vertical = _VERTICAL if look.vertical else ""
        return _COMMON % {"indent": "2em", "leading": "1.8"} + _CHINESE + vertical
    small = _SMALL_CAPS if look.small_caps else ""
    return _COMMON % {"indent": "1.2em", "leading": "1.5"} + _ENGLISH + small


def style_sheet(language: Language, look: Look) -> str:
    """CSS of an EPUB's pages."""
    return prose_style(language, look) + _PAGES
