"""The measured part of ``style.md``: one section, written by the program and read back by it."""

import re
from collections.abc import Collection, Mapping

from zencli.prose.fingerprint import FEATURES, Fingerprint
from zencli.story import markdown
from zencli.story.book import Language

HEADINGS: Mapping[Language, str] = {"zh": "样文", "en": "The sample"}
"""The heading of the section, which is the program's own: it is written anew by each learning."""

FEATURE_NAMES: Mapping[str, Mapping[Language, str]] = {
    "sentence_mean": {"zh": "句长（字）", "en": "sentence length (words)"},
    "sentence_variation": {"zh": "句长起伏", "en": "variation of sentence length"},
    "short_sentences": {"zh": "短句", "en": "short sentences"},
    "long_sentences": {"zh": "长句", "en": "long sentences"},
    "paragraph_mean": {"zh": "每段句数", "en": "sentences in a paragraph"},
    "single_paragraphs": {"zh": "一句一段", "en": "one-sentence paragraphs"},
    "dialogue": {"zh": "对话", "en": "dialogue"},
    "commas": {"zh": "每千字逗顿号", "en": "commas per 1,000 words"},
    "stops": {"zh": "每千字句号", "en": "full stops per 1,000 words"},
    "questions": {"zh": "每千字问号", "en": "question marks per 1,000 words"},
    "exclamations": {"zh": "每千字叹号", "en": "exclamation marks per 1,000 words"},
    "dashes": {"zh": "每千字破折号", "en": "dashes per 1,000 words"},
    "ellipses": {"zh": "每千字省略号", "en": "ellipses per 1,000 words"},
}
_HABITS: Mapping[str, Mapping[Language, str]] = {
    "begin_speech": {"zh": "以对话起段", "en": "paragraphs that open with speech"},
    "end_speech": {"zh": "以对话收段", "en": "paragraphs that close with speech"},
    "end_short": {"zh": "以短句收段", "en": "paragraphs that close with a short sentence"},
}
_SHARES = frozenset(
    {"short_sentences", "long_sentences", "single_paragraphs", "dialogue", *_HABITS}
)
_FAVOURITES: Mapping[Language, str] = {"zh": "常用词", "en": "favourite words"}
_VALUE = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)(?:\s*[（(]±\s*(\d+(?:\.\d+)?)\s*%?[）)])?")
_FIELD = re.compile(r"^- (.+?)[：:]\s*(.+)$")


def render_block(
    print_: Fingerprint, language: Language, source: str, units: int, described: str = ""
) -> str:
    """The section: where it comes from, what the voice is like, and the numbers.

    ``units`` is the length of the sample; ``described`` the model's words on it, if any.
    """
    if language == "zh":
        note = f"量自“{source}”，{units} 字。再学一次会重写这一节，别处不动。括号里是各段的差异。"
    else:
        note = (
            f"Measured from “{source}”, {units} words. Learning again rewrites this section and "
            "nothing else. In brackets: how far parts of the sample differ."
        )
    lines = [f"## {HEADINGS[language]}", "", f"> {note}", ""]
    if described.strip():
        lines += [_plain(described), ""]
    lines += [f"- {line}" for line in feature_lines(print_, language)]
    return "\n".join(lines) + "\n"


def feature_lines(print_: Fingerprint, language: Language) -> list[str]:
    """One line for each number and habit, and one for the favourite words."""
    lines = []
    colon = "：" if language == "zh" else ": "
    for name in FEATURES:
        value = _number(name, print_.means[name])
        spread = _number(name, print_.spreads[name])
        shown = f"{value}（±{spread}）" if language == "zh" else f"{value} (±{spread})"
        lines.append(f"{FEATURE_NAMES[name][language]}{colon}{shown}")
    for name, share in print_.habits.items():
        lines.append(f"{_HABITS[name][language]}{colon}{_number(name, share)}")
    if print_.favourites:
        joined = ("、" if language == "zh" else ", ").join(print_.favourites)
        lines.append(f"{_FAVOURITES[language]}{colon}{joined}")
    return lines


def _plain(described: str) -> str:
    """A description that can't be mistaken for headings or fields of the section."""
    lines = (re.sub(r"^[#>\-*+\s]+", "", line) for line in described.strip().splitlines())
    return "\n\n".join(line for line in lines if line)


def _number(name: str, value: float) -> str:
    return f"{100 * value:.0f} %" if name in _SHARES else f"{value:.2f}".rstrip("0").rstrip(".")


def parse_block(text: str) -> Fingerprint | None:
    """The fingerprint that a ``style.md`` holds; None without the section or a number in it.

    Features whose line the author took out aren't compared.
    """
    content = block_of(text)
    if content is None:
        return None
    names = {
        shown: key for key, both in {**FEATURE_NAMES, **_HABITS}.items() for shown in both.values()
    }
    means: dict[str, float] = {}
    spreads: dict[str, float] = {}
    habits: dict[str, float] = {}
    favourites: tuple[str, ...] = ()
    for line in content.splitlines():
        field = _FIELD.match(line)
        if field is None:
            continue
        if field[1] in _FAVOURITES.values():
            favourites = tuple(w.strip() for w in re.split("[、,，]", field[2]) if w.strip())
        key, value = names.get(field[1]), _VALUE.match(field[2])
        if key is None or value is None:
            continue
        scale = 0.01 if value[2] else 1.0
        if key in _HABITS:
            habits[key] = float(value[1]) * scale
        else:
            means[key] = float(value[1]) * scale
            spreads[key] = float(value[3] or 0) * scale
    return Fingerprint(means, spreads, favourites, habits) if means else None


def block_of(text: str) -> str | None:
    """What the section holds, None when there is none."""
    found = [body for heading, body in markdown.sections(text) if heading in HEADINGS.values()]
    return found[0] if found else None


def with_block(text: str, block: str) -> str:
    """A ``style.md`` with this section in place of the one it has, or at its end."""
    lines = text.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if _is_heading(line, HEADINGS.values())]
    if not starts:
        return f"{text.rstrip()}\n\n{block}" if text.strip() else block
    start = starts[0]
    end = next((i for i in range(start + 1, len(lines)) if _is_heading(lines[i], None)), len(lines))
    after = "".join(lines[end:])
    return "".join(lines[:start]) + block + (f"\n{after}" if after else "")


def _is_heading(line: str, wanted: Collection[str] | None) -> bool:
    match = re.match(r"(#{1,2})[ \t]+(.+?)[ \t]*$", line)
    if match is None:
        return False
    return wanted is None or (len(match[1]) == 2 and match[2] in wanted)
