"""Where a new file goes and what stands above its text, by its type."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.places import FOLDERS, slug_of
from zencli.agent.tools.refusal import ToolRefused
from zencli.prose.headings import read_heading, without_label
from zencli.prose.numerals import CHINESE, ENGLISH, chinese_number, english_number
from zencli.prose.segment import script
from zencli.store.chapter_text import join_chapter, split_chapter
from zencli.store.layout import BookDir, chapter_file
from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.labels import colon, label

_NAMED = (
    "outline",
    "story_bible",
    "timeline",
    "secrets",
    "rules",
    "style",
    "focus",
    "brief",
)
"""Documents that stand in the book's own folder, by the name that the verbs know."""

_PLURAL = {kind: folder for folder, kind in FOLDERS.items() if folder != "drafts"}
_ZH_EPISODE = re.compile(rf"第\s*([{CHINESE}]+)\s*[集幕场章][\s：:、.—-]*(.*)")
_EN_EPISODE = re.compile(rf"(?:episode|chapter)\s+({ENGLISH})(?:[\s.:—–-]+(.*))?", re.I)
_DIGITS = 7
_CARD_FIELDS = ("aliases", "role", "start")


@dataclass(frozen=True)
class Wanted:
    """A file that is to be made: its type, and what was said of it. ``title`` is one line."""

    type: str
    title: str
    parent: str = ""
    order: int | None = None


def wanted_from(kind: str, title: str, parent: str, order: int | None) -> Wanted:
    """What a model wants; a title that is a path (``chapters/0003.md``) is taken apart."""
    title = markdown.bare_title(clean(title))
    if title.endswith(".md") or title.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
        folder, _, title = title.removesuffix(".md").rpartition("/")
        parent = parent or folder
    if kind in ("draft", "script") and title.isdecimal() and len(title) < _DIGITS:
        order = int(title) if order is None else order
        title = ""
    return Wanted(kind, title, parent, order)


def path_for(book: BookDir, wanted: Wanted) -> str:
    """The path of a new file. Raises ToolRefused ``path_refused`` or ``chapter_gap``."""
    if wanted.type == "draft":
        return chapter_file(_chapter_number(book, wanted))
    name = slug_of(wanted.title)
    if wanted.type in ("document", "outline") and not wanted.parent and name in _NAMED:
        return f"{name}.md"
    if (
        wanted.type == "outline"
        and not wanted.parent
        and not (book.read("outline.md") or "").strip()
    ):
        return "outline.md"
    if wanted.type == "script":
        name = _script_name(wanted, name)
    elif wanted.order is not None and wanted.type != "character":
        name = f"{wanted.order:02d}-{name}" if name else f"{wanted.order:02d}"
    if not name:
        raise ToolRefused("path_refused", "The title has nothing that a file could be named by.")
    folder = _folder(wanted)
    return f"{folder}/{name}" if wanted.type == "folder" else f"{folder}/{name}.md"


def title_for(wanted: Wanted, present: str = "") -> str:
    """The title without a chapter's number, which its file name has.

    One that is no more than a number leaves a chapter that is written anew (``present``) its title.
    """
    title = wanted.title
    if wanted.type == "script":
        return _episode(title)[1] or split_chapter(present)[0] or title
    if wanted.type == "draft":
        return without_label(title) or split_chapter(present)[0] or title
    return title


def head_for(wanted: Wanted, metadata: dict[str, str], language: Language) -> str:
    """The lines between heading and text that metadata becomes.

    Raises ToolRefused ``metadata_refused`` for a chapter or script, which is a heading and prose.
    """
    if not metadata:
        return ""
    if wanted.type in ("draft", "script"):
        raise ToolRefused(
            "metadata_refused",
            f"A {wanted.type} is one heading and prose: it takes no metadata.",
            "Leave metadata out.",
        )
    lines = []
    for key, value in metadata.items():
        known = wanted.type == "character" and key in _CARD_FIELDS
        told = label(key, language) if known else markdown.one_line(clean(key))
        lines.append(f"- {told}{colon(language)}{markdown.one_line(clean(str(value)))}")
    return "\n".join(lines)


def framed(path: str, title: str, head: str, body: str) -> str:
    """The whole text of a new file: its heading, what stands below it, the body.

    A body that brings its own heading keeps it; a fence around the whole of it is taken off.
    """
    body = _unfenced(clean(body)).strip("\n")
    if path.startswith(("chapters/", "scripts/")):
        return _chapter(path, title, body)
    if not head and (body.startswith("# ") or not title):
        return f"{body}\n"
    if body.startswith("# "):
        first, _, rest = body.partition("\n")
        parts = [first, head, rest.strip("\n")]
    else:
        parts = [f"# {title}", head, body]
    return "\n\n".join(part for part in parts if part) + "\n"


def _chapter(path: str, title: str, body: str) -> str:
    """A chapter or episode: a first line that is its heading, however it is marked, is no prose."""
    own, prose = split_chapter(body)
    first, _, rest = body.partition("\n")
    heading = read_heading(first)
    if not own and heading is not None and heading.kind != "volume" and heading.sure:
        own, prose = heading.text, rest
    bare = without_label(own) if own and read_heading(own) else own
    number = PurePosixPath(path).stem.lstrip("0") or "0"
    untitled = f"第{number}章" if script(prose) == "zh" else f"Chapter {number}"
    return join_chapter(bare or title or own or untitled, prose)


def has_prose(text: str | None) -> bool:
    """Whether a file has more than a heading."""
    return bool(text and split_chapter(text)[1].strip())


def _chapter_number(book: BookDir, wanted: Wanted) -> int:
    following = max([*book.chapter_numbers(), 0]) + 1
    heading = read_heading(wanted.title)
    number = None
    if heading is not None:
        number = 0 if heading.kind == "prologue" else heading.number
    number = wanted.order if number is None else number
    if number is None:
        return following
    if number < 0 or (number > following and number not in book.gaps()):
        raise ToolRefused(
            "chapter_gap",
            f"Chapter {number} can't be written: the next one is chapter {following}.",
            "Write them in order.",
            data={"next": following},
        )
    return number


def _script_name(wanted: Wanted, name: str) -> str:
    number = _episode(wanted.title)[0]
    number = wanted.order if number is None else number
    return name if number is None else f"{number:04d}"


def _episode(title: str) -> tuple[int | None, str]:
    """The number of an episode and the title without it."""
    found = _ZH_EPISODE.fullmatch(title)
    if found:
        return chinese_number(found[1]), found[2]
    found = _EN_EPISODE.fullmatch(title)
    return (english_number(found[1]), found[2] or "") if found else (None, title)


def _folder(wanted: Wanted) -> str:
    own = _PLURAL.get(wanted.type, "" if wanted.type == "folder" else "documents")
    parent = wanted.parent.strip().strip("/")
    if wanted.type == "character" and parent not in ("", own):
        raise ToolRefused("path_refused", "Character cards stand in characters/, without a parent.")
    if not parent:
        return own or "documents"
    inside_own = not own or own == "documents" or PurePosixPath(parent).parts[0] == own
    return parent if inside_own else f"{own}/{parent}"


def _unfenced(body: str) -> str:
    stripped = body.strip()
    first, _, rest = stripped.partition("\n")
    fenced = first.startswith("```") and rest.endswith("```") and rest.count("```") == 1
    return rest.removesuffix("```") if fenced else body
