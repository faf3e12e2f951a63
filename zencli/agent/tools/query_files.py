"""``query_files``: reading files, and listing those that a question finds."""

import difflib
from typing import Any

from zencli.agent.author_edits import authorship
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.places import TYPES, readable_path, type_of
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import text_of, the_book
from zencli.agent.tools.scanning import Found, files_of, paths_of
from zencli.agent.tools.spec import ToolSpec, arguments, number, said, text, texts
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.errors import ZencliError
from zencli.prose.count import count_words
from zencli.store.layout import BookDir
from zencli.store.snapshot import as_committed, snapshot
from zencli.story import markdown
from zencli.story.book import Language

WINDOW = 20_000
"""Characters that one call gives, unless it asks for more."""

_MOST = 60_000
_LISTED = 20
_EXCERPT = 160


def query_files(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Read the named files, or list those of a type that hold all words of the query."""
    book = the_book(turn)
    paths = [*([given["path"]] if "path" in given else []), *given.get("paths", [])]
    if paths:
        return _read(turn, book, paths, given)
    found, total = snapshot(book, lambda seen: _matching(seen, given))
    language = book.config().language
    full = given.get("mode", "summary") == "full"
    left = WINDOW
    items = []
    for file in found:
        item = _listed(file, language, given.get("query", ""))
        if full:
            shown = file.text[:left]
            left -= len(shown)
            item |= {"label": _label(file.path, 0, len(shown), len(file.text)), "text": shown}
            _note_read(turn, file.path, file.text, whole=len(shown) == len(file.text))
        items.append(item)
    offset = given.get("offset", 0)
    rest = total - offset - len(items)
    more = f" {rest} more: give offset={offset + len(items)}." if rest > 0 else ""
    return ToolResult(
        data={"files": items, "total": total},
        for_model=f"{len(items)} of {total} files.{more} Read one with path.",
        for_author=tell(turn, "listed", count=total),
    )


def _read(turn: Turn, book: BookDir, said: list[str], given: dict[str, Any]) -> ToolResult:
    offset = given.get("offset", 0)
    if offset and len(said) > 1:
        raise ToolRefused("invalid_arguments", "offset goes with one path.", "Read one file.")
    left = min(given.get("limit", WINDOW), _MOST)
    seen = as_committed(book)
    language = book.config().language
    items: list[dict[str, Any]] = []
    for path in said:
        try:
            item = _read_one(turn, seen, path, (offset, left), language)
        except ZencliError as error:
            if len(said) == 1:
                raise
            item = {"path": path, "error_type": error.code, "message": error.message}
        left = max(0, left - len(item.get("text", "")))
        items.append(item)
    read = [item["path"] for item in items if "text" in item]
    if not read:
        raise ToolRefused("file_not_found", "None of these files is there.", data={"files": items})
    return ToolResult(
        data={"files": items},
        for_model=f"Read {len(read)} of {len(said)} files; each says whether it is full or cut.",
        for_author=tell(turn, "read", path=", ".join(read)),
    )


def _read_one(
    turn: Turn, book: BookDir, said: str, window: tuple[int, int], language: Language
) -> dict[str, Any]:
    path = readable_path(book, said)
    whole = text_of(book, path)
    if whole is None:
        raise _not_found(book, path)
    offset, limit = window
    shown = whole[offset : offset + limit]
    item: dict[str, Any] = {
        "path": path,
        "type": type_of(path),
        "words": count_words(whole, language),
        "label": _label(path, offset, len(shown), len(whole)),
        "text": shown,
    }
    own = authorship(book, path, whole)
    if own.edits:
        item["author_edits"] = own.shown()
        item["author_edits_note"] = "The author changed this by hand since; keep his wording."
    elif own.whole and path != "brief.md":
        item["author_edits_note"] = "The author wrote this file himself."
    _note_read(turn, path, whole, whole=len(shown) == len(whole))
    return item


def _note_read(turn: Turn, path: str, text: str, *, whole: bool) -> None:
    turn.files.read[path] = None
    if whole:
        turn.read_now[path] = text


def _label(path: str, offset: int, shown: int, total: int) -> str:
    if shown == total:
        return "full"
    end = offset + shown
    rest = f'; read on with path="{path}", offset={end}' if end < total else ""
    return f"cut: characters {offset}-{end} of {total}{rest}"


def _matching(book: BookDir, given: dict[str, Any]) -> tuple[list[Found], int]:
    """The files of one page that match, and how many match in all."""
    wanted = given.get("type")
    paths = [p for p in paths_of(book) if wanted is None or type_of(p) == wanted]
    offset, limit = given.get("offset", 0), min(given.get("limit", _LISTED), 100)
    words = given.get("query", "").split()
    if not words:
        return list(files_of(book, paths[offset : offset + limit])), len(paths)
    found = [file for file in files_of(book, paths) if _holds(file, words)]
    return found[offset : offset + limit], len(found)


def _holds(file: Found, words: list[str]) -> bool:
    """Whether all words stand in the path or the text; Latin letters in any case."""
    path, low = file.path.casefold(), None
    for word in words:
        if word.casefold() in path:
            continue
        if word.isascii() and any(letter.isalpha() for letter in word):
            low = file.data.lower() if low is None else low
            if word.lower().encode() not in low:
                return False
        elif word.encode("utf-8", "replace") not in file.data:
            return False
    return True


def _listed(file: Found, language: Language, query: str) -> dict[str, Any]:
    whole = file.text
    words = query.split()
    at = max((whole.find(word) for word in words), default=0)
    start = max(0, at - _EXCERPT // 2) if at > 0 else 0
    return {
        "path": file.path,
        "type": type_of(file.path),
        "title": markdown.first_heading(whole[:400]),
        "words": count_words(whole, language),
        "excerpt": " ".join(whole[start : start + _EXCERPT].split()),
    }


def _not_found(book: BookDir, path: str) -> ToolRefused:
    names = paths_of(book)
    near = difflib.get_close_matches(path, names, n=3, cutoff=0.5)
    same = [name for name in names if name.rpartition("/")[2] == path.rpartition("/")[2]]
    shown = list(dict.fromkeys([*same[:3], *near]))
    hint = f"There are: {', '.join(shown)}." if shown else "List the files without a path."
    return ToolRefused("file_not_found", f"There is no file {path}.", hint, data={"near": shown})


SPEC = ToolSpec(
    name="query_files",
    description=said(
        "读文件或列出文件。给 path（或 paths）读全文；不给就按 type 和 query 列出。"
        "每个结果都标明是全文还是截取（共多少字符、怎样读剩下的），并附字数。"
        "作者手改过的地方在 author_edits 里。",
        "Read files, or list them. With path (or paths) the text; without, those of a type that "
        "hold all words of query. Each result says whether it is full or cut (how much of how "
        "much, how to read the rest) and how many words it has. What the author changed by hand "
        "is in author_edits.",
    ),
    parameters=arguments(
        [],
        path=text("书内路径，如 chapters/0001.md", "path in the book, such as chapters/0001.md"),
        paths=texts("一次读几个文件", "several paths at once", maxItems=20),
        query=text("要找的词，空格隔开，须全部出现", "words that must all occur"),
        type={
            "type": "string",
            "enum": [kind for kind in TYPES if kind != "folder"],
            "description": said("只列这一类", "only files of this type"),
        },
        limit=number(
            "列表最多几项；读文件时最多多少字符（默认 20000）",
            "most entries of a list; when reading, most characters (default 20000)",
            minimum=1,
            maximum=_MOST,
        ),
        offset=number(
            "从第几项（读文件时第几个字符）开始",
            "entry (when reading: character) to begin at",
            minimum=0,
        ),
        mode={
            "type": "string",
            "enum": ["summary", "full"],
            "description": said(
                "列表里给摘录还是全文", "whether a list gives excerpts or whole texts"
            ),
        },
    ),
    permission="read",
    handler=query_files,
)
