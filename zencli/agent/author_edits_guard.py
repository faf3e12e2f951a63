"""Deleting or wholly replacing an author's file: only when he named it and said so."""

import re
from typing import Literal

from zencli.agent.author_edits import authorship
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Asked, Turn
from zencli.errors import DamagedError
from zencli.pipeline.past.rewind import chapter_number
from zencli.prose.numerals import CHINESE, ENGLISH, chinese_number, english_number
from zencli.store.layout import BookDir
from zencli.story import markdown

Act = Literal["delete", "overwrite"]

_ACTS: dict[Act, "re.Pattern[str]"] = {
    "delete": re.compile(
        r"删|去掉|移除|清掉|清空|扔掉|丢掉|不要了|拿掉"
        r"|\b(?:delete|remove|drop|discard|trash|erase|get rid of|throw\b.{0,20}\baway)\b",
        re.I,
    ),
    "overwrite": re.compile(
        r"重写|覆盖|重新写|重新来|重来|推倒|从头写|整份|整章|全部改写|替换|换掉"
        r"|\b(?:rewrite|overwrite|replace|redo|from scratch|start over|anew|write .{0,30}again)\b",
        re.I,
    ),
}
_NOT = re.compile(
    r"(?:不要|不用|不能|不许|不可|不准|不必|不得|不想|别|勿|莫|没有?|未|要不要|该不该|是否|能不能先问)"
    r"[^，。！？；]{0,12}$"
    r"|\b(?:don['’]?t|do not|not|never|without|should i|should we|whether)\b[^,.!?;]{0,40}$",
    re.I,
)
_SENTENCE = re.compile(r"[。！？!?；;\n]+|\.(?=\s|$)")
_CLAUSE = re.compile(r"[，,]|\band then\b|然后|再把")
_ZH_UNIT = re.compile(rf"第?\s*([{CHINESE}]+)\s*[章回节集话]")
_EN_UNIT = re.compile(rf"\b(?:chapter|ch\.?|episode|ep\.?)\s*({ENGLISH})", re.I)
_NUMBERED = re.compile(r"(?:chapters|scripts|drafts|plans)/(\d{4,6})\.md")
_LEAST_NAME = 2
_MEMORY = ("notes.md", "tasks.md")

_TOLD = {
    "outline.md": ("大纲", "outline"),
    "story_bible.md": ("故事圣经", "设定集", "story bible", "bible"),
    "timeline.md": ("时间线", "timeline"),
    "secrets.md": ("秘密", "secrets"),
    "rules.md": ("规则", "rules"),
    "style.md": ("文风", "风格", "style"),
    "focus.md": ("focus",),
    "brief.md": ("简介", "brief"),
    "notes.md": ("备注", "notes"),
    "tasks.md": ("任务", "tasks"),
}


def check_overwrite(turn: Turn, book: BookDir, path: str, *, claimed: bool) -> None:
    """Refuse to replace the text of a file, unless the author asked for that.

    ``claimed``: the model says that he did, which alone proves nothing. Raises ToolRefused
    ``author_edit_protected`` for a file with the author's own text, else ``file_exists``.
    """
    own = _is_his(book, path)
    made_now = turn.files.changes.get(path) == "created" and not own
    asked = turn.asked.confirmed or asked_for(turn.asked, book, path, "overwrite")
    if claimed and (made_now or asked):
        return
    if own:
        raise _protected(turn, path, "replaced")
    raise ToolRefused(
        "file_exists",
        f"{path} has a text and wasn't replaced.",
        "Change it with edit_file. Only when the author named the file in this turn and asked to "
        "have all of it written anew, give overwrite=true.",
        data={"path": path},
        for_author=tell(turn, "exists", path=path),
    )


def check_delete(turn: Turn, book: BookDir, path: str, within: str = "") -> None:
    """Refuse to delete a file with the author's own text, or what is kept in mind for him, unless
    he named it and said so.

    ``within`` is the folder that is deleted, which he may have named instead. Raises ToolRefused
    ``author_edit_protected``.
    """
    if turn.asked.confirmed or not (path in _MEMORY or _is_his(book, path)):
        return
    places = [path, within] if within else [path]
    if not any(asked_for(turn.asked, book, place, "delete") for place in places):
        raise _protected(turn, path, "deleted")


def asked_for(asked: Asked, book: BookDir, path: str, act: Act) -> bool:
    """Whether the author, in this turn's message, named the file and said what to do with it.

    Both must stand in one clause, or the name in a clause before it of the same sentence when the
    clause that says what to do names nothing else. A file that he points at counts as named.
    """
    return any(
        _said_in(sentence, asked, book, path, act) for sentence in _SENTENCE.split(asked.message)
    )


def is_approved(book: BookDir, path: str) -> bool:
    """Whether a file is a chapter that the author approved."""
    number = chapter_number(path)
    if number is None:
        return False
    try:
        record = book.record(number)
    except DamagedError:  # a record that can't be read approves nothing
        return False
    return record is not None and record.status == "approved"


def _is_his(book: BookDir, path: str) -> bool:
    """Whether the author wrote any of a file, or approved it."""
    return is_approved(book, path) or authorship(book, path, book.read(path) or "").any


def _said_in(sentence: str, asked: Asked, book: BookDir, path: str, act: Act) -> bool:
    named = path in asked.files
    for clause in _CLAUSE.split(sentence):
        here = _names(clause, book, path)
        other = _names_another(clause, path)
        if here:
            named = True
        elif other:
            named = False
        found = _ACTS[act].search(clause)
        if found and named and not _NOT.search(clause[: found.start()]):
            return True
    return False


def _names(clause: str, book: BookDir, path: str) -> bool:
    low = clause.casefold()
    if path.casefold() in low or any(word in low for word in _TOLD.get(path, ())):
        return True
    number = _NUMBERED.fullmatch(path)
    if number:
        return int(number[1]) in _numbers(clause) or _has_title(low, book, path)
    stem = path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
    return (len(stem) >= _LEAST_NAME and stem.casefold() in low) or _has_title(low, book, path)


def _has_title(low: str, book: BookDir, path: str) -> bool:
    if not (book.path / path).is_file():
        return False
    title = markdown.first_heading(book.read(path) or "").casefold()
    return len(title) >= _LEAST_NAME and title in low


def _names_another(clause: str, path: str) -> bool:
    """Whether a clause speaks of some other file."""
    low = clause.casefold()
    if _numbers(clause):
        return True
    told = any(word in low for other, words in _TOLD.items() if other != path for word in words)
    return told or ".md" in low


def _numbers(clause: str) -> set[int]:
    found = {chinese_number(match[1]) for match in _ZH_UNIT.finditer(clause)}
    found |= {english_number(match[1]) for match in _EN_UNIT.finditer(clause)}
    return {number for number in found if number is not None}


def _protected(turn: Turn, path: str, done: str) -> ToolRefused:
    return ToolRefused(
        "author_edit_protected",
        f"{path} is the author's: he wrote in it or approved it; it wasn't {done}.",
        "Leave it, and ask the author in your reply whether he wants that.",
        data={"path": path},
        for_author=tell(turn, "protected", path=path),
        kept=True,
    )
