"""Our own style sheets: plain, for any reader and any size of screen."""

from zencli.story.book import Language

_COMMON = """\
body { margin: 0 1em; }
p { margin: 0; text-indent: %(indent)s; line-height: %(leading)s; text-align: start; \
widows: 2; orphans: 2; }
h1 { margin: 2em 0 1.5em; font-size: 1.4em; line-height: 1.4; text-align: center; \
text-indent: 0; }
h2 { margin: 1.5em 0 1em; font-size: 1.1em; text-align: center; text-indent: 0; }
hr.scene { width: 20%%; margin: 1.5em auto; border: 0; border-top: 1px solid; }
blockquote { margin: 1em 2em; }
code { font-family: inherit; }
.title-page { margin-top: 30%%; }
.title-page h1 { font-size: 1.8em; }
.title-page p { margin-bottom: 1em; text-indent: 0; text-align: center; }
.cover { margin: 0; padding: 0; text-align: center; }
.cover img { max-width: 100%%; max-height: 100%%; }
nav ol { padding: 0; list-style: none; }
nav li { margin: 0.4em 0; }
"""

_CHINESE = """\
p { line-break: strict; }
em { font-style: normal; text-emphasis: filled dot; text-emphasis-position: under right; \
-epub-text-emphasis-style: filled dot; }
"""

_ENGLISH = """\
h1 + p, h2 + p, hr + p { text-indent: 0; }
p { hyphens: auto; -epub-hyphens: auto; }
"""


def style_sheet(language: Language) -> str:
    """CSS: two-em indent and dotted emphasis in Chinese, first lines flush in English."""
    if language == "zh":
        return _COMMON % {"indent": "2em", "leading": "1.8"} + _CHINESE
    return _COMMON % {"indent": "1.2em", "leading": "1.5"} + _ENGLISH
